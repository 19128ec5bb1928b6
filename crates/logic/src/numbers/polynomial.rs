//! Polynomials in several variables with rational coefficients, in normal form.
//!
//! Two polynomials are equal as functions of the integers if and only if they are equal as data, which decides
//! polynomial identities.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::linear::write_term;
use super::rational::Rational;
use crate::Integer;
use crate::node::Binary;
use crate::terms::{Term, Terms};

/// A product of powers of variables, in the order of the variables. No exponent is zero; one is the empty product.
///
/// The order is by degree first, so that the last monomial of a polynomial has its degree.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Monomial<K>(Vec<(K, u32)>);

/// A sum of monomials with coefficients, none of which is zero.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Polynomial<K>(BTreeMap<Monomial<K>, Rational>);

impl<K: Ord + Copy> Monomial<K> {
    /// The empty product.
    pub const fn one() -> Self {
        Self(Vec::new())
    }

    /// The variables in order, with their exponents.
    pub fn powers(&self) -> &[(K, u32)] {
        &self.0
    }

    /// The sum of the exponents.
    pub fn degree(&self) -> u32 {
        self.0.iter().map(|(_, exponent)| exponent).sum()
    }

    /// The exponent of a variable, perhaps zero.
    pub fn exponent(&self, variable: K) -> u32 {
        self.0.iter().find(|(other, _)| *other == variable).map_or(0, |(_, exponent)| *exponent)
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Self {
        let mut powers = self.0.clone();
        for (variable, exponent) in &other.0 {
            match powers.binary_search_by_key(variable, |(known, _)| *known) {
                Ok(at) => powers[at].1 += exponent,
                Err(at) => powers.insert(at, (*variable, *exponent)),
            }
        }
        Self(powers)
    }

    fn without(&self, variable: K) -> Self {
        Self(self.0.iter().filter(|(other, _)| *other != variable).copied().collect())
    }
}

impl<K: Ord + Copy> Polynomial<K> {
    /// Zero.
    pub const fn zero() -> Self {
        Self(BTreeMap::new())
    }

    /// A constant.
    pub fn constant(constant: impl Into<Rational>) -> Self {
        let mut sum = Self::zero();
        sum.add_monomial(Monomial::one(), &constant.into());
        sum
    }

    /// A variable.
    pub fn variable(variable: K) -> Self {
        Self(BTreeMap::from([(Monomial(vec![(variable, 1)]), Rational::ONE)]))
    }

    /// The monomials in order, with their coefficients.
    pub fn monomials(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&Monomial<K>, &Rational)> + ExactSizeIterator {
        self.0.iter()
    }

