//! All commands on one program: no two answers may contradict each other, and no answer a run.
//!
//! | one says | another says |
//! |---|---|
//! | `verify` TRUE | `alarms` refuted, a test that fails, `terminates` may run for ever, `certify` FALSE |
//! | `verify` FALSE | `alarms` all proved, `terminates` all stops, `variance` confirmed, `tests` unreachable |
//! | `bounds` a number | `terminates` may run for ever, `summarize` another number, a run with more iterations |
//! | `summarize` never left | `terminates` stops |

mod answers;
pub(crate) mod contradictions;
mod numbers;

use std::path::Path;
use std::time::Duration;

use certify::Stopping;
use clients::Verdict;
use evidence::Failure;

pub use self::answers::{Answers, Judged, PROPERTIES, Subject};
use crate::interpretation::{Form, prepare, translate};

/// How much was asked, and answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Programs.
    pub programs: usize,
    /// Answers of `verify`: TRUE and FALSE.
    pub verdicts: [usize; 2],
    /// Proofs that `certify` accepts.
    pub certified: usize,
    /// Loops and recursions that stop, and that may run for ever.
    pub cycles: [usize; 2],
    /// Loops with bounds.
    pub bounds: usize,
    /// Loops with cases.
    pub summaries: usize,
    /// States in which runs enter loops.
    pub states: usize,
    /// Lists of obligations, and test suites.
    pub lists: [usize; 2],
}

/// Asks all commands about a C file, and gives the contradictions. Each query may take so long.
///
/// # Errors
/// If the file is no program for us.
pub fn check(source: &Path, time: Duration, counts: &mut Counts) -> Result<Vec<String>, String> {
    let raw = translate(source, &[])?;
    let mut program = raw.clone();
    prepare(&mut program, Form::Simplified)?;
    let has_main =
        program.function_named("main").is_some_and(|main| program.functions[main].body().is_some());
    let name = if has_main { "main" } else { "f" };
    let entry = program.function_named(name).ok_or("no main and no f")?;
    let subject = Subject { raw: &raw, program: &program, entry: name };
    let answers = subject.ask(time);
    counts.add(&answers);
    let mut found = contradictions::contradictions(&answers, name);
    found.extend(unreachable(&subject, &answers, time));
    if has_main {
        let seeds = counts.programs as u64..counts.programs as u64 + 3;
        found.extend(numbers::contradictions(&program, entry, &answers, seeds, &mut counts.states));
    }
    Ok(found)
}

/// `tests` against a run that `verify` has found.
fn unreachable(subject: &Subject<'_>, answers: &Answers, time: Duration) -> Option<String> {
    answers.verdicts.iter().find_map(|judged| {
        let Verdict::Refuted { counterexample } = &judged.verdict else { return None };
        let Failure::Violation { place: Some(place), .. } = &counterexample.failure else { return None };
        subject
            .is_unreachable(&place.file, place.line, time)
            .then(|| format!("verify {}: {} at {place}, and tests: unreachable", judged.name, judged.verdict))
    })
}

impl Counts {
    fn add(&mut self, answers: &Answers) {
        self.programs += 1;
        for judged in &answers.verdicts {
            match judged.verdict {
                Verdict::Proved(_) => self.verdicts[0] += 1,
                Verdict::Refuted { .. } => self.verdicts[1] += 1,
                Verdict::Unknown { .. } => {}
            }
            self.certified += usize::from(matches!(judged.certified, Some(Verdict::Proved(_))));
        }
        for cycle in &answers.termination.cycles {
            self.cycles[0] += usize::from(cycle.answer.stops());
            self.cycles[1] += usize::from(matches!(cycle.answer, Stopping::MayRunForEver { .. }));
        }
        self.bounds += answers.bounds.loops.iter().filter(|one| one.bound.is_some()).count();
        self.summaries += answers.summaries.loops.iter().filter(|one| !one.cases.is_empty()).count();
        self.lists[0] += usize::from(answers.listing.is_some());
        self.lists[1] += usize::from(answers.suite.is_some());
    }
}
