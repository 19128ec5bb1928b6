//! Rules for operations bit by bit, and for shifts.

use super::abstract_value::mask;
use super::shape::{bits_of, constant, low_mask, of_simple_choice, operand, orders, pair};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for `BitNot`.
pub const NOT: &[Rule] = rules![Unary: bit_not_of_not, bit_not_of_sum, bit_not_of_xor, bit_not_of_both_not];

/// Rules for `BitAnd`.
pub const AND: &[Rule] = rules![Binary: bitwise_with_simple_constant,
    bitwise_of_same_or_opposite,
    bitwise_of_constants,
    bitwise_absorbs,
    and_changes_nothing,
    and_with_low_mask,
    and_with_choice,
    bitwise_of_zero_extensions,];

/// Rules for `BitOr`.
pub const OR: &[Rule] = rules![Binary: bitwise_with_simple_constant,
    bitwise_of_same_or_opposite,
    bitwise_of_constants,
    bitwise_absorbs,
    or_changes_nothing,
    bitwise_of_zero_extensions,
    or_of_parts,];

/// Rules for `BitXor`.
pub const XOR: &[Rule] = rules![Binary: bitwise_with_simple_constant,
    bitwise_of_same_or_opposite,
    bitwise_of_constants,
    xor_of_not,
    xor_cancels,
    bitwise_of_zero_extensions,
    or_of_parts,];

/// Rules for `ShiftLeft`.
pub const SHIFT_LEFT: &[Rule] = rules![Binary: shift_left_by_constant, shift_too_far, shift_of_zero];

/// Rules for `ShiftRight`.
pub const SHIFT_RIGHT: &[Rule] = rules![Binary: shift_right_by_constant, shift_too_far, shift_of_zero];

/// Rules for `ShiftRightSigned`.
pub const SHIFT_RIGHT_SIGNED: &[Rule] =
    rules![Binary: shift_right_by_constant, shift_too_far, shift_of_zero, shift_without_sign];

use Binary::{BitAnd, BitOr, BitXor};

/// `~~x` is `x`.
fn bit_not_of_not(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    operand(terms, Unary::BitNot, a)
}

/// `~-x` is `x + -1`, `~(x + 5)` is `-6 - x`, `~(5 - x)` is `x + -6`.
fn bit_not_of_sum(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    match terms.node(a) {
        Node::Unary(Unary::BitNegate, x) => {
            let width = terms.width(x);
            let ones = constant(terms, BitVector::ones(width));
            Some(terms.binary(Binary::BitAdd, x, ones))
        }
        Node::Binary(Binary::BitAdd, x, y) => {
            let bits = constant_not(terms, y)?;
            Some(terms.binary(Binary::BitSubtract, bits, x))
        }
        Node::Binary(Binary::BitSubtract, x, y) => {
            let bits = constant_not(terms, x)?;
            Some(terms.binary(Binary::BitAdd, y, bits))
        }
        _ => None,
    }
}

/// A constant with all bits flipped.
fn constant_not(terms: &mut Terms, term: Term) -> Option<Term> {
    let bits = terms.known_bits(term)?.not();
    Some(constant(terms, bits))
}

/// `~(x ^ 5)` is `x ^ ~5`.
fn bit_not_of_xor(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let (x, y) = pair(terms, BitXor, a)?;
    let bits = constant_not(terms, y)?;
    Some(terms.binary(BitXor, x, bits))
}

/// `~(~x & ~y)` is `x | y`.
fn bit_not_of_both_not(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let Node::Binary(op @ (BitAnd | BitOr), x, y) = terms.node(a) else { return None };
    let (x, y) = (operand(terms, Unary::BitNot, x)?, operand(terms, Unary::BitNot, y)?);
    Some(terms.binary(if op == BitAnd { BitOr } else { BitAnd }, x, y))
}

/// `x & 0`, `x & -1` and so on.
fn bitwise_with_simple_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(b)?;
    let (zeros, ones) = (bits.is_zero(), bits.is_ones());
    match op {
        BitAnd if zeros => Some(b),
        BitAnd if ones => Some(a),
        BitOr if zeros => Some(a),
        BitOr if ones => Some(b),
        BitXor if zeros => Some(a),
        BitXor if ones => Some(terms.unary(Unary::BitNot, a)),
        _ => None,
    }
}

/// `x & x` is `x`, `x & ~x` is zero, and so on.
fn bitwise_of_same_or_opposite(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if a == b && op != BitXor {
        return Some(a);
    }
    let opposite = operand(terms, Unary::BitNot, a) == Some(b) || operand(terms, Unary::BitNot, b) == Some(a);
    if a != b && !opposite {
        return None;
    }
    let width = terms.width(a);
    let bits = if a == b || op == BitAnd { BitVector::zero(width) } else { BitVector::ones(width) };
    Some(constant(terms, bits))
}

/// `(x & 6) & 3` is `x & 2`, and so on.
fn bitwise_of_constants(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let outer = bits_of(terms, b)?;
    let (x, y) = pair(terms, op, a)?;
    let inner = terms.known_bits(y)?;
    let bits = match op {
        BitAnd => inner.and(&outer),
        BitOr => inner.or(&outer),
        _ => inner.xor(&outer),
    };
    let bits = constant(terms, bits);
    Some(terms.binary(op, x, bits))
}

