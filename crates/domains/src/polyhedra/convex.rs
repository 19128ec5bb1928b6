//! A convex polyhedron that is not empty, in both descriptions at once.
//!
//! A point `x` is the row `(1, x)` of a cone with one more dimension, `a x + b >= 0` is the row `(b, a)`, and the first
//! coordinate of the cone is not negative. Rows of the generators that start with zero are directions, others are points
//! with a common denominator. Both descriptions are always there, minimal, and in a unique form, so that equality is
//! equality of data, and each operation works on the description that suits it. The sets are rational; whoever knows
//! that points are integers tightens the constraints.

use std::cmp::Ordering;

use logic::numbers::{Compact, Rational};

use super::bits::BitMatrix;
use super::conversion::{Pair, Side, TooLarge};
use super::minimise;
use super::row::Row;

/// A convex polyhedron that is not empty.
#[derive(Clone, Debug)]
pub struct Convex {
    /// The source are the constraints, the target the generators.
    pub(super) pair: Pair,
}

impl PartialEq for Convex {
    fn eq(&self, other: &Self) -> bool {
        self.pair.source == other.pair.source
    }
}

impl Eq for Convex {}

impl Convex {
    /// All points.
    pub fn universe(dimensions: usize) -> Self {
        let width = dimensions + 1;
        let positive = Row::unit(width, 0);
        let lines = (1..width).map(|at| Row::unit(width, at)).collect();
        let mut bits = BitMatrix::new(1, 1);
        bits.set(0, 0);
        let source = Side { lines: Vec::new(), rays: vec![positive.clone()] };
        Self { pair: Pair { source, target: Side { lines, rays: vec![positive] }, bits } }
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.pair.source.rays.first().map_or(0, |row| row.width() - 1)
    }

    /// Equations and inequalities. The one that says that one is not negative may be among them.
    pub fn constraints(&self) -> &Side {
        &self.pair.source
    }

    /// Lines, and rays and points.
    pub fn generators(&self) -> &Side {
        &self.pair.target
    }

    /// How many of the generators are points.
    pub fn points(&self) -> usize {
        self.pair.target.rays.iter().filter(|row| !row.is_zero_at(0)).count()
    }

    /// Rows for generators, columns for inequalities, set where the one does not saturate the other.
    pub fn bits(&self) -> &BitMatrix {
        &self.pair.bits
    }

    /// Whether both descriptions and the bits fit together, and there is a point.
    #[cfg(test)]
    pub fn is_consistent(&self) -> bool {
        let (Side { lines, rays }, width) = (&self.pair.target, self.dimensions() + 1);
        let bits_agree = |row: usize, column: usize, inequality: &Row| {
            let side = rays[row].side(inequality);
            side != Ordering::Less && self.pair.bits.get(row, column) == (side == Ordering::Greater)
        };
        let inequalities = || self.pair.source.rays.iter().enumerate();
        let mut again = self.pair.clone();
        minimise::drop_redundant(&mut again);
        minimise::normalise(&mut again);
        again == self.pair
            && rays.iter().any(|row| !row.is_zero_at(0))
            && lines.iter().chain(rays).all(|row| row.width() == width)
            && self.pair.source.lines.iter().all(|row| self.satisfies_equation(row))
            && inequalities().all(|(_, row)| self.satisfies(row))
            && inequalities().all(|(column, row)| (0..rays.len()).all(|ray| bits_agree(ray, column, row)))
    }

    /// The points that satisfy equations and inequalities. `None` if there are none.
    pub fn meet(
        &self,
        equations: &[Row],
        inequalities: &[Row],
        limit: usize,
    ) -> Result<Option<Self>, TooLarge> {
        let Some(pair) = self.pair.extended(equations, inequalities, limit)? else {
            return Ok(Some(self.clone()));
        };
        let has_points = pair.target.rays.iter().any(|row| !row.is_zero_at(0));
        Ok(has_points.then_some(Self { pair }))
    }

    /// The least polyhedron that contains this one and the generators.
    pub fn with_generators(&self, lines: &[Row], rays: &[Row], limit: usize) -> Result<Self, TooLarge> {
        let extended = self.pair.extended_target(lines, rays, limit)?;
        Ok(extended.map_or_else(|| self.clone(), |pair| Self { pair }))
    }

    /// The convex hull of two polyhedra.
    pub fn hull(&self, other: &Self, limit: usize) -> Result<Self, TooLarge> {
        let (large, small) = if self.pair.target.rays.len() < other.pair.target.rays.len() {
            (other, self)
        } else {
            (self, other)
        };
        large.with_generators(&small.pair.target.lines, &small.pair.target.rays, limit)
    }

    /// Whether all points satisfy an inequality.
    pub fn satisfies(&self, inequality: &Row) -> bool {
        self.pair.target.lines.iter().all(|line| line.side(inequality) == Ordering::Equal)
            && self.pair.target.rays.iter().all(|ray| ray.side(inequality) != Ordering::Less)
    }

