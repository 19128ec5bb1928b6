//! Octagons: limits of the values, of the sums and of the differences of two coordinates, exact on integers.
//!
//! Miné, The octagon abstract domain, 2006. An element is a [`matrix::Matrix`] that is closed, but for the results of widening
//! and narrowing: closing those would take back what ensures that sequences end (section 4.1.1). Every operation that needs
//! a closed matrix makes a closed copy.
//!
//! ```text
//! bound (words that lose, never wrap) ── matrix (closures) ── octagon ──┬── linear: arbitrary expressions
//!                                                                      └── reduce: few constraints that say it all
//! ```
//!
//! Known imprecision: numbers beyond 2^60 are infinite; a constraint or an assignment that is not octagonal is replaced by
//! the octagonal ones that follow from it and the known limits; limits given to the widening count if they are octagonal.

use std::borrow::Cow;

use self::bound::Bound;
use self::linear::{Assignment, Octagonal};
use self::matrix::{Empty, Matrix};
use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

mod bound;
mod linear;
mod matrix;
mod reduce;
#[cfg(test)]
mod tests;

/// The points that satisfy constraints of the forms `±x <= c` and `±x ± y <= c`.
#[derive(Clone, Debug)]
pub struct Octagon {
    matrix: Matrix,
    form: Form,
}

/// What is known of the matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Every limit is the least one, and is reached by an integer point.
    Closed,
    /// There is a point, but limits can be greater than they need be.
    Open,
    /// There is no point, whatever the matrix says.
    Empty,
}

impl Octagon {
    /// The same set with a closed matrix, if it is not empty.
    fn closed(&self) -> Cow<'_, Self> {
        if self.form != Form::Open {
            return Cow::Borrowed(self);
        }
        let mut closed = self.clone();
        closed.close();
        Cow::Owned(closed)
    }

    fn close(&mut self) {
        if self.form == Form::Open {
            let outcome = self.matrix.close();
            self.settle(outcome);
        }
    }

    /// Takes note of the outcome of a closure.
    fn settle(&mut self, outcome: Result<(), Empty>) {
        self.form = if outcome.is_ok() { Form::Closed } else { Form::Empty };
    }

    /// Adds limits. Each one costs a pass over the matrix; many of them are closed in one go.
    fn add(&mut self, limits: &[Octagonal]) {
        self.close();
        if self.form == Form::Empty {
            return;
        }
        let outcome = if limits.len() > 4.max(self.matrix.dimensions() / 2) {
            for limit in limits {
                let tighter = self.matrix.at(limit.i, limit.j).min(limit.bound);
                self.matrix.set(limit.i, limit.j, tighter);
            }
            self.matrix.close()
        } else {
            limits.iter().try_for_each(|limit| self.matrix.add(limit.i, limit.j, limit.bound))
        };
        self.settle(outcome);
    }
}

impl Lattice for Octagon {
    fn is_bottom(&self) -> bool {
        self.form == Form::Empty
    }

    fn is_included(&self, other: &Self) -> bool {
        if self.is_bottom() || other.is_bottom() {
            return self.is_bottom();
        }
        self.matrix.is_within(&other.matrix)
            || self.form == Form::Open && self.closed().matrix.is_within(&other.matrix)
    }

    fn join(&self, other: &Self) -> Self {
        let (left, right) = (self.closed(), other.closed());
        match (left.form, right.form) {
            (Form::Empty, _) => right.into_owned(),
            (_, Form::Empty) => left.into_owned(),
            _ => Self { matrix: left.matrix.zipped(&right.matrix, Bound::max), form: Form::Closed },
        }
    }

    fn meet(&self, other: &Self) -> Self {
        if self.is_bottom() || other.is_bottom() {
            return Self::bottom(self.dimensions());
        }
        let mut result = self.closed().into_owned();
        let tighter = |&(i, j, bound): &(usize, usize, Bound)| bound < result.matrix.at(i, j);
        let limits: Vec<_> = other.matrix.stored().filter(tighter).map(Octagonal::from).collect();
        result.add(&limits);
        result
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        let next = next.closed();
        if self.is_bottom() || next.is_bottom() {
            return if self.is_bottom() { next.into_owned() } else { self.clone() };
        }
        let keep = |old: Bound, new: Bound| if new <= old { old } else { Bound::INFINITE };
        let mut matrix = self.matrix.zipped(&next.matrix, keep);
        for Octagonal { i, j, bound } in limits.iter().filter_map(linear::octagonal).flatten() {
            let is_left = next.matrix.at(i, j) > self.matrix.at(i, j);
            if is_left && next.matrix.at(i, j) <= bound && bound < matrix.at(i, j) {
                matrix.set(i, j, bound);
            }
        }
        Self { matrix, form: Form::Open }
    }

