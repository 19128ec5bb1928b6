//! The tokens of a text and the small pieces that they make: names, types, numbers, places.

use base::{Index, Location};
use program::{FieldName, FunctionId, ObjectId, ScopeId, Type};

use crate::items::Globals;
use crate::lex::{Name, Placed, Token, tokens};
use crate::{TextError, literal, words};

/// A constant of the text.
pub enum Constant {
    /// An integer or a boolean.
    Integer(i128),
    /// A float by its bits.
    Float(u128),
}

/// The tokens, and which one comes next.
pub struct Cursor {
    tokens: Vec<Placed>,
    at: usize,
}

impl Cursor {
    /// A cursor at the start of a text.
    pub fn new(text: &str) -> Result<Self, TextError> {
        Ok(Self { tokens: tokens(text)?, at: 0 })
    }

    /// How many tokens are behind.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back to where so many tokens were behind.
    pub fn reset(&mut self, position: usize) {
        self.at = position;
    }

    /// The next token.
    pub fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The token after so many others.
    pub fn peek_at(&self, distance: usize) -> &Token {
        self.tokens.get(self.at + distance).map_or(&Token::End, |placed| &placed.token)
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// An error at the next token.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        let (line, column) = self.line_and_column();
        TextError { line, column, message: message.into() }
    }

    /// The place of the next token in the text.
    pub fn line_and_column(&self) -> (usize, usize) {
        let placed = self.tokens.get(self.at).or(self.tokens.last());
        placed.map_or((1, 1), |placed| (placed.line, placed.column))
    }

    /// An error that says what should stand instead of the next token.
    pub fn expected(&self, what: &str) -> TextError {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    /// Takes a symbol if it comes next.
    pub fn accept(&mut self, symbol: &'static str) -> bool {
        let found = *self.peek() == Token::Symbol(symbol);
        self.at += usize::from(found);
        found
    }

    /// Takes a symbol that must come next.
    pub fn expect(&mut self, symbol: &'static str) -> Result<(), TextError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.expected(&format!("\"{symbol}\""))) }
    }

    /// Takes a word if it comes next.
    pub fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// Whether a word comes next.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(name) if name.text == word)
    }

    /// Takes a word that must come next.
    pub fn expect_word(&mut self, word: &str) -> Result<(), TextError> {
        if self.accept_word(word) { Ok(()) } else { Err(self.expected(&format!("\"{word}\""))) }
    }

