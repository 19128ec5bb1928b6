//! How large and how deep an input may be, checked before the phases that would suffer.
//!
//! The front end and the lowering walk trees by recursion, and a tree can be as deep as a file is long: one operator
//! on top of the other. [`too_deep`] bounds that depth on the tokens, from above: it counts whatever can put one
//! node on top of another, and forgets it where a statement ends. What macros expand to is bounded in `expansion`.

use rucc_base::{Interner, Symbol};
use rucc_diag::Span;
use rucc_lex::{Keywords, PpToken, PpTokenKind, Punct};

/// How deep the tree of a statement may be. Real code stays below a thousand; a generated chain of `else if` may
/// reach ten thousands. Every later phase that walks trees by recursion has to bear this depth.
const DEEPEST: usize = 50_000;

/// An array of many dimensions costs the front end the square of their number.
const DIMENSION_WEIGHT: usize = 20;

/// How long a line of a conditional directive may be, since its expression is evaluated by recursion.
const LONGEST_DIRECTIVE: usize = 200_000;

/// A place where the tree that the tokens stand for may be too deep, if there is one.
pub(crate) fn too_deep(tokens: &[PpToken], keywords: &Keywords, names: &Interner) -> Option<Span> {
    let mut depth = Depth::new(keywords, names);
    let mut previous = None;
    for (at, token) in tokens.iter().enumerate() {
        depth.step(token, previous, tokens.get(at + 1));
        if depth.now > DEEPEST {
            return Some(token.span);
        }
        previous = Some(token);
    }
    None
}

/// Whether a line starts a conditional directive that is too long.
pub(crate) fn has_long_directive(text: &[u8]) -> bool {
    if text.len() <= LONGEST_DIRECTIVE {
        return false;
    }
    let mut length = 0;
    let mut conditional = false;
    for line in text.split(|&byte| byte == b'\n') {
        if length == 0 {
            let directive = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
            conditional = directive.is_some_and(|rest| rest.starts_with(b"if") || rest.starts_with(b"el"));
        }
        length += line.len() + 1;
        if conditional && length > LONGEST_DIRECTIVE {
            return true;
        }
        if !line.ends_with(b"\\") {
            length = 0;
        }
    }
    false
}

/// The depth of the tree at one token, and what it was where each open bracket opened.
struct Depth<'a> {
    now: usize,
    open: Vec<Bracket>,
    keywords: &'a Keywords,
    otherwise: Option<Symbol>,
}

#[derive(Clone, Copy)]
struct Bracket {
    kind: BracketKind,
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketKind {
    /// `(` or `[`.
    Inner,
    /// `{` of a block or of a structure.
    Block,
    /// `{` of an initialiser.
    List,
}

impl<'a> Depth<'a> {
    fn new(keywords: &'a Keywords, names: &Interner) -> Self {
        Self { now: 0, open: Vec::new(), keywords, otherwise: names.find("else") }
    }

    fn step(&mut self, token: &PpToken, previous: Option<&PpToken>, next: Option<&PpToken>) {
        let punct = |token: Option<&PpToken>| token.and_then(|token| token.punct());
        let else_follows =
            next.is_some_and(|next| next.kind == PpTokenKind::Ident && next.value == self.otherwise);
        match token.punct() {
            Some(Punct::LParen | Punct::LBracket) => self.open(BracketKind::Inner),
            Some(Punct::LBrace) => {
                let in_list = self.innermost() == Some(BracketKind::List);
                let list = match punct(previous) {
                    Some(Punct::Eq) => true,
                    Some(Punct::Comma | Punct::LBrace) => in_list,
                    _ => false,
                };
                self.open(if list { BracketKind::List } else { BracketKind::Block });
            }
            // What follows a closing bracket may still be part of the expression that it closes.
            Some(Punct::RParen) => self.close(1),
            Some(Punct::RBracket) => {
                self.close(if punct(next) == Some(Punct::LBracket) { DIMENSION_WEIGHT } else { 1 });
            }
            Some(Punct::RBrace) => {
                self.close(1);
                let starts_statement = matches!(punct(next), None | Some(Punct::RBrace | Punct::LBrace));
                if starts_statement && !else_follows && self.innermost() != Some(BracketKind::Inner) {
                    self.now = self.base();
                }
            }
            Some(Punct::Semi) if !else_follows => self.now = self.base(),
            Some(Punct::Comma) if self.innermost() == Some(BracketKind::List) => self.now = self.base(),
            Some(_) => self.now += 1,
            None => {
                let name = token.value.filter(|_| token.kind == PpTokenKind::Ident);
                self.now += usize::from(name.is_some_and(|name| self.keywords.contains(name)));
            }
        }
    }

    fn open(&mut self, kind: BracketKind) {
        self.open.push(Bracket { kind, depth: self.now });
        self.now += 1;
    }

    fn close(&mut self, more: usize) {
        self.now = self.open.pop().map_or(0, |bracket| bracket.depth) + more;
    }

    fn innermost(&self) -> Option<BracketKind> {
        self.open.last().map(|bracket| bracket.kind)
    }

    /// The depth of a new statement within the innermost bracket.
    fn base(&self) -> usize {
        self.open.last().map_or(0, |bracket| bracket.depth + 1)
    }
}

#[cfg(test)]
mod tests {
    use rucc_session::Std;

    use super::*;

    fn is_too_deep(text: &str) -> bool {
        let mut names = Interner::new();
        let keywords = Keywords::new(&mut names, Std::C17, true);
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), 0, rucc_lex::Options::new(), &mut names);
        too_deep(&tokens, &keywords, &names).is_some()
    }

    #[test]
    fn long_is_not_deep() {
        let statements = "if (x) { x = x + 1; } while (x) { } x++; ".repeat(30_000);
        assert!(!is_too_deep(&format!("int f(int x) {{ {statements} }}")));
        assert!(!is_too_deep(&format!("int a[] = {{ {} }};", "{ 1 + 2 }, -3, ".repeat(100_000))));
        assert!(!is_too_deep(&"int f(void) { return 1; } int x, y;\n".repeat(100_000)));
        let chain = "if (x == 1) { y = 2; } else ".repeat(10_000);
        assert!(!is_too_deep(&format!("int f(int x) {{ {chain} return 1; }}")));
    }

    #[test]
    fn one_operator_on_the_other_is_deep() {
        let deep =
            ["x + ", "x, ", "!", "(int)", "f(1)(2)", "x ? x : ", "sizeof ", "if (x) ", "x = ", "p->p", "*"];
        for part in deep {
            let text = format!("int f(int x) {{ return {}x; }}", part.repeat(DEEPEST + 10));
            assert!(is_too_deep(&text), "{part}");
        }
        assert!(is_too_deep(&format!("int a{};", "[1]".repeat(5_000))));
        assert!(is_too_deep(&"{".repeat(DEEPEST + 10)));
    }

    #[test]
    fn long_conditions_are_found() {
        let long = "!".repeat(LONGEST_DIRECTIVE);
        assert!(has_long_directive(format!("int x;\n # if {long}1\n").as_bytes()));
        assert!(has_long_directive(format!("#if 1 || \\\n{long}1\n").as_bytes()));
        assert!(!has_long_directive(format!("#define A {long}\nint x = {long}1;").as_bytes()));
    }
}
