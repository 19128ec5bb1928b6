//! Differences and sums of related variables against small constants (LoopFrog, section 4.1; octagons, and beyond them
//! a few other directions that runs suggest).

use evidence::Formula;

use super::Proposer;
use super::numbers::{Variable, changed, constants, fixed, related, seen_range};
use crate::linear::{Condition, Linear};
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "differences", propose };

/// Limits up to this are plausible if runs show them.
const SMALL: u128 = 16;

/// Multiples other than one are only tried between so few variables.
const FEW: usize = 5;

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    let constants = constants(view);
    let plausible = |limit: i128| limit.unsigned_abs() <= SMALL || constants.contains(&limit);
    for direction in directions(view, &changed, &fixed) {
        if view.seen.is_none_or(|seen| seen.states.len() < 4) {
            // Nothing was seen: the plainest guesses.
            candidates.extend(limits(&direction, 0, 0));
        } else if let Some((low, high)) = seen_range(view, &direction) {
            let known = |limit| plausible(limit).then_some(limit);
            candidates.extend(known(low).and_then(|low| limits(&direction, low, low).into_iter().nth(1)));
            candidates.extend(known(high).and_then(|high| limits(&direction, high, high).into_iter().next()));
        }
    }
}

/// A number is at most one limit, and at least another.
fn limits(number: &Linear, high: i128, low: i128) -> Vec<Formula> {
    let above = Condition::at_most(number, &Linear::constant(high));
    let below = Condition::at_most(&Linear::constant(low), number);
    above.into_iter().chain(below).map(|limit| limit.formula()).collect()
}

/// The sums that are looked at.
fn directions(view: &View<'_>, changed: &[Variable<'_>], fixed: &[Variable<'_>]) -> Vec<Linear> {
    let mut directions = Vec::new();
    let few = changed.len() + fixed.len() <= FEW;
    for (place, one) in changed.iter().enumerate() {
        let others = changed[place + 1..].iter().chain(fixed).filter(|other| related(view, one, other));
        let others: Vec<&Variable<'_>> = others.collect();
        for (at, other) in others.iter().enumerate() {
            directions.extend(one.now.minus(&other.now));
            directions.extend(one.now.plus(&other.now, 1));
            if !few {
                continue;
            }
            for factor in [2, 3] {
                for sign in [factor, -factor] {
                    directions.extend(one.now.plus(&other.now, sign));
                    directions.extend(other.now.plus(&one.now, sign));
                }
            }
            for third in &others[at + 1..] {
                for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    let sum = one.now.plus(&other.now, a).and_then(|sum| sum.plus(&third.now, b));
                    directions.extend(sum);
                }
            }
        }
    }
    directions
}
