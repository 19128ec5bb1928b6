//! The store of terms. Equal terms are one term, and a term is simplified when it is made.
//!
//! A term's number is above those of its operands, so that going through the numbers upwards meets operands first.

use base::{Arena, Index, index_type};
use rustc_hash::FxHashMap;

use crate::node::{Binary, Node, Unary};
use crate::simplify;
use crate::sort::{Scalar, Sort};
use crate::value::Value;
use crate::{BitVector, Integer};

index_type!(
    /// A term of one store.
    Term,
    "t"
);

index_type!(
    /// A symbol of one store.
    SymbolId,
    "s"
);

index_type!(
    /// A constant of one store.
    ConstantId,
    "c"
);

/// An unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// What people call it. Two symbols may have one name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// All terms of one query, or of many.
#[derive(Clone)]
pub struct Terms {
    nodes: Arena<Term, Node>,
    sorts: Vec<Sort>,
    ids: FxHashMap<Node, Term>,
    symbols: Arena<SymbolId, Symbol>,
    constants: Arena<ConstantId, Value>,
    constant_ids: FxHashMap<Value, ConstantId>,
    pub(crate) abstract_values: simplify::AbstractValues,
    simplifies: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

/// Making terms. The constructors require operands of the right sorts: a wrong one is a mistake of the caller, and ends
/// the program.
impl Terms {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            nodes: Arena::new(),
            sorts: Vec::new(),
            ids: FxHashMap::default(),
            symbols: Arena::new(),
            constants: Arena::new(),
            constant_ids: FxHashMap::default(),
            abstract_values: simplify::AbstractValues::default(),
            simplifies: true,
        }
    }

    /// A store that keeps terms as they are written: for tests of what simplifying must preserve.
    pub fn without_simplification() -> Self {
        Self { simplifies: false, ..Self::new() }
    }

    /// A new symbol, different from all others.
    pub fn fresh(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        let symbol = self.symbols.push(Symbol { name: name.into(), sort });
        self.intern(Node::Symbol(symbol))
    }

    /// A value as a term. An array value becomes stores into a constant array.
    pub fn value(&mut self, value: &Value) -> Term {
        let Value::Array(array) = value else {
            let id = match self.constant_ids.get(value) {
                Some(&id) => id,
                None => {
                    let id = self.constants.push(value.clone());
                    self.constant_ids.insert(value.clone(), id);
                    id
                }
            };
            return self.intern(Node::Constant(id));
        };
        let default = self.value(&array.default);
        let mut term = self.constant_array(array.index, default);
        for (index, element) in &array.entries {
            let (index, element) = (self.value(index), self.value(element));
            term = self.store(term, index, element);
        }
        term
    }

    /// True or false.
    pub fn bool(&mut self, truth: bool) -> Term {
        self.value(&Value::Bool(truth))
    }

    /// Bits from a machine number.
    pub fn bits(&mut self, width: u32, bits: u128) -> Term {
        self.value(&Value::bits(width, bits))
    }

    /// Bits from a machine number with a sign.
    pub fn signed_bits(&mut self, width: u32, number: i128) -> Term {
        self.value(&Value::BitVector(BitVector::from_signed(width, number)))
    }

    /// A number.
    pub fn integer(&mut self, number: impl Into<Integer>) -> Term {
        self.value(&Value::Integer(number.into()))
    }

    /// An operation on one term.
    pub fn unary(&mut self, op: Unary, term: Term) -> Term {
        self.make(Node::Unary(op, term))
    }

    /// An operation on two terms.
    pub fn binary(&mut self, op: Binary, left: Term, right: Term) -> Term {
        self.make(Node::Binary(op, left, right))
    }

    /// Negation.
    pub fn not(&mut self, term: Term) -> Term {
        self.unary(Unary::Not, term)
    }

    /// Conjunction.
    pub fn and(&mut self, left: Term, right: Term) -> Term {
        self.binary(Binary::And, left, right)
    }

    /// Disjunction.
    pub fn or(&mut self, left: Term, right: Term) -> Term {
        self.binary(Binary::Or, left, right)
    }

    /// Conjunction of all, balanced.
    pub fn all(&mut self, terms: &[Term]) -> Term {
        self.balanced(terms, Binary::And, true)
    }

    /// Disjunction of all, balanced.
    pub fn any(&mut self, terms: &[Term]) -> Term {
        self.balanced(terms, Binary::Or, false)
    }

    fn balanced(&mut self, terms: &[Term], op: Binary, empty: bool) -> Term {
        match terms {
            [] => self.bool(empty),
            [term] => *term,
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                let (left, right) = (self.balanced(left, op, empty), self.balanced(right, op, empty));
                self.binary(op, left, right)
            }
        }
    }

    /// Implication.
    pub fn implies(&mut self, left: Term, right: Term) -> Term {
        let not = self.not(left);
        self.or(not, right)
    }

    /// Equality.
    pub fn equal(&mut self, left: Term, right: Term) -> Term {
        self.binary(Binary::Equal, left, right)
    }

    /// Inequality.
    pub fn differ(&mut self, left: Term, right: Term) -> Term {
        let equal = self.equal(left, right);
        self.not(equal)
    }

    /// One of two terms of one sort.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.make(Node::Ite(condition, then, otherwise))
    }

    /// The element of an array.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.binary(Binary::Select, array, index)
    }

    /// An array with one element changed.
    pub fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        self.make(Node::Store(array, index, element))
    }

    /// An array with the same element everywhere.
    pub fn constant_array(&mut self, index: Scalar, element: Term) -> Term {
        self.make(Node::ConstantArray(index, element))
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, term: Term) -> Term {
        self.unary(Unary::Extract { high, low }, term)
    }

    /// These bits in another width: extended by zeros or by the sign, or cut.
    pub fn resize(&mut self, term: Term, width: u32, signed: bool) -> Term {
        let now = self.width(term);
        match width.cmp(&now) {
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Less => self.extract(width - 1, 0, term),
            std::cmp::Ordering::Greater if signed => self.unary(Unary::SignExtend(width - now), term),
            std::cmp::Ordering::Greater => self.unary(Unary::ZeroExtend(width - now), term),
        }
    }

    /// The term of a node, simplified.
    pub fn make(&mut self, node: Node) -> Term {
        if self.simplifies
            && let Some(term) = simplify::simplify(self, node)
        {
            debug_assert_eq!(Some(self.sort(term)), self.sort_of_node(node), "simplifying keeps the sort");
            return term;
        }
        self.intern(node)
    }

    /// The term of a node as it is.
    ///
    /// # Panics
    /// If the operands have the wrong sorts.
    pub fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.ids.get(&node) {
            return term;
        }
        let Some(sort) = self.sort_of_node(node) else {
            let sorts: Vec<Sort> = node.operands().map(|operand| self.sort(operand)).collect();
            panic!("{node:?} has operands of the wrong sorts {sorts:?}")
        };
        let term = self.nodes.push(node);
        self.sorts.push(sort);
        self.ids.insert(node, term);
        simplify::learn(self, term);
        term
    }

    fn sort_of_node(&self, node: Node) -> Option<Sort> {
        match node {
            Node::Symbol(symbol) => Some(self.symbols[symbol].sort),
            Node::Constant(constant) => Some(self.constants[constant].sort()),
            Node::Unary(op, a) => op.sort(self.sort(a)),
            Node::Binary(op, a, b) => op.sort(self.sort(a), self.sort(b)),
            Node::Ite(condition, then, otherwise) => (self.sort(condition) == Sort::Bool
                && self.sort(then) == self.sort(otherwise))
            .then(|| self.sort(then)),
            Node::Store(array, index, element) => match self.sort(array) {
                sort @ Sort::Array(of, to)
                    if self.sort(index) == of.into() && self.sort(element) == to.into() =>
                {
                    Some(sort)
                }
                _ => None,
            },
            Node::ConstantArray(index, element) => Some(Sort::Array(index, self.sort(element).scalar()?)),
        }
    }
}