    /// Takes a word of a table if it comes next.
    pub fn accept_item<T: Copy>(&mut self, table: &[(T, &'static str)]) -> Option<T> {
        let item = match self.peek() {
            Token::Word(word) => words::item(table, &word.text),
            _ => None,
        };
        self.at += usize::from(item.is_some());
        item
    }

    /// Items with commas between them, and the bracket that ends them.
    pub fn list(
        &mut self,
        end: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<(), TextError>,
    ) -> Result<(), TextError> {
        if self.accept(end) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(end) {
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    /// A bare or quoted name.
    pub fn name(&mut self) -> Result<Name, TextError> {
        let name = match self.peek() {
            Token::Word(name) => Some(name.clone()),
            Token::Text(bytes, number) => {
                String::from_utf8(bytes.clone()).ok().map(|text| Name { text, number: *number })
            }
            _ => None,
        };
        let name = name.ok_or_else(|| self.expected("a name"))?;
        self.at += 1;
        Ok(name)
    }

    /// `%x`.
    pub fn local_name(&mut self) -> Result<Name, TextError> {
        match self.peek().clone() {
            Token::Local(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected("a name like %x")),
        }
    }

    /// A quoted text.
    pub fn text(&mut self) -> Result<String, TextError> {
        let text = match self.peek() {
            Token::Text(bytes, None) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        };
        let text = text.ok_or_else(|| self.expected("a quoted text"))?;
        self.at += 1;
        Ok(text)
    }

    /// A type.
    pub fn ty(&mut self) -> Result<Type, TextError> {
        let ty = match self.peek() {
            Token::Word(word) => words::type_named(&word.text),
            _ => None,
        };
        let ty = ty.ok_or_else(|| self.expected("a type"))?;
        self.at += 1;
        Ok(ty)
    }

    /// A number without type.
    pub fn number<T: TryFrom<i128>>(&mut self) -> Result<T, TextError> {
        self.untyped_integer(None)?
            .try_into()
            .map_err(|_| self.error("expected a smaller number before this"))
    }

    /// An integer that stands for one of the type.
    pub fn untyped_integer(&mut self, ty: Option<Type>) -> Result<i128, TextError> {
        let before = self.at;
        let negative = self.accept("-");
        let value = match self.peek() {
            Token::Number(digits) => literal::parse_integer(ty, negative, digits),
            _ => None,
        };
        let Some(value) = value else {
            self.at = before;
            return Err(self.expected("an integer"));
        };
        self.at += 1;
        Ok(value)
    }

    /// `-1:i32`, `true`, `1.5:f64`.
    pub fn constant(&mut self) -> Result<(Constant, Type), TextError> {
        for (word, value) in [("true", 1), ("false", 0)] {
            if self.accept_word(word) {
                return Ok((Constant::Integer(value), Type::Bool));
            }
        }
        let start = self.at;
        let negative = self.accept("-");
        let Token::Number(digits) = self.next() else {
            self.at = start;
            return Err(self.expected("a constant"));
        };
        self.expect(":")?;
        let ty = self.ty()?;
        let constant = match ty {
            Type::Float(format) => literal::parse_float(format, negative, &digits).map(Constant::Float),
            _ => literal::parse_integer(Some(ty), negative, &digits).map(Constant::Integer),
        };
        constant.map(|constant| (constant, ty)).ok_or_else(|| {
            self.at = start;
            self.error(format!("expected a number of type {ty}, found \"{digits}\""))
        })
    }

    /// A place, or the unknown one if none comes next.
    pub fn place(&mut self) -> Location {
        match *self.peek() {
            Token::Location(location) => {
                self.at += 1;
                location
            }
            _ => Location::unknown(),
        }
    }

    /// `in s1`, if it comes next.
    pub fn scope(&mut self) -> Result<Option<ScopeId>, TextError> {
        if self.accept_word("in") { self.scope_name().map(Some) } else { Ok(None) }
    }

    /// `s1`.
    pub fn scope_name(&mut self) -> Result<ScopeId, TextError> {
        let number: Option<u32> = match self.peek() {
            Token::Word(word) => word.text.strip_prefix('s').and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected("a scope like s0"))?;
        self.at += 1;
        Ok(ScopeId::new(number as usize))
    }

    /// `fields { x: i32 at 0 }`, if it comes next.
    pub fn fields(&mut self) -> Result<Vec<FieldName>, TextError> {
        let mut fields = Vec::new();
        if self.accept_word("fields") {
            self.expect("{")?;
            self.list("}", |cursor| {
                let name = cursor.name()?.text;
                cursor.expect(":")?;
                let ty = cursor.ty()?;
                cursor.expect_word("at")?;
                fields.push(FieldName { offset: cursor.number()?, ty, name });
                Ok(())
            })?;
        }
        Ok(fields)
    }

    /// `&$x`.
    pub fn global_object(&mut self, globals: &Globals) -> Result<ObjectId, TextError> {
        let found = match self.peek() {
            Token::GlobalAddress(name) => globals.objects.get(name).copied(),
            _ => None,
        };
        let object = found.ok_or_else(|| self.expected("an object of the program"))?;
        self.at += 1;
        Ok(object)
    }

    /// `(f)`.
    pub fn function_in_parentheses(&mut self, globals: &Globals) -> Result<FunctionId, TextError> {
        self.expect("(")?;
        let function = self.function(globals)?;
        self.expect(")")?;
        Ok(function)
    }

    /// The name of a function.
    pub fn function(&mut self, globals: &Globals) -> Result<FunctionId, TextError> {
        let before = self.at;
        let name = self.name()?;
        globals.functions.get(&name).copied().ok_or_else(|| {
            self.at = before;
            self.expected("a function")
        })
    }
}
