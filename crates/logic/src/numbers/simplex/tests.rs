//! Random linear programs, whose answers prove themselves.

use base::{Budget, Index};

use super::*;
use crate::random::Random;

fn budget() -> Budget {
    Budget::steps(1_000_000)
}

fn linear(terms: &[(VariableId, i64)]) -> Linear<VariableId> {
    Linear::new(terms.iter().map(|(id, factor)| (*id, Rational::from(*factor))), 0)
}

fn random_sum(numbers: &mut Random, variables: &[VariableId]) -> Linear<VariableId> {
    let terms = variables.iter().map(|id| {
        let factor = if numbers.below(3) == 0 { 0 } else { numbers.within(9) };
        (*id, Rational::new(factor, 1 + numbers.below(3)))
    });
    Linear::new(terms, 0)
}

fn random_relation(numbers: &mut Random) -> Relation {
    match numbers.below(12) {
        0 => Relation::Equal,
        1 | 2 => Relation::Less,
        3 => Relation::Greater,
        4 | 5 => Relation::AtLeast,
        _ => Relation::AtMost,
    }
}

fn random_problem(numbers: &mut Random) -> (Problem, Vec<VariableId>) {
    let mut problem = Problem::new();
    let count = 1 + numbers.below(7);
    let variables: Vec<VariableId> = (0..count)
        .map(|_| problem.new_variable(if numbers.below(2) == 0 { Range::Free } else { Range::NonNegative }))
        .collect();
    for _ in 0..1 + numbers.below(12) {
        let sum = random_sum(numbers, &variables);
        let relation = random_relation(numbers);
        problem.constrain(&sum, relation, numbers.within(20));
    }
    (problem, variables)
}

/// Asks whether there is a solution, and checks the answer.
fn checked(problem: &mut Problem) -> bool {
    match problem.feasible(&mut budget()).expect("the budget suffices") {
        Feasibility::Feasible(point) => {
            assert!(problem.is_solution(&point), "{point:?}");
            true
        }
        Feasibility::Infeasible(multipliers) => {
            assert!(problem.proves_infeasible(&multipliers), "{multipliers:?}");
            false
        }
    }
}

/// Asks for the greatest value, and checks the answer; whether it was optimal.
fn checked_maximum(problem: &mut Problem, objective: &Linear<VariableId>) -> Option<Rational> {
    match problem.maximize(objective, &mut budget()).expect("the budget suffices") {
        Optimum::Optimal { value, is_attained, point, multipliers } => {
            assert!(problem.is_solution(&point));
            assert!(problem.proves_bound(objective, &value, &multipliers), "{value} {multipliers:?}");
            let reached = objective.evaluate(|id| point[id.index()].clone());
            assert!(if is_attained { reached == value } else { reached < value });
            Some(value)
        }
        Optimum::Unbounded { point, ray } => {
            let far = |steps: i64| -> Point {
                point.iter().zip(&ray).map(|(start, change)| start + change * Rational::from(steps)).collect()
            };
            assert!([0, 1, 1000].into_iter().all(|steps| problem.is_solution(&far(steps))));
            assert!(
                objective.clone().without_constant().evaluate(|id| ray[id.index()].clone()).is_positive()
            );
            None
        }
        Optimum::Infeasible(multipliers) => {
            assert!(problem.proves_infeasible(&multipliers));
            None
        }
    }
}

#[test]
fn answers_prove_themselves() {
    let mut numbers = Random::new(11);
    let (mut feasible, mut optimal) = (0, 0);
    for _ in 0..2000 {
        let (mut problem, variables) = random_problem(&mut numbers);
        feasible += usize::from(checked(&mut problem));
        for _ in 0..3 {
            let objective = random_sum(&mut numbers, &variables);
            optimal += usize::from(checked_maximum(&mut problem, &objective).is_some());
        }
        let sum = random_sum(&mut numbers, &variables);
        problem.constrain(&sum, Relation::AtMost, numbers.within(10));
        checked(&mut problem);
    }
    assert!((500..1700).contains(&feasible) && optimal > 500, "{feasible} feasible, {optimal} optimal");
}

#[test]
fn large_problems_overflow_words_and_stay_exact() {
    let mut numbers = Random::new(5);
    for _ in 0..10 {
        let mut problem = Problem::new();
        let variables: Vec<VariableId> = (0..20).map(|_| problem.new_variable(Range::NonNegative)).collect();
        for _ in 0..30 {
            let sum = Linear::new(variables.iter().map(|id| (*id, Rational::from(numbers.within(999)))), 0);
            problem.constrain(&sum, Relation::AtMost, numbers.below(100_000) as i64);
        }
        let objective = Linear::new(variables.iter().map(|id| (*id, Rational::from(numbers.within(99)))), 0);
        checked_maximum(&mut problem, &objective);
    }
}

