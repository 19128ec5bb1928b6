//! Linear equations between several variables and their values at entry: those that the steps of all iterations keep
//! (the null space of the body's matrix), and those that all states have that runs have shown (LoopFrog, section 4.1;
//! after Karr).

use evidence::Formula;

use super::numbers::{Variable, changed, combination, fixed, seen};
use crate::linear::{Condition, Linear};
use crate::null_space::null_space;
use crate::view::View;

/// Coefficients beyond this are no plausible equation between a few states.
const LARGEST: i128 = 10_000;

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
pub(super) fn from_states(
    view: &View<'_>,
    columns: &[Linear],
    changed: usize,
    candidates: &mut Vec<Formula>,
) {
    let values: Option<Vec<Vec<i128>>> = columns.iter().map(|column| seen(view, column)).collect();
    let Some(values) = values else { return };
    let states = values.first().map_or(0, Vec::len);
    if states < columns.len() + 2 {
        return;
    }
    let rows: Vec<Vec<i128>> =
        (0..states).map(|state| values.iter().map(|column| column[state]).collect()).collect();
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
