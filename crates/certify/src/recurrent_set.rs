//! Recurrent sets: why a loop need not be left.
//!
//! Proof rule (beyond the papers; Gupta and others, *Proving non-termination*, with inputs chosen by a function):
//!
//! ```text
//! G(s) for a state s that a run has reached
//! A(X) ∧ G(X) ∧ inputs = choice(X) ⇒ continues(X, inputs) ∧ G(after(X, inputs))
//! ```
//!
//! What is assumed of inputs must hold of the choice, and is proved, not used. That a run reaches s is for the
//! interpreter to show. A relation with more passes than the program has shows nothing, and is refused.

use base::Budget;
use evidence::{Comparison, Evidence, Integer, RecurrentSet};
use logic::substitute::Substitution;
use logic::{BitVector, Solver, Sort, Term, Terms, Value};

use crate::answer::{Certificate, Condition, Refusal};
use crate::question::Questions;
use crate::relation::{Kind, Relation};
use crate::wide::{self, Number, Scope};

/// Checks that a run that has reached the state of the evidence can make passes for ever.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_recurrent_set(
    terms: &mut Terms,
    relation: &Relation,
    recurrent: &RecurrentSet,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    if !relation.is_exact() {
        return Err(Refusal::unsupported("the relation may have passes that the program does not have"));
    }
    if recurrent.choices.len() != relation.inputs().len() {
        return Err(Refusal::unsupported("another number of choices than of inputs"));
    }
    let mut questions = Questions { terms, relation, solver, budget };
    let head = Scope { entry: None, ..Scope::head(relation) };

    let state = reached_state(questions.terms, relation, recurrent)?;
    let reached = questions.formula(&head.with_now(&state), &recurrent.set)?;
    questions.prove(Condition::StateInSet, &[], reached)?;

    let mut choice = chosen(questions.terms, &head, recurrent)?;
    let after: Vec<Term> = relation.after().iter().map(|term| choice.apply(questions.terms, *term)).collect();
    let mut goals = vec![
        choice.apply(questions.terms, relation.continues()),
        questions.formula(&head.with_now(&after), &recurrent.set)?,
    ];
    let mut hypotheses = vec![questions.formula(&head, &recurrent.set)?];
    for assumption in relation.assumptions() {
        let of_choice = choice.apply(questions.terms, *assumption);
        let speaks = relation.speaks_of_inputs(questions.terms, *assumption);
        if speaks { goals.push(of_choice) } else { hypotheses.push(of_choice) }
    }
    let all = questions.terms.all(&goals);
    questions.prove(Condition::Recurs, &hypotheses, all)?;
    Ok(Certificate::new(relation.name(), Evidence::RecurrentSet(recurrent.clone())))
}

/// The state of the evidence as constants. What is not a number is left open: any value must do.
fn reached_state(
    terms: &mut Terms,
    relation: &Relation,
    recurrent: &RecurrentSet,
) -> Result<Vec<Term>, Refusal> {
    let mut state = Vec::new();
    for (at, component) in relation.state().iter().enumerate() {
        let held = recurrent.state.iter().find(|held| held.quantity == component.quantity);
        let number = held.map(|held| &held.number);
        if let (Some(number), Some((low, high))) = (number, component.kind.range())
            && !(low <= *number && *number <= high)
        {
            return Err(Refusal::unsupported(format!("{} = {number} is no state", component.quantity)));
        }
        state.push(match (component.kind, number) {
            (Kind::Opaque(_), _) => relation.before()[at],
            (_, None) => {
                let what = format!("the reached state does not say what {} is", component.quantity);
                return Err(Refusal::unsupported(what));
            }
            (Kind::Machine { width, .. }, Some(number)) => {
                terms.value(&Value::BitVector(BitVector::wrapping(width, number)))
            }
            (Kind::Mathematical, Some(number)) => terms.integer(number.clone()),
            (Kind::Boolean, Some(number)) => terms.bool(*number == Integer::ONE),
        });
    }
    Ok(state)
}

/// The exchange of the inputs for what is chosen for them.
fn chosen(terms: &mut Terms, head: &Scope<'_>, recurrent: &RecurrentSet) -> Result<Substitution, Refusal> {
    let mut pairs = Vec::new();
    for (input, choice) in head.relation.inputs().iter().zip(&recurrent.choices) {
        let number = wide::expression(terms, head, choice)?;
        let value = match terms.sort(*input) {
            Sort::BitVector(width) => number.low_bits(terms, width),
            Sort::Integer => number.integer(terms),
            Sort::Bool => {
                let zero = Number::constant(terms, &Integer::ZERO)?;
                wide::compare(terms, &number, Comparison::Differ, &zero)?
            }
            Sort::Array(..) => return Err(Refusal::unsupported("an input that is not a number")),
        };
        pairs.push((*input, value));
    }
    Ok(Substitution::new(pairs))
}
