//! Ranking functions of linear relations.
//!
//! A relation is a union of steps, each a conjunction of linear constraints. That a number is never negative on a step is,
//! by Farkas' lemma, the same as being a sum of multiples of the constraints; with the coefficients of a rank as further
//! unknowns this stays a linear program, which has a solution if and only if there is such a rank over the rationals
//! (Podelski and Rybalchenko, VMCAI 2004). Constraints are tightened for integers first.
//!
//! ```text
//! linear          one rank for all steps
//! lexicographic   ranks one after the other: none increases on the steps that are left, each settles some of them
//!                 (Bradley, Manna and Sipma, CAV 2005; taking any that is settled loses nothing)
//! nested          ranks that become negative one after the other (Leike and Heizmann, TACAS 2014)
//! ```

use std::collections::BTreeSet;

use base::Budget;
use logic::Integer;
use logic::numbers::linear::{Constraint, Relation};
use logic::numbers::simplex::{self, Optimum, Point, Problem, Range, VariableId};
use logic::numbers::{Linear, Rational};

/// No rank is nested deeper.
const DEEPEST: usize = 4;

/// Pivots that a linear program may take.
const STEPS: u64 = 20_000;

/// One way through a relation, over unknowns of any kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Step<K> {
    /// What holds.
    pub constraints: Vec<Constraint<K>>,
    /// The quantities before it.
    pub before: Vec<Linear<K>>,
    /// The quantities after it.
    pub after: Vec<Linear<K>>,
}

/// A rank: coefficients of the quantities, and a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    /// One for each quantity.
    pub coefficients: Vec<Integer>,
    /// The constant.
    pub constant: Integer,
}

/// Why a relation has no infinite chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ranks {
    /// Each step decreases it, from a number that is not negative.
    Linear(Rank),
    /// Each step decreases one of them so, and none before it increases.
    Lexicographic(Vec<Rank>),
    /// Each decreases by more than its predecessor is negative; the last is not negative.
    Nested(Vec<Rank>),
}

/// Ranks of a relation, the simplest kind first.
pub fn synthesise<K: Ord + Copy>(steps: &[Step<K>], budget: &mut Budget) -> Option<Ranks> {
    if let Some(rank) = linear(steps, budget) {
        return Some(Ranks::Linear(rank));
    }
    if steps.len() > 1
        && let Some(ranks) = lexicographic(steps, budget)
    {
        return Some(Ranks::Lexicographic(ranks));
    }
    (2..=DEEPEST).find_map(|depth| nested(steps, depth, budget)).map(Ranks::Nested)
}

/// A rank that every step decreases.
pub fn linear<K: Ord + Copy>(steps: &[Step<K>], budget: &mut Budget) -> Option<Rank> {
    let mut program = Program::new(steps, 1);
    for step in steps {
        program.decreases(step, 0, None, 1);
        program.not_negative(step, 0);
    }
    program.solve(budget)?.pop()
}

/// Ranks of which the first that a step changes decreases.
pub fn lexicographic<K: Ord + Copy>(steps: &[Step<K>], budget: &mut Budget) -> Option<Vec<Rank>> {
    let mut left: Vec<Step<K>> = steps.to_vec();
    let mut ranks = Vec::new();
    while !left.is_empty() {
        let rank = (0..left.len()).find_map(|chosen| settles(&left, chosen, budget))?;
        let settled = |step: &Step<K>, budget: &mut Budget| {
            let mut program = Program::fixed(step, &rank);
            program.decreases(step, 0, None, 1);
            program.not_negative(step, 0);
            program.solve(budget).is_some()
        };
        let count = left.len();
        left.retain(|step| !settled(step, budget));
        if left.len() == count {
            return None;
        }
        ranks.push(rank);
    }
    Some(ranks)
}

/// A rank that no step increases and one decreases.
fn settles<K: Ord + Copy>(steps: &[Step<K>], chosen: usize, budget: &mut Budget) -> Option<Rank> {
    let mut program = Program::new(steps, 1);
    for (place, step) in steps.iter().enumerate() {
        if place == chosen {
            program.decreases(step, 0, None, 1);
            program.not_negative(step, 0);
        } else {
            program.decreases(step, 0, None, 0);
        }
    }
    program.solve(budget)?.pop()
}

/// Nested ranks, so many.
pub fn nested<K: Ord + Copy>(steps: &[Step<K>], depth: usize, budget: &mut Budget) -> Option<Vec<Rank>> {
    let mut program = Program::new(steps, depth);
    for step in steps {
        for rank in 0..depth {
            program.decreases(step, rank, rank.checked_sub(1), 1);
        }
        program.not_negative(step, depth - 1);
    }
    program.solve(budget)
}

