//! The smallest and unique form of both descriptions of a cone.
//!
//! A member of the source is redundant if another one is saturated by all rays that saturate it, and more. Lines are in
//! reduced echelon form with the pivots as far to the right as possible, and rays are reduced by the lines, so that
//! equal polyhedra have equal descriptions.

use logic::numbers::Compact;

use super::conversion::{Pair, Side};
use super::row::Row;

/// Drops redundant rays of the source, and makes lines of those that all of the target saturates. The bits may have more
/// columns than the source has rays.
pub fn drop_redundant(pair: &mut Pair) {
    let faces = pair.bits.transposed(pair.source.rays.len());
    let count = pair.target.rays.len();
    let sizes: Vec<u32> = (0..faces.rows()).map(|face| faces.count(face)).collect();
    let has_implicit = sizes.contains(&0);
    if has_implicit {
        let implicit = pair.source.rays.iter().zip(&sizes).filter(|(_, size)| **size == 0);
        pair.source.lines.extend(implicit.map(|(row, _)| row.clone()));
    }
    echelon(&mut pair.source.lines);
    let Some(width) = pair.source.rays.first().map(Row::width) else { return };

    // A facet is saturated by at least as many rays as it has dimensions. The larger a face, the earlier it comes.
    let dimension = width.saturating_sub(pair.source.lines.len() + pair.target.lines.len());
    let is_facet = |face: &usize| sizes[*face] > 0 && count + 1 >= sizes[*face] as usize + dimension;
    let mut candidates: Vec<usize> = (0..faces.rows()).filter(is_facet).collect();
    candidates.sort_by_key(|face| sizes[*face]);
    let mut kept: Vec<usize> = Vec::with_capacity(candidates.len());
    for face in candidates {
        if !kept.iter().any(|other| faces.is_within(*other, faces.row(face))) {
            kept.push(face);
        }
    }
    kept.sort_unstable();
    pair.bits = faces.selected(kept.iter().copied(), count).transposed(count);
    retain(&mut pair.source.rays, &kept);
}

/// Brings both descriptions into their unique form.
pub fn normalise(pair: &mut Pair) {
    reduce(&mut pair.source);
    reduce(&mut pair.target);
    let source = sort(&mut pair.source.rays);
    let target = sort(&mut pair.target.rays);
    let columns = source.len();
    if !is_identity(&target) {
        pair.bits = pair.bits.selected(target.iter().copied(), columns);
    }
    if !is_identity(&source) {
        let turned = pair.bits.transposed(columns);
        pair.bits = turned.selected(source.into_iter(), target.len()).transposed(target.len());
    }
}

/// The last place that is not zero, of each of the rows in echelon form.
fn pivots(lines: &[Row]) -> Vec<usize> {
    lines.iter().filter_map(Row::last).collect()
}

/// Reduced echelon form: every row ends with a positive pivot, and all others are zero there.
fn echelon(lines: &mut Vec<Row>) {
    let mut done: Vec<(usize, Row)> = Vec::with_capacity(lines.len());
    for mut row in lines.drain(..) {
        for (pivot, line) in &done {
            eliminate(&mut row, line, *pivot);
        }
        let Some(pivot) = row.last() else { continue };
        if row.sign(pivot).is_lt() {
            row = row.negated();
        }
        for (_, line) in &mut done {
            eliminate(line, &row, pivot);
        }
        let at = done.partition_point(|(other, _)| *other < pivot);
        done.insert(at, (pivot, row));
    }
    lines.extend(done.into_iter().map(|(_, row)| row));
}

/// Makes a row zero at the pivot of a line.
fn eliminate(row: &mut Row, line: &Row, pivot: usize) {
    if !row.is_zero_at(pivot) {
        let (size, product): (Compact, Compact) = (line.get(pivot), row.get(pivot));
        *row = row.eliminated(&size, line, &product);
    }
}

fn reduce(side: &mut Side) {
    echelon(&mut side.lines);
    for (line, pivot) in side.lines.iter().zip(pivots(&side.lines)) {
        for ray in &mut side.rays {
            eliminate(ray, line, pivot);
        }
    }
}

/// Sorts rows, and says where each one was before.
fn sort(rows: &mut [Row]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| rows[*a].cmp(&rows[*b]));
    if !is_identity(&order) {
        rows.sort();
    }
    order
}

fn is_identity(order: &[usize]) -> bool {
    order.iter().enumerate().all(|(at, old)| at == *old)
}

/// Leaves the rows at some places, which are in order.
fn retain(rows: &mut Vec<Row>, places: &[usize]) {
    let (mut at, mut next) = (0, 0);
    rows.retain(|_| {
        let is_kept = places.get(next) == Some(&at);
        next += usize::from(is_kept);
        at += 1;
        is_kept
    });
}
