//! Passes that are counted.
//!
//! The number of passes has no limit, but bits have. In machine mode the counter has so many bits that a sensible
//! argument does not need more, and a claim that uses it must show that a run never gets to the last number: what is
//! proved for every counter below that is then proved for every counter. (Induction: where the claim's invariant holds
//! with the greatest counter, no pass is made, so no greater counter is ever reached.)

use evidence::{Comparison, Expression, Formula, Integer};
use logic::{Term, Terms};

use crate::answer::{Condition, Refusal};
use crate::question::Questions;
use crate::relation::Relation;
use crate::wide::{self, Number};

/// A counter at some state at the head.
pub(crate) struct Counter {
    /// Its number.
    pub now: Number,
    /// Its number after one pass more.
    pub next: Number,
    /// Its number at entry.
    pub zero: Number,
    /// The greatest number, if it has one.
    last: Option<Integer>,
}

impl Counter {
    pub fn new(terms: &mut Terms, relation: &Relation) -> Result<Self, Refusal> {
        // Enough for the product of two numbers of the state.
        let width = (!relation.is_mathematical()).then(|| 2 * relation.widest() + 2);
        let now = wide::fresh(terms, "#passes", width);
        let one = Number::constant(terms, &Integer::ONE)?;
        let next = wide::add(terms, &now, &one)?;
        let zero = Number::constant(terms, &Integer::ZERO)?;
        let last = width.map(|width| (Integer::ONE << width as usize) - Integer::ONE);
        Ok(Self { now, next, zero, last })
    }

    /// That it is not negative.
    pub fn is_natural(&self, terms: &mut Terms) -> Result<Term, Refusal> {
        wide::compare(terms, &self.now, Comparison::GreaterEqual, &self.zero)
    }

    /// Proves that it never passes its greatest number: under this invariant no pass is made with that. To be asked for
    /// whenever a claim speaks of the counter, even if its terms do not: the simplifier knows how many bits it has.
    pub fn prove_enough(&self, questions: &mut Questions<'_>, invariant: &[Term]) -> Result<(), Refusal> {
        let Some(last) = &self.last else { return Ok(()) };
        let last = Number::constant(questions.terms, last)?;
        let at_last = wide::compare(questions.terms, &self.now, Comparison::Equal, &last)?;
        let mut hypotheses = questions.relation.assumptions().to_vec();
        hypotheses.extend_from_slice(invariant);
        hypotheses.push(at_last);
        let stops = questions.terms.not(questions.relation.continues());
        questions.prove(Condition::Counted, &hypotheses, stops)
    }
}

/// Whether a formula speaks of the number of passes.
pub(crate) fn counts(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False => false,
        Formula::Compare { left, right, .. } => counts_in(left) || counts_in(right),
        Formula::Not(inner) => counts(inner),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(counts),
        Formula::Every { from, to, body, .. } => counts_in(from) || counts_in(to) || counts(body),
    }
}

fn counts_in(expression: &Expression) -> bool {
    match expression {
        Expression::Counter => true,
        Expression::Constant(_) | Expression::Quantity { .. } => false,
        Expression::Sum(parts)
        | Expression::Product(parts)
        | Expression::Minimum(parts)
        | Expression::Maximum(parts) => parts.iter().any(counts_in),
        Expression::Quotient { dividend: part, .. }
        | Expression::Remainder { dividend: part, .. }
        | Expression::Power { exponent: part, .. } => counts_in(part),
        Expression::Element(element) => counts_in(&element.index),
        Expression::Select { condition, then, otherwise } => {
            counts(condition) || counts_in(then) || counts_in(otherwise)
        }
    }
}
