//! Linear expressions and linear constraints over any kind of variable, in normal form.
//!
//! Two expressions are equal as functions if and only if they are equal as data.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::rational::Rational;
use crate::Integer;

/// A sum of variables with coefficients, and a constant.
///
/// The terms are sorted by variable, every variable comes once, and no coefficient is zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linear<K> {
    terms: Vec<(K, Rational)>,
    constant: Rational,
}

/// How an expression relates to zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// It is at most zero.
    AtMost,
    /// It is zero.
    Equal,
    /// It is less than zero.
    Less,
}

/// A linear constraint: an expression relates to zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint<K> {
    /// The expression.
    pub expression: Linear<K>,
    /// How it relates to zero.
    pub relation: Relation,
}

impl<K: Ord + Clone> Linear<K> {
    /// Zero.
    pub const fn zero() -> Self {
        Self { terms: Vec::new(), constant: Rational::ZERO }
    }

    /// A constant.
    pub fn constant(constant: impl Into<Rational>) -> Self {
        Self { terms: Vec::new(), constant: constant.into() }
    }

    /// A variable.
    pub fn variable(variable: K) -> Self {
        Self { terms: vec![(variable, Rational::ONE)], constant: Rational::ZERO }
    }

    /// A sum of terms, in any order and with repetitions, and a constant.
    pub fn new(terms: impl IntoIterator<Item = (K, Rational)>, constant: impl Into<Rational>) -> Self {
        let mut terms: Vec<(K, Rational)> = terms.into_iter().collect();
        terms.sort_by(|(left, _), (right, _)| left.cmp(right));
        terms.dedup_by(|(next, more), (variable, coefficient)| {
            let is_same = next == variable;
            if is_same {
                *coefficient += &*more;
            }
            is_same
        });
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        Self { terms, constant: constant.into() }
    }

    /// The variables in order, with their coefficients.
    pub fn terms(&self) -> &[(K, Rational)] {
        &self.terms
    }

    /// The constant part.
    pub const fn constant_part(&self) -> &Rational {
        &self.constant
    }

    /// The coefficient of a variable, perhaps zero.
    pub fn coefficient(&self, variable: K) -> &Rational {
        match self.terms.binary_search_by(|(other, _)| other.cmp(&variable)) {
            Ok(at) => &self.terms[at].1,
            Err(_) => &Rational::ZERO,
        }
    }

    /// The value, if no variable is in it.
    pub fn as_constant(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    /// The expression without its constant.
    pub fn without_constant(mut self) -> Self {
        self.constant = Rational::ZERO;
        self
    }

    /// The expression plus a number.
    pub fn shifted(&self, by: impl Into<Rational>) -> Self {
        Self { terms: self.terms.clone(), constant: &self.constant + &by.into() }
    }

    /// The expression times a number.
    pub fn scaled(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        let terms = self.terms.iter().map(|(variable, coefficient)| (variable.clone(), coefficient * factor));
        Self { terms: terms.collect(), constant: &self.constant * factor }
    }

    /// This expression plus another one times a number.
    pub fn plus_scaled(&self, factor: &Rational, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        while let (Some(((a, x), left_rest)), Some(((b, y), right_rest))) =
            (left.split_first(), right.split_first())
        {
            if a < b {
                terms.push((a.clone(), x.clone()));
                left = left_rest;
            } else if b < a {
                terms.push((b.clone(), y * factor));
                right = right_rest;
            } else {
                terms.push((a.clone(), x + y * factor));
                (left, right) = (left_rest, right_rest);
            }
        }
        terms.extend_from_slice(left);
        terms.extend(right.iter().map(|(variable, coefficient)| (variable.clone(), coefficient * factor)));
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        let mut constant = self.constant.clone();
        constant.add_product(factor, &other.constant);
        Self { terms, constant }
    }

    /// The expression with another one in the place of a variable.
    pub fn substituted(&self, variable: K, by: &Self) -> Self {
        match self.terms.binary_search_by(|(other, _)| other.cmp(&variable)) {
            Err(_) => self.clone(),
            Ok(at) => {
                let mut rest = self.clone();
                let (_, coefficient) = rest.terms.remove(at);
                rest.plus_scaled(&coefficient, by)
            }
        }
    }

    /// The value for values of the variables.
    pub fn evaluate(&self, mut value: impl FnMut(K) -> Rational) -> Rational {
        let mut sum = self.constant.clone();
        for (variable, coefficient) in &self.terms {
            sum.add_product(coefficient, &value(variable.clone()));
        }
        sum
    }

    /// The same expression over other variables. Two variables may become one.
    pub fn renamed<L: Ord + Clone>(&self, mut name: impl FnMut(K) -> L) -> Linear<L> {
        let terms =
            self.terms.iter().map(|(variable, coefficient)| (name(variable.clone()), coefficient.clone()));
        Linear::new(terms, self.constant.clone())
    }

    /// The expression with others in the places of all variables.
    pub fn mapped<L: Ord + Clone>(&self, mut by: impl FnMut(K) -> Linear<L>) -> Linear<L> {
        let constant = Linear::constant(self.constant.clone());
        let terms = self.terms.iter();
        terms.fold(constant, |sum, (variable, factor)| sum.plus_scaled(factor, &by(variable.clone())))
    }

    /// The positive number by which to multiply the coefficients, the constant left aside, so that they become
    /// integers without a common divisor. One if there are none.
    pub fn primitive_factor(&self) -> Rational {
        let Some((_, first)) = self.terms.first() else { return Rational::ONE };
        let mut divisor = first.compact_numerator().absolute();
        let mut multiple = first.compact_denominator();
        for (_, coefficient) in &self.terms[1..] {
            divisor = divisor.gcd(&coefficient.compact_numerator());
            let denominator = coefficient.compact_denominator();
            multiple = multiple.divided_exactly(&multiple.gcd(&denominator)).times(&denominator);
        }
        Rational::quotient(&multiple, &divisor)
    }

    /// The number by which to multiply the coefficients so that they become integers without a common divisor of which
    /// the first is positive.
    pub fn canonical_factor(&self) -> Rational {
        let is_negative = self.terms.first().is_some_and(|(_, first)| first.is_negative());
        if is_negative { -self.primitive_factor() } else { self.primitive_factor() }
    }
}

impl<K: Ord + Clone> Constraint<K> {
    /// The first expression is at most the second.
    pub fn at_most(left: &Linear<K>, right: &Linear<K>) -> Self {
        Self { expression: left - right, relation: Relation::AtMost }
    }

