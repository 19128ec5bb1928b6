//! Terms as text that a reader of C understands.
//!
//! Operations that depend on the sign are signed unless marked by `u`: `x < y`, `x <u y`, `x / y`, `x /u y`, `x >> y`,
//! `x >>u y`. Casts are `(s64)x` and `(u64)x`, the bits 15 to 8 are `x[15:8]`, bits above others are `x ## y`, an element
//! is `a[i]`, a changed array is `a[i := x]`, and an array with one element everywhere is `all(x)`. Numbers that bits
//! mean are `signed(x)` and `unsigned(x)`; `div` and `mod` are those of numbers. There are as few parentheses as C's
//! precedences allow.
//!
//! A term with many common parts would be too long as a tree: then common parts of some size are named first, one a line,
//! so that the text is never much longer than the number of terms in it.

mod syntax;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::terms::{Term, Terms};
use syntax::{Constants, Piece};

/// The text of a term.
pub fn text(terms: &Terms, term: Term) -> String {
    Text { terms, term }.to_string()
}

/// A term that is written as text.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// Where the term is from.
    pub terms: &'a Terms,
    /// The term.
    pub term: Term,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::of(self.terms, self.term);
        for (number, &term) in names.shared.iter().enumerate() {
            write!(f, "let _{} = ", number + 1)?;
            write_term(f, self.terms, &names, term)?;
            f.write_str(";\n")?;
        }
        write_term(f, self.terms, &names, self.term)
    }
}

/// How large a term is written as a tree before common parts get names.
const LARGE_TREE: u64 = 100;

/// How large a common part is that gets a name.
const LARGE_PART: u64 = 6;

/// The names of symbols and of common parts in one text.
struct Names {
    /// Common parts, operands first.
    shared: Vec<Term>,
    names: FxHashMap<Term, String>,
}

impl Names {
    fn of(terms: &Terms, root: Term) -> Self {
        let parts = terms.reachable(&[root]);
        let mut names = FxHashMap::default();
        name_symbols(terms, &parts, &mut names);
        let shared =
            if tree_size(terms, &parts) > LARGE_TREE { common_parts(terms, &parts) } else { Vec::new() };
        for (number, &term) in shared.iter().enumerate() {
            names.insert(term, format!("_{}", number + 1));
        }
        Self { shared, names }
    }
}

/// Symbols have their own names, with a number where two have one name.
fn name_symbols(terms: &Terms, parts: &[Term], names: &mut FxHashMap<Term, String>) {
    let symbols = || parts.iter().filter_map(|&term| Some((term, terms.as_symbol(term)?)));
    let mut same: FxHashMap<&str, u32> = FxHashMap::default();
    for (_, symbol) in symbols() {
        *same.entry(&terms.symbol(symbol).name).or_default() += 1;
    }
    for (term, symbol) in symbols() {
        let name = &terms.symbol(symbol).name;
        let unique = same[name.as_str()] == 1;
        names.insert(
            term,
            if unique { name.clone() } else { format!("{name}#{}", base::Index::index(symbol)) },
        );
    }
}

/// The size of the last part as a tree.
fn tree_size(terms: &Terms, parts: &[Term]) -> u64 {
    let mut sizes: FxHashMap<Term, u64> = FxHashMap::default();
    let mut last = 1;
    for &term in parts {
        last = terms.node(term).operands().fold(1u64, |size, operand| size.saturating_add(sizes[&operand]));
        sizes.insert(term, last);
    }
    last
}

/// Parts that occur more than once and are large even if the parts in them have names.
fn common_parts(terms: &Terms, parts: &[Term]) -> Vec<Term> {
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for operand in parts.iter().flat_map(|&term| terms.node(term).operands()) {
        *uses.entry(operand).or_default() += 1;
    }
    let mut sizes: FxHashMap<Term, u64> = FxHashMap::default();
    let mut common = Vec::new();
    for &term in parts {
        let size =
            terms.node(term).operands().fold(1u64, |size, operand| size.saturating_add(sizes[&operand]));
        let named = size > LARGE_PART && uses.get(&term).is_some_and(|uses| *uses > 1);
        sizes.insert(term, if named { 1 } else { size });
        common.extend(named.then_some(term));
    }
    common
}

/// Writes a term with an explicit stack of what is still to be written.
fn write_term(f: &mut fmt::Formatter<'_>, terms: &Terms, names: &Names, term: Term) -> fmt::Result {
    let mut stack = Vec::new();
    if terms.as_symbol(term).is_some() {
        stack.push(Piece::Term(term, 0, Constants::Signed));
    } else {
        // What has a name is written out here, where the name is defined.
        syntax::pieces(terms, term, 0, Constants::Signed, &mut stack);
    }
    while let Some(piece) = stack.pop() {
        match piece {
            Piece::Word(word) => f.write_str(word)?,
            Piece::Text(text) => f.write_str(&text)?,
            Piece::Term(term, binding, constants) => match names.names.get(&term) {
                Some(name) => f.write_str(name)?,
                None => syntax::pieces(terms, term, binding, constants, &mut stack),
            },
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
