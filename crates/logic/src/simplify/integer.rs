//! Rules for numbers, and for the ways between numbers and bits.
//!
//! The normal form of sums is light: a constant on the outside, on the right; a factor on the right of its product. The
//! coefficient minus one is a negation. Comparisons with a constant are not strict.

use super::comparison::{compare_choice_with_branch, compare_choice_with_constant};
use super::shape::{is_strict, number_of, operand, orders, pair};
use super::{Rule, rules};
use crate::Integer;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for `Add`.
pub const ADD: &[Rule] = rules![Binary: sum_with_zero, sum_moves_constant_out, sum_of_multiples, sum_cancels];

/// Rules for `Multiply`.
pub const MULTIPLY: &[Rule] =
    rules![Binary: product_with_simple_constant, product_moves_constant_out, product_of_sum];

/// Rules for `Negate`.
pub const NEGATE: &[Rule] = rules![Unary: negation_of_negation, negation_of_multiple, negation_of_sum];

/// Rules for `Divide` and `Modulo`.
pub const DIVIDE: &[Rule] =
    rules![Binary: quotient_by_simple_constant, quotient_of_small, quotient_of_multiple];

/// Rules for `LessEqual` and `Less`.
pub const COMPARE: &[Rule] = rules![Binary: less_by_bounds,
    less_with_constant_not_strictly,
    less_moves_constants,
    less_of_difference,
    less_of_multiple,
    less_of_bits,
    compare_choice_with_constant,
    compare_choice_with_branch,];

/// Rules for `UnsignedToInteger` and `SignedToInteger`.
pub const FROM_BITS: &[Rule] = rules![Unary: number_of_extension, number_without_sign];

/// Rules for `IntegerToBits`.
pub const TO_BITS: &[Rule] = rules![Unary: bits_of_number_of_bits];

/// A sum with a constant as the rest and the constant.
fn offset(terms: &Terms, term: Term) -> Option<(Term, Integer)> {
    let (rest, right) = pair(terms, Binary::Add, term)?;
    Some((rest, number_of(terms, right)?))
}

/// A product with a constant, or a negation, as the rest and the factor.
fn multiple(terms: &Terms, term: Term) -> Option<(Term, Integer)> {
    if let Some(rest) = operand(terms, Unary::Negate, term) {
        return Some((rest, Integer::NEG_ONE));
    }
    let (rest, right) = pair(terms, Binary::Multiply, term)?;
    Some((rest, number_of(terms, right)?))
}

fn plus(terms: &mut Terms, term: Term, number: Integer) -> Term {
    let number = terms.integer(number);
    terms.binary(Binary::Add, term, number)
}

fn times(terms: &mut Terms, term: Term, number: Integer) -> Term {
    let number = terms.integer(number);
    terms.binary(Binary::Multiply, term, number)
}

/// `x + 0` is `x`.
fn sum_with_zero(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    terms.known_integer(b)?.is_zero().then_some(a)
}

/// `(x + 1) + 2` is `x + 3`, `(x + 1) + y` is `(x + y) + 1`.
fn sum_moves_constant_out(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let (rest, number) = offset(terms, a)?;
        if let Some(other) = number_of(terms, b) {
            return Some(plus(terms, rest, number + other));
        }
        let sum = terms.binary(Binary::Add, rest, b);
        Some(plus(terms, sum, number))
    })
}

/// `x + x` is `x * 2`, `x * 3 + -x` is `x * 2`.
fn sum_of_multiples(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let split = |term: Term| multiple(terms, term).unwrap_or((term, Integer::ONE));
    let ((x, c), (y, d)) = (split(a), split(b));
    (x == y).then(|| times(terms, x, c + d))
}

/// `(x + -y) + y` is `x`, and the same for every term and its negation.
fn sum_cancels(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let (x, y) = pair(terms, Binary::Add, a)?;
        orders(x, y).into_iter().find_map(|(x, y)| {
            let opposite =
                operand(terms, Unary::Negate, y) == Some(b) || operand(terms, Unary::Negate, b) == Some(y);
            opposite.then_some(x)
        })
    })
}