    /// The first expression is less than the second.
    pub fn less(left: &Linear<K>, right: &Linear<K>) -> Self {
        Self { expression: left - right, relation: Relation::Less }
    }

    /// Two expressions are equal.
    pub fn equal(left: &Linear<K>, right: &Linear<K>) -> Self {
        Self { expression: left - right, relation: Relation::Equal }
    }

    /// Whether it is true, if no variable is in it.
    pub fn known(&self) -> Option<bool> {
        self.expression.as_constant().map(|constant| self.relation.holds(constant))
    }

    /// Whether it is true for values of the variables.
    pub fn holds(&self, value: impl FnMut(K) -> Rational) -> bool {
        self.relation.holds(&self.expression.evaluate(value))
    }

    /// The constraint with an expression in the place of a variable.
    pub fn substituted(&self, variable: K, by: &Linear<K>) -> Self {
        Self { expression: self.expression.substituted(variable, by), relation: self.relation }
    }

    /// The constraint with other names for its variables.
    pub fn renamed<L: Ord + Clone>(&self, name: impl FnMut(K) -> L) -> Constraint<L> {
        Constraint { expression: self.expression.renamed(name), relation: self.relation }
    }

    /// The opposite of an inequality.
    pub fn negated(&self) -> Option<Self> {
        let relation = match self.relation {
            Relation::AtMost => Relation::Less,
            Relation::Less => Relation::AtMost,
            Relation::Equal => return None,
        };
        Some(Self { expression: -&self.expression, relation })
    }

    /// The strongest constraint that the same integers satisfy: integer coefficients without a common divisor, no
    /// strict relation, the constant rounded. If no integers do, it is `1 = 0` for an equation.
    pub fn tightened(&self) -> Self {
        if let Some(truth) = self.known() {
            let expression = Linear::constant(i64::from(!truth));
            return Self { expression, relation: Relation::Equal };
        }
        let scaled = self.expression.scaled(&self.expression.primitive_factor());
        let Linear { terms, constant } = scaled;
        let (constant, relation) = match self.relation {
            Relation::AtMost => (constant.ceil(), Relation::AtMost),
            Relation::Less => (constant.floor() + Integer::ONE, Relation::AtMost),
            Relation::Equal => match constant.to_integer() {
                Some(constant) => (constant, Relation::Equal),
                None => return Self { expression: Linear::constant(1), relation: Relation::Equal },
            },
        };
        Self { expression: Linear { terms, constant: constant.into() }, relation }
    }
}

impl Relation {
    /// Whether a number relates to zero in this way.
    pub fn holds(self, number: &Rational) -> bool {
        match self {
            Relation::AtMost => !number.is_positive(),
            Relation::Less => number.is_negative(),
            Relation::Equal => number.is_zero(),
        }
    }
}

impl<K: Ord + Clone> Add for &Linear<K> {
    type Output = Linear<K>;
    fn add(self, other: Self) -> Linear<K> {
        self.plus_scaled(&Rational::ONE, other)
    }
}

impl<K: Ord + Clone> Sub for &Linear<K> {
    type Output = Linear<K>;
    fn sub(self, other: Self) -> Linear<K> {
        self.plus_scaled(&Rational::MINUS_ONE, other)
    }
}

impl<K: Ord + Clone> Neg for &Linear<K> {
    type Output = Linear<K>;
    fn neg(self) -> Linear<K> {
        self.scaled(&Rational::MINUS_ONE)
    }
}

impl<K: Ord + Clone> Mul<&Rational> for &Linear<K> {
    type Output = Linear<K>;
    fn mul(self, factor: &Rational) -> Linear<K> {
        self.scaled(factor)
    }
}

/// Writes `- 2*x`: a term with its sign, as the first one or after others.
pub(super) fn write_term(
    f: &mut fmt::Formatter<'_>,
    is_first: bool,
    coefficient: &Rational,
    name: Option<&dyn fmt::Display>,
) -> fmt::Result {
    f.write_str(match (is_first, coefficient.is_negative()) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    })?;
    let size = coefficient.absolute();
    match name {
        None => write!(f, "{size}"),
        Some(name) if size.is_one() => write!(f, "{name}"),
        Some(name) => write!(f, "{size}*{name}"),
    }
}

