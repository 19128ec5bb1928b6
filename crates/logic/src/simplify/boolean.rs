//! Rules for negation, conjunction and disjunction.
//!
//! Conjunction and disjunction are each other's mirror image, so each rule is written for both: in the comments, read
//! "and" as the node's operation and "or" as the other one.

use super::relation::together;
use super::shape::{flipped, negates, operand, orders, pair};
use super::{Rule, rules};
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for `Not`.
pub const NOT: &[Rule] = rules![Unary: not_of_not, not_of_comparison, not_of_junction];

/// Rules for `And` and `Or`.
pub const JUNCTION: &[Rule] = rules![Binary: junction_with_constant,
    junction_of_same_or_opposite,
    junction_absorbs,
    junction_of_relations,
    junction_repeats_an_operand,
    junction_absorbs_relation,
    junction_has_common_factor,];

/// `!!x` is `x`.
fn not_of_not(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    operand(terms, Unary::Not, a)
}

/// `!(x < y)` is `y <= x`.
fn not_of_comparison(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let Node::Binary(op, x, y) = terms.node(a) else { return None };
    Some(terms.binary(flipped(op)?, y, x))
}

/// `!(!x && y)` is `x || !y` where `!y` is for free: `y` is negated itself, or a comparison.
fn not_of_junction(terms: &mut Terms, _: Unary, a: Term) -> Option<Term> {
    let Node::Binary(op, x, y) = terms.node(a) else { return None };
    let dual = dual(op)?;
    let negated = |term: Term| matches!(terms.node(term), Node::Unary(Unary::Not, _));
    let compares = |term: Term| matches!(terms.node(term), Node::Binary(op, ..) if flipped(op).is_some());
    if !(negated(x) && (negated(y) || compares(y)) || compares(x) && negated(y)) {
        return None;
    }
    let (x, y) = (terms.not(x), terms.not(y));
    Some(terms.binary(dual, x, y))
}

const fn dual(op: Binary) -> Option<Binary> {
    match op {
        Binary::And => Some(Binary::Or),
        Binary::Or => Some(Binary::And),
        _ => None,
    }
}

/// The constant that decides a junction: false for "and".
fn decides(terms: &mut Terms, op: Binary) -> Term {
    terms.bool(op == Binary::Or)
}

/// `x && true` is `x`, `x && false` is false.
fn junction_with_constant(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let truth = terms.known_bool(b)?;
    Some(if truth == (op == Binary::And) { a } else { b })
}

/// `x && x` is `x`, `x && !x` is false.
fn junction_of_same_or_opposite(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return Some(a);
    }
    negates(terms, a, b).then(|| decides(terms, op))
}

/// `x && (x && y)` is `x && y`, `x && (!x && y)` is false, both two levels down; `x && (x || y)` is `x`, and
/// `x && (!x || y)` is `x && y`.
fn junction_absorbs(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    for (x, other) in orders(a, b) {
        let Node::Binary(inner, p, q) = terms.node(other) else { continue };
        if inner == op {
            for (part, _) in orders(p, q) {
                let (below, last) = pair(terms, op, part).unwrap_or((part, part));
                if x == part || x == below || x == last {
                    return Some(other);
                }
                if negates(terms, x, part) || negates(terms, x, below) || negates(terms, x, last) {
                    return Some(decides(terms, op));
                }
            }
        } else if Some(inner) == dual(op) {
            for (part, rest) in orders(p, q) {
                if x == part {
                    return Some(x);
                }
                if negates(terms, x, part) {
                    return Some(terms.binary(op, x, rest));
                }
            }
        }
    }
    None
}

/// `x <= y && y <= x` is `x == y`, `x <= 5 && x <= 7` is `x <= 5`, and so on.
fn junction_of_relations(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    together(terms, op, a, b)
}

/// `(p && q) && (p && r)` is `(p && q) && r`, `(p && q) && (!p && r)` is false.
fn junction_repeats_an_operand(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let ((p, q), (r, s)) = (pair(terms, op, a)?, pair(terms, op, b)?);
    for (part, rest) in orders(r, s) {
        if part == p || part == q {
            return Some(terms.binary(op, a, rest));
        }
        if negates(terms, part, p) || negates(terms, part, q) {
            return Some(decides(terms, op));
        }
    }
    None
}

/// `x <= 5 && (x <= 7 && p)` is `x <= 5 && p`: one level down, where two comparisons make at most one.
fn junction_absorbs_relation(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    for (x, other) in orders(a, b) {
        let Some((p, q)) = pair(terms, op, other) else { continue };
        for (part, rest) in orders(p, q) {
            if let Some(both) = together(terms, op, x, part) {
                return Some(if both == part { other } else { terms.binary(op, both, rest) });
            }
        }
    }
    None
}

/// `(p || q) && (p || r)` is `p || (q && r)`, with `p` up to two levels down on one side.
fn junction_has_common_factor(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let dual = dual(op)?;
    for (a, b) in orders(a, b) {
        let (Some((p, q)), Some((r, s))) = (pair(terms, dual, a), pair(terms, dual, b)) else { return None };
        for (factor, rest) in orders(p, q) {
            for (part, other) in orders(r, s) {
                if part == factor {
                    let inner = terms.binary(op, rest, other);
                    return Some(terms.binary(dual, factor, inner));
                }
                let Some((t, u)) = pair(terms, dual, part) else { continue };
                for (below, beside) in orders(t, u) {
                    if below == factor {
                        let remaining = terms.binary(dual, beside, other);
                        let inner = terms.binary(op, rest, remaining);
                        return Some(terms.binary(dual, factor, inner));
                    }
                }
            }
        }
    }
    None
}
