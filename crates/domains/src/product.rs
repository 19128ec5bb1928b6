//! Reduced products: what two domains know of the same points, each telling the other.
//!
//! Cousot and Cousot, Systematic design of program analysis frameworks, 1979, section 10.1. After an operation on some
//! coordinates the two exchange the limits of these, each rounding what the other found ([`Domain::refine`]); if one of them
//! finds that there is no point, there is none. Known imprecision: nothing but limits of single coordinates is exchanged,
//! and nothing at joins and widenings, where it would make sequences grow for ever.

use crate::lattice::Loss;
use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

/// The points that are in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product<A, B> {
    first: A,
    second: B,
}

impl<A: Domain, B: Domain> Product<A, B> {
    /// The points that are in both of two elements.
    pub fn new(first: A, second: B) -> Self {
        let mut product = Self { first, second };
        product.reduce((0..product.first.dimensions()).map(|at| Dimension(at as u32)));
        product
    }

    /// Exchanges the limits of some coordinates.
    fn reduce(&mut self, dimensions: impl IntoIterator<Item = Dimension>) {
        for dimension in dimensions {
            if self.is_bottom() {
                break;
            }
            let found = self.refine(dimension, Range::default());
            tell(&mut self.first, dimension, &found);
            tell(&mut self.second, dimension, &found);
        }
        if self.is_bottom() {
            *self = Self::bottom(self.first.dimensions());
        }
    }
}

/// Tells a domain the limits of a coordinate as far as it does not know them.
fn tell<D: Domain>(domain: &mut D, dimension: Dimension, range: &Range) {
    let variable = Expression::variable(dimension);
    let known = domain.range(&variable);
    if let Some(value) = range.value() {
        if known != *range {
            domain.assume(&Constraint::equal(&variable, &Expression::constant(value.clone())));
        }
        return;
    }
    if let Some(least) = range.least.as_ref().filter(|_| known.least != range.least) {
        domain.assume(&Constraint::at_most(&Expression::constant(least.clone()), &variable));
    }
    if let Some(greatest) = range.greatest.as_ref().filter(|_| known.greatest != range.greatest) {
        domain.assume(&Constraint::at_most(&variable, &Expression::constant(greatest.clone())));
    }
}

impl<A: Domain, B: Domain> Lattice for Product<A, B> {
    fn is_bottom(&self) -> bool {
        self.first.is_bottom() || self.second.is_bottom()
    }

    fn is_included(&self, other: &Self) -> bool {
        self.is_bottom() || self.first.is_included(&other.first) && self.second.is_included(&other.second)
    }

    fn join(&self, other: &Self) -> Self {
        match (self.is_bottom(), other.is_bottom()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => Self { first: self.first.join(&other.first), second: self.second.join(&other.second) },
        }
    }

    fn meet(&self, other: &Self) -> Self {
        Self::new(self.first.meet(&other.first), self.second.meet(&other.second))
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        if self.is_bottom() || next.is_bottom() {
            return self.join(next);
        }
        Self { first: self.first.widen(&next.first, limits), second: self.second.widen(&next.second, limits) }
    }

    fn narrow(&self, next: &Self) -> Self {
        Self { first: self.first.narrow(&next.first), second: self.second.narrow(&next.second) }
    }
}

impl<A: Domain, B: Domain> Domain for Product<A, B> {
    fn top(dimensions: usize) -> Self {
        Self { first: A::top(dimensions), second: B::top(dimensions) }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { first: A::bottom(dimensions), second: B::bottom(dimensions) }
    }

    fn dimensions(&self) -> usize {
        self.first.dimensions()
    }

    fn assume(&mut self, constraint: &Constraint) {
        self.first.assume(constraint);
        self.second.assume(constraint);
        self.reduce(constraint.expression.terms().iter().map(|(dimension, _)| *dimension));
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        self.first.assign(target, value);
        self.second.assign(target, value);
        self.reduce([target]);
    }

    fn forget(&mut self, dimension: Dimension) {
        self.first.forget(dimension);
        self.second.forget(dimension);
    }

    fn range(&self, expression: &Expression) -> Range {
        self.first.range(expression).meet(&self.second.range(expression))
    }

    fn constraints(&self) -> Vec<Constraint> {
        let mut constraints = self.first.constraints();
        constraints.extend(self.second.constraints().into_iter().filter(|new| !self.first.satisfies(new)));
        constraints
    }

    fn resize(&mut self, dimensions: usize) {
        self.first.resize(dimensions);
        self.second.resize(dimensions);
    }

    fn refine(&self, dimension: Dimension, range: Range) -> Range {
        self.second.refine(dimension, self.first.refine(dimension, range))
    }

    fn loss(&self, larger: &Self) -> Loss {
        self.first.loss(&larger.first).plus(&self.second.loss(&larger.second))
    }

    fn satisfies(&self, constraint: &Constraint) -> bool {
        self.first.satisfies(constraint) || self.second.satisfies(constraint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congruence::Congruences;
    use crate::interval::Intervals;
    use crate::{Octagon, laws};

    #[test]
    fn the_laws_hold() {
        (0..5).for_each(laws::check::<Product<Intervals, Congruences>>);
        (0..5).for_each(laws::check::<Product<Octagon, Congruences>>);
    }

    #[test]
    fn limits_are_rounded_to_remainders() {
        let x = Expression::variable(Dimension(0));
        let mut even = Congruences::top(2);
        let double = Expression::variable(Dimension(1)).scaled(&2.into());
        even.assume(&Constraint::equal(&x, &double));
        let mut product = Product::new(Intervals::top(2), even);
        product.assume(&Constraint::at_most(&Expression::constant(3), &x));
        product.assume(&Constraint::at_most(&x, &Expression::constant(7)));
        assert_eq!(product.range(&x), Range { least: Some(4.into()), greatest: Some(6.into()) });
        product.assume(&Constraint::less(&x, &Expression::constant(6)));
        assert_eq!(product.second.range(&x).value(), Some(&4.into()));
        product.assume(&Constraint::less(&x, &Expression::constant(4)));
        assert!(product.is_bottom());
    }
}
