//! Rules for taking bits apart and putting them together: extraction, extension, concatenation.

use super::shape::{bits_of, constant, is_constant, multiple, power_of_two};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for `Extract`.
pub const EXTRACT: &[Rule] = rules![Unary: extract_all,
    extract_of_extract,
    extract_of_extension,
    extract_of_concat,
    extract_of_multiple,
    extract_of_choice,
    extract_of_bitwise,
    extract_low_of_arithmetic,];

/// Rules for `ZeroExtend`.
pub const ZERO_EXTEND: &[Rule] = rules![Unary: extension_by_nothing, zero_extension_of_zero_extension];

/// Rules for `SignExtend`.
pub const SIGN_EXTEND: &[Rule] =
    rules![Unary: extension_by_nothing, sign_extension_of_non_negative, sign_extension_of_sign_extension];

/// Rules for `Concat`.
pub const CONCAT: &[Rule] = rules![Binary: concat_of_zeros,
    concat_of_signs,
    concat_of_adjacent,
    concat_of_zero_extension,
    concat_with_adjacent_within,
    concat_of_choices,];

/// The bounds of an extraction and its operand.
fn extraction(terms: &Terms, term: Term) -> Option<(u32, u32, Term)> {
    match terms.node(term) {
        Node::Unary(Unary::Extract { high, low }, a) => Some((high, low, a)),
        _ => None,
    }
}

/// All bits of `x` are `x`.
fn extract_all(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { high, low } = op else { return None };
    (low == 0 && high + 1 == terms.width(a)).then_some(a)
}

/// Bits of bits of `x`.
fn extract_of_extract(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { high, low } = op else { return None };
    let (_, below, x) = extraction(terms, a)?;
    Some(terms.extract(high + below, low + below, x))
}

/// Bits of an extended term: of the term itself, of what was added, or of both.
fn extract_of_extension(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { high, low } = op else { return None };
    let Node::Unary(extend @ (Unary::ZeroExtend(_) | Unary::SignExtend(_)), x) = terms.node(a) else {
        return None;
    };
    let width = terms.width(x);
    if high < width {
        return Some(terms.extract(high, low, x));
    }
    if matches!(extend, Unary::ZeroExtend(_)) {
        if low >= width {
            return Some(constant(terms, BitVector::zero(high - low + 1)));
        }
        let inner = terms.extract(width - 1, low, x);
        return Some(terms.unary(Unary::ZeroExtend(high + 1 - width), inner));
    }
    let first = low.min(width - 1);
    let inner = terms.extract(width - 1, first, x);
    Some(terms.unary(Unary::SignExtend(high - low - (width - 1 - first)), inner))
}

/// Bits of two terms put together: of either, or of both.
fn extract_of_concat(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { high, low } = op else { return None };
    let Node::Binary(Binary::Concat, x, y) = terms.node(a) else { return None };
    let width = terms.width(y);
    if high < width {
        return Some(terms.extract(high, low, y));
    }
    if low >= width {
        return Some(terms.extract(high - width, low - width, x));
    }
    let (upper, lower) = (terms.extract(high - width, 0, x), terms.extract(width - 1, low, y));
    Some(terms.binary(Binary::Concat, upper, lower))
}

/// Bits of `x * 8`, which is `x` moved up.
fn extract_of_multiple(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { high, low } = op else { return None };
    let (x, factor) = multiple(terms, a)?;
    let up = power_of_two(&factor)?;
    if high < up {
        return Some(constant(terms, BitVector::zero(high - low + 1)));
    }
    if low >= up {
        return Some(terms.extract(high - up, low - up, x));
    }
    if low == 0 {
        // This is a narrower product, which the rule for low bits of arithmetic makes if that is any use.
        return None;
    }
    let upper = terms.extract(high - up, 0, x);
    let zeros = constant(terms, BitVector::zero(up - low));
    Some(terms.binary(Binary::Concat, upper, zeros))
}

