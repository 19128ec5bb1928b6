//! What is known of the symbols that an encoding made up: axioms, and quantified axioms.
//!
//! An axiom belongs to a symbol and is true in every run; a query that does not speak of the symbol does not need it. A
//! quantified axiom is given to a solver as its instances for the indices at which a query looks into arrays (as in
//! decision procedures for the array property fragment, Bradley, Manna and Sipma 2006; `pattern.rs` says which instance
//! speaks of which index). Instances are true whichever are taken: with too few of them a query has models that no run
//! has, and no fewer proofs are right.

use logic::substitute::Substitution;
use logic::{Binary, Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pattern::{Origins, Pattern, is_of_bits, patterns};
use crate::value::OFFSET_WIDTH;

/// No quantified axiom is taken for more indices that are not known.
const SYMBOLIC: usize = 40;

/// No quantified axiom is taken for more indices that are known.
const KNOWN: usize = 48;

/// How often instances may bring in indices that bring in instances.
const ROUNDS: usize = 4;

/// A quantified axiom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Universal {
    /// The symbol that stands for every number: as wide as an offset.
    pub bound: Term,
    /// What is true, whatever the bound symbol is.
    pub body: Term,
    /// All numbers from zero to this one are worth an instance; zero if arrays tell where to look.
    pub places: u64,
}

/// What is known of symbols.
#[derive(Clone, Debug, Default)]
pub struct Axioms {
    axioms: FxHashMap<Term, Vec<Term>>,
    universals: FxHashMap<Term, Vec<Universal>>,
}

impl Axioms {
    /// An axiom that belongs to a symbol.
    pub fn add(&mut self, symbol: Term, axiom: Term) {
        self.axioms.entry(symbol).or_default().push(axiom);
    }

    /// A quantified axiom that belongs to a symbol.
    pub fn add_universal(&mut self, symbol: Term, universal: Universal) {
        self.universals.entry(symbol).or_default().push(universal);
    }

    /// The axioms that belong to a symbol.
    pub fn axioms(&self, symbol: Term) -> &[Term] {
        self.axioms.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// The quantified axioms that belong to a symbol.
    pub fn universals(&self, symbol: Term) -> impl Iterator<Item = Term> + '_ {
        self.universals.get(&symbol).into_iter().flatten().map(|universal| universal.body)
    }

    /// Takes back all axioms of a symbol.
    pub fn forget(&mut self, symbol: Term) {
        self.axioms.remove(&symbol);
        self.universals.remove(&symbol);
    }

    /// The axioms about the symbols of these terms, and about theirs, without those about all numbers.
    pub fn axioms_about(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        let mut search = Search::new(self);
        search.visit(terms, roots);
        search.found
    }

    /// What to assert along with these terms.
    pub fn about(&self, terms: &mut Terms, roots: &[Term]) -> Vec<Term> {
        if self.axioms.is_empty() && self.universals.is_empty() {
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

/// The terms that a query speaks of, so far.
struct Search<'a> {
    axioms: &'a Axioms,
    seen: FxHashSet<Term>,
    /// Axioms and instances.
    found: Vec<Term>,
    universals: Vec<Universal>,
    /// Where each universal looks into arrays.
    patterns: FxHashMap<Term, Vec<Pattern>>,
    origins: Origins,
    /// Where the query looks into arrays, by what these are made from.
    looks: FxHashMap<Term, Looks>,
    made: FxHashSet<(Term, Term)>,
}

/// Indices into an array.
#[derive(Default)]
struct Looks {
    seen: FxHashSet<(Term, bool)>,
    symbolic: Vec<Term>,
    known: Vec<Term>,
    /// Known indices at which arrays are only written: one that was filled cell by cell has many of these, and what is
    /// read matters more.
    written: Vec<Term>,
}

impl Looks {
    fn note(&mut self, terms: &Terms, index: Term, read: bool) {
        if !self.seen.insert((index, read)) {
            return;
        }
        let (list, most) = match terms.known(index) {
            Some(_) if read => (&mut self.known, KNOWN),
            Some(_) => (&mut self.written, KNOWN),
            None => (&mut self.symbolic, SYMBOLIC),
        };
        if list.len() < most && !list.contains(&index) {
            list.push(index);
        }
    }

    fn indices(&self) -> impl Iterator<Item = Term> {
        let written = KNOWN.saturating_sub(self.known.len());
        self.symbolic.iter().chain(&self.known).chain(self.written.iter().take(written)).copied()
    }
}

impl<'a> Search<'a> {
    fn new(axioms: &'a Axioms) -> Self {
        Self {
            axioms,
            seen: FxHashSet::default(),
            found: Vec::new(),
            universals: Vec::new(),
            patterns: FxHashMap::default(),
            origins: Origins::default(),
            looks: FxHashMap::default(),
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
                    let axioms = self.axioms.axioms(term);
                    self.found.extend(axioms);
                    stack.extend(axioms);
                    self.universals.extend(self.axioms.universals.get(&term).into_iter().flatten());
                }
                _ => {}
            }
            stack.extend(node.operands());
        }
    }

