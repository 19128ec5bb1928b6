//! Octagons against the laws, and against all integer points of small boxes.

use logic::numbers::Rational;

use super::*;
use crate::laws::{self, Random, same};

fn variable(dimension: u32) -> Expression {
    Expression::variable(Dimension(dimension))
}

/// `a*x + b*y + ... + constant` over the first dimensions.
fn linear(coefficients: &[i64], constant: i64) -> Expression {
    let terms = coefficients.iter().enumerate();
    Expression::new(terms.map(|(at, factor)| (Dimension(at as u32), Rational::from(*factor))), constant)
}

fn at_most_zero(coefficients: &[i64], constant: i64) -> Constraint {
    Constraint::at_most(&linear(coefficients, constant), &Expression::zero())
}

fn point(values: &[i64]) -> Octagon {
    let mut octagon = Octagon::top(values.len());
    for (at, value) in values.iter().enumerate() {
        octagon.assign(Dimension(at as u32), &Expression::constant(*value));
    }
    octagon
}

/// All points with coordinates from `-size` to `size`.
fn grid(dimensions: usize, size: i64) -> Vec<Vec<i64>> {
    (0..dimensions).fold(vec![Vec::new()], |points, _| {
        let longer = |point: Vec<i64>| (-size..=size).map(move |value| [&point[..], &[value]].concat());
        points.into_iter().flat_map(longer).collect()
    })
}

/// The strongest octagon around some points, by trying all directions.
fn hull(dimensions: usize, points: &[Vec<i64>]) -> Octagon {
    let mut octagon = Octagon::top(dimensions);
    let value =
        |point: &[i64], node: usize| if node.is_multiple_of(2) { point[node / 2] } else { -point[node / 2] };
    for i in 0..2 * dimensions {
        for j in 0..2 * dimensions {
            let most = points.iter().map(|point| value(point, i) - value(point, j)).max();
            octagon.matrix.set(i, j, most.map_or(Bound::ZERO, |most| Bound::new(most.into())));
        }
    }
    if points.is_empty() {
        octagon.form = Form::Empty;
    }
    octagon
}

#[test]
fn the_laws_hold() {
    (0..10).for_each(laws::check::<Octagon>);
    (0..10).for_each(laws::check_exact::<Octagon>);
}

#[test]
fn joins_of_points_are_the_strongest_octagon() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let dimensions = 1 + random.below(4);
        let count = 1 + random.below(5);
        let points: Vec<Vec<i64>> =
            (0..count).map(|_| (0..dimensions).map(|_| random.within(6)).collect()).collect();
        let joined = points.iter().map(|values| point(values)).reduce(|a, b| a.join(&b)).expect("points");
        assert_eq!(joined.matrix, hull(dimensions, &points).matrix, "{points:?}");
    }
}

#[test]
fn the_closure_of_octagonal_constraints_is_tight() {
    for seed in 0..400 {
        let random = &mut Random(seed);
        let dimensions = 1 + random.below(3);
        let mut points = grid(dimensions, 3);
        let mut octagon = Octagon::top(dimensions);
        for dimension in 0..dimensions {
            octagon.assume(&Constraint::at_most(&variable(dimension as u32), &Expression::constant(3)));
            octagon.assume(&Constraint::at_most(&Expression::constant(-3), &variable(dimension as u32)));
        }
        for _ in 0..1 + random.below(5) {
            let mut coefficients = vec![0i64; dimensions];
            coefficients[random.below(dimensions)] = [1, -1, 2][random.below(3)];
            let second = random.below(dimensions);
            coefficients[second] = if coefficients[second] == 0 { [1, -1][random.below(2)] } else { 2 };
            if coefficients.iter().filter(|factor| **factor != 0).count() == 2 {
                coefficients.iter_mut().for_each(|factor| *factor = factor.signum());
            }
            let constraint = at_most_zero(&coefficients, random.within(5));
            octagon.assume(&constraint);
            points.retain(|point| constraint.holds(|dimension| Rational::from(point[dimension.index()])));
        }
        let expected = hull(dimensions, &points);
        assert_eq!(octagon.is_bottom(), points.is_empty());
        assert!(points.is_empty() || octagon.matrix == expected.matrix, "{:?}", octagon.constraints());
    }
}

