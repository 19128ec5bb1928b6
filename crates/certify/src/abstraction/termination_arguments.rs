//! Whether the loops of a program whose loops are abstracted are left.
//!
//! Proof rules, with R(X, X') an iteration of the abstract loop and T the union of the disjuncts:
//!
//! ```text
//! linear:         R ⇒ f(X) ≥ 0 ∧ f(X') < f(X)
//! lexicographic:  R ⇒ ⋁ᵢ (fᵢ(X) ≥ 0 ∧ fᵢ(X') < fᵢ(X) ∧ ⋀_{j<i} fⱼ(X') ≤ fⱼ(X))
//! multiphase:     the same, with < for the components before i
//! nested:         R ⇒ fₙ(X) ≥ 0 ∧ ⋀ᵢ fᵢ(X') < fᵢ(X) + fᵢ₋₁(X), where f₀ = 0
//! disjunctive:    R ⊆ T,  T ∘ R ⊆ T,  and every disjunct has a rank, or is a strict order of finitely many values
//! ```
//!
//! The last one is Podelski and Rybalchenko's (LICS 2004, Theorem 1), with the inductive check of LoopFrog 2, Algorithm
//! 2: R⁺ is then within a finite union of well-founded relations, so that R is well-founded. An iteration leads from
//! the state at the head in any iteration, of which all accepted invariants hold, to the state at the head after it;
//! inner loops and calls are part of it. An argument is about the visits of one head alone: that inner loops are left
//! is a question of its own, and so is what comes around the loop (the local termination predicates of variance
//! analyses, Definition 8). If every abstract loop has an argument, no path is left out and nothing undefined happens,
//! then every run ends (Corollary 1).

use base::Budget;
use encoding::State;
use encoding::memory::Kind;
use evidence::{Comparison, Expression, Formula, Overflow, Property, Ranking, Termination, WellFounded};
use logic::{Ignorance, Model, Term};
use program::Obligation;
use program::interpret::Integers;

use super::{Abstraction, Candidate, Effort};
use crate::wide::{Use, expression_in, formula_in};

/// What was found out about an argument that a loop is left.
#[derive(Clone, Debug)]
pub enum ArgumentCheck {
    /// It shows it. It is kept.
    Left,
    /// This iteration contradicts it, as far as the invariants tell.
    Iteration(Box<Model>),
    /// The solver does not know.
    NotKnown(Ignorance),
    /// It says nothing that can be checked, for this reason.
    Refused(String),
}

/// A relation between two states that has to hold for a claim, and how it is asked for.
struct Goal {
    hypotheses: Vec<Term>,
    claim: Term,
}

