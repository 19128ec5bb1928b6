//! What tests of annotations share: programs, numbers that look random, and the meaning of formulas.

#![allow(dead_code, reason = "not every test uses everything")]

use std::collections::BTreeMap;

use c::{Input, translate};
use evidence::{Expression, Formula, Integer};
use program::Program;

/// The program of a text.
pub fn program(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).unwrap();
    let mut translation = translate(&[Input::new(path)]);
    assert!(translation.diagnostics.is_empty(), "{text}\n{:?}", translation.diagnostics);
    program::passes::simplify(&mut translation.program);
    translation.program
}

/// Numbers that look random.
pub struct Dice(pub u64);

impl Dice {
    /// A number below another.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// What variables are, by their text.
pub type State = BTreeMap<String, Integer>;

/// What a number is in a state.
pub fn value(expression: &Expression, state: &State) -> Integer {
    let all =
        |parts: &[Expression]| -> Vec<Integer> { parts.iter().map(|part| value(part, state)).collect() };
    match expression {
        Expression::Constant(number) => number.clone(),
        Expression::Sum(parts) => all(parts).into_iter().sum(),
        Expression::Product(parts) => all(parts).into_iter().product(),
        Expression::Quotient { dividend, divisor } => {
            let dividend = value(dividend, state);
            let rest = ((&dividend % divisor) + divisor) % divisor;
            (dividend - rest) / divisor
        }
        Expression::Remainder { dividend, divisor } => {
            ((value(dividend, state) % divisor) + divisor) % divisor
        }
        Expression::Minimum(parts) => all(parts).into_iter().min().unwrap(),
        Expression::Maximum(parts) => all(parts).into_iter().max().unwrap(),
        Expression::Select { condition, then, otherwise } => {
            value(if holds(condition, state) { then } else { otherwise }, state)
        }
        other => state[&other.to_string()].clone(),
    }
}

/// Whether a formula holds in a state.
pub fn holds(formula: &Formula, state: &State) -> bool {
    match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Compare { left, comparison, right } => {
            comparison.holds(&value(left, state), &value(right, state))
        }
        Formula::Not(inner) => !holds(inner, state),
        Formula::All(parts) => parts.iter().all(|part| holds(part, state)),
        Formula::Any(parts) => parts.iter().any(|part| holds(part, state)),
        Formula::Every { .. } => unreachable!("it is not asked here"),
    }
}
