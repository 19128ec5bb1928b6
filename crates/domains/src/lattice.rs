//! What a domain must offer, in two tiers: a lattice, and a domain of numbers on top of it.
//!
//! An element stands for a set of points with integer coordinates. Every operation may return a larger set than the exact
//! one, never a smaller one. Elements that are compared or joined have the same number of dimensions.

use logic::numbers::Rational;

use crate::{Constraint, Expression};

/// A coordinate of the points of an element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dimension(pub u32);

/// Sets ordered by inclusion, as far as the domain can tell.
pub trait Lattice: Clone {
    /// Whether the set is known to be empty.
    fn is_bottom(&self) -> bool;

    /// Whether the set is known to be part of another one.
    fn is_included(&self, other: &Self) -> bool;

    /// A set that contains both, the smallest one if there is one.
    fn join(&self, other: &Self) -> Self;

    /// A set that contains what both have in common.
    fn meet(&self, other: &Self) -> Self;

    /// A set that contains both, such that no sequence of widenings grows for ever. The limits are constraints worth
    /// keeping if the next set satisfies them, though not the first one implied them.
    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self;

    /// A set between this one and the next one, which is part of it, such that no sequence of narrowings shrinks for ever.
    fn narrow(&self, next: &Self) -> Self;
}

/// A lattice of sets of integer points.
pub trait Domain: Lattice {
    /// All points.
    fn top(dimensions: usize) -> Self;

    /// No point.
    fn bottom(dimensions: usize) -> Self;

    /// The number of coordinates.
    fn dimensions(&self) -> usize;

    /// Leaves the points that satisfy a constraint.
    fn assume(&mut self, constraint: &Constraint);

    /// Sets a coordinate to the value of an expression, which may speak of it.
    fn assign(&mut self, target: Dimension, value: &Expression);

    /// Lets a coordinate be anything.
    fn forget(&mut self, dimension: Dimension);

    /// The least and the greatest value of an expression.
    fn range(&self, expression: &Expression) -> Range;

    /// What holds of all points: constraints of which the set is the meaning, as far as they can say it.
    fn constraints(&self) -> Vec<Constraint>;

    /// Changes the number of coordinates: new ones, at the end, are anything; the last ones go away.
    fn resize(&mut self, dimensions: usize);

    /// Whether all points satisfy a constraint, as far as the domain can tell.
    fn satisfies(&self, constraint: &Constraint) -> bool {
        use logic::numbers::linear::Relation;
        let range = self.range(&constraint.expression);
        let most = |limit: bool| {
            range.greatest.as_ref().is_some_and(|most| most.is_negative() || limit && most.is_zero())
        };
        self.is_bottom()
            || match constraint.relation {
                Relation::AtMost => most(true),
                Relation::Less => most(false),
                Relation::Equal => {
                    most(true) && range.least.as_ref().is_some_and(|least| !least.is_negative())
                }
            }
    }
}

/// The values between two limits, where there are limits. The range of nothing is empty: the least is above the greatest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Range {
    /// No value is less.
    pub least: Option<Rational>,
    /// No value is greater.
    pub greatest: Option<Rational>,
}
