//! Numbers that look random, for tests.

/// A sequence of numbers that looks random and is always the same (Marsaglia's xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from zero, below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// A number at most this far from zero.
    pub fn within(&mut self, size: i64) -> i64 {
        self.below(2 * size as u64 + 1) as i64 - size
    }
}
