//! A place in a text that is read from the left, word by word.

use evidence::Integer;

/// Nesting that is followed.
const DEEPEST: u32 = 200;

/// A place in a text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    pub text: &'a str,
    /// How much of it is read, in bytes.
    pub at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    /// The start of a text.
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// The start of a text that stands for a word of another one.
    pub const fn inside(&self, text: &'a str) -> Self {
        Self { text, at: 0, depth: self.depth }
    }

    /// What is left after white space, which is read.
    pub fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Reads a sign if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Reads a word if one comes next.
    pub fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// The word that comes next; it is not read.
    pub fn peek(&self) -> Option<&'a str> {
        self.clone().word()
    }

    /// Reads an integer as C writes it. Nothing if there is none; its suffix comes with it.
    pub fn literal(&mut self) -> Option<(Integer, &'a str)> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let text = rest[..end].trim_end_matches(['u', 'U', 'l', 'L']);
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let number = match hexadecimal {
            Some(digits) => Integer::from_str_radix(digits, 16).ok(),
            None if text.len() > 1 && text.starts_with('0') => Integer::from_str_radix(text, 8).ok(),
            None => text.parse().ok(),
        };
        let number = number?;
        self.at += end;
        Some((number, &rest[text.len()..end]))
    }

    /// Goes one level deeper, unless that is too deep.
    pub fn deeper(&mut self) -> bool {
        self.depth += 1;
        self.depth <= DEEPEST
    }

    /// Goes one level up.
    pub fn back(&mut self) {
        self.depth -= 1;
    }
}
