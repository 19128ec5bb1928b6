//! Exact rational numbers: a pair of machine words, and a pair of big integers only where those are too short.
//!
//! The form of a number is unique: the denominator is positive and has no divisor in common with the numerator, and
//! words are used whenever both fit. Sums and products divide by common divisors before they multiply (Knuth, The Art of
//! Computer Programming 2, section 4.5.1), so that the greatest common divisors are always those of words.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::num::NonZeroU64;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use dashu_int::ops::{DivEuclid, Gcd};

use super::compact::{Compact, gcd_words, word};
use crate::Integer;

/// An exact rational number without limits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Form);

/// In `Small`, the numerator is in `-MAX..=MAX` and the denominator is at most `i64::MAX`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Small(i64, NonZeroU64),
    Big(Box<Fraction>),
}

use Form::{Big, Small};

#[derive(Clone, PartialEq, Eq, Hash)]
struct Fraction {
    numerator: Integer,
    denominator: Integer,
}

const UNIT: NonZeroU64 = NonZeroU64::MIN;

impl Rational {
    /// Zero.
    pub const ZERO: Self = Rational(Small(0, UNIT));
    /// One.
    pub const ONE: Self = Rational(Small(1, UNIT));
    /// Minus one.
    pub const MINUS_ONE: Self = Rational(Small(-1, UNIT));

    /// The quotient of two integers.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: impl Into<Integer>, denominator: impl Into<Integer>) -> Self {
        Self::quotient(&Compact::from(numerator.into()), &Compact::from(denominator.into()))
    }

    /// The quotient of two integers.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn quotient(numerator: &Compact, denominator: &Compact) -> Self {
        assert!(!denominator.is_zero(), "a denominator is not zero");
        if let (Some(above), Some(below)) = (numerator.as_word(), denominator.as_word()) {
            let gcd = gcd_words(above.unsigned_abs(), below.unsigned_abs()) as i64;
            let sign = below.signum();
            return Self::reduced((above / gcd * sign).into(), (below / gcd * sign).into());
        }
        Self::fraction(numerator.to_integer(), denominator.to_integer())
    }

    /// The numerator, which has the sign.
    pub fn numerator(&self) -> Integer {
        self.compact_numerator().to_integer()
    }

    /// The denominator, which is positive.
    pub fn denominator(&self) -> Integer {
        self.compact_denominator().to_integer()
    }

    /// The numerator, which has the sign.
    pub fn compact_numerator(&self) -> Compact {
        match &self.0 {
            Small(numerator, _) => Compact::from(*numerator),
            Big(fraction) => Compact::from(&fraction.numerator),
        }
    }

    /// The denominator, which is positive.
    pub fn compact_denominator(&self) -> Compact {
        match &self.0 {
            Small(_, denominator) => Compact::from(i128::from(denominator.get())),
            Big(fraction) => Compact::from(&fraction.denominator),
        }
    }

    /// Whether it is zero.
    pub const fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, denominator) => *denominator == UNIT,
            Big(fraction) => fraction.denominator.is_one(),
        }
    }

    /// The integer, if it is one.
    pub fn to_integer(&self) -> Option<Integer> {
        self.is_integer().then(|| self.numerator())
    }

    /// The integer, if it is one that fits.
    pub fn to_i128(&self) -> Option<i128> {
        i128::try_from(self.to_integer()?).ok()
    }

    /// Less than, equal to or greater than zero.
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Small(numerator, _) => numerator.cmp(&0),
            Big(fraction) => fraction.numerator.cmp(&Integer::ZERO),
        }
    }

    /// Whether it is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }

    /// The number without its sign.
    pub fn absolute(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// One divided by it.
    ///
    /// # Panics
    /// If it is zero.
    pub fn reciprocal(&self) -> Self {
        Self::quotient(&self.compact_denominator(), &self.compact_numerator())
    }

    /// The greatest integer that is not above it.
    pub fn floor(&self) -> Integer {
        match &self.0 {
            Small(numerator, denominator) => numerator.div_euclid(denominator.get() as i64).into(),
            Big(fraction) => DivEuclid::div_euclid(&fraction.numerator, &fraction.denominator),
        }
    }

    /// The least integer that is not below it.
    pub fn ceil(&self) -> Integer {
        -(-self).floor()
    }

    /// The number above the greatest integer that is not above it: from zero, below one.
    pub fn fractional_part(&self) -> Self {
        self - &Self::from(self.floor())
    }

    /// `self += factor * number`.
    pub fn add_product(&mut self, factor: &Self, number: &Self) {
        if !factor.is_zero() && !number.is_zero() {
            *self += &(factor * number);
        }
    }

    /// A number that is already without common divisors and has a positive denominator.
    fn reduced(numerator: i128, denominator: i128) -> Self {
        match (word(numerator), word(denominator)) {
            (Some(above), Some(below)) => {
                Rational(Small(above, NonZeroU64::new(below as u64).unwrap_or(UNIT)))
            }
            _ => Rational(Big(Box::new(Fraction {
                numerator: Integer::from(numerator),
                denominator: Integer::from(denominator),
            }))),
        }
    }

    /// The quotient of big integers.
    fn fraction(numerator: Integer, denominator: Integer) -> Self {
        let gcd = Integer::from((&numerator).gcd(&denominator));
        let gcd = if denominator < Integer::ZERO { -gcd } else { gcd };
        let (numerator, denominator) =
            if gcd.is_one() { (numerator, denominator) } else { (numerator / &gcd, denominator / &gcd) };
        let words = (i64::try_from(&numerator), i64::try_from(&denominator));
        match words {
            (Ok(above), Ok(below)) if above != i64::MIN => Self::reduced(above.into(), below.into()),
            _ => Rational(Big(Box::new(Fraction { numerator, denominator }))),
        }
    }

    fn plus(&self, other: &Self, negate: bool) -> Self {
        if let (Small(a, b), Small(c, d)) = (&self.0, &other.0) {
            let c = if negate { -c } else { *c };
            if (*b, *d) == (UNIT, UNIT) {
                return Self::reduced(i128::from(*a) + i128::from(c), 1);
            }
            let (b, d) = (b.get(), d.get());
            let gcd = gcd_words(b, d);
            let (left, right) = ((b / gcd) as i128, (d / gcd) as i128);
            let sum = i128::from(*a) * right + i128::from(c) * left;
            if gcd == 1 {
                return Self::reduced(sum, left * right);
            }
            let rest = (sum.unsigned_abs() % u128::from(gcd)) as u64;
            let common = gcd_words(rest, gcd);
            return Self::reduced(sum / i128::from(common), left * i128::from(d / common));
        }
        let (a, c) = (self.numerator(), other.numerator());
        let c = if negate { -c } else { c };
        if self.is_integer() && other.is_integer() {
            return Self::from(a + c);
        }
        let (b, d) = (self.denominator(), other.denominator());
        Self::fraction(a * &d + c * &b, b * d)
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident)*) => { $(
        impl $operator<Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $operator::$method(&self, &other)
            }
        }
        impl $operator<&Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                $operator::$method(&self, other)
            }
        }
        impl $operator<Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $operator::$method(self, &other)
            }
        }
        impl $assign<&Rational> for Rational {
            fn $assign_method(&mut self, other: &Rational) {
                *self = $operator::$method(&*self, other);
            }
        }
        impl $assign<Rational> for Rational {
            fn $assign_method(&mut self, other: Rational) {
                *self = $operator::$method(&*self, &other);
            }
        }
    )* };
}

