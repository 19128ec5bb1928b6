//! What a term can be. The meaning of every operation is that of SMT-LIB 2, and is defined by [`crate::evaluate`].

use crate::sort::{Scalar, Sort};
use crate::terms::{ConstantId, SymbolId, Term};

/// One term, over terms that were made before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// An unknown of any sort.
    Symbol(SymbolId),
    /// A boolean, a bit-vector or an integer that is known.
    Constant(ConstantId),
    /// An operation on one term.
    Unary(Unary, Term),
    /// An operation on two terms.
    Binary(Binary, Term, Term),
    /// The second term if the first (a boolean) is true, else the third; of any sort.
    Ite(Term, Term, Term),
    /// The array that is like the first term but has the third at the index of the second.
    Store(Term, Term, Term),
    /// The array of this index sort that has one element everywhere.
    ConstantArray(Scalar, Term),
}

/// An operation on one term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// Logical negation.
    Not,
    /// All bits flipped.
    BitNot,
    /// Two's complement negation of bits.
    BitNegate,
    /// The bits from the high index down to the low one, both included.
    Extract {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
    },
    /// So many zero bits on top.
    ZeroExtend(u32),
    /// So many copies of the highest bit on top.
    SignExtend(u32),
    /// The number that bits mean without a sign.
    UnsignedToInteger,
    /// The number that bits mean in two's complement.
    SignedToInteger,
    /// The low bits of a number, so many.
    IntegerToBits(u32),
    /// The negation of a number.
    Negate,
}

/// An operation on two terms of one sort, but for `Concat` (any two widths) and `Select` (an array and an index).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// Logical and.
    And,
    /// Logical or.
    Or,
    /// Equality, of any sort; on booleans it is equivalence, on arrays it is equality everywhere.
    Equal,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Sum of bits, wrapping.
    BitAdd,
    /// Difference of bits, wrapping.
    BitSubtract,
    /// Product of bits, wrapping.
    BitMultiply,
    /// Unsigned quotient; all ones if the divisor is zero.
    UnsignedDivide,
    /// Unsigned remainder; the dividend if the divisor is zero.
    UnsignedRemainder,
    /// Signed quotient towards zero; by zero it is 1 for a negative dividend, else -1; the minimum by -1 wraps.
    SignedDivide,
    /// Signed remainder with the dividend's sign; the dividend if the divisor is zero.
    SignedRemainder,
    /// Left shift; zero if by the width or more.
    ShiftLeft,
    /// Right shift with zeros; zero if by the width or more.
    ShiftRight,
    /// Right shift with copies of the sign; all signs if by the width or more.
    ShiftRightSigned,
    /// The bits of the first above those of the second.
    Concat,
    /// Less, read without a sign.
    UnsignedLess,
    /// Less or equal, read without a sign.
    UnsignedLessEqual,
    /// Less, in two's complement.
    SignedLess,
    /// Less or equal, in two's complement.
    SignedLessEqual,
    /// Whether the product, read in two's complement, does not fit the width.
    SignedMultiplyOverflows,
    /// Whether the product, read without a sign, does not fit the width.
    UnsignedMultiplyOverflows,
    /// Sum of numbers.
    Add,
    /// Product of numbers.
    Multiply,
    /// Quotient of numbers with a remainder from zero up (Euclidean); zero if the divisor is zero.
    Divide,
    /// The remainder from zero up of that division; the dividend if the divisor is zero.
    Modulo,
    /// Less or equal, of numbers.
    LessEqual,
    /// Less, of numbers.
    Less,
    /// The element of an array at an index.
    Select,
}

impl Node {
    /// The terms under it, in order.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = Term> + use<> {
        let operands = match *self {
            Node::Symbol(_) | Node::Constant(_) => [None; 3],
            Node::Unary(_, a) | Node::ConstantArray(_, a) => [Some(a), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ite(a, b, c) | Node::Store(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// The same operation on other terms, as many as it has operands.
    pub fn with_operands(&self, mut next: impl FnMut(Term) -> Term) -> Self {
        match *self {
            Node::Symbol(_) | Node::Constant(_) => *self,
            Node::Unary(op, a) => Node::Unary(op, next(a)),
            Node::ConstantArray(index, a) => Node::ConstantArray(index, next(a)),
            Node::Binary(op, a, b) => {
                let a = next(a);
                Node::Binary(op, a, next(b))
            }
            Node::Ite(a, b, c) => {
                let (a, b) = (next(a), next(b));
                Node::Ite(a, b, next(c))
            }
            Node::Store(a, b, c) => {
                let (a, b) = (next(a), next(b));
                Node::Store(a, b, next(c))
            }
        }
    }
}

impl Unary {
    /// The sort of the result for an operand of this sort, if there is one.
    pub fn sort(self, operand: Sort) -> Option<Sort> {
        Some(match (self, operand) {
            (Unary::Not, Sort::Bool) => Sort::Bool,
            (Unary::BitNot | Unary::BitNegate, Sort::BitVector(_)) => operand,
            (Unary::Extract { high, low }, Sort::BitVector(width)) if low <= high && high < width => {
                Sort::BitVector(high - low + 1)
            }
            (Unary::ZeroExtend(by) | Unary::SignExtend(by), Sort::BitVector(width)) => {
                Sort::BitVector(width.checked_add(by)?)
            }
            (Unary::UnsignedToInteger | Unary::SignedToInteger, Sort::BitVector(_)) => Sort::Integer,
            (Unary::IntegerToBits(width), Sort::Integer) if width > 0 => Sort::BitVector(width),
            (Unary::Negate, Sort::Integer) => Sort::Integer,
            _ => return None,
        })
    }
}

impl Binary {
    /// The sort of the result for operands of these sorts, if there is one.
    pub fn sort(self, left: Sort, right: Sort) -> Option<Sort> {
        use Binary::*;
        Some(match (self, left, right) {
            (And | Or, Sort::Bool, Sort::Bool) => Sort::Bool,
            (Equal, _, _) if left == right => Sort::Bool,
            (Concat, Sort::BitVector(high), Sort::BitVector(low)) => Sort::BitVector(high.checked_add(low)?),
            (Select, Sort::Array(index, element), _) if Sort::from(index) == right => element.into(),
            (Add | Multiply | Divide | Modulo, Sort::Integer, Sort::Integer) => Sort::Integer,
            (LessEqual | Less, Sort::Integer, Sort::Integer) => Sort::Bool,
            (_, Sort::BitVector(a), Sort::BitVector(b)) if a == b => match self {
                UnsignedLess | UnsignedLessEqual | SignedLess | SignedLessEqual => Sort::Bool,
                SignedMultiplyOverflows | UnsignedMultiplyOverflows => Sort::Bool,
                BitAnd | BitOr | BitXor | BitAdd | BitSubtract | BitMultiply => left,
                UnsignedDivide | UnsignedRemainder | SignedDivide | SignedRemainder => left,
                ShiftLeft | ShiftRight | ShiftRightSigned => left,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether the operands can change places.
    pub const fn commutes(self) -> bool {
        use Binary::*;
        matches!(
            self,
            And | Or
                | Equal
                | BitAnd
                | BitOr
                | BitXor
                | BitAdd
                | BitMultiply
                | SignedMultiplyOverflows
                | UnsignedMultiplyOverflows
                | Add
                | Multiply
        )
    }
}
