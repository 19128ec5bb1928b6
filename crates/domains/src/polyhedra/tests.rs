//! Polyhedra against the laws of domains, against brute force, and against the exact simplex method.

use std::collections::BTreeSet;

use base::Budget;
use logic::numbers::linear::Relation;
use logic::numbers::{Rational, simplex};

use super::{Limits, Polyhedra};
use crate::laws::{self, Random, Sample};
use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

fn variable(at: usize) -> Expression {
    Expression::variable(Dimension(at as u32))
}

fn sum(terms: &[i64], constant: i64) -> Expression {
    let terms = terms.iter().enumerate().map(|(at, factor)| (Dimension(at as u32), Rational::from(*factor)));
    Expression::new(terms, constant)
}

/// The points at which sums are at most zero.
fn at_most(dimensions: usize, sums: &[(&[i64], i64)]) -> Polyhedra {
    let mut polyhedra = Polyhedra::top(dimensions);
    for (terms, constant) in sums {
        polyhedra.assume(&Constraint { expression: sum(terms, *constant), relation: Relation::AtMost });
    }
    polyhedra
}

fn shown(polyhedra: &Polyhedra) -> Vec<String> {
    polyhedra.constraints().iter().map(ToString::to_string).collect()
}

impl Polyhedra {
    /// Blocks are apart, in order, connected, and both descriptions fit.
    fn is_consistent(&self) -> bool {
        let members = self.blocks().iter().flat_map(|block| block.members.iter());
        let distinct: BTreeSet<usize> = members.clone().copied().collect();
        distinct.len() == members.count()
            && distinct.last().is_none_or(|last| *last < self.dimensions)
            && self.blocks().is_sorted_by_key(|block| block.members[0])
            && self
                .blocks()
                .iter()
                .all(|block| block.body.is_consistent() && block.clone().split().len() == 1)
    }
}

#[test]
fn polyhedra_obey_the_laws() {
    (1..4).for_each(laws::check::<Polyhedra>);
}

#[test]
fn both_descriptions_stay_together() {
    for seed in 0..300 {
        let random = &mut Random(seed);
        let dimensions = 1 + random.below(6);
        let mut state = Sample { element: Polyhedra::top(dimensions), points: BTreeSet::new() };
        let mut other = state.element.clone();
        for _ in 0..12 {
            let step = laws::step(random, dimensions);
            state.step(random, &step);
            assert!(state.element.is_consistent(), "{step:?}");
            if random.below(3) == 0 {
                state.element = state.element.join(&other);
                assert!(state.element.is_consistent(), "join");
            }
            if random.below(5) == 0 || state.element.is_bottom() {
                std::mem::swap(&mut state.element, &mut other);
            }
        }
    }
}

#[test]
fn the_hull_of_points_is_known() {
    // A triangle, whose corners are assigned one by one.
    let corner = |x: i64, y: i64| {
        let mut point = Polyhedra::top(2);
        point.assign(Dimension(0), &Expression::constant(x));
        point.assign(Dimension(1), &Expression::constant(y));
        point
    };
    let triangle = corner(0, 0).join(&corner(4, 0)).join(&corner(0, 4));
    assert_eq!(shown(&triangle), ["-x1 <= 0", "-x0 <= 0", "x0 + x1 <= 4"]);
    assert_eq!(triangle, at_most(2, &[(&[-1, 0], 0), (&[0, -1], 0), (&[1, 1], -4)]));
    assert_eq!(triangle.size(), 3);
}

#[test]
fn boxes_are_cheap() {
    let mut state = Polyhedra::top(64);
    for at in 0..64 {
        state.assume(&Constraint::at_most(&Expression::constant(-5), &variable(at)));
        state.assume(&Constraint::at_most(&variable(at), &Expression::constant(i64::from(i32::MAX))));
    }
    let mut next = state.clone();
    next.assign(Dimension(3), &(&variable(3) + &Expression::constant(1)));
    let joined = state.join(&next);
    let range = joined.range(&variable(3));
    assert_eq!(range.greatest, Some(Rational::from(i64::from(i32::MAX) + 1)));
    assert_eq!(joined.constraints().len(), 128);
    assert!(state.is_included(&joined) && !joined.is_included(&state));
}

