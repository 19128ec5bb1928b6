//! What holds where a loop that is abstracted is entered, and where it is left.
//!
//! Proof rule: a formula over X0 and the state there holds at the entry if it follows from the conditions under which
//! the entry is reached, with X0 as that state; and where the loop is left if it follows from the invariants at the
//! head and the conditions of the complete iteration that leaves. Runs that come to an incomplete path are in no state
//! of the encoding from there on: where one may be reached, nothing is said. Cases of a summary (Proteus, sections 4
//! and 5) are made of these: their guards cover the entry; under a guard the invariant of the case is an invariant at
//! the head; and the effect holds where the loop is left.

use base::Budget;
use encoding::State;
use evidence::{Expression, Formula};
use logic::{Ignorance, Term};

use super::{Abstraction, Effort};
use crate::wide::{Use, formula_in};

/// A side of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// Where it is entered.
    Entry,
    /// Where it is left, be it by leaving the function.
    Exit,
}

impl Abstraction<'_> {
    /// Whether a formula holds whenever a loop is entered or left. Not if it cannot be understood.
    ///
    /// # Errors
    /// If the solver does not know.
    pub fn holds_at(
        &mut self,
        abstract_loop: usize,
        edge: Edge,
        formula: &Formula,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<bool, Ignorance> {
        let one = self.abstract_loops()[abstract_loop].clone();
        let Some(entry) = one.entries.first() else { return Ok(true) };
        let states: Vec<State> = match edge {
            Edge::Entry => vec![entry.clone()],
            Edge::Exit => one.exits.clone(),
        };
        // Complete iterations before the abstract loop have exits of their own.
        if (edge == Edge::Exit && one.entries.len() > 1) || !self.is_followed(effort, budget) {
            return Ok(false);
        }
        for state in states {
            let hypotheses = match edge {
                Edge::Entry => Vec::new(),
                Edge::Exit => state.guard.since(&entry.guard),
            };
            if !self.follows(abstract_loop, formula, &state, None, hypotheses, effort, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is claimed of the number of iterations of a loop (see [`super::bounds`]), where a guard holds at entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count<'a> {
    /// When the claim applies, over X0.
    pub guard: &'a Formula,
    /// How many complete iterations were made so far, over X0 and X.
    pub made: &'a Expression,
    /// How many iterations there are when the loop is left, over X0.
    pub total: &'a Expression,
}

impl Abstraction<'_> {
    /// Whether a loop makes so many iterations before it is left.
    ///
    /// ```text
    /// G(X0)                                 ⇒ made(X0, X0) = 0
    /// G(X0) ∧ invariants(X) ∧ R(X, X')      ⇒ made(X0, X') = made(X0, X) + 1 ∧ made(X0, X) < total(X0)
    /// G(X0) ∧ invariants(X) ∧ exit(X) ∧ begun(X) ⇒ made(X0, X) + 1 = total(X0)
    /// G(X0) ∧ invariants(X) ∧ exit(X) ∧ ¬begun(X) ⇒ made(X0, X) = total(X0)
    /// ```
    ///
    /// By induction `made` counts the complete iterations, each of which is one iteration. One more has *begun* where
    /// the loop is left from within its body. So a run that leaves has made the total, and no run makes more complete
    /// iterations: unless a complete iteration itself does not end, the loop is left.
    ///
    /// # Errors
    /// If the solver does not know.
    pub fn counts(
        &mut self,
        abstract_loop: usize,
        count: &Count<'_>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<bool, Ignorance> {
        let one = self.abstract_loops()[abstract_loop].clone();
        let ([entry], [start]) = (&one.entries[..], &one.starts[..]) else { return Ok(false) };
        let (made, Some(next)) = (count.made.clone(), count.made.at_next()) else { return Ok(false) };
        let when = |claim: Formula| (!count.guard.clone()).or(claim);
        let zero = when(made.clone().equals(0));
        if !self.is_followed(effort, budget)
            || !self.holds_at(abstract_loop, Edge::Entry, &zero, effort, budget)?
        {
            return Ok(false);
        }
        if let Some(again) = &one.again {
            let left = made.clone().below(count.total.clone());
            let step = when(next.equals(made.clone() + 1).and(left));
            let hypotheses = again.guard.since(&entry.guard);
            if !self.follows(abstract_loop, &step, &start.state, Some(again), hypotheses, effort, budget)? {
                return Ok(false);
            }
        }
        let begun = self.begun(abstract_loop);
        let not_begun = self.encoder.terms.not(begun);
        let ends = [(begun, made.clone() + 1), (not_begun, made)];
        for (last, iterations) in ends {
            let end = when(iterations.equals(count.total.clone()));
            for exit in &one.exits {
                let mut hypotheses = exit.guard.since(&entry.guard);
                hypotheses.push(last);
                if !self.follows(abstract_loop, &end, &start.state, None, hypotheses, effort, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether every run is followed to its end.
    pub(super) fn is_followed(&mut self, effort: Effort, budget: &mut Budget) -> bool {
        self.open_ends(effort, budget).is_empty()
    }

    /// Whether a formula about states follows from conditions.
    #[allow(clippy::too_many_arguments, reason = "the parts of one query")]
    fn follows(
        &mut self,
        abstract_loop: usize,
        formula: &Formula,
        now: &State,
        next: Option<&State>,
        hypotheses: Vec<Term>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<bool, Ignorance> {
        let claim = self.with_interpretation(abstract_loop, now, next, |interpretation| {
            formula_in(interpretation, Use::Shown, formula)
        });
        let Ok(claim) = claim else { return Ok(false) };
        Ok(self.counterexample(abstract_loop, hypotheses, claim, effort, budget)?.is_none())
    }
}
