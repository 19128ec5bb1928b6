//! Sums of numbers of a program's state, each times a known number: the normal form in which ways through a loop are
//! compared.

use std::collections::BTreeMap;

use evidence::expression::constant;
use evidence::{Expression, Integer};

/// A sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Linear {
    /// The parts with their factors, none of which is zero.
    pub parts: BTreeMap<Expression, Integer>,
    /// What is added to them.
    pub constant: Integer,
}

impl Linear {
    /// A known number.
    pub fn constant(number: impl Into<Integer>) -> Self {
        Self { parts: BTreeMap::new(), constant: number.into() }
    }

    /// A number that is no sum.
    pub fn atom(expression: Expression) -> Self {
        Self { parts: BTreeMap::from([(expression, Integer::ONE)]), constant: Integer::ZERO }
    }

    /// The known number that it is, if it is one.
    pub fn known(&self) -> Option<&Integer> {
        self.parts.is_empty().then_some(&self.constant)
    }

    /// The factor of a part.
    pub fn factor(&self, part: &Expression) -> Integer {
        self.parts.get(part).cloned().unwrap_or(Integer::ZERO)
    }

    /// The sum with another one.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += &other.constant;
        for (part, factor) in &other.parts {
            let entry = sum.parts.entry(part.clone()).or_insert(Integer::ZERO);
            *entry += factor;
        }
        sum.parts.retain(|_, factor| *factor != Integer::ZERO);
        sum
    }

    /// The difference from another one.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(&Integer::from(-1)))
    }

    /// This many times it.
    pub fn times(&self, number: &Integer) -> Self {
        if *number == Integer::ZERO {
            return Self::default();
        }
        let parts = self.parts.iter().map(|(part, factor)| (part.clone(), factor * number)).collect();
        Self { parts, constant: &self.constant * number }
    }

    /// The quotient by a known number, if nothing remains of any part.
    pub fn over(&self, number: &Integer) -> Option<Self> {
        let whole = |value: &Integer| (value % number == Integer::ZERO).then(|| value / number);
        if *number == Integer::ZERO {
            return None;
        }
        let mut parts = BTreeMap::new();
        for (part, factor) in &self.parts {
            parts.insert(part.clone(), whole(factor)?);
        }
        Some(Self { parts, constant: whole(&self.constant)? })
    }

    /// The quotient by a positive number, rounded down.
    pub fn quotient(&self, number: &Integer) -> Expression {
        match self.over(number) {
            Some(quotient) => quotient.expression(),
            None => self.expression().quotient(number.clone()),
        }
    }

    /// With another sum in place of a part.
    pub fn with(&self, part: &Expression, value: &Self) -> Self {
        let factor = self.factor(part);
        let mut rest = self.clone();
        rest.parts.remove(part);
        rest.plus(&value.times(&factor))
    }

    /// As an expression.
    pub fn expression(&self) -> Expression {
        let mut sum: Vec<Expression> = Vec::new();
        for (part, factor) in &self.parts {
            sum.push(if *factor == Integer::ONE {
                part.clone()
            } else {
                constant(factor.clone()) * part.clone()
            });
        }
        // What is taken away comes last.
        sum.sort_by_key(|part| matches!(part, Expression::Product(_)));
        if self.constant != Integer::ZERO || sum.is_empty() {
            sum.push(constant(self.constant.clone()));
        }
        if sum.len() == 1 { sum.remove(0) } else { Expression::Sum(sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::expression::now;

    #[test]
    fn sums_are_compared_by_their_parts() {
        let (i, j) = (Linear::atom(now("i")), Linear::atom(now("j")));
        let sum = i.plus(&j).plus(&Linear::constant(4));
        assert_eq!(sum.minus(&j), i.plus(&Linear::constant(4)));
        let four = Integer::from(4);
        assert_eq!(sum.times(&four).over(&four), Some(sum.clone()));
        assert_eq!(sum.over(&four), None);
        assert_eq!(sum.with(&now("j"), &i).expression().to_string(), "2 * i + 4");
    }
}
