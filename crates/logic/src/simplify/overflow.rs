//! Rules for the questions whether a product fits.

use super::abstract_value::mask;
use super::shape::{bits_of, constant};
use super::{Rule, rules};
use crate::BitVector;
use crate::node::Binary;
use crate::terms::{Term, Terms};

/// Rules for `SignedMultiplyOverflows` and `UnsignedMultiplyOverflows`.
pub const OVERFLOWS: &[Rule] =
    rules![Binary: overflow_by_range, unsigned_overflow_by_constant, signed_overflow_by_constant];

/// Products whose range fits never overflow; those whose range is outside always do.
fn overflow_by_range(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let (a, b) = (*terms.abstract_value(a)?, *terms.abstract_value(b)?);
    if op == Binary::UnsignedMultiplyOverflows {
        let fits = |x: u128, y: u128| x.checked_mul(y).is_some_and(|product| product <= mask(a.width));
        if fits(a.high, b.high) {
            return Some(terms.bool(false));
        }
        return (!fits(a.low, b.low)).then(|| terms.bool(true));
    }
    let greatest = (mask(a.width) >> 1) as i128;
    let fits = |x: i128, y: i128| {
        x.checked_mul(y).is_some_and(|product| -greatest - 1 <= product && product <= greatest)
    };
    let all = fits(a.signed_low, b.signed_low)
        && fits(a.signed_low, b.signed_high)
        && fits(a.signed_high, b.signed_low)
        && fits(a.signed_high, b.signed_high);
    all.then(|| terms.bool(false))
}

/// `x * 3` fits without a sign if `x <= max / 3`.
fn unsigned_overflow_by_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let Binary::UnsignedMultiplyOverflows = op else { return None };
    let factor = terms.known_bits(b)?.to_u128().filter(|factor| *factor > 0)?;
    let width = terms.width(a);
    let most = terms.bits(width, mask(width) / factor);
    Some(terms.binary(Binary::UnsignedLess, most, a))
}

/// `x * 3` fits in two's complement if `min / 3 <= x <= max / 3`; `-x` fits but for the least number.
fn signed_overflow_by_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let Binary::SignedMultiplyOverflows = op else { return None };
    let factor = bits_of(terms, b)?.to_i128().filter(|factor| *factor != 0)?;
    let width = terms.width(a);
    if factor == -1 {
        let least = constant(terms, BitVector::minimum(width));
        return Some(terms.equal(a, least));
    }
    let greatest = (mask(width) >> 1) as i128;
    let (mut least, mut most) = ((-greatest - 1) / factor, greatest / factor);
    if factor < 0 {
        (least, most) = (most, least);
    }
    let (least, most) = (terms.signed_bits(width, least), terms.signed_bits(width, most));
    let (below, above) =
        (terms.binary(Binary::SignedLess, a, least), terms.binary(Binary::SignedLess, most, a));
    Some(terms.or(below, above))
}