impl Abstraction<'_> {
    /// Checks an argument that no run makes infinitely many iterations of a loop without leaving it, and keeps it.
    pub fn ends(
        &mut self,
        abstract_loop: usize,
        argument: &Termination,
        effort: Effort,
        budget: &mut Budget,
    ) -> ArgumentCheck {
        let goals = match self.goals(abstract_loop, argument) {
            Ok(goals) => goals,
            Err(why) => return ArgumentCheck::Refused(why),
        };
        for goal in goals {
            match self.counterexample(abstract_loop, goal.hypotheses, goal.claim, effort, budget) {
                Ok(None) => {}
                Ok(Some(model)) => return ArgumentCheck::Iteration(Box::new(model)),
                Err(why) => return ArgumentCheck::NotKnown(why),
            }
        }
        self.termination_arguments[abstract_loop] = Some(argument.clone());
        ArgumentCheck::Left
    }

    /// Why a loop is left, if an argument was accepted.
    pub fn termination_argument(&self, abstract_loop: usize) -> Option<&Termination> {
        self.termination_arguments[abstract_loop].as_ref()
    }

    /// Whether control never comes back to the head of a loop.
    pub fn is_never_repeated(&self, abstract_loop: usize) -> bool {
        self.abstract_loops()[abstract_loop].again.is_none()
    }

    /// The conditions of an iteration that ends at the head again, those before the loop left aside.
    pub fn iteration(&self, abstract_loop: usize) -> Vec<Term> {
        let abstract_loop = &self.abstract_loops()[abstract_loop];
        match (&abstract_loop.again, abstract_loop.entries.last()) {
            (Some(again), Some(entry)) => again.guard.since(&entry.guard),
            _ => Vec::new(),
        }
    }

    /// A number of a state of a loop as a term: an integer, or bits with a sign.
    pub fn number(&mut self, abstract_loop: usize, expression: &Expression, state: &State) -> Option<Term> {
        let number = self.with_interpretation(abstract_loop, state, None, |interpretation| {
            expression_in(interpretation, expression)
        });
        number.ok().map(|number| number.term())
    }

    /// Those conditions under which a loop is entered on which others can depend.
    pub fn context_of(&mut self, abstract_loop: usize, conditions: &[Term]) -> Vec<Term> {
        let Some(entry) = self.abstract_loops()[abstract_loop].entries.last() else { return Vec::new() };
        let before = entry.guard.conditions();
        let (terms, axioms) = (&self.encoder.terms, &self.encoder.axioms);
        self.symbols.relevant(terms, axioms, conditions, &before)
    }

    /// What is known of the symbols of some conditions.
    pub fn known_about(&mut self, conditions: &[Term]) -> Vec<Term> {
        self.encoder.axioms.about(&mut self.encoder.terms, conditions)
    }

    /// The verification conditions that must hold for every run to end, if all loops have arguments: those that end no run.
    pub(super) fn left_for_termination(&self) -> Option<Vec<usize>> {
        (0..self.abstract_loops().len())
            .all(|abstract_loop| self.is_argued(abstract_loop))
            .then(|| (0..self.vcs().len()).filter(|&vc| !self.ends_there(vc)).collect())
    }

    /// Whether it may be wrapping that ends a run: then the evidence must hold without bounds as well.
    pub(super) fn ends_by_wrapping(&self) -> bool {
        self.claim.property == Property::Termination
            && self.claim.integers == Integers::Machine
            && self.mode.overflow == Overflow::Wraps
    }

    /// Whether the same invariants and arguments show that every run ends if integers have no bounds.
    pub(super) fn holds_unbounded(&mut self, effort: Effort, budget: &mut Budget) -> bool {
        let subject = self.subject.unbounded();
        let Ok(mut unbounded) = Abstraction::new(&subject, self.mode, budget) else { return false };
        for nest in unbounded.nests() {
            let of = |&abstract_loop: &usize| {
                let invariants = self.invariants.get(abstract_loop).into_iter().flatten().cloned();
                invariants.map(move |formula| Candidate { abstract_loop, formula })
            };
            let candidates: Vec<Candidate> = nest.iter().flat_map(of).collect();
            unbounded.accept(&nest, &candidates, effort, budget);
        }
        for abstract_loop in 0..unbounded.abstract_loops().len() {
            if let Some(Some(argument)) = self.termination_arguments.get(abstract_loop) {
                unbounded.ends(abstract_loop, argument, effort, budget);
            }
        }
        unbounded.conclude(effort, budget).is_some()
    }

    /// Whether a run that violates a verification condition has ended there: it accesses an object of a function
    /// outside of its bounds. Where the object is not known, the encoding may have lost a pointer that is good; and one
    /// of the program may have more bytes where it is defined than its type says.
    fn ends_there(&self, vc: usize) -> bool {
        let vc = &self.vcs()[vc];
        let number = vc.access.as_ref().and_then(|(pointer, _)| {
            u32::try_from(self.encoder.terms.known_bits(pointer.object)?.unsigned()).ok()
        });
        let is_of_a_function = |number: u32| {
            number != 0 && matches!(self.encoder.object(number).kind, Kind::Local(..) | Kind::Alloca(_))
        };
        vc.obligation == Obligation::OutOfBounds && number.is_some_and(is_of_a_function)
    }

    /// A model of some hypotheses in which a claim is false: of those conditions before the loop that can matter too.
    pub(super) fn counterexample(
        &mut self,
        abstract_loop: usize,
        mut hypotheses: Vec<Term>,
        claim: Term,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Option<Model>, Ignorance> {
        hypotheses.push(self.encoder.terms.not(claim));
        hypotheses.extend(self.context_of(abstract_loop, &hypotheses));
        self.model(&hypotheses, effort, budget)
    }

    fn goals(&mut self, abstract_loop: usize, argument: &Termination) -> Result<Vec<Goal>, String> {
        let one = self.abstract_loops()[abstract_loop].clone();
        let (Some(again), Some(start)) = (one.again, one.starts.last()) else { return Ok(Vec::new()) };
        let before = start.state.clone();
        let hypotheses = self.iteration(abstract_loop);
        match argument {
            Termination::Ranking(ranking) => {
                let claim = self.relation(abstract_loop, &ranked(ranking)?, &before, &again)?;
                Ok(vec![Goal { hypotheses, claim }])
            }
            Termination::Disjunctive { invariant, arguments } => {
                if arguments.len() != invariant.disjuncts.len() {
                    return Err(String::from("another number of arguments than of disjuncts"));
                }
                let whole = Formula::Any(invariant.disjuncts.clone());
                let step = self.relation(abstract_loop, &whole, &before, &again)?;
                let mut goals = vec![Goal { hypotheses: hypotheses.clone(), claim: step }];
                let (first, known) = self.another(abstract_loop)?;
                let mut longer = hypotheses;
                longer.extend(&known);
                longer.push(self.relation(abstract_loop, &whole, &first, &before)?);
                let claim = self.relation(abstract_loop, &whole, &first, &again)?;
                goals.push(Goal { hypotheses: longer, claim });
                for (disjunct, argument) in invariant.disjuncts.iter().zip(arguments) {
                    goals.extend(self.well_founded(abstract_loop, disjunct, argument)?);
                }
                Ok(goals)
            }
        }
    }

    /// What shows that a relation has no infinite chain.
    fn well_founded(
        &mut self,
        abstract_loop: usize,
        disjunct: &Formula,
        argument: &WellFounded,
    ) -> Result<Vec<Goal>, String> {
        let (first, mut known) = self.another(abstract_loop)?;
        let (second, more) = self.another(abstract_loop)?;
        known.extend(more);
        let related = self.relation(abstract_loop, disjunct, &first, &second)?;
        match argument {
            WellFounded::Ranking(rank) => {
                let claim = ranked(&Ranking::Linear(rank.clone()))?;
                let claim = self.relation(abstract_loop, &claim, &first, &second)?;
                known.push(related);
                Ok(vec![Goal { hypotheses: known, claim }])
            }
            WellFounded::FiniteOrder => {
                if self.claim.integers == Integers::Mathematical {
                    return Err(String::from("an order of infinitely many values"));
                }
                let (third, _) = self.another(abstract_loop)?;
                let itself = self.relation(abstract_loop, disjunct, &first, &first)?;
                let never = self.encoder.terms.not(itself);
                let then = self.relation(abstract_loop, disjunct, &second, &third)?;
                let both = self.relation(abstract_loop, disjunct, &first, &third)?;
                Ok(vec![
                    Goal { hypotheses: Vec::new(), claim: never },
                    Goal { hypotheses: vec![related, then], claim: both },
                ])
            }
        }
    }

    /// A state at the head in any iteration, and what is known of it.
    fn another(&mut self, abstract_loop: usize) -> Result<(State, Vec<Term>), String> {
        let one = self.abstract_loops()[abstract_loop].clone();
        let missing = || String::from("a loop without a state");
        let body = self.program.functions[one.function].body().ok_or_else(missing)?;
        let state = self.encoder.another_iteration(body, &one).ok_or_else(missing)?;
        let invariants = self.invariants[abstract_loop].clone();
        let known = invariants.iter().filter_map(|invariant| match invariant {
            // A quantified invariant is tied to the symbol of its abstract loop.
            Formula::Every { .. } => None,
            invariant => self.translate(abstract_loop, invariant, Use::Known, &state),
        });
        let known = known.collect();
        Ok((state, known))
    }

    /// A relation between a state now and one next.
    pub(super) fn relation(
        &mut self,
        abstract_loop: usize,
        formula: &Formula,
        now: &State,
        next: &State,
    ) -> Result<Term, String> {
        self.with_interpretation(abstract_loop, now, Some(next), |interpretation| {
            formula_in(interpretation, Use::Shown, formula)
        })
        .map_err(|refusal| refusal.to_string())
    }
}

