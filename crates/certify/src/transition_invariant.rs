//! Transition invariants: relations between a state at the head and every later one.
//!
//! Proof rule (LoopFrog 2, section 3, Theorem 2; variance assertions, section 4.3):
//!
//! ```text
//! A(X) ∧ R(X, Y)                ⇒ T(X, Y)
//! T(X, Y) ∧ A(Y) ∧ R(Y, Z)      ⇒ T(X, Z)
//! ```
//!
//! By induction T then holds between each state and every later one. The paper asks for T(X, Y) ∧ T(Y, Z) ⇒ T(X, Z)
//! instead, which is stronger; it can be easier for the solver, and is tried when that does not know the second line.

use base::Budget;
use evidence::{Evidence, Formula, TransitionInvariant};
use logic::{Solver, Term, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::question::Questions;
use crate::relation::Relation;
use crate::wide::Scope;

/// Checks that a relation holds between each state at the head and every later one.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_transition_invariant(
    terms: &mut Terms,
    relation: &Relation,
    invariant: &TransitionInvariant,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    let whole = Formula::Any(invariant.disjuncts.clone());
    let first = relation.another_state(questions.terms, "first");
    let last = relation.another_state(questions.terms, "last");
    let head = Scope::head(relation);
    let pass = relation.pass();

    let step = questions.formula(&head.with_next(relation.after()), &whole)?;
    questions.prove(Condition::Included, &pass, step)?;

    let before = questions.formula(&head.with_now(&first).with_next(relation.before()), &whole)?;
    let longer = questions.formula(&head.with_now(&first).with_next(relation.after()), &whole)?;
    let mut hypotheses: Vec<Term> = pass;
    hypotheses.push(before);
    match questions.prove(Condition::Composed, &hypotheses, longer) {
        Err(Refusal::NotKnown { .. }) => {
            let then = questions.formula(&head.with_next(&last), &whole)?;
            let longer = questions.formula(&head.with_now(&first).with_next(&last), &whole)?;
            questions.prove(Condition::Transitive, &[before, then], longer)?;
        }
        answer => answer?,
    }
    Ok(Certificate::new(relation.name(), Evidence::TransitionInvariant(invariant.clone())))
}
