//! A few invariants that ranks often need: signs, directions, and remainders of the numbers that a loop changes.

use base::Budget;
use evidence::{Integer, Moment};

use super::Seen;
use super::tighten::strides_of;
use crate::ranking::Target;

/// Invariants are about so many numbers.
const MOST: usize = 6;

/// Offers invariants of a loop to the kernel. Gives whether it took any.
pub(super) fn offer(target: &mut Target<'_, '_>, seen: &Seen, budget: &mut Budget) -> bool {
    let mut candidates = Vec::new();
    for one in seen.measured.iter().filter(|one| one.before != one.after).take(MOST) {
        let now = &one.expression;
        let Some(entry) = now.with_moments(&|_| Some(Moment::Entry)) else { continue };
        candidates.push(now.clone().at_least(0));
        candidates.push(now.clone().at_least(1));
        candidates.push(now.clone().at_least(entry.clone()));
        candidates.push(now.clone().at_most(entry.clone()));
        for rank in [now.clone(), -now.clone()] {
            for stride in strides_of(&rank, seen).into_iter().filter(|stride| *stride > Integer::ONE) {
                let then = entry.clone().remainder(stride.clone());
                candidates.push(now.clone().remainder(stride).equals(then));
            }
        }
    }
    target.offer(candidates, budget)
}
