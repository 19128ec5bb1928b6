//! Rules for comparisons of bits, with and without a sign.
//!
//! Rules that do arithmetic on the sides of a comparison work on the numbers that the bits mean, and only where the
//! abstract values show that nothing wraps. They do so for up to 126 bits, where those numbers fit in 128 bits with a
//! sign.

use super::shape::{
    bits_of, constant, extension, flipped, is_signed, is_strict, multiple, offset, operand, pair,
};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for all comparisons of bits.
pub const COMPARE: &[Rule] = rules![Binary: compare_by_range,
    compare_with_constant_not_strictly,
    compare_with_an_end,
    compare_without_sign,
    compare_extensions,
    compare_complements,
    compare_shifted_with_constant,
    compare_shifted,
    compare_sums_with_common_term,
    compare_difference,
    compare_multiples,
    compare_choice_with_constant,
    compare_choice_with_branch,];

/// A number that a term's bits mean, if the term is a constant.
fn number(terms: &Terms, term: Term, signed: bool) -> Option<i128> {
    let bits = terms.known_bits(term)?;
    if signed { bits.to_i128() } else { i128::try_from(bits.to_u128()?).ok() }
}

/// The least and the most of a type, if there is room to compute with them.
pub(super) fn limits(width: u32, signed: bool) -> Option<(i128, i128)> {
    match (width, signed) {
        (127.., _) => None,
        (_, true) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        (_, false) => Some((0, (1 << width) - 1)),
    }
}

/// What a term can be, if there is room to compute with it.
fn range(terms: &Terms, term: Term, signed: bool) -> Option<(i128, i128)> {
    let abstract_value = terms.abstract_value(term)?;
    if abstract_value.width > 126 { None } else { abstract_value.range(signed) }
}

/// A constant for a number, if it is one of the type.
fn fitting(terms: &mut Terms, width: u32, signed: bool, number: i128) -> Option<Term> {
    let (least, most) = limits(width, signed)?;
    (least <= number && number <= most).then(|| terms.signed_bits(width, number))
}

/// Ranges that do not overlap, and the same term on both sides.
fn compare_by_range(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let strict = is_strict(op);
    if a == b {
        return Some(terms.bool(!strict));
    }
    let (x, y) = (terms.abstract_value(a)?, terms.abstract_value(b)?);
    let truth = if is_signed(op) {
        known_order(strict, (x.signed_low, x.signed_high), (y.signed_low, y.signed_high))
    } else {
        known_order(strict, (x.low, x.high), (y.low, y.high))
    };
    truth.map(|truth| terms.bool(truth))
}

/// Whether what is in one range is less than what is in another, or not greater, if the ranges say so.
fn known_order<T: Ord>(strict: bool, (low, high): (T, T), (other_low, other_high): (T, T)) -> Option<bool> {
    if high < other_low || !strict && high == other_low {
        return Some(true);
    }
    (low > other_high || strict && low == other_high).then_some(false)
}

/// `x < 5` is `x <= 4`, `5 < x` is `6 <= x`.
fn compare_with_constant_not_strictly(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if !is_strict(op) {
        return None;
    }
    let (less_equal, width) = (flipped(op)?, terms.width(a));
    let (least, most) = if is_signed(op) {
        (BitVector::minimum(width), BitVector::minimum(width).not())
    } else {
        (BitVector::zero(width), BitVector::ones(width))
    };
    let one = BitVector::new(width, 1);
    if let Some(bits) = bits_of(terms, b) {
        if bits == least {
            return Some(terms.bool(false));
        }
        let bits = constant(terms, bits.subtract(&one));
        return Some(terms.binary(less_equal, a, bits));
    }
    let bits = bits_of(terms, a)?;
    if bits == most {
        return Some(terms.bool(false));
    }
    let bits = constant(terms, bits.add(&one));
    Some(terms.binary(less_equal, bits, b))
}

