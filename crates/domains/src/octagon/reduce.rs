//! Few constraints that say the same as a closed matrix.
//!
//! Coordinates that are constant, or at a constant distance from an earlier one or its negation, are said by one
//! equation. Among the others a limit is left out if a third node or the limits of its two values imply it: no cycle has
//! length zero there, so that all of these can go at once (Bagnara, Hill, Zaffanella, Weakly-relational shapes for numeric
//! abstractions, 2009, section 5: strong reduction).

use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use super::bound::Bound;
use super::matrix::Matrix;
use crate::{Constraint, Dimension, Expression};

/// Constraints whose closure is the matrix, which is closed and not empty.
pub(super) fn constraints(matrix: &Matrix) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    let mut leaders: Vec<usize> = Vec::new();
    for node in (0..matrix.nodes()).step_by(2) {
        let others = leaders.iter().flat_map(|leader| [*leader, leader ^ 1]);
        let equal = std::iter::once(node ^ 1).chain(others).find(|other| is_constant(matrix, node, *other));
        match equal {
            Some(other) => constraints.extend(constraint(matrix, node, other, Relation::Equal)),
            None => leaders.push(node),
        }
    }
    let nodes: Vec<usize> = leaders.iter().flat_map(|leader| [*leader, leader ^ 1]).collect();
    for (at, i) in nodes.iter().enumerate() {
        for j in nodes[..=(at | 1)].iter().filter(|j| *j != i) {
            if matrix.at(*i, *j).is_finite() && !is_implied(matrix, *i, *j, &nodes) {
                constraints.extend(constraint(matrix, *i, *j, Relation::AtMost));
            }
        }
    }
    constraints
}

/// Whether the difference of two nodes has one value only.
fn is_constant(matrix: &Matrix, i: usize, j: usize) -> bool {
    let (there, back) = (matrix.at(i, j), matrix.at(j, i));
    there.is_finite() && back.is_finite() && there.plus(back) == Bound::ZERO
}

/// Whether a limit follows from others.
fn is_implied(matrix: &Matrix, i: usize, j: usize, nodes: &[usize]) -> bool {
    let bound = matrix.at(i, j);
    let is_by_values = j != i ^ 1 && matrix.greatest(i).plus(matrix.greatest(j ^ 1)) <= bound;
    is_by_values
        || nodes.iter().any(|k| *k != i && *k != j && matrix.at(i, *k).plus(matrix.at(*k, j)) <= bound)
}

/// The limit of two nodes as a constraint.
fn constraint(matrix: &Matrix, i: usize, j: usize, relation: Relation) -> Option<Constraint> {
    let bound = matrix.at(i, j).finite()?;
    let term = |node: usize, sign: i64| {
        let sign = if node.is_multiple_of(2) { sign } else { -sign };
        (Dimension((node / 2) as u32), Rational::from(sign))
    };
    let expression = if j == i ^ 1 {
        Expression::new([term(i, 1)], -(bound / 2))
    } else {
        Expression::new([term(i, 1), term(j, -1)], -bound)
    };
    Some(Constraint { expression, relation })
}
