//! One query: the SAT solver proposes, the procedures for numbers and arrays object with clauses, until nobody does.
//!
//! Each procedure only adds clauses that hold whatever the query is, so that "unsatisfiable" needs no further proof,
//! and a model is evaluated before anybody gets it.

use base::{Budget, Stop};
use rustc_hash::FxHashSet;

use super::arrays::{Arrays, Witnesses};
use super::clauses::{Clauses, Slots};
use super::equalities::Equalities;
use super::gates::{Gate, Literal};
use super::linear::{Agreement, LinearQuery};
use super::numbers::{Form, Quantity, Unknown};
use super::products;
use super::simulate::Simulation;
use super::translate::{Origin, Translator};
use crate::model::Model;
use crate::node::{Binary, Node};
use crate::solver::sat::{Sat, SatAnswer, SatLiteral};
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::{BitVector, Integer, Value};

/// A query that is being answered.
pub(crate) struct Query<'a, S> {
    pub(crate) terms: &'a mut Terms,
    pub(crate) translator: &'a mut Translator,
    pub(crate) simulation: &'a mut Simulation,
    pub(crate) witnesses: &'a mut Witnesses,
    pub(crate) state: State<S>,
}

/// What has been found out about a query, all of which holds for another that requires the same and assumes something
/// else.
pub(crate) struct State<S> {
    pub(crate) clauses: Clauses<S>,
    pub(crate) linear: LinearQuery,
    pub(crate) arrays: Arrays,
    /// Products of sums, and divisions by sums.
    pub(crate) opaque: Vec<(Term, Unknown)>,
    pub(crate) pending: Vec<Pending>,
    pub(crate) brought: FxHashSet<Term>,
    pub(crate) equalities: Equalities,
    /// What is required.
    pub(crate) asserted: Vec<Literal>,
    /// How many variables the SAT solver had after the first query.
    pub(crate) first_size: Option<u32>,
}

impl<S: Sat> State<S> {
    /// Whether this can be used for a query that requires these literals, and does not drag along too much. A product
    /// that one query could not decide must not be in the way of another.
    pub(crate) fn fits(&self, asserted: &[Literal]) -> bool {
        let first_size = self.first_size.unwrap_or(self.clauses.variables);
        self.asserted == asserted && self.opaque.is_empty() && self.clauses.variables / 2 <= first_size
    }

    /// Nothing yet.
    pub(crate) fn new(slots: Slots) -> Self {
        Self {
            clauses: Clauses::new(slots),
            linear: LinearQuery::default(),
            arrays: Arrays::default(),
            opaque: Vec::new(),
            pending: Vec::new(),
            brought: FxHashSet::default(),
            equalities: Equalities::default(),
            asserted: Vec::new(),
            first_size: None,
        }
    }
}

/// Something that matters now, and whose own needs have not been examined.
pub(crate) enum Pending {
    Unknown(Unknown),
    Scalar(Term),
}

/// How the search ended.
pub(crate) enum End {
    Model,
    Unsatisfiable,
    /// The SAT solver's refutation does not hold.
    Unfounded,
    Stopped(Stop),
    /// There is an assignment, but a product or a division in it could not be made right.
    NonLinear,
}

/// So many times, a product that came out wrong is told what it is for the factor at hand.
const PRODUCT_ROUNDS: usize = 100;