/// A coefficient as the difference of two numbers that are not negative, whose sum is kept small.
type Coefficient = (VariableId, VariableId);

/// A linear program for the coefficients of ranks.
struct Program {
    problem: Problem,
    /// The coefficients of each rank; the constant is the last.
    ranks: Vec<Vec<Coefficient>>,
}

impl Program {
    fn new<K>(steps: &[Step<K>], ranks: usize) -> Self {
        let quantities = steps.first().map_or(0, |step| step.before.len());
        let mut problem = Problem::new();
        let mut coefficient =
            || (problem.new_variable(Range::NonNegative), problem.new_variable(Range::NonNegative));
        let ranks = (0..ranks).map(|_| (0..=quantities).map(|_| coefficient()).collect()).collect();
        Self { problem, ranks }
    }

    /// A program whose only rank is known.
    fn fixed<K>(step: &Step<K>, rank: &Rank) -> Self {
        let mut program = Self::new(std::slice::from_ref(step), 1);
        let values = rank.coefficients.iter().chain([&rank.constant]);
        for (&(plus, minus), value) in program.ranks[0].iter().zip(values) {
            let difference = &Linear::variable(plus) - &Linear::variable(minus);
            _ = program.problem.constrain(
                &difference,
                simplex::Relation::Equal,
                Rational::from(value.clone()),
            );
        }
        program
    }

    /// Demands that a step decreases a rank by some number or more, seen from the rank plus another one.
    fn decreases<K: Ord + Copy>(&mut self, step: &Step<K>, rank: usize, plus: Option<usize>, by: i64) {
        let change: Vec<Linear<K>> =
            step.before.iter().zip(&step.after).map(|(before, after)| before - after).collect();
        let mut parts = vec![(rank, change, false)];
        if let Some(other) = plus {
            parts.push((other, step.before.clone(), true));
        }
        self.demand(step, &parts, -by);
    }

    /// Demands that a rank is not negative before a step.
    fn not_negative<K: Ord + Copy>(&mut self, step: &Step<K>, rank: usize) {
        self.demand(step, &[(rank, step.before.clone(), true)], 0);
    }

    /// Demands that a sum of ranks of some numbers, with or without their constants, and a constant is never negative
    /// where the constraints of a step hold.
    fn demand<K: Ord + Copy>(
        &mut self,
        step: &Step<K>,
        parts: &[(usize, Vec<Linear<K>>, bool)],
        constant: i64,
    ) {
        let multipliers: Vec<VariableId> = step
            .constraints
            .iter()
            .map(|constraint| match constraint.relation {
                Relation::Equal => self.problem.new_variable(Range::Free),
                Relation::AtMost | Relation::Less => self.problem.new_variable(Range::NonNegative),
            })
            .collect();
        let mut unknowns: BTreeSet<K> = BTreeSet::new();
        let numbers = parts.iter().flat_map(|(_, numbers, _)| numbers);
        for number in numbers.chain(step.constraints.iter().map(|constraint| &constraint.expression)) {
            unknowns.extend(number.terms().iter().map(|(unknown, _)| *unknown));
        }
        for unknown in unknowns {
            let sum = self.sum(step, parts, &multipliers, |number| number.coefficient(unknown), false);
            self.problem.constrain(&sum, simplex::Relation::Equal, Rational::ZERO);
        }
        let sum = self.sum(step, parts, &multipliers, |number| number.constant_part(), true);
        self.problem.constrain(&sum, simplex::Relation::AtLeast, Rational::from(-constant));
    }

    /// What stands with one unknown: in the ranks, and in the constraints times their multipliers.
    fn sum<K: Ord + Copy>(
        &self,
        step: &Step<K>,
        parts: &[(usize, Vec<Linear<K>>, bool)],
        multipliers: &[VariableId],
        of: impl Fn(&Linear<K>) -> &Rational,
        is_constant: bool,
    ) -> Linear<VariableId> {
        let mut terms: Vec<(VariableId, Rational)> = Vec::new();
        for (rank, numbers, with_constant) in parts {
            let coefficients = &self.ranks[*rank];
            for (&(plus, minus), number) in coefficients.iter().zip(numbers) {
                let value = of(number);
                if !value.is_zero() {
                    terms.push((plus, value.clone()));
                    terms.push((minus, -value.clone()));
                }
            }
            if is_constant
                && *with_constant
                && let Some(&(plus, minus)) = coefficients.last()
            {
                terms.push((plus, Rational::ONE));
                terms.push((minus, -Rational::ONE));
            }
        }
        for (&multiplier, constraint) in multipliers.iter().zip(&step.constraints) {
            let value = of(&constraint.expression);
            if !value.is_zero() {
                terms.push((multiplier, value.clone()));
            }
        }
        Linear::new(terms, 0)
    }

