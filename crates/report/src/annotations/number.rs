//! Numbers of annotations: expressions over ℤ with what is known of their values, and what C makes of them.
//!
//! ACSL computes over ℤ, as evidence does. CBMC computes as C does: where a number may not fit its type, unsigned arithmetic
//! and conversions become remainders. Signed overflow has no meaning in C, so it is read over ℤ.

use evidence::expression::constant;
use evidence::{Comparison, Expression, Formula, Integer};
use program::IntegerType;

/// A sum of numbers with factors, and a constant: each number once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Linear {
    terms: Vec<(Integer, Expression)>,
    constant: Integer,
}

/// The values that a number may have; a limit may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Range {
    pub least: Option<Integer>,
    pub greatest: Option<Integer>,
}

/// A number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub linear: Linear,
    pub range: Range,
    /// Its type in C; none if it is a number of ℤ.
    pub ty: Option<IntegerType>,
}

/// The type that small numbers of C have.
pub(crate) const INT: IntegerType = IntegerType { width: 32, signed: true };

impl Linear {
    /// One number.
    pub fn of(expression: Expression) -> Self {
        match expression {
            Expression::Constant(constant) => Self { terms: Vec::new(), constant },
            Expression::Sum(parts) => {
                parts.into_iter().fold(Self::default(), |sum, part| sum.plus(&Self::of(part)))
            }
            Expression::Product(mut parts)
                if parts.len() == 2 && matches!(parts[0], Expression::Constant(_)) =>
            {
                let second = parts.pop().unwrap_or_else(|| constant(1));
                match parts.pop() {
                    Some(Expression::Constant(factor)) => Self::of(second).times(&factor),
                    _ => Self::of(second),
                }
            }
            other => Self { terms: vec![(Integer::ONE, other)], constant: Integer::ZERO },
        }
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<&Integer> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The number, if it is known and not very large.
    pub fn small(&self) -> Option<u64> {
        u64::try_from(self.known()?).ok().filter(|number| *number < 1 << 40)
    }

    /// The sum with another one.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant += &other.constant;
        for (factor, expression) in &other.terms {
            match sum.terms.iter_mut().find(|(_, known)| known == expression) {
                Some((known, _)) => *known += factor,
                None => sum.terms.push((factor.clone(), expression.clone())),
            }
        }
        sum.terms.retain(|(factor, _)| *factor != Integer::ZERO);
        sum
    }

    /// The product with a known number.
    pub fn times(&self, factor: &Integer) -> Self {
        if *factor == Integer::ZERO {
            return Self::default();
        }
        let terms = self.terms.iter().map(|(own, expression)| (own * factor, expression.clone()));
        Self { terms: terms.collect(), constant: &self.constant * factor }
    }

    /// The number less another one.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(&Integer::from(-1)))
    }

    /// The quotient by a number that divides all factors. Nothing if it does not.
    pub fn divided(&self, divisor: u64) -> Option<Self> {
        let divisor = Integer::from(divisor);
        let divide = |number: &Integer| (number % &divisor == Integer::ZERO).then(|| number / &divisor);
        let terms = self.terms.iter().map(|(factor, expression)| Some((divide(factor)?, expression.clone())));
        Some(Self { terms: terms.collect::<Option<_>>()?, constant: divide(&self.constant)? })
    }

    /// The number as evidence has it.
    pub fn expression(&self) -> Expression {
        let term = |(factor, expression): &(Integer, Expression)| match *factor == Integer::ONE {
            true => expression.clone(),
            false => Expression::Product(vec![Expression::Constant(factor.clone()), expression.clone()]),
        };
        let mut parts: Vec<Expression> = self.terms.iter().map(term).collect();
        if self.constant != Integer::ZERO || parts.is_empty() {
            parts.push(Expression::Constant(self.constant.clone()));
        }
        if parts.len() == 1 { parts.remove(0) } else { Expression::Sum(parts) }
    }
}

impl Range {
    /// One number.
    pub fn only(number: &Integer) -> Self {
        Self { least: Some(number.clone()), greatest: Some(number.clone()) }
    }

