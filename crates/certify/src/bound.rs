//! Bounds on the number of passes.
//!
//! Proof rule (Proteus, section 7.1, made inductive): the passes made plus the rank, which stands for the passes left,
//! never get more than the bound.
//!
//! ```text
//! initially(X0)              ⇒ 0 ≤ B(X0) ∧ rank(X0, X0) ≤ B(X0)
//! A(X) ∧ R(X, X') ∧ initially(X0) ⇒ rank(X0, X') + 1 ≤ rank(X0, X) ∧ 0 ≤ rank(X0, X')
//! ```
//!
//! After k ≥ 1 passes 0 ≤ rank ≤ B - k, so k ≤ B. No counter is needed, and so no width for one.

use base::Budget;
use evidence::{Bound, Comparison, Evidence, Integer};
use logic::{Solver, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::invariant::at_entry;
use crate::question::Questions;
use crate::relation::Relation;
use crate::well_founded::not_negative;
use crate::wide::{self, Number, Scope};

/// Checks that a loop makes at most so many passes.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_bound(
    terms: &mut Terms,
    relation: &Relation,
    bound: &Bound,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    let head = Scope::head(relation);

    // At entry the state before is the state at entry; the bound may speak about that alone.
    let begin = head.with_entry(relation.before());
    let most = wide::expression(questions.terms, &Scope { now: None, ..begin.clone() }, &bound.bound)?;
    let rank = wide::expression(questions.terms, &begin, &bound.rank)?;
    let zero = Number::constant(questions.terms, &Integer::ZERO)?;
    let enough = wide::compare(questions.terms, &rank, Comparison::LessEqual, &most)?;
    let natural = wide::compare(questions.terms, &zero, Comparison::LessEqual, &most)?;
    let both = questions.terms.and(enough, natural);
    let mut hypotheses = at_entry(questions.terms, relation);
    hypotheses.push(relation.initially());
    questions.prove(Condition::BoundAtEntry, &hypotheses, both)?;

    let now = wide::expression(questions.terms, &head, &bound.rank)?;
    let after = head.with_now(relation.after());
    let next = wide::expression(questions.terms, &after, &bound.rank)?;
    let less = wide::compare(questions.terms, &next, Comparison::Less, &now)?;
    let natural = questions.formula(&after, &not_negative(&bound.rank))?;
    let both = questions.terms.and(less, natural);
    let mut hypotheses = relation.pass();
    hypotheses.push(relation.entry_condition(questions.terms));
    questions.prove(Condition::RankSpent, &hypotheses, both)?;
    Ok(Certificate::new(relation.name(), Evidence::Bound(bound.clone())))
}
