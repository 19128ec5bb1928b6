//! Runs that reach something, and the choice of few of them that reach everything that any of them does.
//!
//! A run is kept if it reaches something that no run before did, or something that only runs with a worse ending did: a test
//! that ends by itself is better than one that has to be stopped. Before that it is made once more from its recorded
//! inputs. The choice is greedy: the run that reaches most of what is left comes next.

use std::cmp::Reverse;

use base::Budget;
use certify::unrolling::SuspectInput;
use evidence::{Test, TestOutcome};
use program::interpret::{InputRecord, Machine, Outcome};
use program::{FunctionId, Program};

use crate::refute::{Interest, Query, Tried, follow, input};

/// The steps that a run may take more when it is made again.
const MARGIN: u64 = 1000;

/// A run that reaches something.
struct Kept {
    words: Vec<Vec<u8>>,
    inputs: Vec<InputRecord>,
    standard_input: Vec<u8>,
    outcome: TestOutcome,
    steps: u64,
    marks: Vec<usize>,
}

/// The runs so far, and what they reach.
pub(super) struct Collection<'a> {
    program: &'a Program,
    machine: &'a Machine<'a>,
    function: FunctionId,
    /// For each target the best ending of a run that reaches it.
    best: Vec<Option<u8>>,
    kept: Vec<Kept>,
    /// How many runs were made.
    pub runs: u64,
}

impl<'a> Collection<'a> {
    pub fn new(program: &'a Program, machine: &'a Machine<'a>, function: FunctionId, targets: usize) -> Self {
        Self { program, machine, function, best: vec![None; targets], kept: Vec::new(), runs: 0 }
    }

    /// Whether a run reaches a target.
    pub fn is_reached(&self, target: usize) -> bool {
        self.best[target].is_some()
    }

    /// Whether runs that end well reach all targets.
    pub fn is_complete(&self) -> bool {
        self.best.iter().all(|best| best.is_some_and(|quality| quality <= GOOD))
    }

    /// Examines a run, and keeps it if it is worth it.
    pub fn look_at(&mut self, tried: &Tried<'_>) -> Interest {
        self.runs += 1;
        let outcome = outcome(self.program, &tried.run.outcome);
        let quality = quality(&outcome);
        let marks: Vec<usize> = tried.run.marks.iter().map(|mark| base::Index::index(*mark)).collect();
        let improves = |mark: &usize| self.best[*mark].is_none_or(|best| quality < best);
        if !marks.iter().any(improves) || !is_repeatable(tried) || !self.replays(tried) {
            return Interest::None;
        }
        for &mark in &marks {
            let best = &mut self.best[mark];
            *best = Some(best.map_or(quality, |best| best.min(quality)));
        }
        self.kept.push(Kept {
            words: tried.words.to_vec(),
            inputs: tried.run.inputs.clone(),
            standard_input: tried.standard_input.to_vec(),
            outcome,
            steps: tried.run.steps,
            marks,
        });
        if self.is_complete() { Interest::Enough } else { Interest::New }
    }

    /// Runs the program on suggested inputs, and keeps the run if it is worth it.
    pub fn follow(&mut self, query: &Query, suggested: &[SuspectInput], budget: &mut Budget) {
        let followed = follow(self.program, self.machine, query, self.function, suggested, budget);
        self.look_at(&followed.tried());
    }

    /// Few tests that together reach all that is reached.
    pub fn tests(&self) -> Vec<Test> {
        let mut left: Vec<bool> = self.best.iter().map(Option::is_some).collect();
        let mut chosen = Vec::new();
        loop {
            let gain = |kept: &Kept| kept.marks.iter().filter(|mark| left[**mark]).count();
            let gains = self.kept.iter().map(|kept| (gain(kept), kept));
            let next = gains.filter(|(gain, _)| *gain > 0).max_by_key(|(gain, kept)| {
                let ends = kept.outcome != TestOutcome::GoesOn;
                (ends, *gain, Reverse((quality(&kept.outcome), kept.steps, kept.inputs.len())))
            });
            let Some((_, kept)) = next else { return chosen };
            kept.marks.iter().for_each(|mark| left[*mark] = false);
            chosen.push(self.test(kept));
        }
    }

    fn test(&self, kept: &Kept) -> Test {
        let words = kept.words.iter().map(|word| String::from_utf8_lossy(word).into_owned());
        Test {
            arguments: words.collect(),
            inputs: kept.inputs.iter().map(|record| input(self.program, record)).collect(),
            standard_input: kept.standard_input.clone(),
            outcome: kept.outcome.clone(),
            steps: kept.steps,
            reaches: kept.marks.clone(),
        }
    }

    /// Whether the run's own inputs, as a fixed list, lead to the same end past the same marks.
    fn replays(&self, tried: &Tried<'_>) -> bool {
        let stopped = matches!(tried.run.outcome, Outcome::Stopped(_));
        let steps = if stopped { tried.run.steps } else { tried.run.steps.saturating_add(MARGIN) };
        let again = tried.again(self.machine, self.function, steps);
        // Where exactly a run is stopped is nobody's business.
        if stopped {
            tried.run.marks.iter().all(|mark| again.marks.contains(mark))
        } else {
            again == *tried.run
        }
    }
}

/// Whether a compiled program can be given all that the run got.
fn is_repeatable(tried: &Tried<'_>) -> bool {
    // Only a function of the source has a name without blanks; parameters are given by whoever calls.
    let askable = |name: &str| !name.contains(' ') && name != "fopen" || name.starts_with("parameter ");
    tried.run.inputs.iter().all(|input| askable(&input.name))
        && tried.words.iter().all(|word| word.is_ascii())
}

fn outcome(program: &Program, outcome: &Outcome) -> TestOutcome {
    match outcome {
        Outcome::Exit(status) => TestOutcome::Exit { status: *status },
        Outcome::Aborted => TestOutcome::Abort,
        Outcome::Violation(violation) => TestOutcome::Violation {
            what: format!("{} at {}", violation.obligation, program.describe(violation.location)),
        },
        Outcome::AssumptionFailed => TestOutcome::Assumption,
        Outcome::Stopped(_) | Outcome::Repeats(_) | Outcome::Unsupported { .. } => TestOutcome::GoesOn,
    }
}

/// Endings in the order in which they are preferred.
const fn quality(outcome: &TestOutcome) -> u8 {
    match outcome {
        TestOutcome::Exit { .. } => 0,
        TestOutcome::Abort | TestOutcome::Violation { .. } => 1,
        TestOutcome::Assumption => 2,
        TestOutcome::GoesOn => 3,
    }
}

/// No better ending is looked for.
const GOOD: u8 = 1;
