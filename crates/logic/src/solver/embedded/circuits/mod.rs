//! Circuits: operations on vectors of literals, the lowest bit first.

mod add;
mod divide;
mod multiply;
mod shift;

use super::gates::{Gates, Literal};

pub(crate) use add::{add, equal, negate, signed_less, subtract, unsigned_less};
pub(crate) use divide::{signed_divide, unsigned_divide};
pub(crate) use multiply::{multiply, signed_multiply_overflows, unsigned_multiply_overflows};
pub(crate) use shift::{Direction, shift};

/// The bits of a vector, the lowest first.
pub(crate) type Bits = Vec<Literal>;

/// All bits flipped.
pub(crate) fn not(bits: &[Literal]) -> Bits {
    bits.iter().map(|bit| !*bit).collect()
}

/// One of two vectors of one width.
pub(crate) fn ite(gates: &mut Gates, condition: Literal, then: &[Literal], otherwise: &[Literal]) -> Bits {
    then.iter().zip(otherwise).map(|(a, b)| gates.ite(condition, *a, *b)).collect()
}

/// Two vectors of one width, bit by bit.
pub(crate) fn zip(
    gates: &mut Gates,
    a: &[Literal],
    b: &[Literal],
    gate: impl Fn(&mut Gates, Literal, Literal) -> Literal,
) -> Bits {
    a.iter().zip(b).map(|(a, b)| gate(gates, *a, *b)).collect()
}

/// A vector in another width: cut, or extended by its highest bit.
pub(crate) fn sign_extend(bits: &[Literal], width: usize) -> Bits {
    let sign = bits.last().copied().unwrap_or(Literal::FALSE);
    (0..width).map(|index| bits.get(index).copied().unwrap_or(sign)).collect()
}

#[cfg(test)]
mod tests;
