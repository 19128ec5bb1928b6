//! Holds what is said about loops against runs: generated programs are summarised and then run.
//!
//! ```text
//! seed ─► program ─► abstract loops, invariants (those that proposers find, and random ones) ─► proof?
//!            └─► runs ─► visits to heads ─► is every invariant true there? does the encoding allow it? is a proof wrong?
//! ```
//!
//! Four things must be so: no invariant that the kernel accepted is false at a head of a run; every iteration of a run
//! decreases the rank that it accepted; no run violates what was proved; and the encoding allows every run, loops
//! abstracted ([`run_constraints`]).

mod candidates;
pub(crate) mod invariants;
mod ranks;
pub mod record;
pub mod run_constraints;
pub mod tree;
pub mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::Budget;
use certify::Abstraction;
use certify::abstraction::{Effort, Named};
use certify::{Claim, Subject};
use engines::ranking::Target;
use evidence::{AbstractionMode, Name, Overflow, ProofMode, Property, Termination};
use program::interpret::{Integers, ObligationSet, Options, Outcome};
use program::{FunctionId, Obligation, Program};

use self::candidates::Vocabulary;
use self::invariants::States;
use self::record::{Recording, record};
use self::run_constraints::{Agreement, Encoded, History};
use self::tree::Node;
use crate::interpretation::{Form, program_of};
use crate::random::Random;

/// What came of a program, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Programs that were encoded.
    pub programs: usize,
    /// Loops that were abstracted.
    pub abstract_loops: usize,
    /// Candidates that were put to the kernel.
    pub candidates: usize,
    /// Invariants that the kernel accepted.
    pub invariants: usize,
    /// How often an invariant was examined in a state of a run.
    pub looked_at: usize,
    /// Loops that have a rank.
    pub ranked: usize,
    /// How often a rank was examined before and after an iteration of a run.
    pub iterations: usize,
    /// Programs of which it was proved that nothing is violated.
    pub proved: usize,
    /// Runs.
    pub runs: usize,
    /// Runs that violate something.
    pub violations: usize,
    /// States and violations that the encoding allows.
    pub allowed: usize,
    /// Those that it does not follow so far.
    pub skipped: usize,
    /// Those before which it sees a violation.
    pub lost: usize,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, other: &Counts) {
        let pairs = [
            (&mut self.programs, other.programs),
            (&mut self.abstract_loops, other.abstract_loops),
            (&mut self.candidates, other.candidates),
            (&mut self.invariants, other.invariants),
            (&mut self.looked_at, other.looked_at),
            (&mut self.ranked, other.ranked),
            (&mut self.iterations, other.iterations),
            (&mut self.proved, other.proved),
            (&mut self.runs, other.runs),
            (&mut self.violations, other.violations),
            (&mut self.allowed, other.allowed),
            (&mut self.skipped, other.skipped),
            (&mut self.lost, other.lost),
        ];
        pairs.into_iter().for_each(|(sum, more)| *sum += more);
    }
}

/// How a program is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The seed of candidates and inputs.
    pub seed: u64,
    /// What is checked.
    pub checks: ObligationSet,
    /// How loops are abstracted.
    pub abstract_loops: AbstractionMode,
    /// Whether the program is simplified before.
    pub form: Form,
    /// Whether proposers are asked, which takes most of the time.
    pub proposers: bool,
    /// Whether ranks are looked for, which takes most of the rest.
    pub ranks: bool,
    /// How often it runs.
    pub runs: u64,
}

impl Setting {
    /// The setting of a seed: all of them come up.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x7365_7474);
        let some = ObligationSet::ALL.without(Obligation::SignedOverflow).without(Obligation::Uninitialised);
        let checks = if random.chance(50) { ObligationSet::ALL } else { some };
        let abstract_loops = match random.below(4) {
            0 => AbstractionMode { iterations: 2, decided: 0 },
            1 => AbstractionMode { iterations: 1, decided: 64 },
            _ => AbstractionMode { iterations: 1, decided: 0 },
        };
        let form = if random.chance(80) { Form::Simplified } else { Form::Plain };
        let (proposers, ranks) = (random.chance(20), random.chance(15));
        Self { seed, checks, abstract_loops, form, proposers, ranks, runs: 4 }
    }
}

/// Examines the program of a seed.
///
/// # Errors
/// What is wrong: the encoding or the kernel says something that a run refutes.
pub fn check(folder: &Path, seed: u64) -> Result<Counts, String> {
    check_text(folder, &tree::text(&writer::program(seed)), Setting::of(seed))
}

/// The smallest part of the program of a seed that is still wrong.
pub fn shrunk(folder: &Path, seed: u64) -> Vec<Node> {
    let setting = Setting::of(seed);
    let mut fails = |nodes: &[Node]| {
        let result = check_text(folder, &tree::text(nodes), setting);
        result.is_err_and(|message| !message.starts_with(NO_PROGRAM))
    };
    tree::shrink(&writer::program(seed), 2000, &mut fails)
}

