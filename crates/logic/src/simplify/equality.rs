//! Rules for equality of booleans, bits and arrays. Those of numbers are with the [integers](super::integer).

use super::comparison::{compare_choice_with_branch, compare_choice_with_constant, shortened};
use super::shape::{
    bits_of, constant, extension, multiple, negates, offset, operand, orders, pair, power_of_two,
    surely_differ,
};
use super::{Rule, integer, rules};
use crate::BitVector;
use crate::node::{Binary, Node, Unary};
use crate::sort::Sort;
use crate::terms::{Term, Terms};

/// Rules for `Equal`.
pub const EQUAL: &[Rule] = rules![Binary: equal_to_itself,
    equal_never,
    equal_booleans,
    equal_bit_to_zero,
    equal_choice_to_constant,
    compare_choice_with_branch,
    equal_sum_to_constant,
    equal_inverted_to_constant,
    equal_sums,
    equal_difference_to_zero,
    equal_multiple_to_constant,
    equal_extensions,
    equal_concats,
    equal_sign_bit,
    equal_remainder_to_zero,
    equal_arrays,
    equal_numbers,];

/// `x == x` is true.
fn equal_to_itself(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    (a == b).then(|| terms.bool(true))
}

/// Terms that differ by their abstract values, or by a constant.
fn equal_never(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let differ = match terms.sort(a) {
        Sort::Bool => negates(terms, a, b),
        Sort::Array(..) => false,
        _ => surely_differ(terms, a, b),
    };
    differ.then(|| terms.bool(false))
}

/// `x == true` is `x`, `x == false` is `!x`, and negations go outside.
fn equal_booleans(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if terms.sort(a) != Sort::Bool {
        return None;
    }
    if let Some(truth) = terms.known_bool(b) {
        return Some(if truth { a } else { terms.not(a) });
    }
    match (operand(terms, Unary::Not, a), operand(terms, Unary::Not, b)) {
        (Some(x), Some(y)) => Some(terms.equal(x, y)),
        (Some(x), None) => Some(terms.differ(x, b)),
        (None, Some(y)) => Some(terms.differ(a, y)),
        (None, None) => None,
    }
}

/// One bit is zero if it is not one.
fn equal_bit_to_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(b)?;
    if bits.width() != 1 || !bits.is_zero() {
        return None;
    }
    let one = terms.bits(1, 1);
    Some(terms.differ(a, one))
}

/// `(c ? 1 : x) == 2` is `!c && x == 2`.
fn equal_choice_to_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if terms.sort(a) == Sort::Bool {
        return None;
    }
    compare_choice_with_constant(terms, op, a, b)
}

/// `x + 1 == 5` is `x == 4`, `1 - x == 5` is `x == -4`.
fn equal_sum_to_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = bits_of(terms, b)?;
    if let Some((rest, inner)) = offset(terms, a) {
        let bits = constant(terms, bits.subtract(&inner));
        return Some(terms.equal(rest, bits));
    }
    let (left, rest) = pair(terms, Binary::BitSubtract, a)?;
    let bits = terms.known_bits(left)?.subtract(&bits);
    let bits = constant(terms, bits);
    Some(terms.equal(rest, bits))
}

/// `~x == 5` is `x == ~5`, the same for `-x` and `x ^ 3`, and `~x == ~y` is `x == y`.
fn equal_inverted_to_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    match terms.node(a) {
        Node::Unary(op @ (Unary::BitNot | Unary::BitNegate), x) => {
            let y = match bits_of(terms, b) {
                Some(bits) if op == Unary::BitNot => constant(terms, bits.not()),
                Some(bits) => constant(terms, bits.negate()),
                None => operand(terms, op, b)?,
            };
            Some(terms.equal(x, y))
        }
        Node::Binary(Binary::BitXor, x, y) => {
            let (bits, other) = (bits_of(terms, b)?, bits_of(terms, y));
            match other {
                Some(other) => {
                    let bits = constant(terms, bits.xor(&other));
                    Some(terms.equal(x, bits))
                }
                None => bits.is_zero().then(|| terms.equal(x, y)),
            }
        }
        _ => None,
    }
}

/// `x + y == x + z` is `y == z`, `x + y == x` is `y == 0`; `x + 1 == y + 3` is `x == y + 2`.
fn equal_sums(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let (Some((x, c)), Some((y, d))) = (offset(terms, a), offset(terms, b)) {
        let difference = constant(terms, d.subtract(&c));
        let other = terms.binary(Binary::BitAdd, y, difference);
        return Some(terms.equal(x, other));
    }
    for (a, b) in orders(a, b) {
        let Some((x, y)) = pair(terms, Binary::BitAdd, a) else { continue };
        if x == b || y == b {
            let width = terms.width(a);
            let zero = constant(terms, BitVector::zero(width));
            return Some(terms.equal(if x == b { y } else { x }, zero));
        }
        let Some((u, v)) = pair(terms, Binary::BitAdd, b) else { continue };
        for ((x, y), (u, v)) in
            orders(x, y).into_iter().flat_map(|left| orders(u, v).map(|right| (left, right)))
        {
            if x == u {
                return Some(terms.equal(y, v));
            }
        }
    }
    None
}

