//! Expressions of ACSL and of CBMC, read from the left with the precedence of C.
//!
//! Where the two differ: ACSL computes over ℤ and reads `a <= b < c` as two comparisons; CBMC computes as C does. What is not
//! understood is an error at its place.

use std::sync::Arc;

use evidence::{Formula, Integer, Moment, Name, Part, Quantity};
use program::annotation::{CType, Language, Word};

use super::number::{INT, Linear, Number, Range};
use super::scope::Scope;
use super::types;
use super::value::{Pointer, Read, Root, Trouble, Truth, Value};
use crate::cursor::Cursor;

/// So many macros are expanded in a clause.
const MOST_MACROS: u32 = 200;

/// A value has no more parts. Some operations repeat their operands, so that a short text could make a huge one.
const LARGEST: usize = 10_000;

/// Reads one expression.
pub(crate) struct Reader<'a> {
    pub cursor: Cursor<'a>,
    pub scope: &'a Scope<'a>,
    pub language: Language,
    /// When things are examined, if the text says so.
    pub moment: Option<Moment>,
    /// The numbers that quantifiers bind: how each is called here and in evidence.
    pub bound: Vec<(String, Name, Range, Option<program::IntegerType>)>,
    /// How many macros were expanded so far.
    pub macros: u32,
}

impl<'a> Reader<'a> {
    /// A reader of a text.
    pub fn new(text: &'a str, scope: &'a Scope<'a>, language: Language) -> Self {
        Self { cursor: Cursor::new(text), scope, language, moment: None, bound: Vec::new(), macros: 0 }
    }

    pub fn is_c(&self) -> bool {
        self.language == Language::Cprover
    }

    pub fn trouble<T>(&self, reason: impl Into<String>) -> Read<T> {
        Err(Trouble::new(self.cursor.at, reason))
    }

    pub fn need(&mut self, token: &str) -> Read<()> {
        if self.cursor.eat(token) { Ok(()) } else { self.trouble(format!("expected `{token}`")) }
    }

    /// Where the next word begins.
    pub fn here(&mut self) -> usize {
        self.cursor.rest();
        self.cursor.at
    }

    /// Reads a predicate to the end of the text.
    pub fn whole(&mut self) -> Read<Truth> {
        self.label();
        let at = self.here();
        let value = self.expression()?;
        self.end()?;
        self.truth(at, value)
    }

    pub fn end(&mut self) -> Read<()> {
        if self.cursor.rest().is_empty() { Ok(()) } else { self.trouble("expected an operator or the end") }
    }

    /// Skips a name in front of a predicate.
    pub(super) fn label(&mut self) {
        loop {
            let mut ahead = self.cursor.clone();
            if self.is_c() || ahead.word().is_none() || ahead.rest().starts_with("::") || !ahead.eat(":") {
                return;
            }
            self.cursor = ahead;
        }
    }

    /// Goes one level deeper for a part.
    pub(super) fn nested(&mut self, part: impl FnOnce(&mut Self) -> Read<Value>) -> Read<Value> {
        if !self.cursor.deeper() {
            return self.trouble("this is nested too deeply");
        }
        let value = part(self);
        self.cursor.back();
        value.and_then(|value| self.bounded(value))
    }

    /// A value that is not too large.
    pub(super) fn bounded(&self, value: Value) -> Read<Value> {
        let mut parts = 0usize;
        let mut count = |_: Part<'_>| parts += 1;
        match &value {
            Value::Truth(truth) => Part::Formula(&truth.formula).walk(&mut count),
            Value::Number(number) => Part::Number(&number.expression()).walk(&mut count),
            _ => {}
        }
        if parts > LARGEST { self.trouble("this becomes too large") } else { Ok(value) }
    }

