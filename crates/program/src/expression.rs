//! Expressions: pure trees over variables. They read no memory, have no effect, and never fail.
//!
//! An operation that C leaves undefined for some operands (signed overflow, division by zero, a bad shift) has a
//! check statement in front of the statement that uses it; the expression itself then has *some* value (see
//! [`crate::arithmetic`]) so that evaluation is total.

use base::index_type;

use crate::function::LocalId;
use crate::program::{FunctionId, ObjectId};
use crate::types::Type;

index_type!(
    /// An expression of one function.
    ExprId,
    "e"
);

/// A variable: of a function, or (with the top bit set) one of the program's global variables.
///
/// Within one function a `VariableId` names one variable, local or global, so that analyses can use it as a key
/// without caring which of the two it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(u32);

impl VariableId {
    const GLOBAL: u32 = 1 << 31;

    /// The global variable with this number.
    pub fn global(index: usize) -> Self {
        let local = <Self as base::Index>::new(index);
        Self(local.0 | Self::GLOBAL)
    }

    /// Whether it is a global variable.
    pub const fn is_global(self) -> bool {
        self.0 & Self::GLOBAL != 0
    }
}

impl base::Index for VariableId {
    /// The local variable with this number.
    fn new(index: usize) -> Self {
        let number = u32::try_from(index).ok().filter(|number| number & Self::GLOBAL == 0);
        Self(number.expect("a function holds fewer than 2^31 variables"))
    }

    /// Its number among the locals of its function, or among the globals of the program.
    fn index(self) -> usize {
        (self.0 & !Self::GLOBAL) as usize
    }
}

impl std::fmt::Debug for VariableId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_global() { "global" } else { "v" }, base::Index::index(*self))
    }
}

/// An object that an expression can name: all others are reached through pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectRef {
    /// An object that lives as long as the program.
    Global(ObjectId),
    /// An object of the function.
    Local(LocalId),
}

/// An expression and its type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
}

/// What an expression computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// An integer or a boolean (0 or 1), in the normal form of its type: see [`crate::arithmetic::wrap`].
    Integer(i128),
    /// A floating point number, as the bits of its format.
    Float(u128),
    /// The null pointer.
    Null,
    /// The value of a variable.
    Variable(VariableId),
    /// A pointer to the first byte of an object.
    Object(ObjectRef),
    /// A pointer to a function.
    Function(FunctionId),
    /// An operation on one operand of the same type (bit counts: of any integer type).
    Unary(UnaryOp, ExprId),
    /// An operation on two operands of one type (shifts: the right one may have another integer type).
    Binary(BinaryOp, ExprId, ExprId),
    /// Whether an operation on two signed integers of one type leaves that type's range. A `bool`.
    Overflows(OverflowOp, ExprId, ExprId),
    /// The value in another type: between integers it wraps, from floats it truncates, from `bool` it is 0 or 1,
    /// to `bool` it is a comparison with zero, between pointers and integers it is the address.
    Convert(ExprId),
    /// The same bits read as another type of the same width: between integers and floats.
    Reinterpret(ExprId),
    /// A pointer moved by a signed number of bytes (of the data model's offset type).
    Offset(ExprId, ExprId),
    /// How many bytes the first pointer is after the second, in the data model's offset type.
    Difference(ExprId, ExprId),
    /// The second operand if the first (a `bool`) is true, else the third.
    Select(ExprId, ExprId, ExprId),
}

/// An operation on one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOp {
    /// The arithmetic negation of an integer or a float.
    Negate,
    /// All bits of an integer flipped.
    Complement,
    /// The negation of a `bool`.
    Not,
    /// How many bits of an integer are set.
    CountOnes,
    /// How many zero bits stand above the highest set one; the width for zero.
    LeadingZeros,
    /// How many zero bits stand below the lowest set one; the width for zero.
    TrailingZeros,
    /// The bytes of an integer in the other order.
    SwapBytes,
}

/// An operation on two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, truncated towards zero for integers.
    Divide,
    /// Remainder with the sign of the dividend. Integers only.
    Remainder,
    /// Bitwise and; logical and for `bool`.
    And,
    /// Bitwise or; logical or for `bool`.
    Or,
    /// Bitwise exclusive or; inequality for `bool`.
    Xor,
    /// Left shift of an integer.
    ShiftLeft,
    /// Right shift of an integer: of its sign if it is signed.
    ShiftRight,
    /// Equality. A `bool`.
    Equal,
    /// Inequality. A `bool`.
    NotEqual,
    /// Less than, by sign for integers, by address for pointers. A `bool`.
    Less,
    /// Less than or equal. A `bool`.
    LessEqual,
}

/// The operations that can leave the range of a signed type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OverflowOp {
    /// Sum.
    Add,
    /// Difference. A negation is a difference from zero.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient and remainder: the smallest value by -1.
    Divide,
    /// Left shift: of a negative number, or bits lost into or past the sign.
    ShiftLeft,
}

impl BinaryOp {
    /// Whether it gives a `bool` whatever it compares.
    pub const fn is_comparison(self) -> bool {
        matches!(self, BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual)
    }
}

impl Expr {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let operands: [Option<ExprId>; 3] = match self.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Variable(_)
            | ExprKind::Object(_)
            | ExprKind::Function(_) => [None; 3],
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Reinterpret(a) => [Some(a), None, None],
            ExprKind::Binary(_, a, b)
            | ExprKind::Overflows(_, a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Difference(a, b) => [Some(a), Some(b), None],
            ExprKind::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// Whether it is a constant: a number, null, or the address of an object or a function.
    pub const fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Integer(_)
                | ExprKind::Float(_)
                | ExprKind::Null
                | ExprKind::Object(ObjectRef::Global(_))
                | ExprKind::Function(_)
        )
    }
}
