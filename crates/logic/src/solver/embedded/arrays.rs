//! Arrays, by lemmas on demand.
//!
//! What is read from an array is free at first. When the SAT solver proposes values, every access (a read, or the
//! element that a store puts in) wanders with its index and element through the arrays that must agree with its own:
//! from a store to the array below it unless it is at the store's index, from a choice to the array chosen, and, where an
//! equality of arrays is true, through all of them in both directions. Where two accesses meet at one index with
//! different elements, the clause is added that says why they must not (Brummayer and Biere: Lemmas on demand for the
//! extensional theory of arrays, 2009, sections 4 to 6).
//!
//! Arrays that differ, differ at a witness, a symbol of our own. The element that a constant array has everywhere
//! wanders without an index, as that of some index that nobody stores to; if there are not more indices than stores,
//! it wanders with each index instead. There are finitely many lemmas, so that this ends.

use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::Literal;
use super::numbers::Unknown;
use super::query::{Pending, Query};
use crate::node::{Binary, Node};
use crate::solver::sat::Sat;
use crate::sort::{Scalar, Sort};
use crate::terms::{SymbolId, Term, Terms};
use crate::value::{ArrayValue, Value};

/// The arrays that matter to one query.
#[derive(Default)]
pub(crate) struct Arrays {
    /// Array terms, in the order in which they came in.
    arrays: Vec<Term>,
    seen: FxHashSet<Term>,
    reads: Vec<Term>,
    equalities: Vec<Term>,
    waiting: Vec<Term>,
    /// Unknown numbers that matter.
    pub(crate) unknowns: std::collections::BTreeSet<Unknown>,
    /// After the last refinement: values of array symbols.
    pub(crate) values: Vec<(SymbolId, Value)>,
}

/// Where arrays differ, if they do.
#[derive(Default)]
pub(crate) struct Witnesses {
    /// The elements of both sides there, by the equality.
    of: FxHashMap<Term, (Term, Term)>,
    symbols: FxHashSet<Term>,
}

impl Witnesses {
    /// Whether a symbol is nobody's but ours.
    pub(crate) fn is_internal(&self, symbol: Term) -> bool {
        self.symbols.contains(&symbol)
    }

    fn of(&mut self, terms: &mut Terms, equality: Term, a: Term, b: Term) -> (Term, Term) {
        if let Some(&elements) = self.of.get(&equality) {
            return elements;
        }
        let index = match terms.sort(a) {
            Sort::Array(index, _) => index,
            _ => Scalar::Bool,
        };
        let witness = terms.fresh("witness", index.into());
        self.symbols.insert(witness);
        let elements = (terms.select(a, witness), terms.select(b, witness));
        self.of.insert(equality, elements);
        elements
    }
}

/// One access on its way.
#[derive(Clone)]
struct Access {
    /// The index; nothing if it is that of no store.
    index: Option<Term>,
    index_value: Option<ValueId>,
    element: Term,
    element_value: ValueId,
    /// Where it is.
    array: Term,
    /// Where it came from, and why it may go on from there.
    from: Option<usize>,
    why: Why,
}

/// Why an access may go on.
#[derive(Clone, Copy)]
enum Why {
    /// It may always.
    Always,
    /// Because of a choice or an equality.
    Literal(Literal),
    /// Because it is at another index than a store.
    Differ(Term, Term),
}

/// A way between two arrays.
struct Edge {
    to: Term,
    /// Only for accesses at another index than this one.
    except: Option<Term>,
    why: Why,
}

/// A value, by a number that is its own.
type ValueId = u32;

impl Arrays {
    /// A read matters.
    pub(crate) fn read(&mut self, term: Term) {
        if self.seen.insert(term) {
            self.reads.push(term);
            self.waiting.push(term);
        }
    }

    /// An equality of arrays matters.
    pub(crate) fn compare(&mut self, term: Term) {
        if self.seen.insert(term) {
            self.equalities.push(term);
            self.waiting.push(term);
        }
    }

