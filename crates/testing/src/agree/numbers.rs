//! Numbers of iterations that two commands give for the same loop, at states in which runs enter it.
//!
//! A formula of `bounds` and one of `summarize` may look different and be the same: what is compared is their values where a run
//! comes to the loop, and what the run does there.

use std::collections::BTreeMap;

use certify::Stopping;
use certify::abstraction::{Named, names};
use evidence::{CaseReport, Count, Expression, Integer, LoopBound, LoopReport, Moment, Name, Strength};
use loops::{LoopForest, LoopId};
use program::interpret::{ObligationSet, Options};
use program::{FunctionId, Obligation, Program};
use transform::modular;

use super::answers::Answers;
use crate::abstraction::invariants::States;
use crate::abstraction::record::{Recording, Visit, record};

/// How many steps a run may take.
const STEPS: u64 = 20_000;

/// Contradictions between numbers at states in which some runs from a function enter loops. Counts the states.
pub fn contradictions(
    program: &Program,
    entry: FunctionId,
    answers: &Answers,
    seeds: impl Iterator<Item = u64>,
    compared: &mut usize,
) -> Vec<String> {
    let checks = ObligationSet::EMPTY.with(Obligation::SignedOverflow);
    let options = Options { checks, memory: 1 << 20, call_depth: 20, ..Options::default() };
    // Bounds and cases speak of modular functions.
    let modular_program = modular(program);
    let mut found = Vec::new();
    for seed in seeds {
        let recording = record(program, entry, &options, seed, STEPS);
        if recording.run.imprecise.is_some() {
            continue;
        }
        for (function, description) in program.functions.iter() {
            let Some(body) = description.body() else { continue };
            let names = modular_program.functions[function]
                .body()
                .map(|body| names(&modular_program, body))
                .unwrap_or_default();
            let forest = LoopForest::of(body);
            let held = Held { function, name: &description.name, forest, names, answers, program };
            found.extend(held.recording(&recording, compared));
        }
    }
    found.sort();
    found.dedup();
    found
}

struct Held<'a> {
    function: FunctionId,
    name: &'a str,
    forest: LoopForest,
    names: BTreeMap<Name, Named>,
    answers: &'a Answers,
    program: &'a Program,
}

impl Held<'_> {
    /// Examines every state in which a run enters a loop of the function.
    fn recording(&self, recording: &Recording, compared: &mut usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut inside: Vec<LoopId> = Vec::new();
        let mut activation = None;
        for visit in recording.visits.iter().filter(|visit| visit.function == self.function) {
            if activation.replace(visit.activation).is_some_and(|old| old != visit.activation) {
                inside.clear();
            }
            let Some(id) = self.forest.with_head(visit.head) else { continue };
            while inside.pop_if(|around| !self.forest.contains(*around, visit.head)).is_some() {}
            if inside.last() != Some(&id) {
                inside.push(id);
                *compared += 1;
                found.extend(self.entered(id, visit));
            }
        }
        found
    }

    fn entered(&self, id: LoopId, visit: &Visit) -> Option<String> {
        let location = self.program.functions[self.function].body()?.blocks[self.forest[id].head].location;
        let place = evidence::Place::of(self.program, location);
        let states = States { names: &self.names, entry: visit, now: visit };
        let summary = self
            .answers
            .summaries
            .loops
            .iter()
            .find(|one| one.function == self.name && one.place == place)?;
        let holds = |case: &&CaseReport| states.holds(&case.case.guard) == Some(true);
        let case = summary.cases.iter().filter(|case| case.counted == Strength::Confirmed).find(holds);
        let never = summary
            .cases
            .iter()
            .filter(|case| case.never && case.strength == Strength::Confirmed)
            .find(holds);
        let mut cycles = self.answers.termination.cycles.iter();
        let cycle = cycles.find(|cycle| cycle.function == self.name && cycle.place == place);
        // A loop that nothing leaves may stop unless a number overflows: then one does.
        let stops = |answer: &Stopping| matches!(answer, Stopping::Stops(stops) if stops.entry().is_none() && !stops.unless_overflow());
        if never.is_some() && cycle.is_some_and(|cycle| stops(&cycle.answer)) {
            return Some(format!(
                "summarize: {} is never left from here, and terminates: it stops",
                summary.name
            ));
        }
        let mut bounds = self.answers.bounds.loops.iter();
        let bound = bounds.find(|one| one.function == self.name && one.place == place)?;
        self.compared(summary, case?, bound, &states)
    }

    /// The number of a case against the number of a bound.
    fn compared(
        &self,
        summary: &LoopReport,
        case: &CaseReport,
        bound: &LoopBound,
        states: &States<'_>,
    ) -> Option<String> {
        let count: &Count = &bound.bound.as_ref()?.visit;
        let value = |expression: &Expression| {
            states.value(
                &expression.with_moments(&|moment| (moment != Moment::Start).then_some(Moment::Entry))?,
            )
        };
        let (iterations, most) = (value(case.case.iterations.as_ref()?)?, value(&count.iterations)?);
        // The last iteration is not complete if the loop is left in the middle.
        let is_wrong =
            iterations > most || count.exact && case.case.exact && most > &iterations + Integer::ONE;
        is_wrong.then(|| {
            let exactly = if count.exact { "exactly" } else { "at most" };
            format!(
                "summarize: {} makes {iterations} complete iterations, and bounds: {exactly} {most} iterations",
                summary.name
            )
        })
    }
}
