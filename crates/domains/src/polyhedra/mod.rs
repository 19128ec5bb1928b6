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
mod fallback;
mod minimise;
mod order;
mod product;
pub mod row;
#[cfg(test)]
mod tests;
mod widening;

use block::Block;
use conversion::TooLarge;

use crate::Lattice;

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
        Self { rows: 200, integers: true }
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

    /// How many generators, apart from lines, the polyhedron has as a whole.
    pub fn size(&self) -> usize {
        let (mut points, mut directions) = (usize::from(!self.is_bottom()), 0);
        for block in self.blocks() {
            points = points.saturating_mul(block.body.points());
            directions += block.body.generators().rays.len() - block.body.points();
        }
        points.saturating_add(directions)
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
        let product = Block::product_of(parts.iter(), self.limits.rows)?;
        Ok(product.unwrap_or_else(|| Block::universe(Vec::new())))
    }

    /// Puts a block in the place of all blocks that it shares dimensions with. `None` leaves no points.
    fn replace(&mut self, block: Option<Block>) {
        if block.as_ref().is_some_and(|block| self.blocks().iter().any(|old| old.is_identical(block))) {
            return;
        }
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
