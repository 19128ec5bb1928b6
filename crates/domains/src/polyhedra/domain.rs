//! The operations on single polyhedra: constraints, assignments, queries.

use std::cmp::Ordering;

use logic::numbers::linear::Relation;
use logic::numbers::{Compact, Rational};

use super::block::Block;
use super::conversion::{Side, TooLarge};
use super::expression::{Scaled, constraint, contradiction};
use super::fallback::from_constraints;
use super::product::says_something;
use super::row::Row;
use super::{Limits, Polyhedra};
use crate::lattice::{Domain, Lattice, Range};
use crate::{Constraint, Dimension, Expression};

impl Domain for Polyhedra {
    fn top(dimensions: usize) -> Self {
        Self::with_limits(dimensions, Limits::default())
    }

    fn bottom(dimensions: usize) -> Self {
        Self { dimensions, blocks: None, limits: Limits::default() }
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn assume(&mut self, constraint: &Constraint) {
        let tight = if self.limits.integers { Some(constraint.tightened()) } else { None };
        let constraint = tight.as_ref().unwrap_or(constraint);
        if self.is_bottom() {
            return;
        }
        if let Some(truth) = constraint.known() {
            self.blocks = self.blocks.take().filter(|_| truth);
            return;
        }
        let scaled = Scaled::new(&constraint.expression);
        // Blocks are not put together for nothing.
        if !self.is_in_one_block(&scaled) && self.satisfies(constraint) {
            return;
        }
        match self.assume_exactly(&scaled, constraint.relation) {
            Ok(block) => self.replace(block),
            Err(TooLarge) => self.assume_bounds(&scaled, constraint.relation),
        }
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        let at = target.0 as usize;
        let speaks_of_itself = !value.coefficient(target).is_zero();
        if self.is_bottom() || speaks_of_itself && !self.blocks().iter().any(|block| block.contains(at)) {
            return;
        }
        let before = self.clone();
        let scaled = Scaled::new(value);
        // What the target had to do with is not needed, unless the value is in the same block anyway.
        let block = self.blocks().iter().find(|block| block.contains(at));
        let is_inside = |block: &Block| scaled.terms.iter().all(|(dimension, _)| block.contains(*dimension));
        if !speaks_of_itself && !block.is_some_and(is_inside) {
            self.forget(target);
        }
        match self.assign_exactly(at, &scaled) {
            Ok(block) => self.replace(Some(block)),
            Err(TooLarge) => {
                let range = before.range(value);
                self.forget(target);
                for limit in range.constraints(&Expression::variable(target)) {
                    self.assume(&limit);
                }
            }
        }
    }

    fn forget(&mut self, dimension: Dimension) {
        self.forget_all(&[dimension.0 as usize]);
    }

    fn range(&self, expression: &Expression) -> Range {
        if self.is_bottom() {
            return Range::empty();
        }
        let scaled = Scaled::new(expression);
        Range { least: self.limit(&scaled, false), greatest: self.limit(&scaled, true) }
    }

    fn satisfies(&self, constraint: &Constraint) -> bool {
        let scaled = Scaled::new(&constraint.expression);
        let is_known = |is_greatest: bool, holds: &dyn Fn(&Rational) -> bool| {
            self.limit(&scaled, is_greatest).is_some_and(|limit| holds(&limit))
        };
        self.is_bottom()
            || match constraint.relation {
                Relation::AtMost => is_known(true, &|most| !most.is_positive()),
                Relation::Less => is_known(true, &Rational::is_negative),
                Relation::Equal => is_known(true, &Rational::is_zero) && is_known(false, &Rational::is_zero),
            }
    }

    fn constraints(&self) -> Vec<Constraint> {
        let Some(blocks) = &self.blocks else { return vec![contradiction()] };
        let mut constraints = Vec::new();
        for Block { members, body } in blocks {
            let Side { lines, rays } = body.constraints();
            constraints.extend(lines.iter().map(|row| constraint(row, members, true)));
            constraints.extend(
                rays.iter().filter(|row| says_something(row)).map(|row| constraint(row, members, false)),
            );
        }
        constraints
    }

    fn resize(&mut self, dimensions: usize) {
        let gone: Vec<usize> = (dimensions..self.dimensions).collect();
        self.forget_all(&gone);
        self.dimensions = dimensions;
    }
}

impl Polyhedra {
    /// Lets some coordinates be anything.
    pub(super) fn forget_all(&mut self, dimensions: &[usize]) {
        let is_touched = |block: &&Block| dimensions.iter().any(|dimension| block.contains(*dimension));
        let touched: Vec<Block> = self.blocks().iter().filter(is_touched).cloned().collect();
        for block in touched {
            let width = block.members.len() + 1;
            let places = (1..width).filter(|at| dimensions.contains(&block.members[at - 1]));
            let lines: Vec<Row> = places.map(|at| Row::unit(width, at)).collect();
            let body = match block.body.with_generators(&lines, &[], self.limits.rows) {
                Ok(body) => Some(body),
                Err(TooLarge) => {
                    let is_free = |row: &Row| lines.iter().all(|line| line.side(row) == Ordering::Equal);
                    let kept = |rows: &[Row]| rows.iter().filter(|row| is_free(row)).cloned().collect();
                    let (equations, rays): (Vec<Row>, Vec<Row>) =
                        (kept(&block.body.constraints().lines), kept(&block.body.constraints().rays));
                    from_constraints(width - 1, &equations, &rays, self.limits.rows)
                }
            };
            self.replace(body.map(|body| block.with_body(body)));
        }
    }