    /// Whether all points satisfy an equation.
    pub fn satisfies_equation(&self, equation: &Row) -> bool {
        let Side { lines, rays } = &self.pair.target;
        lines.iter().chain(rays).all(|row| row.side(equation) == Ordering::Equal)
    }

    /// Whether all points are in another polyhedron.
    pub fn is_included(&self, other: &Self) -> bool {
        let Side { lines, rays } = &other.pair.source;
        lines.iter().all(|row| self.satisfies_equation(row)) && rays.iter().all(|row| self.satisfies(row))
    }

    /// The least value of `row x`, where `x` starts with one, if there is one.
    pub fn least(&self, row: &Row) -> Option<Rational> {
        if self.pair.target.lines.iter().any(|line| line.side(row) != Ordering::Equal) {
            return None;
        }
        let mut least: Option<Rational> = None;
        for ray in &self.pair.target.rays {
            let product = ray.dot(row);
            if ray.is_zero_at(0) {
                if product.is_negative() {
                    return None;
                }
                continue;
            }
            let value = Rational::quotient(&product, &ray.get(0));
            if least.as_ref().is_none_or(|least| value < *least) {
                least = Some(value);
            }
        }
        least
    }

    /// Lets a coordinate be anything. Coordinates count from one.
    pub fn forget(&self, at: usize, limit: usize) -> Result<Self, TooLarge> {
        self.with_generators(&[Row::unit(self.dimensions() + 1, at)], &[], limit)
    }

    /// Sets a coordinate, counted from one, to `value x / denominator`, where `x` starts with one and the denominator is
    /// positive.
    pub fn assign(
        &self,
        at: usize,
        value: &[Compact],
        denominator: &Compact,
        limit: usize,
    ) -> Result<Self, TooLarge> {
        if value[at].is_zero() {
            return self.assign_other(at, value, denominator, limit);
        }
        let value = Value::new(value, denominator);
        let moved = |side: &Side, step: &dyn Fn(&Row) -> Row| Side {
            lines: side.lines.iter().map(step).collect(),
            rays: side.rays.iter().map(step).collect(),
        };
        let mut pair = Pair {
            source: moved(&self.pair.source, &|row| value.moved_constraint(row, at)),
            target: moved(&self.pair.target, &|row| value.moved_generator(row, at)),
            bits: self.pair.bits.clone(),
        };
        minimise::normalise(&mut pair);
        Ok(Self { pair })
    }

    /// The assignment of a value that does not speak of the coordinate.
    fn assign_other(
        &self,
        at: usize,
        value: &[Compact],
        denominator: &Compact,
        limit: usize,
    ) -> Result<Self, TooLarge> {
        let mut pair = self.forget(at, limit)?.pair;
        let axis = Row::unit(self.dimensions() + 1, at);
        pair.target.lines.retain(|line| *line != axis);
        let mut equation = value.to_vec();
        equation[at] = denominator.negated();
        pair.source.lines.push(Row::new(equation));
        let value = Value::new(value, denominator);
        for row in pair.target.lines.iter_mut().chain(&mut pair.target.rays) {
            *row = value.moved_generator(row, at);
        }
        minimise::normalise(&mut pair);
        Ok(Self { pair })
    }
}

/// The value that an assignment gives to a coordinate: a row times a factor, over a denominator.
struct Value {
    row: Row,
    factor: Compact,
    denominator: Compact,
}

impl Value {
    fn new(value: &[Compact], denominator: &Compact) -> Self {
        let row = Row::new(value.to_vec());
        let first = value.iter().position(|entry| !entry.is_zero());
        let factor = first.map_or(Compact::ONE, |first| value[first].divided_exactly(&row.get(first)));
        Self { row, factor, denominator: denominator.clone() }
    }

    /// Where the assignment moves a generator.
    fn moved_generator(&self, generator: &Row, at: usize) -> Row {
        let entry = generator.dot(&self.row).times(&self.factor);
        if self.denominator.is_one() {
            let old = generator.get(at);
            return if entry == old { generator.clone() } else { generator.with_entry(at, entry) };
        }
        generator.eliminated_with(&self.denominator, generator, &Compact::ZERO, at, entry)
    }

    /// The constraint that holds after an assignment that can be undone: the old coordinate is
    /// `(denominator new - rest) / slope`.
    fn moved_constraint(&self, constraint: &Row, at: usize) -> Row {
        if constraint.is_zero_at(at) {
            return constraint.clone();
        }
        let slope = self.row.get(at).times(&self.factor);
        let old = if slope.is_negative() { constraint.get(at).negated() } else { constraint.get(at) };
        let entry = old.times(&self.denominator);
        constraint.eliminated_with(&slope.absolute(), &self.row, &old.times(&self.factor), at, entry)
    }
}
