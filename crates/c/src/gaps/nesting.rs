//! Blocks that hold nothing but a block, where brackets nest more deeply than the front end reads.
//!
//! The front end refuses more than 256 open brackets. Generated code reaches that with blocks of the form
//! `else { { … } }`, in which the inner pair of braces says nothing: it is left out, but only in a unit that would be
//! refused, and only where a statement stands, because in an initialiser the same pair has a meaning.

use rucc_base::Interner;
use rucc_lex::{PpToken, Punct};

/// How many open brackets the front end reads.
const DEEPEST: usize = 256;

/// Leaves out inner pairs of braces that say nothing, if the unit nests too deeply.
pub(super) fn flatten(tokens: Vec<PpToken>, names: &Interner) -> Vec<PpToken> {
    let Some(closing) = matching(&tokens) else { return tokens };
    let mut dropped = vec![false; tokens.len()];
    for (open, &close) in closing.iter().enumerate() {
        let (Some(close), Some(&Some(inner))) = (close, closing.get(open + 1)) else { continue };
        let only_a_block = is_brace(&tokens[open]) && is_brace(&tokens[open + 1]) && inner + 1 == close;
        if only_a_block && starts_a_statement(&tokens[..open], names) {
            dropped[open + 1] = true;
            dropped[inner] = true;
        }
    }
    tokens.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(token, _)| token).collect()
}

/// Where each bracket closes, if some of them nest too deeply and all of them match.
fn matching(tokens: &[PpToken]) -> Option<Vec<Option<usize>>> {
    let mut closing = vec![None; tokens.len()];
    let mut open = Vec::new();
    let mut deepest = 0;
    for (index, token) in tokens.iter().enumerate() {
        match token.punct() {
            Some(Punct::LParen | Punct::LBrace | Punct::LBracket) => open.push(index),
            Some(Punct::RParen | Punct::RBrace | Punct::RBracket) => closing[open.pop()?] = Some(index),
            _ => {}
        }
        deepest = deepest.max(open.len());
    }
    (deepest > DEEPEST && open.is_empty()).then_some(closing)
}

fn is_brace(token: &PpToken) -> bool {
    token.punct() == Some(Punct::LBrace)
}

/// Whether a statement follows what the tokens end with: after another statement, `else`, `do`, or a condition.
fn starts_a_statement(before: &[PpToken], names: &Interner) -> bool {
    let Some(last) = before.last() else { return false };
    match last.punct() {
        Some(Punct::Semi | Punct::RBrace) => true,
        Some(Punct::RParen) => {
            let condition = super::intrinsics::opening(before).and_then(|open| open.checked_sub(1));
            condition.is_some_and(|word| is_one_of(&before[word], names, &["if", "while", "for", "switch"]))
        }
        _ => is_one_of(last, names, &["else", "do"]),
    }
}

fn is_one_of(token: &PpToken, names: &Interner, words: &[&str]) -> bool {
    token.value.is_some() && words.iter().any(|word| names.find(word) == token.value)
}

#[cfg(test)]
mod tests {
    use rucc_lex::{Options, tokenize};

    use super::*;

    fn braces_left(text: &str) -> usize {
        let mut names = Interner::new();
        let (tokens, _) = tokenize(text.as_bytes(), 0, Options::new(), &mut names);
        flatten(tokens, &names).iter().filter(|token| is_brace(token)).count()
    }

    #[test]
    fn empty_pairs_go_where_brackets_nest_too_deeply() {
        let text =
            format!("int f(int n) {{ {} n++; {} return n; }}", "if (n) { {".repeat(200), "} }".repeat(200));
        assert_eq!(braces_left(&text), 201);
    }

    #[test]
    fn nothing_changes_in_a_unit_that_can_be_read() {
        assert_eq!(braces_left("int f(int n) { if (n) { { n++; } } return n; }"), 3);
    }

    #[test]
    fn initialisers_keep_their_braces() {
        let text = format!("int a[1][1] = {{ {{ 1 }} }}; int b = {}1{};", "(".repeat(300), ")".repeat(300));
        assert_eq!(braces_left(&text), 2);
    }
}