/// `x <= 0` without a sign is `x == 0`, and `1 <= x` is `x != 0`; the same at every end of a term's range.
fn compare_with_an_end(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if is_strict(op) {
        return None;
    }
    let signed = is_signed(op);
    let (x, end, next_to_end) = match (number(terms, a, signed), number(terms, b, signed)) {
        (None, Some(most)) => {
            let (low, high) = range(terms, a, signed)?;
            (a, (most == low).then_some(low), (most == high - 1).then_some(high))
        }
        (Some(least), None) => {
            let (low, high) = range(terms, b, signed)?;
            (b, (least == high).then_some(high), (least == low + 1).then_some(low))
        }
        _ => return None,
    };
    let width = terms.width(x);
    if let Some(end) = end {
        let end = terms.signed_bits(width, end);
        return Some(terms.equal(x, end));
    }
    let excluded = terms.signed_bits(width, next_to_end?);
    Some(terms.differ(x, excluded))
}

/// Terms of the same sign compare the same without it.
fn compare_without_sign(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let unsigned = match op {
        Binary::SignedLess => Binary::UnsignedLess,
        Binary::SignedLessEqual => Binary::UnsignedLessEqual,
        _ => return None,
    };
    let (x, y) = (terms.abstract_value(a)?, terms.abstract_value(b)?);
    let same_sign = x.is_non_negative() && y.is_non_negative() || x.is_negative() && y.is_negative();
    same_sign.then(|| terms.binary(unsigned, a, b))
}

/// Terms that were extended the same way, or one and a constant, compare as they did before.
///
/// Sign extension keeps the order without a sign too. Zero extension makes the signed order the unsigned one.
fn compare_extensions(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (extend, width) = match (extension(terms, a), extension(terms, b)) {
        // Of two, the less extended one decides how much can be taken off both.
        (Some((first, x)), Some((second, y))) => {
            if matches!(first, Unary::ZeroExtend(_)) != matches!(second, Unary::ZeroExtend(_)) {
                return None;
            }
            if terms.width(x) >= terms.width(y) { (first, terms.width(x)) } else { (second, terms.width(y)) }
        }
        (Some((extend, x)), None) | (None, Some((extend, x))) => (extend, terms.width(x)),
        (None, None) => return None,
    };
    let op = match (extend, op) {
        (Unary::ZeroExtend(_), Binary::SignedLess) => Binary::UnsignedLess,
        (Unary::ZeroExtend(_), Binary::SignedLessEqual) => Binary::UnsignedLessEqual,
        _ => op,
    };
    let (x, y) = (shortened(terms, extend, width, a)?, shortened(terms, extend, width, b)?);
    Some(terms.binary(op, x, y))
}

/// The term of this width that gives this one by an extension, if it is a constant or was extended at least so far.
pub(super) fn shortened(terms: &mut Terms, extend: Unary, width: u32, term: Term) -> Option<Term> {
    let zeros = matches!(extend, Unary::ZeroExtend(_));
    if let Some(bits) = bits_of(terms, term) {
        let low = bits.extract(width - 1, 0);
        let by = bits.width() - width;
        let again = if zeros { low.zero_extend(by) } else { low.sign_extend(by) };
        return (again == bits).then(|| constant(terms, low));
    }
    match terms.node(term) {
        Node::Unary(Unary::ZeroExtend(_), x) if zeros && terms.width(x) <= width => {
            Some(terms.resize(x, width, false))
        }
        Node::Unary(Unary::SignExtend(_), x) if !zeros && terms.width(x) <= width => {
            Some(terms.resize(x, width, true))
        }
        _ => None,
    }
}

/// `~x < ~y` is `y < x`, and `~x < 5` is `~5 < x`.
fn compare_complements(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let complement = |terms: &mut Terms, term: Term| match bits_of(terms, term) {
        Some(bits) => Some(constant(terms, bits.not())),
        None => operand(terms, Unary::BitNot, term),
    };
    let (x, y) = (complement(terms, a)?, complement(terms, b)?);
    Some(terms.binary(op, y, x))
}

