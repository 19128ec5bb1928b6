//! Octagons: limits of the values, of the sums and of the differences of two coordinates, exact on integers.
//!
//! Miné, The octagon abstract domain, 2006. An element is a matrix of limits that is closed, but for the results of widening
//! and narrowing: closing those would take back what ensures that sequences end (section 4.1.1). Their closure is found when
//! it is asked for first, and is then shared by all copies of the element.
//!
//! ```text
//! bound (words that lose, never wrap) ── matrix (closures) ── octagon ──┬── linear: arbitrary expressions
//!                                                                      └── reduce: few constraints that say it all
//! ```
//!
//! Known imprecision: numbers beyond 2^60 are infinite; a constraint or an assignment that is not octagonal is replaced by
//! the octagonal ones that follow from it and the known limits; limits given to the widening count if they are octagonal.

use std::sync::{Arc, OnceLock};

use self::bound::Bound;
use self::linear::{Assignment, Octagonal};
use self::matrix::{Empty, Matrix};
use crate::lattice::Loss;
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
#[derive(Clone, Debug)]
enum Form {
    /// Every limit is the least one, and is reached by an integer point.
    Closed,
    /// There is a point, but limits can be greater than they need be. The closed matrix, once somebody has asked for it.
    Open(Arc<OnceLock<Matrix>>),
    /// There is no point, whatever the matrix says.
    Empty,
}

impl Octagon {
    /// A set that has points, its matrix not being closed.
    fn open(matrix: Matrix) -> Self {
        Self { matrix, form: Form::Open(Arc::default()) }
    }

    /// The closed matrix, if the set is not empty.
    fn closed(&self) -> &Matrix {
        let Form::Open(closure) = &self.form else { return &self.matrix };
        closure.get_or_init(|| {
            let mut matrix = self.matrix.clone();
            let outcome = matrix.close();
            debug_assert!(outcome.is_ok(), "an open matrix has points");
            matrix
        })
    }

    fn close(&mut self) {
        if let Form::Open(_) = self.form {
            self.matrix = self.closed().clone();
            self.form = Form::Closed;
        }
    }

    /// Takes note of the outcome of a closure.
    fn settle(&mut self, outcome: Result<(), Empty>) {
        self.form = if outcome.is_ok() { Form::Closed } else { Form::Empty };
    }

    /// Adds limits. Each one costs a pass over the matrix; many of them are closed in one go.
    fn add(&mut self, limits: &[Octagonal]) {
        self.close();
        if self.is_bottom() {
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
        matches!(self.form, Form::Empty)
    }

    fn is_included(&self, other: &Self) -> bool {
        if self.is_bottom() || other.is_bottom() {
            return self.is_bottom();
        }
        self.matrix.is_within(&other.matrix) || self.closed().is_within(&other.matrix)
    }

    fn join(&self, other: &Self) -> Self {
        match (self.is_bottom(), other.is_bottom()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => Self { matrix: self.closed().zipped(other.closed(), Bound::max), form: Form::Closed },
        }
    }

    fn meet(&self, other: &Self) -> Self {
        if self.is_bottom() || other.is_bottom() {
            return Self::bottom(self.dimensions());
        }
        let mut result = Self { matrix: self.closed().clone(), form: Form::Closed };
        let tighter = |&(i, j, bound): &(usize, usize, Bound)| bound < result.matrix.at(i, j);
        let limits: Vec<_> = other.matrix.stored().filter(tighter).map(Octagonal::from).collect();
        result.add(&limits);
        result
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        if self.is_bottom() || next.is_bottom() {
            return if self.is_bottom() { next.clone() } else { self.clone() };
        }
        let next = next.closed();
        let keep = |old: Bound, new: Bound| if new <= old { old } else { Bound::INFINITE };
        let mut matrix = self.matrix.zipped(next, keep);
        for Octagonal { i, j, bound } in limits.iter().filter_map(linear::octagonal).flatten() {
            let is_left = next.at(i, j) > self.matrix.at(i, j);
            if is_left && next.at(i, j) <= bound && bound < matrix.at(i, j) {
                matrix.set(i, j, bound);
            }
        }
        Self::open(matrix)
    }

    fn narrow(&self, next: &Self) -> Self {
        if self.is_bottom() || next.is_bottom() {
            return Self::bottom(self.dimensions());
        }
        let improve = |old: Bound, new: Bound| if old.is_finite() { old } else { new };
        Self::open(self.matrix.zipped(next.closed(), improve))
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
            None => self.assume_affine(&constraint.tightened()),
        }
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        self.close();
        if self.is_bottom() {
            return;
        }
        match linear::assignment(target, value) {
            Some(Assignment::Constant(constant)) => {
                self.matrix.forget(target.index());
                self.matrix.bound_value(target.index(), constant, constant.opposite());
            }
            Some(Assignment::Itself { is_negated, shift }) => {
                if is_negated {
                    self.matrix.negate(target.index());
                }
                self.matrix.copy(target.index(), 2 * target.index(), shift);
            }
            Some(Assignment::Copy { node, shift }) => {
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
        if self.is_bottom() { Range::empty() } else { linear::range(self.closed(), expression) }
    }

    fn constraints(&self) -> Vec<Constraint> {
        match self.form {
            Form::Empty => vec![Constraint::at_most(&Expression::constant(1), &Expression::zero())],
            _ => reduce::constraints(self.closed()),
        }
    }

    /// All limits count, also those that follow from others: this is much faster than to find out which do.
    fn loss(&self, larger: &Self) -> Loss {
        let (mut limits, mut weaker, mut distance) = (0, 0, 0i128);
        if self.is_bottom() || larger.is_bottom() {
            return Loss::default();
        }
        for (small, large) in self.closed().pairs(larger.closed()) {
            match (small.finite(), large.finite()) {
                (Some(small), Some(large)) if small < large => {
                    weaker += 1;
                    distance += i128::from(large) - i128::from(small);
                }
                (Some(_), None) => limits += 1,
                _ => {}
            }
        }
        Loss { limits, weaker, distance: logic::Integer::from(distance).into() }
    }

    fn resize(&mut self, dimensions: usize) {
        self.close();
        self.matrix.resize(dimensions);
    }
}

/// The consequences of a constraint are looked for at most so often: each time more is known.
const ROUNDS: usize = 3;

impl Octagon {
    /// Leaves the points that satisfy a tightened constraint, as far as octagons can say it. The matrix is closed.
    fn assume_affine(&mut self, constraint: &Constraint) {
        if linear::is_impossible(&self.matrix, constraint) {
            self.form = Form::Empty;
        }
        for _ in 0..ROUNDS {
            if self.is_bottom() {
                break;
            }
            let limits = linear::consequences(&self.matrix, constraint);
            if limits.is_empty() {
                break;
            }
            self.add(&limits);
        }
    }

    /// An assignment of an expression that no octagon can say exactly: the limits of its distance from every coordinate,
    /// the old value of the target being one of those that they are found by. The matrix is closed.
    fn assign_affine(&mut self, target: Dimension, value: &Expression) {
        let rows = linear::distances(&self.matrix, target, value);
        let range = if rows.is_none() { linear::range(&self.matrix, value) } else { Range::default() };
        self.matrix.forget(target.index());
        match rows {
            Some(rows) => {
                let outcome = self.matrix.attach(target.index(), &rows);
                self.settle(outcome);
            }
            None => {
                let opposite = linear::above(range.least.map(|least| -least));
                self.matrix.bound_value(target.index(), linear::above(range.greatest), opposite);
            }
        }
    }
}
