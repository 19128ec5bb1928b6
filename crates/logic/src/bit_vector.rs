//! Bit-vectors that are known: numbers modulo a power of two.

use std::fmt;

use crate::{Integer, Natural};

/// So many bits. The number is always below two to the width.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitVector {
    width: u32,
    bits: Bits,
}

/// The bits: up to 128 of them in place. Both forms are never used for the same width.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Bits {
    Small(u128),
    Large(Natural),
}

const SMALL: u32 = 128;

const fn mask(width: u32) -> u128 {
    if width >= SMALL { u128::MAX } else { (1 << width) - 1 }
}

impl BitVector {
    /// The low bits of a machine number.
    pub fn new(width: u32, bits: u128) -> Self {
        let bits = if width <= SMALL { Bits::Small(bits & mask(width)) } else { Bits::Large(bits.into()) };
        Self { width, bits }
    }

    /// The low bits of a machine number with a sign.
    pub fn from_signed(width: u32, number: i128) -> Self {
        if width <= SMALL { Self::new(width, number as u128) } else { Self::wrapping(width, &number.into()) }
    }

    /// The low bits of any number.
    pub fn wrapping(width: u32, number: &Integer) -> Self {
        let modulus = Integer::from(Natural::ONE << width as usize);
        let low = dashu_int::ops::RemEuclid::rem_euclid(number, &modulus);
        Self::natural(width, Natural::try_from(low).unwrap_or_default())
    }

    /// Bits one by one, the lowest first.
    pub fn from_bits(bits: impl ExactSizeIterator<Item = bool>) -> Self {
        let width = bits.len() as u32;
        let set = bits.enumerate().filter(|(_, bit)| *bit);
        if width <= SMALL {
            Self::new(width, set.fold(0, |number, (index, _)| number | 1 << index))
        } else {
            Self::natural(
                width,
                set.fold(Natural::ZERO, |number, (index, _)| number + (Natural::ONE << index)),
            )
        }
    }

    /// A number that fits the width.
    fn natural(width: u32, bits: Natural) -> Self {
        if width <= SMALL {
            Self::new(width, u128::try_from(&bits).unwrap_or_default())
        } else {
            Self { width, bits: Bits::Large(bits) }
        }
    }

