//! Arbitrary linear expressions and constraints, seen by an octagon.
//!
//! The greatest value of a sum is at most the sum of the greatest values of parts that are octagonal. For two coordinates
//! the best split is exact on the rationals; for a few all splits are tried, for more the one that gains most is taken step by
//! step. A constraint `g <= 0` that is not octagonal limits every octagonal `e` by the greatest value of `e - f*g` for
//! any positive factor `f`: the factors tried are those that cancel a coordinate (Miné 2006, section 4.4.3, tries one).

use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use super::bound::Bound;
use super::matrix::Matrix;
use crate::{Constraint, Dimension, Expression, Range};

/// The limit `v_i - v_j <= bound` of two nodes of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Octagonal {
    pub i: usize,
    pub j: usize,
    pub bound: Bound,
}

impl From<(usize, usize, Bound)> for Octagonal {
    fn from((i, j, bound): (usize, usize, Bound)) -> Self {
        Self { i, j, bound }
    }
}

/// Assignments that octagons do exactly.
pub(super) enum Assignment {
    /// A constant.
    Constant(Bound),
    /// The coordinate or its negation, plus a number.
    Itself { is_negated: bool, shift: Bound },
    /// The value of a node of another coordinate, plus a number.
    Copy { node: usize, shift: Bound },
}

/// A positive multiple of the value of a node.
#[derive(Clone, Copy)]
struct Part {
    node: usize,
    size: i64,
}

/// Splits of at most so many parts are all tried.
const EXHAUSTIVE: usize = 4;
/// Constraints with more coordinates than this limit single coordinates only.
const MANY: usize = 8;

/// The limits that say the same as a constraint on the integers, if there are any.
pub(super) fn octagonal(constraint: &Constraint) -> Option<Vec<Octagonal>> {
    if constraint.expression.terms().len() > 2 || constraint.expression.terms().is_empty() {
        return None;
    }
    let tight = constraint.tightened();
    let nodes: Vec<usize> = tight.expression.terms().iter().map(unit).collect::<Option<_>>()?;
    let most = -integer(tight.expression.constant_part())?;
    let upper = |nodes: &[usize], most: i128| match *nodes {
        [one] => Some(Octagonal { i: one, j: one ^ 1, bound: Bound::new(2 * most) }),
        [one, two] => Some(Octagonal { i: one, j: two ^ 1, bound: Bound::new(most) }),
        _ => None,
    };
    let mut limits = vec![upper(&nodes, most)?];
    if tight.relation == Relation::Equal {
        let opposite: Vec<usize> = nodes.iter().map(|node| node ^ 1).collect();
        limits.push(upper(&opposite, -most)?);
    }
    Some(limits)
}

/// The assignment, if octagons can do it exactly.
pub(super) fn assignment(target: Dimension, value: &Expression) -> Option<Assignment> {
    let constant = Bound::new(integer(value.constant_part())?);
    // A number that has become another one on the way into a bound is good as a limit, not as a value.
    constant.exact()?;
    match value.terms() {
        [] => Some(Assignment::Constant(constant)),
        [term] => {
            let node = unit(term)?;
            Some(if term.0 == target {
                Assignment::Itself { is_negated: node % 2 == 1, shift: constant }
            } else {
                Assignment::Copy { node, shift: constant }
            })
        }
        _ => None,
    }
}

/// Whether no point satisfies a tightened constraint, given a closed matrix that is not empty.
pub(super) fn is_impossible(matrix: &Matrix, constraint: &Constraint) -> bool {
    let range = range(matrix, &constraint.expression);
    range.least.is_some_and(|least| least.is_positive())
        || constraint.relation == Relation::Equal
            && range.greatest.is_some_and(|greatest| greatest.is_negative())
}

/// The limits that follow from a tightened constraint and a closed matrix, as far as they are not in the matrix.
pub(super) fn consequences(matrix: &Matrix, constraint: &Constraint) -> Vec<Octagonal> {
    let mut limits = Vec::new();
    upper_consequences(matrix, &constraint.expression, &mut limits);
    if constraint.relation == Relation::Equal {
        upper_consequences(matrix, &-&constraint.expression, &mut limits);
    }
    limits.retain(|limit| limit.bound < matrix.at(limit.i, limit.j));
    limits
}