operators! {
    Add add AddAssign add_assign
    Sub sub SubAssign sub_assign
    Mul mul MulAssign mul_assign
    Div div DivAssign div_assign
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: Self) -> Rational {
        self.plus(other, false)
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: Self) -> Rational {
        self.plus(other, true)
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: Self) -> Rational {
        if let (Small(a, b), Small(c, d)) = (&self.0, &other.0) {
            let (b, d) = (b.get(), d.get());
            let (left, right) = (gcd_words(a.unsigned_abs(), d), gcd_words(c.unsigned_abs(), b));
            let numerator = i128::from(a / left as i64) * i128::from(c / right as i64);
            return Rational::reduced(numerator, i128::from(b / right) * i128::from(d / left));
        }
        let numerator = self.numerator() * other.numerator();
        if self.is_integer() && other.is_integer() {
            return Rational::from(numerator);
        }
        Rational::fraction(numerator, self.denominator() * other.denominator())
    }
}

/// Division; the divisor must not be zero.
impl Div for &Rational {
    type Output = Rational;
    fn div(self, other: Self) -> Rational {
        Mul::mul(self, &other.reciprocal())
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(match &self.0 {
            Small(numerator, denominator) => Small(-numerator, *denominator),
            Big(fraction) => Big(Box::new(Fraction {
                numerator: -&fraction.numerator,
                denominator: fraction.denominator.clone(),
            })),
        })
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Rational::ZERO, |sum, number| sum + number)
    }
}

impl From<i32> for Rational {
    fn from(number: i32) -> Self {
        Self::from(i64::from(number))
    }
}

