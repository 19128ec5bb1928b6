//! The sorts of terms.

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// Bits; at least one.
    BitVector(u32),
    /// A number without limits.
    Integer,
    /// A total function from an index to an element.
    Array(Scalar, Scalar),
}

/// A sort that an array can have as its index or its element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// True or false.
    Bool,
    /// Bits; at least one.
    BitVector(u32),
    /// A number without limits.
    Integer,
}

impl Sort {
    /// The width, if it is a bit-vector.
    pub const fn width(self) -> Option<u32> {
        match self {
            Sort::BitVector(width) => Some(width),
            _ => None,
        }
    }

    /// The same sort as an index or an element, unless it is an array.
    pub const fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bool => Some(Scalar::Bool),
            Sort::BitVector(width) => Some(Scalar::BitVector(width)),
            Sort::Integer => Some(Scalar::Integer),
            Sort::Array(..) => None,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Sort::Bool,
            Scalar::BitVector(width) => Sort::BitVector(width),
            Scalar::Integer => Sort::Integer,
        }
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Sort::Bool => f.write_str("bool"),
            Sort::BitVector(width) => write!(f, "bits{width}"),
            Sort::Integer => f.write_str("integer"),
            Sort::Array(index, element) => write!(f, "{}[{}]", Sort::from(element), Sort::from(index)),
        }
    }
}