impl<S: Sat> Query<'_, S> {
    /// Requires that one of these literals is true.
    pub(crate) fn add(&mut self, clause: &[Literal]) {
        self.state.clauses.add(&self.translator.gates, clause);
    }

    /// Requires that a literal is true.
    pub(crate) fn assert(&mut self, literal: Literal) {
        self.state.clauses.assert(&self.translator.gates, literal);
    }

    /// A literal that can be assumed.
    pub(crate) fn assumption(&mut self, literal: Literal) -> SatLiteral {
        self.state.clauses.assumption(&self.translator.gates, literal)
    }

    /// Whether two terms of one sort, not arrays, are equal, with what follows from other equalities.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Literal {
        let literal = self.translator.equal(self.terms, a, b);
        for clause in self.state.equalities.add(self.translator, (a, b), literal) {
            self.add(&clause);
        }
        literal
    }

    /// Searches.
    pub(crate) fn solve(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> End {
        let mut product_rounds = 0;
        loop {
            self.settle();
            match self.state.clauses.sat.solve(assumptions, budget) {
                SatAnswer::Satisfiable => {}
                SatAnswer::Unsatisfiable => return End::Unsatisfiable,
                SatAnswer::Unfounded => return End::Unfounded,
                SatAnswer::Stopped(stop) => return End::Stopped(stop),
            }
            self.simulation.clear();
            if !self.state.linear.is_empty() {
                let (gates, clauses) = (&self.translator.gates, &self.state.clauses);
                let truth = |literal| {
                    let mut input = |gate| u64::from(clauses.input(gate) == Some(true));
                    self.simulation.value(gates, literal, &mut input) & 1 != 0
                };
                match self.state.linear.check(truth, budget) {
                    Agreement::Agree => {}
                    Agreement::Clash(clause) => {
                        self.add(&clause);
                        continue;
                    }
                    Agreement::Stopped(stop) => return End::Stopped(stop),
                }
            }
            if products::refine(self) {
                product_rounds += 1;
                if product_rounds > PRODUCT_ROUNDS {
                    return End::NonLinear;
                }
                continue;
            }
            if Arrays::refine(self) {
                continue;
            }
            return End::Model;
        }
    }

    /// Looks after everything that new inputs need.
    fn settle(&mut self) {
        loop {
            if let Some(input) = self.state.clauses.new_inputs.pop() {
                if let Gate::Input(origin) = self.translator.gates.gate(input as usize) {
                    self.meet(self.translator.origin(origin));
                }
            } else if let Some(pending) = self.state.pending.pop() {
                match pending {
                    Pending::Unknown(unknown) => self.meet_unknown(unknown),
                    Pending::Scalar(term) => self.bring(term),
                }
            } else if !Arrays::settle(self) {
                return;
            }
        }
    }

    fn meet(&mut self, origin: Origin) {
        match origin {
            Origin::Atom(atom) => {
                let numbers = &self.translator.numbers;
                let clauses = self.state.linear.add_atom(numbers, atom);
                let row = numbers.row(numbers.comparison(atom).row);
                self.state.pending.extend(row.terms().iter().map(|(unknown, _)| Pending::Unknown(*unknown)));
                for clause in clauses {
                    self.add(&clause);
                }
            }
            Origin::LowBits(unknown) => {
                for clause in self.translator.numbers.low_bit_conditions(unknown).to_vec() {
                    self.add(&clause);
                }
                self.state.pending.push(Pending::Unknown(unknown));
            }
            Origin::Term(term) => match self.terms.node(term) {
                Node::Binary(Binary::Select, ..) => self.state.arrays.read(term),
                Node::Binary(Binary::Equal, ..) => self.state.arrays.compare(term),
                _ => {}
            },
        }
    }

    fn meet_unknown(&mut self, unknown: Unknown) {
        if !self.state.arrays.unknowns.insert(unknown) {
            return;
        }
        self.state.linear.add_unknown(unknown);
        match self.translator.numbers.quantity(unknown) {
            Quantity::Bit(literal) => {
                self.state.linear.add_bit(unknown, literal);
                self.state.clauses.bring(&self.translator.gates, literal);
            }
            Quantity::Opaque(term) => {
                self.state.opaque.push((term, unknown));
                self.state.pending.extend(self.terms.node(term).operands().map(Pending::Scalar));
            }
            Quantity::Term(term) => {
                if let Node::Binary(Binary::Select, ..) = self.terms.node(term) {
                    self.state.arrays.read(term);
                }
            }
            Quantity::Defined => {}
        }
        for clause in self.translator.numbers.conditions(unknown).to_vec() {
            self.add(&clause);
        }
    }

    /// Makes a term's value part of the query.
    fn bring(&mut self, term: Term) {
        if !self.state.brought.insert(term) {
            return;
        }
        if self.terms.sort(term) == Sort::Integer {
            match self.translator.number(self.terms, term) {
                Form::Bits(bits) => self.bring_bits(&bits),
                Form::Sum(sum) => {
                    self.state
                        .pending
                        .extend(sum.terms().iter().map(|(unknown, _)| Pending::Unknown(*unknown)));
                }
            }
        } else {
            let bits = self.translator.bits(self.terms, term);
            self.bring_bits(&bits);
        }
    }

    fn bring_bits(&mut self, bits: &[Literal]) {
        for &bit in bits {
            self.state.clauses.bring(&self.translator.gates, bit);
        }
    }

    /// The truth of a literal in what the SAT solver proposes.
    pub(crate) fn truth(&mut self, literal: Literal) -> bool {
        let clauses = &self.state.clauses;
        let mut input = |gate| u64::from(clauses.input(gate) == Some(true));
        self.simulation.value(&self.translator.gates, literal, &mut input) & 1 != 0
    }

    /// The value of a term, not an array, in what the SAT solver and the linear solver propose.
    pub(crate) fn value(&mut self, term: Term) -> Value {
        match self.terms.sort(term) {
            Sort::Integer => {
                let form = self.translator.number(self.terms, term);
                Value::Integer(self.number(&form))
            }
            Sort::Bool => {
                let literal = self.translator.literal(self.terms, term);
                Value::Bool(self.truth(literal))
            }
            _ => {
                let bits = self.translator.bits(self.terms, term);
                Value::BitVector(self.bit_vector(&bits))
            }
        }
    }

    fn number(&mut self, form: &Form) -> Integer {
        match form {
            Form::Sum(sum) => self.state.linear.sum(sum),
            Form::Bits(bits) => self.bit_vector(bits).signed(),
        }
    }

    fn bit_vector(&mut self, bits: &[Literal]) -> BitVector {
        BitVector::from_bits(bits.iter().map(|bit| self.truth(*bit)))
    }

    /// The values of symbols that the proposal speaks of.
    pub(crate) fn model(&mut self) -> Model {
        let mut model = Model::new();
        let mut symbols: Vec<Term> = Vec::new();
        for index in 0..self.state.clauses.inputs.len() {
            let gate = self.state.clauses.inputs[index] as usize;
            if let Gate::Input(origin) = self.translator.gates.gate(gate)
                && let Origin::Term(term) = self.translator.origin(origin)
                && symbols.last() != Some(&term)
            {
                symbols.push(term);
            }
        }
        for &unknown in &self.state.arrays.unknowns {
            if let Quantity::Term(term) = self.translator.numbers.quantity(unknown) {
                symbols.push(term);
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        for term in symbols {
            if let Some(symbol) = self.terms.as_symbol(term)
                && !self.witnesses.is_internal(term)
            {
                let value = self.value(term);
                model.set(symbol, value);
            }
        }
        for (symbol, value) in std::mem::take(&mut self.state.arrays.values) {
            model.set(symbol, value);
        }
        model
    }
}
