//! Splits a text into tokens with their places.

use base::{FileId, Index, Location};
use program::text::symbols::{continues_word, starts_word};

use crate::TextError;

/// A name, and its number where the name alone is not the only one of its kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The name without quotes.
    pub text: String,
    /// The number behind `#`.
    pub number: Option<usize>,
}

/// The smallest piece of text that means something.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A keyword or a bare name.
    Word(Name),
    /// `%x`.
    Local(Name),
    /// `$x`.
    Global(Name),
    /// `&x`.
    LocalAddress(Name),
    /// `&$x`.
    GlobalAddress(Name),
    /// `#3`.
    Shared(usize),
    /// A number as it is written, without sign.
    Number(String),
    /// A quoted text, and its number if it is a name that has one.
    Text(Vec<u8>, Option<usize>),
    /// `x"0a0b"`.
    Bytes(Vec<u8>),
    /// `@0:12:5`.
    Location(Location),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The token.
    pub token: Token,
    /// Its line, from one.
    pub line: usize,
    /// Its column, from one.
    pub column: usize,
}

/// Longer symbols stand before their prefixes.
const SYMBOLS: [&str; 31] = [
    "...", ":=", "->", "..", "<<", ">>", "==", "!=", "<=", "(", ")", "{", "}", ",", ":", "=", "<", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", ">", ";", "[", "]",
];

