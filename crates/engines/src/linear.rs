//! Sums of multiples of the numbers that evidence speaks of, and conditions on them: the shapes in which proposers think.
//!
//! Numbers are those of ℤ, and coefficients have no limits.

use std::collections::BTreeSet;

use evidence::{Comparison, Expression, Formula, Integer, Moment, Name};
use logic::numbers::Rational;

/// A sum of multiples of expressions that are no sums themselves, and a constant. All coefficients are integers.
pub type Linear = logic::numbers::Linear<Expression>;

/// What linear expressions and evidence have to do with each other.
pub trait InEvidence: Sized {
    /// An expression, taken apart. Nothing if a product in it is too large.
    fn parse(expression: &Expression) -> Option<Self>;

    /// The number, if it is known and not too large.
    fn known(&self) -> Option<i128>;

    /// The product, if both are small.
    fn product(&self, other: &Self) -> Option<Self>;

    /// The quotient by a number that is not zero, if nothing remains of any part.
    fn over(&self, divisor: &Integer) -> Option<Self>;

    /// The quotient by a positive number, rounded down.
    fn quotient(&self, divisor: &Integer) -> Expression;

    /// As an expression. What is taken away comes last.
    fn expression(&self) -> Expression;

    /// The variables in it, whenever they are examined.
    fn names(&self) -> BTreeSet<Name>;

    /// The same at loop entry.
    fn at_entry(&self) -> Option<Self>;
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

impl InEvidence for Linear {
    fn parse(expression: &Expression) -> Option<Self> {
        match expression {
            Expression::Constant(number) => Some(Self::constant(number)),
            Expression::Sum(parts) => {
                parts.iter().try_fold(Self::zero(), |sum, part| Some(&sum + &Self::parse(part)?))
            }
            Expression::Product(parts) => {
                parts.iter().try_fold(Self::constant(1), |product, part| product.product(&Self::parse(part)?))
            }
            other => Some(Self::variable(other.clone())),
        }
    }

    fn known(&self) -> Option<i128> {
        self.as_constant()?.to_i128()
    }

    fn product(&self, other: &Self) -> Option<Self> {
        if let Some(known) = self.as_constant() {
            return Some(other.scaled(known));
        }
        if let Some(known) = other.as_constant() {
            return Some(self.scaled(known));
        }
        if self.terms().len() * other.terms().len() > 4 {
            return None;
        }
        let mut result = &self.scaled(other.constant_part())
            + &other.clone().without_constant().scaled(self.constant_part());
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut factors = factors(left);
                factors.extend(self::factors(right));
                factors.sort();
                if factors.len() > 3 {
                    return None;
                }
                result = result.plus_scaled(&(a * b), &Self::variable(Expression::Product(factors)));
            }
        }
        Some(result)
    }

    fn over(&self, divisor: &Integer) -> Option<Self> {
        if *divisor == Integer::ZERO {
            return None;
        }
        let quotient = self.scaled(&Rational::from(divisor).reciprocal());
        let coefficients = quotient.terms().iter().map(|(_, coefficient)| coefficient);
        let is_whole = coefficients.chain([quotient.constant_part()]).all(Rational::is_integer);
        is_whole.then_some(quotient)
    }

    fn quotient(&self, divisor: &Integer) -> Expression {
        match self.over(divisor) {
            Some(quotient) => quotient.expression(),
            None => self.expression().quotient(divisor.clone()),
        }
    }

    fn expression(&self) -> Expression {
        let (added, taken): (Vec<_>, Vec<_>) =
            self.terms().iter().cloned().partition(|(_, coefficient)| coefficient.is_positive());
        written(added.into_iter().chain(taken), self.constant_part())
    }

    fn names(&self) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        self.terms().iter().for_each(|(part, _)| collect(part, &mut names));
        names
    }

    fn at_entry(&self) -> Option<Self> {
        let entry = |(part, coefficient): &(Expression, Rational)| match part {
            Expression::Quantity { quantity, .. } => Some((quantity.at(Moment::Entry), coefficient.clone())),
            _ => None,
        };
        let terms: Vec<_> = self.terms().iter().map(entry).collect::<Option<_>>()?;
        Some(Self::new(terms, self.constant_part().clone()))
    }
}