impl From<i64> for Rational {
    fn from(number: i64) -> Self {
        Self::reduced(number.into(), 1)
    }
}

impl From<i128> for Rational {
    fn from(number: i128) -> Self {
        Self::from(Integer::from(number))
    }
}

impl From<Integer> for Rational {
    fn from(number: Integer) -> Self {
        Self::from(&Compact::from(number))
    }
}

impl From<&Integer> for Rational {
    fn from(number: &Integer) -> Self {
        Self::from(&Compact::from(number))
    }
}

impl From<&Compact> for Rational {
    fn from(number: &Compact) -> Self {
        match number.as_word() {
            Some(word) => Self::from(word),
            None => Rational(Big(Box::new(Fraction {
                numerator: number.to_integer(),
                denominator: Integer::ONE,
            }))),
        }
    }
}

impl Default for Rational {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) if b == d => a.cmp(c),
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(d.get())).cmp(&(i128::from(*c) * i128::from(b.get())))
            }
            _ if self.sign() != other.sign() => self.sign().cmp(&other.sign()),
            _ => (self.numerator() * other.denominator()).cmp(&(other.numerator() * self.denominator())),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            return self.numerator().fmt(f);
        }
        write!(f, "{}/{}", self.numerator(), self.denominator())
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Rational> {
        let big = Integer::ONE << 70;
        let mut numbers: Vec<Rational> = Vec::new();
        for above in [0, 1, -1, 2, 3, -7, 12, 4_000_000_007, i64::MAX, i64::MIN, i64::MIN + 1] {
            for below in [1, 2, 3, -6, 4_000_000_009, i64::MAX, i64::MIN] {
                numbers.push(Rational::new(above, below));
            }
        }
        numbers.push(Rational::new(big.clone(), 3));
        numbers.push(Rational::new(-5, big.clone()));
        numbers.push(Rational::new(&big - Integer::ONE, big));
        numbers
    }

    /// The same laws with big integers alone.
    fn same(number: &Rational, numerator: Integer, denominator: Integer) {
        assert_eq!(number.numerator() * &denominator, numerator * number.denominator());
        assert!(number.denominator() > Integer::ZERO);
        assert!(number.numerator().gcd(number.denominator()).is_one());
        assert_eq!(
            *number,
            Rational::fraction(number.numerator(), number.denominator()),
            "the form is unique"
        );
    }

    #[test]
    fn words_and_big_integers_agree() {
        for x in samples() {
            for y in samples() {
                let (a, b, c, d) = (x.numerator(), x.denominator(), y.numerator(), y.denominator());
                same(&(&x + &y), &a * &d + &c * &b, &b * &d);
                same(&(&x - &y), &a * &d - &c * &b, &b * &d);
                same(&(&x * &y), &a * &c, &b * &d);
                if !y.is_zero() {
                    same(&(&x / &y), &a * &d, &b * &c);
                }
                assert_eq!(x.cmp(&y), (&a * &d).cmp(&(&c * &b)));
                assert_eq!(x == y, x.cmp(&y) == Ordering::Equal);
            }
        }
    }

    #[test]
    fn numbers_form_a_field() {
        let numbers = samples();
        for x in numbers.iter().step_by(3) {
            assert_eq!(x + &-x, Rational::ZERO);
            if !x.is_zero() {
                assert_eq!(x * &x.reciprocal(), Rational::ONE);
            }
            for y in numbers.iter().step_by(5) {
                for z in numbers.iter().step_by(4) {
                    assert_eq!((x + y) + z, x + (y + z));
                    assert_eq!((x * y) * z, x * (y * z));
                    assert_eq!(x * (y + z), x * y + x * z);
                }
            }
        }
    }

    #[test]
    fn rounding_goes_down_and_up() {
        for x in samples() {
            let (floor, ceil) = (Rational::from(x.floor()), Rational::from(x.ceil()));
            assert!(floor <= x && x <= ceil && &ceil - &floor <= Rational::ONE);
            assert_eq!(x.is_integer(), floor == ceil);
            assert!(x.fractional_part() < Rational::ONE && !x.fractional_part().is_negative());
        }
        assert_eq!(Rational::new(-7, 2).floor(), Integer::from(-4));
        assert_eq!(Rational::new(-7, 2).ceil(), Integer::from(-3));
    }

    #[test]
    fn numbers_print_as_people_write_them() {
        assert_eq!(Rational::new(6, -4).to_string(), "-3/2");
        assert_eq!(Rational::new(8, 4).to_string(), "2");
        assert_eq!(size_of::<Rational>(), 16);
    }
}
