//! The solver that is always there: bit-blasting on a SAT solver, with procedures for arrays and numbers.
//!
//! ```text
//! assertions ─► equations used up ─► gates ─► tried on 64 cases ─► clauses ─► SAT solver ─► model, evaluated
//!  (equations)                   (translate, circuits) (simulate)  (clauses)   │    ▲
//!                                                                   numbers, arrays: clauses that were violated
//! ```
//!
//! Gates are kept from question to question, clauses are not: a question gets a SAT solver of its own, with the part of
//! the network that it needs. For many small questions that is faster than a SAT solver that remembers them all.

mod arrays;
mod circuits;
mod clauses;
mod equalities;
mod equations;
mod gates;
mod linear;
mod numbers;
mod products;
mod query;
mod simulate;
#[cfg(test)]
mod tests;
mod translate;

use base::Budget;

use self::arrays::{Arrays, Witnesses};
use self::clauses::{Clauses, Slots};
use self::equations::Assertions;
use self::gates::{Gate, Literal};
use self::linear::Linear;
use self::query::{End, Query};
use self::simulate::{Cases, Simulation};
use self::translate::{Origin, Translator};
use super::sat::{Batsat, Sat};
use super::{Answer, Ignorance, Solver};
use crate::evaluate::Evaluation;
use crate::model::Model;
use crate::terms::{Term, Terms};
use crate::{BitVector, Value};

/// The embedded solver, on a SAT solver.
pub struct Embedded<S = Batsat> {
    assertions: Assertions,
    translator: Translator,
    simulation: Simulation,
    cases: Cases,
    set_up: usize,
    slots: Slots,
    witnesses: Witnesses,
    model: Model,
    core: Vec<Term>,
    engine: std::marker::PhantomData<S>,
}

/// What a question demands, as literals.
struct Literals {
    asserted: Vec<Literal>,
    /// With the assumption that each stands for.
    assumed: Vec<(Literal, Term)>,
}

/// The network is thrown away when it has so many gates: questions of long ago are unlikely to come back.
const MOST_GATES: usize = 1 << 22;

impl Embedded {
    /// A solver with nothing asserted.
    pub fn new() -> Self {
        Self::with_engine()
    }
}

impl<S: Sat> Default for Embedded<S> {
    fn default() -> Self {
        Self::with_engine()
    }
}

impl<S: Sat> Embedded<S> {
    /// A solver with nothing asserted, on another SAT solver.
    pub fn with_engine() -> Self {
        Self {
            assertions: Assertions::new(),
            translator: Translator::new(),
            simulation: Simulation::default(),
            cases: Cases::default(),
            set_up: 0,
            slots: Slots::default(),
            witnesses: Witnesses::default(),
            model: Model::new(),
            core: Vec::new(),
            engine: std::marker::PhantomData,
        }
    }

    fn translate(&mut self, terms: &Terms, term: Term, budget: &mut Budget) -> Result<Literal, Answer> {
        let before = self.translator.gates.len();
        let literal = self.translator.literal(terms, term);
        let made = (self.translator.gates.len() - before) as u64;
        match if made > GATES_PER_STEP { budget.spend(made / GATES_PER_STEP) } else { Ok(()) } {
            Ok(()) => Ok(literal),
            Err(stop) => Err(Answer::Unknown(Ignorance::Stopped(stop))),
        }
    }

