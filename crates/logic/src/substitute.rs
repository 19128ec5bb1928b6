//! Terms with parts exchanged for others.

use rustc_hash::FxHashMap;

use crate::terms::{Term, Terms};

/// An exchange of terms for others of the same sorts, all at once. What was exchanged is kept, so that terms with
/// common parts cost their parts once.
#[derive(Clone, Default)]
pub struct Substitution {
    done: FxHashMap<Term, Term>,
}

impl Substitution {
    /// An exchange of the first of each pair for the second.
    pub fn new(pairs: impl IntoIterator<Item = (Term, Term)>) -> Self {
        Self { done: pairs.into_iter().collect() }
    }

    /// Exchanges another term from now on. Terms that have it as a part must not have been exchanged before.
    pub fn insert(&mut self, term: Term, other: Term) {
        self.done.insert(term, other);
    }

    /// What a term is exchanged for, if that is known.
    pub fn known(&self, term: Term) -> Option<Term> {
        self.done.get(&term).copied()
    }

    /// The term after the exchange.
    pub fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = terms.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| !self.done.contains_key(operand)));
            if stack.len() == before {
                self.rebuild(terms, top);
                stack.pop();
            }
        }
        self.done[&term]
    }

    /// Makes a term anew from its operands, which have been exchanged.
    pub(crate) fn rebuild(&mut self, terms: &mut Terms, term: Term) {
        let node = terms.node(term);
        let changed = node.with_operands(|operand| self.done[&operand]);
        let result = if changed == node { term } else { terms.make(changed) };
        self.done.insert(term, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn all_is_exchanged_at_once() {
        let mut terms = Terms::new();
        let (x, y) = (terms.fresh("x", Sort::Integer), terms.fresh("y", Sort::Integer));
        let less = terms.binary(crate::Binary::Less, x, y);
        let mut swap = Substitution::new([(x, y), (y, x)]);
        let swapped = swap.apply(&mut terms, less);
        assert_eq!(swapped, terms.binary(crate::Binary::Less, y, x));
        assert_eq!(terms.free_symbols(&[swapped]).len(), 2);
    }
}
