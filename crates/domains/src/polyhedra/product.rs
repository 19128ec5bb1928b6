//! Products of polyhedra over different coordinates, and the factors of such products.
//!
//! The constraints of a product are those of its factors, and its points are pairs of points, so that nothing has to be
//! converted. Only whether it goes without saying that one is positive must be found out: it does if the directions all
//! lie in some other face.

use std::cmp::Ordering;

use super::bits::BitMatrix;
use super::conversion::{Pair, Side, TooLarge};
use super::convex::Convex;
use super::minimise;
use super::row::Row;

impl Convex {
    /// The polyhedron over other coordinates: the places say where each of the new ones was. The ones that go away and
    /// those that stay are independent of each other.
    pub fn projected(&self, places: &[Option<usize>]) -> Self {
        let is_inside =
            |row: &Row| (1..row.width()).all(|at| row.is_zero_at(at) || places.contains(&Some(at)));
        let constraints = |rows: &[Row]| -> Vec<Row> {
            let rows = rows.iter().filter(|row| says_something(row) && is_inside(row));
            rows.map(|row| row.rearranged(places)).collect()
        };
        let generators = |rows: &[Row]| -> Vec<Row> {
            let mut rows = rearranged(rows, places);
            rows.retain(|row| row.last().is_some());
            rows.sort();
            rows.dedup();
            rows
        };
        let Pair { source, target, .. } = &self.pair;
        let source = Side { lines: constraints(&source.lines), rays: constraints(&source.rays) };
        let target = Side { lines: generators(&target.lines), rays: generators(&target.rays) };
        let mut bits = BitMatrix::new(target.rays.len(), source.rays.len() + 1);
        for (row, ray) in target.rays.iter().enumerate() {
            for (column, inequality) in source.rays.iter().enumerate() {
                if ray.side(inequality) != Ordering::Equal {
                    bits.set(row, column);
                }
            }
        }
        Self::completed(Pair { source, target, bits })
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
        let (mine, its) = (Factor::new(self, places), Factor::new(other, other_places));
        let rays = mine.points.len() * its.points.len() + mine.directions.len() + its.directions.len();
        if rays > limit {
            return Err(TooLarge);
        }
        let both = |left: Vec<Row>, right: Vec<Row>| left.into_iter().chain(right).collect::<Vec<Row>>();
        let inequalities = |factor: &Factor, places| -> Vec<Row> {
            let rays = &factor.convex.pair.source.rays;
            factor.columns.iter().map(|column| rays[*column].rearranged(places)).collect()
        };
        let source = Side {
            lines: both(
                rearranged(&self.pair.source.lines, places),
                rearranged(&other.pair.source.lines, other_places),
            ),
            rays: both(inequalities(&mine, places), inequalities(&its, other_places)),
        };
        let lines = both(
            rearranged(&self.pair.target.lines, places),
            rearranged(&other.pair.target.lines, other_places),
        );
        let mut target = Side { lines, rays: Vec::with_capacity(rays) };
        let mut bits = BitMatrix::new(rays, source.rays.len() + 1);
        let shift = mine.columns.len();
        for (at, row) in &mine.directions {
            mine.mark(*at, 0, target.rays.len(), &mut bits);
            target.rays.push(row.clone());
        }
        for (at, row) in &its.directions {
            its.mark(*at, shift, target.rays.len(), &mut bits);
            target.rays.push(row.clone());
        }
        for (left, left_row) in &mine.points {
            for (right, right_row) in &its.points {
                mine.mark(*left, 0, target.rays.len(), &mut bits);
                its.mark(*right, shift, target.rays.len(), &mut bits);
                target.rays.push(joined_point(left_row, right_row));
            }
        }
        Ok(Self::completed(Pair { source, target, bits }))
    }

    /// Adds that one is positive if it does not go without saying. Everything else is minimal, and the bits have room for
    /// one more column.
    fn completed(mut pair: Pair) -> Self {
        let is_direction = |ray: &usize| pair.target.rays[*ray].is_zero_at(0);
        let directions: Vec<usize> = (0..pair.target.rays.len()).filter(is_direction).collect();
        let column = pair.source.rays.len();
        let is_implied =
            (0..column).any(|column| !directions.iter().any(|direction| pair.bits.get(*direction, column)));
        if !is_implied {
            let width = pair.target.rays.first().map_or(1, Row::width);
            pair.source.rays.push(Row::unit(width, 0));
            for (at, ray) in pair.target.rays.iter().enumerate() {
                if !ray.is_zero_at(0) {
                    pair.bits.set(at, column);
                }
            }
        }
        minimise::normalise(&mut pair);
        Self { pair }
    }
}

/// One of two factors, over the coordinates of the product.
struct Factor<'a> {
    convex: &'a Convex,
    /// The inequalities that say something.
    columns: Vec<usize>,
    directions: Vec<(usize, Row)>,
    points: Vec<(usize, Row)>,
}

impl<'a> Factor<'a> {
    fn new(convex: &'a Convex, places: &[Option<usize>]) -> Self {
        let inequalities = &convex.pair.source.rays;
        let columns = (0..inequalities.len()).filter(|column| says_something(&inequalities[*column]));
        let rays = convex.pair.target.rays.iter().map(|row| row.rearranged(places)).enumerate();
        let (directions, points) = rays.partition(|(_, row)| row.is_zero_at(0));
        Self { convex, columns: columns.collect(), directions, points }
    }

    /// Copies the bits of a ray into a row of the product's bits.
    fn mark(&self, ray: usize, shift: usize, row: usize, bits: &mut BitMatrix) {
        for (at, column) in self.columns.iter().enumerate() {
            if self.convex.pair.bits.get(ray, *column) {
                bits.set(row, shift + at);
            }
        }
    }
}

/// Whether there is a coordinate in a row.
pub fn says_something(row: &Row) -> bool {
    row.last() != Some(0)
}

fn rearranged(rows: &[Row], places: &[Option<usize>]) -> Vec<Row> {
    rows.iter().map(|row| row.rearranged(places)).collect()
}

/// The point that two points over different coordinates are together.
fn joined_point(left: &Row, right: &Row) -> Row {
    let (a, b) = (left.get(0), right.get(0));
    left.eliminated_with(&b, right, &a.negated(), 0, a.times(&b))
}
