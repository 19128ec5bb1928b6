//! Reads programs from their text form, which the module `program::text` describes. Tests are written in it.

mod body;
mod cursor;
mod expression;
mod items;
mod lex;
mod literal;
mod words;

#[cfg(test)]
mod tests;

use program::Program;

/// Why a text is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, from one.
    pub line: usize,
    /// The column in characters, from one.
    pub column: usize,
    /// What is wrong there: `expected a type, found "x"`.
    pub message: String,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}

/// The program that a text describes. It need not be one that [`program::verify`] accepts.
pub fn parse(text: &str) -> Result<Program, TextError> {
    items::program(text)
}
