//! Transition invariants from templates (Tsitovich, Sharygina, Wintersteiger and Kroening, TACAS 2011, Table 1).
//!
//! ```text
//! 1, 2  x' < x, x' > x                          every number of the state that the loop changes
//! 3     sums and differences of two, the sum of all
//! 4     the greatest and the least of all
//! 5     x' < x, or x' = x and y' < y            one moves while those before it stand still
//! ```
//!
//! Each is a strict order of finitely many values, so that no chain of iterations is infinite (Observation 3): machine
//! numbers need no lower limit, and how an iteration computes the next number does not matter, it may wrap, divide or
//! work on bits. The numbers are variables, offsets of pointers and the ends of strings. Simple templates come first.
//! An iteration that contradicts one is held against all others, so that the kernel is asked a few times only.
//!
//! Deviation: row 5 of the paper is a union that is closed under composition only if a single variable ever moves. The
//! lexicographic order that contains its parts is closed by itself, and covers iterations that do both.

use base::Budget;
use certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use evidence::{Aspect, Comparison, Expression, Formula, Integer, Moment, Quantity};
use evidence::{Termination, TransitionInvariant, WellFounded};
use logic::evaluate::Evaluation;
use logic::{Model, Term, Value};
use program::Program;
use program::interpret::Integers;

use super::measured::{Measured, with_places};

/// So many numbers that change are examined.
const NUMBERS: usize = 8;

/// So many of them are examined in pairs.
const PAIRED: usize = 4;

/// So many queries are asked about one loop.
const QUERIES: usize = 24;

/// Looks for a template that shows that a loop is left, and has the kernel accept it. Gives whether that was done.
pub fn fit(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    effort: Effort,
    budget: &mut Budget,
) -> bool {
    if abstraction.is_never_repeated(abstract_loop)
        || abstraction.termination_argument(abstract_loop).is_some()
    {
        return true;
    }
    if abstraction.encoder().options.integers == Integers::Mathematical {
        return false;
    }
    let numbers = numbers(program, abstraction, abstract_loop);
    let mut left = templates(&numbers);
    for _ in 0..QUERIES {
        let Some(first) = left.first() else { return false };
        match abstraction.ends(abstract_loop, &first.argument(&numbers), effort, budget) {
            ArgumentCheck::Left => return true,
            ArgumentCheck::Iteration(model) => {
                let values = Values::of(abstraction, &numbers, &model);
                let before = left.len();
                left.retain(|template| template.is_so(&values));
                // An iteration that was only possible between states, not from one head to the next, rules out the
                // first.
                if left.len() == before {
                    left.remove(0);
                }
            }
            ArgumentCheck::NotKnown(_) | ArgumentCheck::Refused(_) => _ = left.remove(0),
        }
    }
    false
}

/// The numbers that templates speak of: those that change, then what is made of them.
fn numbers(program: &Program, abstraction: &mut Abstraction<'_>, abstract_loop: usize) -> Vec<Measured> {
    let mut found = with_places(program, abstraction, abstract_loop);
    found.retain(|one| one.before != one.after);
    found.truncate(NUMBERS);
    let changing = found.len();
    let one = abstraction.abstract_loops()[abstract_loop].clone();
    let (Some(again), Some(start)) = (&one.again, one.starts.last()) else { return found };
    let singles: Vec<Expression> = found.iter().map(|one| one.expression.clone()).collect();
    let mut made: Vec<Expression> = Vec::new();
    for (place, first) in singles.iter().take(PAIRED).enumerate() {
        for second in &singles[..place] {
            made.extend([first.clone() + second.clone(), first.clone() - second.clone()]);
        }
    }
    if changing > 2 {
        made.push(Expression::Sum(singles.clone()));
    }
    if changing > 1 {
        made.extend([Expression::Maximum(singles.clone()), Expression::Minimum(singles.clone())]);
    }
    made.extend(singles.iter().filter_map(rest_of_string));
    for expression in made {
        let before = abstraction.number(abstract_loop, &expression, &start.state);
        let after = abstraction.number(abstract_loop, &expression, again);
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            found.push(Measured { expression, is_of_the_source: true, before, after });
        }
    }
    found
}

/// How far a pointer is from the end of the string that it points into.
fn rest_of_string(number: &Expression) -> Option<Expression> {
    match number {
        Expression::Quantity { quantity, moment: Moment::Now } if quantity.aspect == Aspect::Offset => {
            let length = Quantity { variable: quantity.variable.clone(), aspect: Aspect::Length };
            Some(length.at(Moment::Now) - number.clone())
        }
        _ => None,
    }
}

/// A number by its place, and whether it gets less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Moves {
    number: usize,
    falls: bool,
}

/// Numbers of which the first that changes moves in its direction.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Template(Vec<Moves>);

fn templates(numbers: &[Measured]) -> Vec<Template> {
    let both = |number| [true, false].map(|falls| Moves { number, falls });
    let mut found: Vec<Template> =
        (0..numbers.len()).flat_map(both).map(|moves| Template(vec![moves])).collect();
    let is_single = |one: &Measured| matches!(one.expression, Expression::Quantity { .. });
    let paired = numbers.iter().take_while(|one| is_single(one)).take(PAIRED).count();
    for first in (0..paired).flat_map(both) {
        let others = (0..paired).filter(|other| *other != first.number).flat_map(both);
        found.extend(others.map(|second| Template(vec![first, second])));
    }
    found
}

impl Template {
    fn argument(&self, numbers: &[Measured]) -> Termination {
        let mut choices = Vec::new();
        for (place, last) in self.0.iter().enumerate() {
            let still = self.0[..place].iter().map(|before| {
                let number = &numbers[before.number].expression;
                next(number).equals(number.clone())
            });
            let number = &numbers[last.number].expression;
            let comparison = if last.falls { Comparison::Less } else { Comparison::Greater };
            let moved = next(number).compare(comparison, number.clone());
            let all: Vec<Formula> = still.chain([moved]).collect();
            choices.push(if place == 0 { all[0].clone() } else { Formula::All(all) });
        }
        let relation = if choices.len() == 1 { choices.swap_remove(0) } else { Formula::Any(choices) };
        Termination::Disjunctive {
            invariant: TransitionInvariant { disjuncts: vec![relation] },
            arguments: vec![WellFounded::FiniteOrder],
        }
    }

    /// Whether an iteration is as it says.
    fn is_so(&self, values: &Values) -> bool {
        for moves in &self.0 {
            let Some((before, after)) = &values.0[moves.number] else { return true };
            match before.cmp(after) {
                std::cmp::Ordering::Equal => {}
                order => return (order == std::cmp::Ordering::Greater) == moves.falls,
            }
        }
        false
    }
}

fn next(number: &Expression) -> Expression {
    number.at_next().unwrap_or_else(|| number.clone())
}

/// The numbers before and after an iteration, as far as they are known.
struct Values(Vec<Option<(Integer, Integer)>>);

impl Values {
    fn of(abstraction: &Abstraction<'_>, numbers: &[Measured], model: &Model) -> Self {
        let mut evaluation = Evaluation::new(&abstraction.encoder().terms, model);
        let mut number = |term: Term| match evaluation.value(term) {
            Value::BitVector(bits) => bits.to_i128().map(Integer::from),
            Value::Integer(number) => Some(number.clone()),
            _ => None,
        };
        Self(numbers.iter().map(|one| number(one.before).zip(number(one.after))).collect())
    }
}
