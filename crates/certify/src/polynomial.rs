//! Polynomials with integer coefficients over a common denominator: just enough to check identities of closed forms.
//!
//! Two polynomials in normal form are equal as functions if they are equal as maps, and over ℤ also only then. A power of
//! a known number by the counter is an unknown of its own, which is multiplied when the counter grows: an identity that
//! holds for any such unknown holds for the power.

use std::collections::BTreeMap;

use evidence::{Expression, Integer, Moment, Quantity};

/// Monomials that a polynomial may have.
const LARGEST: usize = 2000;
/// Points at which divisibility is tried.
const MOST_POINTS: u64 = 20_000;
/// The greatest constant part of an exponent.
const GREATEST_SHIFT: usize = 1000;

/// What a polynomial is over.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Unknown {
    /// A part of a state, by its position.
    Part(usize),
    /// The number of passes.
    Counter,
    /// A number to the power of the number of passes.
    Power(Integer),
}

type Monomial = Vec<(Unknown, u32)>;

/// A polynomial divided by a positive number.
#[derive(Clone, Debug)]
pub(crate) struct Polynomial {
    coefficients: BTreeMap<Monomial, Integer>,
    denominator: Integer,
}

impl Polynomial {
    pub fn constant(number: Integer) -> Self {
        let mut coefficients = BTreeMap::new();
        if number != Integer::ZERO {
            coefficients.insert(Vec::new(), number);
        }
        Self { coefficients, denominator: Integer::ONE }
    }

    pub fn unknown(unknown: Unknown) -> Self {
        let coefficients = BTreeMap::from([(vec![(unknown, 1)], Integer::ONE)]);
        Self { coefficients, denominator: Integer::ONE }
    }

