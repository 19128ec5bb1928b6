//! Larger sets in the place of exact ones whose descriptions would be too large.

use logic::numbers::{Compact, Rational};

use super::conversion::{Side, TooLarge};
use super::convex::Convex;
use super::row::Row;

/// How many constraints are tried in vain before the rest is left out.
const FAILURES: usize = 4;

/// The points that satisfy constraints, except for constraints that would make the descriptions too large.
pub fn from_constraints(dimensions: usize, lines: &[Row], rays: &[Row], limit: usize) -> Option<Convex> {
    let universe = Convex::universe(dimensions);
    if let Ok(convex) = universe.meet(lines, rays, limit) {
        return convex;
    }
    let mut convex = universe.meet(lines, &[], limit).unwrap_or(Some(universe))?;
    // Simple constraints first; after a few failures the rest is not worth the time.
    let mut failures = 0;
    let mut rays: Vec<&Row> = rays.iter().collect();
    rays.sort_by_cached_key(|row| {
        (row.is_large(), (1..row.width()).filter(|at| !row.is_zero_at(*at)).count())
    });
    for row in rays {
        match convex.meet(&[], std::slice::from_ref(row), limit) {
            Ok(met) => convex = met?,
            Err(TooLarge) => failures += 1,
        }
        if failures == FAILURES {
            break;
        }
    }
    Some(convex)
}

/// The constraints that two polyhedra satisfy, with constants moved so that both do, where they can be.
pub fn weak_hull(left: &Convex, right: &Convex, limit: usize) -> Option<Convex> {
    let mut rows = Vec::new();
    for (from, other) in [(left, right), (right, left)] {
        let Side { lines, rays } = from.constraints();
        let opposite = lines.iter().map(Row::negated);
        for row in rays.iter().chain(lines).cloned().chain(opposite) {
            if let Some(least) = other.least(&row) {
                rows.push(if least.is_negative() { lifted(&row, &least) } else { row });
            }
        }
    }
    from_constraints(left.dimensions(), &[], &rows, limit)
}

/// The inequality with a constant that is larger by the absolute value of a negative number.
fn lifted(row: &Row, least: &Rational) -> Row {
    let (numerator, denominator) = (least.compact_numerator(), least.compact_denominator());
    let mut entries = row.entries();
    entries.iter_mut().for_each(|entry| *entry = entry.times(&denominator));
    entries[0] = entries[0].eliminated(&Compact::ONE, &numerator, &Compact::ONE);
    Row::new(entries)
}
