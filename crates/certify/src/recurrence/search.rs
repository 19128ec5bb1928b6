//! What a search for recurrent sets asks of iterations: what they do to numbers, what they keep, and where they leave a
//! set.
//!
//! Nothing in here is a proof: a set that was found is checked by [`super::check`].

use base::Budget;
use evidence::{Expression, Formula, Integer};
use logic::evaluate::Evaluation;
use logic::substitute::Substitution;
use logic::{Model, Solver, Term, Terms, Value};
use program::Type;

use super::iteration::{Iteration, Part, value_of};
use super::kind_of;
use crate::query::Queries;
use crate::relation::{Kind, Relation};
use crate::wide;

/// What an iteration does to a state of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The parts of the state afterwards.
    pub after: Vec<Integer>,
    /// What the inputs were that were asked for, in order: each by its place among those that are chosen.
    pub inputs: Vec<(usize, Integer)>,
}

impl Iteration<'_> {
    /// The parts of the state that are numbers.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The inputs that the environment chooses: who asks, and for which type.
    pub fn inputs(&self) -> Vec<(String, Type)> {
        self.inputs.iter().map(|input| (input.name.clone(), input.ty)).collect()
    }

    /// The terms of the encoding, to examine.
    pub fn terms(&self) -> &Terms {
        &self.encoder.terms
    }

    /// The iterations: the state before, when they are made, and the state afterwards.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// What must not happen on the way.
    pub fn dangers(&self) -> &[Term] {
        &self.dangers
    }

    /// Whether a loop inside may make more iterations than are unwound.
    pub fn is_cut(&self) -> bool {
        self.encoder.findings.incomplete.iter().any(|end| end.reason == encoding::Incompleteness::Loop)
    }

    /// What the iterations do to a state with these inputs, if they go well. What is not known is taken to be zero.
    pub fn step(&self, state: &[Integer], inputs: &[Integer]) -> Option<Step> {
        let terms = &self.encoder.terms;
        let mut model = Model::new();
        for ((part, number), symbol) in self.parts.iter().zip(state).zip(self.relation.before()) {
            if let Some(symbol) = terms.as_symbol(*symbol) {
                model.set(symbol, value_of(part.component.kind, number));
            }
        }
        for (input, number) in self.inputs.iter().zip(inputs) {
            if let Some(symbol) = input.value.term().and_then(|term| terms.as_symbol(term)) {
                model.set(symbol, value_of(kind_of(input.ty, self.integers), number));
            }
        }
        let mut values = Evaluation::new(terms, &model);
        if !values.is_true(self.relation.continues())
            || self.dangers.iter().any(|danger| values.is_true(*danger))
        {
            return None;
        }
        let mut after = Vec::with_capacity(self.parts.len());
        for (part, term) in self.parts.iter().zip(self.relation.after()) {
            after.push(number_in(part.component.kind, values.value(*term)));
        }
        let mut asked = Vec::new();
        for (place, input) in self.inputs.iter().enumerate() {
            if values.is_true(input.asked)
                && let Some(term) = input.value.term()
            {
                asked.push((place, number_in(kind_of(input.ty, self.integers), values.value(term))));
            }
        }
        Some(Step { after, inputs: asked })
    }

    /// Which candidates hold in the reached state and are preserved together by iterations that go well, if the inputs
    /// are chosen so: Houdini, as in [`crate::abstraction`]. Of their conjunction it is not known that iterations go
    /// well.
    pub fn kept(
        &mut self,
        candidates: &[Formula],
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Vec<bool> {
        let mut kept = vec![false; candidates.len()];
        let Ok(asked) = self.asked(choices) else { return kept };
        let start = self.start();
        let (terms, relation) = (&mut self.encoder.terms, &self.relation);
        let mut left: Vec<(usize, Term, Term)> = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let mut read = |state: &[Term]| wide::formula(terms, relation, state, candidate).ok();
            if let (Some(reached), Some(now), Some(after)) =
                (read(&start), read(&self.now), read(&asked.after))
                && terms.is_true(reached)
            {
                left.push((place, now, after));
            }
        }
        let mut queries = Queries { terms, relation, solver, budget };
        while !left.is_empty() {
            let mut hypotheses = asked.goals.clone();
            hypotheses.extend(left.iter().map(|(_, now, _)| *now));
            let goals: Vec<Term> = left.iter().map(|(_, _, after)| *after).collect();
            let every = queries.terms.all(&goals);
            let before = left.len();
            match queries.counterexample(&hypotheses, every) {
                Ok(None) => break,
                Ok(Some(model)) => {
                    let mut values = Evaluation::new(queries.terms, &model);
                    left.retain(|(_, _, after)| values.is_true(*after));
                }
                Err(_) => {
                    left.retain(|(_, _, after)| queries.counterexample(&hypotheses, *after) == Ok(None));
                }
            }
            if left.len() == before {
                break;
            }
        }
        for (place, ..) in left {
            kept[place] = true;
        }
        kept
    }

    /// A state of a set from which an iteration does not go well or leads out of it, if one is found.
    pub fn leak(
        &mut self,
        set: &Formula,
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Option<Vec<Integer>> {
        let asked = self.asked(choices).ok()?;
        let (terms, relation) = (&mut self.encoder.terms, &self.relation);
        let now = wide::formula(terms, relation, &self.now, set).ok()?;
        let after = wide::formula(terms, relation, &asked.after, set).ok()?;
        let mut goals = asked.goals;
        goals.push(after);
        let all = terms.all(&goals);
        let mut queries = Queries { terms, relation, solver, budget };
        let model = queries.counterexample(&[now], all).ok()??;
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let parts = self.parts.iter().zip(&self.now);
        Some(parts.map(|(part, term)| number_in(part.component.kind, values.value(*term))).collect())
    }

    /// Numbers for the inputs with which so many periods go well from the reached state, each with the same ones, and other
    /// ones than those that are listed: for guesses, since nothing says that what is not known is as it is taken to be.
    pub fn inputs_for(
        &mut self,
        periods: u32,
        others: &[Vec<Integer>],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Option<Vec<Integer>> {
        let mut state = self.start();
        let terms = &mut self.encoder.terms;
        let mut goals = Vec::new();
        for _ in 0..periods {
            let mut there = Substitution::new(self.relation.before().iter().copied().zip(state));
            goals.push(there.apply(terms, self.relation.continues()));
            for danger in &self.dangers {
                let danger = there.apply(terms, *danger);
                goals.push(terms.not(danger));
            }
            state = self.relation.after().iter().map(|term| there.apply(terms, *term)).collect();
        }
        for other in others {
            let mut same = Vec::new();
            for (input, number) in self.inputs.iter().zip(other) {
                // Where inputs decide on the way, other ways are wanted.
                if let Some(symbol) = input.value.term()
                    && (input.ty == Type::Bool || self.inputs.iter().all(|input| input.ty != Type::Bool))
                {
                    let known = terms.value(&value_of(kind_of(input.ty, self.integers), number));
                    let equal = terms.equal(symbol, known);
                    same.push(equal);
                }
            }
            let all = terms.all(&same);
            goals.push(terms.not(all));
        }
        let all = terms.all(&goals);
        let not = terms.not(all);
        let mut queries = Queries { terms, relation: &self.relation, solver, budget };
        let model = queries.counterexample(&[], not).ok()??;
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let mut number =
            |input: &encoding::Input, term| number_in(kind_of(input.ty, self.integers), values.value(term));
        let numbers = self.inputs.iter().map(|input| Some(number(input, input.value.term()?)));
        numbers.collect()
    }

    /// The symbols of the inputs that the environment chooses.
    pub fn input_symbols(&self) -> Vec<Term> {
        self.inputs.iter().filter_map(|input| input.value.term()).collect()
    }
}

fn number_in(kind: Kind, value: &Value) -> Integer {
    match (kind, value) {
        (Kind::Machine { signed: false, .. }, Value::BitVector(bits)) => bits.unsigned().into(),
        (_, Value::BitVector(bits)) => bits.signed(),
        (_, Value::Integer(number)) => number.clone(),
        (_, Value::Bool(truth)) => Integer::from(i32::from(*truth)),
        (_, Value::Array(_)) => Integer::ZERO,
    }
}