#[test]
fn too_large_joins_are_weaker_and_still_contain_both() {
    let limits = Limits { rows: 20, integers: true };
    for seed in 0..40 {
        let random = &mut Random(seed);
        let build = |random: &mut Random| {
            let mut state = Polyhedra::with_limits(6, limits);
            for _ in 0..14 {
                let constraint = laws::constraint(random, 6);
                let mut next = state.clone();
                next.assume(&Constraint { relation: Relation::AtMost, ..constraint });
                if !next.is_bottom() {
                    state = next;
                }
            }
            state
        };
        let (a, b) = (build(random), build(random));
        let joined = a.join(&b);
        assert!(a.is_included(&joined) && b.is_included(&joined));
        assert!(joined.is_consistent());
        assert!(joined.blocks().iter().all(|block| block.body.generators().rays.len() <= limits.rows));
        let widened = a.widen(&joined, &[]);
        assert!(joined.is_included(&widened));
    }
}

#[test]
fn constants_are_rounded() {
    let tight = at_most(2, &[(&[2, 0], -5), (&[-2, -2], 3)]);
    assert_eq!(tight, at_most(2, &[(&[1, 0], -2), (&[-1, -1], 2)]));
    let mut odd = Polyhedra::top(2);
    odd.assume(&Constraint::equal(&sum(&[2, -2], 0), &Expression::constant(1)));
    assert!(odd.is_bottom());
    // Neither is wrong by itself, but there is no integer between them.
    let mut gap = at_most(2, &[(&[3, 0], -2), (&[-3, 0], 1)]);
    assert!(gap.is_bottom());
    gap.assume(&Constraint::equal(&variable(0), &Expression::zero()));
    assert!(gap.is_bottom());
}

#[test]
fn loops_find_their_invariants() {
    // x = 0; y = 0; while (x < n) { x += 1; y += 2; }
    let mut entry = Polyhedra::top(3);
    entry.assign(Dimension(0), &Expression::zero());
    entry.assign(Dimension(1), &Expression::zero());
    entry.assume(&Constraint::at_most(&Expression::zero(), &variable(2)));
    let pass = |head: &Polyhedra| {
        let mut state = head.clone();
        state.assume(&Constraint::less(&variable(0), &variable(2)));
        state.assign(Dimension(0), &(&variable(0) + &Expression::constant(1)));
        state.assign(Dimension(1), &(&variable(1) + &Expression::constant(2)));
        state
    };
    let mut head = entry.clone();
    for _ in 0..5 {
        head = head.widen(&entry.join(&pass(&head)), &[]);
    }
    assert!(entry.join(&pass(&head)).is_included(&head));
    assert!(head.satisfies(&Constraint::equal(&sum(&[2, -1, 0], 0), &Expression::zero())));
    assert!(head.satisfies(&Constraint::at_most(&variable(0), &variable(2))));
    assert!(head.satisfies(&Constraint::at_most(&Expression::zero(), &variable(0))));
}

#[test]
fn limits_stop_a_widening() {
    let zero = at_most(1, &[(&[1], 0), (&[-1], 0)]);
    let one = at_most(1, &[(&[1], -1), (&[-1], 0)]);
    let limit = Constraint::at_most(&variable(0), &Expression::constant(10));
    assert_eq!(zero.widen(&one, &[]), at_most(1, &[(&[-1], 0)]));
    let widened = zero.widen(&one, &[limit]);
    assert_eq!(widened, at_most(1, &[(&[1], -10), (&[-1], 0)]));
    let narrowed = at_most(1, &[(&[-1], 0)]).narrow(&widened);
    assert_eq!(narrowed, widened);
    assert_eq!(widened.narrow(&one), widened);
}

/// All points with coordinates from `-size` to `size`.
fn grid(dimensions: usize, size: i64) -> Vec<Vec<i64>> {
    (0..dimensions).fold(vec![Vec::new()], |points, _| {
        points.iter().flat_map(|point| (-size..=size).map(|value| [&point[..], &[value]].concat())).collect()
    })
}

fn contains(polyhedra: &Polyhedra, point: &[i64]) -> bool {
    let value = |dimension: Dimension| Rational::from(point[dimension.0 as usize]);
    !polyhedra.is_bottom() && polyhedra.constraints().iter().all(|constraint| constraint.holds(value))
}

