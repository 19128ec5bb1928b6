//! Differences and sums of two related variables against small constants (LoopFrog, section 4.1; octagons); and sums of
//! multiples of two variables, and of three variables, against constants that runs show (design, section 2: what polyhedra
//! know beyond octagons), only between few variables.

use evidence::Formula;
use logic::numbers::Rational;

use super::numbers::{Limits, changed, constants, fixed, related, seen_range};
use crate::linear::Linear;
use crate::view::View;

/// Limits up to this are plausible if runs show them.
const SMALL: u128 = 16;

/// More variables make too many sums of multiples.
const FEW: usize = 5;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    let mut directions = Vec::new();
    for (place, one) in changed.iter().enumerate() {
        let others = changed[place + 1..].iter().chain(&fixed);
        for other in others.filter(|other| related(view, one, other)) {
            directions.push(&one.now - &other.now);
            directions.push(&one.now + &other.now);
        }
    }
    limited(view, &directions, candidates);
}

/// The same for sums of multiples.
pub(super) fn slopes(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    let all: Vec<_> = changed.iter().chain(&fixed).collect();
    if all.len() > FEW || view.seen.is_none() {
        return;
    }
    let mut directions = Vec::new();
    for (place, one) in changed.iter().enumerate() {
        for (at, other) in all.iter().enumerate().skip(place + 1) {
            for factor in [2, -2, 3, -3].map(Rational::from) {
                directions.push(one.now.plus_scaled(&factor, &other.now));
                directions.push(other.now.plus_scaled(&factor, &one.now));
            }
            for third in &all[at + 1..] {
                let (sum, difference) = (&one.now + &other.now, &one.now - &other.now);
                for two in [sum, difference] {
                    directions.extend([&two + &third.now, &two - &third.now]);
                }
            }
        }
    }
    limited(view, &directions, candidates);
}

/// Limits for sums: those that runs show, if they are plausible, and zero if nothing was seen.
fn limited(view: &View<'_>, directions: &[Linear], candidates: &mut Vec<Formula>) {
    let constants = constants(view);
    let plausible = |limit: i128| limit.unsigned_abs() <= SMALL || constants.contains(&limit);
    let mut limits = Limits::default();
    for direction in directions {
        for direction in [direction.clone(), -direction] {
            match seen_range(view, &direction) {
                None => limits.add(&direction, 0),
                Some((_, high)) if plausible(high) && !follows(view, &direction, high) => {
                    limits.add(&direction, high);
                }
                Some(_) => {}
            }
        }
    }
    limits.propose(view, candidates);
}

/// Whether the limit of a sum is the sum of the limits of its parts: then it says nothing new.
fn follows(view: &View<'_>, direction: &Linear, high: i128) -> bool {
    let part = |(part, factor): &(evidence::Expression, Rational)| {
        let part = Linear::variable(part.clone()).scaled(factor);
        Some((seen_range(view, &part)?.1, part))
    };
    let Some(parts) = direction.terms().iter().map(part).collect::<Option<Vec<_>>>() else { return false };
    let total: i128 = parts.iter().map(|(limit, _)| *limit).sum();
    if total == high {
        return true;
    }
    // Of three parts: one and the sum of the other two.
    parts.len() == 3
        && parts.iter().any(|(limit, part)| {
            seen_range(view, &(direction - part)).is_some_and(|(_, rest)| rest + limit == high)
        })
}
