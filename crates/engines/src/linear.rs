//! Sums of multiples of expressions, in a normal form, and conditions on them: the shapes in which proposers think.
//!
//! Numbers are those of ℤ, with coefficients of at most 128 bits; what needs more is given up.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Comparison, Expression, Formula, Integer, Moment, Name};

/// A sum of multiples of expressions that are no sums themselves, and a constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Linear {
    parts: BTreeMap<Expression, i128>,
    constant: i128,
}

/// A condition on numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// A number is at most zero.
    AtMostZero(Linear),
    /// A number is zero.
    Zero(Linear),
    /// A number is not zero.
    NotZero(Linear),
    /// All of these; true if there are none.
    All(Vec<Condition>),
    /// One of these; false if there are none.
    Any(Vec<Condition>),
}

impl Linear {
    /// A known number.
    pub fn constant(number: i128) -> Self {
        Self { parts: BTreeMap::new(), constant: number }
    }

    /// An expression that is no sum.
    pub fn of(expression: Expression) -> Self {
        Self { parts: BTreeMap::from([(expression, 1)]), constant: 0 }
    }

    /// An expression, taken apart.
    pub fn parse(expression: &Expression) -> Option<Self> {
        match expression {
            Expression::Constant(number) => Some(Self::constant(i128::try_from(number).ok()?)),
            Expression::Sum(parts) => {
                parts.iter().try_fold(Self::default(), |sum, part| sum.plus(&Self::parse(part)?, 1))
            }
            Expression::Product(parts) => {
                parts.iter().try_fold(Self::constant(1), |product, part| product.product(&Self::parse(part)?))
            }
            other => Some(Self::of(other.clone())),
        }
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.constant)
    }

    /// The expressions with their coefficients.
    pub fn parts(&self) -> impl Iterator<Item = (&Expression, i128)> {
        self.parts.iter().map(|(part, &factor)| (part, factor))
    }

    /// The constant part.
    pub fn offset(&self) -> i128 {
        self.constant
    }

    /// This and a multiple of another one.
    pub fn plus(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (part, &own) in &other.parts {
            let coefficient = sum.parts.entry(part.clone()).or_insert(0);
            *coefficient = coefficient.checked_add(own.checked_mul(factor)?)?;
        }
        sum.parts.retain(|_, factor| *factor != 0);
        Some(sum)
    }

    /// The difference.
    pub fn minus(&self, other: &Linear) -> Option<Linear> {
        self.plus(other, -1)
    }

    /// This and a constant.
    pub fn shifted(&self, by: i128) -> Linear {
        Self { parts: self.parts.clone(), constant: self.constant.saturating_add(by) }
    }

    /// A multiple.
    pub fn times(&self, factor: i128) -> Option<Linear> {
        Linear::default().plus(self, factor)
    }

    /// The product, if both are small.
    pub fn product(&self, other: &Linear) -> Option<Linear> {
        if let Some(known) = self.known() {
            return other.times(known);
        }
        if let Some(known) = other.known() {
            return self.times(known);
        }
        if self.parts.len() * other.parts.len() > 4 {
            return None;
        }
        let mut result = Linear::constant(self.constant.checked_mul(other.constant)?);
        for (left, a) in self.parts() {
            result = result.plus(&Linear::of(left.clone()), a.checked_mul(other.constant)?)?;
            for (right, b) in other.parts() {
                let mut factors = factors(left);
                factors.extend(self::factors(right));
                factors.sort();
                if factors.len() > 3 {
                    return None;
                }
                result = result.plus(&Linear::of(Expression::Product(factors)), a.checked_mul(b)?)?;
            }
        }
        for (right, b) in other.parts() {
            result = result.plus(&Linear::of(right.clone()), b.checked_mul(self.constant)?)?;
        }
        Some(result)
    }

    /// As an expression.
    pub fn expression(&self) -> Expression {
        let mut terms: Vec<Expression> = self.parts().map(|(part, factor)| multiple(part, factor)).collect();
        if self.constant != 0 || terms.is_empty() {
            terms.push(Expression::Constant(Integer::from(self.constant)));
        }
        if terms.len() == 1 { terms.remove(0) } else { Expression::Sum(terms) }
    }

    /// The variables in it, whenever they are looked at.
    pub fn names(&self) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        self.parts.keys().for_each(|part| collect(part, &mut names));
        names
    }

    /// The same at loop entry.
    pub fn at_entry(&self) -> Option<Linear> {
        let mut result = Linear::constant(self.constant);
        for (part, factor) in self.parts() {
            let Expression::Quantity { quantity, .. } = part else { return None };
            result = result.plus(&Linear::of(quantity.at(Moment::Entry)), factor)?;
        }
        Some(result)
    }

    /// How it compares with zero, written without negative coefficients.
    fn compared(&self, comparison: Comparison) -> Formula {
        let gcd = self.parts.values().fold(0u128, |gcd, factor| greatest_common(gcd, factor.unsigned_abs()));
        let mut this = self.clone();
        if gcd > 1 && gcd <= i128::MAX as u128 {
            let gcd = gcd as i128;
            let exact = self.constant % gcd == 0;
            match comparison {
                Comparison::Equal if !exact => return Formula::False,
                Comparison::Differ if !exact => return Formula::True,
                // A sum of multiples of the divisor is at most what the constant allows, rounded.
                _ => this.constant = -(-self.constant).div_euclid(gcd),
            }
            this.parts.values_mut().for_each(|factor| *factor /= gcd);
        }
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (part, &factor) in &this.parts {
            let side = if factor > 0 { &mut left } else { &mut right };
            side.parts.insert(part.clone(), factor.saturating_abs());
        }
        if left.parts.is_empty() {
            // Only negative parts: they are greater.
            left.constant = this.constant;
            let comparison = match comparison {
                Comparison::LessEqual => Comparison::GreaterEqual,
                other => other,
            };
            return right.expression().compare(comparison, left.expression());
        }
        if comparison == Comparison::LessEqual && this.constant == 1 && !right.parts.is_empty() {
            return left.expression().below(right.expression());
        }
        if right.parts.is_empty() || this.constant < 0 {
            right.constant = this.constant.saturating_neg();
        } else {
            left.constant = this.constant;
        }
        left.expression().compare(comparison, right.expression())
    }
}

