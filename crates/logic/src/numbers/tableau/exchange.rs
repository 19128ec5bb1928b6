//! The exchange of variables until all are within their bounds.
//!
//! The variable that leaves the basis is the one furthest out of its bounds, and the one that enters is in the fewest
//! rows; after a while both are chosen by least index (Bland's rule), which ends always.

use std::cmp::Ordering;

use base::{Budget, Stop};

use super::Side::{Lower, Upper};
use super::{Conflict, Side, Tableau, Variable, remove};
use crate::numbers::compact::Compact;
use crate::numbers::quantity::Quantity;
use crate::numbers::rational::Rational;

impl<V: Quantity> Tableau<V> {
    /// Finds values within all bounds, or a conflict. The budget pays for every row that changes.
    pub fn check(&mut self, budget: &mut Budget) -> Result<Result<(), Conflict>, Stop> {
        let patience = 200 + 8 * self.rows.len();
        for exchanges in 0.. {
            let careful = exchanges > patience;
            let Some((leaving, side)) = self.most_out_of_bounds(careful) else { return Ok(Ok(())) };
            let Some(entering) = self.entering(leaving, side, careful) else {
                self.suspect(leaving);
                return Ok(Err(self.conflict(leaving, side)));
            };
            budget.spend(1 + self.columns[entering as usize].rows.len() as u64).inspect_err(|_| {
                self.suspect(leaving);
            })?;
            let Some(bound) = self.bound(leaving, side) else { continue };
            let change = bound.limit.minus(&self.columns[leaving as usize].value);
            self.exchange_by(leaving, entering, &change);
        }
        Ok(Ok(()))
    }

    pub(super) fn suspect(&mut self, variable: Variable) {
        let column = &mut self.columns[variable as usize];
        if !column.is_suspect {
            column.is_suspect = true;
            self.suspects.push(variable);
        }
    }

    /// By how much a variable is outside its bounds, and on which side.
    fn distance_out(&self, variable: Variable) -> Option<(V, Side)> {
        let column = &self.columns[variable as usize];
        if let Some(lower) = &column.bounds[0]
            && column.value < lower.limit
        {
            return Some((lower.limit.minus(&column.value), Lower));
        }
        if let Some(upper) = &column.bounds[1]
            && column.value > upper.limit
        {
            return Some((column.value.minus(&upper.limit), Upper));
        }
        None
    }

    /// A basic variable out of bounds: the furthest, or the first if there is a need to be careful. It is no suspect
    /// any more, and neither are those that turn out to be within their bounds.
    fn most_out_of_bounds(&mut self, careful: bool) -> Option<(Variable, Side)> {
        let mut best: Option<(V, Side, Variable, usize)> = None;
        let mut at = 0;
        while let Some(&variable) = self.suspects.get(at) {
            let Some((distance, side)) = self.distance_out(variable).filter(|_| self.is_basic(variable))
            else {
                self.columns[variable as usize].is_suspect = false;
                self.suspects.swap_remove(at);
                continue;
            };
            let is_better = best.as_ref().is_none_or(|(far, _, first, _)| match distance.cmp(far) {
                _ if careful => variable < *first,
                Ordering::Equal => variable < *first,
                order => order == Ordering::Greater,
            });
            if is_better {
                best = Some((distance, side, variable, at));
            }
            at += 1;
        }
        let (_, side, variable, at) = best?;
        self.columns[variable as usize].is_suspect = false;
        self.suspects.swap_remove(at);
        Some((variable, side))
    }

    /// Whether a variable that is not basic can become greater, or less.
    pub(super) fn can_move(&self, variable: Variable, up: bool) -> bool {
        let column = &self.columns[variable as usize];
        column.bounds[usize::from(up)].as_ref().is_none_or(|bound| bound.limit != column.value)
    }

    /// The variable to exchange with a basic one that is out of bounds on a side.
    fn entering(&self, leaving: Variable, side: Side, careful: bool) -> Option<Variable> {
        let row = &self.rows[self.columns[leaving as usize].basic_in? as usize];
        let useful = row.entries.iter().filter(|(other, coefficient)| {
            // The basic variable grows if one with a negative coefficient does.
            *other != leaving && self.can_move(*other, coefficient.is_negative() == (side == Lower))
        });
        let mut useful = useful.map(|(other, _)| *other);
        if careful {
            useful.next()
        } else {
            useful.min_by_key(|other| self.columns[*other as usize].rows.len())
        }
    }

