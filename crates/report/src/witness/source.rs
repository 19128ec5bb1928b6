//! The text of a source file, as far as witnesses need it: which declarations can be seen from a loop, and where the body
//! of a `do` begins.
//!
//! A place of the program is what `#line` says; a witness names the line of the file itself. Every token knows both.
//!
//! Known imprecision: the text is not preprocessed. A scope that begins or ends in a macro is not found, and its variables
//! are taken to be invisible.

use std::collections::BTreeMap;

use evidence::{Place, Point, Visible};

/// A file as words and signs.
#[derive(Clone, Debug, Default)]
pub struct Source {
    tokens: Vec<Token>,
    /// The files that the text comes from.
    files: Vec<String>,
    /// The first token at each place: file, line and column.
    index: BTreeMap<(usize, u32, u32), usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Token {
    /// The file that it comes from, by its place in the list.
    file: usize,
    /// The line in that file.
    line: u32,
    /// The line in the file that is read.
    physical: u32,
    column: u32,
    text: String,
}

impl Source {
    /// The words of a text, without comments. Strings and characters are single tokens.
    pub fn new(name: &str, text: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let mut files = vec![name.to_owned()];
        let (mut file, mut logical) = (0, 0);
        let mut in_comment = false;
        for (number, line) in text.lines().enumerate() {
            logical += 1;
            if !in_comment && line.trim_start().starts_with('#') {
                if let Some((next, name)) = line_marker(line) {
                    // The marker is about the line after it.
                    logical = next.saturating_sub(1);
                    file = match name.map(|name| (files.iter().position(|known| *known == name), name)) {
                        None => file,
                        Some((Some(known), _)) => known,
                        Some((None, name)) => {
                            files.push(name);
                            files.len() - 1
                        }
                    };
                }
                continue;
            }
            let bytes = line.as_bytes();
            let mut at = 0;
            while at < bytes.len() {
                let rest = &bytes[at..];
                let length = if in_comment {
                    in_comment = !rest.starts_with(b"*/");
                    if in_comment { 1 } else { 2 }
                } else if rest.starts_with(b"//") {
                    break;
                } else if rest.starts_with(b"/*") {
                    in_comment = true;
                    2
                } else if rest[0].is_ascii_whitespace() {
                    1
                } else {
                    let length = token_length(rest);
                    let text = String::from_utf8_lossy(&rest[..length]).into_owned();
                    let physical = number as u32 + 1;
                    tokens.push(Token { file, line: logical, physical, column: at as u32 + 1, text });
                    length
                };
                at += length;
            }
        }
        let mut index = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            index.entry((token.file, token.line, token.column)).or_insert(at);
        }
        Self { tokens, files, index }
    }

    /// Where something stands in the file itself.
    pub fn physical(&self, place: &Place) -> Option<Place> {
        self.find(place).map(|at| self.place_of(at))
    }

    /// Whether a variable can be seen where a loop tests its condition.
    pub fn sees(&self, point: &Point, variable: &Visible) -> bool {
        let Some(here) = self.find(&point.place) else { return false };
        let declared = variable.declared.as_ref().and_then(|declared| self.find(declared));
        let is_declared = declared.is_none_or(|declared| declared < here);
        let Some(scope) = &variable.scope else { return is_declared };
        if *scope == point.place {
            return true;
        }
        let Some(start) = self.find(scope) else { return false };
        start < here && is_declared && self.statement_end(start).is_some_and(|end| here < end)
    }

    /// Where the first statement in the body of a loop stands.
    pub fn body(&self, point: &Point) -> Option<Place> {
        let start = self.find(&point.place)?;
        let mut at = match self.tokens.get(start)?.text.as_str() {
            "do" => start + 1,
            "for" | "while" => self.closing(start + 1)? + 1,
            _ => return None,
        };
        if self.tokens.get(at)?.text == "{" {
            at += 1;
        }
        self.tokens.get(at).filter(|token| token.text != "}")?;
        Some(self.place_of(at))
    }

    /// Whether a loop has a condition: `for (;;)` has none.
    pub fn has_condition(&self, point: &Point) -> bool {
        let Some(start) = self.find(&point.place) else { return false };
        if !self.is(start, "for") {
            return true;
        }
        let first = (start..self.tokens.len()).find(|&at| self.is(at, ";"));
        first.is_some_and(|first| !self.is(first + 1, ";"))
    }

    /// Where the parenthesis stands that closes a call whose name stands there.
    pub fn end_of_call(&self, place: &Place) -> Option<Place> {
        let start = self.find(place)?;
        let open = (start..start + 2).find(|&at| self.is(at, "("))?;
        self.closing(open).map(|end| self.place_of(end))
    }

    /// Where the statement begins that holds what stands there: after the last `;`, `{` or `}` before it, or the
    /// parenthesis of a condition.
    pub fn statement_start(&self, place: &Place) -> Option<Place> {
        let mut at = self.find(place)?;
        let mut depth = 0;
        while at > 0 {
            match self.tokens[at - 1].text.as_str() {
                ")" if depth == 0 && self.ends_condition(at - 1) => break,
                ")" => depth += 1,
                "(" if depth > 0 => depth -= 1,
                ";" if depth == 0 => break,
                "{" | "}" | ":" | "else" | "do" => break,
                _ => {}
            }
            at -= 1;
        }
        Some(self.place_of(at))
    }