impl Condition {
    /// Always.
    pub const TRUE: Self = Condition::All(Vec::new());
    /// Never.
    pub const FALSE: Self = Condition::Any(Vec::new());

    /// One number is at most another.
    pub fn at_most(left: &Linear, right: &Linear) -> Option<Self> {
        Some(Self::folded(Condition::AtMostZero(left.minus(right)?)))
    }

    /// One number is below another.
    pub fn below(left: &Linear, right: &Linear) -> Option<Self> {
        Some(Self::folded(Condition::AtMostZero(left.minus(right)?.shifted(1))))
    }

    /// Two numbers are equal.
    pub fn equal(left: &Linear, right: &Linear) -> Option<Self> {
        Some(Self::folded(Condition::Zero(left.minus(right)?)))
    }

    /// A formula, taken apart.
    pub fn parse(formula: &Formula) -> Option<Self> {
        let all = |parts: &[Formula]| parts.iter().map(Self::parse).collect::<Option<Vec<_>>>();
        match formula {
            Formula::True => Some(Self::TRUE),
            Formula::False => Some(Self::FALSE),
            Formula::Compare { left, comparison, right } => {
                let (left, right) = (Linear::parse(left)?, Linear::parse(right)?);
                match comparison {
                    Comparison::Equal => Self::equal(&left, &right),
                    Comparison::Differ => Some(Self::equal(&left, &right)?.negated()),
                    Comparison::Less => Self::below(&left, &right),
                    Comparison::LessEqual => Self::at_most(&left, &right),
                    Comparison::Greater => Self::below(&right, &left),
                    Comparison::GreaterEqual => Self::at_most(&right, &left),
                }
            }
            Formula::Not(inner) => Some(Self::parse(inner)?.negated()),
            Formula::All(parts) => Some(Self::all(all(parts)?)),
            Formula::Any(parts) => Some(Self::any(all(parts)?)),
            Formula::Every { .. } => None,
        }
    }

    fn folded(self) -> Self {
        let truth = |truth: bool| if truth { Self::TRUE } else { Self::FALSE };
        match &self {
            Condition::AtMostZero(number) => number.known().map(|known| truth(known <= 0)),
            Condition::Zero(number) => number.known().map(|known| truth(known == 0)),
            Condition::NotZero(number) => number.known().map(|known| truth(known != 0)),
            _ => None,
        }
        .unwrap_or(self)
    }

    /// The opposite.
    pub fn negated(&self) -> Self {
        match self {
            Condition::AtMostZero(number) => {
                // Not at most zero: at least one, so that one minus it is at most zero.
                let opposite = Linear::constant(1).minus(number).unwrap_or_default();
                Condition::AtMostZero(opposite)
            }
            Condition::Zero(number) => Condition::NotZero(number.clone()),
            Condition::NotZero(number) => Condition::Zero(number.clone()),
            Condition::All(parts) => Condition::Any(parts.iter().map(Self::negated).collect()),
            Condition::Any(parts) => Condition::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// All of some conditions.
    pub fn all(parts: Vec<Condition>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::All(inner) => flat.extend(inner),
                Condition::Any(inner) if inner.is_empty() => return Self::FALSE,
                other => flat.push(other),
            }
        }
        flat.dedup();
        if flat.len() == 1 { flat.remove(0) } else { Condition::All(flat) }
    }