/// How deep [`shrinks`] looks for a term that extraction takes apart.
const LOOK: u32 = 3;

/// Whether extracting low bits makes the term simpler, because it was put together or extended somewhere near.
fn shrinks(terms: &Terms, term: Term, look: u32) -> bool {
    match terms.node(term) {
        Node::Unary(Unary::ZeroExtend(_) | Unary::SignExtend(_) | Unary::Extract { .. }, _) => true,
        Node::Binary(Binary::Concat, ..) => true,
        Node::Unary(Unary::BitNot | Unary::BitNegate, a) => look > 0 && shrinks(terms, a, look - 1),
        Node::Binary(
            Binary::BitAdd
            | Binary::BitSubtract
            | Binary::BitMultiply
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor,
            a,
            b,
        ) => look > 0 && (shrinks(terms, a, look - 1) || shrinks(terms, b, look - 1)),
        Node::Ite(_, a, b) => {
            look > 0 && shrinks_or_constant(terms, a, look - 1) && shrinks_or_constant(terms, b, look - 1)
        }
        _ => false,
    }
}

fn shrinks_or_constant(terms: &Terms, term: Term, look: u32) -> bool {
    is_constant(terms, term) || shrinks(terms, term, look)
}

/// Bits of a choice are a choice of bits, if both get simpler.
fn extract_of_choice(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Node::Ite(condition, then, otherwise) = terms.node(a) else { return None };
    if !shrinks_or_constant(terms, then, LOOK) || !shrinks_or_constant(terms, otherwise, LOOK) {
        return None;
    }
    let (then, otherwise) = (terms.unary(op, then), terms.unary(op, otherwise));
    Some(terms.ite(condition, then, otherwise))
}

/// Bits of an operation bit by bit are the operation on bits, if an operand gets simpler or is a constant.
fn extract_of_bitwise(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    match terms.node(a) {
        Node::Unary(Unary::BitNot, x) if shrinks(terms, x, LOOK) => {
            let x = terms.unary(op, x);
            Some(terms.unary(Unary::BitNot, x))
        }
        Node::Binary(bitwise @ (Binary::BitAnd | Binary::BitOr | Binary::BitXor), x, y)
            if shrinks_or_constant(terms, y, LOOK) || shrinks(terms, x, LOOK) =>
        {
            let (x, y) = (terms.unary(op, x), terms.unary(op, y));
            Some(terms.binary(bitwise, x, y))
        }
        _ => None,
    }
}

/// Low bits of a sum, a difference or a product need only the operands' low bits; done if one of them gets simpler.
fn extract_low_of_arithmetic(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::Extract { low: 0, .. } = op else { return None };
    match terms.node(a) {
        Node::Unary(Unary::BitNegate, x) if shrinks(terms, x, LOOK) => {
            let x = terms.unary(op, x);
            Some(terms.unary(Unary::BitNegate, x))
        }
        Node::Binary(arithmetic @ (Binary::BitAdd | Binary::BitSubtract | Binary::BitMultiply), x, y)
            if shrinks(terms, x, LOOK) || shrinks(terms, y, LOOK) =>
        {
            let (x, y) = (terms.unary(op, x), terms.unary(op, y));
            Some(terms.binary(arithmetic, x, y))
        }
        _ => None,
    }
}

/// An extension by no bits.
fn extension_by_nothing(_: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    matches!(op, Unary::ZeroExtend(0) | Unary::SignExtend(0)).then_some(a)
}

/// Zeros above zeros.
fn zero_extension_of_zero_extension(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::ZeroExtend(by) = op else { return None };
    let Node::Unary(Unary::ZeroExtend(more), x) = terms.node(a) else { return None };
    Some(terms.unary(Unary::ZeroExtend(by + more), x))
}

