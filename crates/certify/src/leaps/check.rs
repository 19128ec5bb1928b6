//! Whether what is demanded can be violated in a program whose loops are leapt over.

use base::{Budget, Location};
use encoding::LooseEnd;
use evidence::{Evidence, Fact, FactPlace, Overflow, Place, Property, Summary};
use logic::evaluate::Evaluation;
use logic::solver::Embedded;
use logic::{Answer, Ignorance, Model, Solver, Term};
use program::interpret::Integers;

use super::explain::Story;
use super::slice::ROUNDS;
use super::{Effort, Leaping, Obstacle};
use crate::answer::Certificate;
use crate::subject::Runs;

/// So many demands are looked at together, apart from the rest of the program.
const CHUNK: usize = 32;

/// What was found out about a demand.
#[derive(Clone, Debug)]
pub enum Finding {
    /// No run violates it.
    Holds,
    /// The encoding violates it; a run need not.
    Violated(Box<Story>),
    /// The solver does not know.
    NotKnown(Ignorance),
}

impl Leaping<'_> {
    /// Examines one demand.
    pub fn examine(&mut self, demand: usize, effort: Effort, budget: &mut Budget) -> Finding {
        let finding = self.examined(demand, effort, budget);
        self.note(matches!(finding, Finding::Holds), &[demand]);
        finding
    }

    /// Takes note of demands that were shown to hold. Nothing is shown once something was supposed.
    fn note(&mut self, hold: bool, demands: &[usize]) -> bool {
        if hold && !self.supposed {
            self.held.extend(demands);
        }
        hold
    }

    fn examined(&mut self, demand: usize, effort: Effort, budget: &mut Budget) -> Finding {
        let one = self.demands[demand].clone();
        let not = self.encoder.terms.not(one.condition);
        let conditions = one.guard.conditions();
        let (terms, knowledge) = (&self.encoder.terms, &self.encoder.knowledge);
        let mut part = self.symbols.relevant(terms, knowledge, &[not], &conditions);
        if part.len() < conditions.len() {
            part.push(not);
            if let Ok(None) = self.model(&part, effort, budget) {
                return Finding::Holds;
            }
        }
        match self.model(&[one.violated], effort, budget) {
            Ok(None) => Finding::Holds,
            Ok(Some(model)) => {
                let mut story = self.story(&model, one.events, one.leap);
                story.access = one.access.and_then(|(place, size)| self.accessed(place, size, &model));
                story.operation = one.operation.map(|operation| self.computed(operation, &model));
                Finding::Violated(Box::new(story))
            }
            Err(why) => Finding::NotKnown(why),
        }
    }

    /// Which of some demands a model violates, all of them looked at together: none if they all hold.
    ///
    /// # Errors
    /// If the solver does not know.
    pub fn violated(
        &mut self,
        demands: &[usize],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Vec<usize>, Ignorance> {
        let demands = self.unclear(demands, effort, budget);
        let all: Vec<Term> = demands.iter().map(|&demand| self.demands[demand].violated).collect();
        let Some(model) = self.any(all, effort, budget)? else {
            self.note(true, &demands);
            return Ok(Vec::new());
        };
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        Ok(demands.iter().copied().filter(|&demand| values.is_true(self.demands[demand].violated)).collect())
    }

    /// Of many demands those that may be violated if one looks at the conditions alone that have to do with them: the
    /// cost of a question does not grow with the program then.
    fn unclear(&mut self, demands: &[usize], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        if demands.len() <= CHUNK {
            return demands.to_vec();
        }
        let mut unclear = Vec::new();
        for chunk in demands.chunks(CHUNK) {
            if budget.spend(0).is_err() {
                unclear.extend(chunk);
                continue;
            }
            if !self.hold_closely(chunk, ROUNDS, effort, budget) {
                unclear.extend(chunk);
            }
        }
        unclear
    }

    /// Whether some demands hold for reasons close by: of the conditions on the way to each only those count that speak of
    /// what it speaks of, and those that speak of what these speak of, so many rounds. What does not hold so may still hold.
    pub fn hold_closely(
        &mut self,
        demands: &[usize],
        rounds: usize,
        effort: Effort,
        budget: &mut Budget,
    ) -> bool {
        let some = self.violated_closely(demands, rounds);
        let hold = matches!(self.model(&[some], effort, budget), Ok(None));
        self.note(hold, demands)
    }

    /// Whether some demands hold whatever memory contains (`blind.rs`). What does not hold so may still hold.
    pub fn hold_without_memory(&mut self, demands: &[usize], effort: Effort, budget: &mut Budget) -> bool {
        let some = self.violated_closely(demands, ROUNDS);
        if self.supposed || budget.spend(0).is_err() {
            return false;
        }
        let mut solver: Embedded = Embedded::new();
        let (terms, knowledge) = (&mut self.encoder.terms, &self.encoder.knowledge);
        for term in self.blindness.with_facts(terms, knowledge, &[some]) {
            solver.assert(terms, term);
        }
        let mut part = budget.part(effort.steps).within(effort.time);
        let before = part.remaining_steps();
        let answer = solver.check(terms, &[], &mut part);
        _ = budget.spend(before - part.remaining_steps());
        self.note(answer == Answer::Unsatisfiable, demands)
    }

    /// That one of some demands is violated, with those of the conditions on the way to each that are close by.
    fn violated_closely(&mut self, demands: &[usize], rounds: usize) -> Term {
        let mut violated = Vec::new();
        for &demand in demands {
            let one = &self.demands[demand];
            let (condition, conditions) = (one.condition, one.guard.conditions());
            let not = self.encoder.terms.not(condition);
            let (terms, knowledge) = (&self.encoder.terms, &self.encoder.knowledge);
            let mut part = self.symbols.within(rounds, terms, knowledge, &[not], &conditions);
            part.push(not);
            violated.push(self.encoder.terms.all(&part));
        }
        self.encoder.terms.any(&violated)
    }

    /// The first path that is not followed to its end and that control can come to.
    pub fn open_end(
        &mut self,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Option<(LooseEnd, Location, Story)>, Ignorance> {
        let loose = self.encoder.findings.loose.clone();
        let Some(model) = self.any(loose.iter().map(|end| end.reached), effort, budget)? else {
            return Ok(None);
        };
        let story = self.story(&model, usize::MAX, None);
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let end = loose.into_iter().find(|end| values.is_true(end.reached));
        Ok(end.map(|end| (end.reason, end.location, story)))
    }

    /// That nothing was violated: whoever asks has examined all demands and all loose ends.
    fn certificate(&mut self) -> Certificate {
        let mut summaries = Vec::new();
        for place in 0..self.leaps().len() {
            let leap = &self.leaps()[place];
            let (function, location) = (leap.function, leap.location);
            let fact = |formula: &evidence::Formula| Fact { formula: formula.clone(), at: FactPlace::Head };
            summaries.push(Summary {
                name: self.program.functions[function].name.clone(),
                place: Place::of(self.program, location),
                facts: self.facts[place].iter().map(fact).collect(),
                cases: Vec::new(),
                termination: self.endings[place].clone(),
                bound: None,
            });
        }
        Certificate::new(self.claim, self.manner, Evidence::Loops(summaries))
    }

    /// Proves the claim, if the facts and arguments that were accepted are enough for it.
    pub fn conclude(&mut self, effort: Effort, budget: &mut Budget) -> Option<Certificate> {
        let is_claimed = self.subject.runs() == Runs::OfProgram && self.is_read_soundly();
        let left = match self.claim.property {
            Property::Termination => self.left_for_termination()?,
            _ => (0..self.demands.len()).collect(),
        };
        let holds = is_claimed
            && self.none_is_violated(left, effort, budget).is_ok()
            && (!self.ends_by_wrapping() || self.holds_unbounded(effort, budget));
        holds.then(|| self.certificate())
    }

    /// Chains of calls are not followed to their ends, and an overflow may come after them.
    fn is_read_soundly(&self) -> bool {
        self.manner.chains.is_none()
            || self.manner.overflow == Overflow::Any
            || self.claim.integers == Integers::Mathematical
    }

    /// Shows that none of these demands is violated and no loose end reached, or says what stands in the way.
    pub(super) fn none_is_violated(
        &mut self,
        mut left: Vec<usize>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<(), Obstacle> {
        if self.supposed {
            return Err(Obstacle::Passed);
        }
        while let Some(&first) = left.first() {
            let violated = self.violated(&left, effort, budget).map_err(|_| Obstacle::Demand(first))?;
            if violated.is_empty() {
                break;
            }
            // A smaller query may know more.
            for &demand in &violated {
                if !matches!(self.examine(demand, effort, budget), Finding::Holds) {
                    return Err(Obstacle::Demand(demand));
                }
            }
            left.retain(|demand| !violated.contains(demand));
        }
        match self.open_end(effort, budget) {
            Ok(None) => Ok(()),
            _ => Err(Obstacle::OpenEnd),
        }
    }

    /// A model in which one of some conditions is true.
    pub(crate) fn any(
        &mut self,
        conditions: impl IntoIterator<Item = Term>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Option<Model>, Ignorance> {
        let all: Vec<Term> = conditions.into_iter().collect();
        let some = self.encoder.terms.any(&all);
        self.model(&[some], effort, budget)
    }

    /// A model of some conditions together with what is known of their symbols.
    pub(super) fn model(
        &mut self,
        conditions: &[Term],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Option<Model>, Ignorance> {
        let terms = &mut self.encoder.terms;
        if conditions.iter().any(|&condition| terms.is_false(condition)) {
            return Ok(None);
        }
        // To make a large question ready takes long, too.
        budget.spend(0).map_err(Ignorance::Stopped)?;
        let whole = terms.all(conditions);
        let whole = logic::normal::normal(terms, whole);
        if terms.is_false(whole) {
            return Ok(None);
        }
        let mut solver: Embedded = Embedded::new();
        let known = self.encoder.knowledge.about(terms, conditions);
        for term in known.into_iter().chain(conditions.iter().copied()) {
            solver.assert(terms, term);
        }
        let mut part = budget.part(effort.steps.saturating_mul(20)).within(effort.time);
        let before = part.remaining_steps();
        let answer = solver.check(terms, &[], &mut part);
        _ = budget.spend(before - part.remaining_steps());
        match answer {
            Answer::Unsatisfiable if self.supposed => {
                Err(Ignorance::Failed(String::from("nothing follows from what is supposed")))
            }
            Answer::Unsatisfiable => Ok(None),
            Answer::Satisfiable => Ok(Some(solver.model(terms))),
            Answer::Unknown(why) => Err(why),
        }
    }
}
