//! Tests against the definition: brute force in small boxes, and explanations that are asked again.

use base::{Budget, Index};

use super::*;
use crate::numbers::linear::Relation;
use crate::random::Random;

type Constraint = crate::numbers::linear::Constraint<UnknownId>;

fn unknown(number: usize) -> UnknownId {
    UnknownId::new(number)
}

fn constraint(sum: &[i64], relation: Relation, limit: i64) -> Constraint {
    let sum = sum.iter().enumerate().map(|(number, factor)| (unknown(number), Rational::from(*factor)));
    Constraint { expression: Linear::new(sum, -limit), relation }
}

fn at_most(sum: &[i64], limit: i64) -> Constraint {
    constraint(sum, Relation::AtMost, limit)
}

fn equal(sum: &[i64], limit: i64) -> Constraint {
    constraint(sum, Relation::Equal, limit)
}

fn holds(constraint: &Constraint, value: impl Fn(UnknownId) -> Integer) -> bool {
    constraint.holds(|unknown| value(unknown).into())
}

/// Asserts a constraint; an equation is two inequalities.
fn assert(solver: &mut LinearSolver, constraint: &Constraint, tag: u32) {
    solver.assert(&constraint.expression, tag);
    if constraint.relation == Relation::Equal {
        solver.assert(&-&constraint.expression, tag);
    }
}

fn solver_of(unknowns: usize, constraints: &[Constraint]) -> LinearSolver {
    let mut solver = LinearSolver::new();
    for _ in 0..unknowns {
        solver.new_unknown();
    }
    for (tag, constraint) in (0..).zip(constraints) {
        assert(&mut solver, constraint, tag);
    }
    solver
}

fn budget() -> Budget {
    Budget::steps(200_000)
}

/// The answer, checked: values satisfy everything, and an explanation is infeasible itself.
fn decide(unknowns: usize, constraints: &[Constraint]) -> Outcome {
    let mut solver = solver_of(unknowns, constraints);
    let outcome = solver.check(&mut budget());
    match &outcome {
        Outcome::Feasible => {
            assert!(constraints.iter().all(|constraint| holds(constraint, |unknown| solver.value(unknown))));
        }
        Outcome::Infeasible(tags) => {
            assert!(tags.is_sorted_by(|a, b| a < b));
            let mut part = solver_of(unknowns, &[]);
            tags.iter().for_each(|tag| assert(&mut part, &constraints[*tag as usize], *tag));
            let again = part.check(&mut budget());
            assert!(matches!(again, Outcome::Infeasible(_)), "{tags:?} of {constraints:?}: {again:?}");
        }
        Outcome::Unknown(_) => {}
    }
    outcome
}

/// Whether some point of a box satisfies all constraints.
fn brute_force(unknowns: usize, size: i64, constraints: &[Constraint]) -> bool {
    let side = 2 * size + 1;
    (0..side.pow(unknowns as u32)).any(|code| {
        let point: Vec<Integer> =
            (0..unknowns as u32).map(|at| Integer::from(code / side.pow(at) % side - size)).collect();
        constraints.iter().all(|constraint| holds(constraint, |unknown| point[unknown.index()].clone()))
    })
}

fn random_constraint(numbers: &mut Random, unknowns: usize, size: i64, limit: i64) -> Constraint {
    let sum: Vec<i64> =
        (0..unknowns).map(|_| if numbers.below(3) == 0 { 0 } else { numbers.within(size) }).collect();
    let relation = if numbers.below(4) == 0 { Relation::Equal } else { Relation::AtMost };
    constraint(&sum, relation, numbers.within(limit))
}

fn in_box(unknowns: usize, size: i64) -> Vec<Constraint> {
    let sides = (0..unknowns).flat_map(|number| {
        [1, -1].map(|sign| {
            let mut sum = vec![0; unknowns];
            sum[number] = sign;
            at_most(&sum, size)
        })
    });
    sides.collect()
}