    /// The coefficient of a monomial, perhaps zero.
    pub fn coefficient(&self, monomial: &Monomial<K>) -> &Rational {
        self.0.get(monomial).unwrap_or(&Rational::ZERO)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if no variable is in it.
    pub fn as_constant(&self) -> Option<&Rational> {
        match self.0.len() {
            0 => Some(&Rational::ZERO),
            1 => self.0.get(&Monomial::one()),
            _ => None,
        }
    }

    /// The greatest degree of a monomial; zero for constants.
    pub fn degree(&self) -> u32 {
        self.0.last_key_value().map_or(0, |(monomial, _)| monomial.degree())
    }

    /// The greatest exponent of a variable.
    pub fn degree_in(&self, variable: K) -> u32 {
        self.0.keys().map(|monomial| monomial.exponent(variable)).max().unwrap_or(0)
    }

    /// The variables, in order.
    pub fn variables(&self) -> Vec<K> {
        let mut variables: Vec<K> =
            self.0.keys().flat_map(|monomial| monomial.0.iter().map(|(variable, _)| *variable)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The least positive number by which to multiply it so that all coefficients become integers.
    pub fn denominator(&self) -> Integer {
        self.0.values().fold(Integer::ONE, |multiple, coefficient| {
            let rest = Rational::new(coefficient.denominator(), multiple.clone());
            multiple * rest.numerator()
        })
    }

    /// The polynomial times a number. Dividing is multiplying by the reciprocal.
    pub fn scaled(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        Self(self.0.iter().map(|(monomial, coefficient)| (monomial.clone(), coefficient * factor)).collect())
    }

    /// This polynomial plus another one times a number.
    pub fn plus_scaled(&self, factor: &Rational, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add_scaled(factor, other);
        sum
    }

    /// The polynomial multiplied by itself so many times.
    pub fn power(&self, exponent: u32) -> Self {
        let mut result = Self::constant(1);
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            result = &result * &result;
            if exponent >> bit & 1 == 1 {
                result = &result * self;
            }
        }
        result
    }

    /// The polynomial with another one in the place of a variable.
    pub fn substituted(&self, variable: K, by: &Self) -> Self {
        // By the rule of Horner, over the coefficients of the powers of the variable.
        let mut result = Self::zero();
        for coefficient in self.coefficients_in(variable).into_iter().rev() {
            result = &(&result * by) + &coefficient;
        }
        result
    }

    /// The polynomial with others in the places of variables, all at once.
    pub fn mapped<L: Ord + Copy>(&self, mut by: impl FnMut(K) -> Polynomial<L>) -> Polynomial<L> {
        let mut known: BTreeMap<K, Polynomial<L>> = BTreeMap::new();
        let mut result = Polynomial::zero();
        for (monomial, coefficient) in &self.0 {
            let mut product = Polynomial::constant(coefficient.clone());
            for (variable, exponent) in &monomial.0 {
                let factor = known.entry(*variable).or_insert_with(|| by(*variable));
                product = &product * &factor.power(*exponent);
            }
            result.add_scaled(&Rational::ONE, &product);
        }
        result
    }

    /// The value for values of the variables.
    pub fn evaluate(&self, mut value: impl FnMut(K) -> Rational) -> Rational {
        let mut sum = Rational::ZERO;
        for (monomial, coefficient) in &self.0 {
            let mut product = coefficient.clone();
            for (variable, exponent) in &monomial.0 {
                let value = value(*variable);
                (0..*exponent).for_each(|_| product *= &value);
            }
            sum += product;
        }
        sum
    }

    /// The polynomials that the powers of a variable are multiplied by, from exponent zero up.
    pub fn coefficients_in(&self, variable: K) -> Vec<Self> {
        let mut coefficients = vec![Self::zero(); self.degree_in(variable) as usize + 1];
        for (monomial, coefficient) in &self.0 {
            let exponent = monomial.exponent(variable) as usize;
            coefficients[exponent].add_monomial(monomial.without(variable), coefficient);
        }
        coefficients
    }

    /// By how much it grows if a variable grows by one: `p(k + 1) - p(k)`.
    pub fn difference(&self, variable: K) -> Self {
        let next = &Self::variable(variable) + &Self::constant(1);
        &self.substituted(variable, &next) - self
    }

    fn add_scaled(&mut self, factor: &Rational, other: &Self) {
        for (monomial, coefficient) in &other.0 {
            self.add_monomial(monomial.clone(), &(coefficient * factor));
        }
    }

    fn add_monomial(&mut self, monomial: Monomial<K>, coefficient: &Rational) {
        use std::collections::btree_map::Entry;
        match self.0.entry(monomial) {
            Entry::Vacant(entry) if !coefficient.is_zero() => {
                entry.insert(coefficient.clone());
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += coefficient;
                if entry.get().is_zero() {
                    entry.remove();
                }
            }
        }
    }
}

impl Polynomial<Term> {
    /// The polynomial as a term, times the least positive number that makes all coefficients integers; and that number.
    pub fn to_term(&self, terms: &mut Terms) -> (Term, Integer) {
        let multiple = self.denominator();
        let scale = Rational::from(&multiple);
        let mut sum: Option<Term> = None;
        for (monomial, coefficient) in self.0.iter().rev() {
            let factor = (coefficient * &scale).numerator();
            let mut product =
                (factor != Integer::ONE || monomial.0.is_empty()).then(|| terms.integer(factor));
            for (variable, exponent) in &monomial.0 {
                for _ in 0..*exponent {
                    product = Some(match product {
                        None => *variable,
                        Some(product) => terms.binary(Binary::Multiply, product, *variable),
                    });
                }
            }
            sum = match (sum, product) {
                (Some(sum), Some(product)) => Some(terms.binary(Binary::Add, sum, product)),
                (sum, product) => sum.or(product),
            };
        }
        (sum.unwrap_or_else(|| terms.integer(0)), multiple)
    }
}

impl<K: Ord + Copy> Add for &Polynomial<K> {
    type Output = Polynomial<K>;
    fn add(self, other: Self) -> Polynomial<K> {
        self.plus_scaled(&Rational::ONE, other)
    }
}

impl<K: Ord + Copy> Sub for &Polynomial<K> {
    type Output = Polynomial<K>;
    fn sub(self, other: Self) -> Polynomial<K> {
        self.plus_scaled(&Rational::MINUS_ONE, other)
    }
}

impl<K: Ord + Copy> Neg for &Polynomial<K> {
    type Output = Polynomial<K>;
    fn neg(self) -> Polynomial<K> {
        self.scaled(&Rational::MINUS_ONE)
    }
}

impl<K: Ord + Copy> Mul for &Polynomial<K> {
    type Output = Polynomial<K>;
    fn mul(self, other: Self) -> Polynomial<K> {
        let mut product = Polynomial::zero();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                product.add_monomial(left.times(right), &(a * b));
            }
        }
        product
    }
}

impl<K: Ord + Copy> PartialOrd for Monomial<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord + Copy> Ord for Monomial<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.degree().cmp(&other.degree()).then_with(|| self.0.cmp(&other.0))
    }
}

