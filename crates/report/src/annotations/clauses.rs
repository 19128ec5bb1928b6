//! The clauses of an annotation, and what they say of memory that may be assigned.

use evidence::Name;
use program::annotation::{Annotation, Language};

use super::number::Number;
use super::reader::Reader;
use super::value::{Area, Pointer, Read, Root, Trouble, Value};

/// A part of an annotation that stands on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clause<'a> {
    /// What it is: `requires`, `loop invariant`, `behavior`.
    pub keyword: String,
    /// What it says.
    pub text: &'a str,
    /// Where it begins in the annotation, and where what it says begins.
    pub start: usize,
    pub at: usize,
}

/// What may be assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Assigned {
    /// A variable or an object with a name.
    Named(Name),
    /// Memory behind a pointer: these bytes, if they are known, or some.
    Behind { pointer: Name, field: Option<u64>, area: Option<Area> },
    /// The result of the function.
    Result,
}

/// The macros of CBMC, and the words of ACSL for the same.
const MACROS: [(&str, &str); 8] = [
    ("__CPROVER_requires", "requires"),
    ("__CPROVER_ensures", "ensures"),
    ("__CPROVER_assigns", "assigns"),
    ("__CPROVER_frees", "frees"),
    ("__CPROVER_requires_contract", "requires"),
    ("__CPROVER_ensures_contract", "ensures"),
    ("__CPROVER_loop_invariant", "loop invariant"),
    ("__CPROVER_decreases", "loop variant"),
];

/// Words that come before the word of a clause.
const PREFIXES: [&str; 4] = ["loop", "check", "admit", "for"];

/// The clauses of an annotation.
pub(crate) fn clauses<'a>(note: &'a Annotation, is_loop: bool) -> Vec<Clause<'a>> {
    if note.language == Language::Acsl {
        return of_acsl(&note.text);
    }
    let text = note.text.as_str();
    let open = text.find('(').unwrap_or(text.len());
    let word = text[..open].trim();
    let keyword = MACROS.iter().find(|(name, _)| *name == word).map_or(word, |(_, keyword)| keyword);
    let keyword = if is_loop && keyword == "assigns" { "loop assigns" } else { keyword };
    let end = text.rfind(')').unwrap_or(text.len()).max(open);
    let at = (open + 1).min(end);
    vec![Clause { keyword: keyword.to_owned(), text: &text[at..end], start: 0, at }]
}

fn of_acsl(text: &str) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
        if at >= text.len() {
            return found;
        }
        if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let start = at;
        let (keyword, after) = keyword(text, at);
        let end = match keyword.starts_with("behavior") {
            true => text[after..].find(':').map_or(text.len(), |colon| after + colon),
            false => end_of(text, after),
        };
        found.push(Clause { keyword, text: &text[after..end], start, at: after });
        at = (end + 1).min(text.len());
    }
}

/// The words that say what a clause is, and where they end.
fn keyword(text: &str, start: usize) -> (String, usize) {
    let mut words = Vec::new();
    let mut at = start;
    loop {
        let from = at + (text[at..].len() - text[at..].trim_start().len());
        let rest = &text[from..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 {
            // What begins with no word is one clause up to its end.
            let next = rest.chars().next().map_or(0, char::len_utf8);
            return (words.join(" "), if words.is_empty() { from + next } else { at });
        }
        words.push(&rest[..end]);
        at = from + end;
        if !PREFIXES.contains(&&rest[..end]) {
            return (words.join(" "), at);
        }
        if rest[..end] == *"for" {
            return (words.join(" "), at);
        }
    }
}

/// Where a clause ends: at a semicolon that belongs to no quantifier, or at a brace that closes.
fn end_of(text: &str, start: usize) -> usize {
    let (mut depth, mut bound) = (0usize, 0usize);
    let mut at = start;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = sign.len_utf8();
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            '\\' if ["\\forall", "\\exists", "\\let"].iter().any(|word| rest.starts_with(word)) => bound += 1,
            ';' if depth == 0 && bound == 0 => return at,
            ';' if bound > 0 => bound -= 1,
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '\'' => {
                let end = rest[1..].find('\'').filter(|end| *end < 4).map_or(length, |end| end + 2);
                at += end;
                continue;
            }
            _ => {}
        }
        at += length;
    }
    text.len()
}

