//! Facts by cases: where a test of the loop holds, or a flag has one of its values, variables are equal, constant or
//! limited, although they are not so in general (design, section 2). Runs show which ones: `x >= 50 || y == 50`.

use std::collections::BTreeSet;

use evidence::Formula;

use super::Proposer;
use super::numbers::{Variable, changed, fixed, seen};
use crate::linear::{Condition, Linear};
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "cases", propose };

/// So many cases are looked at, and so many facts are proposed.
const CASES: usize = 24;
const MOST: usize = 100;

/// Fewer states in a case, or outside of it, show nothing.
const STATES: usize = 3;

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    let sums = sums(&changed, &fixed);
    let values: Vec<(Linear, Vec<i128>)> =
        sums.into_iter().filter_map(|sum| Some((sum.clone(), seen(view, &sum)?))).collect();
    let mut found: Vec<Formula> = Vec::new();
    for case in cases(view, &changed) {
        let Some(chosen) = case.number().and_then(|number| seen(view, number)) else { continue };
        let holds = |value: &i128| match case {
            Condition::AtMostZero(_) => *value <= 0,
            Condition::Zero(_) => *value == 0,
            _ => *value != 0,
        };
        let inside: Vec<usize> = (0..chosen.len()).filter(|&state| holds(&chosen[state])).collect();
        if inside.len() < STATES || inside.len() + STATES > chosen.len() {
            continue;
        }
        for (sum, values) in &values {
            let here: BTreeSet<i128> = inside.iter().map(|&state| values[state]).collect();
            let all: BTreeSet<i128> = values.iter().copied().collect();
            found.extend(facts(sum, &here, &all).map(|fact| Condition::any(vec![case.negated(), fact]).formula()));
        }
    }
    found.truncate(MOST);
    candidates.extend(found);
}

/// What holds of a number in a case and not in general.
fn facts(sum: &Linear, here: &BTreeSet<i128>, all: &BTreeSet<i128>) -> impl Iterator<Item = Condition> {
    let (low, high) = (here.first().copied().unwrap_or(0), here.last().copied().unwrap_or(0));
    let (lowest, highest) = (all.first().copied().unwrap_or(0), all.last().copied().unwrap_or(0));
    let mut facts = Vec::new();
    if low == high && lowest < highest {
        facts.extend(Condition::equal(sum, &Linear::constant(low)));
    } else {
        let small = |limit: i128| (-2..=2).contains(&limit);
        if low > lowest && small(low) {
            facts.extend(Condition::at_most(&Linear::constant(low), sum));
        }
        if high < highest && small(high) {
            facts.extend(Condition::at_most(sum, &Linear::constant(high)));
        }
    }
    facts.into_iter()
}

/// The numbers that are looked at: variables, their changes, differences and sums.
fn sums(changed: &[Variable<'_>], fixed: &[Variable<'_>]) -> Vec<Linear> {
    let mut sums: Vec<Linear> = changed.iter().map(|variable| variable.now.clone()).collect();
    let unknown = changed.iter().filter(|variable| variable.entry.known().is_none());
    sums.extend(unknown.filter_map(|variable| variable.now.minus(&variable.entry)));
    for (place, one) in changed.iter().enumerate() {
        for other in changed[place + 1..].iter().chain(fixed) {
            sums.extend(one.now.minus(&other.now));
            sums.extend(one.now.plus(&other.now, 1));
        }
    }
    sums
}

/// The cases: what the loop tests, both ways and with the limit just reached, and the values of flags.
fn cases(view: &View<'_>, changed: &[Variable<'_>]) -> Vec<Condition> {
    let mut cases: Vec<Condition> = Vec::new();
    for variable in changed {
        let values: BTreeSet<i128> = seen(view, &variable.now).into_iter().flatten().collect();
        if (2..=4).contains(&values.len()) {
            cases.extend(values.iter().filter_map(|value| Condition::equal(&variable.now, &Linear::constant(*value))));
        }
    }
    for atom in view.code.met.iter().flat_map(Condition::atoms) {
        let Some(number) = atom.number() else { continue };
        cases.extend([atom.clone(), atom.negated()]);
        if let Condition::AtMostZero(_) = atom {
            cases.push(Condition::AtMostZero(number.shifted(-1)));
            cases.extend(Linear::default().minus(number).map(Condition::AtMostZero));
        }
    }
    let mut unique = Vec::new();
    for case in cases {
        if unique.len() < CASES && !unique.contains(&case) {
            unique.push(case);
        }
    }
    unique
}