/// The limits that follow from an expression being at most zero.
fn upper_consequences(matrix: &Matrix, expression: &Expression, limits: &mut Vec<Octagonal>) {
    let terms = expression.terms();
    let signed = |(dimension, coefficient): &(Dimension, Rational)| {
        let sign = if coefficient.is_negative() { Rational::MINUS_ONE } else { Rational::ONE };
        (2 * dimension.index() + usize::from(coefficient.is_negative()), (*dimension, sign))
    };
    let limit = |direction: &Expression, factor: &Rational| {
        let rest = direction.plus_scaled(&-factor, expression);
        above(range(matrix, &rest).greatest)
    };
    for (at, one) in terms.iter().enumerate() {
        let (node, direction) = signed(one);
        let factor = one.1.absolute().reciprocal();
        let unit = Expression::new([direction.clone()], 0);
        limits.push(Octagonal { i: node, j: node ^ 1, bound: limit(&unit, &factor).double() });
        for two in terms[at + 1..].iter().filter(|_| terms.len() <= MANY) {
            let (other, second) = signed(two);
            let pair = Expression::new([direction.clone(), second], 0);
            let mut bound = limit(&pair, &factor);
            if one.1.absolute() != two.1.absolute() {
                bound = bound.min(limit(&pair, &two.1.absolute().reciprocal()));
            }
            limits.push(Octagonal { i: node, j: other ^ 1, bound });
        }
    }
}

/// For a coordinate that is to become the value of an expression: the limits of the distances of the value and of its
/// opposite from all nodes, as [`Matrix::attach`] wants them. Nothing if there are numbers that are not small integers.
pub(super) fn distances(matrix: &Matrix, target: Dimension, value: &Expression) -> Option<[Vec<Bound>; 2]> {
    let constant = integer(value.constant_part())?;
    let parts: Vec<Part> =
        value.terms().iter().map(|term| part(term, &Rational::ONE)).collect::<Option<_>>()?;
    let opposite: Vec<Part> = parts.iter().map(|part| Part { node: part.node ^ 1, ..*part }).collect();
    let row = |parts: &[Part], constant: i128| {
        let bound = |most: Option<i128>, times: i128| {
            let sum = most.and_then(|most| most.checked_add(constant)?.checked_mul(times));
            sum.map_or(Bound::INFINITE, Bound::new)
        };
        let twice = bound(greatest(matrix, parts), 2);
        let distance = |node: usize| {
            if node / 2 == target.index() {
                twice
            } else {
                bound(greatest(matrix, &with(parts, node ^ 1)), 1)
            }
        };
        (0..matrix.nodes()).map(distance).collect()
    };
    Some([row(&parts, constant), row(&opposite, -constant)])
}

/// The limits of an expression, given a closed matrix that is not empty.
pub(super) fn range(matrix: &Matrix, expression: &Expression) -> Range {
    let constant = expression.constant_part();
    if expression.terms().is_empty() {
        return Range::single(constant.clone());
    }
    let factor = expression.primitive_factor();
    let Some(parts) = expression.terms().iter().map(|term| part(term, &factor)).collect::<Option<Vec<_>>>()
    else {
        return Range::default();
    };
    let opposite: Vec<Part> = parts.iter().map(|part| Part { node: part.node ^ 1, ..*part }).collect();
    let value = |most: i128| &(&Rational::from(logic::Integer::from(most)) / &factor) + constant;
    Range {
        least: greatest(matrix, &opposite).map(|most| value(-most)),
        greatest: greatest(matrix, &parts).map(value),
    }
}

/// An upper limit of an integer as a bound.
pub(super) fn above(limit: Option<Rational>) -> Bound {
    let Some(limit) = limit else { return Bound::INFINITE };
    let floor = limit.floor();
    match i128::try_from(&floor) {
        Ok(number) => Bound::new(number),
        Err(_) if limit.is_negative() => Bound::new(i128::MIN),
        Err(_) => Bound::INFINITE,
    }
}

