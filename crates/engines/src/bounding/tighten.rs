//! Tighter bounds from those that were accepted.
//!
//! If passes begin only where a sum of quantities is at least `low`, and each takes at least `stride` off it, then there are
//! at most ⌈(sum − low + 1) / stride⌉ of them, which is exact where the loop has no other way out. The greatest numbers for
//! which the kernel accepts that are looked for among those that the passes show.

use base::Budget;
use certify::leaps::{Bounded, Effort, Leaping};
use evidence::{Amortised, Expression, Integer, Spent};

use super::{Seen, accepted, linear};
use crate::linear::Linear;

/// The bound with each component as small as it can be made.
pub(super) fn tighten(
    leaping: &mut Leaping<'_>,
    bounded: Bounded,
    seen: &Seen,
    effort: Effort,
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
            if let Some(better) = accepted(leaping, best.leap(), &Amortised { components }, effort, budget) {
                best = better;
                break;
            }
        }
    }
    best
}

/// Smaller ranks with their strides, the smallest first.
fn candidates(rank: &Expression, seen: &Seen) -> Vec<(Expression, Integer)> {
    let Some(sum) = linear(rank) else { return Vec::new() };
    let divisor = sum.parts().fold(0u128, |gcd, (_, factor)| greatest_common(gcd, factor.unsigned_abs()));
    let Ok(divisor @ 1..) = i128::try_from(divisor) else { return Vec::new() };
    // The sum without its constant and without a common factor; it is at least `least` where a pass begins.
    let Some(base) = scaled(&sum, divisor) else { return Vec::new() };
    let least =
        (1 - sum.offset()).div_euclid(divisor) + i128::from((1 - sum.offset()).rem_euclid(divisor) > 0);
    let strides = strides(&base, seen);
    let mut found = Vec::new();
    for stride in strides {
        for low in [least + 1, least] {
            found.push((base.shifted(1 - low).expression(), Integer::from(stride)));
        }
    }
    found
}

fn scaled(sum: &Linear, divisor: i128) -> Option<Linear> {
    let mut base = Linear::default();
    for (part, factor) in sum.parts() {
        base = base.plus(&Linear::of(part.clone()), factor / divisor)?;
    }
    Some(base)
}

/// The strides of a rank: what passes take off it, and one.
pub(super) fn strides_of(rank: &Expression, seen: &Seen) -> Vec<Integer> {
    let strides = linear(rank).map_or_else(|| vec![1], |sum| strides(&sum, seen));
    strides.into_iter().map(Integer::from).collect()
}

/// By how much passes make a sum less, the greatest first, and one.
fn strides(base: &Linear, seen: &Seen) -> Vec<i128> {
    let mut least: Option<i128> = None;
    for step in &seen.steps {
        let mut change = logic::numbers::Linear::zero();
        for (part, factor) in base.parts() {
            let Some(at) = seen.measured.iter().position(|one| one.expression == *part) else { continue };
            let factor = logic::numbers::Rational::from(Integer::from(factor));
            let less = step.before[at].plus_scaled(&logic::numbers::Rational::from(-1), &step.after[at]);
            change = change.plus_scaled(&factor, &less);
        }
        let known = change.as_constant().and_then(|known| known.to_integer());
        let Some(known) = known.and_then(|known| i128::try_from(&known).ok()) else { continue };
        if known > 0 {
            least = Some(least.map_or(known, |least| least.min(known)));
        }
    }
    match least {
        Some(stride @ 2..) => vec![stride, 1],
        _ => vec![1],
    }
}

fn greatest_common(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}
