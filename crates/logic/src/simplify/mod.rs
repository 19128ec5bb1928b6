//! Simplification of terms as they are made.

use crate::node::Node;
use crate::terms::{Term, Terms};

/// What is known of every term besides its sort.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {}

/// A simpler term with the same value as the node under every model, if a rule has one.
pub fn simplify(_terms: &mut Terms, _node: Node) -> Option<Term> {
    None
}

/// Takes note of a new term.
pub fn learn(_terms: &mut Terms, _term: Term) {}
