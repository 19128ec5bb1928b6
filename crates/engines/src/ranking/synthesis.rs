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
//!
//! Each of the first two also with ranks that are one sum where some number is not negative and another one elsewhere
//! (piecewise, as in Urban, SAS 2013): the steps are split by that number before and after.

use std::collections::BTreeMap;

use base::{Budget, Index};
use evidence::{Expression, Ranking};
use logic::numbers::linear::{Constraint, Relation};
use logic::numbers::simplex::{Optimum, Point, Problem, Range, VariableId};
use logic::numbers::{Linear, Rational};

use crate::linear::written;

/// No rank is nested deeper.
const DEEPEST: usize = 4;

/// So many numbers are tried to split ranks by.
const SPLITS: usize = 12;
const FEW_SPLITS: usize = 3;

/// So many times as important as constants are the coefficients, which are to be small.
const CONSTANTS: i64 = 1 << 40;

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

/// A sum of quantities, each by its place, with coefficients that are integers.
pub type Sum = Linear<usize>;

/// A number that steps decrease.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rank {
    /// A sum.
    Plain(Sum),
    /// One sum where another one is not negative, and a third elsewhere.
    Split {
        /// What decides.
        by: Sum,
        /// The rank where that is not negative.
        then: Sum,
        /// The rank where it is.
        otherwise: Sum,
    },
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

impl Rank {
    /// In the words of evidence, if each quantity has some.
    pub fn expression(&self, quantity: &dyn Fn(usize) -> Option<Expression>) -> Option<Expression> {
        let sum = |sum: &Sum| {
            let terms = sum.terms().iter();
            let terms = terms.map(|(place, factor)| Some((quantity(*place)?, factor.clone())));
            Some(written(terms.collect::<Option<Vec<_>>>()?, sum.constant_part()))
        };
        Some(match self {
            Rank::Plain(plain) => sum(plain)?,
            Rank::Split { by, then, otherwise } => {
                Expression::select(sum(by)?.at_least(0), sum(then)?, sum(otherwise)?)
            }
        })
    }
}

impl Ranks {
    /// In the words of evidence, if each quantity has some.
    pub fn ranking(&self, quantity: &dyn Fn(usize) -> Option<Expression>) -> Option<Ranking> {
        let all = |ranks: &[Rank]| ranks.iter().map(|rank| rank.expression(quantity)).collect::<Option<_>>();
        Some(match self {
            Ranks::Linear(rank) => Ranking::Linear(rank.expression(quantity)?),
            Ranks::Lexicographic(ranks) => Ranking::Lexicographic(all(ranks)?),
            Ranks::Nested(ranks) => Ranking::Nested(all(ranks)?),
        })
    }
}

/// Ranks of a relation, the simplest kind first. Ranks may be split by some numbers.
pub fn synthesise<K: Ord + Copy>(steps: &[Step<K>], splits: &[Sum], budget: &mut Budget) -> Option<Ranks> {
    let whole: Vec<Part<K>> = steps.iter().map(Part::whole).collect();
    if let Some(ranks) = one_or_more(&whole, None, budget) {
        return Some(ranks);
    }
    if let Some(ranks) = (2..=DEEPEST).find_map(|depth| nested(&whole, depth, budget)) {
        return Some(Ranks::Nested(ranks));
    }
    splits.iter().take(SPLITS).find_map(|by| piecewise(steps, by, budget))
}

/// The same without nested ranks, and with few splits.
pub fn synthesise_unnested<K: Ord + Copy>(
    steps: &[Step<K>],
    splits: &[Sum],
    budget: &mut Budget,
) -> Option<Ranks> {
    let whole: Vec<Part<K>> = steps.iter().map(Part::whole).collect();
    one_or_more(&whole, None, budget)
        .or_else(|| splits.iter().take(FEW_SPLITS).find_map(|by| piecewise(steps, by, budget)))
}

/// Ranks that are split by a number.
fn piecewise<K: Ord + Copy>(steps: &[Step<K>], by: &Sum, budget: &mut Budget) -> Option<Ranks> {
    let parts: Vec<Part<K>> = steps.iter().flat_map(|step| Part::split(step, by, budget)).collect();
    one_or_more(&parts, Some(by), budget)
}

/// A linear rank or, if there is none, lexicographic ones.
fn one_or_more<K: Ord + Copy>(parts: &[Part<K>], by: Option<&Sum>, budget: &mut Budget) -> Option<Ranks> {
    match linear(parts, by, budget) {
        Some(rank) => Some(Ranks::Linear(rank)),
        None if parts.len() < 2 => None,
        None => lexicographic(parts, by, budget).map(Ranks::Lexicographic),
    }
}

