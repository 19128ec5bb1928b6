//! Random linear programs, whose answers are checked from the constraints alone: a point satisfies them all, and where
//! there is none, multiples of the constraints add up to a contradiction (Farkas).

use base::{Budget, Index};

use super::*;
use crate::random::Random;

type Expression = Linear<VariableId>;

fn budget() -> Budget {
    Budget::steps(1_000_000)
}

fn linear(terms: &[(VariableId, i64)]) -> Expression {
    Linear::new(terms.iter().map(|(id, factor)| (*id, Rational::from(*factor))), 0)
}

fn random_sum(numbers: &mut Random, variables: &[VariableId]) -> Linear<VariableId> {
    let terms = variables.iter().map(|id| {
        let factor = if numbers.below(3) == 0 { 0 } else { numbers.within(9) };
        (*id, Rational::new(factor, 1 + numbers.below(3)))
    });
    Linear::new(terms, 0)
}

fn at_most(left: &Expression, right: impl Into<Rational>) -> Constraint<VariableId> {
    Constraint::at_most(left, &Linear::constant(right))
}

fn random_constraint(numbers: &mut Random, sum: &Expression, limit: i64) -> Constraint<VariableId> {
    let limit = Linear::constant(limit);
    match numbers.below(12) {
        0 => Constraint::equal(sum, &limit),
        1 | 2 => Constraint::less(sum, &limit),
        3 => Constraint::less(&limit, sum),
        4 | 5 => Constraint::at_most(&limit, sum),
        _ => Constraint::at_most(sum, &limit),
    }
}

/// A problem, and what it was made from.
#[derive(Clone, Default)]
struct Program {
    problem: Problem,
    variables: Vec<(VariableId, Range)>,
    constraints: Vec<Constraint<VariableId>>,
}

impl Program {
    fn new_variable(&mut self, range: Range) -> VariableId {
        let id = self.problem.new_variable(range);
        self.variables.push((id, range));
        id
    }

    fn constrain(&mut self, constraint: Constraint<VariableId>) {
        self.problem.constrain(&constraint);
        self.constraints.push(constraint);
    }

    fn random(numbers: &mut Random) -> Self {
        let mut program = Self::default();
        for _ in 0..1 + numbers.below(7) {
            program.new_variable(if numbers.below(2) == 0 { Range::Free } else { Range::NonNegative });
        }
        for _ in 0..1 + numbers.below(12) {
            let sum = program.random_sum(numbers);
            let limit = numbers.within(20);
            program.constrain(random_constraint(numbers, &sum, limit));
        }
        program
    }

    fn random_sum(&self, numbers: &mut Random) -> Expression {
        let variables: Vec<VariableId> = self.variables.iter().map(|(id, _)| *id).collect();
        random_sum(numbers, &variables)
    }

    fn is_solution(&self, point: &Point) -> bool {
        let is_in_range = |(id, range): &(VariableId, Range)| match range {
            Range::Free => true,
            Range::NonNegative => !point[id.index()].is_negative(),
        };
        self.variables.iter().all(is_in_range)
            && self.constraints.iter().all(|constraint| constraint.holds(|id| point[id.index()].clone()))
    }

    /// Whether the constraints, multiplied by these numbers and added up, contradict themselves.
    fn proves_infeasible(&self, multipliers: &Point) -> bool {
        let (mut sum, mut is_strict) = (Linear::zero(), false);
        for (constraint, multiplier) in self.constraints.iter().zip(multipliers) {
            if multiplier.is_negative() && constraint.relation != Relation::Equal {
                return false;
            }
            sum = sum.plus_scaled(multiplier, &constraint.expression);
            is_strict |= constraint.relation == Relation::Less && multiplier.is_positive();
        }
        let is_never_negative = sum
            .terms()
            .iter()
            .all(|(id, factor)| factor.is_positive() && self.variables[id.index()].1 == Range::NonNegative);
        let constant = sum.constant_part();
        is_never_negative && (constant.is_positive() || (is_strict && constant.is_zero()))
    }

    /// Whether there are multipliers that prove that there is no solution: a linear program of its own.
    fn is_refuted(&self) -> bool {
        [false, true].into_iter().any(|by_strictness| {
            let mut dual = Problem::new();
            let multiplier = |constraint: &Constraint<VariableId>| match constraint.relation {
                Relation::Equal => dual.new_variable(Range::Free),
                Relation::AtMost | Relation::Less => dual.new_variable(Range::NonNegative),
            };
            let multipliers: Vec<VariableId> = self.constraints.iter().map(multiplier).collect();
            let total = |part: &dyn Fn(&Constraint<VariableId>) -> Rational| -> Expression {
                Linear::new(multipliers.iter().copied().zip(self.constraints.iter().map(part)), 0)
            };
            for (id, range) in &self.variables {
                let factor = total(&|constraint| constraint.expression.coefficient(*id).clone());
                match range {
                    Range::Free => dual.constrain(&Constraint::equal(&factor, &Linear::zero())),
                    Range::NonNegative => dual.constrain(&at_most(&-&factor, 0)),
                }
            }
            let constant = total(&|constraint| constraint.expression.constant_part().clone());
            let strict = total(&|constraint| i64::from(constraint.relation == Relation::Less).into());
            if by_strictness {
                dual.constrain(&at_most(&-&constant, 0));
                dual.constrain(&at_most(&-&strict, -1));
            } else {
                dual.constrain(&at_most(&-&constant, -1));
            }
            match dual.minimize(&Linear::zero(), &mut budget()).expect("the budget suffices") {
                Optimum::Optimal { point, .. } => self.proves_infeasible(&point),
                Optimum::Unbounded(_) | Optimum::Infeasible => false,
            }
        })
    }