#[test]
fn minimum_and_maximum_are_opposites() {
    let mut problem = Problem::new();
    let (x, y) = (problem.new_variable(Range::NonNegative), problem.new_variable(Range::NonNegative));
    problem.constrain(&linear(&[(x, 1), (y, 2)]), Relation::AtLeast, 4);
    problem.constrain(&linear(&[(x, 3), (y, 1)]), Relation::AtLeast, 6);
    let objective = linear(&[(x, 1), (y, 1)]);
    let Ok(Optimum::Optimal { value, is_attained, multipliers, .. }) =
        problem.minimize(&objective, &mut budget())
    else {
        panic!("there is a minimum");
    };
    assert_eq!((value.clone(), is_attained), (Rational::new(14, 5), true));
    assert_eq!(
        multipliers.iter().map(|(_, multiplier)| multiplier.to_string()).collect::<Vec<_>>(),
        ["2/5", "1/5"]
    );
    let opposite: Multipliers = multipliers.into_iter().map(|(id, multiplier)| (id, -multiplier)).collect();
    assert!(problem.proves_bound(&-&objective, &-value, &opposite));
    assert!(matches!(problem.maximize(&objective, &mut budget()), Ok(Optimum::Unbounded { .. })));
}

#[test]
fn strict_limits_are_not_attained() {
    let mut problem = Problem::new();
    let x = problem.new_variable(Range::Free);
    problem.constrain(&linear(&[(x, 2)]), Relation::Less, 3);
    let Ok(Optimum::Optimal { value, is_attained, point, .. }) =
        problem.maximize(&linear(&[(x, 1)]), &mut budget())
    else {
        panic!("there is a supremum");
    };
    assert_eq!((value, is_attained), (Rational::new(3, 2), false));
    assert!(problem.is_solution(&point));
    problem.constrain(&linear(&[(x, -4)]), Relation::AtMost, -6);
    assert!(!checked(&mut problem));
}

#[test]
fn disabled_constraints_do_not_count() {
    let mut numbers = Random::new(77);
    for _ in 0..300 {
        let (mut problem, variables) = random_problem(&mut numbers);
        let ids: Vec<ConstraintId> = problem.constraints().map(|(id, _)| id).collect();
        for _ in 0..10 {
            let id = ids[numbers.below(ids.len() as u64) as usize];
            if numbers.below(2) == 0 {
                problem.disable(id)
            } else {
                problem.enable(id)
            }
            let mut afresh = Problem::new();
            problem.variables().for_each(|(_, range)| {
                afresh.new_variable(range);
            });
            for entry in problem.constraints.iter().filter(|entry| entry.is_enabled) {
                let Constraint { sum, relation, limit } = &entry.constraint;
                afresh.constrain(sum, *relation, limit.clone());
            }
            assert_eq!(checked(&mut problem), checked(&mut afresh));
            let objective = random_sum(&mut numbers, &variables);
            let maxima =
                (checked_maximum(&mut problem, &objective), checked_maximum(&mut afresh, &objective));
            assert_eq!(maxima.0, maxima.1);
        }
    }
}

#[test]
fn explanations_are_irreducible() {
    let mut numbers = Random::new(8);
    let mut explained = 0;
    for _ in 0..500 {
        let (mut problem, _) = random_problem(&mut numbers);
        let Ok(Feasibility::Infeasible(multipliers)) = problem.feasible(&mut budget()) else { continue };
        explained += 1;
        let core = problem.irreducible(&multipliers, &mut budget()).expect("the budget suffices");
        let ids: Vec<ConstraintId> = problem.constraints().map(|(id, _)| id).collect();
        ids.iter().filter(|id| !core.contains(id)).for_each(|id| problem.disable(*id));
        assert!(!checked(&mut problem));
        for id in core {
            problem.disable(id);
            assert!(checked(&mut problem), "{id} is not needed");
            problem.enable(id);
        }
    }
    assert!(explained > 100);
}

#[test]
fn constraints_without_variables_are_true_or_false() {
    for (relation, limit, expected) in [
        (Relation::AtMost, -1, false),
        (Relation::AtMost, 0, true),
        (Relation::Less, 0, false),
        (Relation::Equal, 2, false),
        (Relation::Equal, -2, false),
        (Relation::Greater, 0, false),
        (Relation::AtLeast, 0, true),
    ] {
        let mut problem = Problem::new();
        problem.new_variable(Range::Free);
        let id = problem.constrain(&Linear::zero(), relation, limit);
        assert_eq!(checked(&mut problem), expected);
        problem.disable(id);
        assert!(checked(&mut problem));
    }
}

#[test]
fn the_budget_ends_the_work() {
    let mut numbers = Random::new(1);
    let mut problem = Problem::new();
    let variables: Vec<VariableId> = (0..10).map(|_| problem.new_variable(Range::NonNegative)).collect();
    for _ in 0..10 {
        let sum = random_sum(&mut numbers, &variables);
        problem.constrain(&sum, Relation::AtLeast, 5);
    }
    assert_eq!(problem.feasible(&mut Budget::steps(1)), Err(Stop::Steps));
    checked(&mut problem);
}
