//! Values at run time: untyped slots of 128 bits whose meaning the static types give.
//!
//! | type                                   | `low`                               | `high`                  |
//! |----------------------------------------|-------------------------------------|-------------------------|
//! | `bool`                                 | 0 or 1                              | 0                       |
//! | integer of at most 64 bits             | the number, sign- or zero-extended  | 0                       |
//! | wider integer, or mathematical integer | low half of the number              | its high half           |
//! | floating point number                  | low half of the bits                | high half               |
//! | pointer                                | the offset                          | the object's handle     |
//! | pointer to no object                   | the address, zero for null          | 0                       |

use crate::types::{IntegerType, Type};

/// A value whose type is known from where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Slot {
    pub low: u64,
    pub high: u64,
}

impl Slot {
    pub const NULL: Slot = Slot { low: 0, high: 0 };

    /// A `bool`, a small integer or a float of at most 64 bits.
    #[inline]
    pub const fn small(low: u64) -> Self {
        Self { low, high: 0 }
    }

    /// A value of 128 bits.
    #[inline]
    pub const fn wide(value: u128) -> Self {
        Self { low: value as u64, high: (value >> 64) as u64 }
    }

    /// All its bits.
    #[inline]
    pub const fn bits(self) -> u128 {
        (self.high as u128) << 64 | self.low as u128
    }

    /// A truth value.
    #[inline]
    pub const fn truth(value: bool) -> Self {
        Self::small(value as u64)
    }

    /// A pointer into an object.
    #[inline]
    pub const fn pointer(handle: Handle, offset: i64) -> Self {
        Self { low: offset as u64, high: handle.0 }
    }

    /// The object that a pointer points into.
    #[inline]
    pub const fn handle(self) -> Handle {
        Handle(self.high)
    }

    /// How far from its object's start a pointer points.
    #[inline]
    pub const fn offset(self) -> i64 {
        self.low as i64
    }

    /// Whether a pointer is null.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.low == 0 && self.high == 0
    }

    /// The pointer moved by bytes.
    #[inline]
    pub const fn moved(self, bytes: i64) -> Self {
        Self { low: self.low.wrapping_add(bytes as u64), high: self.high }
    }
}

/// An object at run time: its place in the table of objects and how often that place was used before, so that a
/// pointer to an object that is gone is never one to its successor. Zero is no object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Handle(pub u64);

impl Handle {
    pub const NONE: Handle = Handle(0);

    pub const fn new(index: usize, generation: u32) -> Self {
        Self((generation as u64) << 32 | index as u64)
    }

    #[inline]
    pub const fn index(self) -> usize {
        self.0 as u32 as usize
    }

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// How integers are kept in slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IntegerForm {
    /// Whether all integers are numbers of 128 bits that do not wrap.
    pub mathematical: bool,
}

impl IntegerForm {
    /// Whether integers of this type need only the low half.
    pub const fn is_small(self, ty: IntegerType) -> bool {
        !self.mathematical && ty.width <= 64
    }

    /// The number in a slot, in the normal form of its type.
    pub const fn read(self, ty: IntegerType, slot: Slot) -> i128 {
        if !self.is_small(ty) {
            slot.bits() as i128
        } else if ty.signed {
            slot.low as i64 as i128
        } else {
            slot.low as i128
        }
    }

    /// The slot of a number in the normal form of its type.
    pub const fn write(self, ty: IntegerType, value: i128) -> Slot {
        if self.is_small(ty) { Slot::small(value as u64) } else { Slot::wide(value as u128) }
    }

    /// The number in a slot of an integer or boolean type.
    pub const fn number(self, ty: Type, slot: Slot) -> i128 {
        match ty {
            Type::Integer(integer) => self.read(integer, slot),
            _ => slot.low as i128,
        }
    }
}
