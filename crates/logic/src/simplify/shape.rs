//! What rules ask about the shape of terms, and the small things they build.

use dashu_int::ops::{BitTest, PowerOfTwo};

use crate::evaluate;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};
use crate::value::Value;
use crate::{BitVector, Integer};

/// The operands, if a term is this operation on two.
pub fn pair(terms: &Terms, op: Binary, term: Term) -> Option<(Term, Term)> {
    match terms.node(term) {
        Node::Binary(found, a, b) if found == op => Some((a, b)),
        _ => None,
    }
}

/// The operand, if a term is this operation on one.
pub fn operand(terms: &Terms, op: Unary, term: Term) -> Option<Term> {
    match terms.node(term) {
        Node::Unary(found, a) if found == op => Some(a),
        _ => None,
    }
}

/// The extension and its operand, if a term is extended by some bits.
pub fn extension(terms: &Terms, term: Term) -> Option<(Unary, Term)> {
    match terms.node(term) {
        Node::Unary(extend @ (Unary::ZeroExtend(1..) | Unary::SignExtend(1..)), x) => Some((extend, x)),
        _ => None,
    }
}

/// Both operands of an operation in either order: for rules that hold for each.
pub fn orders(a: Term, b: Term) -> [(Term, Term); 2] {
    [(a, b), (b, a)]
}

/// Whether a term is a constant.
pub fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Constant(_))
}

/// The bits of a term that is a constant.
pub fn bits_of(terms: &Terms, term: Term) -> Option<BitVector> {
    terms.known_bits(term).cloned()
}

/// Bits as a term.
pub fn constant(terms: &mut Terms, bits: BitVector) -> Term {
    terms.value(&Value::BitVector(bits))
}

/// The number of a term that is a constant.
pub fn number_of(terms: &Terms, term: Term) -> Option<Integer> {
    terms.known_integer(term).cloned()
}

/// The value of an operation on constants, as a term.
pub fn folded_unary(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let value = evaluate::unary(op, terms.known(a)?);
    Some(terms.value(&value))
}

/// The value of an operation on constants, as a term.
pub fn folded_binary(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let value = evaluate::binary(op, terms.known(a)?, terms.known(b)?);
    Some(terms.value(&value))
}

/// The condition and both branches, if a term is a choice between constants.
pub fn constant_choice(terms: &Terms, term: Term) -> Option<(Term, Term, Term)> {
    match terms.node(term) {
        Node::Ite(condition, then, otherwise)
            if is_constant(terms, then) && is_constant(terms, otherwise) =>
        {
            Some((condition, then, otherwise))
        }
        _ => None,
    }
}

/// An operation on a choice between constants as a choice, if both constants are ones with which it is simple.
pub fn of_simple_choice(
    terms: &mut Terms,
    op: Binary,
    a: Term,
    b: Term,
    is_simple: impl Fn(&BitVector) -> bool,
) -> Option<Term> {
    orders(a, b).into_iter().find_map(|(a, b)| {
        let (condition, then, otherwise) = constant_choice(terms, a)?;
        if ![then, otherwise].into_iter().all(|term| terms.known_bits(term).is_some_and(&is_simple)) {
            return None;
        }
        let (then, otherwise) = (terms.binary(op, b, then), terms.binary(op, b, otherwise));
        Some(terms.ite(condition, then, otherwise))
    })
}

/// A sum with a constant on the right as the rest and the constant.
pub fn offset(terms: &Terms, term: Term) -> Option<(Term, BitVector)> {
    let (rest, right) = pair(terms, Binary::BitAdd, term)?;
    Some((rest, bits_of(terms, right)?))
}

/// A product with a constant on the right as the rest and the constant.
pub fn multiple(terms: &Terms, term: Term) -> Option<(Term, BitVector)> {
    let (rest, right) = pair(terms, Binary::BitMultiply, term)?;
    Some((rest, bits_of(terms, right)?))
}

/// The exponent, if bits are a power of two.
pub fn power_of_two(bits: &BitVector) -> Option<u32> {
    match bits.to_u128() {
        Some(bits) => bits.is_power_of_two().then(|| bits.trailing_zeros()),
        None => {
            let bits = bits.unsigned();
            bits.is_power_of_two().then(|| bits.bit_len() as u32 - 1)
        }
    }
}

/// How many bits, if bits are ones below zeros, neither of them none.
pub fn low_mask(bits: &BitVector) -> Option<u32> {
    if bits.is_zero() || bits.is_ones() {
        return None;
    }
    power_of_two(&bits.add(&BitVector::new(bits.width(), 1)))
}

