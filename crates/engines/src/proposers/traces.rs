//! Invariants by cases from the path dependency automaton of the loop (Xie and others, TSE 2019): in which phase of
//! which trace a state at the head can be; of a loop without cases, how its variables have moved against each other.

use std::time::Duration;

use base::Budget;
use evidence::{Formula, Quantity};
use loops::{Criterion, LoopForest, PostDominators, Slice};
use program::VariableId;
use program::interpret::Integers;

use crate::automaton::Automaton;
use crate::automaton::vocabulary::{Vocabulary, entry_is, invariant};
use crate::view::View;

/// What an automaton and its traces may cost.
const STEPS: u64 = 300_000;
const TIME: Duration = Duration::from_millis(250);

/// A loop with more numbers of interest is left to others.
const VARIABLES: usize = 12;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let forest = LoopForest::of(view.body);
    let Some(id) = forest.with_head(view.head) else { return };
    let mut vocabulary = Vocabulary::new();
    let mut known = Vec::new();
    for number in &view.numbers {
        vocabulary.insert(number.variable, Quantity::value(number.name.clone()));
        known.extend(number.entry.as_ref().map(|value| entry_is(number.variable, value)));
    }
    for pointer in &view.pointers {
        vocabulary.insert(pointer.variable, Quantity::offset(pointer.name.clone()));
        known.extend(pointer.entry.as_ref().map(|value| entry_is(pointer.variable, value)));
    }
    let changed: Vec<VariableId> =
        view.numbers.iter().filter(|one| one.changed).map(|one| one.variable).collect();
    let moved = view.pointers.iter().filter(|one| one.changed).map(|one| one.variable);
    let changed: Vec<VariableId> = changed.into_iter().chain(moved).collect();
    if changed.is_empty() || changed.len() > VARIABLES {
        return;
    }
    let dominators = PostDominators::of(forest.graph());
    let mut budget = Budget::steps(STEPS).within(TIME);
    for criterion in [Criterion::Variables(&changed), Criterion::Exits] {
        let slice = Slice::of(view.body, &forest, &dominators, id, criterion);
        let automaton =
            Automaton::of(view.program, view.body, &forest, id, &slice, Integers::Machine, &mut budget);
        let Some(mut automaton) = automaton else { continue };
        let traces = automaton.traces(&known, &mut budget);
        let Some(cases) = automaton.cases(&traces, &known, &vocabulary, &mut budget) else {
            // Whatever the order of the paths.
            candidates.extend(automaton.counted(&vocabulary, &mut budget).invariants);
            continue;
        };
        candidates.extend(cases.iter().map(|found| invariant(&found.case)));
        return;
    }
}
