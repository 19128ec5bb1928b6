//! Upper limits that are machine words: an addition that leaves the words loses the limit and is never wrong.
//!
//! A finite bound is within ±2^60 and infinity is 2^62 - 1, so that one addition of any two of them fits in a word, and one
//! comparison tells whether infinity took part in it. A sum that is too large becomes infinity; one that is too small
//! becomes the least bound. Both are weaker than the exact sum.

/// An upper limit, perhaps infinite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Bound(i64);

const LIMIT: i64 = 1 << 60;

impl Bound {
    pub const INFINITE: Self = Bound(i64::MAX / 2);
    pub const ZERO: Self = Bound(0);

    /// The number as a bound, or a weaker one.
    pub fn new(number: i128) -> Self {
        if number >= i128::from(LIMIT) {
            Self::INFINITE
        } else {
            Bound(number.max(i128::from(-LIMIT)) as i64)
        }
    }

    /// The number, if it is finite.
    pub fn finite(self) -> Option<i64> {
        self.is_finite().then_some(self.0)
    }

    /// The bound itself, unless a number beyond the limits may have become it.
    pub fn exact(self) -> Option<Self> {
        (-LIMIT < self.0 && self.0 < LIMIT).then_some(self)
    }

    /// The bound of the opposite, for a bound that is exact.
    pub fn opposite(self) -> Self {
        Self::new(-i128::from(self.0))
    }

    /// Twice the bound.
    pub fn double(self) -> Self {
        self.plus(self)
    }

    pub fn is_finite(self) -> bool {
        self.0 != Self::INFINITE.0
    }

    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// A bound of a sum.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        if sum >= LIMIT { Self::INFINITE } else { Bound(sum.max(-LIMIT)) }
    }

    /// The half, rounded down.
    #[inline]
    pub fn half(self) -> Self {
        if self.is_finite() { Bound(self.0 >> 1) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_do_not_fit_lose_the_bound() {
        let large = Bound::new((1 << 60) - 1);
        assert!(large.is_finite() && !large.plus(Bound::new(1)).is_finite());
        assert!(!Bound::INFINITE.plus(Bound::new(-(1 << 60))).is_finite());
        assert!(!Bound::INFINITE.plus(Bound::INFINITE).is_finite());
        let small = Bound::new(-(1 << 60));
        assert_eq!(small.plus(small), small);
        assert_eq!(Bound::new(i128::MIN), small);
        assert!(!Bound::new(i128::MAX).is_finite());
        assert!(!Bound::new(1 << 64).is_finite());
    }

    #[test]
    fn halves_are_rounded_down() {
        assert_eq!((Bound::new(-3).half(), Bound::new(3).half()), (Bound::new(-2), Bound::new(1)));
        assert_eq!(Bound::INFINITE.half(), Bound::INFINITE);
    }
}
