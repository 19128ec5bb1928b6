//! Holds summaries of loops against runs: generated functions are summarised, and then run.
//!
//! ```text
//! seed ─► f(parameters) with loops, and a main that calls it ─► cases, invariants
//!            └─► runs ─► visits to heads ─► has every state at entry a case? does the loop do what it says?
//! ```
//!
//! Types are narrow for the most part, so that numbers wrap. Only what the kernel has confirmed is held against runs. A run
//! counts up to where something undefined happens.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::Budget;
use certify::abstraction::{Named, names};
use clients::summarize::{Request, summarize};
use evidence::{CaseReport, Formula, Integer, LoopReport, Moment, Name, Strength};
use loops::{LoopForest, LoopId, LoopNames};
use program::interpret::{Integers, ObligationSet, Options, Outcome};
use program::{FunctionId, Obligation};

use crate::abstraction::invariants::States;
use crate::abstraction::record::{Recording, Visit, record};
use crate::bounds::text_with_probes;
use crate::interpretation::{Form, program_of};
use crate::iterations::{Counted, executed, with_counts};

/// What came of programs, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Loops.
    pub loops: usize,
    /// Loops with cases.
    pub with_cases: usize,
    /// Loops whose cases are all confirmed, exact, and all there are.
    pub exact: usize,
    /// Loops without cases of which something is known.
    pub with_invariants: usize,
    /// Visits whose state at entry was held against the guards of cases.
    pub entries: usize,
    /// Visits whose state at the end was held against a case.
    pub ends: usize,
    /// Visits whose number of iterations was held against a case.
    pub counts: usize,
    /// Invariants that were examined in a state.
    pub invariants: usize,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Tally) {
        self.loops += other.loops;
        self.with_cases += other.with_cases;
        self.exact += other.exact;
        self.with_invariants += other.with_invariants;
        self.entries += other.entries;
        self.ends += other.ends;
        self.counts += other.counts;
        self.invariants += other.invariants;
    }

    fn note(&mut self, one: &LoopReport) {
        self.loops += 1;
        self.with_cases += usize::from(!one.cases.is_empty());
        self.exact += usize::from(is_exact(one));
        self.with_invariants += usize::from(!one.invariants.is_empty() || !one.left.is_empty());
    }
}

fn is_exact(one: &LoopReport) -> bool {
    one.covered == Strength::Confirmed
        && !one.cases.is_empty()
        && one.cases.iter().all(|case| case.case.exact)
}

/// Examines the program of a seed. Its summaries may take this long: what is not found in time is not held against
/// runs.
///
/// # Errors
/// A run that does something else than the summary of its loop says.
pub fn check(folder: &Path, seed: u64, time: Duration) -> Result<Tally, String> {
    check_text(folder, &text_with_probes(seed), seed, time)
}

/// Examines a program: the loops of `f`, which `main` calls. A loop over a variable `probe` shows the state where the
/// loop before it was left.
///
/// # Errors
/// A run that does something else than the summary of its loop says.
pub fn check_text(folder: &Path, text: &str, seed: u64, time: Duration) -> Result<Tally, String> {
    let program = program_of(folder, text, Form::Simplified)?;
    let run = program_of(folder, &with_counts(text), Form::Simplified)?;
    let find = |name: &str| run.function_named(name).ok_or("no main or no f");
    let (main, own) = (find("main")?, find("f")?);
    let function = program.function_named("f").ok_or("no f")?;
    let mut tally = Tally::default();
    let (Some(body), Some(run_body)) = (program.functions[function].body(), run.functions[own].body()) else {
        return Ok(tally);
    };
    let Some(counted) = Counted::of(&run, own, &program, function) else { return Ok(tally) };
    let request = Request {
        function: Some(String::from("f")),
        line: None,
        variables: Vec::new(),
        integers: Integers::Machine,
    };
    let budget = Budget::unlimited().within(time);
    let report = summarize(&program, &request, &budget, &|_| {});
    let forest = LoopForest::of(body);
    let loop_names = LoopNames::new().of_function(&program, function, &forest);
    let mut loops = BTreeMap::new();
    for ((id, _), name) in forest.iter().zip(&loop_names) {
        let name = name.to_string();
        if let Some(one) = report.loops.iter().find(|one| one.name == name) {
            tally.note(one);
            let same = counted.analysed.iter().find(|(_, analysed)| **analysed == id);
            loops.extend(same.map(|(&own, _)| (own, one)));
        }
    }
    let held = Held { function: own, counted, loops, names: names(&run, run_body) };
    let checks = ObligationSet::EMPTY.with(Obligation::SignedOverflow);
    let options = Options { checks, memory: 1 << 20, call_depth: 20, ..Options::default() };
    for number in 0..6 {
        let recording = record(&run, main, &options, seed.wrapping_mul(17).wrapping_add(number), 12_000);
        held.run(&recording, &mut tally).map_err(|message| format!("run {number}: {message}\n{text}"))?;
    }
    Ok(tally)
}

/// A function with the summaries of its loops.
struct Held<'r> {
    function: FunctionId,
    counted: Counted,
    loops: BTreeMap<LoopId, &'r LoopReport>,
    names: BTreeMap<Name, Named>,
}

/// Control stays in a loop.
struct Stay<'r> {
    id: LoopId,
    entry: &'r Visit,
    /// How often control came to the loop in its body that counts.
    begun: u64,
}

