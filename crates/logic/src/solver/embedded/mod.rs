//! The solver that is always there: bit-blasting on a SAT solver, with procedures for arrays and numbers.
//!
//! ```text
//! assertions ─► equations used up ─► gates ─► tried on 64 cases ─► clauses ─► SAT solver ─► model, evaluated
//!  (equations)                   (translate, circuits) (simulate)  (clauses)   │    ▲
//!                                                                   numbers, arrays: clauses that were violated
//! ```
//!
//! Gates are kept from query to query. The SAT solver, with the part of the network that a query needs, is kept as long
//! as the same is asserted and no more than half of what is in it was brought in by later queries: with none kept,
//! thousands of small queries take as long, but a large program is translated anew for every one of them; and a SAT
//! solver that remembers them all drags them along.

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

use base::{Budget, Stop};

use self::arrays::Witnesses;
use self::clauses::Slots;
use self::equations::Assertions;
use self::gates::{Gate, Literal};
use self::query::{End, Query, State};
use self::simulate::{Cases, Simulation};
use self::translate::{Origin, Translator};
use super::sat::{Batsat, Sat};
use super::{Answer, Ignorance, Solver};
use crate::evaluate::Evaluation;
use crate::model::Model;
use crate::relax;
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::{BitVector, Value};

/// Larger networks are not tried on cases: it takes long, and hits nothing.
const SIMULATED: usize = 10_000;

/// The embedded solver, on a SAT solver.
pub struct Embedded<S = Batsat> {
    assertions: Assertions,
    translator: Translator,
    simulation: Simulation,
    cases: Cases,
    set_up: usize,
    kept: Option<State<S>>,
    witnesses: Witnesses,
    model: Model,
    core: Vec<Term>,
    /// Whether models are of no use to whoever asks.
    refuting: bool,
}

/// What a query requires, as literals.
struct Literals {
    asserted: Vec<Literal>,
    /// With the assumption that each stands for.
    assumed: Vec<(Literal, Term)>,
}

