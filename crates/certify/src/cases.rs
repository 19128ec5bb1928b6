//! Summaries of a loop by cases.
//!
//! Each case brings an invariant Ic that links the states at entry and at the head and the number of passes; Proteus
//! gets it from the closed forms along a trace of the path dependency automaton (Algorithms 1 to 5, Definition 5).
//! Proof rule, with Gc the guard of a case and nc its number of passes:
//!
//! ```text
//! initially(X0)                               ⇒ G1(X0) ∨ … ∨ Gn(X0)              every entry has a case
//! initially(X0) ∧ Gc(X0)                      ⇒ Ic(X0, X0, 0)            initially(X0) is used below, too
//! Gc(X0) ∧ A(X) ∧ Ic(X0, X, k) ∧ R(X, X')     ⇒ Ic(X0, X', k + 1)
//! Gc(X0) ∧ A(X) ∧ Ic(X0, X, k) ∧ exit(X)      ⇒ effect(X0, Z) ∧ k = nc(X0)
//! ```
//!
//! So each run that leaves the loop does so with the effect of every case whose guard its entry satisfies, and there is
//! one. A case that is claimed to be exact must name the passes and every number of the state, and moreover
//!
//! ```text
//! Gc(X0) ∧ A(X) ∧ Ic(X0, X, k) ∧ continues(X)    ⇒ k < nc(X0)                    passes end
//! Gc(X0) ∧ A(X) ∧ Ic(X0, X, k)                   ⇒ continues(X) ∨ some exit(X)   whatever the inputs
//! ```
//!
//! Then every run does leave, with just that effect.

use base::Budget;
use evidence::{Case, Comparison, Evidence, Expression, Formula};
use logic::{Solver, Term, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::counting::{Counter, counts};
use crate::invariant::at_entry;
use crate::question::Questions;
use crate::relation::{Kind, Relation};
use crate::wide::{self, Number, Scope};

/// Checks that cases cover each run that leaves the loop, and say what it does.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_cases(
    terms: &mut Terms,
    relation: &Relation,
    cases: &[Case],
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    covers(&mut questions, cases)?;
    for (at, case) in cases.iter().enumerate() {
        check_case(&mut questions, at + 1, case)?;
    }
    Ok(Certificate::new(relation.name(), Evidence::Cases(cases.to_vec())))
}

fn covers(questions: &mut Questions<'_>, cases: &[Case]) -> Result<(), Refusal> {
    let relation = questions.relation;
    let begin = Scope { now: None, ..Scope::head(relation).with_entry(relation.before()) };
    let guards = Formula::Any(cases.iter().map(|case| case.guard.clone()).collect());
    let covered = questions.formula(&begin, &guards)?;
    let mut hypotheses = at_entry(questions.terms, relation);
    hypotheses.push(relation.initially());
    questions.prove(Condition::Covered, &hypotheses, covered)
}

fn check_case(questions: &mut Questions<'_>, at: usize, case: &Case) -> Result<(), Refusal> {
    let relation = questions.relation;
    let counter = Counter::new(questions.terms, relation)?;
    let head = Scope::head(relation);
    let entry_alone = Scope { now: None, ..head.clone() };

    let begin = head.with_entry(relation.before()).with_counter(counter.zero.clone());
    let guard = questions.formula(&Scope { now: None, counter: None, ..begin.clone() }, &case.guard)?;
    let holds = questions.formula(&begin, &case.invariant)?;
    let mut hypotheses = at_entry(questions.terms, relation);
    hypotheses.extend([relation.initially(), guard]);
    questions.prove(Condition::CaseEstablished(at), &hypotheses, holds)?;

    let guard = questions.formula(&entry_alone, &case.guard)?;
    let now = questions.formula(&head.with_counter(counter.now.clone()), &case.invariant)?;
    let then = head.with_counter(counter.next.clone()).with_now(relation.after());
    let next = questions.formula(&then, &case.invariant)?;
    let inside =
        [guard, now, counter.is_natural(questions.terms)?, relation.entry_condition(questions.terms)];
    let mut pass = relation.pass();
    pass.extend(inside);
    questions.prove(Condition::CasePreserved(at), &pass, next)?;

    let passes = match &case.iterations {
        Some(passes) => Some(wide::expression(questions.terms, &entry_alone, passes)?),
        None => None,
    };
    let done = passes
        .as_ref()
        .map(|passes| wide::compare(questions.terms, &counter.now, Comparison::Equal, passes))
        .transpose()?;
    if counts(&case.invariant) || case.iterations.is_some() {
        counter.prove_enough(questions, &inside)?;
    }
    leaves(questions, at, case, &inside, done)?;
    if case.exact {
        is_exact(questions, at, case, &inside, &counter, passes.as_ref())?;
    }
    Ok(())
}