    /// Where a token stands in the file itself, which comes first in the list of files.
    fn place_of(&self, at: usize) -> Place {
        let Token { physical, column, .. } = self.tokens[at];
        Place { file: self.files[0].clone(), line: physical, column }
    }

    fn find(&self, place: &Place) -> Option<usize> {
        let file = self.files.iter().position(|file| *file == place.file)?;
        self.index.get(&(file, place.line, place.column)).copied()
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.text == text)
    }

    /// The token after a statement.
    fn statement_end(&self, at: usize) -> Option<usize> {
        let mut at = at;
        // Statements within statements end together.
        loop {
            match self.tokens.get(at)?.text.as_str() {
                "{" => return self.closing(at).map(|end| end + 1),
                "for" | "while" | "if" | "switch" => at = self.closing(at + 1)? + 1,
                "else" | "do" => at += 1,
                _ => return (at..self.tokens.len()).find(|&at| self.is(at, ";")).map(|end| end + 1),
            }
        }
    }

    /// Whether a closing parenthesis ends the condition of a statement.
    fn ends_condition(&self, at: usize) -> bool {
        let mut depth = 0usize;
        for before in (0..=at).rev() {
            match self.tokens[before].text.as_str() {
                ")" => depth += 1,
                "(" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let word = before.checked_sub(1).map(|before| self.tokens[before].text.as_str());
                return matches!(word, Some("if" | "for" | "while" | "switch"));
            }
        }
        false
    }

    /// The sign that closes what a sign opens.
    fn closing(&self, at: usize) -> Option<usize> {
        let (open, close) = match self.tokens.get(at)?.text.as_str() {
            "(" => ("(", ")"),
            "{" => ("{", "}"),
            _ => return None,
        };
        let mut depth = 0usize;
        for at in at..self.tokens.len() {
            if self.is(at, open) {
                depth += 1;
            } else if self.is(at, close) {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
        None
    }
}

/// What `# 12 "file.c"` or `#line 12` says: the number of the next line, and the file if it is told.
fn line_marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    let name = rest[end..].trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
    Some((number, name.map(|(name, _)| name.replace("\\\\", "\\"))))
}

/// How long the token is at the start of a line.
fn token_length(rest: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    match rest[0] {
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < rest.len() && rest[at] != quote {
                at += if rest[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(rest.len())
        }
        byte if is_word(&byte) => rest.iter().take_while(|byte| is_word(byte)).count(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int main(void) {\n  int a; /* { */\n  for (int i = 0; i < 9; i++)\n    a = '{';\n  { int b; while (a) a--; }\n  do {\n    f(1, (2)); } while (a);\n}\n";

    fn place(line: u32, column: u32) -> Place {
        Place { file: String::from("a.c"), line, column }
    }

    fn point(line: u32, column: u32) -> Point {
        Point {
            function: String::from("main"),
            place: place(line, column),
            head: None,
            keyword: "while",
            variables: Vec::new(),
        }
    }

    fn variable(scope: Option<Place>, declared: Place) -> Visible {
        Visible {
            name: "x".into(),
            spelling: String::from("x"),
            least: 0,
            greatest: 1,
            scope,
            declared: Some(declared),
        }
    }

    #[test]
    fn variables_are_seen_in_their_scopes() {
        let source = Source::new("a.c", TEXT);
        let (first, second, third) = (point(3, 3), point(5, 12), point(6, 3));
        let function_wide = variable(None, place(2, 7));
        assert!(source.sees(&first, &function_wide) && source.sees(&third, &function_wide));
        let of_for = variable(Some(place(3, 3)), place(3, 12));
        assert!(
            source.sees(&first, &of_for) && !source.sees(&second, &of_for) && !source.sees(&third, &of_for)
        );
        let of_block = variable(Some(place(5, 3)), place(5, 9));
        assert!(
            !source.sees(&first, &of_block)
                && source.sees(&second, &of_block)
                && !source.sees(&third, &of_block)
        );
    }

    #[test]
    fn places_of_statements_are_found() {
        let source = Source::new("a.c", TEXT);
        assert_eq!(source.body(&point(6, 3)), Some(place(7, 5)));
        assert_eq!(source.body(&point(5, 12)), Some(place(5, 22)));
        assert_eq!(source.body(&point(2, 3)), None);
        assert!(source.has_condition(&point(3, 3)));
        let infinite = Source::new("a.c", "for (;;) f();");
        assert!(!infinite.has_condition(&point(1, 1)));
        assert_eq!(infinite.body(&point(1, 1)), Some(place(1, 10)));
        assert_eq!(source.end_of_call(&place(7, 5)), Some(place(7, 13)));
        assert_eq!(source.statement_start(&place(7, 7)), Some(place(7, 5)));
        assert_eq!(source.statement_start(&place(5, 22)), Some(place(5, 22)));
        assert_eq!(source.statement_start(&place(4, 9)), Some(place(4, 5)));
    }

    #[test]
    fn places_are_those_of_line_markers() {
        let text = "# 1 \"a.c\"\n# 10 \"b.h\" 1\nint x;\n# 3 \"a.c\" 2\n  while (x) ;\n";
        let source = Source::new("a.i", text);
        let of_file = |line, column| Place { file: String::from("a.i"), line, column };
        assert_eq!(source.physical(&place(3, 3)), Some(of_file(5, 3)));
        assert_eq!(
            source.physical(&Place { file: String::from("b.h"), line: 10, column: 5 }),
            Some(of_file(3, 5))
        );
        assert_eq!(source.physical(&place(5, 3)), None);
    }
}
