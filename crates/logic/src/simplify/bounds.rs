//! What is known of a term of numbers under every model: bounds, as far as 128 bits hold them.

use crate::Integer;
use crate::node::Binary;

/// A lower and an upper bound, where there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// The least it can be.
    pub low: Option<i128>,
    /// The most it can be.
    pub high: Option<i128>,
}

impl Bounds {
    /// Both bounds.
    pub const fn between(low: i128, high: i128) -> Self {
        Self { low: Some(low), high: Some(high) }
    }

    /// One number, if it is not too large.
    pub fn exact(number: &Integer) -> Self {
        let number = i128::try_from(number).ok();
        Self { low: number, high: number }
    }

    /// The number, if there is only one possibility.
    pub fn value(&self) -> Option<i128> {
        self.low.filter(|_| self.low == self.high)
    }

    /// Bounds of a term that is one of two.
    pub fn either(self, other: Self) -> Self {
        Self {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// Bounds of the negation.
    pub fn negate(self) -> Self {
        Self { low: self.high.and_then(i128::checked_neg), high: self.low.and_then(i128::checked_neg) }
    }

    /// Bounds of an operation.
    pub fn binary(op: Binary, a: Self, b: Self) -> Self {
        match op {
            Binary::Add => Self {
                low: a.low.zip(b.low).and_then(|(x, y)| x.checked_add(y)),
                high: a.high.zip(b.high).and_then(|(x, y)| x.checked_add(y)),
            },
            Binary::Multiply => a.multiply(b),
            Binary::Divide => a.divide(b),
            Binary::Modulo => a.modulo(b),
            _ => Self::default(),
        }
    }

    fn multiply(self, other: Self) -> Self {
        let (Some(a), Some(b), Some(c), Some(d)) = (self.low, self.high, other.low, other.high) else {
            // Numbers that are not negative have a product that is not.
            let low = self.low.zip(other.low).filter(|(x, y)| *x >= 0 && *y >= 0).map(|_| 0);
            return Self { low, high: None };
        };
        let products = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
        let [Some(w), Some(x), Some(y), Some(z)] = products else { return Self::default() };
        Self::between(w.min(x).min(y).min(z), w.max(x).max(y).max(z))
    }

    /// A quotient by a positive number lies between zero and the dividend, rounded down.
    fn divide(self, other: Self) -> Self {
        let (Some(divisor), true) = (other.value(), other.low > Some(0)) else { return Self::default() };
        Self {
            low: self.low.map(|low| low.div_euclid(divisor)),
            high: self.high.map(|high| high.div_euclid(divisor)),
        }
    }

    /// A remainder is not negative, below the divisor, and never above a dividend that is not negative.
    fn modulo(self, other: Self) -> Self {
        let Some(divisor) = other.low.filter(|low| *low > 0) else { return Self::default() };
        let within = self.low.zip(self.high).filter(|(low, high)| *low >= 0 && *high < divisor);
        if let Some((low, high)) = within {
            return Self::between(low, high);
        }
        let below = other.high.map(|high| high - 1);
        let high = match self.low {
            Some(0..) => below.into_iter().chain(self.high).min(),
            _ => below,
        };
        Self { low: Some(0), high }
    }
}