    /// The ranks with the smallest coefficients, as integers.
    fn solve(mut self, budget: &mut Budget) -> Option<Vec<Rank>> {
        let size = self.ranks.iter().flat_map(|rank| &rank[..rank.len() - 1]);
        let size = size.flat_map(|&(plus, minus)| [(plus, Rational::ONE), (minus, Rational::ONE)]);
        let size = Linear::new(size, 0);
        let mut part = budget.part(STEPS);
        let before = part.remaining_steps();
        let optimum = self.problem.minimize(&size, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        match optimum.ok()? {
            Optimum::Optimal { point, .. } | Optimum::Unbounded { point, .. } => Some(self.ranks(&point)),
            Optimum::Infeasible(_) => None,
        }
    }

    /// The ranks at a point, all multiplied by the same number so that they become integers.
    fn ranks(&self, point: &Point) -> Vec<Rank> {
        use base::Index;
        let value = |&(plus, minus): &Coefficient| &point[plus.index()] - &point[minus.index()];
        let all: Vec<Vec<Rational>> =
            self.ranks.iter().map(|rank| rank.iter().map(value).collect()).collect();
        let single = all.len() == 1;
        // The constant of a single rank can be rounded; where ranks are added it has to stay.
        let scaled = all.iter().flat_map(|rank| &rank[..rank.len() - usize::from(single)]);
        let numbered: Vec<(usize, Rational)> = scaled.cloned().enumerate().collect();
        let factor = Linear::new(numbered, 0).primitive_factor();
        let integer = |number: &Rational| (number * &factor).floor();
        all.iter()
            .map(|rank| Rank {
                coefficients: rank[..rank.len() - 1].iter().map(integer).collect(),
                constant: rank.last().map(integer).unwrap_or_default(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Number = Linear<u32>;

    fn number(terms: &[(u32, i64)], constant: i64) -> Number {
        Linear::new(terms.iter().map(|&(unknown, factor)| (unknown, Rational::from(factor))), constant)
    }

    fn at_most_zero(terms: &[(u32, i64)], constant: i64) -> Constraint<u32> {
        Constraint { expression: number(terms, constant), relation: Relation::AtMost }
    }

    fn budget() -> Budget {
        Budget::new(1_000_000)
    }

    /// x > 0, x' = x - 1
    fn countdown() -> Step<u32> {
        Step {
            constraints: vec![at_most_zero(&[(0, -1)], 1)],
            before: vec![number(&[(0, 1)], 0)],
            after: vec![number(&[(0, 1)], -1)],
        }
    }

    #[test]
    fn a_countdown_has_a_linear_rank() {
        let rank = linear(&[countdown()], &mut budget()).expect("a rank");
        assert_eq!(rank.coefficients, [Integer::ONE]);
    }

    #[test]
    fn a_loop_that_grows_has_none() {
        let step = Step { after: vec![number(&[(0, 1)], 1)], ..countdown() };
        assert_eq!(synthesise(&[step], &mut budget()), None);
    }

    #[test]
    fn two_counters_of_which_one_is_reset_need_two_ranks() {
        // x > 0, x' = x - 1, y' is anything; or y > 0, y' = y - 1.
        let first = Step {
            constraints: vec![at_most_zero(&[(0, -1)], 1)],
            before: vec![number(&[(0, 1)], 0), number(&[(1, 1)], 0)],
            after: vec![number(&[(0, 1)], -1), number(&[(2, 1)], 0)],
        };
        let second = Step {
            constraints: vec![at_most_zero(&[(1, -1)], 1)],
            before: first.before.clone(),
            after: vec![number(&[(0, 1)], 0), number(&[(1, 1)], -1)],
        };
        let found = synthesise(&[first, second], &mut budget());
        assert!(matches!(found, Some(Ranks::Lexicographic(ranks)) if ranks.len() == 2));
    }

    #[test]
    fn a_number_that_grows_before_it_falls_needs_two_phases() {
        // x > 0, x' = x + y, y' = y - 1
        let step = Step {
            constraints: vec![at_most_zero(&[(0, -1)], 1)],
            before: vec![number(&[(0, 1)], 0), number(&[(1, 1)], 0)],
            after: vec![number(&[(0, 1), (1, 1)], 0), number(&[(1, 1)], -1)],
        };
        assert_eq!(linear(std::slice::from_ref(&step), &mut budget()), None);
        assert!(matches!(synthesise(&[step], &mut budget()), Some(Ranks::Nested(ranks)) if ranks.len() == 2));
    }
}
