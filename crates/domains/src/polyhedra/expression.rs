//! Expressions and constraints with rational coefficients, as rows of integers and back.

use logic::numbers::linear::Relation;
use logic::numbers::{Compact, Rational};

use super::row::Row;
use crate::{Constraint, Dimension, Expression};

/// An expression with integer coefficients over a common denominator, which is positive.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// The dimensions in order, with their coefficients.
    pub terms: Vec<(usize, Compact)>,
    /// The constant.
    pub constant: Compact,
    /// What all of it is divided by.
    pub denominator: Compact,
}

impl Scaled {
    /// The expression over its least common denominator.
    pub fn new(expression: &Expression) -> Self {
        let rationals = || expression.terms().iter().map(|(_, factor)| factor);
        let mut denominator = Compact::ONE;
        for number in rationals().chain([expression.constant_part()]).filter(|number| !number.is_integer()) {
            let next = number.compact_denominator();
            denominator = denominator.divided_exactly(&denominator.gcd(&next)).times(&next);
        }
        let scaled = |number: &Rational| {
            if denominator.is_one() {
                return number.compact_numerator();
            }
            let factor = denominator.divided_exactly(&number.compact_denominator());
            number.compact_numerator().times(&factor)
        };
        let terms = expression.terms().iter();
        Self {
            terms: terms.map(|(dimension, factor)| (dimension.0 as usize, scaled(factor))).collect(),
            constant: scaled(expression.constant_part()),
            denominator,
        }
    }

    /// The dimensions that it speaks of.
    pub fn dimensions(&self) -> Vec<usize> {
        self.terms.iter().map(|(dimension, _)| *dimension).collect()
    }

    /// The constant and the coefficients of some dimensions, which are in order.
    pub fn entries(&self, members: &[usize]) -> Vec<Compact> {
        let mut entries = vec![Compact::ZERO; members.len() + 1];
        entries[0] = self.constant.clone();
        for (dimension, factor) in &self.terms {
            if let Ok(at) = members.binary_search(dimension) {
                entries[at + 1] = factor.clone();
            }
        }
        entries
    }

    /// The greatest common divisor of the coefficients.
    pub fn content(&self) -> Compact {
        self.terms.iter().fold(Compact::ZERO, |divisor, (_, factor)| divisor.gcd(factor))
    }

    /// The part that speaks of some dimensions, without the constant, as a row and the factor that was taken out of it.
    /// `None` if there is no such part.
    pub fn part(&self, members: &[usize]) -> Option<(Row, Compact)> {
        let mut entries = self.entries(members);
        entries[0] = Compact::ZERO;
        let first = entries.iter().position(|entry| !entry.is_zero())?;
        let original = entries[first].clone();
        let row = Row::new(entries);
        let factor = original.divided_exactly(&row.get(first));
        Some((row, factor))
    }
}

/// `row >= 0` or `row = 0` as a constraint over the dimensions of a block.
pub fn constraint(row: &Row, members: &[usize], is_equation: bool) -> Constraint {
    let factor = |at: usize| {
        let entry = row.get(at);
        Rational::from(&if is_equation { entry } else { entry.negated() })
    };
    let terms = members.iter().enumerate();
    let terms = terms.map(|(at, dimension)| (Dimension(*dimension as u32), factor(at + 1)));
    let relation = if is_equation { Relation::Equal } else { Relation::AtMost };
    Constraint {
        expression: Expression::new(terms.filter(|(_, factor)| !factor.is_zero()), factor(0)),
        relation,
    }
}

/// A constraint that nothing satisfies.
pub fn contradiction() -> Constraint {
    Constraint { expression: Expression::constant(1), relation: Relation::Equal }
}
