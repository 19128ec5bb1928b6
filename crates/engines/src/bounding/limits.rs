//! The limits of machine types: bounds without them, and bounds in which they count only where nothing else does.
//!
//! `do … while (--n != 0)` makes n iterations if n is positive, and as many as it takes to leave the type otherwise.
//! Such a bound is a choice: where the rank of some iterations alone is positive it is that, and elsewhere the one for
//! all iterations.

use base::Budget;
use certify::abstraction::Bounded;
use evidence::{Expression, Integer, Spent};
use logic::numbers::Rational;

use super::{Seen, accepted, spent};
use crate::linear::{InEvidence, Linear};
use crate::ranking::Target;
use crate::ranking::limits::is_large;
use crate::ranking::synthesis::{Ranks, synthesise_unnested};
use crate::unique;

/// So many ranks are tried.
const MOST: usize = 6;

/// A bound that rests on the limits of types, where that can be, only where it must.
pub(super) fn split(
    target: &mut Target<'_, '_>,
    bounded: Bounded,
    seen: &Seen,
    budget: &mut Budget,
) -> Bounded {
    let [Spent { rank, .. }] = &bounded.evidence().components[..] else { return bounded };
    if !is_large(rank) {
        return bounded;
    }
    let (rank, others) = (rank.clone(), others(rank));
    for own in owns(&rank, seen, budget) {
        let strides = super::tighten::strides_of(&own, seen);
        for stride in strides {
            for otherwise in others.iter().filter_map(|other| own_or(&own, other)).chain([rank.clone()]) {
                let component = choice(&own, otherwise, stride.clone());
                if let Some(better) = accepted(target, vec![component], budget) {
                    return better;
                }
            }
        }
    }
    bounded
}

/// A rank where it is positive (and a multiple of the stride), and another one elsewhere.
fn choice(own: &Expression, otherwise: Expression, stride: Integer) -> Spent {
    let positive = own.clone().at_least(0);
    let condition = if stride == Integer::ONE {
        positive
    } else {
        positive.and(own.clone().remainder(stride.clone()).equals(0))
    };
    Spent { rank: Expression::select(condition, own.clone(), otherwise), stride, raised: Vec::new() }
}

/// Powers of two that can be added to a rank where it is not positive.
fn others(rank: &Expression) -> Vec<i128> {
    let large = Linear::parse(rank).map_or(Rational::ZERO, |sum| sum.constant_part().absolute());
    [31, 32, 63, 64]
        .map(|power| 1i128 << power)
        .into_iter()
        .filter(|power| large <= Rational::from(power * 2))
        .take(2)
        .collect()
}

fn own_or(own: &Expression, other: &i128) -> Option<Expression> {
    Linear::parse(own).map(|sum| sum.shifted(*other).expression())
}

/// Ranks that do not rest on the limits of types: those of single iterations, and the rank itself near zero.
fn owns(rank: &Expression, seen: &Seen, budget: &mut Budget) -> Vec<Expression> {
    let mut found: Vec<Expression> = Vec::new();
    for step in &seen.unlimited {
        if let Some(Ranks::Linear(own)) = synthesise_unnested(std::slice::from_ref(step), &[], budget)
            && let Some(own) = spent(&own, seen).and_then(|own| Linear::parse(&own.rank))
        {
            found.extend([own.shifted(-1), own].map(|own| own.expression()));
        }
    }
    if let Some(sum) = Linear::parse(rank) {
        let near = |constant: i64| sum.clone().without_constant().shifted(constant).expression();
        found.extend([-1, 0, 1].map(near));
    }
    found.retain(|own| !is_large(own));
    let mut found = unique(found);
    found.truncate(MOST);
    found
}
