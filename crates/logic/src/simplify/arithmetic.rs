//! Rules for sums, differences, negations and products of bits.
//!
//! The normal form is light: a constant stands on the outside of a sum, as `x + 5` or `5 - x`; a negation becomes a
//! difference where it can; equal terms that cancel are found one level down.

use super::shape::{bits_of, constant, multiple, of_simple_choice, offset, operand, orders, pair};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::{Binary, Unary};
use crate::terms::{Term, Terms};

/// Rules for `BitAdd`.
pub const ADD: &[Rule] = rules![Binary: add_zero,
    add_of_constants,
    add_moves_constant_out,
    add_of_negation,
    add_cancels,
    add_of_multiples,];

/// Rules for `BitSubtract`.
pub const SUBTRACT: &[Rule] = rules![Binary: subtract_same,
    subtract_constant,
    subtract_from_constant,
    subtract_moves_constant_out,
    subtract_of_negation,
    subtract_cancels,
    subtract_common_term,
    subtract_of_multiples,];

/// Rules for `BitNegate`.
pub const NEGATE: &[Rule] = rules![Unary: negate_of_negation, negate_of_sum, negate_of_multiple];

/// Rules for `BitMultiply`.
pub const MULTIPLY: &[Rule] = rules![Binary: multiply_by_simple_constant,
    multiply_of_multiple,
    multiply_of_sum,
    multiply_of_negation,
    multiply_by_truth];

use Binary::{BitAdd, BitMultiply, BitSubtract};

/// `5 - x` as the constant and the rest.
fn complement_offset(terms: &Terms, term: Term) -> Option<(BitVector, Term)> {
    let (left, rest) = pair(terms, BitSubtract, term)?;
    Some((bits_of(terms, left)?, rest))
}

/// `x + c`.
fn plus(terms: &mut Terms, term: Term, bits: BitVector) -> Term {
    let bits = constant(terms, bits);
    terms.binary(BitAdd, term, bits)
}

/// `c - x`.
fn minus(terms: &mut Terms, bits: BitVector, term: Term) -> Term {
    let bits = constant(terms, bits);
    terms.binary(BitSubtract, bits, term)
}

/// `x * c`.
fn times(terms: &mut Terms, term: Term, bits: BitVector) -> Term {
    let bits = constant(terms, bits);
    terms.binary(BitMultiply, term, bits)
}

fn one(terms: &Terms, term: Term) -> BitVector {
    BitVector::new(terms.width(term), 1)
}

/// `x + 0` is `x`.
fn add_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    terms.known_bits(b)?.is_zero().then_some(a)
}

/// `(x + 1) + 2` is `x + 3`, `(1 - x) + 2` is `3 - x`, `~x + 2` is `1 - x`.
fn add_of_constants(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, b)?;
    if let Some((rest, inner)) = offset(terms, a) {
        return Some(plus(terms, rest, inner.add(&bits)));
    }
    if let Some((inner, rest)) = complement_offset(terms, a) {
        return Some(minus(terms, inner.add(&bits), rest));
    }
    let rest = operand(terms, Unary::BitNot, a)?;
    let bits = bits.subtract(&one(terms, a));
    Some(minus(terms, bits, rest))
}

/// `(x + 1) + y` is `(x + y) + 1`, `(1 - x) + y` is `(y - x) + 1`.
fn add_moves_constant_out(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    for (a, b) in orders(a, b) {
        if let Some((rest, bits)) = offset(terms, a) {
            let sum = terms.binary(BitAdd, rest, b);
            return Some(plus(terms, sum, bits));
        }
        if let Some((bits, rest)) = complement_offset(terms, a) {
            let difference = terms.binary(BitSubtract, b, rest);
            return Some(plus(terms, difference, bits));
        }
    }
    None
}

/// `x + -y` is `x - y`.
fn add_of_negation(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let negated = operand(terms, Unary::BitNegate, b)?;
        Some(terms.binary(BitSubtract, a, negated))
    })
}

