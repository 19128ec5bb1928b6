//! Tighter bounds from those that were accepted.
//!
//! If iterations begin only where a sum of quantities is at least `low`, and each takes at least `stride` off it, then
//! there are at most ⌈(sum − low + 1) / stride⌉ of them, which is exact where the loop has no other way out. The
//! greatest numbers for which the kernel accepts that are looked for among those that the iterations show.

use base::Budget;
use certify::abstraction::Bounded;
use evidence::{Expression, Integer, Spent};
use logic::numbers::Rational;

use super::{Seen, accepted};
use crate::linear::{InEvidence, Linear};
use crate::ranking::Target;

/// The bound with each component as small as it can be made.
pub(super) fn tighten(
    target: &mut Target<'_, '_>,
    bounded: Bounded,
    seen: &Seen,
    budget: &mut Budget,
) -> Bounded {
    let mut best = bounded;
    for place in 0..best.evidence().components.len() {
        let rank = best.evidence().components[place].rank.clone();
        for (rank, stride) in candidates(&rank, seen) {
            let mut components = best.evidence().components.clone();
            if components[place].rank == rank && components[place].stride == stride {
                break;
            }
            components[place] = Spent { rank, stride, raised: components[place].raised.clone() };
            if let Some(better) = accepted(target, components, budget) {
                best = better;
                break;
            }
        }
    }
    best
}

/// Smaller ranks with their strides, the smallest first.
fn candidates(rank: &Expression, seen: &Seen) -> Vec<(Expression, Integer)> {
    let Some(sum) = Linear::parse(rank) else { return Vec::new() };
    if sum.terms().is_empty() {
        return Vec::new();
    }
    // The sum without its constant and without a common factor; it is at least `least` where an iteration begins.
    let factor = sum.primitive_factor();
    let least = ((Rational::ONE - sum.constant_part()) * &factor).ceil();
    let base = sum.without_constant().scaled(&factor);
    let mut found = Vec::new();
    for stride in strides(&base, seen) {
        for rank in [base.shifted(-&least), base.shifted(1 - &least)] {
            found.push((rank.expression(), stride.clone()));
        }
    }
    found
}

/// The strides of a rank: what iterations take off it, and one.
pub(super) fn strides_of(rank: &Expression, seen: &Seen) -> Vec<Integer> {
    Linear::parse(rank).map_or_else(|| vec![Integer::ONE], |sum| strides(&sum, seen))
}

/// By how much iterations make a sum less, the greatest first, and one.
fn strides(base: &Linear, seen: &Seen) -> Vec<Integer> {
    let mut least: Option<Integer> = None;
    for step in &seen.steps {
        let mut change = logic::numbers::Linear::zero();
        for (part, factor) in base.terms() {
            let Some(at) = seen.measured.iter().position(|one| one.expression == *part) else { continue };
            change = change.plus_scaled(factor, &(&step.before[at] - &step.after[at]));
        }
        let known = change.as_constant().and_then(|known| known.to_integer());
        let Some(known) = known.filter(|known| *known > Integer::ZERO) else { continue };
        least = Some(least.map_or(known.clone(), |least| least.min(known)));
    }
    let stride = least.filter(|stride| *stride > Integer::ONE);
    stride.into_iter().chain([Integer::ONE]).collect()
}
