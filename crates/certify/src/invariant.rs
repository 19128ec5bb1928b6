//! Invariants.
//!
//! Proof rule (LoopFrog, Algorithm 1, `IsInvariant`; LoopFrog 2, section 2.2):
//!
//! ```text
//! initially(X0)                      ⇒ I(X0, X0, 0)         if it is to hold at entry
//! A(X) ∧ I(X0, X, k) ∧ R(X, X')      ⇒ I(X0, X', k + 1)
//! ```
//!
//! Beyond the paper, I may speak about the state at entry and the number of passes.

use base::Budget;
use evidence::{Evidence, Invariant};
use logic::{Solver, Term, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::counting::{Counter, counts};
use crate::question::Questions;
use crate::relation::Relation;
use crate::wide::Scope;

/// Checks that passes preserve a condition and, if it claims so, that it holds at loop entry.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_invariant(
    terms: &mut Terms,
    relation: &Relation,
    invariant: &Invariant,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    let counter = Counter::new(questions.terms, relation)?;
    let head = Scope::head(relation);
    if invariant.established {
        let begin = head.with_counter(counter.zero.clone()).with_entry(relation.before());
        let holds = questions.formula(&begin, &invariant.formula)?;
        let mut hypotheses = at_entry(questions.terms, relation);
        hypotheses.push(relation.initially());
        questions.prove(Condition::Established, &hypotheses, holds)?;
    }
    let now = questions.formula(&head.with_counter(counter.now.clone()), &invariant.formula)?;
    let then = head.with_counter(counter.next.clone()).with_now(relation.after());
    let next = questions.formula(&then, &invariant.formula)?;
    let mut hypotheses = relation.pass();
    hypotheses.extend([now, counter.is_natural(questions.terms)?, relation.entry_condition(questions.terms)]);
    questions.prove(Condition::Preserved, &hypotheses, next)?;
    if counts(&invariant.formula) {
        counter.prove_enough(&mut questions, &[now])?;
    }
    Ok(Certificate::new(relation.name(), Evidence::Invariant(invariant.clone())))
}

/// The assumptions at loop entry, where the state before is the state at entry. Those about inputs are left out:
/// the loop may be left before it asks for any.
pub(crate) fn at_entry(terms: &mut Terms, relation: &Relation) -> Vec<Term> {
    let pairs = relation.entry().iter().copied().zip(relation.before().iter().copied());
    let mut same = logic::substitute::Substitution::new(pairs);
    let facts = relation.assumptions().iter().filter(|fact| !relation.speaks_of_inputs(terms, **fact));
    let facts: Vec<Term> = facts.copied().collect();
    facts.into_iter().map(|fact| same.apply(terms, fact)).collect()
}
