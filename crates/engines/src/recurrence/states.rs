//! States of numbers: what formulas say about them, and what iterations make of them.

use std::collections::BTreeMap;

use certify::recurrence::Iteration;
use evidence::{Expression, Formula, Integer, Moment, Quantity};

/// Numbers that grow beyond so many bits are not followed.
const WIDEST: usize = 400;

/// The parts of a state by their names.
pub(super) struct Places<'a>(BTreeMap<&'a Quantity, usize>);

impl<'a> Places<'a> {
    /// Those of some iterations.
    pub fn of(iteration: &'a Iteration<'_>) -> Self {
        Self(iteration.parts().iter().enumerate().map(|(at, part)| (&part.component.quantity, at)).collect())
    }

    /// Whether a formula holds, if that can be told.
    pub fn holds(&self, state: &[Integer], formula: &Formula) -> Option<bool> {
        Some(match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Compare { left, comparison, right } => {
                comparison.holds(&self.number(state, left)?, &self.number(state, right)?)
            }
            Formula::Not(inner) => !self.holds(state, inner)?,
            Formula::All(parts) => {
                parts.iter().try_fold(true, |all, part| Some(all & self.holds(state, part)?))?
            }
            Formula::Any(parts) => {
                parts.iter().try_fold(false, |any, part| Some(any | self.holds(state, part)?))?
            }
            Formula::Every { .. } => return None,
        })
    }

    /// The number of an expression, if that can be told.
    pub fn number(&self, state: &[Integer], expression: &Expression) -> Option<Integer> {
        Some(match expression {
            Expression::Constant(number) => number.clone(),
            Expression::Quantity { quantity, moment: Moment::Now } => state[*self.0.get(quantity)?].clone(),
            Expression::Sum(parts) => {
                parts.iter().try_fold(Integer::ZERO, |sum, part| Some(sum + self.number(state, part)?))?
            }
            Expression::Product(parts) => parts
                .iter()
                .try_fold(Integer::ONE, |product, part| Some(product * self.number(state, part)?))?,
            Expression::Remainder { dividend, divisor } => modulo(&self.number(state, dividend)?, divisor),
            _ => return None,
        })
    }
}

/// What remains of a division by a positive number, from zero up.
pub(super) fn modulo(number: &Integer, divisor: &Integer) -> Integer {
    let remainder = number % divisor;
    if remainder < Integer::ZERO { remainder + divisor } else { remainder }
}

/// The states at the head from the reached one on, as many as asked for; fewer if the iterations end or go wrong
/// before, or numbers grow too large, which the second part tells.
pub(super) fn follow(
    iteration: &Iteration<'_>,
    choices: &[Expression],
    count: usize,
) -> (Vec<Vec<Integer>>, bool) {
    let places = Places::of(iteration);
    let limit = Integer::ONE << WIDEST;
    let mut states = vec![iteration.parts().iter().map(|part| part.start.clone()).collect::<Vec<Integer>>()];
    while states.len() <= count {
        let state = &states[states.len() - 1];
        let inputs: Option<Vec<Integer>> =
            choices.iter().map(|choice| places.number(state, choice)).collect();
        let Some(step) = inputs.and_then(|inputs| iteration.step(state, &inputs)) else {
            return (states, false);
        };
        if step.after.iter().any(|number| *number > limit || *number < -&limit) {
            break;
        }
        states.push(step.after);
    }
    (states, true)
}
