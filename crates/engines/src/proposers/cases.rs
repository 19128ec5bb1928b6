//! Invariants by cases: where a test of the loop holds, or a flag has one of its values, variables have equations or an
//! order, although they have none in general (design, section 2). Runs show which ones: `x >= 50 || y == 50`. Or a number
//! leaves always the same remainder then: `x < 100 || x % 2 == 0`.

use std::collections::BTreeSet;

use evidence::{Formula, Integer};

use super::numbers::{self, Variable, changed, combination, fixed, seen};
use super::wrapping::wrapping;
use crate::linear::{Condition, InEvidence, Linear, greatest_common};
use crate::null_space::null_space;
use crate::unique;
use crate::view::View;

/// So many cases are examined, and so many invariants are proposed.
const CASES: usize = 24;
const MOST: usize = 80;

/// Fewer states in a case, or outside of it, show nothing.
const STATES: usize = 3;

/// Coefficients beyond this are no plausible equation.
const LARGEST: i128 = 100;

/// Larger divisors are those of a few states by chance.
const DIVISOR: u128 = 64;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    let cases = cases(view, &changed);
    let mut found = Vec::new();
    let mut columns: Vec<Linear> =
        changed.iter().chain(&fixed).map(|variable| variable.now.clone()).collect();
    columns.push(Linear::constant(1));
    let Some(rows) = numbers::states(view, &columns) else { return };
    for case in &cases {
        let Some(inside) = states(view, case) else { continue };
        let rows = inside.iter().map(|&state| rows[state].as_slice());
        for vector in null_space(rows, columns.len()) {
            let small = vector[..columns.len() - 1].iter().all(|factor| factor.abs() <= LARGEST);
            let sum = combination(&columns, &vector);
            if small && is_news(case, &sum) {
                let wrapping = wrapping(view, &sum);
                found.extend(wrapping.map(|equation| case.negated().formula().or(equation)));
                found.push(Condition::any(vec![case.negated(), Condition::Zero(sum)]).formula());
            }
        }
    }
    for case in &cases {
        let Some(inside) = states(view, case) else { continue };
        for difference in differences(&changed, &fixed).filter(|difference| is_news(case, difference)) {
            let Some(values) = seen(view, &difference) else { continue };
            if inside.iter().all(|&state| values[state] <= 0) && values.iter().any(|value| *value > 0) {
                found.push(Condition::any(vec![case.negated(), Condition::AtMostZero(difference)]).formula());
            }
        }
    }
    found.truncate(MOST);
    candidates.extend(found);
}

/// Remainders by cases.
pub(super) fn phases(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changed = changed(view);
    for case in cases(view, &changed) {
        let Some(inside) = states(view, &case) else { continue };
        for variable in &changed {
            let Some(values) = seen(view, &variable.now) else { continue };
            let first = values[inside[0]];
            let distances = inside.iter().map(|&state| values[state].abs_diff(first));
            let divisor = distances.fold(0, greatest_common);
            if (2..=DIVISOR).contains(&divisor)
                && values.iter().any(|value| value.abs_diff(first) % divisor != 0)
            {
                let remainder = variable.expression().remainder(Integer::from(divisor));
                let invariant =
                    remainder.equals(i64::try_from(first.rem_euclid(divisor as i128)).unwrap_or(0));
                candidates.push(case.negated().formula().or(invariant));
            }
        }
    }
}

/// Whether a number speaks of more than a case does.
fn is_news(case: &Condition, number: &Linear) -> bool {
    let known = case.number().map(InEvidence::names).unwrap_or_default();
    !number.names().is_subset(&known)
}

/// The differences of variables, both ways.
fn differences(changed: &[Variable<'_>], fixed: &[Variable<'_>]) -> impl Iterator<Item = Linear> {
    let mut differences = Vec::new();
    for (place, one) in changed.iter().enumerate() {
        for other in changed[place + 1..].iter().chain(fixed) {
            differences.extend([&one.now - &other.now, &other.now - &one.now]);
        }
    }
    differences.into_iter()
}

/// The states of a case, if there are enough in it and outside of it.
fn states(view: &View<'_>, case: &Condition) -> Option<Vec<usize>> {
    let values = seen(view, case.number()?)?;
    let holds = |value: i128| match case {
        Condition::AtMostZero(_) => value <= 0,
        Condition::Zero(_) => value == 0,
        _ => value != 0,
    };
    let inside: Vec<usize> = (0..values.len()).filter(|&state| holds(values[state])).collect();
    (inside.len() >= STATES && inside.len() + STATES <= values.len()).then_some(inside)
}

/// The cases: what the loop tests, both ways and with the limit just reached, and the values of flags.
fn cases(view: &View<'_>, changed: &[Variable<'_>]) -> Vec<Condition> {
    let mut cases: Vec<Condition> = Vec::new();
    for variable in changed {
        let values: BTreeSet<i128> = seen(view, &variable.now).into_iter().flatten().collect();
        if (2..=4).contains(&values.len()) {
            let equal = |value: &i128| Condition::equal(&variable.now, &Linear::constant(*value));
            cases.extend(values.iter().map(equal));
        }
    }
    for atom in view.code.met.iter().flat_map(Condition::atoms) {
        let Some(number) = atom.number() else { continue };
        cases.extend([atom.clone(), atom.negated()]);
        if let Condition::AtMostZero(_) = atom {
            cases.push(Condition::AtMostZero(number.shifted(-1)));
            cases.push(Condition::AtMostZero(-number));
        }
    }
    let mut cases = unique(cases);
    cases.truncate(CASES);
    cases
}