#[test]
fn brute_force_agrees_in_small_boxes() {
    let mut numbers = Random::new(42);
    let mut feasible = 0;
    for _ in 0..3000 {
        let unknowns = 1 + numbers.below(3) as usize;
        let mut constraints = in_box(unknowns, 3);
        for _ in 0..1 + numbers.below(5) {
            constraints.push(random_constraint(&mut numbers, unknowns, 7, 9));
        }
        let expected = brute_force(unknowns, 3, &constraints);
        feasible += usize::from(expected);
        match decide(unknowns, &constraints) {
            Outcome::Feasible => assert!(expected, "{constraints:?}"),
            Outcome::Infeasible(_) => assert!(!expected, "{constraints:?}"),
            Outcome::Unknown(stop) => panic!("{stop}: {constraints:?}"),
        }
    }
    assert!((600..2400).contains(&feasible), "{feasible} of 3000 are feasible");
}

#[test]
fn unbounded_systems_with_a_witness_are_feasible() {
    let mut numbers = Random::new(7);
    let mut unknown_outcomes = 0;
    for _ in 0..2000 {
        let unknowns = 2 + numbers.below(5) as usize;
        let witness: Vec<i64> = (0..unknowns).map(|_| numbers.within(1000)).collect();
        let constraints: Vec<Constraint> = (0..2 + numbers.below(6))
            .map(|_| {
                let mut constraint = random_constraint(&mut numbers, unknowns, 20, 0);
                let value = constraint.expression.evaluate(|unknown| witness[unknown.index()].into());
                let slack = if constraint.relation == Relation::Equal { 0 } else { numbers.below(8) as i64 };
                constraint.expression = constraint.expression.shifted(-value - Rational::from(slack));
                constraint
            })
            .collect();
        match decide(unknowns, &constraints) {
            Outcome::Feasible => {}
            Outcome::Infeasible(tags) => panic!("{tags:?} of {constraints:?} with {witness:?}"),
            Outcome::Unknown(_) => unknown_outcomes += 1,
        }
    }
    assert!(unknown_outcomes <= 10, "{unknown_outcomes} of 2000 were not decided");
}

#[test]
fn unbounded_systems_are_never_answered_wrongly() {
    let mut numbers = Random::new(99);
    let mut counts = [0; 3];
    for _ in 0..1500 {
        let unknowns = 2 + numbers.below(3) as usize;
        let constraints: Vec<Constraint> =
            (0..2 + numbers.below(5)).map(|_| random_constraint(&mut numbers, unknowns, 6, 20)).collect();
        let outcome = decide(unknowns, &constraints);
        match outcome {
            Outcome::Feasible => counts[0] += 1,
            Outcome::Infeasible(_) => {
                counts[1] += 1;
                assert!(!brute_force(unknowns, 4, &constraints), "{constraints:?}");
            }
            Outcome::Unknown(_) => counts[2] += 1,
        }
    }
    assert!(counts[0] > 300 && counts[1] > 100 && counts[2] < 15, "{counts:?}");
}

#[test]
fn parity_is_seen_without_bounds() {
    assert_eq!(decide(2, &[equal(&[2, -2], 1)]), Outcome::Infeasible(vec![0]));
    let two = [equal(&[1, 1, -2, 0], 0), equal(&[1, -1, 0, -2], 1)];
    assert_eq!(decide(4, &two), Outcome::Infeasible(vec![0, 1]));
    let window =
        [at_most(&[3, -3, -1], 0), at_most(&[-3, 3, 1], 0), at_most(&[0, 0, 1], 2), at_most(&[0, 0, -1], -1)];
    assert_eq!(decide(3, &window), Outcome::Infeasible(vec![0, 1, 2, 3]));
}

#[test]
fn constraints_without_unknowns_are_known() {
    assert_eq!(decide(1, &[at_most(&[0], -1)]), Outcome::Infeasible(vec![0]));
    assert_eq!(decide(1, &[at_most(&[0], 0), equal(&[0], 0)]), Outcome::Feasible);
}

