//! Macros of CBMC: `__CPROVER_requires(…)` and its like between a declarator and its body, or between the head of a loop and
//! its body.
//!
//! They are no C, so they are cut out of the tokens before parsing. They count as macros only after a `)` or a `do`, so that a
//! program may have functions of these names.

use program::annotation::Language;
use rucc_base::{Interner, Symbol};
use rucc_lex::{PpToken, PpTokenKind, Punct};

use super::{Anchor, Note};
use crate::gaps::opening;

/// The macros. All but the last three are about functions; `assigns` is about both.
const CLAUSES: [&str; 8] = [
    "__CPROVER_requires",
    "__CPROVER_ensures",
    "__CPROVER_assigns",
    "__CPROVER_frees",
    "__CPROVER_requires_contract",
    "__CPROVER_ensures_contract",
    "__CPROVER_loop_invariant",
    "__CPROVER_decreases",
];

/// Takes the macros out of the tokens.
pub(crate) fn cut(tokens: Vec<PpToken>, names: &Interner) -> (Vec<PpToken>, Vec<Note>) {
    let known: Vec<Symbol> = CLAUSES.iter().filter_map(|name| names.find(name)).collect();
    let is_clause = |token: &PpToken| {
        token.kind == PpTokenKind::Ident && token.value.is_some_and(|name| known.contains(&name))
    };
    if known.is_empty() || !tokens.iter().any(is_clause) {
        return (tokens, Vec::new());
    }
    let (mut kept, mut notes): (Vec<PpToken>, Vec<Note>) = (Vec::with_capacity(tokens.len()), Vec::new());
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&token) = tokens.get(at) {
        let end = is_clause(&token).then(|| closing(&tokens, at + 1)).flatten();
        if let Some((end, anchor)) = end.and_then(|end| Some((end, anchor(&kept, token, depth, names)?))) {
            notes.push(note(&tokens[at..=end], anchor, names));
            at = end + 1;
            continue;
        }
        match token.punct() {
            Some(Punct::LBrace) => depth += 1,
            Some(Punct::RBrace) => depth = depth.saturating_sub(1),
            _ => {}
        }
        kept.push(token);
        at += 1;
    }
    (kept, notes)
}

/// Where the parenthesis closes that opens at a place.
fn closing(tokens: &[PpToken], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match token.punct() {
            Some(Punct::LParen) => depth += 1,
            Some(Punct::RParen) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (token.punct() == Some(Punct::RParen)).then_some(place);
        }
    }
    None
}

/// What a macro is about that stands behind these tokens. Nothing if it is no macro there.
fn anchor(before: &[PpToken], token: PpToken, depth: usize, names: &Interner) -> Option<Anchor> {
    let word = |token: &PpToken| match token.kind {
        PpTokenKind::Ident => token.value.map(|name| names.resolve(name)),
        _ => None,
    };
    let last = before.last()?;
    if word(last) == Some("do") {
        return Some(Anchor::Loop(last.span.lo));
    }
    if last.punct() != Some(Punct::RParen) {
        return None;
    }
    if depth == 0 {
        return Some(Anchor::Around(token.span.lo));
    }
    let keyword = opening(before).and_then(|open| before.get(open.checked_sub(1)?));
    Some(match keyword.filter(|keyword| matches!(word(keyword), Some("for" | "while"))) {
        Some(keyword) => Anchor::Loop(keyword.span.lo),
        None => Anchor::Nothing("no function or loop stands before it"),
    })
}

/// The text of some tokens, with spaces in between.
fn note(tokens: &[PpToken], anchor: Anchor, names: &Interner) -> Note {
    let (mut text, mut places) = (String::new(), Vec::new());
    for (place, token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &tokens[before]);
        if before.is_some_and(|before| !is_arrow(before, token)) {
            text.push(' ');
        }
        places.push((text.len(), token.span.lo));
        match token.punct() {
            Some(punct) => text.push_str(punct.as_str()),
            None => text.push_str(token.value.map_or("", |value| names.resolve(value))),
        }
    }
    Note { language: Language::Cprover, text, places, anchor }
}

/// Whether two tokens are parts of `==>` or `<==>`, which are no tokens of C.
fn is_arrow(before: &PpToken, token: &PpToken) -> bool {
    let is_part = matches!(
        (before.punct(), token.punct()),
        (Some(Punct::EqEq | Punct::Eq), Some(Punct::Gt)) | (Some(Punct::Le), Some(Punct::Eq))
    );
    is_part && before.span.hi == token.span.lo
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_text(text: &str) -> (String, Vec<(String, Anchor)>) {
        let mut names = Interner::new();
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), 0, rucc_lex::Options::new(), &mut names);
        let (kept, notes) = cut(tokens, &names);
        let rest = note(&kept, Anchor::Nothing(""), &names).text.trim_end().to_owned();
        (rest, notes.into_iter().map(|note| (note.text, note.anchor)).collect())
    }

    #[test]
    fn macros_are_cut_out_of_functions_and_loops() {
        let (rest, notes) = cut_text(
            "int f(int x) __CPROVER_requires(x > (0)) __CPROVER_ensures(1 ==> 2 <==> x) { while (x) __CPROVER_assigns(x) \
             x--; do __CPROVER_decreases(x) { } while (x); }",
        );
        assert_eq!(rest, "int f ( int x ) { while ( x ) x -- ; do { } while ( x ) ; }");
        let texts: Vec<&str> = notes.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "__CPROVER_requires ( x > ( 0 ) )",
                "__CPROVER_ensures ( 1 ==> 2 <==> x )",
                "__CPROVER_assigns ( x )",
                "__CPROVER_decreases ( x )"
            ]
        );
        assert_eq!(notes[0].1, Anchor::Around(13));
        assert_eq!(notes[2].1, Anchor::Loop(77));
        assert!(matches!(notes[3].1, Anchor::Loop(_)));
    }

    #[test]
    fn functions_of_these_names_stay() {
        for text in [
            "void __CPROVER_requires ( int ) ;",
            "int g ( void ) { __CPROVER_assigns ( 1 ) ; }",
            "int x = __CPROVER_ensures ( 1",
        ] {
            assert_eq!(cut_text(text), (text.to_owned(), Vec::new()));
        }
    }
}