    /// Asks whether there is a solution, and checks the answer.
    fn is_feasible(&mut self) -> bool {
        let is_feasible = self.problem.is_feasible(&mut budget()).expect("the budget suffices");
        if is_feasible {
            let point = self.problem.point();
            assert!(self.is_solution(&point), "{point:?}");
        } else {
            assert!(self.is_refuted(), "{:?}", self.constraints);
        }
        is_feasible
    }

    /// The same with one more constraint.
    fn with(&self, constraint: Constraint<VariableId>) -> Self {
        let mut more = self.clone();
        more.constrain(constraint);
        more
    }

    /// Asks for the least value, and checks the answer; none if there is none.
    fn minimum(&mut self, objective: &Expression) -> Option<Rational> {
        let reached = |point: &Point| objective.evaluate(|id| point[id.index()].clone());
        match self.problem.minimize(objective, &mut budget()).expect("the budget suffices") {
            Optimum::Optimal { value, point } => {
                assert!(self.is_solution(&point));
                let is_strict = self.constraints.iter().any(|one| one.relation == Relation::Less);
                assert!(reached(&point) == value || (is_strict && reached(&point) > value));
                let better = Constraint::less(objective, &Linear::constant(value.clone()));
                assert!(!self.with(better).is_feasible(), "{value}");
                Some(value)
            }
            Optimum::Unbounded(point) => {
                assert!(self.is_solution(&point));
                for steps in [1, 1000] {
                    let better = at_most(objective, reached(&point) - Rational::from(steps));
                    assert!(self.with(better).is_feasible());
                }
                None
            }
            Optimum::Infeasible => {
                assert!(self.is_refuted());
                None
            }
        }
    }
}

#[test]
fn answers_are_right() {
    let mut numbers = Random::new(11);
    let (mut feasible, mut optimal) = (0, 0);
    for _ in 0..2000 {
        let mut program = Program::random(&mut numbers);
        feasible += usize::from(program.is_feasible());
        for _ in 0..3 {
            let objective = program.random_sum(&mut numbers);
            optimal += usize::from(program.minimum(&objective).is_some());
        }
        let sum = program.random_sum(&mut numbers);
        program.constrain(at_most(&sum, numbers.within(10)));
        program.is_feasible();
    }
    assert!((500..1700).contains(&feasible) && optimal > 500, "{feasible} feasible, {optimal} optimal");
}

#[test]
fn large_problems_overflow_words_and_stay_exact() {
    let mut numbers = Random::new(5);
    for _ in 0..10 {
        let mut program = Program::default();
        let variables: Vec<VariableId> = (0..20).map(|_| program.new_variable(Range::NonNegative)).collect();
        let mut random_sum = |size: i64| {
            Linear::new(variables.iter().map(|id| (*id, Rational::from(numbers.within(size)))), 0)
        };
        let sums: Vec<Expression> = (0..30).map(|_| random_sum(999)).collect();
        let objective = random_sum(99);
        for sum in sums {
            program.constrain(at_most(&sum, numbers.below(100_000) as i64));
        }
        program.minimum(&objective);
    }
}

#[test]
fn the_least_value_is_found_and_no_greatest() {
    let mut program = Program::default();
    let (x, y) = (program.new_variable(Range::NonNegative), program.new_variable(Range::NonNegative));
    program.constrain(at_most(&linear(&[(x, -1), (y, -2)]), -4));
    program.constrain(at_most(&linear(&[(x, -3), (y, -1)]), -6));
    let objective = linear(&[(x, 1), (y, 1)]);
    assert_eq!(program.minimum(&objective), Some(Rational::new(14, 5)));
    assert!(matches!(program.problem.minimize(&-&objective, &mut budget()), Ok(Optimum::Unbounded(_))));
}

#[test]
fn strict_limits_are_not_reached() {
    let mut program = Program::default();
    let x = program.new_variable(Range::Free);
    program.constrain(Constraint::less(&linear(&[(x, 2)]), &Linear::constant(3)));
    let Ok(Optimum::Optimal { value, point }) = program.problem.minimize(&linear(&[(x, -1)]), &mut budget())
    else {
        panic!("there is an infimum");
    };
    assert_eq!(value, Rational::new(-3, 2));
    assert!(program.is_solution(&point) && -&point[0] > value);
    program.constrain(at_most(&linear(&[(x, -4)]), -6));
    assert!(!program.is_feasible());
}

#[test]
fn constraints_without_variables_are_true_or_false() {
    let (zero, one) = (Linear::zero(), Linear::constant(1));
    for (constraint, expected) in [
        (Constraint::at_most(&one, &zero), false),
        (Constraint::at_most(&zero, &zero), true),
        (Constraint::less(&zero, &zero), false),
        (Constraint::equal(&one, &zero), false),
        (Constraint::equal(&zero, &one), false),
        (Constraint::at_most(&zero, &one), true),
    ] {
        let mut program = Program::default();
        program.new_variable(Range::Free);
        program.constrain(constraint);
        assert_eq!(program.is_feasible(), expected);
    }
}

#[test]
fn the_budget_ends_the_work() {
    let mut numbers = Random::new(1);
    let mut program = Program::default();
    (0..10).for_each(|_| {
        program.new_variable(Range::NonNegative);
    });
    for _ in 0..10 {
        let sum = program.random_sum(&mut numbers);
        program.constrain(at_most(&-&sum, -5));
    }
    assert_eq!(program.problem.is_feasible(&mut Budget::steps(1)), Err(Stop::Steps));
    program.is_feasible();
}
