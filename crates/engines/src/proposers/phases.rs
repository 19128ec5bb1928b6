//! Remainders by cases: once a test of the loop holds, a number leaves always the same remainder (design, section 2):
//! `x < 100 || x % 2 == 0`. Runs show which one.

use evidence::{Formula, Integer};

use super::cases::{cases, states};
use super::numbers::{changed, seen};
use crate::linear::greatest_common;
use crate::view::View;

/// Larger divisors are those of a few states by chance.
const LARGEST: u128 = 64;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changed = changed(view);
    for case in cases(view, &changed) {
        let Some(inside) = states(view, &case) else { continue };
        for variable in &changed {
            let Some(values) = seen(view, &variable.now) else { continue };
            let first = values[inside[0]];
            let distances = inside.iter().map(|&state| values[state].abs_diff(first));
            let divisor = distances.fold(0, greatest_common);
            if (2..=LARGEST).contains(&divisor)
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