/// `(x - y) + y` is `x`, `(x - y) + (y - z)` is `x - z`, `x + ~x` is all ones.
fn add_cancels(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    for (a, b) in orders(a, b) {
        if operand(terms, Unary::BitNot, a) == Some(b) {
            let width = terms.width(a);
            return Some(constant(terms, BitVector::ones(width)));
        }
        let Some((x, y)) = pair(terms, BitSubtract, a) else { continue };
        if y == b {
            return Some(x);
        }
        if let Some((u, v)) = pair(terms, BitSubtract, b)
            && u == y
        {
            return Some(terms.binary(BitSubtract, x, v));
        }
    }
    None
}

/// A term as a product with a constant, which may be one.
fn multiple_or_itself(terms: &Terms, term: Term) -> (Term, BitVector) {
    multiple(terms, term).unwrap_or_else(|| (term, one(terms, term)))
}

/// `x + x` is `x * 2`, `x * 3 + x` is `x * 4`.
fn add_of_multiples(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let ((x, c), (y, d)) = (multiple_or_itself(terms, a), multiple_or_itself(terms, b));
    (x == y).then(|| times(terms, x, c.add(&d)))
}

/// `x - x` is zero.
fn subtract_same(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| {
        let width = terms.width(a);
        constant(terms, BitVector::zero(width))
    })
}

/// `x - 5` is `x + -5`.
fn subtract_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, b)?;
    Some(plus(terms, a, bits.negate()))
}

/// `0 - x` is `-x`, `-1 - x` is `~x`; `5 - (x + 1)` is `4 - x`, `5 - (x - y)` is `(y - x) + 5`.
fn subtract_from_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, a)?;
    if bits.is_zero() {
        return Some(terms.unary(Unary::BitNegate, b));
    }
    if bits.is_ones() {
        return Some(terms.unary(Unary::BitNot, b));
    }
    if let Some((rest, inner)) = offset(terms, b) {
        return Some(minus(terms, bits.subtract(&inner), rest));
    }
    let (x, y) = pair(terms, BitSubtract, b)?;
    let difference = terms.binary(BitSubtract, y, x);
    Some(plus(terms, difference, bits))
}

/// `(x + 1) - y` is `(x - y) + 1`, `x - (y + 1)` is `(x - y) + -1`, `(1 - x) - y` is `1 - (x + y)`, and
/// `x - (1 - y)` is `(x + y) + -1`.
fn subtract_moves_constant_out(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let Some((rest, bits)) = offset(terms, a) {
        let difference = terms.binary(BitSubtract, rest, b);
        return Some(plus(terms, difference, bits));
    }
    if let Some((rest, bits)) = offset(terms, b) {
        let difference = terms.binary(BitSubtract, a, rest);
        return Some(plus(terms, difference, bits.negate()));
    }
    if let Some((bits, rest)) = complement_offset(terms, b) {
        let sum = terms.binary(BitAdd, a, rest);
        return Some(plus(terms, sum, bits.negate()));
    }
    let (bits, rest) = complement_offset(terms, a)?;
    let sum = terms.binary(BitAdd, rest, b);
    Some(minus(terms, bits, sum))
}

/// `x - -y` is `x + y`, `-x - y` is `-(x + y)`.
fn subtract_of_negation(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let Some(y) = operand(terms, Unary::BitNegate, b) {
        return Some(terms.binary(BitAdd, a, y));
    }
    let x = operand(terms, Unary::BitNegate, a)?;
    let sum = terms.binary(BitAdd, x, b);
    Some(terms.unary(Unary::BitNegate, sum))
}

/// `(x + y) - y` is `x`, `x - (x + y)` is `-y`, `(x - y) - x` is `-y`, `x - (x - y)` is `y`.
fn subtract_cancels(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let Some((x, y)) = pair(terms, BitAdd, a)
        && (x == b || y == b)
    {
        return Some(if x == b { y } else { x });
    }
    if let Some((x, y)) = pair(terms, BitAdd, b)
        && (x == a || y == a)
    {
        let rest = if x == a { y } else { x };
        return Some(terms.unary(Unary::BitNegate, rest));
    }
    if let Some((x, y)) = pair(terms, BitSubtract, a)
        && x == b
    {
        return Some(terms.unary(Unary::BitNegate, y));
    }
    let (x, y) = pair(terms, BitSubtract, b)?;
    (x == a).then_some(y)
}

