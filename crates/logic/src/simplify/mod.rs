//! Simplification of terms as they are made.
//!
//! A term is simplified once, when it is made, over operands that were simplified when they were made. Each operation
//! has a list of small rules that are tried in order; the first that applies gives the term. A rule examines the tops
//! of the operands, at most a few levels down, and at the abstract value of any term below, and builds its result with
//! the constructors of [`Terms`], so that the result is simplified too. To add a rule, write a function and put its
//! name in the list of its operation; the tests find it there.
//!
//! What simplified terms look like:
//! - constants stand on the right of operations that commute, and on the outside of sums; `x - 5` is `x + -5`
//! - comparisons with constants are not strict; a negated comparison is the opposite comparison; comparisons are
//!   unsigned wherever the sign does not matter
//! - a left shift by a constant is a product, since a product of a power of two costs nothing and products have their
//!   own rules; a right shift by a constant and a mask of low bits are an extended extract
//! - zeros on top are a zero extension, signs on top a sign extension
//!
//! # Why it ends
//! Take as the size of a term the number of operations in it, written out as a tree, constants not counted. Nearly every
//! rule builds a term of smaller size from the node's operands. The others keep the size, and each of them moves one
//! thing in one direction only, which no other rule moves back: constants outwards, to the right, or to the other side
//! of a comparison; negation inwards; extraction inwards and extension outwards; signed to unsigned, strict to not
//! strict, and shifts, divisions and remainders to products, extracts and extensions. Rules that copy an operation into
//! both branches of a choice do so only where one copy disappears at once.
//!
//! That is an argument and not a proof, so it is not relied upon: rules within rules end at a depth of [`DEPTH`], and one
//! node takes at most [`STEPS`] nodes to simplify; what is made after that is not simplified further. This also bounds the
//! native stack and makes the cost of a term constant. The tests check that the bounds are not reached in practice.

mod abstract_value;
mod abstract_values;
mod arithmetic;
mod array;
mod bits;
mod boolean;
mod bounds;
mod choice;
mod comparison;
mod division;
mod equality;
mod general;
mod integer;
mod overflow;
mod relation;
mod shape;
mod structure;
#[cfg(test)]
mod tests;
mod transfer;

pub use abstract_values::{AbstractValues, learn};

use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};

/// A way to simplify one operation.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The name of the function.
    pub name: &'static str,
    rewrite: Rewrite,
}

/// A function that gives a term with the same value as an operation on terms under every model, if the rule applies.
#[derive(Clone, Copy)]
enum Rewrite {
    Unary(fn(&mut Terms, Unary, Term) -> Option<Term>),
    Binary(fn(&mut Terms, Binary, Term, Term) -> Option<Term>),
    /// Choices and stores.
    Ternary(fn(&mut Terms, Term, Term, Term) -> Option<Term>),
}

impl Rule {
    /// A term with the same value as the node under every model, if the rule applies.
    pub fn apply(&self, terms: &mut Terms, node: Node) -> Option<Term> {
        match (self.rewrite, node) {
            (Rewrite::Unary(rewrite), Node::Unary(op, a)) => rewrite(terms, op, a),
            (Rewrite::Binary(rewrite), Node::Binary(op, a, b)) => rewrite(terms, op, a, b),
            (Rewrite::Ternary(rewrite), Node::Ite(a, b, c) | Node::Store(a, b, c)) => rewrite(terms, a, b, c),
            _ => None,
        }
    }
}

/// A list of rules for operations of one kind, from the names of their functions.
macro_rules! rules {
    ($kind:ident: $($rule:ident),* $(,)?) => {
        &[$(Rule { name: stringify!($rule), rewrite: super::Rewrite::$kind($rule) }),*]
    };
}
use rules;

/// How deep rules may go within rules.
pub const DEPTH: u32 = 24;

/// How many nodes may be examined to simplify one.
pub const STEPS: u32 = 1000;

/// A simpler term with the same value as the node under every model, if a rule has one.
pub fn simplify(terms: &mut Terms, node: Node) -> Option<Term> {
    if let Some(term) = general::fold(terms, node) {
        return Some(term);
    }
    let depth = terms.abstract_values.depth;
    if depth == 0 {
        terms.abstract_values.steps = 0;
    }
    terms.abstract_values.steps += 1;
    if depth >= DEPTH || terms.abstract_values.steps > STEPS {
        return None;
    }
    terms.abstract_values.depth += 1;
    let result = rules_for(&node)
        .into_iter()
        .flatten()
        .find_map(|rule| rule.apply(terms, node))
        .or_else(|| general::only_value(terms, node));
    terms.abstract_values.depth = depth;
    if depth == 0 {
        terms.abstract_values.most_steps = terms.abstract_values.most_steps.max(terms.abstract_values.steps);
    }
    result
}

/// The rules for a node: those for its kind, then those for its operation.
pub fn rules_for(node: &Node) -> [&'static [Rule]; 2] {
    match node {
        Node::Symbol(_) | Node::Constant(_) | Node::ConstantArray(..) => [&[], &[]],
        Node::Unary(op, _) => [general::UNARY, rules_for_unary(*op)],
        Node::Binary(op, ..) => [general::BINARY, rules_for_binary(*op)],
        Node::Ite(..) => [&[], choice::CHOICE],
        Node::Store(..) => [&[], array::STORE],
    }
}

fn rules_for_unary(op: Unary) -> &'static [Rule] {
    match op {
        Unary::Not => boolean::NOT,
        Unary::BitNot => bits::NOT,
        Unary::BitNegate => arithmetic::NEGATE,
        Unary::Extract { .. } => structure::EXTRACT,
        Unary::ZeroExtend(_) => structure::ZERO_EXTEND,
        Unary::SignExtend(_) => structure::SIGN_EXTEND,
        Unary::UnsignedToInteger | Unary::SignedToInteger => integer::FROM_BITS,
        Unary::IntegerToBits(_) => integer::TO_BITS,
        Unary::Negate => integer::NEGATE,
    }
}

fn rules_for_binary(op: Binary) -> &'static [Rule] {
    use Binary::*;
    match op {
        And | Or => boolean::JUNCTION,
        Equal => equality::EQUAL,
        BitAnd => bits::AND,
        BitOr => bits::OR,
        BitXor => bits::XOR,
        BitAdd => arithmetic::ADD,
        BitSubtract => arithmetic::SUBTRACT,
        BitMultiply => arithmetic::MULTIPLY,
        UnsignedDivide => division::UNSIGNED_DIVIDE,
        UnsignedRemainder => division::UNSIGNED_REMAINDER,
        SignedDivide => division::SIGNED_DIVIDE,
        SignedRemainder => division::SIGNED_REMAINDER,
        ShiftLeft => bits::SHIFT_LEFT,
        ShiftRight => bits::SHIFT_RIGHT,
        ShiftRightSigned => bits::SHIFT_RIGHT_SIGNED,
        Concat => structure::CONCAT,
        UnsignedLess | UnsignedLessEqual | SignedLess | SignedLessEqual => comparison::COMPARE,
        SignedMultiplyOverflows | UnsignedMultiplyOverflows => overflow::OVERFLOWS,
        Add => integer::ADD,
        Multiply => integer::MULTIPLY,
        Divide | Modulo => integer::DIVIDE,
        LessEqual | Less => integer::COMPARE,
        Select => array::SELECT,
    }
}