    /// The sum, unless it gets too large.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let mut coefficients = BTreeMap::new();
        for (part, factor) in [(self, &other.denominator), (other, &self.denominator)] {
            for (monomial, coefficient) in &part.coefficients {
                accumulate(&mut coefficients, monomial.clone(), coefficient * factor);
            }
        }
        Self::checked(coefficients, &self.denominator * &other.denominator)
    }

    /// The product, unless it gets too large.
    pub fn multiply(&self, other: &Self) -> Option<Self> {
        if self.coefficients.len() * other.coefficients.len() > LARGEST * 10 {
            return None;
        }
        let mut coefficients = BTreeMap::new();
        for (left, a) in &self.coefficients {
            for (right, b) in &other.coefficients {
                accumulate(&mut coefficients, join(left, right), a * b);
            }
        }
        Self::checked(coefficients, &self.denominator * &other.denominator)
    }

    pub fn scale(&self, factor: &Integer) -> Option<Self> {
        self.multiply(&Self::constant(factor.clone()))
    }

    fn checked(coefficients: BTreeMap<Monomial, Integer>, denominator: Integer) -> Option<Self> {
        (coefficients.len() <= LARGEST).then_some(Self { coefficients, denominator })
    }

    /// Whether they are the same function.
    pub fn equals(&self, other: &Self) -> bool {
        let Some(negative) = other.scale(&Integer::NEG_ONE) else { return false };
        self.add(&negative).is_some_and(|difference| difference.coefficients.is_empty())
    }

    /// The polynomial with each unknown exchanged, or nothing if one has no exchange or it gets too large.
    pub fn substitute(&self, exchange: impl Fn(&Unknown) -> Option<Polynomial>) -> Option<Self> {
        let mut sum = Self::constant(Integer::ZERO);
        for (monomial, coefficient) in &self.coefficients {
            let mut product = Self::constant(coefficient.clone());
            for (unknown, power) in monomial {
                let value = exchange(unknown)?;
                for _ in 0..*power {
                    product = product.multiply(&value)?;
                }
            }
            sum = sum.add(&product)?;
        }
        sum.denominator *= &self.denominator;
        Some(sum)
    }

    /// The same with coefficients that are the least in magnitude modulo a power of two. Only for denominator one.
    pub fn modulo_bits(&self, width: u32) -> Self {
        let modulus = Integer::ONE << width as usize;
        let half = Integer::ONE << (width as usize - 1);
        let mut coefficients = BTreeMap::new();
        for (monomial, coefficient) in &self.coefficients {
            let low = Integer::from(dashu_int::ops::RemEuclid::rem_euclid(coefficient, &modulus));
            let low = if low >= half { low - &modulus } else { low };
            accumulate(&mut coefficients, monomial.clone(), low);
        }
        Self { coefficients, denominator: self.denominator.clone() }
    }

    /// After one pass more.
    pub fn advanced(&self) -> Option<Self> {
        self.substitute(|unknown| match unknown {
            Unknown::Counter => Self::unknown(Unknown::Counter).add(&Self::constant(Integer::ONE)),
            Unknown::Power(base) => Self::unknown(unknown.clone()).scale(base),
            Unknown::Part(_) => Some(Self::unknown(unknown.clone())),
        })
    }

    /// Before the first pass.
    pub fn at_zero(&self) -> Option<Self> {
        self.substitute(|unknown| match unknown {
            Unknown::Counter => Some(Self::constant(Integer::ZERO)),
            Unknown::Power(_) => Some(Self::constant(Integer::ONE)),
            Unknown::Part(_) => Some(Self::unknown(unknown.clone())),
        })
    }

    /// The part and the factor if this is a part plus the counter times a factor that is not zero.
    pub fn as_steps(&self, part: usize) -> Option<Integer> {
        let counter = vec![(Unknown::Counter, 1)];
        let factor = self.coefficients.get(&counter)?.clone();
        let line =
            Self::unknown(Unknown::Counter).scale(&factor)?.add(&Self::unknown(Unknown::Part(part)))?;
        (self.denominator == Integer::ONE && self.equals(&line)).then_some(factor)
    }

    /// As an expression over the parts of the state now. Nothing for counters and fractions.
    pub fn expression(&self, name: impl Fn(usize) -> Quantity) -> Option<Expression> {
        if self.denominator != Integer::ONE {
            return None;
        }
        let mut sum = Vec::new();
        for (monomial, coefficient) in &self.coefficients {
            let mut product = vec![Expression::Constant(coefficient.clone())];
            for (unknown, power) in monomial {
                let Unknown::Part(part) = unknown else { return None };
                product.extend((0..*power).map(|_| name(*part).at(Moment::Now)));
            }
            sum.push(Expression::Product(product));
        }
        Some(Expression::Sum(sum))
    }

    /// The quotient if it is an integer at all integers, so that rounding does nothing.
    ///
    /// A polynomial of degree d in an unknown is determined by its values at 0, …, d, and is a combination of binomial
    /// coefficients with integer factors if those values are integers: so a grid of these points decides.
    fn divide_exactly(mut self, divisor: &Integer) -> Option<Self> {
        self.denominator *= divisor;
        let mut degrees: BTreeMap<&Unknown, u32> = BTreeMap::new();
        for (unknown, power) in self.coefficients.keys().flatten() {
            let degree = degrees.entry(unknown).or_default();
            *degree = (*degree).max(*power);
        }
        let points =
            degrees.values().try_fold(1u64, |points, degree| points.checked_mul(u64::from(*degree) + 1))?;
        if points > MOST_POINTS {
            return None;
        }
        let degrees: Vec<(&Unknown, u32)> = degrees.into_iter().collect();
        for point in 0..points {
            let mut rest = point;
            let mut at: BTreeMap<&Unknown, u64> = BTreeMap::new();
            for (unknown, degree) in &degrees {
                at.insert(unknown, rest % (u64::from(*degree) + 1));
                rest /= u64::from(*degree) + 1;
            }
            let value = |(unknown, power): &(Unknown, u32)| Integer::from(at[unknown]).pow(*power as usize);
            let monomial = |monomial: &Monomial| monomial.iter().map(value).fold(Integer::ONE, |a, b| a * b);
            let sum = self
                .coefficients
                .iter()
                .map(|(unknowns, coefficient)| coefficient * monomial(unknowns))
                .fold(Integer::ZERO, |a, b| a + b);
            if sum % &self.denominator != Integer::ZERO {
                return None;
            }
        }
        Some(self)
    }
}

fn accumulate(coefficients: &mut BTreeMap<Monomial, Integer>, monomial: Monomial, coefficient: Integer) {
    let sum = coefficients.remove(&monomial).unwrap_or_default() + coefficient;
    if sum != Integer::ZERO {
        coefficients.insert(monomial, sum);
    }
}