/// `x * 0` is zero, `x * 1` is `x`, `x * -1` is `-x`.
fn product_with_simple_constant(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let number = terms.known_integer(b)?;
    if number.is_zero() {
        return Some(b);
    }
    if number.is_one() {
        return Some(a);
    }
    (*number == Integer::NEG_ONE).then(|| terms.unary(Unary::Negate, a))
}

/// `(x * 2) * 3` is `x * 6`, `(x * 2) * y` is `(x * y) * 2`.
fn product_moves_constant_out(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let (rest, number) = multiple(terms, a)?;
        if let Some(other) = number_of(terms, b) {
            return Some(times(terms, rest, number * other));
        }
        let product = terms.binary(Binary::Multiply, rest, b);
        Some(times(terms, product, number))
    })
}

/// `(x + 1) * 3` is `x * 3 + 3`.
fn product_of_sum(terms: &mut Terms, _: Binary, a: Term, b: Term) -> Option<Term> {
    let factor = number_of(terms, b)?;
    let (rest, number) = offset(terms, a)?;
    let product = terms.binary(Binary::Multiply, rest, b);
    Some(plus(terms, product, number * factor))
}

/// `--x` is `x`.
fn negation_of_negation(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    operand(terms, Unary::Negate, a)
}

/// `-(x * 3)` is `x * -3`.
fn negation_of_multiple(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let (rest, right) = pair(terms, Binary::Multiply, a)?;
    let number = -number_of(terms, right)?;
    Some(times(terms, rest, number))
}

/// `-(x + 3)` is `-x + -3`, and `-(x + -y)` is `y + -x`.
fn negation_of_sum(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    if let Some((rest, number)) = offset(terms, a) {
        let negated = terms.unary(Unary::Negate, rest);
        return Some(plus(terms, negated, -number));
    }
    let (x, y) = pair(terms, Binary::Add, a)?;
    orders(x, y).into_iter().find_map(|(x, y)| {
        let y = operand(terms, Unary::Negate, y)?;
        let x = terms.unary(Unary::Negate, x);
        Some(terms.binary(Binary::Add, y, x))
    })
}

/// `x / 1` is `x`, `x / 0` is zero, `x % 1` is zero, `x % 0` is `x`.
fn quotient_by_simple_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let divisor = terms.known_integer(b)?;
    let quotient = op == Binary::Divide;
    if divisor.is_zero() {
        return Some(if quotient { b } else { a });
    }
    divisor.is_one().then(|| if quotient { a } else { terms.integer(0) })
}

/// `x / y` is zero and `x % y` is `x` if `0 <= x < y`.
fn quotient_of_small(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, y) = (terms.bounds(a), terms.bounds(b));
    let small = x.low.is_some_and(|low| low >= 0) && x.high.zip(y.low).is_some_and(|(high, low)| high < low);
    small.then(|| if op == Binary::Divide { terms.integer(0) } else { a })
}

/// `(x * 6) / 3` is `x * 2`, and `(x * 6) % 3` is zero.
fn quotient_of_multiple(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let divisor = number_of(terms, b).filter(|divisor| !divisor.is_zero())?;
    let (rest, factor) = multiple(terms, a)?;
    if !(&factor % &divisor).is_zero() {
        return None;
    }
    Some(if op == Binary::Divide { times(terms, rest, factor / divisor) } else { terms.integer(0) })
}

/// Bounds that do not overlap, and the same term on both sides.
fn less_by_bounds(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let strict = is_strict(op);
    if a == b {
        return Some(terms.bool(!strict));
    }
    let (x, y) = (terms.bounds(a), terms.bounds(b));
    if let Some((high, low)) = x.high.zip(y.low)
        && (high < low || high == low && !strict)
    {
        return Some(terms.bool(true));
    }
    let (low, high) = x.low.zip(y.high)?;
    (low > high || low == high && strict).then(|| terms.bool(false))
}

