//! Rules for arrays.
//!
//! Long chains of stores are walked in loops, with a limit.

use super::shape::surely_differ;
use super::{Rule, rules};
use crate::node::{Binary, Node};
use crate::terms::{Term, Terms};

/// Rules for `Select`.
pub const SELECT: &[Rule] = rules![Binary: select_of_store, select_of_choice];

/// Rules for `Store`.
pub const STORE: &[Rule] = rules![Ternary: store_of_what_is_there, store_over_store];

/// How many stores a read looks through.
const READ_THROUGH: usize = 256;

/// How many stores a store looks through for one that it makes useless.
const WRITE_THROUGH: usize = 12;

/// How many stores, all told, may be made choices where two arrays are merged.
const MERGE: usize = 12;

/// What an array has at an index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// This element.
    Element(Term),
    /// What this array has there.
    Of(Term),
}

/// Looks through stores elsewhere.
fn content(terms: &Terms, mut array: Term, index: Term) -> Content {
    for _ in 0..READ_THROUGH {
        match terms.node(array) {
            Node::Store(_, at, element) if at == index => return Content::Element(element),
            Node::Store(under, at, _) if surely_differ(terms, at, index) => array = under,
            Node::ConstantArray(_, element) => return Content::Element(element),
            _ => break,
        }
    }
    Content::Of(array)
}

/// A read at an index that the last stores are equal to or surely differ from.
fn select_of_store(terms: &mut Terms, _: Binary, array: Term, index: Term) -> Option<Term> {
    match content(terms, array, index) {
        Content::Element(element) => Some(element),
        Content::Of(under) => (under != array).then(|| terms.select(under, index)),
    }
}

/// A read from a choice of arrays is a choice of reads, if one of them at least finds its element.
fn select_of_choice(terms: &mut Terms, _: Binary, array: Term, index: Term) -> Option<Term> {
    let Node::Ite(condition, then, otherwise) = terms.node(array) else { return None };
    let (then, otherwise) = match (content(terms, then, index), content(terms, otherwise, index)) {
        (Content::Element(then), Content::Element(otherwise)) => (then, otherwise),
        (Content::Element(then), Content::Of(otherwise)) => (then, terms.select(otherwise, index)),
        (Content::Of(then), Content::Element(otherwise)) => (terms.select(then, index), otherwise),
        (Content::Of(then), Content::Of(otherwise)) if then == otherwise => {
            return Some(terms.select(then, index));
        }
        _ => return None,
    };
    Some(terms.ite(condition, then, otherwise))
}

/// A store of the element that is there already.
fn store_of_what_is_there(terms: &mut Terms, array: Term, index: Term, element: Term) -> Option<Term> {
    let there = match content(terms, array, index) {
        Content::Element(there) => there == element,
        Content::Of(under) => terms.node(element) == Node::Binary(Binary::Select, under, index),
    };
    there.then_some(array)
}

/// A store makes an older one at the same index useless, whatever is stored between them.
fn store_over_store(terms: &mut Terms, array: Term, index: Term, element: Term) -> Option<Term> {
    let mut between = 0;
    let mut below = array;
    loop {
        let Node::Store(under, at, _) = terms.node(below) else { return None };
        below = under;
        if at == index {
            break;
        }
        between += 1;
        if between > WRITE_THROUGH {
            return None;
        }
    }
    let mut kept = Vec::with_capacity(between);
    let mut above = array;
    while let Node::Store(under, at, stored) = terms.node(above)
        && kept.len() < between
    {
        kept.push((at, stored));
        above = under;
    }
    // The stores between need no rules: they had them when they were made.
    for (at, stored) in kept.into_iter().rev() {
        below = terms.intern(Node::Store(below, at, stored));
    }
    Some(terms.store(below, index, element))
}

/// One of two arrays by a condition, as stores of choices into the array that both come from, if there is one nearby.
///
/// ```text
/// c ? store(a, i, x) : store(a, j, y)
///   = let b = store(a, i, c ? x : a[i]) in store(b, j, c ? b[j] : y)
/// ```
pub fn merge(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let (mut left, mut right) = (then, otherwise);
    let (mut left_stores, mut right_stores) = (Vec::new(), Vec::new());
    while left != right {
        if left_stores.len() + right_stores.len() == MERGE {
            return None;
        }
        // The younger of the two cannot be part of the older: it is the one to look under.
        let (side, stores) =
            if left > right { (&mut left, &mut left_stores) } else { (&mut right, &mut right_stores) };
        let Node::Store(under, at, stored) = terms.node(*side) else { return None };
        stores.push((at, stored));
        *side = under;
    }
    let mut merged = left;
    for (at, stored) in left_stores.into_iter().rev() {
        let old = terms.select(merged, at);
        let element = terms.ite(condition, stored, old);
        merged = terms.store(merged, at, element);
    }
    for (at, stored) in right_stores.into_iter().rev() {
        let old = terms.select(merged, at);
        let element = terms.ite(condition, old, stored);
        merged = terms.store(merged, at, element);
    }
    Some(merged)
}