#[test]
fn large_numbers_are_exact() {
    let huge = Integer::ONE << 200;
    let mut solver = solver_of(2, &[]);
    let sum = [(unknown(0), (&huge).into()), (unknown(1), (&huge + Integer::from(2)).into())];
    let constraint = Constraint { expression: Linear::new(sum, -6), relation: Relation::Equal };
    assert(&mut solver, &constraint, 0);
    assert_eq!(solver.check(&mut budget()), Outcome::Feasible);
    let (x, y) = (solver.value(unknown(0)), solver.value(unknown(1)));
    assert_eq!(&huge * x + (&huge + Integer::from(2)) * y, Integer::from(6));
}

#[test]
fn popping_restores() {
    let mut numbers = Random::new(5);
    for _ in 0..200 {
        let unknowns = 1 + numbers.below(3) as usize;
        let mut solver = solver_of(unknowns, &[]);
        let mut asserted: Vec<Vec<(Constraint, u32)>> = vec![Vec::new()];
        for tag in 0..24 {
            match numbers.below(4) {
                0 => {
                    solver.push();
                    asserted.push(Vec::new());
                }
                1 if asserted.len() > 1 => {
                    solver.pop();
                    asserted.pop();
                }
                _ => {
                    let constraint = random_constraint(&mut numbers, unknowns, 4, 8);
                    assert(&mut solver, &constraint, tag);
                    if let Some(level) = asserted.last_mut() {
                        level.push((constraint, tag));
                    }
                }
            }
            let all: Vec<Constraint> =
                asserted.iter().flatten().map(|(constraint, _)| constraint.clone()).collect();
            let outcome = solver.check(&mut budget());
            let fresh = solver_of(unknowns, &all).check(&mut budget());
            match (&outcome, &fresh) {
                (Outcome::Feasible, Outcome::Feasible) => {
                    assert!(all.iter().all(|constraint| holds(constraint, |unknown| solver.value(unknown))));
                }
                (Outcome::Infeasible(tags), Outcome::Infeasible(_)) => {
                    let live = |tag| asserted.iter().flatten().any(|(_, other)| *other == tag);
                    assert!(tags.iter().all(|tag| live(*tag)));
                }
                (Outcome::Unknown(_), _) | (_, Outcome::Unknown(_)) => {}
                _ => panic!("{outcome:?} but afresh {fresh:?}: {all:?}"),
            }
        }
    }
}

#[test]
fn the_rational_check_is_sound() {
    let mut numbers = Random::new(3);
    for _ in 0..500 {
        let unknowns = 1 + numbers.below(3) as usize;
        let mut constraints = in_box(unknowns, 2);
        constraints.extend((0..4).map(|_| random_constraint(&mut numbers, unknowns, 5, 6)));
        if let Outcome::Infeasible(_) = solver_of(unknowns, &constraints).check_rational(&mut budget()) {
            assert!(!brute_force(unknowns, 2, &constraints));
        }
    }
}

#[test]
fn negation_is_the_opposite() {
    let mut solver = solver_of(1, &[]);
    let low = solver.prepare(&at_most(&[2], 5).expression);
    let high = solver.prepare(&at_most(&[-1], -3).expression);
    assert_eq!(low.negated(), high);
    assert_eq!(high.negated(), low);
}

#[test]
fn the_budget_ends_an_infinite_search() {
    // In every direction there are rational solutions, and no integer solution anywhere.
    let constraints = [at_most(&[5, -7, 3], 2), at_most(&[-5, 7, -3], -1), at_most(&[2, 4, -6], 1)];
    let mut solver = solver_of(3, &constraints);
    let mut small = Budget::steps(3);
    let outcome = solver.check(&mut small);
    assert!(!matches!(outcome, Outcome::Infeasible(_)), "{outcome:?}");
    let again = solver_of(3, &constraints).check(&mut Budget::steps(3));
    assert_eq!(outcome, again, "the same steps give the same answer");
}
