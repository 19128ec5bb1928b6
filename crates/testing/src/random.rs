//! A small deterministic source of random numbers (SplitMix64): the same seed gives the same numbers everywhere.

/// A source of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The source that this seed starts. Seeds that are close to each other give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1357_9bdf_2468_ace0);
        random.next();
        random
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "an infinite source is more handy than an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit, or zero if the limit is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// A number from `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low) as u64;
        if span == u64::MAX {
            self.next() as i64
        } else {
            low.wrapping_add((self.next() % (span + 1)) as i64)
        }
    }

    /// True in so many cases of a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_repeat_and_stay_in_range() {
        let (mut one, mut two) = (Random::new(7), Random::new(7));
        for _ in 0..100 {
            let number = one.range(-3, 3);
            assert_eq!(number, two.range(-3, 3));
            assert!((-3..=3).contains(&number));
        }
        assert_ne!(Random::new(1).next(), Random::new(2).next());
    }
}