    /// Zero.
    pub fn zero(width: u32) -> Self {
        Self::new(width, 0)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Self {
        if width <= SMALL { Self::new(width, u128::MAX) } else { Self::wrapping(width, &Integer::NEG_ONE) }
    }

    /// One, then zeros: the smallest number in two's complement.
    pub fn minimum(width: u32) -> Self {
        Self::natural(width, Natural::ONE << (width as usize - 1))
    }

    /// How many bits.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The number without a sign.
    pub fn unsigned(&self) -> Natural {
        match &self.bits {
            Bits::Small(bits) => Natural::from(*bits),
            Bits::Large(bits) => bits.clone(),
        }
    }

    /// The number in two's complement.
    pub fn signed(&self) -> Integer {
        match &self.bits {
            Bits::Small(_) => Integer::from(self.signed_small()),
            Bits::Large(bits) => {
                let number = Integer::from(bits.clone());
                if self.bit(self.width - 1) {
                    number - Integer::from(Natural::ONE << self.width as usize)
                } else {
                    number
                }
            }
        }
    }

    /// The bits as a machine number, if there are at most 128.
    pub const fn to_u128(&self) -> Option<u128> {
        match self.bits {
            Bits::Small(bits) => Some(bits),
            Bits::Large(_) => None,
        }
    }

    /// The number in two's complement as a machine number, if there are at most 128 bits.
    pub fn to_i128(&self) -> Option<i128> {
        matches!(self.bits, Bits::Small(_)).then(|| self.signed_small())
    }

    fn signed_small(&self) -> i128 {
        let Bits::Small(bits) = self.bits else { return 0 };
        let unused = SMALL - self.width;
        ((bits << unused) as i128) >> unused
    }

    /// Whether a bit is set.
    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(bits) => index < SMALL && bits >> index & 1 != 0,
            Bits::Large(bits) => dashu_int::ops::BitTest::bit(bits, index as usize),
        }
    }

    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 0,
            Bits::Large(bits) => bits.is_zero(),
        }
    }

    /// Whether it is the number one.
    pub fn is_one(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 1,
            Bits::Large(bits) => bits.is_one(),
        }
    }

    /// Whether all bits are set.
    pub fn is_ones(&self) -> bool {
        *self == Self::ones(self.width)
    }

    /// An operation that both forms know.
    fn zip(
        &self,
        other: &Self,
        small: impl FnOnce(u128, u128) -> u128,
        large: impl FnOnce(Integer, Integer) -> Integer,
    ) -> Self {
        match (&self.bits, &other.bits) {
            (&Bits::Small(a), &Bits::Small(b)) => Self::new(self.width, small(a, b)),
            _ => Self::wrapping(self.width, &large(self.unsigned().into(), other.unsigned().into())),
        }
    }

    /// All bits flipped.
    pub fn not(&self) -> Self {
        match &self.bits {
            Bits::Small(bits) => Self::new(self.width, !bits),
            Bits::Large(bits) => Self::wrapping(self.width, &!Integer::from(bits.clone())),
        }
    }

    /// Two's complement negation.
    pub fn negate(&self) -> Self {
        Self::zero(self.width).subtract(self)
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// Sum.
    pub fn add(&self, other: &Self) -> Self {
        self.zip(other, u128::wrapping_add, |a, b| a + b)
    }

    /// Difference.
    pub fn subtract(&self, other: &Self) -> Self {
        self.zip(other, u128::wrapping_sub, |a, b| a - b)
    }

    /// Product.
    pub fn multiply(&self, other: &Self) -> Self {
        self.zip(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// Unsigned quotient; all ones by zero.
    pub fn unsigned_divide(&self, other: &Self) -> Self {
        if other.is_zero() { Self::ones(self.width) } else { self.zip(other, |a, b| a / b, |a, b| a / b) }
    }

    /// Unsigned remainder; the dividend by zero.
    pub fn unsigned_remainder(&self, other: &Self) -> Self {
        if other.is_zero() { self.clone() } else { self.zip(other, |a, b| a % b, |a, b| a % b) }
    }

    /// Signed quotient towards zero; by zero it is 1 for a negative dividend, else -1.
    pub fn signed_divide(&self, other: &Self) -> Self {
        match (other.is_zero(), self.bit(self.width - 1)) {
            (true, true) => Self::new(self.width, 1),
            (true, false) => Self::ones(self.width),
            (false, _) => Self::wrapping(self.width, &(self.signed() / other.signed())),
        }
    }

    /// Signed remainder with the dividend's sign; the dividend by zero.
    pub fn signed_remainder(&self, other: &Self) -> Self {
        if other.is_zero() {
            self.clone()
        } else {
            Self::wrapping(self.width, &(self.signed() % other.signed()))
        }
    }

    /// How far a shift by this many goes, at most the width.
    fn distance(&self, by: &Self) -> u32 {
        u32::try_from(&by.unsigned()).unwrap_or(u32::MAX).min(self.width)
    }

    /// Left shift.
    pub fn shift_left(&self, by: &Self) -> Self {
        let by = self.distance(by);
        match &self.bits {
            Bits::Small(bits) => Self::new(self.width, bits.checked_shl(by).unwrap_or(0)),
            Bits::Large(bits) => Self::wrapping(self.width, &Integer::from(bits << by as usize)),
        }
    }

    /// Right shift with zeros.
    pub fn shift_right(&self, by: &Self) -> Self {
        let by = self.distance(by);
        match &self.bits {
            Bits::Small(bits) => Self::new(self.width, bits.checked_shr(by).unwrap_or(0)),
            Bits::Large(bits) => Self::natural(self.width, bits >> by as usize),
        }
    }

    /// Right shift with copies of the sign.
    pub fn shift_right_signed(&self, by: &Self) -> Self {
        let by = self.distance(by);
        match &self.bits {
            Bits::Small(_) => Self::from_signed(self.width, self.signed_small() >> by.min(SMALL - 1)),
            Bits::Large(_) => Self::wrapping(self.width, &(self.signed() >> by as usize)),
        }
    }

    /// These bits above the others.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        match (&self.bits, &low.bits) {
            (&Bits::Small(high), &Bits::Small(low_bits)) if width <= SMALL => {
                Self::new(width, high << low.width | low_bits)
            }
            _ => Self::natural(width, (self.unsigned() << low.width as usize) + low.unsigned()),
        }
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&self, high: u32, low: u32) -> Self {
        let width = high - low + 1;
        match &self.bits {
            Bits::Small(bits) => Self::new(width, bits >> low),
            Bits::Large(bits) => Self::wrapping(width, &Integer::from(bits >> low as usize)),
        }
    }

    /// So many zero bits on top.
    pub fn zero_extend(&self, by: u32) -> Self {
        Self::natural(self.width + by, self.unsigned())
    }

    /// So many copies of the highest bit on top.
    pub fn sign_extend(&self, by: u32) -> Self {
        if self.width + by <= SMALL {
            Self::from_signed(self.width + by, self.signed_small())
        } else {
            Self::wrapping(self.width + by, &self.signed())
        }
    }

    /// Whether it is less in two's complement.
    pub fn signed_less(&self, other: &Self) -> bool {
        match (&self.bits, &other.bits) {
            (Bits::Small(_), Bits::Small(_)) => self.signed_small() < other.signed_small(),
            _ => self.signed() < other.signed(),
        }
    }

    /// Whether it is less without a sign.
    pub fn unsigned_less(&self, other: &Self) -> bool {
        self.bits < other.bits
    }

    /// Whether the product in two's complement does not fit the width.
    pub fn signed_multiply_overflows(&self, other: &Self) -> bool {
        self.multiply(other).signed() != self.signed() * other.signed()
    }

    /// Whether the product without a sign does not fit the width.
    pub fn unsigned_multiply_overflows(&self, other: &Self) -> bool {
        self.multiply(other).unsigned() != self.unsigned() * other.unsigned()
    }
}