fn integer(number: &Rational) -> Option<i128> {
    // Far smaller than what fits, so that it can be doubled and negated.
    number.to_integer().and_then(|integer| i64::try_from(&integer).ok()).map(i128::from)
}

/// The node of a term whose coefficient is one or minus one.
fn unit((dimension, coefficient): &(Dimension, Rational)) -> Option<usize> {
    let is_negated = *coefficient == Rational::MINUS_ONE;
    (is_negated || coefficient.is_one()).then(|| 2 * dimension.index() + usize::from(is_negated))
}

fn part((dimension, coefficient): &(Dimension, Rational), factor: &Rational) -> Option<Part> {
    let size = integer(&(coefficient * factor))?;
    let node = 2 * dimension.index() + usize::from(size < 0);
    Some(Part { node, size: i64::try_from(size.abs()).ok()? })
}

/// The greatest value of a sum of parts, as far as splits of it tell.
fn greatest(matrix: &Matrix, parts: &[Part]) -> Option<i128> {
    match parts {
        [] => Some(0),
        [part] => times(matrix.greatest(part.node), part.size),
        [first, rest @ ..] if parts.len() <= EXHAUSTIVE => {
            let alone = sum(times(matrix.greatest(first.node), first.size), || greatest(matrix, rest));
            let paired = (0..rest.len()).map(|at| {
                let size = first.size.min(rest[at].size);
                sum(times(matrix.at(first.node, rest[at].node ^ 1), size), || {
                    greatest(matrix, &without(parts, 0, at + 1, size))
                })
            });
            paired.chain([alone]).flatten().min()
        }
        _ => greedy(matrix, parts),
    }
}

/// Takes the split that gains most, again and again.
fn greedy(matrix: &Matrix, parts: &[Part]) -> Option<i128> {
    let mut parts = parts.to_vec();
    let mut total = Some(0);
    while parts.len() > EXHAUSTIVE {
        let pairs = (0..parts.len()).flat_map(|two| (0..two).map(move |one| (one, two)));
        let gain = |&(one, two): &(usize, usize)| {
            let (a, b) = (parts[one], parts[two]);
            let paired = matrix.at(a.node, b.node ^ 1).finite()?;
            match (matrix.greatest(a.node).finite(), matrix.greatest(b.node).finite()) {
                (Some(x), Some(y)) => Some((false, i128::from(x) + i128::from(y) - i128::from(paired))),
                _ => Some((true, 0)),
            }
        };
        let best = pairs.filter_map(|pair| Some((gain(&pair)?, std::cmp::Reverse(pair)))).max()?;
        let std::cmp::Reverse((one, two)) = best.1;
        let size = parts[one].size.min(parts[two].size);
        total = sum(total, || times(matrix.at(parts[one].node, parts[two].node ^ 1), size));
        parts = without(&parts, one, two, size);
    }
    sum(total, || greatest(matrix, &parts))
}

/// The parts and one node more.
fn with(parts: &[Part], node: usize) -> Vec<Part> {
    let mut sum = parts.to_vec();
    match sum.iter().position(|part| part.node / 2 == node / 2) {
        None => sum.push(Part { node, size: 1 }),
        Some(at) if sum[at].node == node => sum[at].size = sum[at].size.saturating_add(1),
        Some(at) if sum[at].size == 1 => drop(sum.remove(at)),
        Some(at) => sum[at].size -= 1,
    }
    sum
}

/// The parts, two of them smaller by a size.
fn without(parts: &[Part], one: usize, two: usize, size: i64) -> Vec<Part> {
    let smaller = |(at, part): (usize, &Part)| {
        let rest = if at == one || at == two { part.size - size } else { part.size };
        (rest > 0).then_some(Part { node: part.node, size: rest })
    };
    parts.iter().enumerate().filter_map(smaller).collect()
}

fn times(bound: Bound, size: i64) -> Option<i128> {
    bound.finite().map(|bound| i128::from(bound) * i128::from(size))
}

fn sum(one: Option<i128>, two: impl FnOnce() -> Option<i128>) -> Option<i128> {
    one.and_then(|one| one.checked_add(two()?))
}