    /// Brings in what new arrays need; whether there was anything to do.
    pub(crate) fn settle<S: Sat>(query: &mut Query<'_, S>) -> bool {
        let Some(term) = query.state.arrays.waiting.pop() else { return false };
        let node = query.terms.node(term);
        if let Node::Binary(Binary::Equal, a, b) = node {
            let equal = query.translator.literal(query.terms, term);
            let (left, right) = query.witnesses.of(query.terms, term, a, b);
            let same = query.equal(left, right);
            query.add(&[equal, !same]);
        }
        if let Node::Binary(Binary::Select, ..) = node {
            query.state.pending.push(Pending::Scalar(term));
        }
        for operand in node.operands() {
            if let Sort::Array(..) = query.terms.sort(operand) {
                if query.state.arrays.seen.insert(operand) {
                    query.state.arrays.arrays.push(operand);
                    query.state.arrays.waiting.push(operand);
                }
            } else {
                query.state.pending.push(Pending::Scalar(operand));
            }
        }
        true
    }

    /// Adds lemmas that the proposal violates; whether there were any. If not, array symbols have values now.
    pub(crate) fn refine<S: Sat>(query: &mut Query<'_, S>) -> bool {
        query.state.arrays.values.clear();
        if query.state.arrays.arrays.is_empty() {
            return false;
        }
        let edges = edges(query);
        let mut walk = Walk::default();
        walk.start(query);
        let mut next = 0;
        while next < walk.accesses.len() {
            let array = walk.accesses[next].array;
            for edge in edges.get(&array).map_or(&[][..], Vec::as_slice) {
                walk.step(query, next, edge);
            }
            next += 1;
        }
        let found = !walk.lemmas.is_empty();
        for lemma in std::mem::take(&mut walk.lemmas) {
            query.add(&lemma);
        }
        if !found {
            walk.set_values(query);
        }
        found
    }
}

/// The ways between arrays under the proposal. Against the grain only if some equality is true: otherwise nothing is
/// known of an array that is not known of what it is made of.
fn edges<S: Sat>(query: &mut Query<'_, S>) -> FxHashMap<Term, Vec<Edge>> {
    let mut edges: FxHashMap<Term, Vec<Edge>> = FxHashMap::default();
    let mut connect = |a: Term, b: Term, except: Option<Term>, why: Why, both: bool| {
        edges.entry(a).or_default().push(Edge { to: b, except, why });
        if both {
            edges.entry(b).or_default().push(Edge { to: a, except, why });
        }
    };
    let mut both = false;
    for index in 0..query.state.arrays.equalities.len() {
        let equality = query.state.arrays.equalities[index];
        let literal = query.translator.literal(query.terms, equality);
        if query.truth(literal)
            && let Node::Binary(_, a, b) = query.terms.node(equality)
        {
            both = true;
            connect(a, b, None, Why::Literal(literal), true);
        }
    }
    for index in 0..query.state.arrays.arrays.len() {
        let array = query.state.arrays.arrays[index];
        match query.terms.node(array) {
            Node::Store(below, at, _) => connect(array, below, Some(at), Why::Always, both),
            Node::Ite(condition, then, otherwise) => {
                let condition = query.translator.literal(query.terms, condition);
                let truth = query.truth(condition);
                let chosen = if truth { then } else { otherwise };
                connect(array, chosen, None, Why::Literal(condition.negate_if(!truth)), both);
            }
            _ => {}
        }
    }
    edges
}

#[derive(Default)]
struct Walk {
    accesses: Vec<Access>,
    /// The first access that came to an array with an index.
    at: FxHashMap<(Term, Option<ValueId>), usize>,
    lemmas: Vec<Vec<Literal>>,
    values: Vec<Value>,
    value_ids: FxHashMap<Value, ValueId>,
    term_values: FxHashMap<Term, ValueId>,
}