    /// The numbers of a type.
    pub fn of(ty: IntegerType) -> Self {
        let power = |bits: u8| Integer::ONE << usize::from(bits);
        let (least, beyond) = match ty.signed {
            true => (-power(ty.width - 1), power(ty.width - 1)),
            false => (Integer::ZERO, power(ty.width)),
        };
        Self { least: Some(least), greatest: Some(beyond - Integer::ONE) }
    }

    /// Whether all numbers are in another range.
    pub fn within(&self, other: &Self) -> bool {
        let above = match (&self.least, &other.least) {
            (_, None) => true,
            (Some(own), Some(other)) => own >= other,
            (None, Some(_)) => false,
        };
        let below = match (&self.greatest, &other.greatest) {
            (_, None) => true,
            (Some(own), Some(other)) => own <= other,
            (None, Some(_)) => false,
        };
        above && below
    }

    /// The numbers that are in both.
    pub fn meet(&self, other: &Self) -> Self {
        let pick = |one: &Option<Integer>, other: &Option<Integer>, less: bool| match (one, other) {
            (Some(one), Some(other)) => Some(if (one < other) == less { one } else { other }.clone()),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Self {
            least: pick(&self.least, &other.least, false),
            greatest: pick(&self.greatest, &other.greatest, true),
        }
    }

    /// The numbers that are in one of two.
    pub fn join(&self, other: &Self) -> Self {
        let pick = |one: &Option<Integer>, other: &Option<Integer>, less: bool| {
            let (one, other) = (one.as_ref()?, other.as_ref()?);
            Some(if (one < other) == less { one } else { other }.clone())
        };
        Self {
            least: pick(&self.least, &other.least, true),
            greatest: pick(&self.greatest, &other.greatest, false),
        }
    }

    /// Whether no number is negative.
    pub fn is_natural(&self) -> bool {
        self.least.as_ref().is_some_and(|least| *least >= Integer::ZERO)
    }

    /// The sums of numbers of both.
    pub fn plus(&self, other: &Self) -> Self {
        let add = |one: &Option<Integer>, other: &Option<Integer>| Some(one.as_ref()? + other.as_ref()?);
        Self { least: add(&self.least, &other.least), greatest: add(&self.greatest, &other.greatest) }
    }

    fn negated(&self) -> Self {
        let negate = |one: &Option<Integer>| one.as_ref().map(|number| -number);
        Self { least: negate(&self.greatest), greatest: negate(&self.least) }
    }

    /// The products of numbers of both.
    pub fn times(&self, other: &Self) -> Self {
        let (Some(a), Some(b), Some(c), Some(d)) =
            (&self.least, &self.greatest, &other.least, &other.greatest)
        else {
            let natural = self.is_natural() && other.is_natural();
            return Self { least: natural.then_some(Integer::ZERO), greatest: None };
        };
        let corners = [a * c, a * d, b * c, b * d];
        Self { least: corners.iter().min().cloned(), greatest: corners.iter().max().cloned() }
    }
}

impl Number {
    /// A known number of ℤ.
    pub fn known(number: Integer) -> Self {
        let range = Range::only(&number);
        Self { linear: Linear { terms: Vec::new(), constant: number }, range, ty: None }
    }

    /// A number with these values.
    pub fn new(expression: Expression, range: Range, ty: Option<IntegerType>) -> Self {
        Self { linear: Linear::of(expression), range, ty }
    }

    /// The number as evidence has it.
    pub fn expression(&self) -> Expression {
        self.linear.expression()
    }

    /// The sum of two numbers of ℤ.
    pub fn plus(&self, other: &Self) -> Self {
        Self { linear: self.linear.plus(&other.linear), range: self.range.plus(&other.range), ty: None }
    }

    /// The number with the other sign, over ℤ.
    pub fn negated(&self) -> Self {
        Self { linear: self.linear.times(&Integer::from(-1)), range: self.range.negated(), ty: None }
    }

