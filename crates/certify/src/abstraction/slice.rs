//! The part of a path's condition that a query can depend on.
//!
//! Leaving a condition out of a query can only turn "no" into "perhaps": a proof from fewer conditions is a proof.
//! Conditions are taken that speak of a symbol of the query, then those that speak of a symbol of these, a few times
//! over: what happened in loops that have nothing to do with each other is not dragged along.

use std::rc::Rc;

use encoding::Axioms;
use logic::{SymbolId, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often conditions bring in others, as a rule.
pub(super) const ROUNDS: usize = 4;

/// The symbols that conditions speak of.
#[derive(Default)]
pub(super) struct Symbols {
    /// For each condition, how many axioms it had, and the symbols.
    known: FxHashMap<Term, (usize, Rc<[SymbolId]>)>,
    /// Which conditions are short.
    short: FxHashMap<Term, bool>,
}

/// A condition with more parts than this is long: as a rule it says which of many paths was taken.
const SHORT: usize = 200;

impl Symbols {
    fn of(&mut self, terms: &Terms, axioms: &Axioms, condition: Term) -> Rc<[SymbolId]> {
        // What a symbol stands for can still become more.
        let invariants = axioms.axioms(condition);
        if let Some((count, symbols)) = self.known.get(&condition)
            && *count == invariants.len()
        {
            return symbols.clone();
        }
        let mut roots: Vec<Term> = invariants.iter().copied().chain([condition]).collect();
        if !invariants.is_empty() {
            let symbols = terms.reachable(&roots).into_iter().filter(|&term| terms.as_symbol(term).is_some());
            let universals: Vec<Term> = symbols.flat_map(|symbol| axioms.universals(symbol)).collect();
            roots.extend(universals);
        }
        let symbols: Rc<[SymbolId]> = terms.free_symbols(&roots).into();
        self.known.insert(condition, (invariants.len(), symbols.clone()));
        symbols
    }

    /// Whether a condition has few parts.
    pub fn is_short(&mut self, terms: &Terms, condition: Term) -> bool {
        *self.short.entry(condition).or_insert_with(|| terms.reachable(&[condition]).len() <= SHORT)
    }

    /// Those of some conditions on which a query about other terms can depend.
    pub fn relevant(
        &mut self,
        terms: &Terms,
        axioms: &Axioms,
        roots: &[Term],
        conditions: &[Term],
    ) -> Vec<Term> {
        self.within(ROUNDS, terms, axioms, roots, conditions)
    }

    /// Those that are found if conditions bring in others so often.
    pub fn within(
        &mut self,
        rounds: usize,
        terms: &Terms,
        axioms: &Axioms,
        roots: &[Term],
        conditions: &[Term],
    ) -> Vec<Term> {
        let mut symbols: FxHashSet<SymbolId> = terms.free_symbols(roots).into_iter().collect();
        let mut taken = vec![false; conditions.len()];
        for _ in 0..rounds {
            let mut fresh: Vec<Rc<[SymbolId]>> = Vec::new();
            for (place, &condition) in conditions.iter().enumerate() {
                if taken[place] {
                    continue;
                }
                let own = self.of(terms, axioms, condition);
                if own.iter().any(|symbol| symbols.contains(symbol)) {
                    taken[place] = true;
                    fresh.push(own);
                }
            }
            if fresh.is_empty() {
                break;
            }
            symbols.extend(fresh.iter().flat_map(|own| own.iter().copied()));
        }
        conditions.iter().zip(taken).filter(|(_, taken)| *taken).map(|(&condition, _)| condition).collect()
    }
}
