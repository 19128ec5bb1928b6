//! Z3 as a library, behind the feature `z3`: the same answers as the process without the text in between.

use std::sync::mpsc::channel;
use std::time::Duration;

use ::z3::ast::Bool;
use ::z3::{Context, Params, SatResult};
use base::{Budget, Stop};

use super::super::smtlib::{Expressions, Reader};
use super::Scope;
use super::translate::Translator;
use loopscope_logic::model::Model;
use loopscope_logic::terms::{Term, Terms};
use loopscope_logic::{Answer, Ignorance, Solver};

/// How often the budget is examined while Z3 works.
const PATIENCE: Duration = Duration::from_millis(10);

/// Z3 in this process, in a context of the caller.
pub struct Library<'c> {
    context: &'c Context,
    solver: ::z3::Solver<'c>,
    translator: Translator<'c>,
    scopes: Vec<Scope>,
    /// The assumptions of the last query, if it was satisfiable.
    satisfied: Option<Vec<Term>>,
    core: Vec<Term>,
}

impl<'c> Library<'c> {
    /// A solver without assertions.
    pub fn new(context: &'c Context) -> Self {
        Self {
            context,
            solver: ::z3::Solver::new(context),
            translator: Translator::new(context),
            scopes: vec![Scope::default()],
            satisfied: None,
            core: Vec::new(),
        }
    }

    /// The boolean that stands for an assumption: only of such does Z3 give cores.
    fn assumption(&mut self, terms: &Terms, term: Term) -> Bool<'c> {
        let name = Bool::new_const(self.context, super::assumption_name(term));
        if !self.scopes.iter().any(|scope| scope.assumed.contains(&term)) {
            let truth = self.translator.bool(terms, term);
            self.solver.assert(&name.implies(&truth));
            if let Some(scope) = self.scopes.last_mut() {
                scope.assumed.push(term);
            }
        }
        name
    }

    /// Asks Z3, and interrupts it when the budget ends.
    fn watched(&self, assumptions: &[Bool<'c>], budget: &mut Budget) -> (SatResult, Option<Stop>) {
        let handle = self.context.handle();
        let (done, finished) = channel::<()>();
        let mut watch = budget.clone();
        std::thread::scope(|scope| {
            let watcher = scope.spawn(move || {
                // The sender is dropped when Z3 has answered.
                while finished.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    if let Err(stop) = watch.spend(0) {
                        handle.interrupt();
                        return Some(stop);
                    }
                }
                None
            });
            let answer = self.solver.check_assumptions(assumptions);
            drop(done);
            (answer, watcher.join().unwrap_or(None))
        })
    }
}

impl Solver for Library<'_> {
    fn push(&mut self) {
        self.scopes.push(Scope::default());
        self.solver.push();
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
            self.solver.pop(1);
        }
    }

    fn assert(&mut self, terms: &mut Terms, term: Term) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.asserted.push(term);
        }
        let truth = self.translator.bool(terms, term);
        self.solver.assert(&truth);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> Answer {
        self.satisfied = None;
        self.core.clear();
        if let Err(stop) = budget.spend(1) {
            return Answer::Unknown(Ignorance::Stopped(stop));
        }
        let assumed: Vec<Bool> = assumptions.iter().map(|&term| self.assumption(terms, term)).collect();
        // Z3 counts in 32 bits, and takes zero for no limit. What it has spent it does not tell a library's user: the
        // limit is per query.
        let limit = u32::try_from(budget.remaining_steps()).map_or(0, |steps| steps.max(1));
        let mut parameters = Params::new(self.context);
        parameters.set_u32("rlimit", limit);
        self.solver.set_params(&parameters);
        let (answer, stop) = self.watched(&assumed, budget);
        match answer {
            SatResult::Sat => {
                self.satisfied = Some(assumptions.to_vec());
                Answer::Satisfiable
            }
            SatResult::Unsat => {
                let core = self.solver.get_unsat_core();
                let mut seen = rustc_hash::FxHashSet::default();
                for (term, truth) in assumptions.iter().zip(&assumed) {
                    if core.contains(truth) && seen.insert(*term) {
                        self.core.push(*term);
                    }
                }
                Answer::Unsatisfiable
            }
            SatResult::Unknown => Answer::Unknown(match stop {
                Some(stop) => Ignorance::Stopped(stop),
                None if limit != 0 => Ignorance::Stopped(Stop::Steps),
                None => Ignorance::Unsupported(self.solver.get_reason_unknown().unwrap_or_default()),
            }),
        }
    }

    fn model(&mut self, terms: &Terms) -> Model {
        let mut model = Model::new();
        let (Some(assumptions), Some(values)) = (&self.satisfied, self.solver.get_model()) else {
            return model;
        };
        let mut roots = assumptions.clone();
        roots.extend(self.scopes.iter().flat_map(|scope| scope.asserted.iter().copied()));
        let mut scratch = Terms::new();
        let mut reader = Reader::new(&mut scratch);
        for term in terms.reachable(&roots) {
            let Some(symbol) = terms.as_symbol(term) else { continue };
            let unknown = self.translator.term(terms, term);
            let text = values.eval(&unknown, true).map(|value| value.to_string()).unwrap_or_default();
            if let Ok(expressions) = Expressions::new(&text)
                && let Some(expression) = expressions.first()
                && let Ok(value) = reader.value(expression)
                && value.sort() == terms.sort(term)
            {
                model.set(symbol, value);
            }
        }
        model
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Generator, Shape};
    use super::*;
    use ::z3::Config;
    use loopscope_logic::evaluate::Evaluation;
    use loopscope_logic::solver::Embedded;

    #[test]
    fn it_answers_as_the_default_does() {
        let context = Context::new(&Config::new());
        let shapes = [Shape::bits(&[8, 13]), Shape::integers(), Shape::arrays(8, 8), Shape::mixed(&[4])];
        for (seed, shape) in shapes.iter().cycle().take(200).enumerate() {
            let mut terms = Terms::new();
            let shape = Shape { widest_product: 4, ..shape.clone() };
            let mut generator = Generator::with_shape(seed as u64, shape.sized(1, 3));
            let (mut one, mut other) = (Embedded::new(), Library::new(&context));
            let asserted = generator.formula(&mut terms);
            one.assert(&mut terms, asserted);
            other.assert(&mut terms, asserted);
            let assumptions = [(); 3].map(|()| generator.formula(&mut terms));
            let budget = || Budget::unlimited().within(Duration::from_secs(5));
            let answer = one.check(&mut terms, &assumptions, &mut budget());
            let other_answer = other.check(&mut terms, &assumptions, &mut budget());
            if matches!(other_answer, Answer::Unknown(_)) {
                continue;
            }
            assert_eq!(other_answer, answer, "seed {seed}");
            if answer == Answer::Satisfiable {
                let model = other.model(&terms);
                let mut evaluation = Evaluation::new(&terms, &model);
                assert!(evaluation.is_true(asserted), "seed {seed}");
            } else {
                let core = other.core();
                assert_eq!(one.check(&mut terms, &core, &mut Budget::unlimited()), answer, "seed {seed}");
            }
        }
    }
}