    /// The product of two numbers of ℤ.
    pub fn times(&self, other: &Self) -> Self {
        let range = self.range.times(&other.range);
        let linear = match (self.linear.known(), other.linear.known()) {
            (Some(factor), _) => other.linear.times(factor),
            (_, Some(factor)) => self.linear.times(factor),
            // Nested products are one.
            _ => {
                let parts = [self.expression(), other.expression()].into_iter().flat_map(|part| match part {
                    Expression::Product(parts) => parts,
                    other => vec![other],
                });
                Linear::of(Expression::Product(parts.collect()))
            }
        };
        Self { linear, range, ty: None }
    }

    /// The quotient by a known positive number, rounded towards zero.
    pub fn quotient(&self, divisor: &Integer) -> Self {
        if let Some(number) = self.linear.known() {
            return Self::known(number / divisor);
        }
        let whole = self.expression();
        let (expression, least) = match self.range.is_natural() {
            true => (whole.quotient(divisor.clone()), Some(Integer::ZERO)),
            false => {
                let negative = Linear::of(self.negated().expression().quotient(divisor.clone()));
                let negative = negative.times(&Integer::from(-1)).expression();
                let is_natural = whole.clone().at_least(0);
                (Expression::select(is_natural, whole.quotient(divisor.clone()), negative), None)
            }
        };
        let least = least.or_else(|| self.range.least.clone().map(|least| least / divisor));
        let greatest = self.range.greatest.clone().map(|greatest| greatest / divisor);
        Self::new(expression, Range { least, greatest }, None)
    }

    /// The remainder by a known positive number, with the sign of the dividend.
    pub fn remainder(&self, divisor: &Integer) -> Self {
        if let Some(number) = self.linear.known() {
            return Self::known(number % divisor);
        }
        let most = divisor - Integer::ONE;
        // `(x % d + d) % d` is how C writes the remainder that is not negative.
        if let [(factor, inner)] = &self.linear.terms[..]
            && *factor == Integer::ONE
            && self.linear.constant == *divisor
            && let Some(dividend) = dividend(inner, divisor)
        {
            let range = Range { least: Some(Integer::ZERO), greatest: Some(most) };
            return Self::new(dividend.remainder(divisor.clone()), range, None);
        }
        if self.range.is_natural() {
            let range = Range { least: Some(Integer::ZERO), greatest: Some(most) };
            return Self::new(self.expression().remainder(divisor.clone()), range, None);
        }
        let range = Range { least: Some(-most.clone()), greatest: Some(most) };
        Self::new(signed_remainder(&self.linear, divisor), range, None)
    }

    /// The number as C converts it to a type.
    pub fn converted(&self, ty: IntegerType) -> Self {
        let limits = Range::of(ty);
        if self.ty == Some(ty) || self.range.within(&limits) {
            return Self { ty: Some(ty), ..self.clone() };
        }
        let divisor = Integer::ONE << usize::from(ty.width);
        let half = if ty.signed { Integer::ONE << usize::from(ty.width - 1) } else { Integer::ZERO };
        let shifted = self.linear.plus(&Linear::of(Expression::Constant(half.clone())));
        if let Some(number) = shifted.known() {
            let rest = ((number % &divisor) + &divisor) % &divisor;
            return Self { ty: Some(ty), ..Self::known(rest - half) };
        }
        let wrapped = Linear::of(shifted.expression().remainder(divisor));
        let linear = wrapped.minus(&Linear::of(Expression::Constant(half)));
        Self { linear, range: limits, ty: Some(ty) }
    }

    /// The number after C's integer promotions.
    pub fn promoted(&self) -> Self {
        let ty = self.ty.map(promoted);
        Self { ty, ..self.clone() }
    }

    /// Two numbers in the type that C computes in.
    pub fn common(&self, other: &Self) -> (Self, Self) {
        let (left, right) = (self.promoted(), other.promoted());
        let ty = match (left.ty, right.ty) {
            (Some(one), Some(other)) if one.width == other.width => {
                IntegerType { width: one.width, signed: one.signed && other.signed }
            }
            (Some(one), Some(other)) => {
                if one.width > other.width {
                    one
                } else {
                    other
                }
            }
            _ => return (left, right),
        };
        (left.converted(ty), right.converted(ty))
    }