impl Held<'_> {
    fn run(&self, recording: &Recording, tally: &mut Tally) -> Result<(), String> {
        let mut stays: Vec<Stay<'_>> = Vec::new();
        let mut activation = None;
        for visit in recording.visits.iter().filter(|visit| visit.function == self.function) {
            if activation.replace(visit.activation).is_some_and(|old| old != visit.activation) {
                self.leave_all(&mut stays, tally)?;
            }
            let forest = &self.counted.forest;
            let Some(id) = forest.with_head(visit.head) else { continue };
            if self.counted.bodies.contains(&id) {
                if let Some(stay) = stays.last_mut().filter(|stay| forest[id].parent == Some(stay.id)) {
                    stay.begun += 1;
                }
                continue;
            }
            // What comes right after a loop on the outermost level is its probe: nothing changes in between.
            let is_outermost = stays.len() == 1;
            while let Some(stay) = stays.pop_if(|stay| !forest.contains(stay.id, visit.head)) {
                let end = (is_outermost && stays.is_empty()).then_some(visit);
                self.left(&stay, end, tally)?;
            }
            if stays.last().is_none_or(|stay| stay.id != id) {
                stays.push(Stay { id, entry: visit, begun: 0 });
                self.entered(id, visit, tally)?;
            }
            if let Some(stay) = stays.last() {
                self.at_head(stay, visit, tally)?;
            }
        }
        match recording.run.outcome {
            Outcome::Exit(_) if !recording.more => self.leave_all(&mut stays, tally),
            _ => Ok(()),
        }
    }

    fn leave_all(&self, stays: &mut Vec<Stay<'_>>, tally: &mut Tally) -> Result<(), String> {
        while let Some(stay) = stays.pop() {
            self.left(&stay, None, tally)?;
        }
        Ok(())
    }

    fn states<'a>(&'a self, entry: &'a Visit, now: &'a Visit) -> States<'a> {
        States { names: &self.names, entry, now }
    }

    /// Whether the cases are all there are.
    fn entered(&self, id: LoopId, entry: &Visit, tally: &mut Tally) -> Result<(), String> {
        let Some(one) = self.loops.get(&id) else { return Ok(()) };
        if one.covered != Strength::Confirmed || one.cases.is_empty() {
            return Ok(());
        }
        let states = self.states(entry, entry);
        let guards: Vec<Option<bool>> = one.cases.iter().map(|case| states.holds(&case.case.guard)).collect();
        let holding = guards.iter().filter(|guard| **guard == Some(true)).count();
        let known = guards.iter().all(Option::is_some);
        tally.entries += usize::from(known);
        if known && (holding == 0 || (is_exact(one) && holding > 1)) {
            return Err(format!("{}: {holding} cases apply to a state at entry", one.name));
        }
        Ok(())
    }

    /// Whether what is known at the head holds.
    fn at_head(&self, stay: &Stay<'_>, visit: &Visit, tally: &mut Tally) -> Result<(), String> {
        let Some(one) = self.loops.get(&stay.id) else { return Ok(()) };
        self.invariants(one, &one.invariants, &self.states(stay.entry, visit), tally)
    }

    fn invariants(
        &self,
        one: &LoopReport,
        invariants: &[Formula],
        states: &States<'_>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        for invariant in invariants {
            match states.holds(invariant) {
                Some(false) => return Err(format!("{}: it is not so that {invariant}", one.name)),
                Some(true) => tally.invariants += 1,
                None => {}
            }
        }
        Ok(())
    }

    /// A stay in a loop is over, with this state at the end if that is known.
    fn left(&self, stay: &Stay<'_>, end: Option<&Visit>, tally: &mut Tally) -> Result<(), String> {
        let Some(one) = self.loops.get(&stay.id) else { return Ok(()) };
        if let Some(end) = end {
            self.invariants(one, &one.left, &self.states(stay.entry, end), tally)?;
        }
        for case in &one.cases {
            if self.states(stay.entry, stay.entry).holds(&case.case.guard) == Some(true) {
                self.case(stay, case, end, tally).map_err(|message| format!("{}: {message}", one.name))?;
            }
        }
        Ok(())
    }

    fn case(
        &self,
        stay: &Stay<'_>,
        case: &CaseReport,
        end: Option<&Visit>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let guard = &case.case.guard;
        if case.never && case.strength == Strength::Confirmed {
            return Err(format!("it is left where {guard}, and should not be"));
        }
        if case.counted == Strength::Confirmed
            && self.counted.is_counted(stay.id)
            && let Some(iterations) = &case.case.iterations
            && let Some(number) = self.states(stay.entry, stay.entry).value(iterations)
        {
            tally.counts += 1;
            let made = executed(stay.begun);
            if number != Integer::from(made) {
                return Err(format!("{made} iterations where {guard}, and not {iterations} = {number}"));
            }
        }
        let Some(end) = end.filter(|_| case.strength == Strength::Confirmed) else { return Ok(()) };
        let states = self.states(stay.entry, end);
        let updates = case.case.effect.iter();
        let updates = updates.map(|update| update.quantity.at(Moment::Now).equals(update.value.clone()));
        for part in updates.chain([case.case.relation.clone()]) {
            match states.holds(&part) {
                Some(false) => return Err(format!("it is not so at the end that {part}, where {guard}")),
                Some(true) => tally.ends += 1,
                None => {}
            }
        }
        Ok(())
    }
}
