//! What is known of a term of bits under every model: which bits, and the range, read with and without a sign.
//!
//! Abstract values are computed once, when a term is made, from those of its operands ([`super::transfer`]). Widths
//! above 128 have none. The three views are told to each other once by [`AbstractValue::agreed`], which is sound but
//! not the best possible.

/// The low bits set, so many of them.
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// What is known of a term of bits of one width, at most 128.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AbstractValue {
    /// How many bits.
    pub width: u32,
    /// Bits that are zero.
    pub zeros: u128,
    /// Bits that are one.
    pub ones: u128,
    /// The least it can be without a sign.
    pub low: u128,
    /// The most it can be without a sign.
    pub high: u128,
    /// The least it can be in two's complement.
    pub signed_low: i128,
    /// The most it can be in two's complement.
    pub signed_high: i128,
}

impl AbstractValue {
    /// The widest vectors that abstract values are kept of.
    pub const WIDEST: u32 = 128;

    /// Nothing known.
    pub const fn unknown(width: u32) -> Self {
        let high = mask(width);
        let signed_high = (high >> 1) as i128;
        Self { width, zeros: 0, ones: 0, low: 0, high, signed_low: -signed_high - 1, signed_high }
    }

    /// All known.
    pub const fn exact(width: u32, bits: u128) -> Self {
        let signed = Self::signed(width, bits);
        Self {
            width,
            zeros: !bits & mask(width),
            ones: bits,
            low: bits,
            high: bits,
            signed_low: signed,
            signed_high: signed,
        }
    }

    /// Bits read in two's complement.
    pub const fn signed(width: u32, bits: u128) -> i128 {
        let unused = 128 - width;
        ((bits << unused) as i128) >> unused
    }

    /// The bits, if there is only one possibility.
    pub fn value(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether it is certainly not negative in two's complement.
    pub fn is_non_negative(&self) -> bool {
        self.signed_low >= 0
    }

    /// Whether it is certainly negative in two's complement.
    pub fn is_negative(&self) -> bool {
        self.signed_high < 0
    }

    /// How many of the lowest bits are zero.
    pub fn trailing_zeros(&self) -> u32 {
        (!self.zeros).trailing_zeros().min(self.width)
    }

    /// Whether no value fits both this abstract value and the other.
    pub fn is_different_from(&self, other: &Self) -> bool {
        self.ones & other.zeros | self.zeros & other.ones != 0
            || self.high < other.low
            || other.high < self.low
            || self.signed_high < other.signed_low
            || other.signed_high < self.signed_low
    }

    /// The least and the most it can be, read with or without a sign, if 127 bits and a sign hold them.
    pub fn range(&self, signed: bool) -> Option<(i128, i128)> {
        if signed {
            Some((self.signed_low, self.signed_high))
        } else {
            Some((i128::try_from(self.low).ok()?, i128::try_from(self.high).ok()?))
        }
    }

    /// These abstract values, with each view told what the others know.
    #[must_use]
    pub fn agreed(mut self) -> Self {
        self.bound_by_bits();
        self.unsigned_by_signed();
        self.bits_by_unsigned();
        self.signed_by_unsigned();
        debug_assert!(
            self.low <= self.high && self.signed_low <= self.signed_high,
            "abstract value can hold: {self:?}"
        );
        debug_assert!(self.zeros & self.ones == 0, "abstract value can hold: {self:?}");
        self
    }

    fn bound_by_bits(&mut self) {
        self.low = self.low.max(self.ones);
        self.high = self.high.min(!self.zeros & mask(self.width));
    }

    /// A range that does not cross zero in two's complement is one range without a sign too.
    fn unsigned_by_signed(&mut self) {
        if (self.signed_low < 0) == (self.signed_high < 0) {
            self.low = self.low.max(self.signed_low as u128 & mask(self.width));
            self.high = self.high.min(self.signed_high as u128 & mask(self.width));
        }
    }

    /// The bits above the highest one in which the ends of the range differ are known.
    fn bits_by_unsigned(&mut self) {
        let differing = self.low ^ self.high;
        let known = mask(self.width) & !mask(128 - differing.leading_zeros());
        self.ones |= self.low & known;
        self.zeros |= !self.low & known;
    }

    /// A range without a sign on one side of the sign bit is one range in two's complement too.
    fn signed_by_unsigned(&mut self) {
        let sign = 1 << (self.width - 1);
        if self.low & sign == self.high & sign {
            self.signed_low = self.signed_low.max(Self::signed(self.width, self.low));
            self.signed_high = self.signed_high.min(Self::signed(self.width, self.high));
        }
    }
}