/// `(x + y) - (x + z)` is `y - z`, `(x - y) - (x - z)` is `z - y`, `(x - y) - (z - y)` is `x - z`.
fn subtract_common_term(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let (Some((x, y)), Some((u, v))) = (pair(terms, BitAdd, a), pair(terms, BitAdd, b)) {
        for (x, y) in orders(x, y) {
            for (u, v) in orders(u, v) {
                if x == u {
                    return Some(terms.binary(BitSubtract, y, v));
                }
            }
        }
    }
    let ((x, y), (u, v)) = (pair(terms, BitSubtract, a)?, pair(terms, BitSubtract, b)?);
    if x == u {
        return Some(terms.binary(BitSubtract, v, y));
    }
    (y == v).then(|| terms.binary(BitSubtract, x, u))
}

/// `x * 3 - x` is `x * 2`.
fn subtract_of_multiples(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let ((x, c), (y, d)) = (multiple_or_itself(terms, a), multiple_or_itself(terms, b));
    (x == y).then(|| times(terms, x, c.subtract(&d)))
}

/// `--x` is `x`, `-~x` is `x + 1`.
fn negate_of_negation(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    if let Some(x) = operand(terms, Unary::BitNegate, a) {
        return Some(x);
    }
    let x = operand(terms, Unary::BitNot, a)?;
    let one = one(terms, x);
    Some(plus(terms, x, one))
}

/// `-(x - y)` is `y - x`, `-(x + 5)` is `-5 - x`.
fn negate_of_sum(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    if let Some((x, y)) = pair(terms, BitSubtract, a) {
        return Some(terms.binary(BitSubtract, y, x));
    }
    let (rest, bits) = offset(terms, a)?;
    Some(minus(terms, bits.negate(), rest))
}

/// `-(x * 5)` is `x * -5`.
fn negate_of_multiple(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let (rest, bits) = multiple(terms, a)?;
    Some(times(terms, rest, bits.negate()))
}

/// `x * 0` is zero, `x * 1` is `x`, `x * -1` is `-x`.
fn multiply_by_simple_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(b)?;
    if bits.is_zero() {
        return Some(b);
    }
    if bits.is_one() {
        return Some(a);
    }
    bits.is_ones().then(|| terms.unary(Unary::BitNegate, a))
}

/// `(x * 2) * 3` is `x * 6`; `(x * 2) * y` is `(x * y) * 2`.
fn multiply_of_multiple(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    for (a, b) in orders(a, b) {
        let Some((rest, bits)) = multiple(terms, a) else { continue };
        return Some(match bits_of(terms, b) {
            Some(other) => times(terms, rest, bits.multiply(&other)),
            None => {
                let product = terms.binary(BitMultiply, rest, b);
                times(terms, product, bits)
            }
        });
    }
    None
}

/// `(x + 1) * 3` is `x * 3 + 3`, `(1 - x) * 3` is `3 - x * 3`.
fn multiply_of_sum(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let factor = bits_of(terms, b)?;
    if let Some((rest, bits)) = offset(terms, a) {
        let product = terms.binary(BitMultiply, rest, b);
        return Some(plus(terms, product, bits.multiply(&factor)));
    }
    let (bits, rest) = complement_offset(terms, a)?;
    let product = terms.binary(BitMultiply, rest, b);
    Some(minus(terms, bits.multiply(&factor), product))
}

/// `-x * 3` is `x * -3`, `-x * y` is `-(x * y)`.
fn multiply_of_negation(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let x = operand(terms, Unary::BitNegate, a)?;
        Some(match bits_of(terms, b) {
            Some(bits) => times(terms, x, bits.negate()),
            None => {
                let product = terms.binary(BitMultiply, x, b);
                terms.unary(Unary::BitNegate, product)
            }
        })
    })
}

/// `(c ? 1 : 0) * x` is `c ? x : 0`.
fn multiply_by_truth(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    of_simple_choice(terms, op, a, b, |bits| bits.is_zero() || bits.is_one())
}