/// Examining terms.
impl Terms {
    /// What a term is.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// The width of a term of bits.
    ///
    /// # Panics
    /// If it is of another sort.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVector(width) => width,
            sort => panic!("{term} is of sort {sort}, not bits"),
        }
    }

    /// A symbol.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        &self.symbols[symbol]
    }

    /// The symbol that a term is, if it is one.
    pub fn as_symbol(&self, term: Term) -> Option<SymbolId> {
        match self.nodes[term] {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&self, constant: ConstantId) -> &Value {
        &self.constants[constant]
    }

    /// The value of a term that is a constant. Arrays never are.
    pub fn known(&self, term: Term) -> Option<&Value> {
        match self.nodes[term] {
            Node::Constant(constant) => Some(&self.constants[constant]),
            _ => None,
        }
    }

    /// The truth of a term that is a constant.
    pub fn known_bool(&self, term: Term) -> Option<bool> {
        self.known(term).and_then(Value::as_bool)
    }

    /// The bits of a term that is a constant.
    pub fn known_bits(&self, term: Term) -> Option<&BitVector> {
        self.known(term).and_then(Value::as_bits)
    }

    /// The number of a term that is a constant.
    pub fn known_integer(&self, term: Term) -> Option<&Integer> {
        self.known(term).and_then(Value::as_integer)
    }

    /// Whether a term is the constant true.
    pub fn is_true(&self, term: Term) -> bool {
        self.known_bool(term) == Some(true)
    }

    /// Whether a term is the constant false.
    pub fn is_false(&self, term: Term) -> bool {
        self.known_bool(term) == Some(false)
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All terms that some terms are made of, themselves included, operands first.
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen: rustc_hash::FxHashSet<Term> = roots.iter().copied().collect();
        let mut found: Vec<Term> = seen.iter().copied().collect();
        let mut next = 0;
        while let Some(&term) = found.get(next) {
            next += 1;
            found.extend(self.nodes[term].operands().filter(|operand| seen.insert(*operand)));
        }
        found.sort_unstable();
        found
    }

    /// The symbols in some terms, in order.
    pub fn free_symbols(&self, roots: &[Term]) -> Vec<SymbolId> {
        let mut symbols: Vec<SymbolId> =
            self.reachable(roots).into_iter().filter_map(|term| self.as_symbol(term)).collect();
        symbols.sort_unstable();
        symbols
    }
}
