//! Whether what is required can be violated in a program whose loops are abstracted.

use base::{Budget, Location};
use encoding::Incompleteness;
use evidence::{Evidence, InvariantPlace, LoopInvariant, Overflow, Place, Property, Summary};
use logic::evaluate::Evaluation;
use logic::solver::Embedded;
use logic::{Answer, Ignorance, Model, Solver, Term};
use program::Obligation;
use program::interpret::Integers;

use super::explain::AbstractTrace;
use super::slice::ROUNDS;
use super::{Abstraction, Effort, Obstacle};
use crate::answer::{Certificate, ContractCertificate};
use crate::results::Results;
use crate::subject::Runs;

/// So many verification conditions are examined together, apart from the rest of the program.
const CHUNK: usize = 32;

/// What was found out about a verification condition.
#[derive(Clone, Debug)]
pub enum Finding {
    /// No run violates it.
    Holds,
    /// The encoding violates it; a run need not.
    Violated(Box<AbstractTrace>),
    /// The solver does not know.
    NotKnown(Ignorance),
}

impl Abstraction<'_> {
    /// Examines one verification condition.
    pub fn examine(&mut self, vc: usize, effort: Effort, budget: &mut Budget) -> Finding {
        let finding = self.examined(vc, effort, budget);
        self.note(matches!(finding, Finding::Holds), &[vc]);
        finding
    }

    /// Takes note of verification conditions that were shown to hold. Nothing is shown once something was supposed.
    fn note(&mut self, hold: bool, vcs: &[usize]) -> bool {
        if hold && !self.supposed {
            self.held.extend(vcs);
        }
        hold
    }

    fn examined(&mut self, vc: usize, effort: Effort, budget: &mut Budget) -> Finding {
        let one = self.vcs[vc].clone();
        let not = self.encoder.terms.not(one.condition);
        let conditions = one.guard.conditions();
        let (terms, axioms) = (&self.encoder.terms, &self.encoder.axioms);
        let mut part = self.symbols.relevant(terms, axioms, &[not], &conditions);
        if part.len() < conditions.len() {
            part.push(not);
            if let Ok(None) = self.model(&part, effort, budget) {
                return Finding::Holds;
            }
        }
        match self.model(&[one.violated], effort, budget) {
            Ok(None) => Finding::Holds,
            Ok(Some(model)) => {
                let mut abstract_trace = self.abstract_trace(&model, one.events, one.abstract_loop);
                abstract_trace.access =
                    one.access.and_then(|(place, size)| self.accessed(place, size, &model));
                abstract_trace.operation = one.operation.map(|operation| self.computed(operation, &model));
                Finding::Violated(Box::new(abstract_trace))
            }
            Err(why) => Finding::NotKnown(why),
        }
    }

    /// Which of some verification conditions a model violates, all of them examined together: none if they all hold.
    ///
    /// # Errors
    /// If the solver does not know.
    pub fn violated(
        &mut self,
        vcs: &[usize],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Vec<usize>, Ignorance> {
        let vcs = self.unclear(vcs, effort, budget);
        let all: Vec<Term> = vcs.iter().map(|&vc| self.vcs[vc].violated).collect();
        let Some(model) = self.any(all, effort, budget)? else {
            self.note(true, &vcs);
            return Ok(Vec::new());
        };
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        Ok(vcs.iter().copied().filter(|&vc| values.is_true(self.vcs[vc].violated)).collect())
    }

    /// Of many verification conditions those that may be violated if one examines the conditions alone that have to do
    /// with them: the cost of a query does not grow with the program then.
    fn unclear(&mut self, vcs: &[usize], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        if vcs.len() <= CHUNK {
            return vcs.to_vec();
        }
        let mut unclear = Vec::new();
        for chunk in vcs.chunks(CHUNK) {
            if budget.spend(0).is_err() || !self.hold_closely(chunk, ROUNDS, effort, budget) {
                unclear.extend(chunk);
            }
        }
        unclear
    }

    /// Whether some verification conditions hold for reasons close by: of the conditions on the way to each only those
    /// count that speak of what it speaks of, and those that speak of what these speak of, so many rounds. What does
    /// not hold so may still hold.
    pub fn hold_closely(
        &mut self,
        vcs: &[usize],
        rounds: usize,
        effort: Effort,
        budget: &mut Budget,
    ) -> bool {
        let some = self.violated_closely(vcs, rounds);
        let hold = matches!(self.model(&[some], effort, budget), Ok(None));
        self.note(hold, vcs)
    }

    /// Whether some verification conditions hold whatever memory contains (`array_abstraction.rs`). What does not hold
    /// so may still hold.
    pub fn hold_without_memory(&mut self, vcs: &[usize], effort: Effort, budget: &mut Budget) -> bool {
        let some = self.violated_closely(vcs, ROUNDS);
        if self.supposed || budget.spend(0).is_err() {
            return false;
        }
        let mut solver: Embedded = Embedded::new();
        let (terms, axioms) = (&mut self.encoder.terms, &self.encoder.axioms);
        for term in self.array_abstraction.with_axioms(terms, axioms, &[some]) {
            solver.assert(terms, term);
        }
        let answer = effort.ask(&mut solver, terms, &[], budget);
        self.note(answer == Answer::Unsatisfiable, vcs)
    }

    /// That one of some verification conditions is violated, with those of the conditions on the way to each that are
    /// close by.
    fn violated_closely(&mut self, vcs: &[usize], rounds: usize) -> Term {
        let mut violated = Vec::new();
        for &vc in vcs {
            let one = &self.vcs[vc];
            let (condition, conditions) = (one.condition, one.guard.conditions());
            let not = self.encoder.terms.not(condition);
            let (terms, axioms) = (&self.encoder.terms, &self.encoder.axioms);
            let mut part = self.symbols.within(rounds, terms, axioms, &[not], &conditions);
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
    ) -> Result<Option<(Incompleteness, Location, AbstractTrace)>, Ignorance> {
        let incomplete = self.encoder.findings.incomplete.clone();
        let Some(model) = self.any(incomplete.iter().map(|end| end.reached), effort, budget)? else {
            return Ok(None);
        };
        let abstract_trace = self.abstract_trace(&model, usize::MAX, None);
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let end = incomplete.into_iter().find(|end| values.is_true(end.reached));
        Ok(end.map(|end| (end.reason, end.location, abstract_trace)))
    }

    /// That nothing was violated: whoever asks has examined all verification conditions and all incomplete paths.
    fn certificate(&mut self) -> Certificate {
        let mut summaries = Vec::new();
        for place in 0..self.abstract_loops().len() {
            let abstract_loop = &self.abstract_loops()[place];
            let (function, location) = (abstract_loop.function, abstract_loop.location);
            let invariant = |formula: &evidence::Formula| LoopInvariant {
                formula: formula.clone(),
                at: InvariantPlace::Head,
            };
            summaries.push(Summary {
                name: self.program.functions[function].name.clone(),
                place: Place::of(self.program, location),
                invariants: self.invariants[place].iter().map(invariant).collect(),
                cases: Vec::new(),
                termination: self.termination_arguments[place].clone(),
                bound: None,
            });
        }
        let evidence = match self.subject.contracts() {
            [] => Evidence::Loops(summaries),
            contracts => Evidence::Contracts { contracts: contracts.to_vec(), loops: summaries },
        };
        Certificate::new(self.claim, self.mode, evidence)
    }

    /// Proves the claim, if the invariants and arguments that were accepted are enough for it.
    pub fn conclude(&mut self, effort: Effort, budget: &mut Budget) -> Option<Certificate> {
        let is_claimed = self.subject.runs() == Runs::OfProgram && self.is_read_soundly();
        let left = match self.claim.property {
            Property::Termination => self.left_for_termination()?,
            _ => (0..self.vcs.len()).collect(),
        };
        let holds = is_claimed
            && self.none_is_violated(left, effort, budget).is_ok()
            && (!self.ends_by_wrapping() || self.holds_unbounded(effort, budget));
        holds.then(|| self.certificate())
    }

    /// Proves what its program checks of the results of its function ([`crate::results`]): every check must hold, and control
    /// must not come to the end of an incomplete path. Nothing if it checks nothing, or something is not shown.
    pub fn results(&mut self, effort: Effort, budget: &mut Budget) -> Option<Results> {
        let guess = self.subject.guess.clone()?;
        let is_check = |vc: &usize| self.vcs[*vc].obligation == Obligation::Contract;
        let checks = (0..self.vcs.len()).filter(is_check).collect();
        self.none_is_violated(checks, effort, budget).ok()?;
        Some(Results(guess))
    }

    /// Proves the contract by which its function is called: every verification condition must hold, those of what the contract
    /// ensures among them, and control must not come to the end of an incomplete path. Nothing if something is not shown.
    pub fn contract(&mut self, effort: Effort, budget: &mut Budget) -> Option<ContractCertificate> {
        let [contract] = self.subject.contracts() else { return None };
        if self.subject.runs() != Runs::OfCallers {
            return None;
        }
        let all = (0..self.vcs.len()).collect();
        self.none_is_violated(all, effort, budget).ok()?;
        let kinds = self.claim.property.obligations();
        Some(ContractCertificate { contract: contract.clone(), kinds })
    }

    /// Chains of calls are not followed to their ends, and an overflow may come after them.
    fn is_read_soundly(&self) -> bool {
        self.mode.chains.is_none()
            || self.mode.overflow == Overflow::Any
            || self.claim.integers == Integers::Mathematical
    }

    /// Shows that none of these verification conditions is violated and no incomplete path reached, or says what stands
    /// in the way.
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
            let violated =
                self.violated(&left, effort, budget).map_err(|_| Obstacle::VerificationCondition(first))?;
            if violated.is_empty() {
                break;
            }
            // A smaller query may know more.
            for &vc in &violated {
                if !matches!(self.examine(vc, effort, budget), Finding::Holds) {
                    return Err(Obstacle::VerificationCondition(vc));
                }
            }
            left.retain(|vc| !violated.contains(vc));
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
        // To make a large query ready takes long, too.
        budget.spend(0).map_err(Ignorance::Stopped)?;
        let whole = terms.all(conditions);
        let whole = logic::normal::normal(terms, whole);
        if terms.is_false(whole) {
            return Ok(None);
        }
        let mut solver: Embedded = Embedded::new();
        let known = self.encoder.axioms.about(terms, conditions);
        for term in known.into_iter().chain(conditions.iter().copied()) {
            solver.assert(terms, term);
        }
        let effort = Effort { steps: effort.steps.saturating_mul(20), ..effort };
        match effort.ask(&mut solver, terms, &[], budget) {
            Answer::Unsatisfiable if self.supposed => {
                Err(Ignorance::Failed(String::from("nothing follows from what is supposed")))
            }
            Answer::Unsatisfiable => Ok(None),
            Answer::Satisfiable => Ok(Some(solver.model(terms))),
            Answer::Unknown(why) => Err(why),
        }
    }
}
