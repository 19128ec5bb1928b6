//! What is known of the symbols that an encoding made up: facts, and facts about all numbers.
//!
//! A fact belongs to a symbol and is true in every run; a question that does not speak of the symbol does not need it. A
//! fact about all numbers is given to a solver as its instances for the indices at which a question looks into arrays
//! (as in decision procedures for the array property fragment, Bradley, Manna and Sipma 2006). Instances are true
//! whichever are taken: with too few of them a question has models that no run has, and no fewer proofs are right.

use logic::substitute::Substitution;
use logic::{Binary, Node, Scalar, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::value::OFFSET_WIDTH;

/// No fact about all numbers is taken for more indices that are not known.
const SYMBOLIC: usize = 40;

/// No fact about all numbers is taken for more indices that are known.
const KNOWN: usize = 48;

/// How often instances may bring in indices that bring in instances.
const ROUNDS: usize = 2;

/// A fact about all numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Universal {
    /// The symbol that stands for every number: as wide as an offset.
    pub bound: Term,
    /// What is true, whatever the bound symbol is.
    pub body: Term,
    /// How many bytes lie between one number and the next, if the number is where something is: one if the number counts
    /// bytes, four if it counts elements of four bytes.
    pub unit: u64,
    /// All numbers from zero to this one are worth an instance; zero if arrays tell where to look.
    pub places: u64,
}

/// What is known of symbols.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    facts: FxHashMap<Term, Vec<Term>>,
    universals: FxHashMap<Term, Vec<Universal>>,
}

impl Knowledge {
    /// A fact that belongs to a symbol.
    pub fn add(&mut self, symbol: Term, fact: Term) {
        self.facts.entry(symbol).or_default().push(fact);
    }

    /// A fact about all numbers that belongs to a symbol.
    pub fn add_universal(&mut self, symbol: Term, universal: Universal) {
        self.universals.entry(symbol).or_default().push(universal);
    }

    /// The facts that belong to a symbol.
    pub fn facts(&self, symbol: Term) -> &[Term] {
        self.facts.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// The facts about all numbers that belong to a symbol.
    pub fn universals(&self, symbol: Term) -> impl Iterator<Item = Term> + '_ {
        self.universals.get(&symbol).into_iter().flatten().map(|universal| universal.body)
    }

    /// Takes back all facts of a symbol.
    pub fn forget(&mut self, symbol: Term) {
        self.facts.remove(&symbol);
        self.universals.remove(&symbol);
    }

    /// What to assert along with these terms.
    pub fn about(&self, terms: &mut Terms, roots: &[Term]) -> Vec<Term> {
        if self.facts.is_empty() && self.universals.is_empty() {
            return Vec::new();
        }
        let mut search = Search::new(self);
        search.visit(terms, roots);
        for _ in 0..ROUNDS {
            let instances = search.instances(terms);
            if instances.is_empty() {
                break;
            }
            search.visit(terms, &instances);
            search.found.extend(instances);
        }
        search.found
    }
}

/// The terms that a question speaks of, so far.
struct Search<'a> {
    knowledge: &'a Knowledge,
    seen: FxHashSet<Term>,
    /// Facts and instances.
    found: Vec<Term>,
    universals: Vec<Universal>,
    /// Indices into arrays, each with the bytes of an element.
    symbolic: Vec<(Term, u64)>,
    known: Vec<(Term, u64)>,
    /// Known indices at which arrays are only written.
    written: Vec<(Term, u64)>,
    indices: FxHashSet<(Term, u64)>,
    made: FxHashSet<Term>,
}

impl<'a> Search<'a> {
    fn new(knowledge: &'a Knowledge) -> Self {
        Self {
            knowledge,
            seen: FxHashSet::default(),
            found: Vec::new(),
            universals: Vec::new(),
            symbolic: Vec::new(),
            known: Vec::new(),
            written: Vec::new(),
            indices: FxHashSet::default(),
            made: FxHashSet::default(),
        }
    }

