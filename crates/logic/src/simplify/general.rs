//! Rules for all operations: constants, the order of operands, choices between constants.

use super::abstract_values::abstract_value_of_node;
use super::shape::{constant_choice, folded_binary, folded_unary, is_constant, orders};
use super::{Rule, rules};
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// Rules for every operation on one term.
pub const UNARY: &[Rule] = rules![Unary: unary_of_choice_between_constants];

/// Rules for every operation on two terms.
pub const BINARY: &[Rule] = rules![Binary: operands_in_order, binary_of_choice_between_constants];

/// The value of an operation on constants. It is tried before all rules, and however deep they are.
pub fn fold(terms: &mut Terms, node: Node) -> Option<Term> {
    match node {
        Node::Unary(op, a) => folded_unary(terms, op, a),
        Node::Binary(op, a, b) => folded_binary(terms, op, a, b),
        _ => None,
    }
}

/// The value of a node of bits whose abstract value leave only one. It is tried after all rules; if there is more than
/// one value, the abstract values are kept for the term that the node becomes.
pub fn only_value(terms: &mut Terms, node: Node) -> Option<Term> {
    let abstract_value = abstract_value_of_node(terms, node)?;
    match abstract_value.value() {
        Some(value) => Some(terms.bits(abstract_value.width, value)),
        None => {
            terms.abstract_values.pending = Some((node, abstract_value));
            None
        }
    }
}

/// Operands that can change places: constants to the right, else the older term first.
fn operands_in_order(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    let place = |term: Term| (is_constant(terms, term), term);
    (op.commutes() && place(a) > place(b)).then(|| terms.binary(op, b, a))
}

/// `f(c ? 1 : 2)` is `c ? f(1) : f(2)`.
fn unary_of_choice_between_constants(terms: &mut Terms, op: Unary, a: Term) -> Option<Term> {
    let (condition, then, otherwise) = constant_choice(terms, a)?;
    let then = folded_unary(terms, op, then)?;
    let otherwise = folded_unary(terms, op, otherwise)?;
    Some(terms.ite(condition, then, otherwise))
}

/// `f(c ? 1 : 2, 3)` is `c ? f(1, 3) : f(2, 3)`, and the same if both are choices by one condition.
fn binary_of_choice_between_constants(terms: &mut Terms, op: Binary, a: Term, b: Term) -> Option<Term> {
    if op == Binary::Select {
        return None;
    }
    for (choice, other) in orders(a, b) {
        let Some((condition, then, otherwise)) = constant_choice(terms, choice) else { continue };
        let (other_then, other_otherwise) = match constant_choice(terms, other) {
            Some((same, then, otherwise)) if same == condition => (then, otherwise),
            _ if is_constant(terms, other) => (other, other),
            _ => continue,
        };
        let mut apply = |choice: Term, other: Term, first: bool| {
            let (left, right) = if first { (choice, other) } else { (other, choice) };
            folded_binary(terms, op, left, right)
        };
        let first = choice == a;
        let then = apply(then, other_then, first)?;
        let otherwise = apply(otherwise, other_otherwise, first)?;
        return Some(terms.ite(condition, then, otherwise));
    }
    None
}