/// How a number compares with zero, written without negative coefficients.
fn compared(number: &Linear, comparison: Comparison) -> Formula {
    let mut number = number.clone();
    let factor = number.primitive_factor();
    if factor < Rational::ONE {
        let constant = number.constant_part() * &factor;
        match comparison {
            Comparison::Equal if !constant.is_integer() => return Formula::False,
            Comparison::Differ if !constant.is_integer() => return Formula::True,
            // A sum of multiples of the divisor is at most what the constant allows, rounded.
            _ => number = number.without_constant().scaled(&factor).shifted(constant.ceil()),
        }
    }
    let (left, right): (Vec<_>, Vec<_>) =
        number.terms().iter().cloned().partition(|(_, coefficient)| coefficient.is_positive());
    let (left, right) = (Linear::new(left, 0), -&Linear::new(right, 0));
    let constant = number.constant_part();
    if left.is_zero() {
        // Only negative parts: they are greater.
        let comparison = match comparison {
            Comparison::LessEqual => Comparison::GreaterEqual,
            other => other,
        };
        return right.expression().compare(comparison, self::number(constant));
    }
    if comparison == Comparison::LessEqual && constant.is_one() && !right.is_zero() {
        return left.expression().below(right.expression());
    }
    let (left, right) = match right.is_zero() || constant.is_negative() {
        true => (left, right.shifted(-constant)),
        false => (left.shifted(constant.clone()), right),
    };
    left.expression().compare(comparison, right.expression())
}

impl Condition {
    /// Always.
    pub const TRUE: Self = Condition::All(Vec::new());
    /// Never.
    pub const FALSE: Self = Condition::Any(Vec::new());

    /// One number is at most another.
    pub fn at_most(left: &Linear, right: &Linear) -> Self {
        Self::folded(Condition::AtMostZero(left - right))
    }

    /// One number is below another.
    pub fn below(left: &Linear, right: &Linear) -> Self {
        Self::folded(Condition::AtMostZero((left - right).shifted(1)))
    }

    /// Two numbers are equal.
    pub fn equal(left: &Linear, right: &Linear) -> Self {
        Self::folded(Condition::Zero(left - right))
    }

    /// How two numbers compare.
    pub fn compare(left: &Linear, comparison: Comparison, right: &Linear) -> Self {
        match comparison {
            Comparison::Equal => Self::equal(left, right),
            Comparison::Differ => Self::equal(left, right).negated(),
            Comparison::Less => Self::below(left, right),
            Comparison::LessEqual => Self::at_most(left, right),
            Comparison::Greater => Self::below(right, left),
            Comparison::GreaterEqual => Self::at_most(right, left),
        }
    }

    /// A formula, taken apart.
    pub fn parse(formula: &Formula) -> Option<Self> {
        let all = |parts: &[Formula]| parts.iter().map(Self::parse).collect::<Option<Vec<_>>>();
        match formula {
            Formula::True => Some(Self::TRUE),
            Formula::False => Some(Self::FALSE),
            Formula::Compare { left, comparison, right } => {
                Some(Self::compare(&Linear::parse(left)?, *comparison, &Linear::parse(right)?))
            }
            Formula::Not(inner) => Some(Self::parse(inner)?.negated()),
            Formula::All(parts) => Some(Self::all(all(parts)?)),
            Formula::Any(parts) => Some(Self::any(all(parts)?)),
            Formula::Every { .. } => None,
        }
    }

    fn folded(self) -> Self {
        match self.number().and_then(Linear::as_constant) {
            Some(known) if self.is_so_of(known) => Self::TRUE,
            Some(_) => Self::FALSE,
            None => self,
        }
    }

    /// Whether it holds if the number that it compares with zero is this one.
    fn is_so_of(&self, number: &Rational) -> bool {
        match self {
            Condition::AtMostZero(_) => !number.is_positive(),
            Condition::Zero(_) => number.is_zero(),
            _ => !number.is_zero(),
        }
    }

    /// The opposite.
    pub fn negated(&self) -> Self {
        match self {
            // Not at most zero: at least one, so that one minus it is at most zero.
            Condition::AtMostZero(number) => Condition::AtMostZero((-number).shifted(1)),
            Condition::Zero(number) => Condition::NotZero(number.clone()),
            Condition::NotZero(number) => Condition::Zero(number.clone()),
            Condition::All(parts) => Condition::Any(parts.iter().map(Self::negated).collect()),
            Condition::Any(parts) => Condition::All(parts.iter().map(Self::negated).collect()),
        }
    }
    /// All of some conditions.
    pub fn all(parts: Vec<Condition>) -> Self {
        Self::joined(parts, true)
    }