/// A step, or a part of it, with the pieces of a rank that count before and after it.
#[derive(Clone)]
struct Part<K> {
    constraints: Vec<Constraint<K>>,
    before: Vec<Linear<K>>,
    after: Vec<Linear<K>>,
    from: usize,
    to: usize,
}

impl<K: Ord + Copy> Part<K> {
    fn whole(step: &Step<K>) -> Self {
        let Step { constraints, before, after } = step.clone();
        Self { constraints, before, after, from: 0, to: 0 }
    }

    /// The parts of a step in which a number is negative or not, before and after.
    fn split(step: &Step<K>, by: &Sum, budget: &mut Budget) -> Vec<Self> {
        let mut parts = Vec::new();
        for (from, to) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut part = Self { from, to, ..Self::whole(step) };
            part.constraints.push(side(&by.mapped(|at| step.before[at].clone()), from));
            part.constraints.push(side(&by.mapped(|at| step.after[at].clone()), to));
            if part.is_possible(budget) {
                parts.push(part);
            }
        }
        parts
    }

    fn is_possible(&self, budget: &mut Budget) -> bool {
        let mut problem = Problem::new();
        let mut variables: BTreeMap<K, VariableId> = BTreeMap::new();
        for constraint in &self.constraints {
            let mut variable =
                |unknown: K| *variables.entry(unknown).or_insert_with(|| problem.new_variable(Range::Free));
            let expression = constraint.expression.renamed(&mut variable);
            problem.constrain(&Constraint { expression, relation: constraint.relation });
        }
        let mut part = budget.part(STEPS);
        problem.is_feasible(&mut part) != Ok(false)
    }
}

/// That a number is not negative, or that it is.
fn side<K: Ord + Copy>(number: &Linear<K>, piece: usize) -> Constraint<K> {
    match piece {
        0 => Constraint::at_most(&Linear::zero(), number),
        _ => Constraint::at_most(number, &Linear::constant(-1)),
    }
}

/// A rank that every part decreases.
fn linear<K: Ord + Copy>(parts: &[Part<K>], by: Option<&Sum>, budget: &mut Budget) -> Option<Rank> {
    let mut program = Program::new(parts, 1, by);
    for part in parts {
        program.decreases(part, 0, None, 1);
        program.not_negative(part, 0);
    }
    program.solve(budget)?.pop()
}

/// Ranks of which the first that a part changes decreases.
fn lexicographic<K: Ord + Copy>(
    parts: &[Part<K>],
    by: Option<&Sum>,
    budget: &mut Budget,
) -> Option<Vec<Rank>> {
    let mut left: Vec<Part<K>> = parts.to_vec();
    let mut ranks = Vec::new();
    while !left.is_empty() {
        budget.spend(1).ok()?;
        let rank = (0..left.len()).find_map(|chosen| settles(&left, chosen, by, budget))?;
        let count = left.len();
        left.retain(|part| {
            let mut program = Program::new(std::slice::from_ref(part), 1, by);
            program.fix(&rank);
            program.decreases(part, 0, None, 1);
            program.not_negative(part, 0);
            program.solve(budget).is_none()
        });
        if left.len() == count {
            return None;
        }
        ranks.push(rank);
    }
    Some(ranks)
}

/// A rank that no part increases and one decreases.
fn settles<K: Ord + Copy>(
    parts: &[Part<K>],
    chosen: usize,
    by: Option<&Sum>,
    budget: &mut Budget,
) -> Option<Rank> {
    budget.spend(1).ok()?;
    let mut program = Program::new(parts, 1, by);
    for (place, part) in parts.iter().enumerate() {
        program.decreases(part, 0, None, i64::from(place == chosen));
        if place == chosen {
            program.not_negative(part, 0);
        }
    }
    program.solve(budget)?.pop()
}

/// Nested ranks, so many.
fn nested<K: Ord + Copy>(parts: &[Part<K>], depth: usize, budget: &mut Budget) -> Option<Vec<Rank>> {
    let mut program = Program::new(parts, depth, None);
    for part in parts {
        for rank in 0..depth {
            program.decreases(part, rank, rank.checked_sub(1), 1);
        }
        program.not_negative(part, depth - 1);
    }
    program.solve(budget)
}

/// A coefficient as the difference of two numbers that are not negative, whose sum is kept small.
type Coefficient = (VariableId, VariableId);

/// A rank of some numbers, its constant so often.
struct Addend<K> {
    sum: usize,
    numbers: Vec<Linear<K>>,
    constants: i64,
}

