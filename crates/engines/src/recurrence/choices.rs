//! Guesses at how the environment chooses inputs so that iterations go on: constants first, then numbers of the state.
//!
//! Where an iteration asks for many inputs, the solver gives numbers with which the first iterations go on. They serve
//! as a start: one input after the other gets a number over the state that the program compares it with, wherever the
//! iterations go on for longer then.

use std::collections::BTreeSet;

use base::Budget;
use certify::recurrence::Iteration;
use evidence::{Expression, Formula, Integer};
use logic::solver::Embedded;
use program::Type;

use super::candidates::{now, relevant};
use super::conditions::limits_of_inputs;
use super::states::follow;

/// Constants that are tried for all inputs.
const CONSTANTS: [i64; 7] = [1, 0, -1, 2, 3, 10, 100];

/// Mixtures are tried for so many inputs.
const FEW: usize = 5;

/// How many mixtures are tried.
const MIXTURES: usize = 60;

/// How often the solver is asked for numbers, each time for so many iterations.
const ASKED: [u32; 6] = [2, 1, 3, 2, 1, 2];

/// How many choices are handed on.
const MOST: usize = 3;

/// How many choices are tried on the way to a better one.
const CLIMBS: usize = 120;

/// A choice for each input, and the states that iterations with it lead through.
pub(super) type Lasting = (Vec<Expression>, Vec<Vec<Integer>>);

/// Choices with which iterations go on for a while.
pub(super) fn lasting(
    iteration: &mut Iteration<'_>,
    tested: &[Formula],
    count: usize,
    budget: &mut Budget,
) -> Vec<Lasting> {
    let inputs = iteration.inputs().len();
    if inputs == 0 {
        return tried(iteration, vec![Vec::new()], count, budget);
    }
    let numbers = numbers(tested);
    let same = numbers.iter().map(|number| vec![number.clone(); inputs]).collect();
    let mut found = tried(iteration, same, count, budget);
    if found.len() < MOST {
        found.extend(asked(iteration, count, budget));
    }
    if found.is_empty() && inputs <= FEW {
        let mixed = mixtures(iteration, numbers);
        found = tried(iteration, mixed, count, budget);
    }
    found.truncate(MOST);
    found
}

/// Those of some choices that last.
fn tried(
    iteration: &Iteration<'_>,
    all: Vec<Vec<Expression>>,
    count: usize,
    budget: &mut Budget,
) -> Vec<Lasting> {
    let mut found = Vec::new();
    for choices in all {
        if budget.spend(1).is_err() || found.len() == MOST {
            break;
        }
        if let (states, true) = follow(iteration, &choices, count) {
            found.push((choices, states));
        }
    }
    found
}

/// Choices that start from numbers that the solver gives.
fn asked(iteration: &mut Iteration<'_>, count: usize, budget: &mut Budget) -> Vec<Lasting> {
    let limits = limits_of_inputs(iteration);
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for periods in ASKED {
        let mut solver: Embedded = Embedded::new();
        if budget.spend(1).is_err() || found.len() == MOST {
            break;
        }
        let Some(numbers) = iteration.inputs_for(periods, &known, &mut solver, budget) else { continue };
        let choices = numbers.iter().cloned().map(Expression::Constant).collect();
        known.push(numbers);
        found.extend(climb(iteration, choices, &limits, count, budget));
    }
    found
}

/// Exchanges the numbers of inputs for what they are compared with, as long as iterations go on for longer.
fn climb(
    iteration: &Iteration<'_>,
    mut choices: Vec<Expression>,
    limits: &[(usize, Expression)],
    count: usize,
    budget: &mut Budget,
) -> Option<(Vec<Expression>, Vec<Vec<Integer>>)> {
    let (mut states, mut lasts) = follow(iteration, &choices, count);
    let mut tries = 0;
    let mut better = true;
    while better && !lasts {
        better = false;
        for (input, limit) in limits {
            tries += 1;
            if tries > CLIMBS || budget.spend(1).is_err() {
                return None;
            }
            let mut other = choices.clone();
            other[*input] = limit.clone();
            let (others, last) = follow(iteration, &other, count);
            if last || others.len() > states.len() {
                (choices, states, lasts, better) = (other, others, last, true);
            }
            if lasts {
                break;
            }
        }
    }
    lasts.then_some((choices, states))
}

/// Constants that are tried.
fn numbers(tested: &[Formula]) -> Vec<Expression> {
    let few = CONSTANTS.iter().map(|&number| Expression::from(number));
    few.chain(constants(tested).into_iter().take(12).map(Expression::Constant)).collect()
}

/// Another choice for each input: constants, and numbers of the state.
fn mixtures(iteration: &Iteration<'_>, mut numbers: Vec<Expression>) -> Vec<Vec<Expression>> {
    for part in relevant(iteration).into_iter().take(8) {
        let part = now(iteration, part);
        numbers.extend([part.clone(), part.clone() + 1, part.clone() - 1, -part]);
    }
    let inputs = iteration.inputs();
    let mut all: Vec<Vec<Expression>> = Vec::new();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..MIXTURES {
        let choice = inputs.iter().map(|(_, ty)| {
            // Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            let few = if *ty == Type::Bool { 2 } else { numbers.len() };
            numbers[((mixed ^ mixed >> 31) % few as u64) as usize].clone()
        });
        let choice: Vec<Expression> = choice.collect();
        if !all.contains(&choice) {
            all.push(choice);
        }
    }
    all
}

/// The constants in some conditions, and their neighbours.
fn constants(tested: &[Formula]) -> BTreeSet<Integer> {
    let mut found = BTreeSet::new();
    for formula in tested {
        if let Formula::Compare { left, right, .. } = formula {
            for side in [left, right] {
                if let Expression::Constant(number) = side {
                    found.extend([number.clone(), number + Integer::ONE, number - Integer::ONE]);
                }
            }
        }
    }
    found
}