/// `x - y == 0` is `x == y`, and `x - y == x` is `y == 0`.
fn equal_difference_to_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    for (a, b) in orders(a, b) {
        let Some((x, y)) = pair(terms, Binary::BitSubtract, a) else { continue };
        if terms.known_bits(b).is_some_and(BitVector::is_zero) {
            return Some(terms.equal(x, y));
        }
        if x == b {
            let width = terms.width(a);
            let zero = constant(terms, BitVector::zero(width));
            return Some(terms.equal(y, zero));
        }
    }
    None
}

/// `x * 3 == 5` is `x == 5 / 3` modulo the power of two, and `x * 8 == 24` is about the low bits of `x`.
fn equal_multiple_to_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, factor) = multiple(terms, a)?;
    let (factor, bits) = (factor.to_u128()?, terms.known_bits(b)?.to_u128()?);
    let width = terms.width(a);
    if factor % 2 == 1 {
        let quotient = terms.bits(width, bits.wrapping_mul(inverse(factor)));
        return Some(terms.equal(x, quotient));
    }
    let up = power_of_two(&BitVector::new(width, factor))?;
    if bits & ((1 << up) - 1) != 0 {
        return Some(terms.bool(false));
    }
    let low = terms.extract(width - up - 1, 0, x);
    let quotient = terms.bits(width - up, bits >> up);
    Some(terms.equal(low, quotient))
}

/// The inverse of an odd number modulo two to the 128: Newton's method doubles the number of right bits.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// Terms that were extended the same way, or one and a constant, are equal if they were before.
fn equal_extensions(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let (extend, x) = extension(terms, a)?;
    if let Some(bits) = bits_of(terms, b) {
        let width = terms.width(x);
        let Some(low) = shortened(terms, extend, width, b) else {
            // Abstract values know this too, where there are any.
            debug_assert!(bits.width() > 1);
            return Some(terms.bool(false));
        };
        return Some(terms.equal(x, low));
    }
    let (other, y) = extension(terms, b)?;
    if matches!(extend, Unary::ZeroExtend(_)) != matches!(other, Unary::ZeroExtend(_)) {
        return None;
    }
    let width = terms.width(x).max(terms.width(y));
    let (x, y) = (shortened(terms, extend, width, a)?, shortened(terms, extend, width, b)?);
    Some(terms.equal(x, y))
}

/// Terms put together are equal if the parts are, where both sides come apart at one place.
fn equal_concats(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let (x, y) = pair(terms, Binary::Concat, a)?;
        let (width, low) = (terms.width(a), terms.width(y));
        let (u, v) = match terms.node(b) {
            Node::Binary(Binary::Concat, u, v) if terms.width(v) == low => (u, v),
            Node::Unary(Unary::ZeroExtend(_), v) if terms.width(v) == low => {
                (constant(terms, BitVector::zero(width - low)), v)
            }
            Node::Constant(_) => {
                let bits = bits_of(terms, b)?;
                (constant(terms, bits.extract(width - 1, low)), constant(terms, bits.extract(low - 1, 0)))
            }
            _ => return None,
        };
        let (high, low) = (terms.equal(x, u), terms.equal(y, v));
        Some(terms.and(high, low))
    })
}

/// The highest bit is one if the term is negative.
fn equal_sign_bit(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let Node::Unary(Unary::Extract { high, low }, x) = terms.node(a) else { return None };
    let width = terms.width(x);
    if high != low || high + 1 != width || !terms.known_bits(b)?.is_one() {
        return None;
    }
    let zero = constant(terms, BitVector::zero(width));
    Some(terms.binary(Binary::SignedLess, x, zero))
}

/// `x % 8 == 0` in two's complement is about the low three bits of `x`.
fn equal_remainder_to_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, divisor) = pair(terms, Binary::SignedRemainder, a)?;
    if !terms.known_bits(b)?.is_zero() {
        return None;
    }
    // The lowest number is a power of two as bits, and what it divides has zeros below the sign too.
    let exponent = power_of_two(terms.known_bits(divisor)?)?;
    if exponent == 0 {
        return Some(terms.bool(true));
    }
    let low = terms.extract(exponent - 1, 0, x);
    let zero = constant(terms, BitVector::zero(exponent));
    Some(terms.equal(low, zero))
}

/// Arrays with one element everywhere are equal if the elements are; so are stores at one place in one array.
fn equal_arrays(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    match (terms.node(a), terms.node(b)) {
        (Node::ConstantArray(_, x), Node::ConstantArray(_, y)) => Some(terms.equal(x, y)),
        (Node::Store(array, index, x), Node::Store(other, at, y)) if array == other && index == at => {
            Some(terms.equal(x, y))
        }
        (Node::Store(array, index, x), _) if array == b => {
            let old = terms.select(array, index);
            Some(terms.equal(old, x))
        }
        (_, Node::Store(array, index, x)) if array == a => {
            let old = terms.select(array, index);
            Some(terms.equal(old, x))
        }
        _ => None,
    }
}

/// Equality of numbers.
fn equal_numbers(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if terms.sort(a) == Sort::Integer { integer::equal(terms, a, b) } else { None }
}