    pub(super) fn postfix(&mut self) -> Read<Value> {
        let at = self.here();
        let mut value = self.primary()?;
        loop {
            let rest = self.cursor.rest();
            if rest.starts_with("++") || rest.starts_with("--") && !rest.starts_with("-->") {
                return self.trouble("assignments are not supported");
            } else if self.cursor.eat("[") {
                let pointer = self.pointer(at, value)?;
                let pointer = self.indexed(at, pointer)?;
                self.need("]")?;
                value = Value::Place(pointer.target());
            } else if self.cursor.eat("->") {
                let pointer = self.pointer(at, value)?;
                value = Value::Place(self.member(pointer.target())?);
            } else if rest.starts_with('.') && !rest.starts_with("..") {
                self.cursor.at += 1;
                let Value::Place(place) = value else { return self.trouble("this has no members") };
                value = Value::Place(self.member(place)?);
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Read<Value> {
        let at = self.here();
        let rest = self.cursor.rest();
        if self.cursor.eat("(") {
            self.label();
            let value = self.expression()?;
            let value = if self.cursor.eat("..") {
                let from = self.number(at, value)?;
                let count = self.until(&from)?;
                Value::Range(from, count)
            } else {
                value
            };
            self.need(")")?;
            return Ok(value);
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return match self.cursor.literal() {
                Some((number, suffix)) if !is_fraction(self.cursor.rest()) => {
                    Ok(Value::Number(types::literal(number, suffix, rest, self.is_c())))
                }
                _ => Err(Trouble::new(at, "only whole numbers are supported")),
            };
        }
        if rest.starts_with('\'') {
            return types::character(self);
        }
        if rest.starts_with('\\') {
            self.cursor.at += 1;
            let Some(word) = self.cursor.word() else {
                return Err(Trouble::new(at, "expected a word of ACSL"));
            };
            return self.built_in(at, word);
        }
        let Some(word) = self.cursor.word() else {
            return Err(Trouble::new(at, "expected a number, a variable or `(`"));
        };
        self.named(at, word)
    }

    /// What a word stands for.
    fn named(&mut self, at: usize, word: &str) -> Read<Value> {
        if word == "sizeof" {
            return types::size(self, at);
        }
        if let Some(value) = self.called(at, word)? {
            return Ok(value);
        }
        if let Some((_, name, range, ty)) = self.bound.iter().rev().find(|(spelled, ..)| spelled == word) {
            let quantity = Quantity::value(name.as_str()).at(Moment::Now);
            return Ok(Value::Number(Number::new(quantity, range.clone(), ty.filter(|_| self.is_c()))));
        }
        if let Some(place) = self.scope.place(word).map_err(|reason| Trouble::new(at, reason))? {
            return Ok(Value::Place(place));
        }
        match self.scope.word(word) {
            Some(Word::Number(number)) => {
                let ty = Some(INT).filter(|_| self.is_c());
                Ok(Value::Number(Number { ty, ..Number::known(Integer::from(*number)) }))
            }
            Some(Word::Macro(text)) => self.expanded(at, word, text),
            Some(Word::Type(_)) => Err(Trouble::new(at, format!("`{word}` is a type"))),
            None if self.cursor.rest().starts_with('(') => {
                Err(Trouble::new(at, format!("`{word}` is not known here, or not supported")))
            }
            None => Err(Trouble::new(at, format!("`{word}` is not known here"))),
        }
    }

    /// What a macro stands for: one value, in parentheses if it is more than a word.
    fn expanded(&mut self, at: usize, word: &str, text: &str) -> Read<Value> {
        let refuse = |reason: String| Err(Trouble::new(at, reason));
        if self.macros >= MOST_MACROS {
            return refuse(format!("the macro `{word}` is too large"));
        }
        let mut inner = Reader {
            cursor: self.cursor.inside(text),
            scope: self.scope,
            language: self.language,
            moment: self.moment,
            bound: self.bound.clone(),
            macros: self.macros + 1,
        };
        let value = inner.tight();
        self.macros = inner.macros;
        match value {
            Ok(value) if inner.end().is_ok() => Ok(value),
            Ok(_) => refuse(format!("the macro `{word}` is not one value in parentheses")),
            Err(Trouble { reason, .. }) => refuse(format!("the macro `{word}` is not read: {reason}")),
        }
    }
}

/// Whether a number goes on behind a point.
fn is_fraction(rest: &str) -> bool {
    rest.starts_with('.') && !rest.starts_with("..")
}

/// The null pointer.
pub(crate) fn null() -> Pointer {
    let to = Arc::new(CType { size: Some(1), ..CType::other("void") });
    Pointer { root: Root::Null, offset: Linear::default(), to, count: None }
}

/// The second if the first.
pub(crate) fn implies(left: Formula, right: Formula) -> Formula {
    (!left).or(right)
}

/// All of some formulas, without those that always hold.
pub(crate) fn all(parts: Vec<Formula>) -> Formula {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Formula::True => {}
            Formula::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    match flat.len() {
        0 => Formula::True,
        1 => flat.remove(0),
        _ => Formula::All(flat),
    }
}
