//! The scalar types of generated programs, with the ranges and conversions of the LP64 data model.

/// A scalar type of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
}

use Scalar::*;

/// The integer types.
pub(super) const INTEGERS: [Scalar; 12] = [
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
];

impl Scalar {
    /// How C spells it.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Float => "float",
            Double => "double",
        }
    }

    /// Its width in bits; that of `_Bool` is one.
    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Char | SignedChar | UnsignedChar => 8,
            Short | UnsignedShort => 16,
            Int | UnsignedInt | Float => 32,
            Long | UnsignedLong | LongLong | UnsignedLongLong | Double => 64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong)
    }

    /// The lowest and the highest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        if self.is_signed() {
            let half = 1i128 << (self.bits() - 1);
            (-half, half - 1)
        } else {
            (0, (1i128 << self.bits()) - 1)
        }
    }

    /// The type after the integer promotions.
    pub fn promoted(self) -> Scalar {
        if !self.is_float() && self.bits() < 32 { Int } else { self }
    }

    /// The unsigned type of the same width, for an integer type of at least the width of `int`.
    pub fn unsigned(self) -> Scalar {
        match self {
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Int => UnsignedInt,
            other => other,
        }
    }

    fn rank(self) -> u32 {
        match self {
            Long | UnsignedLong => 2,
            LongLong | UnsignedLongLong => 3,
            Float => 4,
            Double => 5,
            _ => 1,
        }
    }

    /// The type of the result after the usual arithmetic conversions.
    pub fn common(self, other: Scalar) -> Scalar {
        let (a, b) = (self.promoted(), other.promoted());
        let (high, low) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
        if high.is_float() || high.is_signed() == low.is_signed() || !high.is_signed() {
            return high;
        }
        // A signed type of higher rank wins only if it can hold every value of the unsigned one.
        if high.bits() > low.bits() { high } else { high.unsigned() }
    }

    /// The conversion specification that prints a value of this type, after the default promotions.
    pub fn format(self) -> &'static str {
        match self {
            Bool | Char | SignedChar | UnsignedChar | Short | UnsignedShort | Int => "%d",
            UnsignedInt => "%u",
            Long => "%ld",
            UnsignedLong => "%lu",
            LongLong => "%lld",
            UnsignedLongLong => "%llu",
            Float => "%.9g",
            Double => "%.17g",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        assert_eq!(UnsignedChar.common(Short), Int);
        assert_eq!(Int.common(UnsignedInt), UnsignedInt);
        assert_eq!(Long.common(UnsignedInt), Long);
        assert_eq!(LongLong.common(UnsignedLong), UnsignedLongLong);
        assert_eq!(UnsignedLongLong.common(Float), Float);
        assert_eq!(Bool.common(Bool), Int);
    }
}
