//! Linear equations between several variables and their values at entry: those that the steps of all iterations keep
//! (the null space of the body's matrix), and those that all states have that runs have shown (LoopFrog, section 4.1;
//! after Karr). Between few variables also equations of degree two: `2 * s == i * (i - 1)` (design, section 2; closed forms
//! of sums).

use evidence::Formula;

use super::numbers::{Variable, changed, combination, fixed, states};
use crate::linear::{Condition, InEvidence, Linear};
use crate::null_space::null_space;
use crate::view::View;

/// Coefficients beyond this are no plausible equation between a few states.
const LARGEST: i128 = 10_000;

/// More variables make too many products.
const FEW: usize = 4;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    from_steps(view, &changed, candidates);
    let mut columns: Vec<Linear> = changed.iter().map(|variable| variable.now.clone()).collect();
    let one = Linear::constant(1);
    let count = columns.len();
    columns.push(one.clone());
    from_states(view, &columns, count, candidates);
    if !fixed.is_empty() {
        columns.pop();
        columns.extend(fixed.iter().map(|variable| variable.now.clone()));
        columns.push(one.clone());
        from_states(view, &columns, count, candidates);
    }
    let entries: Vec<Linear> = changed
        .iter()
        .filter(|it| it.number.entry.is_none() && it.number.twin.is_none())
        .map(|it| it.entry.clone())
        .collect();
    if !entries.is_empty() {
        columns.pop();
        columns.extend(entries);
        columns.push(one);
        from_states(view, &columns, count, candidates);
    }
}

/// Equations of degree two.
pub(super) fn quadratic(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    if changed.len() > FEW || changed.len() < 2 {
        return;
    }
    let mut columns: Vec<Linear> = changed.iter().map(|variable| variable.now.clone()).collect();
    let others = fixed.iter().take(FEW - changed.len()).map(|variable| variable.now.clone());
    columns.extend(others);
    let variables = columns.clone();
    for (place, one) in variables.iter().enumerate() {
        columns.extend(variables[place..].iter().filter_map(|other| one.product(other)));
    }
    columns.push(Linear::constant(1));
    from_states(view, &columns, changed.len(), candidates);
}

/// What all iterations leave as it is, if all add constants.
fn from_steps(view: &View<'_>, changed: &[Variable<'_>], candidates: &mut Vec<Formula>) {
    let steps = |variable: &Variable<'_>| view.code.steps(variable.number.variable, &variable.now);
    let stepping: Vec<(&Variable<'_>, Vec<i128>)> =
        changed.iter().filter_map(|variable| Some((variable, steps(variable)?))).collect();
    let rows: Vec<Vec<i128>> = (0..view.code.iterations.len())
        .map(|iteration| stepping.iter().map(|(_, steps)| steps[iteration]).collect())
        .collect();
    for vector in null_space(rows.iter().map(Vec::as_slice), stepping.len()) {
        let changes: Vec<Linear> =
            stepping.iter().map(|(variable, _)| &variable.now - &variable.entry).collect();
        candidates.push(Condition::Zero(combination(&changes, &vector)).formula());
    }
}

/// Equations that all states have, with one of the first columns in them.
fn from_states(view: &View<'_>, columns: &[Linear], changed: usize, candidates: &mut Vec<Formula>) {
    let Some(rows) = states(view, columns).filter(|rows| rows.len() >= columns.len() + 2) else { return };
    // Numbers near the limits of their type have wrapped, or will.
    let rows = rows.iter().filter(|row| row.iter().all(|number| number.unsigned_abs() < 1 << 24));
    for vector in null_space(rows.map(Vec::as_slice), columns.len()) {
        let small = vector[..columns.len() - 1].iter().all(|factor| factor.abs() <= LARGEST);
        if !small || vector[..changed].iter().all(|factor| *factor == 0) {
            continue;
        }
        candidates.push(Condition::Zero(combination(columns, &vector)).formula());
    }
}