    /// What C gives as a result of this type: unsigned numbers wrap.
    pub fn resulting(self, ty: Option<IntegerType>) -> Self {
        match ty {
            Some(ty) if !ty.signed => self.converted(ty),
            ty => Self { ty, ..self },
        }
    }

    /// Whether it is not zero.
    pub fn truth(&self) -> Formula {
        match self.linear.known() {
            Some(number) if *number == Integer::ZERO => Formula::False,
            Some(_) => Formula::True,
            None => self.expression().compare(Comparison::Differ, 0),
        }
    }
}

/// What C computes with instead of a narrow type.
fn promoted(ty: IntegerType) -> IntegerType {
    if ty.width < INT.width { INT } else { ty }
}

fn signed_remainder(dividend: &Linear, divisor: &Integer) -> Expression {
    let whole = dividend.expression();
    let negative = dividend.times(&Integer::from(-1)).expression().remainder(divisor.clone());
    let negative = Linear::of(negative).times(&Integer::from(-1)).expression();
    Expression::select(whole.clone().at_least(0), whole.remainder(divisor.clone()), negative)
}

/// What is divided in a remainder with the sign of the dividend.
fn dividend(expression: &Expression, divisor: &Integer) -> Option<Expression> {
    let Expression::Select { then, .. } = expression else { return None };
    let Expression::Remainder { dividend, divisor: own } = &**then else { return None };
    let same = own == divisor && *expression == signed_remainder(&Linear::of((**dividend).clone()), divisor);
    same.then(|| (**dividend).clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::expression::now;

    fn number(name: &str, ty: IntegerType) -> Number {
        Number::new(now(name), Range::of(ty), Some(ty))
    }

    const BYTE: IntegerType = IntegerType { width: 8, signed: false };
    const SIZE: IntegerType = IntegerType { width: 64, signed: false };

    #[test]
    fn sums_have_one_form() {
        let (n, one) = (number("n", INT), Number::known(Integer::ONE));
        let sum = n.plus(&one).plus(&n).plus(&one.negated());
        assert_eq!(sum.expression().to_string(), "2 * n");
        assert_eq!(n.plus(&n.negated()).expression().to_string(), "0");
        assert_eq!(sum.linear.divided(2).unwrap().expression(), now("n"));
        assert_eq!(sum.linear.divided(3), None);
    }

    #[test]
    fn conversions_change_only_what_does_not_fit() {
        assert_eq!(number("c", BYTE).converted(INT).expression(), now("c"));
        assert_eq!(number("n", INT).converted(BYTE).expression().to_string(), "n % 256");
        let signed = IntegerType { width: 8, signed: true };
        assert_eq!(number("n", INT).converted(signed).expression().to_string(), "(n + 128) % 256 - 128");
        let minus = Number::known(Integer::from(-1)).converted(BYTE);
        assert_eq!(minus.expression().to_string(), "255");
    }

    #[test]
    fn c_compares_in_a_common_type() {
        let (i, n) = (number("i", INT), number("n", SIZE));
        let (i, n) = i.common(&n);
        assert_eq!(i.expression().to_string(), format!("i % {}", 1u128 << 64));
        assert_eq!(n.expression(), now("n"));
        let (c, two) = number("c", BYTE).common(&Number { ty: Some(INT), ..Number::known(Integer::from(2)) });
        assert_eq!((c.ty, two.ty, c.expression()), (Some(INT), Some(INT), now("c")));
    }

    #[test]
    fn division_rounds_towards_zero() {
        let three = Integer::from(3);
        assert_eq!(number("c", BYTE).quotient(&three).expression().to_string(), "c / 3");
        assert_eq!(
            number("n", INT).remainder(&three).expression().to_string(),
            "if(n >= 0, n % 3, -1 * ((-1 * n) % 3))"
        );
        let floor = number("n", INT).remainder(&three).plus(&Number::known(three.clone())).remainder(&three);
        assert_eq!(floor.expression().to_string(), "n % 3");
        assert_eq!(
            Number::known(Integer::from(-7)).remainder(&three).linear.known(),
            Some(&Integer::from(-1))
        );
    }
}
