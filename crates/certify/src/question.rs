//! One check at work: asks the solver whether conditions hold, and reads its models.

use base::Budget;
use logic::evaluate::Evaluation;
use logic::{Answer, Ignorance, Model, Solver, Sort, Term, Terms, Value};

use crate::answer::{Condition, Refusal};
use crate::relation::{Component, Kind, Relation};

/// What a check works with.
pub(crate) struct Questions<'a> {
    pub terms: &'a mut Terms,
    pub relation: &'a Relation,
    pub solver: &'a mut dyn Solver,
    pub budget: &'a mut Budget,
}

impl Questions<'_> {
    /// Proves that the goal follows from the hypotheses, or refuses for the sake of this condition.
    pub fn prove(&mut self, condition: Condition, hypotheses: &[Term], goal: Term) -> Result<(), Refusal> {
        match self.counterexample(hypotheses, goal) {
            Ok(None) => Ok(()),
            Ok(Some(model)) => Err(Refusal::Fails { condition, state: self.describe(&model) }),
            Err(why) => Err(Refusal::NotKnown { condition, why }),
        }
    }

    /// A model of the hypotheses in which the goal is false, if there is one.
    pub fn counterexample(&mut self, hypotheses: &[Term], goal: Term) -> Result<Option<Model>, Ignorance> {
        let negation = self.terms.not(goal);
        if self.terms.is_false(negation) || hypotheses.iter().any(|term| self.terms.is_false(*term)) {
            return Ok(None);
        }
        self.solver.push();
        for hypothesis in hypotheses {
            self.solver.assert(self.terms, *hypothesis);
        }
        self.solver.assert(self.terms, negation);
        let answer = self.solver.check(self.terms, &[], self.budget);
        let result = match answer {
            Answer::Unsatisfiable => Ok(None),
            Answer::Unknown(why) => Err(why),
            Answer::Satisfiable => {
                let model = self.solver.model(self.terms);
                let mut values = Evaluation::new(self.terms, &model);
                let holds = hypotheses.iter().chain([&negation]).all(|term| values.is_true(*term));
                if holds {
                    Ok(Some(model))
                } else {
                    Err(Ignorance::Failed(String::from("its model is none")))
                }
            }
        };
        self.solver.pop();
        result
    }

    /// The states of a model in the words of the source.
    fn describe(&self, model: &Model) -> Vec<(String, String)> {
        let relation = self.relation;
        let mut values = Evaluation::new(self.terms, model);
        let mut state = Vec::new();
        let steps = values.is_true(relation.continues());
        for (at, component) in relation.state().iter().enumerate() {
            let mut show = |name: String, term: Term| {
                if let Some(value) = readable(component.kind, values.value(term)) {
                    state.push((name, value));
                }
            };
            let known =
                |term: Term| self.terms.as_symbol(term).is_some_and(|symbol| model.known(symbol).is_some());
            if known(relation.entry()[at]) {
                show(format!("entry({})", component.quantity), relation.entry()[at]);
            }
            show(component.quantity.to_string(), relation.before()[at]);
            if steps {
                show(format!("{}'", component.quantity), relation.after()[at]);
            }
        }
        for (symbol, value) in model.iter() {
            if !self.state_symbols().any(|ours| ours == symbol) {
                let name = &self.terms.symbol(symbol).name;
                let shown = readable(self.kind_by_name(name, value.sort()), value);
                state.extend(shown.map(|value| (name.clone(), value)));
            }
        }
        state
    }

    /// The kind of a symbol that is not of the state: `first(x)` is of the kind of x, and a counter has no sign. The
    /// sign of an input is not known.
    fn kind_by_name(&self, name: &str, sort: Sort) -> Kind {
        let is_part = |component: &&Component| name.ends_with(&format!("({})", component.quantity));
        match (self.relation.state().iter().find(is_part), sort) {
            (Some(component), _) => component.kind,
            (None, Sort::BitVector(width)) => Kind::Machine { width, signed: !name.starts_with('#') },
            (None, sort) => Kind::Opaque(sort),
        }
    }

    fn state_symbols(&self) -> impl Iterator<Item = logic::SymbolId> + '_ {
        let relation = self.relation;
        relation.entry().iter().chain(relation.before()).filter_map(|term| self.terms.as_symbol(*term))
    }
}

fn readable(kind: Kind, value: &Value) -> Option<String> {
    match (kind, value) {
        (Kind::Machine { signed: true, .. }, Value::BitVector(bits)) => Some(bits.signed().to_string()),
        (Kind::Machine { signed: false, .. }, Value::BitVector(bits)) => Some(bits.unsigned().to_string()),
        (_, Value::Integer(number)) => Some(number.to_string()),
        (_, Value::Bool(truth)) => Some(truth.to_string()),
        _ => None,
    }
}
