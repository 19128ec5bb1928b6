//! Termination by disjunctive well-foundedness.
//!
//! Proof rule (Podelski and Rybalchenko; LoopFrog 2, Theorem 1; variance analyses, section 4.3): if T = T1 ∨ … ∨ Tn
//! relates each state with every later one, and no Ti has an infinite chain, then no run makes infinitely many passes.
//! (In an infinite run every two states are related by some Ti; by Ramsey's theorem infinitely many states are related
//! pairwise by one Ti: an infinite chain.) That a Ti has no infinite chain is shown by one of
//!
//! ```text
//! A(X) ∧ Ti(X, X') ⇒ 0 ≤ rank(X) ∧ rank(X') < rank(X)                     a ranking function
//! ¬Ti(X, X) and Ti(X, Y) ∧ Ti(Y, Z) ⇒ Ti(X, Z), over finitely many values   a strict order on a finite set
//! ```
//!
//! The second is Observation 3 of LoopFrog 2. Its proof says that the order is total, which it need not be: a chain in
//! a strict order repeats no element, so in a finite set it ends. What must be finite is what Ti speaks about, not the
//! whole state.

use base::Budget;
use evidence::{Comparison, Evidence, Expression, Formula, Termination, TransitionInvariant, WellFounded};
use logic::{Solver, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::question::Questions;
use crate::ranking::decreases;
use crate::relation::{Kind, Relation};
use crate::transition_invariant::check_transition_invariant;
use crate::wide::Scope;

/// Checks that a loop is left because of a relation whose disjuncts have no infinite chains.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_disjunctive(
    terms: &mut Terms,
    relation: &Relation,
    invariant: &TransitionInvariant,
    arguments: &[WellFounded],
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    if arguments.len() != invariant.disjuncts.len() {
        return Err(Refusal::unsupported("another number of arguments than of disjuncts"));
    }
    let mut questions = Questions { terms, relation, solver, budget };
    for (at, (disjunct, argument)) in invariant.disjuncts.iter().zip(arguments).enumerate() {
        match argument {
            WellFounded::Ranking(rank) => ranked(&mut questions, at + 1, disjunct, rank)?,
            WellFounded::FiniteOrder => finite_order(&mut questions, at + 1, disjunct)?,
        }
    }
    check_transition_invariant(terms, relation, invariant, solver, budget)?;
    let termination =
        Termination::Disjunctive { invariant: invariant.clone(), arguments: arguments.to_vec() };
    Ok(Certificate::new(relation.name(), Evidence::Termination(termination)))
}

fn ranked(
    questions: &mut Questions<'_>,
    at: usize,
    disjunct: &Formula,
    rank: &Expression,
) -> Result<(), Refusal> {
    let relation = questions.relation;
    let last = relation.another_state(questions.terms, "last");
    let scope = Scope::head(relation).with_next(&last);
    let related = questions.formula(&scope, disjunct)?;
    let less = decreases(questions, &scope, rank, true)?;
    let mut hypotheses = relation.assumptions().to_vec();
    hypotheses.push(related);
    questions.prove(Condition::Ranked(at), &hypotheses, less)
}

fn finite_order(questions: &mut Questions<'_>, at: usize, disjunct: &Formula) -> Result<(), Refusal> {
    let relation = questions.relation;
    let middle = relation.another_state(questions.terms, "middle");
    let last = relation.another_state(questions.terms, "last");
    let head = Scope::head(relation);
    let itself = questions.formula(&head.with_next(relation.before()), disjunct)?;
    let first = questions.formula(&head.with_next(&middle), disjunct)?;
    let second = questions.formula(&head.with_now(&middle).with_next(&last), disjunct)?;
    let both = questions.formula(&head.with_next(&last), disjunct)?;
    // What the relation speaks about: the parts of the state that are left in its term.
    let symbols = questions.terms.free_symbols(&[first]);
    for (part, component) in relation.state().iter().enumerate() {
        let spoken = [relation.before()[part], middle[part]]
            .iter()
            .any(|term| questions.terms.as_symbol(*term).is_some_and(|symbol| symbols.contains(&symbol)));
        if spoken && !matches!(component.kind, Kind::Machine { .. } | Kind::Boolean) {
            let what = format!("an order by {}, which has infinitely many values", component.quantity);
            return Err(Refusal::unsupported(what));
        }
    }
    let never = questions.terms.not(itself);
    questions.prove(Condition::Irreflexive(at), &[], never)?;
    questions.prove(Condition::Ordered(at), &[first, second], both)
}

/// The comparison that says that a rank is not negative.
pub(crate) fn not_negative(rank: &Expression) -> Formula {
    rank.clone().compare(Comparison::GreaterEqual, Expression::Constant(evidence::Integer::ZERO))
}