    fn note_index(&mut self, terms: &Terms, array: Term, index: Term, read: bool) {
        if !is_of_bits(terms, array) {
            return;
        }
        for &origin in self.origins.of(terms, array) {
            self.looks.entry(origin).or_default().note(terms, index, read);
        }
    }

    fn instances(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut instances = Vec::new();
        for universal in self.universals.clone() {
            for number in self.numbers(terms, universal) {
                if self.made.insert((universal.bound, number)) {
                    let mut substitution = Substitution::new([(universal.bound, number)]);
                    let instance = substitution.apply(terms, universal.body);
                    if !terms.is_true(instance) {
                        instances.push(instance);
                    }
                }
            }
        }
        instances
    }

    /// The numbers for which a quantified axiom says something of what the query examines.
    fn numbers(&mut self, terms: &mut Terms, universal: Universal) -> Vec<Term> {
        if universal.places > 0 {
            return (0..universal.places).map(|place| terms.bits(OFFSET_WIDTH, place.into())).collect();
        }
        let patterns = self
            .patterns
            .entry(universal.bound)
            .or_insert_with(|| patterns(terms, universal.bound, universal.body));
        let mut numbers = Vec::new();
        for pattern in patterns.iter() {
            let mut indices: Vec<Term> = Vec::new();
            for origin in self.origins.of(terms, pattern.array) {
                indices.extend(self.looks.get(origin).into_iter().flat_map(Looks::indices));
            }
            for index in indices {
                numbers.extend(pattern.numbers(terms, index));
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;
    use logic::solver::Embedded;
    use logic::{Answer, Scalar, Solver, Sort};

    /// An array of which nothing is known but that all its elements below a limit are zero.
    #[test]
    fn a_quantified_axiom_is_used_where_a_query_looks() {
        let mut terms = Terms::new();
        let sort = Sort::Array(Scalar::BitVector(16), Scalar::BitVector(8));
        let (array, limit) = (terms.fresh("a", sort), terms.fresh("n", Sort::BitVector(OFFSET_WIDTH)));
        let bound = terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let below = terms.binary(Binary::UnsignedLess, bound, limit);
        let place = terms.resize(bound, 16, false);
        let (element, zero) = (terms.select(array, place), terms.bits(8, 0));
        let is_zero = terms.equal(element, zero);
        let body = terms.implies(below, is_zero);
        let mut axioms = Axioms::default();
        axioms.add_universal(array, Universal { bound, body, places: 0 });
        let index = terms.fresh("i", Sort::BitVector(16));
        let wide = terms.resize(index, OFFSET_WIDTH, false);
        let inside = terms.binary(Binary::UnsignedLess, wide, limit);
        let element = terms.select(array, index);
        let other = terms.differ(element, zero);
        let ask = |asserted: &[Term], terms: &mut Terms| {
            let mut solver: Embedded = Embedded::new();
            for term in axioms.about(terms, asserted).into_iter().chain(asserted.iter().copied()) {
                solver.assert(terms, term);
            }
            solver.check(terms, &[], &mut Budget::unlimited())
        };
        assert_eq!(ask(&[inside, other], &mut terms), Answer::Unsatisfiable);
        assert_eq!(ask(&[other], &mut terms), Answer::Satisfiable);
    }

    #[test]
    fn axioms_come_with_their_symbols_alone() {
        let mut terms = Terms::new();
        let names = ["a", "b", "c"];
        let [a, b, c] = names.map(|name| terms.fresh(name, Sort::Bool));
        let (then, chain) = (terms.implies(a, b), terms.implies(b, c));
        let mut axioms = Axioms::default();
        axioms.add(a, then);
        axioms.add(b, chain);
        assert_eq!(axioms.about(&mut terms, &[a]), [then, chain]);
        assert_eq!(axioms.about(&mut terms, &[c]), []);
        axioms.forget(b);
        assert_eq!(axioms.about(&mut terms, &[a]), [then]);
    }
}
