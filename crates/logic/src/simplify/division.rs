//! Rules for quotients and remainders of bits.

use super::shape::{bits_of, constant, power_of_two};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::{Binary, Unary};
use crate::terms::{Term, Terms};

/// Rules for `UnsignedDivide`.
pub const UNSIGNED_DIVIDE: &[Rule] =
    rules![Binary: divide_by_one, divide_by_zero, divide_by_power_of_two, divide_by_something_larger];

/// Rules for `SignedDivide`.
pub const SIGNED_DIVIDE: &[Rule] =
    rules![Binary: divide_by_one, divide_by_minus_one, divide_by_zero, divide_without_sign];

/// Rules for `UnsignedRemainder`.
pub const UNSIGNED_REMAINDER: &[Rule] = rules![
    Binary: remainder_by_zero,
    remainder_by_unit,
    remainder_by_power_of_two,
    remainder_by_something_larger,
];

/// Rules for `SignedRemainder`.
pub const SIGNED_REMAINDER: &[Rule] =
    rules![Binary: remainder_by_zero, remainder_by_unit, remainder_by_negative, remainder_without_sign];

/// `x / 1` is `x`.
fn divide_by_one(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(b)?;
    // In one bit of two's complement, one means minus one, whose quotients wrap to the same bits.
    bits.is_one().then_some(a)
}

/// `x / -1` is `-x`, also where that wraps.
fn divide_by_minus_one(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    terms.known_bits(b)?.is_ones().then(|| terms.unary(Unary::BitNegate, a))
}

/// `x / 0` is what the standard says.
fn divide_by_zero(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if !terms.known_bits(b)?.is_zero() {
        return None;
    }
    let width = terms.width(a);
    let ones = constant(terms, BitVector::ones(width));
    if op == Binary::UnsignedDivide {
        return Some(ones);
    }
    let one = constant(terms, BitVector::new(width, 1));
    let negative = terms.binary(Binary::SignedLess, a, b);
    Some(terms.ite(negative, one, ones))
}

/// Whether both operands are certainly not negative in two's complement.
fn both_non_negative(terms: &Terms, a: Term, b: Term) -> bool {
    let non_negative = |term: Term| {
        terms.abstract_value(term).is_some_and(|abstract_value| abstract_value.is_non_negative())
    };
    non_negative(a) && non_negative(b)
}

/// A signed quotient of terms that are not negative is the unsigned one, also by zero.
fn divide_without_sign(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    both_non_negative(terms, a, b).then(|| terms.binary(Binary::UnsignedDivide, a, b))
}

/// `x / 8` is `x >> 3` without a sign.
fn divide_by_power_of_two(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let exponent = power_of_two(terms.known_bits(b)?)?;
    let width = terms.width(a);
    let by = constant(terms, BitVector::new(width, exponent.into()));
    Some(terms.binary(Binary::ShiftRight, a, by))
}

/// Whether the first is certainly less than the second without a sign.
fn below(terms: &Terms, a: Term, b: Term) -> bool {
    terms.abstract_value(a).zip(terms.abstract_value(b)).is_some_and(|(a, b)| a.high < b.low)
}

/// A smaller number by a larger one is zero.
fn divide_by_something_larger(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    below(terms, a, b).then(|| {
        let width = terms.width(a);
        constant(terms, BitVector::zero(width))
    })
}

/// `x % 0` is `x`.
fn remainder_by_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    terms.known_bits(b)?.is_zero().then_some(a)
}

/// `x % 1` is zero, and so is `x % -1` with a sign.
fn remainder_by_unit(terms: &mut Terms, op: Binary, _: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, b)?;
    (bits.is_one() || op == Binary::SignedRemainder && bits.is_ones())
        .then(|| constant(terms, BitVector::zero(bits.width())))
}

/// `x % -5` is `x % 5` with a sign.
fn remainder_by_negative(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, b)?;
    if !bits.bit(bits.width() - 1) || bits == BitVector::minimum(bits.width()) {
        return None;
    }
    let positive = constant(terms, bits.negate());
    Some(terms.binary(Binary::SignedRemainder, a, positive))
}

/// A signed remainder of terms that are not negative is the unsigned one, also by zero.
fn remainder_without_sign(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    both_non_negative(terms, a, b).then(|| terms.binary(Binary::UnsignedRemainder, a, b))
}

/// `x % 8` is the low three bits without a sign.
fn remainder_by_power_of_two(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let exponent = power_of_two(terms.known_bits(b)?)?;
    if exponent == 0 {
        return None;
    }
    let width = terms.width(a);
    let low = terms.extract(exponent - 1, 0, a);
    Some(terms.unary(Unary::ZeroExtend(width - exponent), low))
}

/// A smaller number by a larger one leaves itself.
fn remainder_by_something_larger(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    below(terms, a, b).then_some(a)
}
