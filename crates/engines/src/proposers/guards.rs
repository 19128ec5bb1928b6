//! Limits from the code: what a loop tests and what is asserted, read as a fact about the head, with the play that a step
//! over the limit needs; also only for those that were below the limit at entry (LoopFrog, section 4.1; design, section 2).

use evidence::{Expression, Formula};

use super::Proposer;
use super::numbers::changed;
use crate::linear::{Condition, Linear};
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "guards", propose };

/// So many tests are looked at.
const MOST: usize = 40;

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changing = |number: &Linear| {
        number.names().iter().any(|name| view.numbers.iter().any(|number| number.changed && number.name == *name))
    };
    let musts = view.code.duties.iter().filter(|duty| !duty.overflow).map(|duty| &duty.must);
    let conditions = musts.chain(&view.code.tests).chain(&view.code.met);
    let mut seen: Vec<&Linear> = Vec::new();
    let mut steps: Vec<i128> = steps(view);
    steps.sort_unstable();
    for atom in conditions.flat_map(Condition::atoms) {
        let Some(number) = atom.number().filter(|number| changing(number)) else { continue };
        if seen.len() >= MOST || seen.contains(&number) {
            continue;
        }
        seen.push(number);
        candidates.push(atom.formula());
        candidates.push(atom.negated().formula());
        for number in [Some(number.clone()), number.times(-1)].into_iter().flatten() {
            // The limit with some play: just reached, or passed by a step.
            for play in [-1, 0, 1].into_iter().chain(steps.iter().map(|step| -step)) {
                candidates.push(Condition::AtMostZero(number.shifted(play)).formula());
            }
            candidates.extend(if_at_entry(&number));
        }
    }
}

/// At most the limit, or what it was at entry.
fn if_at_entry(number: &Linear) -> Vec<Formula> {
    let Some(entry) = number.at_entry() else { return Vec::new() };
    let kept = |limit: i64| {
        let limit = Expression::Maximum(vec![entry.expression(), limit.into()]);
        number.expression().at_most(limit)
    };
    vec![kept(0), kept(1)]
}

/// By how much variables can step over a limit.
fn steps(view: &View<'_>) -> Vec<i128> {
    let mut steps = Vec::new();
    for variable in changed(view) {
        for step in view.code.steps(variable.number.variable, &variable.now).into_iter().flatten() {
            for step in [step, step - 1, step + 1] {
                if (2..=64).contains(&step.abs()) && !steps.contains(&step) && steps.len() < 6 {
                    steps.push(step.abs());
                }
            }
        }
    }
    steps
}
