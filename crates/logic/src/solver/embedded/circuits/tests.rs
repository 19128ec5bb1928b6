//! Each circuit against what the operation means, in all cases of four bits and less.

use super::*;
use crate::BitVector;

/// The value of each gate when the inputs have these values.
fn simulate(gates: &Gates, mut input: impl FnMut(usize) -> bool) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(gates.len());
    for gate in 0..gates.len() {
        let kind = gates.gate(gate);
        let free = matches!(kind, crate::solver::embedded::gates::Gate::Input(_)) && input(gate);
        let value = kind
            .evaluate(u64::from(free), |literal| u64::from(values[literal.gate()] ^ literal.is_negated()));
        values.push(value & 1 != 0);
    }
    values
}

fn number(values: &[bool], bits: &[Literal]) -> u128 {
    let bit = |literal: &Literal| u128::from(values[literal.gate()] ^ literal.is_negated());
    bits.iter().enumerate().map(|(index, literal)| bit(literal) << index).sum()
}

fn constant(width: usize, number: u128) -> Bits {
    (0..width).map(|index| Literal::constant(number >> index & 1 != 0)).collect()
}

/// Runs a circuit with unknown operands, with each of them known, and with both known.
fn exhaust(
    circuit: impl Fn(&mut Gates, &[Literal], &[Literal]) -> Bits,
    meaning: impl Fn(&BitVector, &BitVector) -> u128,
) {
    for width in 1..=4usize {
        let count = 1u128 << width;
        for case in 0..4 {
            for (x, y) in (0..count).flat_map(|x| (0..count).map(move |y| (x, y))) {
                // With both unknown one network does for all values.
                let mut gates = Gates::new();
                let mut operand = |known: bool, value: u128| -> Bits {
                    if known { constant(width, value) } else { (0..width).map(|_| gates.input(0)).collect() }
                };
                let (a, b) = (operand(case & 1 != 0, x), operand(case & 2 != 0, y));
                let result = circuit(&mut gates, &a, &b);
                let value_of = |gate: usize| {
                    let find = |bits: &Bits, value: u128| {
                        bits.iter().position(|bit| bit.gate() == gate).map(|index| value >> index & 1 != 0)
                    };
                    find(&a, x).or_else(|| find(&b, y)).unwrap_or(false)
                };
                let values = simulate(&gates, value_of);
                let expected = meaning(&BitVector::new(width as u32, x), &BitVector::new(width as u32, y));
                assert_eq!(number(&values, &result), expected, "{x} and {y} in {width} bits, case {case}");
            }
        }
    }
}

fn bits(value: BitVector) -> u128 {
    value.to_u128().unwrap()
}

#[test]
fn sums_and_products() {
    exhaust(add, |a, b| bits(a.add(b)));
    exhaust(subtract, |a, b| bits(a.subtract(b)));
    exhaust(multiply, |a, b| bits(a.multiply(b)));
    exhaust(|gates, a, _| negate(gates, a), |a, _| bits(a.negate()));
}

#[test]
fn quotients_and_remainders() {
    exhaust(|gates, a, b| unsigned_divide(gates, a, b).0, |a, b| bits(a.unsigned_divide(b)));
    exhaust(|gates, a, b| unsigned_divide(gates, a, b).1, |a, b| bits(a.unsigned_remainder(b)));
    exhaust(|gates, a, b| signed_divide(gates, a, b).0, |a, b| bits(a.signed_divide(b)));
    exhaust(|gates, a, b| signed_divide(gates, a, b).1, |a, b| bits(a.signed_remainder(b)));
}

#[test]
fn comparisons() {
    exhaust(|gates, a, b| vec![equal(gates, a, b)], |a, b| (a == b).into());
    exhaust(|gates, a, b| vec![unsigned_less(gates, a, b)], |a, b| a.unsigned_less(b).into());
    exhaust(|gates, a, b| vec![signed_less(gates, a, b)], |a, b| a.signed_less(b).into());
}

#[test]
fn overflows() {
    exhaust(
        |gates, a, b| vec![unsigned_multiply_overflows(gates, a, b)],
        |a, b| a.unsigned_multiply_overflows(b).into(),
    );
    exhaust(
        |gates, a, b| vec![signed_multiply_overflows(gates, a, b)],
        |a, b| a.signed_multiply_overflows(b).into(),
    );
}

#[test]
fn shifts() {
    let zero = Literal::FALSE;
    exhaust(|gates, a, b| shift(gates, a, b, Direction::Left, zero), |a, b| bits(a.shift_left(b)));
    exhaust(|gates, a, b| shift(gates, a, b, Direction::Right, zero), |a, b| bits(a.shift_right(b)));
    exhaust(
        |gates, a, b| shift(gates, a, b, Direction::Right, a[a.len() - 1]),
        |a, b| bits(a.shift_right_signed(b)),
    );
}