impl<K: fmt::Display> fmt::Display for Linear<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (variable, coefficient)) in self.terms.iter().enumerate() {
            write_term(f, at == 0, coefficient, Some(variable))?;
        }
        if self.terms.is_empty() || !self.constant.is_zero() {
            write_term(f, self.terms.is_empty(), &self.constant, None)?;
        }
        Ok(())
    }
}

/// The constant goes to the right side: `2*x - y <= 7`.
impl<K: Ord + Clone + fmt::Display> fmt::Display for Constraint<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = match self.relation {
            Relation::AtMost => "<=",
            Relation::Equal => "=",
            Relation::Less => "<",
        };
        let left = self.expression.clone().without_constant();
        write!(f, "{left} {relation} {}", -self.expression.constant_part())
    }
}

impl<K: fmt::Display> fmt::Debug for Linear<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: Ord + Clone + fmt::Display> fmt::Debug for Constraint<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(terms: &[(char, i64)], constant: i64) -> Linear<char> {
        Linear::new(terms.iter().map(|(variable, factor)| (*variable, Rational::from(*factor))), constant)
    }

    #[test]
    fn equal_functions_are_equal_data() {
        let a = linear(&[('y', 2), ('x', 1), ('y', -2)], 3);
        assert_eq!(a, linear(&[('x', 1)], 3));
        let b = linear(&[('x', -1), ('z', 4)], 0);
        assert_eq!(&a + &b, linear(&[('z', 4)], 3));
        assert_eq!(&(&a + &b) - &b, a);
        assert!((&a - &a).is_zero());
    }

    #[test]
    fn substitution_and_evaluation_commute() {
        let a = linear(&[('x', 3), ('y', -2)], 5);
        let by = linear(&[('y', 2), ('z', 7)], -1);
        let value = |variable| Rational::new(i64::from(variable as u32), 3);
        let direct =
            a.evaluate(|variable| if variable == 'x' { by.evaluate(value) } else { value(variable) });
        assert_eq!(a.substituted('x', &by).evaluate(value), direct);
        assert_eq!(a.substituted('w', &by), a);
    }

    #[test]
    fn integers_tighten_constraints() {
        let tightened = |expression: Linear<char>, relation| Constraint { expression, relation }.tightened();
        assert_eq!(
            tightened(linear(&[('x', 2), ('y', 4)], -5), Relation::AtMost).to_string(),
            "x + 2*y <= 2"
        );
        assert_eq!(tightened(linear(&[('x', 1)], -5), Relation::Less).to_string(), "x <= 4");
        assert_eq!(tightened(linear(&[('x', 2), ('y', 2)], 1), Relation::Equal).known(), Some(false));
        let half = linear(&[('x', 1), ('y', 2)], -1).scaled(&Rational::new(1, 2));
        assert_eq!(tightened(half, Relation::Less).to_string(), "x + 2*y <= 0");
    }

    #[test]
    fn tightening_keeps_all_integers() {
        for (a, b, c) in (0..343).map(|code| (code % 7 - 3, code / 7 % 7 - 3, code / 49 - 3)) {
            for relation in [Relation::AtMost, Relation::Equal, Relation::Less] {
                let constraint = Constraint { expression: linear(&[('x', a), ('y', b)], c), relation };
                let tight = constraint.tightened();
                for (x, y) in (0..81).map(|code| (code % 9 - 4, code / 9 - 4)) {
                    let value = |variable| Rational::from(if variable == 'x' { x } else { y });
                    assert_eq!(constraint.holds(value), tight.holds(value), "{constraint} and {tight}");
                }
            }
        }
    }

    #[test]
    fn expressions_are_readable() {
        assert_eq!(linear(&[('x', -1), ('y', 3)], -2).to_string(), "-x + 3*y - 2");
        assert_eq!(linear(&[], 0).to_string(), "0");
        let constraint = Constraint::less(&Linear::variable('x'), &linear(&[('y', 1)], 4));
        assert_eq!(constraint.to_string(), "x - y < 4");
        assert_eq!(constraint.negated().map(|c| c.to_string()), Some("-x + y <= -4".to_owned()));
    }
}