/// A sum with a constant as the rest and the number that is added to what the rest means, if that never wraps.
fn shift_of(terms: &Terms, term: Term, signed: bool) -> Option<(Term, i128)> {
    let (rest, bits) = offset(terms, term)?;
    let (low, high) = range(terms, rest, signed)?;
    let (least, most) = limits(bits.width(), signed)?;
    // Without a sign, adding a large constant can mean to subtract a small one.
    let readings =
        [bits.to_i128()?, if signed { bits.to_i128()? } else { i128::try_from(bits.to_u128()?).ok()? }];
    let by = readings.into_iter().find(|by| least <= low + by && high + by <= most)?;
    Some((rest, by))
}

/// `x + 1 <= 5` is `x <= 4` if the sum does not wrap.
fn compare_shifted_with_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (signed, width) = (is_signed(op), terms.width(a));
    if let Some(limit) = number(terms, b, signed) {
        let (rest, by) = shift_of(terms, a, signed)?;
        let limit = fitting(terms, width, signed, limit - by)?;
        return Some(terms.binary(op, rest, limit));
    }
    let limit = number(terms, a, signed)?;
    let (rest, by) = shift_of(terms, b, signed)?;
    let limit = fitting(terms, width, signed, limit - by)?;
    Some(terms.binary(op, limit, rest))
}

/// `x + 1 < y + 1` is `x < y`, and `x < x + 1` is true, if the sums do not wrap.
fn compare_shifted(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let signed = is_signed(op);
    let (left, right) = (shift_of(terms, a, signed), shift_of(terms, b, signed));
    if left.is_none() && right.is_none() {
        return None;
    }
    let ((x, c), (y, d)) = (left.unwrap_or((a, 0)), right.unwrap_or((b, 0)));
    if x == y {
        return Some(terms.bool(if is_strict(op) { c < d } else { c <= d }));
    }
    (c == d).then(|| terms.binary(op, x, y))
}

/// Whether a sum never wraps.
fn sum_fits(terms: &Terms, x: Term, y: Term, signed: bool) -> Option<bool> {
    let ((a, b), (c, d)) = (range(terms, x, signed)?, range(terms, y, signed)?);
    let (least, most) = limits(terms.width(x), signed)?;
    Some(least <= a + c && b + d <= most)
}

/// `x + y < x + z` is `y < z`, and `x + y < x` is `y < 0`, if the sums do not wrap.
fn compare_sums_with_common_term(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let signed = is_signed(op);
    let sum = |term: Term| {
        let (x, y) = pair(terms, Binary::BitAdd, term)?;
        sum_fits(terms, x, y, signed)?.then_some((x, y))
    };
    let without = |sum: Option<(Term, Term)>, common: Term| {
        sum.and_then(|(x, y)| if x == common { Some(y) } else { (y == common).then_some(x) })
    };
    let (left, right) = (sum(a), sum(b));
    let width = terms.width(a);
    if let Some(rest) = without(left, b) {
        let zero = constant(terms, BitVector::zero(width));
        return Some(terms.binary(op, rest, zero));
    }
    if let Some(rest) = without(right, a) {
        let zero = constant(terms, BitVector::zero(width));
        return Some(terms.binary(op, zero, rest));
    }
    let (x, y) = left?;
    if let Some(rest) = without(right, x) {
        return Some(terms.binary(op, y, rest));
    }
    let rest = without(right, y)?;
    Some(terms.binary(op, x, rest))
}

