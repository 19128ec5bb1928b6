//! Limits from the code: what a loop tests and what is asserted, read as an invariant of the head, with the play that a
//! step over the limit needs (LoopFrog, section 4.1; design, section 2).

use evidence::Formula;

use super::numbers::{Limits, changed};
use crate::linear::{Condition, InEvidence, Linear};
use crate::view::{NumberView, View};

/// So many tests are examined.
const MOST: usize = 40;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let musts = view.code.path_obligations.iter().map(|path_obligation| &path_obligation.must);
    let conditions = musts.chain(&view.code.tests).chain(&view.code.met);
    let mut known: Vec<&Condition> = Vec::new();
    let (steps, mut limits) = (steps(view), Limits::default());
    for atom in conditions.flat_map(Condition::atoms) {
        let Some(number) = atom.number() else { continue };
        let changing = changing(view, number);
        if known.len() >= MOST || changing.is_empty() || known.contains(&atom) {
            continue;
        }
        known.push(atom);
        if !matches!(atom, Condition::AtMostZero(_)) {
            candidates.extend([atom.formula(), atom.negated().formula()]);
        }
        for number in [number.clone(), -number] {
            // The limit, not reached, just reached, or passed by a step.
            for play in [-1, 0, 1].into_iter().chain(steps.iter().copied()) {
                limits.add(&number, play);
            }
        }
    }
    limits.propose(view, candidates);
}

/// The variables of a number that the loop changes.
pub(super) fn changing<'a>(view: &'a View<'_>, number: &Linear) -> Vec<&'a NumberView> {
    let names = number.names();
    view.numbers.iter().filter(|variable| variable.changed && names.contains(&variable.name)).collect()
}

/// By how much variables can step over a limit.
fn steps(view: &View<'_>) -> Vec<i128> {
    let mut steps = Vec::new();
    for variable in changed(view) {
        for step in view.code.steps(variable.number.variable, &variable.now).into_iter().flatten() {
            for step in [step.abs() - 1, step.abs()] {
                if (2..=1000).contains(&step) && !steps.contains(&step) && steps.len() < 6 {
                    steps.push(step);
                }
            }
        }
    }
    steps
}