/// `x < 5` is `x <= 4`, `5 < x` is `6 <= x`.
fn less_with_constant_not_strictly(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let Binary::Less = op else { return None };
    if let Some(number) = number_of(terms, b) {
        let number = terms.integer(number - Integer::ONE);
        return Some(terms.binary(Binary::LessEqual, a, number));
    }
    let number = number_of(terms, a)?;
    let number = terms.integer(number + Integer::ONE);
    Some(terms.binary(Binary::LessEqual, number, b))
}

/// `x + 1 <= 5` is `x <= 4`; `x <= y + 1` is `x + -1 <= y`.
fn less_moves_constants(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let zero = Integer::ZERO;
    match (offset(terms, a), offset(terms, b)) {
        (Some((x, c)), Some((y, d))) => {
            let x = plus(terms, x, c - d);
            Some(terms.binary(op, x, y))
        }
        (Some((x, c)), None) => {
            if let Some(limit) = number_of(terms, b) {
                let limit = terms.integer(limit - c);
                return Some(terms.binary(op, x, limit));
            }
            (x == b).then(|| terms.bool(if is_strict(op) { c < zero } else { c <= zero }))
        }
        (None, Some((y, d))) => {
            let left = match number_of(terms, a) {
                Some(limit) => terms.integer(limit - d),
                None => plus(terms, a, -d),
            };
            Some(terms.binary(op, left, y))
        }
        (None, None) => None,
    }
}

/// A term as a difference.
fn difference(terms: &Terms, term: Term) -> Option<(Term, Term)> {
    let (x, y) = pair(terms, Binary::Add, term)?;
    orders(x, y).into_iter().find_map(|(x, y)| Some((x, operand(terms, Unary::Negate, y)?)))
}

/// `x + -y <= 0` is `x <= y`, and `5 <= x + -y` is `y + 5 <= x`: differences compared with constants.
fn less_of_difference(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if let (Some((x, y)), Some(limit)) = (difference(terms, a), number_of(terms, b)) {
        let x = plus(terms, x, -limit);
        return Some(terms.binary(op, x, y));
    }
    let ((x, y), limit) = (difference(terms, b)?, number_of(terms, a)?);
    let y = plus(terms, y, limit);
    Some(terms.binary(op, y, x))
}

/// `x * 3 <= 10` is `x <= 3`, `-x <= 5` is `-5 <= x`, and `x * 3 <= y * 3` is `x <= y`.
fn less_of_multiple(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let zero = Integer::ZERO;
    if let (Some((x, c)), Some((y, d))) = (multiple(terms, a), multiple(terms, b)) {
        if c != d || c.is_zero() {
            return None;
        }
        return Some(if c > zero { terms.binary(op, x, y) } else { terms.binary(op, y, x) });
    }
    if is_strict(op) {
        return None;
    }
    let floor = |number: &Integer, divisor: &Integer| dashu_int::ops::DivEuclid::div_euclid(number, divisor);
    if let (Some((x, c)), Some(limit)) = (multiple(terms, a), number_of(terms, b)) {
        if c > zero {
            let limit = terms.integer(floor(&limit, &c));
            return Some(terms.binary(op, x, limit));
        }
        // The same of the negated factor and term.
        let limit = (c < zero).then(|| -floor(&limit, &-c))?;
        let limit = terms.integer(limit);
        return Some(terms.binary(op, limit, x));
    }
    let (limit, (y, c)) = (number_of(terms, a)?, multiple(terms, b)?);
    if c > zero {
        let limit = terms.integer(-floor(&-limit, &c));
        return Some(terms.binary(op, limit, y));
    }
    let limit = (c < zero).then(|| floor(&-limit, &-c))?;
    let limit = terms.integer(limit);
    Some(terms.binary(op, y, limit))
}