/// `x - y <= 0` is `x <= y`, and so on for the neighbours of zero, if the difference does not wrap.
fn compare_difference(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (Binary::SignedLess | Binary::SignedLessEqual) = op else { return None };
    let fits = |x: Term, y: Term| {
        let ((a, b), (c, d)) = (range(terms, x, true)?, range(terms, y, true)?);
        let (least, most) = limits(terms.width(x), true)?;
        (least <= a - d && b - c <= most).then_some(())
    };
    let strict = is_strict(op);
    if let Some((x, y)) = pair(terms, Binary::BitSubtract, a) {
        fits(x, y)?;
        return match number(terms, b, true)? {
            0 => Some(terms.binary(op, x, y)),
            -1 if !strict => Some(terms.binary(Binary::SignedLess, x, y)),
            _ => None,
        };
    }
    let (x, y) = pair(terms, Binary::BitSubtract, b)?;
    fits(x, y)?;
    match number(terms, a, true)? {
        0 => Some(terms.binary(op, y, x)),
        1 if !strict => Some(terms.binary(Binary::SignedLess, y, x)),
        _ => None,
    }
}

/// A product with a positive constant, if it never wraps.
fn fitting_multiple(terms: &Terms, term: Term, signed: bool) -> Option<(Term, i128)> {
    let (rest, bits) = multiple(terms, term)?;
    let factor = bits.to_i128().filter(|factor| *factor > 0)?;
    let (low, high) = range(terms, rest, signed)?;
    let (least, most) = limits(bits.width(), signed)?;
    (least <= low.checked_mul(factor)? && high.checked_mul(factor)? <= most).then_some((rest, factor))
}

/// `x * 3 <= 10` is `x <= 3`, and `x * 3 < y * 3` is `x < y`, if the products do not wrap.
fn compare_multiples(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (signed, width) = (is_signed(op), terms.width(a));
    let (left, right) = (fitting_multiple(terms, a, signed), fitting_multiple(terms, b, signed));
    if let (Some((x, c)), Some((y, d))) = (left, right) {
        return (c == d).then(|| terms.binary(op, x, y));
    }
    if is_strict(op) {
        return None;
    }
    if let Some((x, factor)) = left {
        let limit = number(terms, b, signed)?.div_euclid(factor);
        let limit = fitting(terms, width, signed, limit)?;
        return Some(terms.binary(op, x, limit));
    }
    let (y, factor) = right?;
    let limit = number(terms, a, signed)?;
    let limit = limit.div_euclid(factor) + i128::from(limit.rem_euclid(factor) != 0);
    let limit = fitting(terms, width, signed, limit)?;
    Some(terms.binary(op, limit, y))
}

/// `(c ? x : y) < y` is `c && x < y`: a comparison, or an equality, of a choice with one of its branches.
pub(super) fn compare_choice_with_branch(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    for (choice, other, first) in [(a, b, true), (b, a, false)] {
        let Node::Ite(condition, then, otherwise) = terms.node(choice) else { continue };
        if then != other && otherwise != other {
            continue;
        }
        let mut compare =
            |x: Term| if first { terms.binary(op, x, other) } else { terms.binary(op, other, x) };
        let (then, otherwise) = (compare(then), compare(otherwise));
        return Some(terms.ite(condition, then, otherwise));
    }
    None
}

/// A choice with a constant in one branch, compared with a constant, is a choice of a truth and a comparison: for any
/// operation that gives a boolean.
pub(super) fn compare_choice_with_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let known = |term: Term| terms.known(term).is_some();
    let (condition, left, right) = match (terms.node(a), terms.node(b)) {
        (Node::Ite(condition, then, otherwise), Node::Constant(_)) if known(then) || known(otherwise) => {
            (condition, (then, b), (otherwise, b))
        }
        (Node::Constant(_), Node::Ite(condition, then, otherwise)) if known(then) || known(otherwise) => {
            (condition, (a, then), (a, otherwise))
        }
        _ => return None,
    };
    let (then, otherwise) = (terms.binary(op, left.0, left.1), terms.binary(op, right.0, right.1));
    Some(terms.ite(condition, then, otherwise))
}