#[test]
fn incremental_and_full_closure_agree() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let dimensions = 2 + random.below(8);
        let (mut step_by_step, mut at_once) = (Octagon::top(dimensions), Octagon::top(dimensions));
        for _ in 0..3 * dimensions {
            let (i, j) = (random.below(2 * dimensions), random.below(2 * dimensions));
            let bound = Bound::new((random.within(12) + 8).into());
            if i != j {
                step_by_step.add(&[Octagonal { i, j, bound }]);
                let tighter = at_once.matrix.at(i, j).min(bound);
                at_once.matrix.set(i, j, tighter);
            }
        }
        let outcome = at_once.matrix.close();
        assert_eq!(outcome.is_err(), step_by_step.is_bottom());
        assert!(outcome.is_err() || at_once.matrix == step_by_step.matrix);
    }
}

#[test]
fn ranges_of_two_coordinates_are_exact() {
    for seed in 0..200 {
        let random = &mut Random(seed);
        let points: Vec<Vec<i64>> = (0..3).map(|_| vec![random.within(6), random.within(6)]).collect();
        let octagon = hull(2, &points);
        let inside: Vec<Vec<i64>> =
            grid(2, 6).into_iter().filter(|point| laws::may_contain(&octagon, point)).collect();
        let expression = linear(&[random.within(3), random.within(3)], random.within(3));
        let value =
            |point: &Vec<i64>| expression.evaluate(|dimension| Rational::from(point[dimension.index()]));
        let greatest = octagon.range(&expression).greatest.expect("a limit");
        let best = inside.iter().map(value).max().expect("a point");
        // A corner of the octagon can lie half way between integers.
        assert!(
            greatest >= best && &greatest - &best <= Rational::from(3),
            "{expression}: {greatest} and {best}"
        );
    }
}

#[test]
fn sums_of_three_limit_pairs() {
    // x + y + z <= 10 and z >= 2 give x + y <= 8.
    let mut octagon = Octagon::top(3);
    octagon.assume(&at_most_zero(&[0, 0, -1], 2));
    octagon.assume(&at_most_zero(&[1, 1, 1], -10));
    assert!(octagon.satisfies(&at_most_zero(&[1, 1, 0], -8)));
    // x := y + z with z >= 2 gives x >= y + 2.
    octagon.assign(Dimension(0), &linear(&[0, 1, 1], 0));
    assert!(octagon.satisfies(&at_most_zero(&[-1, 1, 0], 2)));
    // 2x = y with y in 3..=9 gives x in 2..=4.
    let mut octagon = Octagon::top(2);
    octagon.assume(&at_most_zero(&[0, 1], -9));
    octagon.assume(&at_most_zero(&[0, -1], 3));
    octagon.assume(&Constraint::equal(&linear(&[2], 0), &variable(1)));
    assert_eq!(octagon.range(&variable(0)), Range { least: Some(2.into()), greatest: Some(4.into()) });
}

#[test]
fn the_old_value_counts_in_an_assignment() {
    // x0 = x, y >= 1, x := x + y gives x > x0; x := -x - y gives x + x0 < 0.
    let mut octagon = Octagon::top(3);
    octagon.assume(&at_most_zero(&[0, -1], 1));
    octagon.assign(Dimension(2), &variable(0));
    let mut other = octagon.clone();
    octagon.assign(Dimension(0), &linear(&[1, 1, 0], 0));
    assert!(octagon.satisfies(&at_most_zero(&[-1, 0, 1], 1)));
    other.assign(Dimension(0), &linear(&[-1, -1, 0], 0));
    assert!(other.satisfies(&at_most_zero(&[1, 0, 1], 1)));
    // x0 = x with x in 1..=5, x := 2x gives x > x0.
    let mut octagon = Octagon::top(2);
    octagon.assume(&at_most_zero(&[-1], 1));
    octagon.assume(&at_most_zero(&[1], -5));
    octagon.assign(Dimension(1), &variable(0));
    octagon.assign(Dimension(0), &linear(&[2], 0));
    assert!(octagon.satisfies(&at_most_zero(&[-1, 1], 1)));
    assert_eq!(octagon.range(&variable(0)), Range { least: Some(2.into()), greatest: Some(10.into()) });
}

