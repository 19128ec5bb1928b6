//! Products: shifted and added, with the factor of fewer unknown bits selecting what is added.
//!
//! A constant factor is first written with digits 1, 0 and -1 of which no two neighbours are set (the non-adjacent form,
//! Reitwieser 1960), which adds or subtracts at every third bit on average.
//!
//! Whether a product overflows needs one bit more than the product, not twice as many (Schulte, Gok, Balzola, Brocato:
//! Combined unsigned and two's complement saturating multipliers, 2000, section 2).

use super::{Bits, Gates, Literal, add, sign_extend, subtract, zip};

/// The product, cut to the width of the factors.
pub(crate) fn multiply(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Bits {
    let unknown = |bits: &[Literal]| bits.iter().filter(|bit| bit.known().is_none()).count();
    let (a, b) = if unknown(a) < unknown(b) { (b, a) } else { (a, b) };
    if unknown(b) == 0 {
        return multiply_by_constant(gates, a, b);
    }
    let width = a.len();
    let mut sum = vec![Literal::FALSE; width];
    for (index, &bit) in b.iter().enumerate() {
        if bit == Literal::FALSE {
            continue;
        }
        let row: Bits = a[..width - index].iter().map(|a| gates.and(*a, bit)).collect();
        let high = add(gates, &sum[index..], &row);
        sum.splice(index.., high);
    }
    sum
}

fn multiply_by_constant(gates: &mut Gates, a: &[Literal], constant: &[Literal]) -> Bits {
    let width = a.len();
    let mut sum = vec![Literal::FALSE; width];
    let mut carry = false;
    for index in 0..width {
        let bit = |index: usize| constant.get(index) == Some(&Literal::TRUE);
        let digit = bit(index) ^ carry;
        // A digit beside a set bit is -1, and carries into it.
        let minus = digit && bit(index + 1);
        carry = minus || bit(index) && carry;
        if digit {
            let row = &a[..width - index];
            let high =
                if minus { subtract(gates, &sum[index..], row) } else { add(gates, &sum[index..], row) };
            sum.splice(index.., high);
        }
    }
    sum
}

/// Whether some bit of the first and some bit of the second have positions that sum up to the limit or more.
fn reaches(gates: &mut Gates, a: &[Literal], b: &[Literal], limit: usize) -> Literal {
    let mut reached = Literal::FALSE;
    let mut highest = Literal::FALSE;
    let mut taken = b.len();
    for (index, &bit) in a.iter().enumerate() {
        // All bits of the second from here up reach the limit together with this one.
        while taken > 0 && taken - 1 + index >= limit {
            taken -= 1;
            highest = gates.or(highest, b[taken]);
        }
        let both = gates.and(bit, highest);
        reached = gates.or(reached, both);
    }
    reached
}

/// Whether the product does not fit the width, read without a sign.
pub(crate) fn unsigned_multiply_overflows(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let width = a.len();
    let wider = |bits: &[Literal]| bits.iter().copied().chain([Literal::FALSE]).collect::<Bits>();
    let product = multiply(gates, &wider(a), &wider(b));
    let reached = reaches(gates, a, b, width);
    gates.or(reached, product[width])
}

/// Whether the product does not fit the width, in two's complement.
///
/// The bits that differ from the sign tell the magnitude to within one bit. Where they cannot tell, the product fits
/// one bit more than the width, or is just the one number beyond that wraps there, and is then seen to differ in its
/// two highest bits as well.
pub(crate) fn signed_multiply_overflows(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let width = a.len();
    let product = multiply(gates, &sign_extend(a, width + 1), &sign_extend(b, width + 1));
    let magnitude = |gates: &mut Gates, bits: &[Literal]| {
        let signs = vec![bits[width - 1]; width - 1];
        zip(gates, &bits[..width - 1], &signs, Gates::xor)
    };
    let (a, b) = (magnitude(gates, a), magnitude(gates, b));
    let reached = reaches(gates, &a, &b, width - 1);
    let differ = gates.xor(product[width], product[width - 1]);
    gates.or(reached, differ)
}
