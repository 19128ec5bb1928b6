//! The order of polyhedra: inclusion, join and meet.
//!
//! The join of two products is a product again where the factors are equal or only one of them differs. All blocks that
//! differ are put together otherwise, as far as the limits allow; the rest is joined block by block.

use logic::numbers::Rational;

use super::block::{self, Block, Groups};
use super::conversion::{Side, TooLarge};
use super::expression::{Scaled, constraint};
use super::fallback::weak_hull;
use super::row::Row;
use super::{Limits, Polyhedra, widening};
use crate::Constraint;
use crate::lattice::{Domain, Lattice};

impl Lattice for Polyhedra {
    fn is_bottom(&self) -> bool {
        self.blocks.is_none()
    }

    fn is_included(&self, other: &Self) -> bool {
        self.is_bottom() || !other.is_bottom() && other.blocks().iter().all(|block| self.is_within(block))
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() || self.is_included(other) {
            return other.clone();
        }
        if other.is_included(self) {
            return self.clone();
        }
        // Rounding what is then combined with something else gives constraints that are true, but not seen to be: the
        // result is rounded at the end, and only as far as both are seen to be part of it.
        let (left, right) = (self.rational(), other.rational());
        let joined = left.freed(&right).join_groups(&right.freed(&left));
        let joined = Self { limits: self.limits, ..joined };
        match joined.tightened() {
            Some(tight) if self.is_included(&tight) && other.is_included(&tight) => tight,
            _ => joined,
        }
    }

    fn meet(&self, other: &Self) -> Self {
        if self.is_bottom() || other.is_bottom() {
            return Self { blocks: None, ..self.clone() };
        }
        let mut met = self.clone();
        for block in other.blocks() {
            if !met.is_bottom() && !met.blocks().iter().any(|own| own.is_same(block)) {
                met.meet_block(block);
            }
        }
        met
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        widening::widen(self, next, limits)
    }

    fn narrow(&self, next: &Self) -> Self {
        widening::narrow(self, next)
    }
}

impl Polyhedra {
    /// Whether all points satisfy the constraints of a block.
    pub(super) fn is_within(&self, block: &Block) -> bool {
        let own = self.blocks().iter().find(|own| own.members == block.members);
        if own.is_some_and(|own| own.is_same(block) || own.body.is_included(&block.body)) {
            return true;
        }
        block.body.constraints().rows().all(|(row, is_equation)| self.satisfies_row(row, block, is_equation))
    }

    /// Whether all points satisfy an equation or an inequality over the dimensions of a block.
    pub(super) fn satisfies_row(&self, row: &Row, block: &Block, is_equation: bool) -> bool {
        if let Some(own) = self.blocks().iter().find(|own| own.members == block.members) {
            let holds = if is_equation { own.body.satisfies_equation(row) } else { own.body.satisfies(row) };
            if holds || !self.limits.integers {
                return holds;
            }
        }
        // The expression is at most zero.
        let scaled = Scaled::new(&constraint(row, &block.members, is_equation).expression);
        let is_at_most = |limit: Option<Rational>| limit.is_some_and(|limit| !limit.is_positive());
        is_at_most(self.limit(&scaled, true))
            && (!is_equation || self.limit(&scaled, false).is_some_and(|limit| !limit.is_negative()))
    }

    /// The same set, with operations that do not round constants.
    pub(super) fn rational(&self) -> Self {
        let limits = Limits { integers: false, ..self.limits };
        Self { limits, ..self.clone() }
    }

    /// The set with rounded constants, if that makes a difference.
    fn tightened(&self) -> Option<Self> {
        let is_loose = |block: &Block| block.body.constraints().rays.iter().any(block::is_loose);
        if !self.limits.integers || !self.blocks().iter().any(is_loose) {
            return None;
        }
        let mut tight = Self::with_limits(self.dimensions, self.limits);
        for block in self.blocks() {
            tight.replace(Some(block.clone()));
        }
        Some(tight)
    }