/// Whoever leaves has the effect, and has made the passes.
fn leaves(
    questions: &mut Questions<'_>,
    at: usize,
    case: &Case,
    inside: &[Term],
    done: Option<Term>,
) -> Result<(), Refusal> {
    let relation = questions.relation;
    let head = Scope::head(relation);
    for exit in relation.exits() {
        let outside = head.with_now(&exit.state);
        let mut hypotheses = relation.assumptions().to_vec();
        hypotheses.extend_from_slice(inside);
        hypotheses.push(exit.condition);
        let mut effect = vec![questions.formula(&outside, &case.relation)?];
        for update in &case.effect {
            let value =
                wide::expression(questions.terms, &Scope { now: None, ..head.clone() }, &update.value)?;
            let quantity: Expression = update.quantity.at(evidence::Moment::Now);
            let held = wide::expression(questions.terms, &outside, &quantity)?;
            effect.push(wide::compare(questions.terms, &held, Comparison::Equal, &value)?);
        }
        let effect = questions.terms.all(&effect);
        questions.prove(Condition::CaseEffect(at), &hypotheses, effect)?;
        if let Some(done) = done {
            questions.prove(Condition::CaseIterations(at), &hypotheses, done)?;
        }
    }
    Ok(())
}

/// Every run leaves, in just this way.
fn is_exact(
    questions: &mut Questions<'_>,
    at: usize,
    case: &Case,
    inside: &[Term],
    counter: &Counter,
    passes: Option<&Number>,
) -> Result<(), Refusal> {
    let relation = questions.relation;
    if !relation.is_exact() {
        return Err(Refusal::unsupported("an exact case of a relation that is not exact"));
    }
    let Some(passes) = passes else {
        return Err(Refusal::unsupported("an exact case without its number of passes"));
    };
    for component in relation.state() {
        let known = match component.kind {
            Kind::Opaque(_) => is_left_alone(relation, &component.quantity),
            _ => case.effect.iter().any(|update| update.quantity == component.quantity),
        };
        if !known {
            let what = format!("an exact case that does not say what {} is", component.quantity);
            return Err(Refusal::unsupported(what));
        }
    }
    let mut hypotheses = relation.assumptions().to_vec();
    hypotheses.extend_from_slice(inside);
    let mut ways: Vec<Term> = relation.exits().iter().map(|exit| exit.condition).collect();
    ways.push(relation.continues());
    let some_way = questions.terms.any(&ways);
    questions.prove(Condition::CaseGoesOn(at), &hypotheses, some_way)?;
    hypotheses.push(relation.continues());
    let left = wide::compare(questions.terms, &counter.now, Comparison::Less, passes)?;
    questions.prove(Condition::CaseEnds(at), &hypotheses, left)
}

/// Whether passes and exits keep a part of the state as it is.
fn is_left_alone(relation: &Relation, quantity: &evidence::Quantity) -> bool {
    relation.position(quantity).is_some_and(|part| {
        let before = relation.before()[part];
        relation.after()[part] == before && relation.exits().iter().all(|exit| exit.state[part] == before)
    })
}