    fn visit(&mut self, terms: &Terms, roots: &[Term]) {
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            let node = terms.node(term);
            match node {
                Node::Binary(Binary::Select, array, index) => self.note_index(terms, array, index, true),
                Node::Store(array, index, _) => self.note_index(terms, array, index, false),
                Node::Symbol(_) => {
                    if let Some(facts) = self.knowledge.facts.get(&term) {
                        self.found.extend(facts);
                        stack.extend(facts);
                    }
                    if let Some(universals) = self.knowledge.universals.get(&term) {
                        self.universals.extend(universals);
                    }
                }
                _ => {}
            }
            stack.extend(node.operands());
        }
    }

    fn note_index(&mut self, terms: &Terms, array: Term, index: Term, read: bool) {
        let Sort::Array(Scalar::BitVector(_), Scalar::BitVector(element)) = terms.sort(array) else { return };
        let entry = (index, u64::from(element / 8).max(1));
        if !self.indices.insert(entry) {
            return;
        }
        let (list, most) = match terms.known(index) {
            Some(_) if read => (&mut self.known, KNOWN),
            // An array that was filled cell by cell has many of these: what is read matters more.
            Some(_) => (&mut self.written, KNOWN),
            None => (&mut self.symbolic, SYMBOLIC),
        };
        if list.len() < most {
            list.push(entry);
        }
    }

    fn instances(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut instances = Vec::new();
        for universal in self.universals.clone() {
            let mut numbers: Vec<Term> =
                (0..universal.places).map(|place| terms.bits(OFFSET_WIDTH, place.into())).collect();
            if universal.places == 0 {
                let written = KNOWN.saturating_sub(self.known.len());
                let written = self.written.iter().take(written);
                let indices: Vec<(Term, u64)> =
                    self.symbolic.iter().chain(&self.known).chain(written).copied().collect();
                numbers.extend(
                    indices
                        .into_iter()
                        .filter_map(|(index, bytes)| number(terms, index, bytes, universal.unit)),
                );
            }
            for number in numbers {
                let instance = Substitution::new([(universal.bound, number)]).apply(terms, universal.body);
                if !terms.is_true(instance) && self.made.insert(instance) {
                    instances.push(instance);
                }
            }
        }
        instances
    }
}

/// The number at which a unit starts, for an index of elements of so many bytes.
fn number(terms: &mut Terms, index: Term, bytes: u64, unit: u64) -> Option<Term> {
    let wide = terms.resize(index, OFFSET_WIDTH.max(terms.width(index)), false);
    if bytes == unit {
        return Some(wide);
    }
    let factor = |terms: &mut Terms, number: u64| terms.bits(OFFSET_WIDTH, number.into());
    if bytes > unit && bytes.is_multiple_of(unit) {
        let factor = factor(terms, bytes / unit);
        return Some(terms.binary(Binary::BitMultiply, wide, factor));
    }
    if unit.is_multiple_of(bytes) {
        let factor = factor(terms, unit / bytes);
        return Some(terms.binary(Binary::UnsignedDivide, wide, factor));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;
    use logic::solver::Embedded;
    use logic::{Answer, Solver};

    /// An array of which nothing is known but that all its elements below a limit are zero.
    #[test]
    fn a_fact_about_all_numbers_is_used_where_a_question_looks() {
        let mut terms = Terms::new();
        let sort = Sort::Array(Scalar::BitVector(16), Scalar::BitVector(8));
        let (array, limit) = (terms.fresh("a", sort), terms.fresh("n", Sort::BitVector(OFFSET_WIDTH)));
        let bound = terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let below = terms.binary(Binary::UnsignedLess, bound, limit);
        let place = terms.resize(bound, 16, false);
        let (element, zero) = (terms.select(array, place), terms.bits(8, 0));
        let is_zero = terms.equal(element, zero);
        let body = terms.implies(below, is_zero);
        let mut knowledge = Knowledge::default();
        knowledge.add_universal(array, Universal { bound, body, unit: 1, places: 0 });
        let index = terms.fresh("i", Sort::BitVector(16));
        let wide = terms.resize(index, OFFSET_WIDTH, false);
        let inside = terms.binary(Binary::UnsignedLess, wide, limit);
        let element = terms.select(array, index);
        let other = terms.differ(element, zero);
        let ask = |asserted: &[Term], terms: &mut Terms| {
            let mut solver: Embedded = Embedded::new();
            for term in knowledge.about(terms, asserted).into_iter().chain(asserted.iter().copied()) {
                solver.assert(terms, term);
            }
            solver.check(terms, &[], &mut Budget::unlimited())
        };
        assert_eq!(ask(&[inside, other], &mut terms), Answer::Unsatisfiable);
        assert_eq!(ask(&[other], &mut terms), Answer::Satisfiable);
    }

    #[test]
    fn facts_come_with_their_symbols_alone() {
        let mut terms = Terms::new();
        let names = ["a", "b", "c"];
        let [a, b, c] = names.map(|name| terms.fresh(name, Sort::Bool));
        let (then, chain) = (terms.implies(a, b), terms.implies(b, c));
        let mut knowledge = Knowledge::default();
        knowledge.add(a, then);
        knowledge.add(b, chain);
        assert_eq!(knowledge.about(&mut terms, &[a]), [then, chain]);
        assert_eq!(knowledge.about(&mut terms, &[c]), []);
        knowledge.forget(b);
        assert_eq!(knowledge.about(&mut terms, &[a]), [then]);
    }
}