impl Reader<'_> {
    /// The list of what may be assigned. What ACSL says of where values come from is left out.
    pub fn assigned(&mut self) -> Read<Vec<Assigned>> {
        let mut found = Vec::new();
        if self.cursor.eat("\\nothing") || self.cursor.rest().is_empty() {
            return Ok(found);
        }
        loop {
            found.push(self.location()?);
            if self.cursor.eat("\\from") {
                return Ok(found);
            }
            if self.cursor.rest().is_empty() {
                return Ok(found);
            }
            if !self.cursor.eat(",") && !self.cursor.eat(";") {
                return self.trouble("expected `,` or the end");
            }
        }
    }

    fn location(&mut self) -> Read<Assigned> {
        let at = self.here();
        if let Some(word @ ("__CPROVER_object_whole" | "__CPROVER_object_from" | "__CPROVER_object_upto")) =
            self.cursor.peek()
        {
            self.cursor.word();
            self.need("(")?;
            let value = self.expression()?;
            let pointer = self.pointer(at, value)?;
            let bytes = match word == "__CPROVER_object_upto" {
                true => {
                    self.need(",")?;
                    let place = self.here();
                    let bytes = self.expression()?;
                    Some(self.number(place, bytes)?)
                }
                false => None,
            };
            self.need(")")?;
            return self.behind(at, &pointer, bytes.map(|bytes| area(&pointer, &bytes)));
        }
        match self.expression()? {
            Value::Place(place) => match &place.root {
                Root::Variable(name) if name.as_str() == evidence::RESULT => Ok(Assigned::Result),
                Root::Variable(name) | Root::Object(name) => Ok(Assigned::Named(name.clone())),
                _ => {
                    let pointer = place.address();
                    let area = pointer.area();
                    self.behind(at, &pointer, area)
                }
            },
            _ => Err(Trouble::new(at, "expected a place in memory")),
        }
    }

    fn behind(&self, at: usize, pointer: &Pointer, area: Option<Area>) -> Read<Assigned> {
        match &pointer.root {
            Root::Behind { pointer, field, .. } => {
                Ok(Assigned::Behind { pointer: pointer.clone(), field: *field, area })
            }
            Root::Object(name) => Ok(Assigned::Named(name.clone())),
            _ => Err(Trouble::new(at, "expected a place in memory")),
        }
    }
}

fn area(pointer: &Pointer, bytes: &Number) -> Area {
    Area {
        root: pointer.root.clone(),
        offset: pointer.offset.clone(),
        bytes: bytes.linear.clone(),
        may_be_empty: true,
        is_cut: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(String, String)> {
        let all = of_acsl(text).into_iter();
        all.map(|clause| (clause.keyword, clause.text.trim().to_owned())).collect()
    }

    fn pair(keyword: &str, text: &str) -> (String, String) {
        (keyword.to_owned(), text.to_owned())
    }

    #[test]
    fn clauses_end_at_semicolons_that_belong_to_no_quantifier() {
        assert_eq!(
            split(
                "requires \\forall integer i; 0 <= i ==> a[i] == ';'; // why; so\n ensures x;; loop invariant y;"
            ),
            [
                pair("requires", "\\forall integer i; 0 <= i ==> a[i] == ';'"),
                pair("ensures", "x"),
                pair("loop invariant", "y"),
            ]
        );
        assert_eq!(
            split("behavior small: assumes n < 3; check requires m; complete behaviors;"),
            [
                pair("behavior", "small"),
                pair("assumes", "n < 3"),
                pair("check requires", "m"),
                pair("complete", "behaviors")
            ]
        );
        assert_eq!(
            split("axiomatic A { axiom x: 1; logic integer f; } requires b;"),
            [pair("axiomatic", "A { axiom x: 1; logic integer f; }"), pair("requires", "b")]
        );
    }

    #[test]
    fn any_text_has_clauses() {
        for text in
            ["", ";", "\\", "requires", "behavior", "for a: loop invariant x;", "é; (", "'", "}}", "loop"]
        {
            split(text);
        }
        assert_eq!(split("for a: loop invariant x;")[0].0, "for");
    }
}