    /// Why a basic variable cannot come back from a side.
    fn conflict(&self, variable: Variable, side: Side) -> Conflict {
        let Some(row) = self.columns[variable as usize].basic_in else { return Vec::new() };
        let entries = &self.rows[row as usize].entries;
        let reasons = entries.iter().filter_map(|(other, coefficient)| {
            let towards = if coefficient.is_negative() { side.opposite() } else { side };
            self.bound(*other, towards).map(|bound| bound.reason)
        });
        let reasons: Conflict = reasons.collect();
        debug_assert_eq!(reasons.len(), entries.len(), "every variable of the row is held by a bound");
        reasons
    }

    /// Changes a variable that is not basic, and the basic ones with it.
    pub(super) fn shift(&mut self, variable: Variable, change: &V) {
        let rows = std::mem::take(&mut self.columns[variable as usize].rows);
        for row in &rows {
            let row = &self.rows[*row as usize];
            let (basic, rate) = (row.basic, row.rate(variable));
            let column = &mut self.columns[basic as usize];
            column.value.add_scaled(&rate, change);
            if !column.is_suspect && column.bounds.iter().any(Option::is_some) {
                column.is_suspect = true;
                self.suspects.push(basic);
            }
        }
        let column = &mut self.columns[variable as usize];
        column.rows = rows;
        column.value.add_scaled(&Rational::ONE, change);
    }

    /// Changes a basic variable by changing one that is not, and exchanges the two.
    fn exchange_by(&mut self, leaving: Variable, entering: Variable, change: &V) {
        let Some(row) = self.columns[leaving as usize].basic_in else { return };
        let rate = self.rows[row as usize].rate(entering);
        let change = change.scaled(&rate.reciprocal());
        self.shift(entering, &change);
        self.suspect(entering);
        self.exchange(leaving, entering);
    }

    /// Makes one variable of a row basic instead of another.
    pub(super) fn exchange(&mut self, leaving: Variable, entering: Variable) {
        let Some(row) = self.columns[leaving as usize].basic_in.take() else { return };
        let equation = &mut self.rows[row as usize];
        equation.basic = entering;
        if equation.coefficient(entering).is_negative() {
            equation.entries.iter_mut().for_each(|(_, coefficient)| *coefficient = coefficient.negated());
        }
        self.columns[entering as usize].basic_in = Some(row);
        for other in std::mem::replace(&mut self.columns[entering as usize].rows, vec![row]) {
            if other != row {
                self.eliminate(other, row, entering);
            }
        }
    }

    /// Adds a multiple of one row to another so that a variable vanishes there.
    pub(super) fn eliminate(&mut self, target: u32, source: u32, variable: Variable) {
        let mut entries = std::mem::take(&mut self.scratch);
        let from = &self.rows[source as usize];
        let to = &self.rows[target as usize];
        let (mut by, mut times) = (from.coefficient(variable).clone(), to.coefficient(variable).clone());
        let gcd = by.gcd(&times);
        if !gcd.is_one() {
            (by, times) = (by.divided_exactly(&gcd), times.divided_exactly(&gcd));
        }
        if by.is_negative() {
            (by, times) = (by.negated(), times.negated());
        }
        let (mut left, mut right) = (to.entries.as_slice(), from.entries.as_slice());
        while let (Some(((a, old), left_rest)), Some(((b, other), right_rest))) =
            (left.split_first(), right.split_first())
        {
            match a.cmp(b) {
                Ordering::Less => {
                    entries.push((*a, old.times(&by)));
                    left = left_rest;
                }
                Ordering::Greater => {
                    entries.push((*b, other.times(&times).negated()));
                    self.columns[*b as usize].rows.push(target);
                    right = right_rest;
                }
                Ordering::Equal => {
                    let new = old.eliminated(&by, other, &times);
                    if new.is_zero() {
                        remove(&mut self.columns[*a as usize].rows, target);
                    } else {
                        entries.push((*a, new));
                    }
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        entries.extend(left.iter().map(|(variable, old)| (*variable, old.times(&by))));
        for (variable, other) in right {
            entries.push((*variable, other.times(&times).negated()));
            self.columns[*variable as usize].rows.push(target);
        }
        divide_by_common_divisor(&mut entries);
        self.scratch = std::mem::replace(&mut self.rows[target as usize].entries, entries);
        self.scratch.clear();
    }
}

fn divide_by_common_divisor(entries: &mut [(Variable, Compact)]) {
    let mut gcd = Compact::ZERO;
    for (_, coefficient) in entries.iter() {
        gcd = gcd.gcd(coefficient);
        if gcd.is_one() {
            return;
        }
    }
    for (_, coefficient) in entries {
        *coefficient = coefficient.divided_exactly(&gcd);
    }
}
