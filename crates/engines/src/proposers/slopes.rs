//! Sums of multiples of two variables, and of three variables, against constants that runs show (design, section 2: what
//! polyhedra know beyond octagons). Only between few variables.

use evidence::Formula;
use logic::numbers::Rational;

use super::differences::limited;
use super::numbers::{changed, fixed};
use crate::view::View;

/// More variables make too many sums.
const FEW: usize = 5;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
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