    fn narrow(&self, next: &Self) -> Self {
        let next = next.closed();
        if self.is_bottom() || next.is_bottom() {
            return Self::bottom(self.dimensions());
        }
        let improve = |old: Bound, new: Bound| if old.is_finite() { old } else { new };
        Self { matrix: self.matrix.zipped(&next.matrix, improve), form: Form::Open }
    }
}

impl Domain for Octagon {
    fn top(dimensions: usize) -> Self {
        Self { matrix: Matrix::top(dimensions), form: Form::Closed }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { matrix: Matrix::top(dimensions), form: Form::Empty }
    }

    fn dimensions(&self) -> usize {
        self.matrix.dimensions()
    }

    fn assume(&mut self, constraint: &Constraint) {
        self.close();
        if self.is_bottom() {
            return;
        }
        match linear::octagonal(constraint) {
            Some(limits) => self.add(&limits),
            None => {
                let tight = constraint.tightened();
                if tight.known() == Some(false) {
                    self.form = Form::Empty;
                } else {
                    let limits = linear::consequences(self, &tight);
                    self.add(&limits);
                }
            }
        }
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        if self.is_bottom() {
            return;
        }
        match linear::assignment(target, value) {
            Some(Assignment::Constant(constant)) => {
                self.close();
                self.matrix.forget(target.index());
                self.matrix.bound_value(target.index(), constant, constant.opposite());
            }
            Some(Assignment::Itself { is_negated, shift }) => {
                if is_negated {
                    self.matrix.negate(target.index());
                }
                self.matrix.shift(target.index(), shift);
            }
            Some(Assignment::Copy { node, shift }) => {
                self.close();
                self.matrix.forget(target.index());
                self.matrix.copy(target.index(), node, shift);
            }
            None => self.assign_affine(target, value),
        }
    }

    fn forget(&mut self, dimension: Dimension) {
        self.close();
        self.matrix.forget(dimension.index());
    }

    fn range(&self, expression: &Expression) -> Range {
        if self.is_bottom() { Range::empty() } else { linear::range(&self.closed().matrix, expression) }
    }

    fn constraints(&self) -> Vec<Constraint> {
        match self.form {
            Form::Empty => vec![Constraint::at_most(&Expression::constant(1), &Expression::zero())],
            _ => reduce::constraints(&self.closed().matrix),
        }
    }

    fn resize(&mut self, dimensions: usize) {
        if dimensions < self.dimensions() {
            self.close();
        }
        self.matrix.resize(dimensions);
    }
}

impl Octagon {
    /// An assignment of an expression that no octagon can say exactly: its limits, and those of its distance from every
    /// coordinate that is in it.
    fn assign_affine(&mut self, target: Dimension, value: &Expression) {
        self.close();
        let node = 2 * target.index();
        let range = linear::range(&self.matrix, value);
        let (greatest, least) =
            (linear::above(range.greatest), linear::above(range.least.map(|least| -least)));
        let mut limits = Vec::new();
        for (other, _) in value.terms().iter().filter(|(other, _)| *other != target) {
            let variable = Expression::variable(*other);
            let difference = linear::range(&self.matrix, &(value - &variable));
            let sum = linear::range(&self.matrix, &(value + &variable));
            let other = 2 * other.index();
            limits.push(Octagonal { i: node, j: other, bound: linear::above(difference.greatest) });
            limits.push(Octagonal {
                i: other,
                j: node,
                bound: linear::above(difference.least.map(|least| -least)),
            });
            limits.push(Octagonal { i: node, j: other ^ 1, bound: linear::above(sum.greatest) });
            limits.push(Octagonal {
                i: node ^ 1,
                j: other,
                bound: linear::above(sum.least.map(|least| -least)),
            });
        }
        self.matrix.forget(target.index());
        self.matrix.bound_value(target.index(), greatest, least);
        limits.retain(|limit| limit.bound < self.matrix.at(limit.i, limit.j));
        self.add(&limits);
    }
}