    /// The literals of what is asserted and of the assumptions, without those that are true; or the answer.
    fn literals(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Result<Literals, Answer> {
        let mut asserted = Vec::new();
        for term in self.assertions.rest(terms) {
            match self.translate(terms, term, budget)? {
                Literal::TRUE => {}
                Literal::FALSE => return Err(Answer::Unsatisfiable),
                literal => asserted.push(literal),
            }
        }
        let mut assumed = Vec::new();
        for &assumption in assumptions {
            let term = self.assertions.exchange(terms, assumption);
            match self.translate(terms, term, budget)? {
                Literal::TRUE => {}
                Literal::FALSE => {
                    self.core = vec![assumption];
                    return Err(Answer::Unsatisfiable);
                }
                literal => assumed.push((literal, assumption)),
            }
        }
        Ok(Literals { asserted, assumed })
    }

    /// Tries 64 cases; a model if one of them is one.
    fn try_cases(&mut self, terms: &Terms, literals: &[Literal]) -> Option<Model> {
        self.set_up_cases(terms);
        self.simulation.clear();
        let gates = &self.translator.gates;
        let mut symbols = Vec::new();
        let mut free = false;
        let mut input = |gate: usize| {
            if let Gate::Input(origin) = gates.gate(gate) {
                match self.translator.origin(origin) {
                    Origin::Term(term) if terms.as_symbol(term).is_some() => {
                        if symbols.last() != Some(&term) {
                            symbols.push(term);
                        }
                    }
                    _ => free = true,
                }
            }
            self.cases.get(gate)
        };
        let mut good = u64::MAX;
        for &literal in literals {
            good &= self.simulation.value(gates, literal, &mut input);
            if good == 0 {
                return None;
            }
        }
        // What the other procedures have to say is not known here.
        if free {
            return None;
        }
        let case = good.trailing_zeros();
        let mut model = Model::new();
        for term in symbols {
            let (Some(symbol), Some(bits)) = (terms.as_symbol(term), self.translator.known_bits(terms, term))
            else {
                continue;
            };
            let truth = |bit: &Literal| self.cases.get(bit.gate()) >> case & 1 != 0;
            model.set(symbol, value(terms, term, bits.iter().map(truth)));
        }
        Some(model)
    }

    fn set_up_cases(&mut self, terms: &Terms) {
        for gate in self.set_up..self.translator.gates.len() {
            if let Gate::Input(origin) = self.translator.gates.gate(gate)
                && let Origin::Term(term) = self.translator.origin(origin)
                && let Some(bits) = self.translator.known_bits(terms, term)
                && bits[0].gate() == gate
            {
                for (index, bit) in bits.iter().enumerate() {
                    self.cases.set_up(bit.gate(), index, bits.len());
                }
            }
        }
        self.set_up = self.translator.gates.len();
    }

    /// Takes a model if all that was asked is true in it.
    fn accept(&mut self, terms: &Terms, assumptions: &[Term], mut model: Model) -> bool {
        self.assertions.extend(terms, &mut model);
        let mut evaluation = Evaluation::new(terms, &model);
        let good = self
            .assertions
            .asserted()
            .chain(assumptions.iter().copied())
            .all(|term| evaluation.is_true(term));
        if good {
            self.model = model;
        }
        good
    }

    fn search(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        literals: &Literals,
        budget: &mut Budget,
    ) -> Answer {
        let mut query: Query<'_, S> = Query {
            terms,
            translator: &mut self.translator,
            clauses: Clauses::new(std::mem::take(&mut self.slots)),
            simulation: &mut self.simulation,
            witnesses: &mut self.witnesses,
            linear: Linear::default(),
            arrays: Arrays::default(),
            opaque: Vec::new(),
            pending: Vec::new(),
            brought: Default::default(),
            equalities: Default::default(),
        };
        for &literal in &literals.asserted {
            query.assert(literal);
        }
        let assumed: Vec<_> =
            literals.assumed.iter().map(|(literal, _)| query.assumption(*literal)).collect();
        let end = query.solve(&assumed, budget);
        let model = matches!(end, End::Model).then(|| query.model());
        if let End::Unsatisfiable = end {
            let needed = assumed
                .iter()
                .zip(&literals.assumed)
                .filter(|(literal, _)| query.clauses.sat.in_core(**literal));
            self.core = needed.map(|(_, (_, term))| *term).collect();
        }
        if model.is_some() {
            let case = self.cases.next_model();
            for &gate in &query.clauses.inputs {
                let truth = query.clauses.input(gate as usize) == Some(true);
                self.cases.set(case, gate as usize, truth);
            }
        }
        self.slots = query.clauses.into_slots();
        match (end, model) {
            (End::Unsatisfiable, _) => Answer::Unsatisfiable,
            (End::Stopped(stop), _) => Answer::Unknown(Ignorance::Stopped(stop)),
            (End::Model, Some(model)) => {
                if self.accept(terms, assumptions, model) {
                    return Answer::Satisfiable;
                }
                debug_assert!(false, "a model is not one");
                Answer::Unknown(Ignorance::Failed("its model is not one".into()))
            }
            _ => Answer::Unknown(Ignorance::Unsupported("non-linear integer arithmetic".into())),
        }
    }
}

/// So many gates are made in the time of one conflict.
const GATES_PER_STEP: u64 = 100;

/// A symbol's value from its bits, the lowest first.
fn value(terms: &Terms, term: Term, bits: impl Iterator<Item = bool>) -> Value {
    let Some(width) = terms.sort(term).width() else {
        return Value::Bool(bits.into_iter().any(|bit| bit));
    };
    let mut number = crate::Natural::ZERO;
    if width <= 128 {
        let number = bits.enumerate().fold(0, |number, (index, bit)| number | u128::from(bit) << index);
        return Value::bits(width, number);
    }
    for (index, bit) in bits.enumerate() {
        if bit {
            number += crate::Natural::ONE << index;
        }
    }
    Value::BitVector(BitVector::wrapping(width, &number.into()))
}

impl<S: Sat> Solver for Embedded<S> {
    fn push(&mut self) {
        self.assertions.push();
    }

    fn pop(&mut self) {
        self.assertions.pop();
    }

    fn assert(&mut self, _: &mut Terms, term: Term) {
        self.assertions.assert(term);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> Answer {
        self.core.clear();
        if self.translator.gates.len() > MOST_GATES {
            self.translator = Translator::new();
            self.simulation = Simulation::default();
            (self.cases, self.set_up, self.slots) = (Cases::default(), 0, Slots::default());
        }
        let literals = match self.literals(terms, assumptions, budget) {
            Ok(literals) => literals,
            Err(answer) => return answer,
        };
        let all: Vec<Literal> = literals
            .asserted
            .iter()
            .copied()
            .chain(literals.assumed.iter().map(|(literal, _)| *literal))
            .collect();
        if let Some(model) = self.try_cases(terms, &all)
            && self.accept(terms, assumptions, model)
        {
            return Answer::Satisfiable;
        }
        self.search(terms, assumptions, &literals, budget)
    }

    fn model(&mut self, _: &Terms) -> Model {
        self.model.clone()
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }
}
