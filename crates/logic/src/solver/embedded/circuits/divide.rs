//! Quotients and remainders by restoring division: from the highest bit down, subtract the divisor where it fits.
//!
//! The partial remainder is as wide as it can be, no wider: it grows with the bits taken in, and stays below a divisor
//! that is known. Division by zero gives all ones and the dividend by itself, as SMT-LIB wants.

use super::add::subtract_with_borrow;
use super::{Bits, Gates, Literal, ite, negate};

/// The quotient and the remainder, read without a sign.
pub(crate) fn unsigned_divide(gates: &mut Gates, dividend: &[Literal], divisor: &[Literal]) -> (Bits, Bits) {
    let width = dividend.len();
    // Above this, the divisor has no bits, and the remainder has none if the divisor is not zero.
    let significant = divisor.iter().rposition(|bit| *bit != Literal::FALSE).map_or(0, |highest| highest + 1);
    let nonzero = divisor.contains(&Literal::TRUE);
    // Whether the divisor has a bit from this one up.
    let mut above = vec![Literal::FALSE; width + 1];
    for index in (0..width).rev() {
        above[index] = gates.or(above[index + 1], divisor[index]);
    }
    let mut quotient = vec![Literal::FALSE; width];
    let mut remainder: Bits = Vec::new();
    for index in (0..width).rev() {
        remainder.insert(0, dividend[index]);
        let length = remainder.len();
        let (difference, reaches) = subtract_with_borrow(gates, &remainder, &divisor[..length.min(width)]);
        let fits = gates.and(reaches, !above[length.min(width)]);
        quotient[index] = fits;
        remainder = ite(gates, fits, &difference, &remainder);
        if nonzero && remainder.len() > significant {
            remainder.truncate(significant);
        }
    }
    remainder.resize(width, Literal::FALSE);
    (quotient, remainder)
}

/// The quotient towards zero and the remainder with the dividend's sign, in two's complement.
pub(crate) fn signed_divide(gates: &mut Gates, dividend: &[Literal], divisor: &[Literal]) -> (Bits, Bits) {
    let negate_if = |gates: &mut Gates, condition: Literal, bits: &[Literal]| {
        let negated = negate(gates, bits);
        ite(gates, condition, &negated, bits)
    };
    let (minus, other) = (dividend[dividend.len() - 1], divisor[divisor.len() - 1]);
    let (a, b) = (negate_if(gates, minus, dividend), negate_if(gates, other, divisor));
    let (quotient, remainder) = unsigned_divide(gates, &a, &b);
    let differ = gates.xor(minus, other);
    (negate_if(gates, differ, &quotient), negate_if(gates, minus, &remainder))
}
