//! How operations and keywords are spelled: one table each, for whoever prints or reads the text form.

use crate::expression::{BinaryOp, OverflowOp, UnaryOp};
use crate::function::Origin;

/// Binary operations and their infix symbols.
pub const BINARY: [(BinaryOp, &str); 14] = [
    (BinaryOp::Add, "+"),
    (BinaryOp::Subtract, "-"),
    (BinaryOp::Multiply, "*"),
    (BinaryOp::Divide, "/"),
    (BinaryOp::Remainder, "%"),
    (BinaryOp::And, "&"),
    (BinaryOp::Or, "|"),
    (BinaryOp::Xor, "^"),
    (BinaryOp::ShiftLeft, "<<"),
    (BinaryOp::ShiftRight, ">>"),
    (BinaryOp::Equal, "=="),
    (BinaryOp::NotEqual, "!="),
    (BinaryOp::Less, "<"),
    (BinaryOp::LessEqual, "<="),
];

/// Operations inside `overflows(…)`.
pub const OVERFLOW: [(OverflowOp, &str); 5] = [
    (OverflowOp::Add, "+"),
    (OverflowOp::Subtract, "-"),
    (OverflowOp::Multiply, "*"),
    (OverflowOp::Divide, "/"),
    (OverflowOp::ShiftLeft, "<<"),
];

/// Unary operations that are written in front of their operand.
pub const PREFIX: [(UnaryOp, &str); 3] =
    [(UnaryOp::Negate, "-"), (UnaryOp::Complement, "~"), (UnaryOp::Not, "!")];

/// Unary operations that are written like a function.
pub const NAMED: [(UnaryOp, &str); 4] = [
    (UnaryOp::CountOnes, "count_ones"),
    (UnaryOp::LeadingZeros, "leading_zeros"),
    (UnaryOp::TrailingZeros, "trailing_zeros"),
    (UnaryOp::SwapBytes, "swap_bytes"),
];

/// The keywords that declare variables.
pub const ORIGINS: [(Origin, &str); 3] =
    [(Origin::Source, "variable"), (Origin::Parameter, "parameter"), (Origin::Temporary, "temporary")];

/// The name of an item of one of the tables above.
pub fn name<T: PartialEq>(table: &[(T, &'static str)], item: T) -> Option<&'static str> {
    table.iter().find(|(candidate, _)| *candidate == item).map(|(_, name)| *name)
}

/// Whether a name can stand in the text without quotes.
pub fn is_plain(name: &str) -> bool {
    name.chars().next().is_some_and(starts_word) && name.chars().all(continues_word)
}

/// Whether a character can start a word.
pub fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a character can stand in a word.
pub fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}