impl fmt::Debug for BitVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:bits{}", self.unsigned(), self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_narrow_vectors_compute_the_same() {
        // The same eight-bit numbers, sign-extended beyond what is kept in place, and brought back.
        let wide = |number: i8| BitVector::from_signed(8, number.into()).sign_extend(192);
        for a in (-128i8..=127).step_by(5) {
            for b in (-128i8..=127).step_by(7) {
                let (x, y) = (wide(a), wide(b));
                let narrow = |value: &BitVector| value.extract(7, 0).to_i128().unwrap() as i8;
                assert_eq!(narrow(&x.add(&y)), a.wrapping_add(b));
                assert_eq!(narrow(&x.subtract(&y)), a.wrapping_sub(b));
                assert_eq!(narrow(&x.multiply(&y)), a.wrapping_mul(b));
                assert_eq!(narrow(&x.xor(&y)), a ^ b);
                assert_eq!(narrow(&x.not()), !a);
                assert_eq!(x.signed_less(&y), a < b);
                if b != 0 {
                    assert_eq!(narrow(&x.signed_divide(&y)), a.wrapping_div(b));
                    assert_eq!(narrow(&x.signed_remainder(&y)), a.wrapping_rem(b));
                }
                assert_eq!(x.concat(&y).extract(199, 0), y);
                assert_eq!(x.concat(&y).extract(399, 200), x);
            }
            assert_eq!(
                wide(a).shift_right_signed(&BitVector::new(200, 3)).extract(7, 0).to_i128().unwrap() as i8,
                a >> 3
            );
            assert!(
                !wide(a).shift_left(&BitVector::new(200, 1)).shift_right(&BitVector::new(200, 1)).bit(199)
            );
        }
    }

    #[test]
    fn division_by_zero_is_what_the_standard_says() {
        let number = |n: i128| BitVector::from_signed(8, n);
        assert_eq!(number(5).unsigned_divide(&number(0)), number(-1));
        assert_eq!(number(5).unsigned_remainder(&number(0)), number(5));
        assert_eq!(number(-5).signed_divide(&number(0)), number(1));
        assert_eq!(number(5).signed_divide(&number(0)), number(-1));
        assert_eq!(number(-5).signed_remainder(&number(0)), number(-5));
        assert_eq!(number(-128).signed_divide(&number(-1)), number(-128));
    }

    #[test]
    fn products_that_do_not_fit_are_known() {
        for a in -128i128..128 {
            for b in -128i128..128 {
                let (x, y) = (BitVector::from_signed(8, a), BitVector::from_signed(8, b));
                assert_eq!(x.signed_multiply_overflows(&y), !(-128..128).contains(&(a * b)));
                assert_eq!(x.unsigned_multiply_overflows(&y), (a as u8).checked_mul(b as u8).is_none());
            }
        }
    }
}
