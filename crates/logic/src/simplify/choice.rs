//! Rules for "if-then-else".

use super::shape::{bits_of, constant, is_constant, negates, operand, pair};
use super::{Rule, array, rules};
use crate::node::{Binary, Node, Unary};
use crate::sort::Sort;
use crate::terms::{Term, Terms};

/// Rules for `Ite`.
pub const CHOICE: &[Rule] = rules![Ternary: choice_by_constant,
    choice_of_same,
    choice_by_negation,
    choice_of_booleans,
    choice_within_choice,
    choice_by_equality,
    choice_shares_a_branch,
    choice_of_extensions,
    choice_of_same_operation,
    choice_of_arrays,];

/// `true ? x : y` is `x`.
fn choice_by_constant(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    Some(if terms.known_bool(condition)? { then } else { otherwise })
}

/// `c ? x : x` is `x`.
fn choice_of_same(_: &mut Terms, _: Term, then: Term, otherwise: Term) -> Option<Term> {
    (then == otherwise).then_some(then)
}

/// `!c ? x : y` is `c ? y : x`.
fn choice_by_negation(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let condition = operand(terms, Unary::Not, condition)?;
    Some(terms.ite(condition, otherwise, then))
}

/// Choices of booleans are conjunctions, disjunctions or equivalences if a branch is a constant or the condition, or if
/// the branches are opposite.
fn choice_of_booleans(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    if terms.sort(then) != Sort::Bool {
        return None;
    }
    if then == condition || terms.is_true(then) {
        return Some(terms.or(condition, otherwise));
    }
    if otherwise == condition || terms.is_false(otherwise) {
        return Some(terms.and(condition, then));
    }
    if terms.is_false(then) || negates(terms, then, condition) {
        let not = terms.not(condition);
        return Some(terms.and(not, otherwise));
    }
    if terms.is_true(otherwise) || negates(terms, otherwise, condition) {
        let not = terms.not(condition);
        return Some(terms.or(not, then));
    }
    negates(terms, then, otherwise).then(|| terms.equal(condition, then))
}

/// `c ? (c ? x : y) : z` is `c ? x : z`, and the same for `!c` and on the other side.
fn choice_within_choice(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let chosen = |branch: Term, truth: bool| {
        let Node::Ite(inner, x, y) = terms.node(branch) else { return branch };
        if inner != condition && !negates(terms, inner, condition) {
            return branch;
        }
        if (inner == condition) == truth { x } else { y }
    };
    let (x, y) = (chosen(then, true), chosen(otherwise, false));
    ((x, y) != (then, otherwise)).then(|| terms.ite(condition, x, y))
}

/// `x == y ? x : y` is `y`.
fn choice_by_equality(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let (x, y) = pair(terms, Binary::Equal, condition)?;
    ((then, otherwise) == (x, y) || (then, otherwise) == (y, x)).then_some(otherwise)
}

/// `c ? x : (d ? x : y)` is `(c || d) ? x : y`, and so on for the other three places.
fn choice_shares_a_branch(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    if let Node::Ite(inner, x, y) = terms.node(otherwise) {
        if x == then {
            let either = terms.or(condition, inner);
            return Some(terms.ite(either, then, y));
        }
        if y == then {
            let not = terms.not(inner);
            let either = terms.or(condition, not);
            return Some(terms.ite(either, then, x));
        }
    }
    if let Node::Ite(inner, x, y) = terms.node(then) {
        if y == otherwise {
            let both = terms.and(condition, inner);
            return Some(terms.ite(both, x, otherwise));
        }
        if x == otherwise {
            let not = terms.not(inner);
            let both = terms.and(condition, not);
            return Some(terms.ite(both, y, otherwise));
        }
    }
    None
}

/// A choice between a narrow term extended and a constant, or two such, is an extended choice of narrow ones.
fn choice_of_extensions(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let by = |term: Term| match terms.node(term) {
        Node::Unary(op @ (Unary::ZeroExtend(_) | Unary::SignExtend(_)), _) => Some(op),
        _ => None,
    };
    let op = by(then).or_else(|| by(otherwise))?;
    let (Unary::ZeroExtend(added) | Unary::SignExtend(added)) = op else { return None };
    let width = terms.width(then) - added;
    let then = narrowed(terms, op, width, then)?;
    let otherwise = narrowed(terms, op, width, otherwise)?;
    let inner = terms.ite(condition, then, otherwise);
    Some(terms.unary(op, inner))
}

/// The term of this width that gives this one by an extension, if it is a constant or such an extension.
fn narrowed(terms: &mut Terms, op: Unary, width: u32, term: Term) -> Option<Term> {
    if let Some(inner) = operand(terms, op, term) {
        return Some(inner);
    }
    let bits = bits_of(terms, term)?;
    let low = bits.extract(width - 1, 0);
    let again = match op {
        Unary::ZeroExtend(by) => low.zero_extend(by),
        Unary::SignExtend(by) => low.sign_extend(by),
        _ => return None,
    };
    (again == bits).then(|| constant(terms, low))
}

/// `c ? ~x : ~y` is `~(c ? x : y)`, and the same for all operations on one term but extraction, which goes inwards.
fn choice_of_same_operation(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let (Node::Unary(op, x), Node::Unary(other, y)) = (terms.node(then), terms.node(otherwise)) else {
        return None;
    };
    if op != other || matches!(op, Unary::Extract { .. }) || terms.sort(x) != terms.sort(y) {
        return None;
    }
    let inner = terms.ite(condition, x, y);
    Some(terms.unary(op, inner))
}

/// Arrays that come from one array by a few stores are one array with stores of choices.
fn choice_of_arrays(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    if !matches!(terms.sort(then), Sort::Array(..)) || is_constant(terms, condition) {
        return None;
    }
    array::merge(terms, condition, then, otherwise)
}