/// Whether two terms differ under every model, as far as a look at their tops can tell.
pub fn surely_differ(terms: &Terms, a: Term, b: Term) -> bool {
    if let (Some(x), Some(y)) = (terms.known(a), terms.known(b)) {
        return x != y;
    }
    if let (Some(x), Some(y)) = (terms.abstract_value(a), terms.abstract_value(b)) {
        if x.is_different_from(y) {
            return true;
        }
        let (base, distance) = offset_or_itself(terms, a);
        let (other_base, other_distance) = offset_or_itself(terms, b);
        return base == other_base && distance != other_distance;
    }
    let (x, y) = (terms.bounds(a), terms.bounds(b));
    let below = |high: Option<i128>, low: Option<i128>| high.zip(low).is_some_and(|(high, low)| high < low);
    below(x.high, y.low) || below(y.high, x.low) || numbers_differ(terms, a, b)
}

/// A term of at most 128 bits as a sum of something and a number.
fn offset_or_itself(terms: &Terms, term: Term) -> (Term, u128) {
    match pair(terms, Binary::BitAdd, term) {
        Some((rest, right)) => match terms.known_bits(right).and_then(BitVector::to_u128) {
            Some(distance) => (rest, distance),
            None => (term, 0),
        },
        None => (term, 0),
    }
}

fn numbers_differ(terms: &Terms, a: Term, b: Term) -> bool {
    let split = |term: Term| match pair(terms, Binary::Add, term) {
        Some((rest, right)) if is_constant(terms, right) => (rest, terms.known_integer(right)),
        _ => (term, None),
    };
    let ((x, c), (y, d)) = (split(a), split(b));
    x == y && c.unwrap_or(&Integer::ZERO) != d.unwrap_or(&Integer::ZERO)
}

/// Whether one boolean is the negation of the other, as far as a look at their tops can tell.
pub fn negates(terms: &Terms, a: Term, b: Term) -> bool {
    if negates_plainly(terms, a, b) {
        return true;
    }
    let (Node::Binary(op, p, q), Node::Binary(dual, r, s)) = (terms.node(a), terms.node(b)) else {
        return false;
    };
    matches!((op, dual), (Binary::And, Binary::Or) | (Binary::Or, Binary::And))
        && orders(r, s).into_iter().any(|(r, s)| negates_plainly(terms, p, r) && negates_plainly(terms, q, s))
}

fn negates_plainly(terms: &Terms, a: Term, b: Term) -> bool {
    match (terms.node(a), terms.node(b)) {
        (Node::Unary(Unary::Not, inner), _) if inner == b => true,
        (_, Node::Unary(Unary::Not, inner)) if inner == a => true,
        (Node::Binary(op, x, y), Node::Binary(other, u, v)) => match flipped(op) {
            Some(flip) if flip == other => x == v && y == u,
            Some(_) if op == other => {
                adjacent(terms, op, (x, y), (u, v)) || adjacent(terms, op, (u, v), (x, y))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the pairs are (x, c) and (c + 1, x) for constants under a comparison that is not strict.
fn adjacent(terms: &Terms, op: Binary, (x, c): (Term, Term), (d, y): (Term, Term)) -> bool {
    if x != y || is_strict(op) {
        return false;
    }
    match (terms.known(c), terms.known(d)) {
        (Some(Value::BitVector(c)), Some(Value::BitVector(d))) => {
            let greatest =
                if is_signed(op) { BitVector::minimum(c.width()).not() } else { BitVector::ones(c.width()) };
            *c != greatest && c.add(&BitVector::new(c.width(), 1)) == *d
        }
        (Some(Value::Integer(c)), Some(Value::Integer(d))) => c + Integer::ONE == *d,
        _ => false,
    }
}

/// The comparison that holds of exchanged operands exactly when this one does not hold.
pub const fn flipped(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::UnsignedLess => Binary::UnsignedLessEqual,
        Binary::UnsignedLessEqual => Binary::UnsignedLess,
        Binary::SignedLess => Binary::SignedLessEqual,
        Binary::SignedLessEqual => Binary::SignedLess,
        Binary::Less => Binary::LessEqual,
        Binary::LessEqual => Binary::Less,
        _ => return None,
    })
}

/// Whether a comparison excludes equality.
pub const fn is_strict(op: Binary) -> bool {
    matches!(op, Binary::UnsignedLess | Binary::SignedLess | Binary::Less)
}

/// Whether a comparison reads bits in two's complement.
pub const fn is_signed(op: Binary) -> bool {
    matches!(op, Binary::SignedLess | Binary::SignedLessEqual)
}