    /// One of some conditions.
    pub fn any(parts: Vec<Condition>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::Any(inner) => flat.extend(inner),
                Condition::All(inner) if inner.is_empty() => return Self::TRUE,
                other => flat.push(other),
            }
        }
        flat.dedup();
        if flat.len() == 1 { flat.remove(0) } else { Condition::Any(flat) }
    }

    /// The comparisons in it.
    pub fn atoms(&self) -> Vec<&Condition> {
        match self {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(Self::atoms).collect(),
            atom => vec![atom],
        }
    }

    /// The number that it compares with zero, if it is a comparison.
    pub fn number(&self) -> Option<&Linear> {
        match self {
            Condition::AtMostZero(number) | Condition::Zero(number) | Condition::NotZero(number) => {
                Some(number)
            }
            _ => None,
        }
    }

    /// As a formula.
    pub fn formula(&self) -> Formula {
        match self {
            Condition::AtMostZero(number) => number.compared(Comparison::LessEqual),
            Condition::Zero(number) => number.compared(Comparison::Equal),
            Condition::NotZero(number) => number.compared(Comparison::Differ),
            Condition::All(parts) if parts.is_empty() => Formula::True,
            Condition::Any(parts) if parts.is_empty() => Formula::False,
            Condition::All(parts) => Formula::All(parts.iter().map(Self::formula).collect()),
            Condition::Any(parts) => Formula::Any(parts.iter().map(Self::formula).collect()),
        }
    }
}

/// The greatest common divisor.
pub fn greatest_common(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn multiple(part: &Expression, factor: i128) -> Expression {
    match factor {
        1 => part.clone(),
        -1 => -part.clone(),
        _ => Expression::Product(vec![Expression::Constant(Integer::from(factor)), part.clone()]),
    }
}

fn factors(expression: &Expression) -> Vec<Expression> {
    match expression {
        Expression::Product(factors) => factors.clone(),
        other => vec![other.clone()],
    }
}

fn collect(expression: &Expression, names: &mut BTreeSet<Name>) {
    match expression {
        Expression::Quantity { quantity, .. } => _ = names.insert(quantity.variable.clone()),
        Expression::Sum(parts)
        | Expression::Product(parts)
        | Expression::Minimum(parts)
        | Expression::Maximum(parts) => parts.iter().for_each(|part| collect(part, names)),
        Expression::Quotient { dividend, .. } | Expression::Remainder { dividend, .. } => {
            collect(dividend, names);
        }
        Expression::Element(element) => collect(&element.index, names),
        Expression::Select { then, otherwise, .. } => {
            collect(then, names);
            collect(otherwise, names);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::expression::now;

    fn variable(name: &str) -> Linear {
        Linear::of(now(name))
    }

    #[test]
    fn comparisons_are_written_without_negative_coefficients() {
        let (x, y) = (variable("x"), variable("y"));
        let text = |condition: Option<Condition>| condition.unwrap().formula().to_string();
        assert_eq!(text(Condition::below(&x, &y)), "x < y");
        assert_eq!(text(Condition::at_most(&Linear::constant(3), &x)), "x >= 3");
        assert_eq!(text(Condition::at_most(&x.times(2).unwrap(), &Linear::constant(7))), "x <= 3");
        assert_eq!(text(Condition::equal(&x.plus(&y, 2).unwrap(), &Linear::constant(5))), "x + 2 * y == 5");
        assert_eq!(text(Condition::at_most(&x, &y).map(|it| it.negated())), "y < x");
        assert_eq!(text(Condition::equal(&x.times(2).unwrap(), &Linear::constant(5))), "false");
    }

    #[test]
    fn formulas_are_taken_apart() {
        for text in ["x < y", "x >= 3", "x + 2 * y == 5", "x <= 3 || y != 0", "x * y == 2 * x"] {
            let formula: Formula = text.parse().unwrap();
            assert_eq!(Condition::parse(&formula).unwrap().formula().to_string(), text);
        }
    }

    #[test]
    fn products_are_multiplied_out() {
        let (x, y) = (variable("x"), variable("y"));
        let product = x.shifted(1).product(&y).unwrap();
        assert_eq!(product.expression().to_string(), "y + x * y");
        assert_eq!(x.product(&x).unwrap().product(&x).unwrap().expression().to_string(), "x * x * x");
    }
}
