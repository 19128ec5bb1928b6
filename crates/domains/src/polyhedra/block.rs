//! Dimensions that have something to do with each other, and the polyhedron that they form.
//!
//! A polyhedron is the product of the polyhedra of its blocks (G. Singh, M. Püschel, M. Vechev, *Fast polyhedra abstract
//! domain*, POPL 2017). A box of sixteen dimensions is sixteen segments then, and not 65536 vertices. Since the
//! constraints of a block are minimal and in a unique form, the dimensions that they connect are the finest blocks there
//! are.

use std::sync::Arc;

use logic::numbers::Compact;
use logic::numbers::Rational;

use super::conversion::{Side, TooLarge};
use super::convex::Convex;
use super::row::Row;

/// Dimensions in order, and what holds of them together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The dimensions, in order.
    pub members: Arc<[usize]>,
    /// The polyhedron, whose coordinates are the dimensions in their order.
    pub body: Arc<Convex>,
}

impl Block {
    /// A block of which nothing is known.
    pub fn universe(members: Vec<usize>) -> Self {
        Self::new(members.into(), Convex::universe)
    }

    /// A block with other points.
    pub fn with_body(&self, body: Convex) -> Self {
        Self { members: self.members.clone(), body: Arc::new(body) }
    }

    fn new(members: Arc<[usize]>, body: impl FnOnce(usize) -> Convex) -> Self {
        let body = Arc::new(body(members.len()));
        Self { members, body }
    }

    /// Whether a dimension belongs to it.
    pub fn contains(&self, dimension: usize) -> bool {
        self.members.binary_search(&dimension).is_ok()
    }

    /// Whether it is another one that was passed around.
    pub fn is_identical(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.members == other.members
    }

    /// Whether it is the same as another one, where that is seen at once or by comparing constraints.
    pub fn is_same(&self, other: &Self) -> bool {
        self.members == other.members && (Arc::ptr_eq(&self.body, &other.body) || self.body == other.body)
    }

    /// The block of the dimensions of both, which have none in common.
    pub fn product(&self, other: &Self, limit: usize) -> Result<Self, TooLarge> {
        let mut members: Vec<usize> = self.members.iter().chain(other.members.iter()).copied().collect();
        members.sort_unstable();
        let body = self.body.product(&self.places(&members), &other.body, &other.places(&members), limit)?;
        Ok(Self { members: members.into(), body: Arc::new(body) })
    }

    /// The block of the dimensions of all.
    pub fn product_of<'a>(
        blocks: impl Iterator<Item = &'a Block> + Clone,
        limit: usize,
    ) -> Result<Option<Self>, TooLarge> {
        let points = blocks.clone().map(|block| block.body.points());
        if points.fold(1, usize::saturating_mul) > limit {
            return Err(TooLarge);
        }
        let mut product: Option<Self> = None;
        for block in blocks {
            product = Some(match product {
                None => block.clone(),
                Some(product) => product.product(block, limit)?,
            });
        }
        Ok(product)
    }

    /// The finest blocks that this one is made of. Dimensions of which nothing is known are in none.
    pub fn split(self) -> Vec<Self> {
        let count = self.members.len();
        let mut groups = Groups::new(count);
        let mut is_bound = vec![false; count];
        let Side { lines, rays } = self.body.constraints();
        for row in lines.iter().chain(rays) {
            let mut places = (0..count).filter(|at| !row.is_zero_at(at + 1));
            if let Some(first) = places.next() {
                is_bound[first] = true;
                for at in places {
                    is_bound[at] = true;
                    groups.unite(first, at);
                }
            }
        }
        let mut leaders: Vec<usize> =
            (0..count).filter(|at| is_bound[*at] && groups.leader(*at) == *at).collect();
        leaders.sort_unstable();
        if leaders.len() == 1 && is_bound.iter().all(|bound| *bound) {
            return vec![self];
        }
        let part = |leader: &usize| {
            let places: Vec<usize> =
                (0..count).filter(|at| is_bound[*at] && groups.leader(*at) == *leader).collect();
            let columns: Vec<Option<usize>> =
                [Some(0)].into_iter().chain(places.iter().map(|at| Some(at + 1))).collect();
            let members = places.iter().map(|at| self.members[*at]).collect();
            Self { members, body: Arc::new(self.body.projected(&columns)) }
        };
        leaders.iter().map(part).collect()
    }

    /// The points with integer coordinates satisfy constraints with rounded constants. `None` if there are no such
    /// points.
    pub fn tightened(self, limit: usize) -> Option<Self> {
        /// Rounding makes new corners, which may make new constants to round.
        const ROUNDS: usize = 3;
        let mut block = self;
        for _ in 0..ROUNDS {
            let Side { lines, rays } = block.body.constraints();
            if lines.iter().any(|row| !row.content().is_one()) {
                return None;
            }
            let rounded: Vec<Row> = rays.iter().filter_map(rounded).collect();
            if rounded.is_empty() {
                break;
            }
            match block.body.meet(&[], &rounded, limit) {
                Ok(Some(body)) => block = block.with_body(body),
                Ok(None) => return None,
                Err(TooLarge) => break,
            }
        }
        Some(block)
    }

    /// Where the dimensions of a larger block are in this one.
    pub fn places(&self, members: &[usize]) -> Vec<Option<usize>> {
        let place = |dimension: &usize| self.members.binary_search(dimension).ok().map(|at| at + 1);
        [Some(0)].into_iter().chain(members.iter().map(place)).collect()
    }
}

/// Whether the constant of an inequality can be rounded.
pub fn is_loose(row: &Row) -> bool {
    let content = row.content();
    !content.is_one() && !content.is_zero()
}

/// The inequality with its constant rounded, if that makes a difference.
fn rounded(row: &Row) -> Option<Row> {
    if !is_loose(row) {
        return None;
    }
    let content = row.content();
    let mut entries = row.entries();
    let constant = Rational::quotient(&entries[0], &content).floor();
    entries.iter_mut().skip(1).for_each(|entry| *entry = entry.divided_exactly(&content));
    entries[0] = Compact::from(constant);
    Some(Row::new(entries))
}

/// Numbers in groups that can be united; the leader of a group is its least number.
pub struct Groups(Vec<usize>);

impl Groups {
    /// Every number by itself.
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The least number of the group.
    pub fn leader(&self, mut number: usize) -> usize {
        while self.0[number] != number {
            number = self.0[number];
        }
        number
    }

    /// Makes one group of two.
    pub fn unite(&mut self, left: usize, right: usize) {
        let (left, right) = (self.leader(left), self.leader(right));
        self.0[left.max(right)] = left.min(right);
    }
}
