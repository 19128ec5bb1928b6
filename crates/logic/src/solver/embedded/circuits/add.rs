//! Sums, differences and comparisons: chains of full adders, or of their carries alone.
//!
//! A comparison is the carry of a difference, so that it shares its gates with one.

use super::{Bits, Gates, Literal, not};

/// The sum, and what is carried out of it.
fn add_with_carry(gates: &mut Gates, a: &[Literal], b: &[Literal], mut carry: Literal) -> (Bits, Literal) {
    let mut sum = Vec::with_capacity(a.len());
    for (&a, &b) in a.iter().zip(b) {
        sum.push(gates.odd(a, b, carry));
        carry = gates.majority(a, b, carry);
    }
    (sum, carry)
}

/// The sum, without the carry out of the highest bit.
pub(crate) fn add(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Bits {
    add_with_carry(gates, a, b, Literal::FALSE).0
}

/// The difference.
pub(crate) fn subtract(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Bits {
    add_with_carry(gates, a, &not(b), Literal::TRUE).0
}

/// The difference, and whether the first was at least the second.
pub(super) fn subtract_with_borrow(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> (Bits, Literal) {
    add_with_carry(gates, a, &not(b), Literal::TRUE)
}

/// The negation in two's complement.
pub(crate) fn negate(gates: &mut Gates, a: &[Literal]) -> Bits {
    let zero = vec![Literal::FALSE; a.len()];
    subtract(gates, &zero, a)
}

/// Whether all bits are the same.
pub(crate) fn equal(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let mut all = Literal::TRUE;
    for (&a, &b) in a.iter().zip(b) {
        let same = gates.same(a, b);
        all = gates.and(all, same);
    }
    all
}

/// Whether the first is less, read without a sign.
pub(crate) fn unsigned_less(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let carry = a.iter().zip(b).fold(Literal::TRUE, |carry, (&a, &b)| gates.majority(a, !b, carry));
    !carry
}

/// Whether the first is less, in two's complement: the signs count the other way round.
pub(crate) fn signed_less(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let low = a.len() - 1;
    let less = unsigned_less(gates, &a[..low], &b[..low]);
    gates.majority(a[low], !b[low], less)
}
