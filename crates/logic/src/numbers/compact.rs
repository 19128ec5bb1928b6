//! Integers that are small most of the time: a machine word, and a big integer only where that is too short.
//!
//! The tableau of the simplex method computes with these. The form of a number is unique.

use std::cmp::Ordering;
use std::fmt;

use dashu_int::ops::{Abs, Gcd};

use crate::Integer;

/// An exact integer without limits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Compact(Form);

/// `Big` is used only for numbers that are not in `-MAX..=MAX`, so that a small one can always be negated.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Small(i64),
    Big(Integer),
}

use Form::{Big, Small};

/// The greatest common divisor of two words; zero has all divisors.
pub fn gcd_words(a: u64, b: u64) -> u64 {
    if a <= 1 || b <= 1 {
        return if a == 0 || b == 0 { a | b } else { 1 };
    }
    // One division ends most of our cases: the one number is a multiple of the other.
    let (a, b) = if a < b { (a, b % a) } else { (b, a % b) };
    if b == 0 {
        return a;
    }
    let shift = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    while a != b {
        if a < b {
            std::mem::swap(&mut a, &mut b);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    a << shift
}

/// The number as a word, if it is in the range of small numbers.
pub(super) fn word(number: i128) -> Option<i64> {
    i64::try_from(number).ok().filter(|word| *word != i64::MIN)
}

impl Compact {
    /// Zero.
    pub const ZERO: Self = Compact(Small(0));
    /// One.
    pub const ONE: Self = Compact(Small(1));

    /// Whether it is zero.
    pub const fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// Whether it is one.
    pub const fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    /// Less than, equal to or greater than zero.
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Small(word) => word.cmp(&0),
            Big(number) => number.cmp(&Integer::ZERO),
        }
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }

    /// The number as a word, if it is small.
    pub const fn as_word(&self) -> Option<i64> {
        match self.0 {
            Small(word) => Some(word),
            Big(_) => None,
        }
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Self {
        match &self.0 {
            Small(word) => Compact(Small(-word)),
            Big(number) => Compact(Big(-number)),
        }
    }

    /// The number without its sign.
    pub fn absolute(&self) -> Self {
        match &self.0 {
            Small(word) => Compact(Small(word.abs())),
            Big(number) => Compact(Big(number.clone().abs())),
        }
    }

    /// `self * by - other * times`, the step of every elimination.
    #[inline]
    pub fn eliminated(&self, by: &Self, other: &Self, times: &Self) -> Self {
        if let (Small(a), Small(b), Small(c), Small(d)) = (&self.0, &by.0, &other.0, &times.0) {
            return Self::from(i128::from(*a) * i128::from(*b) - i128::from(*c) * i128::from(*d));
        }
        Self::from(self.product(by) - other.product(times))
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Self::from(i128::from(*a) * i128::from(*b)),
            _ => Self::from(self.product(other)),
        }
    }

    /// The product as a big integer.
    fn product(&self, other: &Self) -> Integer {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Integer::from(i128::from(*a) * i128::from(*b)),
            (Big(a), Big(b)) => a * b,
            (Small(a), Big(b)) | (Big(b), Small(a)) => b * a,
        }
    }

    /// The greatest common divisor, not negative.
    pub fn gcd(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Self::from(i128::from(gcd_words(a.unsigned_abs(), b.unsigned_abs()))),
            (Small(0), _) => other.absolute(),
            (_, Small(0)) => self.absolute(),
            (Small(a), Big(b)) | (Big(b), Small(a)) => {
                let rest: i64 = b % a;
                Self::from(i128::from(gcd_words(a.unsigned_abs(), rest.unsigned_abs())))
            }
            (Big(a), Big(b)) if (b % a).is_zero() => self.absolute(),
            (Big(a), Big(b)) => Self::from(Integer::from(a.gcd(b))),
        }
    }

    /// The quotient by a divisor that leaves no remainder.
    pub fn divided_exactly(&self, divisor: &Self) -> Self {
        match (&self.0, &divisor.0) {
            (Small(a), Small(b)) => Compact(Small(a / b)),
            (Big(a), Big(b)) => Self::from(a / b),
            (Big(a), Small(b)) => Self::from(a / b),
            (Small(_), Big(_)) => Self::ZERO,
        }
    }

    /// The number in the form of the other crates.
    pub fn to_integer(&self) -> Integer {
        match &self.0 {
            Small(word) => Integer::from(*word),
            Big(number) => number.clone(),
        }
    }
}

impl From<i64> for Compact {
    fn from(number: i64) -> Self {
        Self::from(i128::from(number))
    }
}

impl From<i128> for Compact {
    fn from(number: i128) -> Self {
        Compact(word(number).map_or_else(|| Big(Integer::from(number)), Small))
    }
}

impl From<Integer> for Compact {
    fn from(number: Integer) -> Self {
        match i64::try_from(&number) {
            Ok(word) if word != i64::MIN => Compact(Small(word)),
            _ => Compact(Big(number)),
        }
    }
}

impl From<&Integer> for Compact {
    fn from(number: &Integer) -> Self {
        match i64::try_from(number) {
            Ok(word) if word != i64::MIN => Compact(Small(word)),
            _ => Compact(Big(number.clone())),
        }
    }
}

impl PartialOrd for Compact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Compact {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            (Small(_), Big(_)) => other.sign().reverse(),
            (Big(_), Small(_)) => self.sign(),
        }
    }
}

impl fmt::Display for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(word) => word.fmt(f),
            Big(number) => number.fmt(f),
        }
    }
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [i128; 13] = [
        0,
        1,
        -1,
        6,
        -15,
        i64::MAX as i128,
        -(i64::MAX as i128),
        i64::MIN as i128,
        i64::MAX as i128 + 1,
        3 << 62,
        -(1 << 80),
        35 << 70,
        i128::MAX,
    ];

    #[test]
    fn words_and_big_integers_agree() {
        for a in NUMBERS {
            for b in NUMBERS {
                let (x, y) = (Compact::from(a), Compact::from(b));
                let (big_x, big_y) = (Integer::from(a), Integer::from(b));
                assert_eq!(x.cmp(&y), a.cmp(&b));
                assert_eq!(x.times(&y), Compact::from(&big_x * &big_y));
                let three = Compact::from(3i64);
                let expected = &big_x * &big_y - &big_y * Integer::from(3);
                assert_eq!(x.eliminated(&y, &y, &three), Compact::from(expected));
                assert_eq!(x.negated().to_integer(), -big_x.clone());
                if a != 0 || b != 0 {
                    let gcd = x.gcd(&y);
                    assert_eq!(gcd.to_integer(), Integer::from(big_x.clone().gcd(big_y)));
                    assert_eq!(x.divided_exactly(&gcd).times(&gcd), x);
                }
            }
        }
    }

    #[test]
    fn the_form_is_unique() {
        let high = Compact::from(1i128 << 70);
        assert_eq!(high.divided_exactly(&Compact::from(1i128 << 69)), Compact::from(2i64));
        assert_eq!(high.eliminated(&Compact::ONE, &high, &Compact::ONE), Compact::ZERO);
        assert_eq!(size_of::<Compact>(), 24);
    }
}