fn join(left: &Monomial, right: &Monomial) -> Monomial {
    let mut powers: BTreeMap<&Unknown, u32> = BTreeMap::new();
    for (unknown, power) in left.iter().chain(right) {
        *powers.entry(unknown).or_default() += power;
    }
    powers.into_iter().map(|(unknown, power)| (unknown.clone(), power)).collect()
}

/// A closed form over the state at its start as a polynomial, if it is one.
pub(crate) fn closed_form(
    expression: &Expression,
    position: &impl Fn(&Quantity) -> Option<usize>,
    depth: u32,
) -> Option<Polynomial> {
    let part = |expression: &Expression| closed_form(expression, position, depth.checked_sub(1)?);
    match expression {
        Expression::Constant(number) => Some(Polynomial::constant(number.clone())),
        Expression::Quantity { quantity, moment: Moment::Entry } => {
            Some(Polynomial::unknown(Unknown::Part(position(quantity)?)))
        }
        Expression::Counter => Some(Polynomial::unknown(Unknown::Counter)),
        Expression::Sum(parts) => {
            parts.iter().try_fold(Polynomial::constant(Integer::ZERO), |sum, next| sum.add(&part(next)?))
        }
        Expression::Product(parts) => parts
            .iter()
            .try_fold(Polynomial::constant(Integer::ONE), |product, next| product.multiply(&part(next)?)),
        Expression::Quotient { dividend, divisor } if *divisor > Integer::ZERO => {
            part(dividend)?.divide_exactly(divisor)
        }
        Expression::Power { base, exponent } => power(base, &part(exponent)?),
        _ => None,
    }
}

/// A power by the counter plus a constant that is not negative.
fn power(base: &Integer, exponent: &Polynomial) -> Option<Polynomial> {
    let shift = exponent.coefficients.get(&Vec::new()).cloned().unwrap_or_default();
    let shift = usize::try_from(&shift).ok().filter(|shift| *shift <= GREATEST_SHIFT)?;
    let counted = Polynomial::unknown(Unknown::Counter).add(&Polynomial::constant(Integer::from(shift)))?;
    exponent.equals(&counted).then_some(())?;
    Polynomial::unknown(Unknown::Power(base.clone())).scale(&base.pow(shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Polynomial> {
        let position = |quantity: &Quantity| match quantity.variable.as_str() {
            "x" => Some(0),
            "y" => Some(1),
            _ => None,
        };
        closed_form(&text.parse().unwrap(), &position, 50)
    }

    #[test]
    fn identities_hold_in_normal_form() {
        let (left, right) = (
            read("(entry(x) + entry(y)) * (entry(x) - entry(y))").unwrap(),
            read("entry(x) * entry(x) - entry(y) * entry(y)").unwrap(),
        );
        assert!(left.equals(&right));
        assert!(!left.equals(&read("entry(x) * entry(x)").unwrap()));
        let triangle = read("#passes * (#passes + 1) / 2").unwrap();
        assert!(triangle.advanced().unwrap().equals(&read("(#passes + 1) * (#passes + 2) / 2").unwrap()));
        assert!(triangle.at_zero().unwrap().equals(&read("0").unwrap()));
        assert!(read("2 ** (#passes + 1)").unwrap().equals(&read("2 * 2 ** #passes").unwrap()));
        assert!(read("3 ** #passes").unwrap().advanced().unwrap().equals(&read("3 * 3 ** #passes").unwrap()));
    }

    #[test]
    fn rounding_is_not_ignored() {
        assert!(read("#passes / 2").is_none());
        assert!(read("#passes * (#passes + 1) / 4").is_none());
        assert!(read("#passes * (#passes + 1) * (2 * #passes + 1) / 6").is_some());
        assert!(read("(3 ** #passes - 1) / 2").is_none());
        assert!(read("entry(x) % 2").is_none());
        assert!(read("x").is_none());
        assert!(read("2 ** (2 * #passes)").is_none());
    }

    #[test]
    fn coefficients_of_the_machine_are_small() {
        let minus = Polynomial::constant(Integer::from(255)).modulo_bits(8);
        assert!(minus.equals(&Polynomial::constant(Integer::NEG_ONE)));
        assert_eq!(read("entry(x) - 3 * #passes").unwrap().as_steps(0), Some(Integer::from(-3)));
        assert_eq!(read("entry(x) + entry(y) * #passes").unwrap().as_steps(0), None);
        assert_eq!(read("2 * entry(x) + #passes").unwrap().as_steps(0), None);
    }
}
