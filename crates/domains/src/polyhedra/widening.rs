//! Widening and narrowing.
//!
//! The standard widening (N. Halbwachs, thesis, 1979; see R. Bagnara, P. Hill, E. Ricci, E. Zaffanella, *Precise widening
//! operators for convex polyhedra*, SAS 2003, section 3) keeps those constraints of the next polyhedron that touch the
//! first one where one of its own constraints does. Where groups of dimensions are too large for that, it keeps the
//! constraints of the first one that the next one satisfies. Limits that hold are kept, too.
//!
//! Narrowing takes the next polyhedron if it has fewer dimensions or lines, or is bounded in a direction of one or two
//! coordinates in which the first one is not: that cannot happen for ever.

use std::cmp::Ordering;

use super::Polyhedra;
use super::block::Block;
use super::conversion::Side;
use super::fallback::from_constraints;
use super::product::says_something;
use super::row::Row;
use crate::lattice::{Domain, Lattice};
use crate::{Constraint, Dimension, Expression};

/// A polyhedron that contains both.
pub fn widen(first: &Polyhedra, next: &Polyhedra, limits: &[Constraint]) -> Polyhedra {
    if first.is_bottom() {
        return next.clone();
    }
    if next.is_included(first) {
        return first.clone();
    }
    let joined;
    let next = if first.is_included(next) {
        next
    } else {
        joined = first.join(next);
        &joined
    };
    let mut widened = Polyhedra::with_limits(first.dimensions, first.rational().limits);
    for group in first.groups(next) {
        match (first.merged(&group), next.merged(&group)) {
            (Ok(old), Ok(new)) => widen_group(&old, &new, &mut widened),
            _ => widened.keep_common(first, next, &group),
        }
    }
    for limit in limits {
        if next.satisfies(limit) && first.satisfies(limit) {
            widened.assume(&if first.limits.integers { limit.tightened() } else { limit.clone() });
        }
    }
    Polyhedra { limits: first.limits, ..widened }
}

/// A polyhedron between the first one and the next one, which is part of it.
pub fn narrow(first: &Polyhedra, next: &Polyhedra) -> Polyhedra {
    if first.is_bottom() || next.is_bottom() {
        return next.clone();
    }
    let next = if next.is_included(first) { next.clone() } else { first.meet(next) };
    if next.is_bottom() || freedom(&next) < freedom(first) || unbounded(&next) < unbounded(first) {
        return next;
    }
    first.clone()
}

/// The constraints of the new polyhedron that are saturated by the same generators of the old one as one of its own.
fn widen_group(old: &Block, new: &Block, widened: &mut Polyhedra) {
    if old.is_same(new) {
        return widened.replace(Some(old.clone()));
    }
    let Side { lines, rays } = old.body.generators();
    let saturators = |row: &Row| -> Option<Vec<bool>> {
        let misses = |generator: &Row| generator.side(row) != Ordering::Equal;
        (!lines.iter().any(misses)).then(|| rays.iter().map(misses).collect())
    };
    // That one is positive is no constraint: an inequality that is as far from the generators as that one would move
    // away for ever.
    let inequalities = &old.body.constraints().rays;
    let own: Vec<Vec<bool>> = (0..inequalities.len())
        .filter(|column| says_something(&inequalities[*column]))
        .map(|column| (0..rays.len()).map(|row| old.body.bits().get(row, column)).collect())
        .collect();
    let has_equations = !old.body.constraints().lines.is_empty();
    let is_common = |row: &&Row| {
        saturators(row)
            .is_some_and(|found| if found.contains(&true) { own.contains(&found) } else { has_equations })
    };
    let constraints = new.body.constraints();
    let kept: Vec<Row> = constraints.rays.iter().filter(is_common).cloned().collect();
    if kept.len() == constraints.rays.len() {
        return widened.replace(Some(new.clone()));
    }
    let body = from_constraints(old.members.len(), &constraints.lines, &kept, widened.limits.rows);
    widened.replace(body.map(|body| old.with_body(body)));
}

/// How many dimensions the polyhedron and its lines have together.
fn freedom(polyhedra: &Polyhedra) -> usize {
    let bound: usize = polyhedra.blocks().iter().map(|block| block.members.len()).sum();
    let in_blocks = polyhedra.blocks().iter().map(|block| {
        let (constraints, generators) = (block.body.constraints(), block.body.generators());
        block.members.len() + generators.lines.len() - constraints.lines.len()
    });
    2 * (polyhedra.dimensions - bound) + in_blocks.sum::<usize>()
}

/// In how many directions of one or two coordinates the polyhedron has no end.
fn unbounded(polyhedra: &Polyhedra) -> usize {
    let variable = |dimension: usize| Expression::variable(Dimension(dimension as u32));
    let ends = |expression: &Expression| {
        let range = polyhedra.range(expression);
        usize::from(range.least.is_none()) + usize::from(range.greatest.is_none())
    };
    let mut count = 0;
    for left in 0..polyhedra.dimensions {
        count += ends(&variable(left));
        for right in 0..left {
            count +=
                ends(&(&variable(left) + &variable(right))) + ends(&(&variable(left) - &variable(right)));
        }
    }
    count
}
