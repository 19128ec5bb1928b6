//! Convex polyhedra: conjunctions of linear constraints between any number of dimensions.
//!
//! ```text
//! row ── bits ── conversion ◄─► minimise ── convex ── block ── Polyhedra: domain (assume, assign, forget, range)
//! (words, large    (Chernikova,              (both      (independent       order (inclusion, join, meet)
//!  on overflow)     Le Verge)         descriptions)       dimensions)      widening (and narrowing)
//! ```
//!
//! P. Cousot, N. Halbwachs, *Automatic discovery of linear restraints among variables of a program*, POPL 1978. The
//! arithmetic is exact. A polyhedron is a product of blocks of dimensions, and each block has both descriptions, by
//! constraints and by generators, minimal and in a unique form. Points are integers, so constants of constraints are
//! rounded (`2x <= 5` is `x <= 2`) wherever they come up; this is not the integer hull, and emptiness may go unseen.
//!
//! Descriptions can be exponentially large. Beyond a limit an operation gives a larger set than it should: it leaves out
//! constraints, or joins parts of the dimensions on their own. That depends on the operands only, never on time.

pub mod bits;
mod block;
pub mod conversion;
pub mod convex;
mod domain;
mod expression;
mod minimise;
mod order;
pub mod row;
#[cfg(test)]
mod tests;
mod widening;

use block::Block;
use conversion::{Side, TooLarge};
use convex::Convex;

/// How large descriptions may become, and what points are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most constraints, and the most generators, of a block.
    pub rows: usize,
    /// Whether constants may be rounded because coordinates are integers.
    pub integers: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: 400, integers: true }
    }
}

/// A convex polyhedron.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polyhedra {
    dimensions: usize,
    /// In the order of their first dimensions; dimensions of which nothing is known are in none. `None` if there are no
    /// points.
    blocks: Option<Vec<Block>>,
    limits: Limits,
}

impl Polyhedra {
    /// All points, with limits that the results of operations inherit.
    pub fn with_limits(dimensions: usize, limits: Limits) -> Self {
        Self { dimensions, blocks: Some(Vec::new()), limits }
    }

    /// How many generators all blocks have together, for measurements.
    pub fn size(&self) -> usize {
        let blocks = self.blocks.as_deref().unwrap_or_default();
        blocks.iter().map(|block| block.body.generators().rays.len()).sum()
    }

    /// The blocks, none if there are no points.
    fn blocks(&self) -> &[Block] {
        self.blocks.as_deref().unwrap_or_default()
    }

    /// The block that contains some dimensions, and everything that they have to do with.
    fn merged(&self, dimensions: &[usize]) -> Result<Block, TooLarge> {
        let is_touched = |block: &&Block| dimensions.iter().any(|dimension| block.contains(*dimension));
        let mut parts: Vec<Block> = self.blocks().iter().filter(is_touched).cloned().collect();
        let is_free = |dimension: &usize| !parts.iter().any(|block| block.contains(*dimension));
        let free: Vec<usize> = dimensions.iter().copied().filter(is_free).collect();
        if !free.is_empty() {
            parts.push(Block::universe(free));
        }
        let product = Block::product_of(parts, self.limits.rows)?;
        Ok(product.unwrap_or_else(|| Block::universe(Vec::new())))
    }

    /// Puts a block in the place of all blocks that it shares dimensions with. `None` leaves no points.
    fn replace(&mut self, block: Option<Block>) {
        let block = if self.limits.integers {
            block.and_then(|block| block.tightened(self.limits.rows))
        } else {
            block
        };
        let (Some(block), Some(blocks)) = (block, &mut self.blocks) else {
            self.blocks = None;
            return;
        };
        blocks.retain(|old| !old.members.iter().any(|member| block.contains(*member)));
        blocks.extend(block.split());
        blocks.sort_by_key(|block| block.members.first().copied());
    }
}

/// The points that satisfy constraints, except for constraints that would make the descriptions too large.
fn from_constraints(
    dimensions: usize,
    lines: &[row::Row],
    rays: &[row::Row],
    limit: usize,
) -> Option<Convex> {
    let universe = Convex::universe(dimensions);
    if let Ok(convex) = universe.meet(lines, rays, limit) {
        return convex;
    }
    let mut convex = universe.meet(lines, &[], limit).unwrap_or(Some(universe))?;
    for row in rays {
        if let Ok(met) = convex.meet(&[], std::slice::from_ref(row), limit) {
            convex = met?;
        }
    }
    Some(convex)
}

/// The constraints that two polyhedra satisfy, with constants moved so that both do, where they can be.
fn weak_hull(left: &Convex, right: &Convex, limit: usize) -> Option<Convex> {
    let mut rows = Vec::new();
    for (from, other) in [(left, right), (right, left)] {
        let Side { lines, rays } = from.constraints();
        let opposite = lines.iter().map(row::Row::negated);
        for row in rays.iter().chain(lines).cloned().chain(opposite) {
            if let Some(least) = other.least(&row) {
                rows.push(if least.is_negative() { lifted(&row, &least) } else { row });
            }
        }
    }
    from_constraints(left.dimensions(), &[], &rows, limit)
}

/// The inequality with a constant that is larger by the absolute value of a negative number.
fn lifted(row: &row::Row, least: &logic::numbers::Rational) -> row::Row {
    let (numerator, denominator) = (least.compact_numerator(), least.compact_denominator());
    let mut entries = row.entries();
    entries.iter_mut().for_each(|entry| *entry = entry.times(&denominator));
    entries[0] =
        entries[0].eliminated(&logic::numbers::Compact::ONE, &numerator, &logic::numbers::Compact::ONE);
    row::Row::new(entries)
}