/// A linear program for the coefficients of ranks.
struct Program {
    problem: Problem,
    /// The coefficients of each sum; the constant is the last. A rank has as many sums as pieces.
    sums: Vec<Vec<Coefficient>>,
    by: Option<Sum>,
}

impl Program {
    fn new<K>(parts: &[Part<K>], ranks: usize, by: Option<&Sum>) -> Self {
        let quantities = parts.first().map_or(0, |part| part.before.len());
        let mut problem = Problem::new();
        let mut coefficient =
            || (problem.new_variable(Range::NonNegative), problem.new_variable(Range::NonNegative));
        let sums = ranks * (1 + usize::from(by.is_some()));
        let sums = (0..sums).map(|_| (0..=quantities).map(|_| coefficient()).collect()).collect();
        Self { problem, sums, by: by.cloned() }
    }

    const fn place(&self, rank: usize, piece: usize) -> usize {
        if self.by.is_some() { 2 * rank + piece } else { rank }
    }

    /// Requires that the only rank is a known one.
    fn fix(&mut self, rank: &Rank) {
        let known = match rank {
            Rank::Plain(sum) => vec![sum],
            Rank::Split { then, otherwise, .. } => vec![then, otherwise],
        };
        for (coefficients, sum) in self.sums.iter().zip(known) {
            for (place, &(plus, minus)) in coefficients.iter().enumerate() {
                let is_constant = place + 1 == coefficients.len();
                let value = if is_constant { sum.constant_part() } else { sum.coefficient(place) };
                let difference = &Linear::variable(plus) - &Linear::variable(minus);
                self.problem.constrain(&Constraint::equal(&difference, &Linear::constant(value.clone())));
            }
        }
    }

    /// Requires that a part decreases a rank by some number or more, seen from the rank plus another one.
    fn decreases<K: Ord + Copy>(&mut self, part: &Part<K>, rank: usize, plus: Option<usize>, by: i64) {
        let after = part.after.iter().map(|number| -number).collect();
        let mut addends = vec![
            Addend { sum: self.place(rank, part.from), numbers: part.before.clone(), constants: 1 },
            Addend { sum: self.place(rank, part.to), numbers: after, constants: -1 },
        ];
        if let Some(other) = plus {
            let sum = self.place(other, part.from);
            addends.push(Addend { sum, numbers: part.before.clone(), constants: 1 });
        }
        self.require(part, &addends, -by);
    }

    /// Requires that a rank is not negative before a part.
    fn not_negative<K: Ord + Copy>(&mut self, part: &Part<K>, rank: usize) {
        let sum = self.place(rank, part.from);
        self.require(part, &[Addend { sum, numbers: part.before.clone(), constants: 1 }], 0);
    }

    /// Requires that a sum of ranks and a constant is never negative where the constraints of a part hold.
    fn require<K: Ord + Copy>(&mut self, part: &Part<K>, addends: &[Addend<K>], constant: i64) {
        let multipliers: Vec<VariableId> = part
            .constraints
            .iter()
            .map(|constraint| match constraint.relation {
                Relation::Equal => self.problem.new_variable(Range::Free),
                Relation::AtMost | Relation::Less => self.problem.new_variable(Range::NonNegative),
            })
            .collect();
        let mut rows: BTreeMap<Option<K>, Vec<(VariableId, Rational)>> = BTreeMap::new();
        rows.insert(None, Vec::new());
        for addend in addends {
            let coefficients = &self.sums[addend.sum];
            for (&(plus, minus), number) in coefficients.iter().zip(&addend.numbers) {
                add(&mut rows, number, plus, &Rational::ONE);
                add(&mut rows, number, minus, &-Rational::ONE);
            }
            if let Some(&(plus, minus)) = coefficients.last() {
                let constant = Linear::constant(addend.constants);
                add(&mut rows, &constant, plus, &Rational::ONE);
                add(&mut rows, &constant, minus, &-Rational::ONE);
            }
        }
        for (&multiplier, constraint) in multipliers.iter().zip(&part.constraints) {
            add(&mut rows, &constraint.expression, multiplier, &Rational::ONE);
        }
        for (unknown, row) in rows {
            let sum = Linear::new(row, 0);
            self.problem.constrain(&match unknown {
                Some(_) => Constraint { expression: sum, relation: Relation::Equal },
                None => Constraint::at_most(&Linear::constant(-constant), &sum),
            });
        }
    }