/// The bits that a number comes from, and whether they have a sign.
fn source(terms: &Terms, term: Term) -> Option<(Term, bool)> {
    match terms.node(term) {
        Node::Unary(Unary::UnsignedToInteger, bits) => Some((bits, false)),
        Node::Unary(Unary::SignedToInteger, bits) => Some((bits, true)),
        _ => None,
    }
}

/// Two numbers that come from bits, or one and a constant, as bits that compare the same, and whether they have a sign.
fn common_bits(terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term, bool)> {
    match (source(terms, a), source(terms, b)) {
        (Some((x, first)), Some((y, second))) => {
            let room = |term: Term, signed: bool| terms.width(term) + u32::from(!signed && first != second);
            let width = room(x, first).max(room(y, second));
            Some((terms.resize(x, width, first), terms.resize(y, width, second), first || second))
        }
        (Some((x, signed)), None) => {
            let number = fitting(terms, x, signed, b)?;
            Some((x, number, signed))
        }
        (None, Some((y, signed))) => {
            let number = fitting(terms, y, signed, a)?;
            Some((number, y, signed))
        }
        (None, None) => None,
    }
}

/// A constant as bits like those of a term, if they can mean that number.
fn fitting(terms: &mut Terms, like: Term, signed: bool, number: Term) -> Option<Term> {
    let number = number_of(terms, number)?;
    let bits = crate::BitVector::wrapping(terms.width(like), &number);
    let again = if signed { bits.signed() } else { bits.unsigned().into() };
    (again == number).then(|| super::shape::constant(terms, bits))
}

/// Numbers that come from bits are compared as bits.
fn less_of_bits(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (x, y, signed) = common_bits(terms, a, b)?;
    let op = match (is_strict(op), signed) {
        (true, true) => Binary::SignedLess,
        (true, false) => Binary::UnsignedLess,
        (false, true) => Binary::SignedLessEqual,
        (false, false) => Binary::UnsignedLessEqual,
    };
    Some(terms.binary(op, x, y))
}

/// Equality of numbers, where a rule knows better: constants to one side, factors divided away, bits compared as bits.
pub fn equal(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if let Some((x, y, _)) = common_bits(terms, a, b) {
        return Some(terms.equal(x, y));
    }
    if let (Some((x, c)), Some((y, d))) = (offset(terms, a), offset(terms, b)) {
        let y = plus(terms, y, d - c);
        return Some(terms.equal(x, y));
    }
    let Some(number) = number_of(terms, b) else {
        let ((x, c), (y, d)) = (multiple(terms, a)?, multiple(terms, b)?);
        return (c == d && !c.is_zero()).then(|| terms.equal(x, y));
    };
    if let Some((x, c)) = offset(terms, a) {
        let number = terms.integer(number - c);
        return Some(terms.equal(x, number));
    }
    if let Some((x, y)) = difference(terms, a) {
        let y = plus(terms, y, number);
        return Some(terms.equal(x, y));
    }
    let (x, c) = multiple(terms, a).filter(|(_, factor)| !factor.is_zero())?;
    if !(&number % &c).is_zero() {
        return Some(terms.bool(false));
    }
    let number = terms.integer(number / c);
    Some(terms.equal(x, number))
}

/// Extending bits the way they are read does not change the number.
fn number_of_extension(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    match (op, terms.node(a)) {
        (_, Node::Unary(Unary::ZeroExtend(1..), x)) => Some(terms.unary(Unary::UnsignedToInteger, x)),
        (Unary::SignedToInteger, Node::Unary(Unary::SignExtend(_), x)) => Some(terms.unary(op, x)),
        _ => None,
    }
}

/// Bits that are not negative mean the same number with and without a sign.
fn number_without_sign(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::SignedToInteger = op else { return None };
    terms.abstract_value(a)?.is_non_negative().then(|| terms.unary(Unary::UnsignedToInteger, a))
}

/// Bits of a number that came from bits are those bits, extended or cut.
fn bits_of_number_of_bits(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let Unary::IntegerToBits(width) = op else { return None };
    let (x, signed) = source(terms, a)?;
    Some(terms.resize(x, width, signed))
}