    fn is_in_one_block(&self, scaled: &Scaled) -> bool {
        let owner = |dimension| self.blocks().iter().position(|block| block.contains(dimension));
        let mut owners = scaled.terms.iter().map(|(dimension, _)| owner(*dimension));
        owners.next().is_none_or(|first| first.is_some() && owners.all(|other| other == first))
    }

    /// The block of the constraint, with the constraint. `None` if there are no points.
    fn assume_exactly(&self, scaled: &Scaled, relation: Relation) -> Result<Option<Block>, TooLarge> {
        let block = self.merged(&scaled.dimensions())?;
        let row = Row::new(scaled.entries(&block.members)).negated();
        let is_equation = relation == Relation::Equal;
        if if is_equation { block.body.satisfies_equation(&row) } else { block.body.satisfies(&row) } {
            return Ok(Some(block));
        }
        let rows = [row];
        let (equations, inequalities): (&[Row], &[Row]) =
            if is_equation { (&rows, &[]) } else { (&[], &rows) };
        let met = block.body.meet(equations, inequalities, self.limits.rows);
        Ok(met?.map(|body| block.with_body(body)))
    }

    /// What a constraint says of each block, when the other blocks do what they can for it.
    fn assume_bounds(&mut self, scaled: &Scaled, relation: Relation) {
        for block in self.blocks().to_vec() {
            if scaled.part(&block.members).is_none() {
                continue;
            }
            let others = scaled.terms.iter().filter(|(dimension, _)| !block.contains(*dimension)).cloned();
            let rest = Scaled {
                terms: others.collect(),
                constant: scaled.constant.clone(),
                denominator: Compact::ONE,
            };
            let mut rows = Vec::new();
            for (is_greatest, applies) in [(false, true), (true, relation == Relation::Equal)] {
                if let Some(limit) = self.limit(&rest, is_greatest).filter(|_| applies) {
                    rows.push(bound(scaled, &block, &limit, is_greatest));
                }
            }
            if let Ok(met) = block.body.meet(&[], &rows, self.limits.rows) {
                self.replace(met.map(|body| block.with_body(body)));
            }
            if self.is_bottom() {
                return;
            }
        }
    }

    fn assign_exactly(&self, at: usize, value: &Scaled) -> Result<Block, TooLarge> {
        let mut dimensions = value.dimensions();
        if !dimensions.contains(&at) {
            dimensions.push(at);
            dimensions.sort_unstable();
        }
        let block = self.merged(&dimensions)?;
        let place = block.members.binary_search(&at).map_or(0, |place| place + 1);
        let entries = value.entries(&block.members);
        let body = block.body.assign(place, &entries, &value.denominator, self.limits.rows)?;
        Ok(block.with_body(body))
    }

    /// The least or the greatest value of an expression: the sum of those of its parts.
    pub(super) fn limit(&self, scaled: &Scaled, is_greatest: bool) -> Option<Rational> {
        let mut sum = Rational::ZERO;
        let mut found = 0;
        for block in self.blocks() {
            let Some((row, factor)) = scaled.part(&block.members) else { continue };
            found += scaled.terms.iter().filter(|(dimension, _)| block.contains(*dimension)).count();
            let least = block.body.least(&if is_greatest { row.negated() } else { row })?;
            let factor = Rational::from(&if is_greatest { factor.negated() } else { factor });
            sum.add_product(&factor, &least);
        }
        if found < scaled.terms.len() {
            return None;
        }
        let content = scaled.content();
        if self.limits.integers && !content.is_zero() && !sum.is_integer() | !content.is_one() {
            let steps = sum / Rational::from(&content);
            let steps = if is_greatest { steps.floor() } else { steps.ceil() };
            sum = Rational::from(steps) * Rational::from(&content);
        }
        sum += Rational::from(&scaled.constant);
        Some(sum / Rational::from(&scaled.denominator))
    }
}

/// The part of an expression that belongs to a block is at most what the rest leaves (`part + least rest <= 0`), or at
/// least (`part + greatest rest >= 0`), as an inequality.
fn bound(scaled: &Scaled, block: &Block, rest: &Rational, is_greatest: bool) -> Row {
    let denominator = rest.compact_denominator();
    let mut entries = scaled.entries(&block.members);
    entries.iter_mut().for_each(|entry| *entry = entry.times(&denominator));
    entries[0] = rest.compact_numerator();
    let row = Row::new(entries);
    if is_greatest { row } else { row.negated() }
}
