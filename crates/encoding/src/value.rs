//! The values of program variables as terms.

use logic::{Sort, Term, Terms};
use program::Type;
use program::interpret::Integers;

/// How wide the number of an object is.
pub const OBJECT_WIDTH: u32 = 32;

/// How wide an offset in an object is, and the address of what is no object.
pub const OFFSET_WIDTH: u32 = 64;

/// The value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// It is not written yet, and nobody has read it.
    Unset,
    /// A truth value (a boolean term), an integer (bits of its width, or a number in mathematical mode), or the bits
    /// of a floating point number.
    Scalar(Term),
    /// A pointer.
    Pointer(Pointer),
}

/// A pointer: the number of an object and an offset in it. Number zero is no object, and then the offset is an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pointer {
    /// The number of the object.
    pub object: Term,
    /// The offset in bytes.
    pub offset: Term,
}

impl Value {
    /// The term of a number; of a pointer its offset.
    pub fn term(self) -> Option<Term> {
        match self {
            Value::Scalar(term) => Some(term),
            Value::Pointer(pointer) => Some(pointer.offset),
            Value::Unset => None,
        }
    }
}

/// A number that is known.
pub(crate) fn known(terms: &Terms, term: Term) -> Option<u64> {
    terms.known_bits(term).and_then(|bits| bits.to_u128()).and_then(|bits| bits.try_into().ok())
}

/// Whether a number is surely a multiple of a power of two.
pub(crate) fn is_multiple(terms: &Terms, term: Term, unit: u64) -> bool {
    match known(terms, term) {
        Some(number) => number.is_multiple_of(unit),
        None => terms.trailing_zeros(term) >= unit.trailing_zeros(),
    }
}

/// An arbitrary value of a type.
pub fn anything(terms: &mut Terms, name: &str, ty: Type, integers: Integers) -> Value {
    let sort = match ty {
        Type::Bool => Sort::Bool,
        Type::Integer(_) if integers == Integers::Mathematical => Sort::Integer,
        Type::Integer(integer) => Sort::BitVector(integer.width.into()),
        Type::Float(format) => Sort::BitVector(format.bits()),
        // Whatever it points to, it is no object that an encoding knows: using it is never proved safe.
        Type::Pointer => {
            let object = terms.bits(OBJECT_WIDTH, 0);
            let offset = terms.fresh(name, Sort::BitVector(OFFSET_WIDTH));
            return Value::Pointer(Pointer { object, offset });
        }
    };
    Value::Scalar(terms.fresh(name, sort))
}

impl Pointer {
    /// The null pointer.
    pub fn null(terms: &mut Terms) -> Self {
        Self::to(terms, 0, 0)
    }

    /// A pointer to a byte of an object.
    pub fn to(terms: &mut Terms, object: u32, offset: i64) -> Self {
        Self {
            object: terms.bits(OBJECT_WIDTH, object.into()),
            offset: terms.signed_bits(OFFSET_WIDTH, offset.into()),
        }
    }

    /// Whether it is the null pointer.
    pub fn is_null(self, terms: &mut Terms) -> Term {
        let null = Self::null(terms);
        let (object, offset) = (terms.equal(self.object, null.object), terms.equal(self.offset, null.offset));
        terms.and(object, offset)
    }

    /// One of two pointers.
    pub fn choose(terms: &mut Terms, condition: Term, then: Self, otherwise: Self) -> Self {
        Self {
            object: terms.ite(condition, then.object, otherwise.object),
            offset: terms.ite(condition, then.offset, otherwise.offset),
        }
    }
}
