//! Facts at the places of a loop.
//!
//! Proof rule (LoopFrog, Theorem 1): a fact at the head is an invariant that holds at entry. A fact at the exits follows
//! there: for each exit, A(X) ∧ exit(X) ⇒ F(X0, Z) with Z the state outside.

use base::Budget;
use evidence::{Evidence, Fact, FactPlace, Invariant};
use logic::{Solver, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::invariant::check_invariant;
use crate::question::Questions;
use crate::relation::Relation;
use crate::wide::Scope;

/// Checks a fact.
///
/// # Errors
/// If it is not so, or not known.
pub fn check_fact(
    terms: &mut Terms,
    relation: &Relation,
    fact: &Fact,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    match fact.at {
        FactPlace::Head => {
            let invariant = Invariant { formula: fact.formula.clone(), established: true };
            check_invariant(terms, relation, &invariant, solver, budget)?;
        }
        FactPlace::Exit => {
            let mut questions = Questions { terms, relation, solver, budget };
            let head = Scope::head(relation);
            for exit in relation.exits() {
                let goal = questions.formula(&head.with_now(&exit.state), &fact.formula)?;
                let mut hypotheses = relation.assumptions().to_vec();
                hypotheses.push(exit.condition);
                questions.prove(Condition::HoldsAtExit, &hypotheses, goal)?;
            }
        }
    }
    Ok(Certificate::new(relation.name(), Evidence::Fact(fact.clone())))
}
