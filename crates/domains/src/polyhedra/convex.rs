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
    pair: Pair,
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

    /// Rows for generators, columns for inequalities, set where the one does not saturate the other.
    pub fn bits(&self) -> &BitMatrix {
        &self.pair.bits
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
        let turned = self.pair.clone().turned();
        let extended = turned.extended(lines, rays, limit)?;
        Ok(extended.map_or_else(|| self.clone(), |pair| Self { pair: pair.turned() }))
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
        let mut pair = self.pair.clone();
        for row in pair.target.lines.iter_mut().chain(&mut pair.target.rays) {
            *row = moved_generator(row, at, value, denominator);
        }
        for row in pair.source.lines.iter_mut().chain(&mut pair.source.rays) {
            *row = moved_constraint(row, at, value, denominator);
        }
        minimise::normalise(&mut pair);
        Ok(Self { pair })
    }

    /// The polyhedron over other coordinates: the places say where each of the new ones was. The ones that go away and
    /// those that stay are independent of each other.
    pub fn projected(&self, places: &[Option<usize>]) -> Self {
        let is_inside =
            |row: &Row| (1..row.width()).all(|at| row.is_zero_at(at) || places.contains(&Some(at)));
        let constraints = |rows: &[Row]| -> Vec<Row> {
            rows.iter().filter(|row| is_inside(row)).map(|row| row.rearranged(places)).collect()
        };
        let generators = |rows: &[Row]| -> Vec<Row> {
            let mut rows: Vec<Row> = rows.iter().map(|row| row.rearranged(places)).collect();
            rows.retain(|row| row.last().is_some());
            rows.sort();
            rows.dedup();
            rows
        };
        let Pair { source, target, .. } = &self.pair;
        Self::from_sides(
            Side { lines: constraints(&source.lines), rays: constraints(&source.rays) },
            Side { lines: generators(&target.lines), rays: generators(&target.rays) },
        )
    }

    /// All pairs of a point of this polyhedron and one of another. The places say, for each coordinate of the pairs,
    /// which coordinate of the one or of the other it is.
    pub fn product(
        &self,
        places: &[Option<usize>],
        other: &Self,
        other_places: &[Option<usize>],
        limit: usize,
    ) -> Result<Self, TooLarge> {
        let (mine, its) = (&self.pair.target, &other.pair.target);
        let points = |side: &Side| side.rays.iter().filter(|row| !row.is_zero_at(0)).count();
        let directions = mine.rays.len() + its.rays.len() - points(mine) - points(its);
        if points(mine) * points(its) + directions > limit {
            return Err(TooLarge);
        }
        let rearranged = |rows: &[Row], places: &[Option<usize>]| -> Vec<Row> {
            rows.iter().map(|row| row.rearranged(places)).collect()
        };
        let both = |left: &[Row], right: &[Row]| {
            let mut rows = rearranged(left, places);
            rows.extend(rearranged(right, other_places));
            rows
        };
        let constraints = Side {
            lines: both(&self.pair.source.lines, &other.pair.source.lines),
            rays: both(&self.pair.source.rays, &other.pair.source.rays),
        };
        let (left, right) = (rearranged(&mine.rays, places), rearranged(&its.rays, other_places));
        let is_point = |row: &&Row| !row.is_zero_at(0);
        let mut rays: Vec<Row> = left.iter().chain(&right).filter(|row| row.is_zero_at(0)).cloned().collect();
        for a in left.iter().filter(is_point) {
            rays.extend(right.iter().filter(is_point).map(|b| joined_point(a, b)));
        }
        Ok(Self::from_sides(constraints, Side { lines: both(&mine.lines, &its.lines), rays }))
    }

    /// Both descriptions, of which the generators are minimal.
    fn from_sides(mut constraints: Side, generators: Side) -> Self {
        let width = generators.rays.first().map_or(1, Row::width);
        let positive = Row::unit(width, 0);
        constraints.rays.retain(|row| *row != positive);
        constraints.rays.push(positive);
        let mut bits = BitMatrix::new(generators.rays.len(), constraints.rays.len());
        for (row, ray) in generators.rays.iter().enumerate() {
            for (column, inequality) in constraints.rays.iter().enumerate() {
                if ray.side(inequality) != Ordering::Equal {
                    bits.set(row, column);
                }
            }
        }
        let mut pair = Pair { source: constraints, target: generators, bits };
        minimise::drop_redundant(&mut pair);
        minimise::normalise(&mut pair);
        Self { pair }
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
        for row in pair.target.lines.iter_mut().chain(&mut pair.target.rays) {
            *row = moved_generator(row, at, value, denominator);
        }
        let mut equation = value.to_vec();
        equation[at] = denominator.negated();
        pair.source.lines.push(Row::new(equation));
        minimise::normalise(&mut pair);
        Ok(Self { pair })
    }
}

/// Where an assignment moves a generator.
fn moved_generator(row: &Row, at: usize, value: &[Compact], denominator: &Compact) -> Row {
    let entries = row.entries();
    let moved = entries
        .iter()
        .zip(value)
        .fold(Compact::ZERO, |sum, (entry, factor)| plus(&sum, &entry.times(factor)));
    let mut entries = entries;
    if !denominator.is_one() {
        entries.iter_mut().for_each(|entry| *entry = entry.times(denominator));
    }
    entries[at] = moved;
    Row::new(entries)
}

/// The constraint that holds after an assignment that can be undone: the old coordinate is
/// `(denominator new - rest) / factor`.
fn moved_constraint(row: &Row, at: usize, value: &[Compact], denominator: &Compact) -> Row {
    if row.is_zero_at(at) {
        return row.clone();
    }
    let factor = &value[at];
    let size = factor.absolute();
    let old = if factor.is_negative() { row.get(at).negated() } else { row.get(at) };
    let entries = (0..row.width()).map(|place| {
        if place == at {
            old.times(denominator)
        } else {
            row.get(place).eliminated(&size, &value[place], &old)
        }
    });
    Row::new(entries.collect())
}

/// The point that two points over different coordinates are together.
fn joined_point(left: &Row, right: &Row) -> Row {
    let (a, b) = (left.get(0), right.get(0));
    let mut entries: Vec<Compact> =
        (0..left.width()).map(|at| plus(&left.get(at).times(&b), &right.get(at).times(&a))).collect();
    entries[0] = a.times(&b);
    Row::new(entries)
}

fn plus(left: &Compact, right: &Compact) -> Compact {
    left.eliminated(&Compact::ONE, right, &Compact::ONE.negated())
}