    /// Without what is known of dimensions of which the other one knows nothing.
    fn freed(&self, other: &Self) -> Self {
        let is_free = |dimension: &usize| !other.blocks().iter().any(|block| block.contains(*dimension));
        let own = self.blocks().iter().flat_map(|block| block.members.iter().copied());
        let free: Vec<usize> = own.filter(is_free).collect();
        let mut freed = self.clone();
        freed.forget_all(&free);
        freed
    }

    /// The dimensions in groups of which both polyhedra are the product.
    pub(super) fn groups(&self, other: &Self) -> Vec<Vec<usize>> {
        let mut groups = Groups::new(self.dimensions);
        let mut is_bound = vec![false; self.dimensions];
        for block in self.blocks().iter().chain(other.blocks()) {
            for member in block.members.iter() {
                is_bound[*member] = true;
                groups.unite(block.members[0], *member);
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.dimensions];
        for dimension in (0..self.dimensions).filter(|dimension| is_bound[*dimension]) {
            members[groups.leader(dimension)].push(dimension);
        }
        members.retain(|group| !group.is_empty());
        members
    }

    fn join_groups(&self, other: &Self) -> Self {
        let mut joined = Self::with_limits(self.dimensions, self.limits);
        let mut differing = Vec::new();
        for group in self.groups(other) {
            match (self.merged(&group), other.merged(&group)) {
                (Ok(left), Ok(right)) if left.is_same(&right) => joined.replace(Some(left)),
                (Ok(left), Ok(right)) => differing.push((left, right)),
                // What is too large as a whole keeps the constraints of either side that the other one satisfies.
                _ => {
                    joined.keep_common(self, other, &group);
                    joined.keep_common(other, self, &group);
                }
            }
        }
        joined.join_blocks(&differing);
        joined
    }

    /// Puts the hull of pairs of blocks in their place: of all together, or of each half if that is too large.
    fn join_blocks(&mut self, pairs: &[(Block, Block)]) {
        let limit = self.limits.rows;
        match (hull(pairs, limit), pairs) {
            (Ok(Some(block)), _) => self.replace(Some(block)),
            (Ok(None), _) => {}
            (Err(TooLarge), [(left, right)]) => {
                self.replace(weak_hull(&left.body, &right.body, limit).map(|body| left.with_body(body)));
            }
            (Err(TooLarge), _) => {
                let (first, second) = pairs.split_at(pairs.len() / 2);
                self.join_blocks(first);
                self.join_blocks(second);
            }
        }
    }

    /// Adds the constraints of one polyhedron about a group of dimensions as far as another one satisfies them.
    pub(super) fn keep_common(&mut self, from: &Self, other: &Self, group: &[usize]) {
        for block in from.blocks().iter().filter(|block| group.contains(&block.members[0])) {
            for (row, is_equation) in block.body.constraints().rows() {
                if other.satisfies_row(row, block, is_equation) {
                    self.assume(&constraint(row, &block.members, is_equation));
                }
            }
        }
    }

    /// Leaves the points that satisfy the constraints of a block.
    fn meet_block(&mut self, block: &Block) {
        let Side { lines, rays } = block.body.constraints();
        if let Ok(own) = self.merged(&block.members) {
            let places = block.places(&own.members);
            let rearranged =
                |rows: &[Row]| -> Vec<Row> { rows.iter().map(|row| row.rearranged(&places)).collect() };
            if let Ok(met) = own.body.meet(&rearranged(lines), &rearranged(rays), self.limits.rows) {
                return self.replace(met.map(|body| own.with_body(body)));
            }
        }
        for (row, is_equation) in block.body.constraints().rows() {
            self.assume(&constraint(row, &block.members, is_equation));
        }
    }
}

/// The hull of the product of the first blocks and the product of the second ones.
fn hull(pairs: &[(Block, Block)], limit: usize) -> Result<Option<Block>, TooLarge> {
    let left = Block::product_of(pairs.iter().map(|(left, _)| left), limit)?;
    let right = Block::product_of(pairs.iter().map(|(_, right)| right), limit)?;
    let Some((left, right)) = left.zip(right) else { return Ok(None) };
    Ok(Some(left.with_body(left.body.hull(&right.body, limit)?)))
}