impl Walk {
    /// All accesses where they begin.
    fn start<S: Sat>(&mut self, query: &mut Query<'_, S>) {
        let stores = query.state.arrays.arrays.len();
        for position in 0..query.state.arrays.arrays.len() {
            let array = query.state.arrays.arrays[position];
            match query.terms.node(array) {
                Node::Store(_, index, element) => self.begin(query, array, Some(index), element),
                Node::ConstantArray(_, element) if !query.state.arrays.equalities.is_empty() => {
                    match few_indices(query.terms, array, stores) {
                        None => self.begin(query, array, None, element),
                        Some(indices) => {
                            for index in indices {
                                let index = query.terms.value(&index);
                                self.begin(query, array, Some(index), element);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for position in 0..query.state.arrays.reads.len() {
            let read = query.state.arrays.reads[position];
            if let Node::Binary(_, array, index) = query.terms.node(read) {
                self.begin(query, array, Some(index), read);
            }
        }
    }

    fn begin<S: Sat>(&mut self, query: &mut Query<'_, S>, array: Term, index: Option<Term>, element: Term) {
        let index_value = index.map(|index| self.value(query, index));
        let element_value = self.value(query, element);
        let (from, why) = (None, Why::Always);
        self.arrive(query, Access { index, index_value, element, element_value, array, from, why });
    }

    /// The value of a term, each term and each value once.
    fn value<S: Sat>(&mut self, query: &mut Query<'_, S>, term: Term) -> ValueId {
        if let Some(&id) = self.term_values.get(&term) {
            return id;
        }
        let value = query.value(term);
        let id = *self.value_ids.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            (self.values.len() - 1) as ValueId
        });
        self.term_values.insert(term, id);
        id
    }

    fn step<S: Sat>(&mut self, query: &mut Query<'_, S>, from: usize, edge: &Edge) {
        let mut why = edge.why;
        if let (Some(except), Some(index)) = (edge.except, self.accesses[from].index) {
            if Some(self.value(query, except)) == self.accesses[from].index_value {
                return;
            }
            why = Why::Differ(except, index);
        }
        let access = Access { array: edge.to, from: Some(from), why, ..self.accesses[from].clone() };
        self.arrive(query, access);
    }

    fn arrive<S: Sat>(&mut self, query: &mut Query<'_, S>, access: Access) {
        // A constant array has its element at every index.
        if let Node::ConstantArray(_, element) = query.terms.node(access.array)
            && element != access.element
            && self.value(query, element) != access.element_value
        {
            let mut lemma = vec![query.equal(element, access.element)];
            self.reasons(query, &access, &mut lemma);
            self.lemmas.push(lemma);
            return;
        }
        let key = (access.array, access.index_value);
        let Some(&other) = self.at.get(&key) else {
            self.at.insert(key, self.accesses.len());
            self.accesses.push(access);
            return;
        };
        let other = &self.accesses[other];
        if other.element_value == access.element_value {
            return;
        }
        let mut lemma = vec![query.equal(other.element, access.element)];
        if let (Some(a), Some(b)) = (access.index, other.index)
            && a != b
        {
            lemma.push(!query.equal(a, b));
        }
        self.reasons(query, &access, &mut lemma);
        self.reasons(query, other, &mut lemma);
        self.lemmas.push(lemma);
    }

    /// The negations of why an access is where it is.
    fn reasons<S: Sat>(&self, query: &mut Query<'_, S>, access: &Access, lemma: &mut Vec<Literal>) {
        let mut access = access;
        loop {
            match access.why {
                Why::Always => {}
                Why::Literal(literal) => lemma.push(!literal),
                Why::Differ(a, b) => lemma.push(query.equal(a, b)),
            }
            let Some(from) = access.from else { return };
            access = &self.accesses[from];
        }
    }

    /// The values of array symbols: what came to them.
    fn set_values<S: Sat>(&self, query: &mut Query<'_, S>) {
        let mut values: FxHashMap<Term, ArrayValue> = FxHashMap::default();
        for &array in &query.state.arrays.arrays {
            if query.terms.as_symbol(array).is_some()
                && let Value::Array(zero) = Value::zero(query.terms.sort(array))
            {
                values.insert(array, *zero);
            }
        }
        // Defaults first: entries are kept where they differ from them.
        for access in self.accesses.iter().filter(|access| access.index_value.is_none()) {
            if let Some(value) = values.get_mut(&access.array) {
                value.default = self.values[access.element_value as usize].clone();
            }
        }
        for access in &self.accesses {
            if let (Some(value), Some(index)) = (values.get_mut(&access.array), access.index_value) {
                let [index, element] =
                    [index, access.element_value].map(|id| self.values[id as usize].clone());
                value.set(index, element);
            }
        }
        for &array in &query.state.arrays.arrays {
            if let (Some(symbol), Some(value)) = (query.terms.as_symbol(array), values.remove(&array)) {
                query.state.arrays.values.push((symbol, Value::Array(Box::new(value))));
            }
        }
    }
}

/// All indices of an array, if there may be a store at each.
fn few_indices(terms: &Terms, array: Term, stores: usize) -> Option<Vec<Value>> {
    match terms.sort(array) {
        Sort::Array(Scalar::Bool, _) => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Array(Scalar::BitVector(width), _) if width < 32 && 1 << width <= stores => {
            Some((0..1u128 << width).map(|index| Value::bits(width, index)).collect())
        }
        _ => None,
    }
}