/// How the message starts if a text is no program.
const NO_PROGRAM: &str = "no program: ";

/// Examines a program.
///
/// # Errors
/// What is wrong.
pub fn check_text(folder: &Path, text: &str, setting: Setting) -> Result<Counts, String> {
    let program = program_of(folder, text, setting.form).map_err(|error| format!("{NO_PROGRAM}{error}"))?;
    check_program(&program, setting)
}

/// Examines a program.
///
/// # Errors
/// What is wrong.
pub fn check_program(program: &Program, setting: Setting) -> Result<Counts, String> {
    let mut counts = Counts::default();
    let Some(main) = program.function_named("main") else { return Ok(counts) };
    let integers = Integers::Machine;
    let property = Property::Obligations(setting.checks);
    let subject = Subject::of(program, Claim { function: main, property, integers });
    let program = subject.program();
    let iterations = setting.abstract_loops.iterations - 1;
    let mode = ProofMode {
        calls: 50,
        abstract_loops: Some(setting.abstract_loops),
        ..ProofMode::abstraction(iterations + 1, Overflow::Wraps)
    };
    let mut budget = Budget::steps(200_000);
    let Ok(mut abstraction) = Abstraction::new(&subject, mode, &mut budget) else {
        return Ok(counts);
    };
    counts.programs += 1;
    counts.abstract_loops += abstraction.abstract_loops().len();
    // What is hard is left open: easy programs are many.
    let mut budget = Budget::steps(50_000).within(Duration::from_secs(1));
    let effort = Effort { steps: 4_000, ..Effort::default() };
    guess(program, &mut abstraction, setting.seed, effort, &mut budget, &mut counts);
    if setting.proposers {
        let tally = engines::summarise(program, &mut abstraction, effort, &mut budget, &mut |_| {});
        counts.candidates += tally.proposed;
    }
    counts.invariants += (0..abstraction.abstract_loops().len())
        .map(|abstract_loop| abstraction.invariants(abstract_loop).len())
        .sum::<usize>();
    for abstract_loop in (0..abstraction.abstract_loops().len()).filter(|_| setting.ranks) {
        let target = &mut Target { abstraction: &mut abstraction, abstract_loop, effort };
        let found = engines::ranking::rank(target, false, &mut budget);
        counts.ranked += usize::from(found && abstraction.termination_argument(abstract_loop).is_some());
    }
    let proved = abstraction.conclude(effort, &mut budget).is_some();
    counts.proved += usize::from(proved);
    Comparison { program, main, setting, proved, counts }.runs(&mut abstraction, iterations as usize)
}

/// Puts random candidates to the kernel.
fn guess(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    seed: u64,
    effort: Effort,
    budget: &mut Budget,
    counts: &mut Counts,
) {
    let mut random = Random::new(seed);
    for nest in abstraction.nests() {
        let mut all = Vec::new();
        for &abstract_loop in &nest {
            let function = abstraction.abstract_loops()[abstract_loop].function;
            let names = abstraction.names(function);
            if let Some(words) = Vocabulary::of(program, function, &names) {
                all.extend(candidates::candidates(&mut random, &words, abstract_loop, 24));
            }
        }
        counts.candidates += all.len();
        abstraction.accept(&nest, &all, effort, budget);
    }
}

struct Comparison<'p> {
    program: &'p Program,
    main: FunctionId,
    setting: Setting,
    proved: bool,
    counts: Counts,
}