    /// One of some conditions.
    pub fn any(parts: Vec<Condition>) -> Self {
        Self::joined(parts, false)
    }

    /// All or one of some conditions, without such conditions among them.
    fn joined(parts: Vec<Condition>, all: bool) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match (part, all) {
                (Condition::All(inner), true) | (Condition::Any(inner), false) => flat.extend(inner),
                (decided, _) if decided == Self::TRUE || decided == Self::FALSE => return decided,
                (other, _) => flat.push(other),
            }
        }
        flat.dedup();
        match flat.len() {
            1 => flat.remove(0),
            _ if all => Condition::All(flat),
            _ => Condition::Any(flat),
        }
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
            Condition::AtMostZero(number) => compared(number, Comparison::LessEqual),
            Condition::Zero(number) => compared(number, Comparison::Equal),
            Condition::NotZero(number) => compared(number, Comparison::Differ),
            Condition::All(parts) if parts.is_empty() => Formula::True,
            Condition::Any(parts) if parts.is_empty() => Formula::False,
            Condition::All(parts) => Formula::All(parts.iter().map(Self::formula).collect()),
            Condition::Any(parts) => Formula::Any(parts.iter().map(Self::formula).collect()),
        }
    }
}

/// A sum of multiples, in this order, and a constant. All coefficients are integers.
pub fn written(terms: impl IntoIterator<Item = (Expression, Rational)>, constant: &Rational) -> Expression {
    let multiple = |(part, coefficient): (Expression, Rational)| match coefficient.is_one() {
        true => part,
        false => Expression::Product(vec![number(&coefficient), part]),
    };
    let mut terms: Vec<Expression> = terms.into_iter().map(multiple).collect();
    if !constant.is_zero() || terms.is_empty() {
        terms.push(number(constant));
    }
    if terms.len() == 1 { terms.remove(0) } else { Expression::Sum(terms) }
}

/// The greatest common divisor.
pub fn greatest_common(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A coefficient as an expression.
fn number(coefficient: &Rational) -> Expression {
    Expression::Constant(coefficient.numerator())
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
        Linear::variable(now(name))
    }

    #[test]
    fn comparisons_are_written_without_negative_coefficients() {
        let (x, y) = (variable("x"), variable("y"));
        let text = |condition: Condition| condition.formula().to_string();
        assert_eq!(text(Condition::below(&x, &y)), "x < y");
        assert_eq!(text(Condition::at_most(&Linear::constant(3), &x)), "x >= 3");
        assert_eq!(text(Condition::at_most(&x.scaled(&Rational::from(2)), &Linear::constant(7))), "x <= 3");
        assert_eq!(
            text(Condition::equal(&x.plus_scaled(&Rational::from(2), &y), &Linear::constant(5))),
            "x + 2 * y == 5"
        );
        assert_eq!(text(Condition::at_most(&x, &y).negated()), "y < x");
        assert_eq!(text(Condition::equal(&x.scaled(&Rational::from(2)), &Linear::constant(5))), "false");
    }

    #[test]
    fn formulas_are_taken_apart() {
        for text in ["x < y", "x >= 3", "x + 2 * y == 5", "x <= 3 || y != 0", "x * y == 2 * x"] {
            let formula: Formula = text.parse().unwrap();
            assert_eq!(Condition::parse(&formula).unwrap().formula().to_string(), text);
        }
    }

    #[test]
    fn sums_are_divided_if_nothing_remains() {
        let sum = &(&variable("i") + &variable("j")).shifted(4);
        let four = Integer::from(4);
        assert_eq!(sum.scaled(&Rational::from(4)).over(&four).as_ref(), Some(sum));
        assert_eq!(sum.over(&four), None);
        assert_eq!(sum.substituted(now("j"), &variable("i")).expression().to_string(), "2 * i + 4");
    }

    #[test]
    fn products_are_multiplied_out() {
        let (x, y) = (variable("x"), variable("y"));
        let product = x.shifted(1).product(&y).unwrap();
        assert_eq!(product.expression().to_string(), "y + x * y");
        assert_eq!(x.product(&x).unwrap().product(&x).unwrap().expression().to_string(), "x * x * x");
    }
}
