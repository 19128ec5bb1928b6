//! Text in parentheses, taken apart.
//!
//! The expressions of one text lie in one list, so that no depth of nesting needs recursion, not even to forget them.

/// The expressions of a text.
#[derive(Clone, Debug)]
pub struct Expressions<'t> {
    tokens: Vec<Token<'t>>,
}

#[derive(Clone, Copy, Debug)]
enum Token<'t> {
    /// Begins a list; the number of tokens up to its end, both parentheses included.
    Open(usize),
    Close,
    Atom(&'t str),
}

/// One of the expressions: a word or a list.
#[derive(Clone, Copy, Debug)]
pub struct Expression<'e, 't> {
    tokens: &'e [Token<'t>],
}

impl<'t> Expressions<'t> {
    /// Takes a text apart, or says what is wrong with it. Bars around symbols are taken off, quotes around strings are
    /// not.
    pub fn new(text: &'t str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        let mut open = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if first.is_whitespace() => first.len_utf8(),
                '(' => {
                    open.push(tokens.len());
                    tokens.push(Token::Open(0));
                    1
                }
                ')' => {
                    let start = open.pop().ok_or("a parenthesis is closed that was not opened")?;
                    tokens.push(Token::Close);
                    tokens[start] = Token::Open(tokens.len() - start);
                    1
                }
                ';' => rest.find('\n').unwrap_or(rest.len()),
                '|' | '"' => {
                    let end = rest[1..].find(first).ok_or("a quoted word has no end")? + 1;
                    tokens.push(Token::Atom(if first == '|' { &rest[1..end] } else { &rest[..=end] }));
                    end + 1
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || "();|\"".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    tokens.push(Token::Atom(&rest[..end]));
                    end
                }
            };
            rest = &rest[length..];
        }
        if open.is_empty() { Ok(Self { tokens }) } else { Err("a parenthesis is not closed".to_owned()) }
    }

    /// The expressions, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Expression<'_, 't>> {
        Sequence { tokens: &self.tokens }
    }

    /// The first expression.
    pub fn first(&self) -> Option<Expression<'_, 't>> {
        self.iter().next()
    }
}

struct Sequence<'e, 't> {
    tokens: &'e [Token<'t>],
}

impl<'e, 't> Iterator for Sequence<'e, 't> {
    type Item = Expression<'e, 't>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = match self.tokens.first()? {
            Token::Open(length) => *length,
            Token::Atom(_) => 1,
            Token::Close => return None,
        };
        let (tokens, rest) = self.tokens.split_at(length);
        self.tokens = rest;
        Some(Expression { tokens })
    }
}

impl<'e, 't> Expression<'e, 't> {
    /// The word, if it is one.
    pub fn atom(self) -> Option<&'t str> {
        match self.tokens[0] {
            Token::Atom(text) => Some(text),
            _ => None,
        }
    }

    /// The expressions in the list; none in a word.
    pub fn items(self) -> Vec<Expression<'e, 't>> {
        match self.tokens[0] {
            Token::Open(length) => Sequence { tokens: &self.tokens[1..length] }.collect(),
            _ => Vec::new(),
        }
    }

    /// The words of a list of words.
    pub fn words(self) -> Option<Vec<&'t str>> {
        self.items().into_iter().map(Expression::atom).collect()
    }
}

impl std::fmt::Display for Expression<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut space = false;
        for token in self.tokens {
            match token {
                Token::Close => f.write_str(")")?,
                _ if space => f.write_str(" ")?,
                _ => {}
            }
            match token {
                Token::Open(_) => f.write_str("(")?,
                Token::Atom(text) => f.write_str(text)?,
                Token::Close => {}
            }
            space = !matches!(token, Token::Open(_));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_taken_apart() {
        let text = "(a (b |c d|) \"e (f\") ; comment (\n g ()";
        let expressions = Expressions::new(text).unwrap();
        let all: Vec<String> = expressions.iter().map(|e| e.to_string()).collect();
        assert_eq!(all, ["(a (b c d) \"e (f\")", "g", "()"]);
        assert_eq!(expressions.first().unwrap().items()[1].words().unwrap(), ["b", "c d"]);
        assert!(Expressions::new("(a").is_err());
        assert!(Expressions::new("a)").is_err());
    }
}