impl Comparison<'_> {
    fn runs(mut self, abstraction: &mut Abstraction<'_>, iterations: usize) -> Result<Counts, String> {
        let functions: Vec<FunctionId> =
            abstraction.abstract_loops().iter().map(|abstract_loop| abstract_loop.function).collect();
        let names: Vec<_> = functions.iter().map(|&function| abstraction.names(function)).collect();
        let abstraction = &*abstraction;
        let mut encoded = Encoded::new(
            self.program,
            abstraction,
            iterations,
            self.setting.abstract_loops.iterations as usize,
        );
        let checks = self.setting.checks;
        let ignored = Obligation::ALL.into_iter().filter(|&kind| !checks.contains(kind)).collect();
        let options = Options { checks, ignored, memory: 1 << 22, call_depth: 50, ..Options::default() };
        for number in 0..self.setting.runs {
            let seed = self.setting.seed.wrapping_mul(31).wrapping_add(number);
            let recording = record(self.program, self.main, &options, seed, 6_000);
            if recording.run.imprecise.is_some() {
                continue;
            }
            self.counts.runs += 1;
            let mut history = History::default();
            let mut asked = 0;
            for visit in 0..recording.visits.len() {
                encoded.advance(&mut history, &recording, visit);
                let Some(abstract_loop) = encoded.abstract_loop_of(&recording.visits[visit]) else {
                    continue;
                };
                let arrival =
                    encoded.arrival(&history, abstract_loop).filter(|arrival| arrival.last() == Some(&visit));
                let Some(arrival) = arrival else { continue };
                let states = States {
                    names: &names[abstract_loop],
                    entry: &recording.visits[arrival[0]],
                    now: &recording.visits[visit],
                };
                for invariant in abstraction.invariants(abstract_loop) {
                    match states.holds(invariant) {
                        Some(false) => {
                            return Err(self.false_invariant(
                                abstraction,
                                abstract_loop,
                                invariant,
                                number,
                                &states,
                            ));
                        }
                        Some(true) => self.counts.looked_at += 1,
                        None => {}
                    }
                }
                let passed =
                    self.iteration(abstraction, abstract_loop, arrival, &recording, &names[abstract_loop]);
                passed.map_err(|message| format!("run {number}: {message}"))?;
                // The last visits are those that most of a run stands behind.
                if asked < 6 && (visit % 5 == 1 || visit + 3 > recording.visits.len()) {
                    asked += 1;
                    let agreement = encoded.allows_visit(&history, &recording, abstract_loop);
                    let place = self.program.describe(abstraction.abstract_loops()[abstract_loop].location);
                    self.count(agreement, || {
                        let invariants: Vec<String> = abstraction.invariants(abstract_loop).iter().map(ToString::to_string).collect();
                        let invariants = invariants.join("\n    ");
                        format!("run {number}, visit {visit} to the loop at {place} with the invariants\n    {invariants}\n ")
                    })?;
                }
            }
            self.end(&mut encoded, &history, &recording, number)?;
        }
        Ok(self.counts)
    }

    /// Whether the last iteration of a loop decreases its rank.
    fn iteration(
        &mut self,
        abstraction: &Abstraction<'_>,
        abstract_loop: usize,
        arrival: &[usize],
        recording: &Recording,
        names: &BTreeMap<Name, Named>,
    ) -> Result<(), String> {
        // Where a run may not be followed to its end, the kernel calls no loop left, whatever its rank.
        if !abstraction.incomplete_paths().is_empty() {
            return Ok(());
        }
        // An abstract loop of several iterations says nothing of those before it.
        let skipped = 2 * self.setting.abstract_loops.iterations as usize;
        let Some(Termination::Ranking(ranking)) = abstraction.termination_argument(abstract_loop) else {
            return Ok(());
        };
        let [first, .., before, after] = arrival[..] else { return Ok(()) };
        if arrival.len() <= skipped {
            return Ok(());
        }
        let states =
            |visit: usize| States { names, entry: &recording.visits[first], now: &recording.visits[visit] };
        match ranks::decreases(ranking, &states(before), &states(after)) {
            Some(true) => self.counts.iterations += 1,
            Some(false) => {
                let place = self.program.describe(abstraction.abstract_loops()[abstract_loop].location);
                return Err(format!("an iteration of the loop at {place} does not decrease {ranking:?}"));
            }
            None => {}
        }
        Ok(())
    }

    fn end(
        &mut self,
        encoded: &mut Encoded<'_>,
        history: &History,
        recording: &Recording,
        number: u64,
    ) -> Result<(), String> {
        let Outcome::Violation(violation) = &recording.run.outcome else { return Ok(()) };
        self.counts.violations += 1;
        let place = self.program.describe(violation.location);
        let what =
            format!("run {number} violates {} at {place}: {}", violation.obligation, violation.message);
        if self.proved {
            return Err(format!("proved, but {what}"));
        }
        if recording.more {
            return Ok(());
        }
        let agreement = encoded.allows_violation(history, recording);
        self.count(agreement, || what)
    }

    fn count(&mut self, agreement: Agreement, what: impl FnOnce() -> String) -> Result<(), String> {
        match agreement {
            Agreement::Allows => self.counts.allowed += 1,
            Agreement::Skipped => self.counts.skipped += 1,
            Agreement::Lost => self.counts.lost += 1,
            Agreement::Contradicts(why) => {
                return Err(format!("the encoding does not allow {}:{why}", what()));
            }
        }
        Ok(())
    }

    fn false_invariant(
        &self,
        abstraction: &Abstraction<'_>,
        abstract_loop: usize,
        invariant: &evidence::Formula,
        number: u64,
        states: &States<'_>,
    ) -> String {
        let abstract_loop = &abstraction.abstract_loops()[abstract_loop];
        let place = self.program.describe(abstract_loop.location);
        let body = self.program.functions[abstract_loop.function].body();
        let name = |variable| {
            body.map_or_else(String::new, |body| self.program.variable(body, variable).name.clone())
        };
        let shown = |visit: &record::Visit| {
            let numbers =
                visit.numbers.iter().map(|(&variable, number)| format!("{} = {number}", name(variable)));
            let pointers =
                visit.pointers.iter().map(|(&variable, at)| format!("{} = {at:?}", name(variable)));
            numbers.chain(pointers).collect::<Vec<_>>().join(", ")
        };
        format!(
            "run {number} refutes {invariant} at {place}\n  at entry {}\n  now {}",
            shown(states.entry),
            shown(states.now)
        )
    }
}