/// `x & (x | y)` is `x`, `x & (x & y)` is `x & y`, and the same for "or".
fn bitwise_absorbs(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let dual = if op == BitAnd { BitOr } else { BitAnd };
    for (x, other) in orders(a, b) {
        if let Some((p, q)) = pair(terms, dual, other)
            && (p == x || q == x)
        {
            return Some(x);
        }
        if let Some((p, q)) = pair(terms, op, other)
            && (p == x || q == x)
        {
            return Some(other);
        }
    }
    None
}

/// A mask that clears only bits that are zero anyway.
fn and_changes_nothing(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let (kept, abstract_value) = (terms.known_bits(b)?.to_u128()?, terms.abstract_value(a)?);
    (!kept & mask(abstract_value.width) & !abstract_value.zeros == 0).then_some(a)
}

/// Bits that are one anyway.
fn or_changes_nothing(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let (set, abstract_value) = (terms.known_bits(b)?.to_u128()?, terms.abstract_value(a)?);
    (set & !abstract_value.ones == 0).then_some(a)
}

/// `x & 7` is the low three bits, extended by zeros.
fn and_with_low_mask(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(b)?;
    let (width, kept) = (bits.width(), low_mask(bits)?);
    let low = terms.extract(kept - 1, 0, a);
    Some(terms.unary(Unary::ZeroExtend(width - kept), low))
}

/// `(c ? -1 : 0) & x` is `c ? x : 0`.
fn and_with_choice(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    of_simple_choice(terms, op, a, b, |bits| bits.is_zero() || bits.is_ones())
}

/// Operations on terms that were extended by as many zeros, or on one and a constant, are done before extending.
fn bitwise_of_zero_extensions(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    for (a, b) in orders(a, b) {
        let Node::Unary(Unary::ZeroExtend(by), x) = terms.node(a) else { continue };
        let width = terms.width(x);
        let y = match terms.node(b) {
            Node::Unary(Unary::ZeroExtend(_), y) if terms.width(y) == width => y,
            Node::Constant(_) => {
                let bits = bits_of(terms, b)?;
                let low = bits.extract(width - 1, 0);
                if op != BitAnd && low.zero_extend(by) != bits {
                    return None;
                }
                constant(terms, low)
            }
            _ => continue,
        };
        let narrow = terms.binary(op, x, y);
        return Some(terms.unary(Unary::ZeroExtend(by), narrow));
    }
    None
}

/// A term extended by zeros, "or" one whose bits are all above: the upper bits of the one above the other.
fn or_of_parts(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let Node::Unary(Unary::ZeroExtend(1..), x) = terms.node(a) else { return None };
        let (width, low) = (terms.width(a), terms.width(x));
        if terms.trailing_zeros(b) < low {
            return None;
        }
        let high = terms.extract(width - 1, low, b);
        Some(terms.binary(Binary::Concat, high, x))
    })
}

/// `~x ^ y` is `~(x ^ y)`, and `~x ^ 5` is `x ^ ~5`.
fn xor_of_not(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let x = operand(terms, Unary::BitNot, a)?;
        if let Some(bits) = constant_not(terms, b) {
            return Some(terms.binary(BitXor, x, bits));
        }
        let xor = terms.binary(BitXor, x, b);
        Some(terms.unary(Unary::BitNot, xor))
    })
}

/// `x ^ (x ^ y)` is `y`.
fn xor_cancels(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(x, other)| {
        let (p, q) = pair(terms, BitXor, other)?;
        if p == x { Some(q) } else { (q == x).then_some(p) }
    })
}

/// The distance of a shift by a constant, if it is less than the width.
fn distance(terms: &Terms, a: Term, b: Term) -> Option<u32> {
    let by = u32::try_from(terms.known_bits(b)?.to_u128()?).ok()?;
    (by < terms.width(a)).then_some(by)
}

/// `x << 3` is `x * 8`.
fn shift_left_by_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let by = distance(terms, a, b)?;
    let width = terms.width(a);
    let bits = BitVector::new(width, 1).shift_left(&BitVector::new(width, by.into()));
    let factor = constant(terms, bits);
    Some(terms.binary(Binary::BitMultiply, a, factor))
}

/// `x >> 3` is an extended extract.
fn shift_right_by_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let by = distance(terms, a, b)?;
    let width = terms.width(a);
    let high = terms.extract(width - 1, by, a);
    let extend = if op == Binary::ShiftRight { Unary::ZeroExtend(by) } else { Unary::SignExtend(by) };
    Some(terms.unary(extend, high))
}

/// Shifts by the width or more leave zeros or signs.
fn shift_too_far(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    if terms.abstract_value(b)?.low < width.into() {
        return None;
    }
    if op == Binary::ShiftRightSigned {
        let sign = terms.extract(width - 1, width - 1, a);
        return Some(terms.unary(Unary::SignExtend(width - 1), sign));
    }
    Some(constant(terms, BitVector::zero(width)))
}

/// `0 << x` is zero.
fn shift_of_zero(terms: &mut Terms, _: Binary, a: Term, _: Term) -> Option<Term> {
    terms.known_bits(a)?.is_zero().then_some(a)
}

/// A signed right shift of a term that is not negative is the unsigned one.
fn shift_without_sign(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    terms.abstract_value(a)?.is_non_negative().then(|| terms.binary(Binary::ShiftRight, a, b))
}
