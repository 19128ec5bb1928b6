//! Queries that do not look into memory: what is read from an array is an unspecified number.
//!
//! Most invariants about counters and pointers do not depend on what memory holds, and arrays (tables of constants,
//! buffers that other loops have filled) are the expensive part of a query. So wherever a term reads from an array, or
//! compares two arrays, a symbol takes its place: one and the same for one and the same term.
//!
//! Every model of a query is one of the query without memory, with symbols that have the values of the terms they stand
//! for. So what cannot be without memory cannot be; from a model follows nothing.

use encoding::Axioms;
use logic::substitute::Substitution;
use logic::{Binary, Node, Sort, Term, Terms};

/// The symbols that stand for what is read from memory.
#[derive(Default)]
pub(super) struct ArrayAbstraction {
    exchange: Substitution,
}

impl ArrayAbstraction {
    /// A term without memory.
    pub fn term(&mut self, terms: &mut Terms, term: Term) -> Term {
        for part in terms.reachable(&[term]) {
            if looks_into_memory(terms, part) && self.exchange.known(part).is_none() {
                let symbol = terms.fresh("memory", terms.sort(part));
                self.exchange.insert(part, symbol);
            }
        }
        self.exchange.apply(terms, term)
    }

    /// Terms without memory, together with the axioms about their symbols.
    pub fn with_axioms(&mut self, terms: &mut Terms, axioms: &Axioms, roots: &[Term]) -> Vec<Term> {
        let mut all: Vec<Term> = roots.iter().map(|&root| self.term(terms, root)).collect();
        for invariant in axioms.axioms_about(terms, &all) {
            all.push(self.term(terms, invariant));
        }
        all
    }
}

fn looks_into_memory(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Binary(Binary::Select, ..) => true,
        Node::Binary(Binary::Equal, left, _) => matches!(terms.sort(left), Sort::Array(..)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Scalar;

    #[test]
    fn what_is_read_twice_is_one_number() {
        let mut terms = Terms::new();
        let sort = Sort::Array(Scalar::BitVector(16), Scalar::BitVector(8));
        let (array, other) = (terms.fresh("a", sort), terms.fresh("b", sort));
        let (index, zero) = (terms.fresh("i", Sort::BitVector(16)), terms.bits(8, 0));
        let (element, same) = (terms.select(array, index), terms.equal(array, other));
        let is_zero = terms.equal(element, zero);
        let both = terms.and(is_zero, same);
        let mut array_abstraction = ArrayAbstraction::default();
        let without = array_abstraction.term(&mut terms, both);
        assert!(!terms.reachable(&[without]).into_iter().any(|term| looks_into_memory(&terms, term)));
        // An array is no part of it any more, and neither is the place.
        assert_eq!(terms.free_symbols(&[without]).len(), 2);
        let (first, second) =
            (array_abstraction.term(&mut terms, is_zero), array_abstraction.term(&mut terms, same));
        assert_eq!(terms.and(first, second), without);
        let not = terms.not(is_zero);
        let not = array_abstraction.term(&mut terms, not);
        let never = terms.and(first, not);
        assert!(terms.is_false(never));
    }

    #[test]
    fn invariants_come_along() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Sort::Bool));
        let then = terms.implies(a, b);
        let mut axioms = Axioms::default();
        axioms.add(a, then);
        assert_eq!(ArrayAbstraction::default().with_axioms(&mut terms, &axioms, &[a]), [a, then]);
    }
}
