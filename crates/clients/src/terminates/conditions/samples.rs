//! Runs of a function on small numbers, to tell which conditions are hopeless: those that hold of numbers with which the
//! function did not come to its end in some thousands of steps.
//!
//! This is a guess that saves time: a run that takes long may end, and then a condition is missed.

use std::collections::BTreeMap;

use base::Budget;
use evidence::names::variable_names;
use evidence::{Expression, Formula, Moment};
use program::interpret::{
    Arguments, DiscardedOutput, FixedInputs, InputValue, Integers, Machine, Options, Outcome,
};
use program::{FunctionId, Program, Type};

use crate::Property;
use crate::refute::{Query, options};

/// The numbers that are tried.
const NUMBERS: [i128; 5] = [0, 1, -1, 3, -2];

/// How many runs are made, of how many steps.
const RUNS: usize = 125;
const STEPS: u64 = 20_000;

/// The values at entry with which the function did not end.
#[derive(Default)]
pub(super) struct Samples {
    infinite: Vec<BTreeMap<String, i128>>,
}

impl Samples {
    /// Makes the runs. A function that takes a pointer has none.
    pub fn of(program: &Program, function: FunctionId, integers: Integers, budget: &Budget) -> Self {
        let description = &program.functions[function];
        let Some(body) = description.body() else { return Self::default() };
        let is_number = |ty: &Type| matches!(ty, Type::Integer(_));
        if description.name == "main" || !description.parameters.iter().all(is_number) {
            return Self::default();
        }
        let names: BTreeMap<_, _> =
            variable_names(program, body).into_iter().map(|(name, id)| (id, name)).collect();
        let query = Query { property: Property::Termination, function: description.name.clone(), integers };
        let options = Options { detect_repetition: false, call_depth: 1_000, ..options(&query) };
        let machine = Machine::new(program, &options);
        let mut infinite = Vec::new();
        let is_unsigned = |place: usize| match body.variables[body.parameters[place]].ty {
            Type::Integer(ty) => integers == Integers::Machine && !ty.signed,
            _ => false,
        };
        for values in grid(body.parameters.len()) {
            // The largest numbers of a type take long.
            if values.iter().enumerate().any(|(place, &value)| value < 0 && is_unsigned(place)) {
                continue;
            }
            if budget.clone().spend(1).is_err() {
                break;
            }
            let given = values.iter().map(|&value| InputValue::Integer(value)).collect();
            let (mut inputs, mut part) = (FixedInputs::new(given, Vec::new()), budget.part(STEPS));
            let run =
                machine.run(function, &Arguments::FromInputs, &mut inputs, &mut DiscardedOutput, &mut part);
            if run.undefined.is_none()
                && matches!(run.outcome, Outcome::Stopped(_) | Outcome::Unsupported { .. })
            {
                let named = values.iter().zip(&body.parameters);
                let named = named.filter_map(|(&value, id)| Some((names.get(id)?.clone(), value)));
                infinite.push(named.collect());
            }
        }
        Self { infinite }
    }

    /// Whether nothing speaks against a condition.
    pub fn allow(&self, condition: &Formula) -> bool {
        !self.infinite.iter().any(|values| holds(condition, values) == Some(true))
    }
}

/// Combinations of the numbers, the first position changing fastest.
fn grid(count: usize) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let numbers: &[i128] = if all.len() * NUMBERS.len() <= RUNS { &NUMBERS } else { &NUMBERS[1..2] };
        all = numbers
            .iter()
            .flat_map(|&number| {
                all.iter().map(move |values| values.iter().copied().chain([number]).collect())
            })
            .collect();
    }
    all
}

/// Whether a condition on values at entry holds, if they tell.
fn holds(formula: &Formula, values: &BTreeMap<String, i128>) -> Option<bool> {
    match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Not(inner) => holds(inner, values).map(|holds| !holds),
        Formula::All(parts) => parts.iter().try_fold(true, |all, part| Some(all & holds(part, values)?)),
        Formula::Any(parts) => parts.iter().try_fold(false, |any, part| Some(any | holds(part, values)?)),
        Formula::Compare { left, comparison, right } => {
            Some(comparison.holds(&number(left, values)?, &number(right, values)?))
        }
        Formula::Every { .. } => None,
    }
}

fn number(expression: &Expression, values: &BTreeMap<String, i128>) -> Option<i128> {
    match expression {
        Expression::Constant(number) => i128::try_from(number).ok(),
        Expression::Quantity { quantity, moment: Moment::Start } => {
            values.get(quantity.variable.as_str()).copied()
        }
        Expression::Sum(parts) => {
            parts.iter().try_fold(0i128, |sum, part| sum.checked_add(number(part, values)?))
        }
        Expression::Product(parts) => {
            parts.iter().try_fold(1i128, |product, part| product.checked_mul(number(part, values)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_holds_where_runs_do_not_end_is_hopeless() {
        let text = "data_model LP64
            function f(%x: i32, %d: i32) { b0: goto b1
              b1: if 0:i32 < %x goto b2 else b3
              b2: %x := %x - %d goto b1
              b3: return }";
        let program = parser::parse(text).expect("it parses");
        let function = program.function_named("f").expect("it is there");
        let samples = Samples::of(&program, function, Integers::Mathematical, &Budget::unlimited());
        let allow = |text: &str| samples.allow(&text.parse().expect("a formula"));
        assert!(allow("start(d) > 0") && allow("start(x) <= 0") && allow("start(elsewhere) == 1"));
        assert!(!allow("start(d) >= 0") && !allow("start(x) > 0 && start(d) < 1"));
    }

    #[test]
    fn there_are_not_too_many_combinations() {
        assert_eq!(grid(0), [Vec::new()]);
        assert_eq!(grid(2).len(), 25);
        assert_eq!(grid(9).len(), RUNS);
        assert!(grid(9).iter().all(|values| values.len() == 9));
    }
}
