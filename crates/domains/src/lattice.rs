//! What a domain must offer, in two tiers: a lattice, and a domain of numbers on top of it.
//!
//! An element stands for a set of points with integer coordinates. Every operation may return a larger set than the exact
//! one, never a smaller one. Elements that are compared or joined have the same number of dimensions.

use std::fmt;

use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use crate::{Constraint, Expression};

/// A coordinate of the points of an element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dimension(pub u32);

impl Dimension {
    /// Its place among the coordinates of a point.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

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

    /// The values of a coordinate that are in a range as far as this domain can tell: rounds the limits to values that
    /// the coordinate can have. The range itself is always a sound answer.
    fn refine(&self, dimension: Dimension, range: Range) -> Range {
        range.meet(&self.range(&Expression::variable(dimension)))
    }

    /// What a larger set has lost of the constraints of this one, for choices among larger sets. Every answer is sound.
    fn loss(&self, larger: &Self) -> Loss {
        let mut loss = Loss::default();
        for constraint in self.constraints() {
            let range = larger.range(&constraint.expression);
            loss.count(range.greatest);
            if constraint.relation == Relation::Equal {
                loss.count(range.least.map(|least| -least));
            }
        }
        loss
    }

    /// Whether all points satisfy a constraint, as far as the domain can tell.
    fn satisfies(&self, constraint: &Constraint) -> bool {
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

/// What is lost of constraints, the worst loss first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Loss {
    /// So many limits are gone.
    pub limits: usize,
    /// So many limits are weaker.
    pub weaker: usize,
    /// By so much altogether.
    pub distance: Rational,
}

impl Loss {
    /// Adds by how much a limit is exceeded, or nothing if there is no limit any more.
    pub fn count(&mut self, excess: Option<Rational>) {
        match excess {
            None => self.limits += 1,
            Some(excess) if excess.is_positive() => {
                self.weaker += 1;
                self.distance += &excess;
            }
            Some(_) => {}
        }
    }

    /// Both losses.
    pub fn plus(mut self, other: &Self) -> Self {
        self.limits += other.limits;
        self.weaker += other.weaker;
        self.distance += &other.distance;
        self
    }
}

impl Range {
    /// One value.
    pub fn single(value: Rational) -> Self {
        Self { least: Some(value.clone()), greatest: Some(value) }
    }

    /// No value.
    pub fn empty() -> Self {
        Self { least: Some(Rational::ONE), greatest: Some(Rational::ZERO) }
    }

    /// Whether no value is in it.
    pub fn is_empty(&self) -> bool {
        matches!((&self.least, &self.greatest), (Some(least), Some(greatest)) if least > greatest)
    }

    /// The value, if there is exactly one.
    pub fn value(&self) -> Option<&Rational> {
        self.least.as_ref().filter(|_| self.least == self.greatest)
    }

    /// The constraints that say that the value of an expression is in it.
    pub fn constraints(&self, expression: &Expression) -> Vec<Constraint> {
        let constant = |value: &Rational| Expression::constant(value.clone());
        if let Some(value) = self.value() {
            return vec![Constraint::equal(expression, &constant(value))];
        }
        let least = self.least.iter().map(|least| Constraint::at_most(&constant(least), expression));
        let greatest =
            self.greatest.iter().map(|greatest| Constraint::at_most(expression, &constant(greatest)));
        least.chain(greatest).collect()
    }

    /// Whether a value is in it.
    pub fn contains(&self, value: &Rational) -> bool {
        self.least.as_ref().is_none_or(|least| least <= value)
            && self.greatest.as_ref().is_none_or(|greatest| value <= greatest)
    }

    /// What is in both.
    pub fn meet(&self, other: &Self) -> Self {
        let tighter = |a: &Option<Rational>,
                       b: &Option<Rational>,
                       first: fn(&Rational, &Rational) -> bool| match (a, b) {
            (Some(a), Some(b)) => Some(if first(a, b) { a } else { b }.clone()),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        Self {
            least: tighter(&self.least, &other.least, |a, b| a >= b),
            greatest: tighter(&self.greatest, &other.greatest, |a, b| a <= b),
        }
    }

    /// The least range that contains both.
    pub fn join(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other.clone() } else { self.clone() };
        }
        let both =
            |a: &Option<Rational>, b: &Option<Rational>, choose: fn(Rational, Rational) -> Rational| {
                Some(choose(a.clone()?, b.clone()?))
            };
        Self {
            least: both(&self.least, &other.least, Rational::min),
            greatest: both(&self.greatest, &other.greatest, Rational::max),
        }
    }
}
