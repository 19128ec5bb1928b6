//! A few invariants that ranks often need: signs, directions, and remainders of the numbers that a loop changes.

use base::Budget;
use certify::Candidate;
use certify::abstraction::{Abstraction, Effort};
use evidence::{Formula, Integer, Moment};

use super::Seen;
use super::tighten::strides_of;

/// Invariants are about so many numbers.
const MOST: usize = 6;

/// Offers invariants of a loop to the kernel. Gives whether it took any.
pub(super) fn offer(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    seen: &Seen,
    effort: Effort,
    budget: &mut Budget,
) -> bool {
    let mut candidates = Vec::new();
    for one in seen.measured.iter().filter(|one| one.before != one.after).take(MOST) {
        let now = &one.expression;
        let Some(entry) = now.with_moments(&|_| Some(Moment::Entry)) else { continue };
        let mut add = |formula: Formula| candidates.push(Candidate { abstract_loop, formula });
        add(now.clone().at_least(0));
        add(now.clone().at_least(1));
        add(now.clone().at_least(entry.clone()));
        add(now.clone().at_most(entry.clone()));
        for rank in [now.clone(), -now.clone()] {
            for stride in strides_of(&rank, seen).into_iter().filter(|stride| *stride > Integer::ONE) {
                add(now.clone().remainder(stride.clone()).equals(entry.clone().remainder(stride)));
            }
        }
    }
    let nest = abstraction.nests().into_iter().find(|nest| nest.contains(&abstract_loop));
    let Some(nest) = nest.filter(|_| !candidates.is_empty()) else { return false };
    abstraction.accept(&nest, &candidates, effort, budget).contains(&true)
}