/// The network is thrown away when it has so many gates: queries of long ago are unlikely to come back.
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
            kept: None,
            witnesses: Witnesses::default(),
            model: Model::new(),
            core: Vec::new(),
            refuting: false,
        }
    }

    /// A solver for somebody to whom models are of no use: it does not guess any.
    #[must_use]
    pub fn refuting(mut self) -> Self {
        self.refuting = true;
        self
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
        let (state, fresh) = match self.kept.take() {
            Some(state) if state.fits(&literals.asserted) => (state, false),
            Some(state) => (State::new(state.clauses.into_slots()), true),
            None => (State::new(Slots::default()), true),
        };
        let mut query: Query<'_, S> = Query {
            terms,
            translator: &mut self.translator,
            simulation: &mut self.simulation,
            witnesses: &mut self.witnesses,
            state,
        };
        if fresh {
            for &literal in &literals.asserted {
                query.assert(literal);
            }
            query.state.asserted.clone_from(&literals.asserted);
        }
        let assumed: Vec<_> =
            literals.assumed.iter().map(|(literal, _)| query.assumption(*literal)).collect();
        let end = query.solve(&assumed, budget);
        let model = matches!(end, End::Model).then(|| query.model());
        if let End::Unsatisfiable = end {
            let needed = assumed
                .iter()
                .zip(&literals.assumed)
                .filter(|(literal, _)| query.state.clauses.sat.in_core(**literal));
            self.core = needed.map(|(_, (_, term))| *term).collect();
        }
        if model.is_some() {
            let case = self.cases.next_model();
            for &gate in &query.state.clauses.inputs {
                let truth = query.state.clauses.input(gate as usize) == Some(true);
                self.cases.set(case, gate as usize, truth);
            }
        }
        let mut state = query.state;
        state.first_size.get_or_insert(state.clauses.variables);
        self.kept = Some(state);
        match (end, model) {
            (End::Unsatisfiable, _) => Answer::Unsatisfiable,
            (End::Unfounded, _) => {
                Answer::Unknown(Ignorance::Failed("its refutation does not hold when it is checked".into()))
            }
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

impl<S: Sat> Embedded<S> {
    /// Whether the last query has unknown numbers.
    fn has_numbers(&self) -> bool {
        self.kept.as_ref().is_some_and(|state| !state.linear.is_empty())
    }

    /// Whether the integers show that there is no model.
    fn is_never(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> bool {
        let mut roots = self.assertions.rest(terms);
        for &assumption in assumptions {
            roots.push(self.assertions.exchange(terms, assumption));
        }
        if !relax::is_worthwhile(terms, &roots) {
            return false;
        }
        let mut part = budget.part(STEPS_OF_A_RELAXATION);
        let before = part.remaining_steps();
        let never = relax::is_unsatisfiable(terms, &roots, &mut part);
        _ = budget.spend(before - part.remaining_steps());
        never
    }

    /// Looks for a model in which all unknown numbers are small: then they are bits, and even products are circuits.
    fn guess(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> bool {
        for width in SMALL_WIDTHS {
            let mut small: Self = Self::with_engine();
            small.translator.numbers.limit_to(width);
            std::mem::swap(&mut small.assertions, &mut self.assertions);
            std::mem::swap(&mut small.witnesses, &mut self.witnesses);
            let mut part = budget.part(STEPS_OF_A_GUESS);
            let steps = part.remaining_steps();
            let literals = small.literals(terms, assumptions, &mut part);
            let answer = literals.map(|literals| small.search(terms, assumptions, &literals, &mut part));
            std::mem::swap(&mut small.assertions, &mut self.assertions);
            std::mem::swap(&mut small.witnesses, &mut self.witnesses);
            if answer == Ok(Answer::Satisfiable) {
                self.model = small.model;
                return true;
            }
            if budget.spend(steps - part.remaining_steps()).is_err() {
                return false;
            }
        }
        false
    }
}

/// A query that takes longer than this is asked of the integers as well.
const STEPS_BEFORE_RELAXING: u64 = 400;
/// So long it is.
const STEPS_OF_A_RELAXATION: u64 = 5000;
/// A query with unknown numbers that takes longer than this may have a model of small ones.
const STEPS_BEFORE_GUESSING: u64 = 2000;
/// So long such a model is looked for.
const STEPS_OF_A_GUESS: u64 = 5000;
/// How many bits small numbers have, the sign included.
const SMALL_WIDTHS: [usize; 2] = [8, 36];

/// So many gates are made in the time of one conflict.
const GATES_PER_STEP: u64 = 100;

/// A symbol's value from its bits, the lowest first.
fn value(terms: &Terms, term: Term, mut bits: impl ExactSizeIterator<Item = bool>) -> Value {
    match terms.sort(term) {
        Sort::BitVector(_) => Value::BitVector(BitVector::from_bits(bits)),
        _ => Value::Bool(bits.any(|bit| bit)),
    }
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
            (self.cases, self.set_up, self.kept) = (Cases::default(), 0, None);
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
        if self.translator.gates.len() <= SIMULATED
            && let Some(model) = self.try_cases(terms, &all)
            && self.accept(terms, assumptions, model)
        {
            return Answer::Satisfiable;
        }
        for steps in [STEPS_BEFORE_RELAXING, STEPS_BEFORE_GUESSING] {
            let mut first = budget.part(steps);
            let before = first.remaining_steps();
            let answer = self.search(terms, assumptions, &literals, &mut first);
            let spent = budget.spend(before - first.remaining_steps());
            match answer {
                Answer::Unknown(Ignorance::Stopped(Stop::Steps)) if spent.is_ok() => {}
                Answer::Unknown(Ignorance::Unsupported(_)) => {}
                answer => return answer,
            }
            if steps == STEPS_BEFORE_RELAXING && self.is_never(terms, assumptions, budget) {
                self.core = assumptions.to_vec();
                return Answer::Unsatisfiable;
            }
        }
        let answer = Answer::Unknown(Ignorance::Stopped(Stop::Steps));
        if !self.refuting && self.has_numbers() && self.guess(terms, assumptions, budget) {
            return Answer::Satisfiable;
        }
        match answer {
            Answer::Unknown(Ignorance::Stopped(_)) => self.search(terms, assumptions, &literals, budget),
            answer => answer,
        }
    }

    fn model(&mut self, _: &Terms) -> Model {
        self.model.clone()
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }
}
