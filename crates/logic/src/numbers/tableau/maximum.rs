//! The greatest value of a sum within the bounds: the second phase of the simplex method.
//!
//! The variable with the largest coefficient enters the basis (Dantzig's rule); if the value does not grow for long,
//! variables are chosen by least index (Bland's rule), so that no basis comes back.

use std::cmp::Ordering;

use base::{Budget, Stop};

use super::{Tableau, Variable};
use crate::numbers::quantity::Quantity;
use crate::numbers::rational::Rational;

impl<V: Quantity> Tableau<V> {
    /// Makes the sum that a basic variable without bounds is as great as it can be, unless it grows without end: whether
    /// there is a greatest value. All variables must be within their bounds, and stay there.
    pub fn maximize(&mut self, objective: Variable, budget: &mut Budget) -> Result<bool, Stop> {
        let mut idle = 0;
        loop {
            let careful = idle > 20 + self.rows.len();
            let Some((entering, up)) = self.improving(objective, careful) else {
                return Ok(true);
            };
            budget.spend(1 + self.columns[entering as usize].rows.len() as u64)?;
            let Some((distance, leaving)) = self.room(entering, up) else {
                return Ok(false);
            };
            idle = if distance == V::zero() { idle + 1 } else { 0 };
            let change = if up { distance } else { distance.scaled(&Rational::MINUS_ONE) };
            self.shift(entering, &change);
            if leaving != entering {
                self.exchange(leaving, entering);
            }
        }
    }

    /// A variable that is not basic and whose change makes the objective greater, and whether it must grow.
    fn improving(&self, objective: Variable, careful: bool) -> Option<(Variable, bool)> {
        let row = &self.rows[self.columns[objective as usize].basic_in? as usize];
        let mut useful = row.entries.iter().filter(|(other, coefficient)| {
            *other != objective && self.can_move(*other, coefficient.is_negative())
        });
        let (variable, coefficient) = if careful {
            useful.next()
        } else {
            useful.max_by(|(a, left), (b, right)| left.absolute().cmp(&right.absolute()).then(b.cmp(a)))
        }?;
        Some((*variable, coefficient.is_negative()))
    }

    /// How far a variable that is not basic can move until it or a basic one meets a bound, and which one does.
    fn room(&self, entering: Variable, up: bool) -> Option<(V, Variable)> {
        let column = &self.columns[entering as usize];
        let mut nearest: Option<(V, Variable)> = column.bounds[usize::from(up)].as_ref().map(|bound| {
            let (high, low) = if up { (&bound.limit, &column.value) } else { (&column.value, &bound.limit) };
            (high.minus(low), entering)
        });
        for row in &column.rows {
            let row = &self.rows[*row as usize];
            let coefficient = row.coefficient(entering);
            let grows = coefficient.is_negative() == up;
            let basic = &self.columns[row.basic as usize];
            let Some(bound) = &basic.bounds[usize::from(grows)] else { continue };
            let (high, low) = if grows { (&bound.limit, &basic.value) } else { (&basic.value, &bound.limit) };
            let slowness = Rational::quotient(row.coefficient(row.basic), &coefficient.absolute());
            let distance = high.minus(low).scaled(&slowness);
            let is_nearer = nearest.as_ref().is_none_or(|(nearest, first)| match distance.cmp(nearest) {
                Ordering::Equal => row.basic < *first,
                order => order == Ordering::Less,
            });
            if is_nearer {
                nearest = Some((distance, row.basic));
            }
        }
        nearest
    }
}