#[test]
fn assignments_leave_closed_matrices() {
    for seed in 0..300 {
        let random = &mut Random(seed);
        let points: Vec<Vec<i64>> = (0..4).map(|_| (0..6).map(|_| random.within(9)).collect()).collect();
        let mut octagon = hull(6, &points[..3]);
        octagon = octagon.widen(&octagon.join(&point(&points[3])), &[]);
        for _ in 0..4 {
            let coefficients: Vec<i64> = (0..6).map(|_| random.within(2)).collect();
            octagon.assign(Dimension(random.below(6) as u32), &linear(&coefficients, random.within(5)));
            let mut again = octagon.matrix.clone();
            let is_closed = octagon.is_bottom() || again.close().is_ok() && again == octagon.matrix;
            assert!(is_closed, "{:?}", octagon.constraints());
        }
    }
}

#[test]
fn contradictions_show_without_limits_of_values() {
    // x - y >= 1 and z - w >= 0 exclude x - y + z - w <= 0.
    let mut octagon = Octagon::top(4);
    octagon.assume(&at_most_zero(&[-1, 1, 0, 0], 1));
    octagon.assume(&at_most_zero(&[0, 0, -1, 1], 0));
    octagon.assume(&at_most_zero(&[1, -1, 1, -1], 0));
    assert!(octagon.is_bottom());
}

#[test]
fn widening_keeps_limits_and_narrowing_finds_them() {
    let range = |most: i64| {
        let mut octagon = point(&[0]);
        octagon = octagon.join(&point(&[most]));
        octagon
    };
    let limit = at_most_zero(&[1], -100);
    let widened = range(1).widen(&range(2), std::slice::from_ref(&limit));
    assert!(widened.satisfies(&limit) && !widened.satisfies(&at_most_zero(&[1], -99)));
    let lost = widened.widen(&range(101), &[limit]);
    assert_eq!(lost.range(&variable(0)), Range { least: Some(0.into()), greatest: None });
    same(&lost.narrow(&range(7)), &range(7), "narrowing");
}

#[test]
fn numbers_that_are_too_large_are_lost() {
    let large = i64::MAX / 4;
    let mut octagon = point(&[large, 0]);
    assert!(octagon.range(&variable(0)).contains(&Rational::from(large)));
    octagon.assign(Dimension(1), &linear(&[3], 0));
    assert!(octagon.range(&variable(1)).contains(&(&Rational::from(large) * &Rational::from(3))));
    for _ in 0..70 {
        octagon.assign(Dimension(0), &linear(&[1, 1], i64::MAX / 5));
        octagon.assign(Dimension(1), &linear(&[1, 0], -large));
    }
    assert!(!octagon.is_bottom());
    assert_eq!(octagon.range(&variable(0)).greatest, None);
}

#[test]
fn constraints_say_everything() {
    for seed in 0..300 {
        let random = &mut Random(seed);
        let dimensions = 2 + random.below(4);
        let count = 1 + random.below(8);
        let points: Vec<Vec<i64>> =
            (0..count).map(|_| (0..dimensions).map(|_| random.within(9)).collect()).collect();
        let mut octagon = hull(dimensions, &points);
        if random.below(2) == 0 {
            octagon = octagon.widen(&octagon.join(&point(&vec![9; dimensions])), &[]);
        }
        let mut again = Octagon::top(dimensions);
        octagon.constraints().iter().for_each(|constraint| again.assume(constraint));
        assert_eq!(&again.matrix, octagon.closed(), "{:?}", octagon.constraints());
    }
}

#[test]
fn constraints_are_few() {
    let mut octagon = Octagon::top(6);
    octagon.assume(&at_most_zero(&[1], -5));
    octagon.assume(&at_most_zero(&[-1], 0));
    for dimension in 1..6 {
        octagon.assign(Dimension(dimension), &(&variable(dimension - 1) + &Expression::constant(1)));
    }
    let constraints = octagon.constraints();
    assert_eq!(constraints.len(), 7, "{constraints:?}");
}