    /// The ranks with the smallest coefficients, as integers.
    fn solve(mut self, budget: &mut Budget) -> Option<Vec<Rank>> {
        budget.spend(1).ok()?;
        let size = self.sums.iter().flat_map(|sum| {
            sum.iter().enumerate().flat_map(|(place, &(plus, minus))| {
                let is_constant = place + 1 == sum.len();
                let weight = if is_constant { Rational::new(1, CONSTANTS) } else { Rational::ONE };
                [(plus, weight.clone()), (minus, weight)]
            })
        });
        let size = Linear::new(size, 0);
        let mut part = budget.part(STEPS);
        let before = part.remaining_steps();
        let optimum = self.problem.minimize(&size, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        match optimum.ok()? {
            Optimum::Optimal { point, .. } | Optimum::Unbounded(point) => Some(self.ranks(&point)),
            Optimum::Infeasible => None,
        }
    }

    /// The ranks at a point, all multiplied by the same number so that they become integers.
    fn ranks(&self, point: &Point) -> Vec<Rank> {
        let value = |&(plus, minus): &Coefficient| &point[plus.index()] - &point[minus.index()];
        let all: Vec<Vec<Rational>> = self.sums.iter().map(|sum| sum.iter().map(value).collect()).collect();
        // The constant of a single sum can be rounded; where sums are compared it has to stay.
        let kept = usize::from(all.len() == 1);
        let scaled = all.iter().flat_map(|sum| &sum[..sum.len() - kept]);
        let numbered: Vec<(usize, Rational)> = scaled.cloned().enumerate().collect();
        let factor = Linear::new(numbered, 0).primitive_factor();
        let integer = |number: &Rational| Rational::from((number * &factor).floor());
        let mut sums = all.iter().map(|sum| {
            let (constant, coefficients) =
                sum.split_last().map_or((Rational::ZERO, &[][..]), |(last, rest)| (integer(last), rest));
            Linear::new(coefficients.iter().map(integer).enumerate(), constant)
        });
        let mut ranks = Vec::new();
        while let Some(then) = sums.next() {
            ranks.push(match (&self.by, self.by.is_some().then(|| sums.next()).flatten()) {
                (Some(by), Some(otherwise)) => Rank::Split { by: by.clone(), then, otherwise },
                _ => Rank::Plain(then),
            });
        }
        ranks
    }
}

/// Adds an unknown times a number, with a factor, to the rows of the number's own unknowns.
fn add<K: Ord + Copy>(
    rows: &mut BTreeMap<Option<K>, Vec<(VariableId, Rational)>>,
    number: &Linear<K>,
    unknown: VariableId,
    factor: &Rational,
) {
    for (own, coefficient) in number.terms() {
        rows.entry(Some(*own)).or_default().push((unknown, coefficient * factor));
    }
    if !number.constant_part().is_zero() {
        rows.entry(None).or_default().push((unknown, number.constant_part() * factor));
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
        Budget::unlimited()
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
        let found = synthesise(&[countdown()], &[], &mut budget());
        assert!(
            matches!(found, Some(Ranks::Linear(Rank::Plain(sum))) if sum.terms() == [(0, Rational::ONE)])
        );
    }

    #[test]
    fn a_loop_that_grows_has_none() {
        let step = Step { after: vec![number(&[(0, 1)], 1)], ..countdown() };
        assert_eq!(synthesise(&[step], &[], &mut budget()), None);
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
        let found = synthesise(&[first, second], &[], &mut budget());
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
        assert!(
            matches!(synthesise(&[step], &[], &mut budget()), Some(Ranks::Nested(ranks)) if ranks.len() == 2)
        );
    }

    #[test]
    fn two_numbers_that_approach_each_other_need_two_pieces() {
        // x > y, y' = y + 1; or x < y, x' = x + 1.
        let before = vec![number(&[(0, 1)], 0), number(&[(1, 1)], 0)];
        let first = Step {
            constraints: vec![at_most_zero(&[(0, -1), (1, 1)], 1)],
            before: before.clone(),
            after: vec![number(&[(0, 1)], 0), number(&[(1, 1)], 1)],
        };
        let second = Step {
            constraints: vec![at_most_zero(&[(0, 1), (1, -1)], 1)],
            before,
            after: vec![number(&[(0, 1)], 1), number(&[(1, 1)], 0)],
        };
        let steps = [first, second];
        assert_eq!(synthesise(&steps, &[], &mut budget()), None);
        let by = &Sum::variable(0) - &Sum::variable(1);
        assert!(matches!(synthesise(&steps, &[by], &mut budget()), Some(Ranks::Linear(Rank::Split { .. }))));
    }
}
