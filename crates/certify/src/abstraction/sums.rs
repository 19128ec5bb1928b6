//! Comparisons of sums, written so that the solver has little to do.
//!
//! The numbers of evidence are those of ℤ, so that what stands on both sides can be taken away, and what is subtracted
//! on one side can be added on the other: `n - i' <= n - i - 1` is `i + 1 <= i'`. A quantity that an iteration leaves
//! alone is the same before and after it. What is left has no subtractions, and often only the quantities that change.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Comparison, Expression, Formula, Integer, Moment, Quantity};

/// A sum of multiples of expressions that are no sums, and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sum {
    parts: BTreeMap<Expression, Integer>,
    constant: Integer,
}

impl Sum {
    /// The parts of an expression.
    pub fn of(expression: &Expression) -> Self {
        let mut sum = Self::default();
        sum.add(expression, &Integer::ONE);
        sum
    }

    fn add(&mut self, expression: &Expression, factor: &Integer) {
        match expression {
            Expression::Constant(number) => self.constant += number * factor,
            Expression::Sum(parts) => parts.iter().for_each(|part| self.add(part, factor)),
            Expression::Product(parts) => match &parts[..] {
                [Expression::Constant(first), other] | [other, Expression::Constant(first)] => {
                    self.add(other, &(first * factor));
                }
                _ => self.add_part(expression.clone(), factor),
            },
            other => self.add_part(other.clone(), factor),
        }
    }

    fn add_part(&mut self, part: Expression, factor: &Integer) {
        let own = self.parts.entry(part).or_insert(Integer::ZERO);
        *own += factor;
        self.parts.retain(|_, factor| *factor != Integer::ZERO);
    }

    /// This and a multiple of another one.
    pub fn plus(mut self, other: &Self, factor: i64) -> Self {
        let factor = Integer::from(factor);
        self.constant += &other.constant * &factor;
        for (part, own) in &other.parts {
            self.add_part(part.clone(), &(own * &factor));
        }
        self
    }

    /// This and a constant.
    pub fn shifted(mut self, by: &Integer) -> Self {
        self.constant += by;
        self
    }

    /// The quantities that it speaks of at the head.
    pub fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.parts.keys().filter_map(|part| match part {
            Expression::Quantity { quantity, moment: Moment::Now } => Some(quantity),
            _ => None,
        })
    }

    /// The same after an iteration that leaves some quantities alone. Nothing if it speaks of that state already.
    pub fn next(&self, unchanged: &BTreeSet<Quantity>) -> Option<Self> {
        let mut sum = Self { constant: self.constant.clone(), ..Self::default() };
        for (part, factor) in &self.parts {
            let part = match part {
                Expression::Quantity { quantity, .. } if unchanged.contains(quantity) => part.clone(),
                other => other.at_next()?,
            };
            sum.add_part(part, factor);
        }
        Some(sum)
    }

    /// How it compares with zero, without subtractions.
    pub fn compared(&self, comparison: Comparison) -> Formula {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut put = |positive: bool, part: Expression| {
            if positive { left.push(part) } else { right.push(part) }
        };
        for (part, factor) in &self.parts {
            let positive = *factor > Integer::ZERO;
            let factor = if positive { factor.clone() } else { -factor };
            let is_one = factor == Integer::ONE;
            put(positive, if is_one { part.clone() } else { Expression::Constant(factor) * part.clone() });
        }
        if self.constant != Integer::ZERO {
            let positive = self.constant > Integer::ZERO;
            let number = if positive { self.constant.clone() } else { -&self.constant };
            put(positive, Expression::Constant(number));
        }
        Expression::Sum(left).compare(comparison, Expression::Sum(right))
    }

    /// That it is not positive.
    pub fn at_most_zero(&self) -> Formula {
        self.compared(Comparison::LessEqual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> Sum {
        Sum::of(&text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}")))
    }

    #[test]
    fn what_stands_on_both_sides_is_taken_away() {
        let rank = sum("n - i + 2");
        let unchanged = BTreeSet::from([Quantity::value("n")]);
        let less =
            rank.next(&unchanged).expect("it speaks of the head").plus(&rank, -1).shifted(&Integer::ONE);
        assert_eq!(less.at_most_zero().to_string(), "i + 1 <= i'");
        assert_eq!(sum("2 * x - 3 * (x - y)").at_most_zero().to_string(), "3 * y <= x");
        assert_eq!(sum("x' - x").next(&unchanged), None);
    }
}