impl<K: fmt::Display> fmt::Display for Monomial<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (variable, exponent)) in self.0.iter().enumerate() {
            let times = if at == 0 { "" } else { "*" };
            match exponent {
                1 => write!(f, "{times}{variable}")?,
                _ => write!(f, "{times}{variable}^{exponent}")?,
            }
        }
        Ok(())
    }
}

/// The highest degree comes first: `k^2 + 3*k - 1/2`.
impl<K: fmt::Display + Ord + Copy> fmt::Display for Polynomial<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (monomial, coefficient)) in self.0.iter().rev().enumerate() {
            let name: Option<&dyn fmt::Display> = if monomial.0.is_empty() { None } else { Some(monomial) };
            write_term(f, at == 0, coefficient, name)?;
        }
        if self.0.is_empty() { f.write_str("0") } else { Ok(()) }
    }
}

impl<K: fmt::Display> fmt::Debug for Monomial<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: fmt::Display + Ord + Copy> fmt::Debug for Polynomial<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::{Model, Sort};

    type P = Polynomial<char>;

    fn random(numbers: &mut Random) -> P {
        let mut sum = P::zero();
        for _ in 0..numbers.below(5) {
            let mut product = P::constant(Rational::new(numbers.within(5), 1 + numbers.below(3)));
            for _ in 0..numbers.below(4) {
                product = &product * &P::variable(['x', 'y', 'z'][numbers.below(3) as usize]);
            }
            sum = &sum + &product;
        }
        sum
    }

    fn value(variable: char) -> Rational {
        Rational::new(i64::from(variable as u32) - 119, 2)
    }

    #[test]
    fn polynomials_form_a_ring() {
        let mut numbers = Random::new(17);
        for _ in 0..300 {
            let (p, q, r) = (random(&mut numbers), random(&mut numbers), random(&mut numbers));
            assert_eq!(&p * &(&q + &r), &(&p * &q) + &(&p * &r));
            assert_eq!(&(&p * &q) * &r, &p * &(&q * &r));
            assert_eq!(&p * &q, &q * &p);
            assert!((&p - &p).is_zero());
            assert_eq!((&p * &q).evaluate(value), p.evaluate(value) * q.evaluate(value));
            assert_eq!(p.power(3), &(&p * &p) * &p);
        }
    }

    #[test]
    fn substitution_and_evaluation_commute() {
        let mut numbers = Random::new(23);
        for _ in 0..300 {
            let (p, q) = (random(&mut numbers), random(&mut numbers));
            let inner = q.evaluate(value);
            let expected =
                p.evaluate(|variable| if variable == 'x' { inner.clone() } else { value(variable) });
            assert_eq!(p.substituted('x', &q).evaluate(value), expected);
            let mapped = p.mapped(|variable| if variable == 'x' { q.clone() } else { P::variable(variable) });
            assert_eq!(mapped, p.substituted('x', &q));
            let step = p.evaluate(|v| if v == 'y' { value(v) + Rational::ONE } else { value(v) });
            assert_eq!(p.difference('y').evaluate(value), step - p.evaluate(value));
        }
    }

    #[test]
    fn the_sum_of_squares_has_its_closed_form() {
        let k = P::variable('k');
        let one = P::constant(1);
        let closed =
            &(&(&k * &(&k + &one)) * &(&k.scaled(&2.into()) + &one)) * &P::constant(Rational::new(1, 6));
        assert_eq!(closed.to_string(), "1/3*k^3 + 1/2*k^2 + 1/6*k");
        assert_eq!(closed.difference('k'), (&k + &one).power(2));
        assert_eq!((closed.degree(), closed.degree_in('x'), closed.variables()), (3, 0, vec!['k']));
    }

    #[test]
    fn halves_become_integers() {
        let mut terms = Terms::new();
        let x = terms.fresh("x", Sort::Integer);
        let half = Polynomial::variable(x).scaled(&Rational::new(1, 2));
        let third = &half + &Polynomial::constant(Rational::new(1, 3));
        let (term, scale) = third.to_term(&mut terms);
        assert_eq!(scale, Integer::from(6));
        let mut model = Model::new();
        if let Some(symbol) = terms.as_symbol(x) {
            model.set(symbol, crate::Value::Integer(5.into()));
        }
        let value = crate::evaluate::evaluate(&terms, &model, term);
        assert_eq!(value, crate::Value::Integer(17.into()));
    }
}
