//! Equations between unsigned numbers up to multiples of what their type can hold: the sums wrap, and the equations of
//! steps and states remain true in this sense (LoopFrog, section 4.1: equality modulo a constant).

use evidence::{Formula, Integer};
use program::Type;

use super::equations;
use super::numbers::changed;
use crate::linear::{Condition, InEvidence, Linear};
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    if changed(view).iter().all(|variable| !is_unsigned(variable.number.ty)) {
        return;
    }
    let mut plain = Vec::new();
    equations::propose(view, &mut plain);
    for formula in plain {
        if let Some(Condition::Zero(sum)) = Condition::parse(&formula) {
            candidates.extend(wrapping(view, &sum));
        }
    }
}

fn is_unsigned(ty: Type) -> bool {
    matches!(ty, Type::Integer(ty) if !ty.signed)
}

/// That a sum of unsigned numbers is a multiple of what the widest of them can hold. Both sides of the equation are written
/// without negative factors, so that a remainder is nothing but the low bits.
pub(super) fn wrapping(view: &View<'_>, sum: &Linear) -> Option<Formula> {
    let mut width = 0;
    for name in sum.names() {
        let number = view.numbers.iter().find(|number| number.name == name)?;
        match number.ty {
            Type::Integer(ty) if !ty.signed => width = width.max(ty.width),
            _ => return None,
        }
    }
    let (left, right): (Vec<_>, Vec<_>) =
        sum.terms().iter().cloned().partition(|(_, factor)| factor.is_positive());
    let (mut left, mut right) = (Linear::new(left, 0), -&Linear::new(right, 0));
    let offset = sum.constant_part();
    let side = if offset.is_negative() { &mut right } else { &mut left };
    *side = side.shifted(offset.absolute());
    let modulus = Integer::ONE << usize::from(width);
    let side = |side: &Linear| side.expression().remainder(modulus.clone());
    (width > 0).then(|| side(&left).equals(side(&right)))
}
