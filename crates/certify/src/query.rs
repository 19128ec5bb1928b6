//! One check at work: asks the solver whether conditions hold, and reads its models.

use base::Budget;
use logic::evaluate::Evaluation;
use logic::{Answer, Ignorance, Model, Solver, Term, Terms};

use crate::answer::{Condition, Refusal};
use crate::relation::Relation;

/// What a check works with.
pub(crate) struct Queries<'a> {
    pub terms: &'a mut Terms,
    pub relation: &'a Relation,
    pub solver: &'a mut dyn Solver,
    pub budget: &'a mut Budget,
}

impl Queries<'_> {
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
}