/// What a ranking function says of an iteration.
fn ranked(ranking: &Ranking) -> Result<Formula, String> {
    Ok(match ranking {
        Ranking::Linear(rank) => less(rank)?,
        Ranking::Lexicographic(ranks) => some_index(ranks, Comparison::LessEqual)?,
        Ranking::Multiphase(ranks) => some_index(ranks, Comparison::Less)?,
        Ranking::Nested(ranks) => {
            let last = ranks.last().ok_or("a ranking function of no components")?;
            let mut all = vec![not_negative(last)];
            for (at, rank) in ranks.iter().enumerate() {
                let mut most = rank.clone();
                if at > 0 {
                    most = most + ranks[at - 1].clone();
                }
                all.push(next(rank)?.below(most));
            }
            Formula::All(all)
        }
    })
}

/// Every iteration has an index whose rank decreases and is not negative, while all before it compare so.
fn some_index(ranks: &[Expression], others: Comparison) -> Result<Formula, String> {
    let mut choices = Vec::new();
    for (at, rank) in ranks.iter().enumerate() {
        let mut all = vec![less(rank)?];
        for before in &ranks[..at] {
            all.push(next(before)?.compare(others, before.clone()));
        }
        choices.push(Formula::All(all));
    }
    Ok(Formula::Any(choices))
}

/// That a rank is less in the next state and not negative now.
fn less(rank: &Expression) -> Result<Formula, String> {
    Ok(not_negative(rank).and(next(rank)?.below(rank.clone())))
}

fn not_negative(rank: &Expression) -> Formula {
    rank.clone().at_least(0)
}

fn next(rank: &Expression) -> Result<Expression, String> {
    rank.at_next().ok_or_else(|| String::from("a rank that speaks of the next state"))
}