/// A term that is not negative is extended by zeros.
fn sign_extension_of_non_negative(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::SignExtend(by) = op else { return None };
    let zero_extended = matches!(terms.node(a), Node::Unary(Unary::ZeroExtend(1..), _));
    let non_negative = zero_extended
        || terms.abstract_value(a).is_some_and(|abstract_value| abstract_value.is_non_negative());
    non_negative.then(|| terms.unary(Unary::ZeroExtend(by), a))
}

/// Signs above signs.
fn sign_extension_of_sign_extension(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::SignExtend(by) = op else { return None };
    let Node::Unary(Unary::SignExtend(more), x) = terms.node(a) else { return None };
    Some(terms.unary(Unary::SignExtend(by + more), x))
}

/// Zeros above a term extend it.
fn concat_of_zeros(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let bits = terms.known_bits(a)?;
    let by = bits.width();
    bits.is_zero().then(|| terms.unary(Unary::ZeroExtend(by), b))
}

/// Copies of a term's sign above that term extend it.
fn concat_of_signs(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let sign = match terms.node(a) {
        Node::Unary(Unary::SignExtend(_), sign) if terms.width(sign) == 1 => sign,
        _ if terms.width(a) == 1 => a,
        _ => return None,
    };
    let (high, low, x) = extraction(terms, sign)?;
    if high != low {
        return None;
    }
    // The low part ends in the bit that is copied: it is the term, an extension of it, or the extract below it.
    let ends_there = match terms.node(b) {
        _ if b == x => high + 1 == terms.width(x),
        Node::Unary(Unary::SignExtend(_), inner) => inner == x && high + 1 == terms.width(x),
        Node::Unary(Unary::Extract { high: top, .. }, of) => of == x && high == top,
        _ => false,
    };
    let by = terms.width(a);
    ends_there.then(|| terms.unary(Unary::SignExtend(by), b))
}

/// Two terms that are one if put together: constants, or neighbouring bits of one term.
fn joined(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if let (Some(high), Some(low)) = (terms.known_bits(a), terms.known_bits(b)) {
        let bits = high.concat(low);
        return Some(constant(terms, bits));
    }
    let ((high, middle, x), (top, low, y)) = (extraction(terms, a)?, extraction(terms, b)?);
    (x == y && middle == top + 1).then(|| terms.extract(high, low, x))
}

/// Neighbouring bits of one term.
fn concat_of_adjacent(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    joined(terms, a, b)
}

/// Zeros above a term that is above another.
fn concat_of_zero_extension(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let Node::Unary(Unary::ZeroExtend(by), x) = terms.node(a) else { return None };
    let inner = terms.binary(Binary::Concat, x, b);
    Some(terms.unary(Unary::ZeroExtend(by), inner))
}

/// Neighbouring bits of one term, or constants, where one of them is put together with something else.
fn concat_with_adjacent_within(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    if let Node::Binary(Binary::Concat, x, y) = terms.node(b)
        && let Some(upper) = joined(terms, a, x)
    {
        return Some(terms.binary(Binary::Concat, upper, y));
    }
    if let Node::Binary(Binary::Concat, x, y) = terms.node(a)
        && let Some(lower) = joined(terms, y, b)
    {
        return Some(terms.binary(Binary::Concat, x, lower));
    }
    // A constant above a term extended by zeros.
    let (Node::Unary(Unary::ZeroExtend(by), x), Some(upper)) = (terms.node(b), bits_of(terms, a)) else {
        return None;
    };
    let upper = constant(terms, upper.concat(&BitVector::zero(by.max(1))));
    (by > 0).then(|| terms.binary(Binary::Concat, upper, x))
}

/// Choices by one condition above each other are a choice of terms above each other, if the terms of a branch are one.
fn concat_of_choices(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (Node::Ite(condition, x, y), Node::Ite(same, u, v)) = (terms.node(a), terms.node(b)) else {
        return None;
    };
    if condition != same || joined(terms, x, u).is_none() && joined(terms, y, v).is_none() {
        return None;
    }
    let (then, otherwise) = (terms.binary(op, x, u), terms.binary(op, y, v));
    Some(terms.ite(condition, then, otherwise))
}