/// All tokens of a text; the last one is [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<Placed>, TextError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer.token()?;
        let is_end = token == Token::End;
        tokens.push(Placed { token, line, column });
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Lexer<'a> {
    fn token(&mut self) -> Result<Token, TextError> {
        let Some(first) = self.peek(0) else { return Ok(Token::End) };
        let second = self.peek(1);
        let named = second.is_some_and(|c| starts_word(c) || c == '"');
        match first {
            'x' if second == Some('"') => self.hexadecimal_bytes(),
            '"' => {
                let bytes = self.quoted()?;
                Ok(Token::Text(bytes, self.number_suffix()?))
            }
            '%' if named => self.sigil(1, Token::Local),
            '$' if named => self.sigil(1, Token::Global),
            '&' if named => self.sigil(1, Token::LocalAddress),
            '&' if second == Some('$') => self.sigil(2, Token::GlobalAddress),
            '#' => match self.number_suffix()? {
                Some(number) => Ok(Token::Shared(number)),
                None => Err(self.error("expected a number after \"#\"")),
            },
            '@' => self.location(),
            c if c.is_ascii_digit() => Ok(Token::Number(self.number())),
            c if starts_word(c) => {
                let text = self.take_while(continues_word).to_owned();
                Ok(Token::Word(Name { text, number: self.number_suffix()? }))
            }
            c => match SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)) {
                Some(symbol) => {
                    self.advance(symbol.len());
                    Ok(Token::Symbol(symbol))
                }
                None => Err(self.error(format!("expected a token, found {c:?}"))),
            },
        }
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        TextError { line: self.line, column: self.column, message: message.into() }
    }

    fn peek(&self, index: usize) -> Option<char> {
        self.rest.chars().nth(index)
    }

    /// Takes the next bytes, which end at a character.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        taken
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.advance(c.len_utf8());
        Some(c)
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accepts(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// A name after its sigil.
    fn sigil(&mut self, length: usize, make: impl Fn(Name) -> Token) -> Result<Token, TextError> {
        self.advance(length);
        let text = match self.peek(0) {
            Some('"') => {
                let bytes = self.quoted()?;
                String::from_utf8(bytes)
                    .map_err(|_| self.error("expected a name in UTF-8, found other bytes"))?
            }
            Some(c) if starts_word(c) => self.take_while(continues_word).to_owned(),
            _ => return Err(self.error("expected a name")),
        };
        Ok(make(Name { text, number: self.number_suffix()? }))
    }

    /// `#3`, if it follows.
    fn number_suffix(&mut self) -> Result<Option<usize>, TextError> {
        if !self.rest.starts_with('#') {
            return Ok(None);
        }
        self.advance(1);
        self.decimal().map(Some)
    }

    fn decimal<T: std::str::FromStr>(&mut self) -> Result<T, TextError> {
        let digits = self.take_while(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| self.error(format!("expected a small number, found {digits:?}")))
    }

    /// Digits and letters; a point or a sign only where it belongs to the number (`1.5e-7`, but not `1..5`).
    fn number(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            let is_hexadecimal = text.starts_with("0x");
            let belongs = match c {
                '.' => !is_hexadecimal && self.peek(1).is_some_and(|next| next.is_ascii_digit()),
                '-' | '+' => !is_hexadecimal && text.ends_with(['e', 'E']),
                _ => c.is_ascii_alphanumeric(),
            };
            if !belongs {
                break;
            }
            text.push_str(self.advance(1));
        }
        text
    }

    fn location(&mut self) -> Result<Token, TextError> {
        self.advance(1);
        let file: u32 = self.decimal()?;
        self.colon()?;
        let line = self.decimal()?;
        self.colon()?;
        let column = self.decimal()?;
        Ok(Token::Location(Location::new(FileId::new(file as usize), line, column)))
    }

    fn colon(&mut self) -> Result<(), TextError> {
        match self.peek(0) {
            Some(':') => {
                self.advance(1);
                Ok(())
            }
            _ => Err(self.error("expected \":\" in a place, as in @0:12:5")),
        }
    }

    fn hexadecimal_bytes(&mut self) -> Result<Token, TextError> {
        self.advance(2);
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        if self.peek(0) != Some('"') || !digits.len().is_multiple_of(2) {
            return Err(self.error("expected pairs of hexadecimal digits and \"\\\"\""));
        }
        self.advance(1);
        let pairs =
            (0..digits.len() / 2).map(|index| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16));
        match pairs.collect() {
            Ok(bytes) => Ok(Token::Bytes(bytes)),
            Err(_) => Err(self.error("expected hexadecimal digits")),
        }
    }

    /// A text in quotes, with its escapes resolved.
    fn quoted(&mut self) -> Result<Vec<u8>, TextError> {
        let start = self.error("expected a closing quote, found the end of the text");
        self.advance(1);
        let mut bytes = Vec::new();
        loop {
            match self.next_char().ok_or_else(|| start.clone())? {
                '"' => return Ok(bytes),
                '\\' => self.escape(&mut bytes)?,
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), TextError> {
        let wrong = self.error("expected an escape: \\\\, \\\", \\n, \\t, \\r, \\xNN or \\u{N}");
        match self.next_char() {
            Some('\\') => bytes.push(b'\\'),
            Some('"') => bytes.push(b'"'),
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('x') => {
                let digits: String = [self.next_char(), self.next_char()].into_iter().flatten().collect();
                bytes.push(hexadecimal(&digits).and_then(|value| u8::try_from(value).ok()).ok_or(wrong)?);
            }
            Some('u') if self.peek(0) == Some('{') => {
                self.advance(1);
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = hexadecimal(digits).and_then(char::from_u32).filter(|_| self.peek(0) == Some('}'));
                bytes.extend_from_slice(c.ok_or(wrong)?.encode_utf8(&mut [0; 4]).as_bytes());
                self.advance(1);
            }
            _ => return Err(wrong),
        }
        Ok(())
    }
}

/// A number of hexadecimal digits and nothing else.
fn hexadecimal(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        u32::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(name) => write!(f, "\"{}\"", name.text),
            Token::Local(name) => write!(f, "\"%{}\"", name.text),
            Token::Global(name) => write!(f, "\"${}\"", name.text),
            Token::LocalAddress(name) => write!(f, "\"&{}\"", name.text),
            Token::GlobalAddress(name) => write!(f, "\"&${}\"", name.text),
            Token::Shared(number) => write!(f, "\"#{number}\""),
            Token::Number(text) => write!(f, "\"{text}\""),
            Token::Text(..) => f.write_str("a quoted text"),
            Token::Bytes(_) => f.write_str("bytes"),
            Token::Location(_) => f.write_str("a place"),
            Token::Symbol(symbol) => write!(f, "\"{symbol}\""),
            Token::End => f.write_str("the end of the text"),
        }
    }
}