#[test]
fn meets_are_exact_on_a_grid() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let constraints: Vec<Constraint> =
            (0..2 + random.below(4)).map(|_| laws::constraint(random, 3)).collect();
        let (mut all, mut left, mut right) = (Polyhedra::top(3), Polyhedra::top(3), Polyhedra::top(3));
        for (at, constraint) in constraints.iter().enumerate() {
            all.assume(constraint);
            if at % 2 == 0 { &mut left } else { &mut right }.assume(constraint);
        }
        let met = left.meet(&right);
        for point in grid(3, 3) {
            let value = |dimension: Dimension| Rational::from(point[dimension.0 as usize]);
            let expected = constraints.iter().all(|constraint| constraint.holds(value));
            assert_eq!(contains(&all, &point), expected, "{constraints:?} at {point:?}");
            assert_eq!(contains(&met, &point), expected, "{constraints:?} at {point:?}");
        }
    }
}

#[test]
fn hulls_of_integer_points_are_least() {
    // A half-space contains the hull of points if and only if it contains the points.
    for seed in 0..100 {
        let random = &mut Random(seed);
        let dimensions = 1 + random.below(3);
        let points: Vec<Vec<i64>> =
            (0..1 + random.below(7)).map(|_| (0..dimensions).map(|_| random.within(4)).collect()).collect();
        let mut hull = Polyhedra::bottom(dimensions);
        for point in &points {
            let mut single = Polyhedra::top(dimensions);
            for (at, value) in point.iter().enumerate() {
                single.assign(Dimension(at as u32), &Expression::constant(*value));
            }
            hull = hull.join(&single);
        }
        for normal in grid(dimensions, 2) {
            let values =
                points.iter().map(|point| point.iter().zip(&normal).map(|(a, b)| a * b).sum::<i64>());
            let range = hull.range(&sum(&normal, 0));
            let (least, greatest) = (values.clone().min(), values.max());
            assert_eq!(
                range,
                Range { least: least.map(Rational::from), greatest: greatest.map(Rational::from) }
            );
        }
        assert!(hull.is_consistent());
    }
}

/// The least upper bound of an expression under constraints by the simplex method. `None` if there is none, and an error if
/// there are no points.
fn supremum(constraints: &[Constraint], expression: &Expression) -> Result<Option<Rational>, ()> {
    let mut problem = simplex::Problem::new();
    let variables: Vec<_> = (0..3).map(|_| problem.new_variable(simplex::Range::Free)).collect();
    let renamed = |expression: &Expression| expression.renamed(|dimension| variables[dimension.0 as usize]);
    for Constraint { expression, relation } in constraints {
        let relation = if *relation == Relation::Equal { Relation::Equal } else { Relation::AtMost };
        problem.constrain(&logic::numbers::linear::Constraint { expression: renamed(expression), relation });
    }
    match problem.minimize(&-&renamed(expression), &mut Budget::unlimited()) {
        Ok(simplex::Optimum::Optimal { value, .. }) => Ok(Some(-value)),
        Ok(simplex::Optimum::Unbounded(_)) => Ok(None),
        _ => Err(()),
    }
}

#[test]
fn rational_ranges_are_those_of_linear_programs() {
    let rational = Limits { rows: 1000, integers: false };
    for seed in 0..200 {
        let random = &mut Random(seed);
        let mut build = || {
            let constraints: Vec<Constraint> = (0..1 + random.below(6))
                .map(|_| laws::constraint(random, 3))
                .filter(|constraint| !constraint.expression.terms().is_empty())
                .collect();
            let mut state = Polyhedra::with_limits(3, rational);
            constraints.iter().for_each(|constraint| state.assume(constraint));
            (constraints, state)
        };
        let ((left, a), (right, b)) = (build(), build());
        let joined = a.join(&b);
        for normal in grid(3, 1) {
            let direction = sum(&normal, 1);
            let bounds = [supremum(&left, &direction), supremum(&right, &direction)];
            for (bound, state) in bounds.iter().zip([&a, &b]) {
                assert_eq!(bound.is_err(), state.is_bottom());
                let greatest = state.range(&direction).greatest;
                assert!(bound.as_ref().is_err() || *bound == Ok(greatest), "{direction} in {left:?}");
            }
            if let [Ok(left), Ok(right)] = bounds {
                let both = left.zip(right).map(|(left, right)| left.max(right));
                assert_eq!(joined.range(&direction).greatest, both, "{direction} in a join");
            }
        }
    }
}
