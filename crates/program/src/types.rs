//! The types of values, and the data models that give C's types their widths.

use std::fmt;

/// The type of a value in a variable or an expression. Aggregates are never values: they are objects in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// True or false: what comparisons give and branches take. It is never in memory (C's `_Bool` is a `u8` there).
    Bool,
    /// A machine integer.
    Integer(IntegerType),
    /// A floating point number.
    Float(FloatFormat),
    /// A pointer: an object and an offset in it.
    Pointer,
}

/// A machine integer: its width in bits (1 to 128) and how its bits are read.
///
/// The sign is part of the type, as in C: division, comparison, shift and conversion follow it, and an operation
/// on signed integers may overflow where the same one on unsigned integers wraps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IntegerType {
    /// Width in bits, from 1 to 128.
    pub width: u8,
    /// Whether the highest bit is a sign.
    pub signed: bool,
}

/// The format of a floating point number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// IEEE binary32, C's `float`.
    Single,
    /// IEEE binary64, C's `double`.
    Double,
    /// The x87's 80 bits, C's `long double` on x86.
    Extended,
    /// IEEE binary128.
    Quad,
}

/// How wide `long` and pointers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int` 32, `long` 64, pointers 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers 32 bits.
    Ilp32,
}

impl Type {
    /// A signed integer of this width.
    pub const fn signed(width: u8) -> Self {
        Type::Integer(IntegerType { width, signed: true })
    }

    /// An unsigned integer of this width.
    pub const fn unsigned(width: u8) -> Self {
        Type::Integer(IntegerType { width, signed: false })
    }

    /// Whether what was written with this type may be read with another, as ISO C 6.5 says: the types differ in their sign at
    /// most, or one is a character.
    pub fn may_be_read_as(self, other: Self) -> bool {
        match (self, other) {
            (Type::Integer(one), Type::Integer(other)) => {
                one.width == other.width || one.width <= 8 || other.width <= 8
            }
            (Type::Integer(character), _) | (_, Type::Integer(character)) => character.width <= 8,
            (one, other) => one == other,
        }
    }

    /// The integer type, if it is one.
    pub const fn integer(self) -> Option<IntegerType> {
        match self {
            Type::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    /// How many bytes a value of this type takes in memory. A `bool` is never stored and answers 1.
    pub fn bytes(self, model: DataModel) -> u64 {
        match self {
            Type::Bool => 1,
            Type::Integer(integer) => u64::from(integer.width).div_ceil(8),
            Type::Float(format) => format.bytes(model),
            Type::Pointer => model.pointer_bytes(),
        }
    }
}

impl IntegerType {
    /// The smallest value. Of an unsigned type it is zero.
    pub const fn minimum(self) -> i128 {
        if self.signed { i128::MIN >> (128 - self.width as u32) } else { 0 }
    }

    /// The largest value; that of the unsigned type of 128 bits is its bit pattern, -1.
    pub const fn maximum(self) -> i128 {
        match (self.signed, self.width) {
            (true, width) => i128::MAX >> (128 - width as u32),
            (false, 128) => -1,
            (false, width) => (1i128 << width) - 1,
        }
    }

    /// The same width with the other reading of the bits.
    pub const fn with_sign(self, signed: bool) -> Self {
        Self { width: self.width, signed }
    }
}

impl FloatFormat {
    /// How many bytes a number takes in memory.
    pub fn bytes(self, model: DataModel) -> u64 {
        match self {
            FloatFormat::Extended => match model {
                DataModel::Lp64 => 16,
                DataModel::Ilp32 => 12,
            },
            _ => u64::from(self.bits()) / 8,
        }
    }

    /// How many bits the number itself has.
    pub const fn bits(self) -> u32 {
        match self {
            FloatFormat::Half => 16,
            FloatFormat::Single => 32,
            FloatFormat::Double => 64,
            FloatFormat::Extended => 80,
            FloatFormat::Quad => 128,
        }
    }

    /// How many bits stand behind the exponent. In the extended format the leading one is among them.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            FloatFormat::Half => 10,
            FloatFormat::Single => 23,
            FloatFormat::Double => 52,
            FloatFormat::Extended => 64,
            FloatFormat::Quad => 112,
        }
    }
}

impl DataModel {
    /// How many bytes a pointer takes.
    pub const fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }

    /// The unsigned integer type as wide as a pointer, C's `size_t` and `uintptr_t`.
    pub const fn size_type(self) -> Type {
        Type::unsigned(self.pointer_bytes() as u8 * 8)
    }

    /// The signed integer type as wide as a pointer, C's `ptrdiff_t`: the type of offsets.
    pub const fn offset_type(self) -> Type {
        Type::signed(self.pointer_bytes() as u8 * 8)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Integer(integer) => integer.fmt(f),
            Type::Float(format) => format.fmt(f),
            Type::Pointer => f.write_str("ptr"),
        }
    }
}

impl fmt::Display for IntegerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

impl fmt::Display for FloatFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FloatFormat::Half => "f16",
            FloatFormat::Single => "f32",
            FloatFormat::Double => "f64",
            FloatFormat::Extended => "f80",
            FloatFormat::Quad => "f128",
        })
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataModel::Lp64 => "LP64",
            DataModel::Ilp32 => "ILP32",
        })
    }
}
