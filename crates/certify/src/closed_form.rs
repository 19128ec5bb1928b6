//! Closed forms: the state after k passes along one path as a function f of the state S before the first of them.
//!
//! Proof rule (Proteus, sections 4.2 and 5.2), by induction on k, for every quantity that has a form:
//!
//! ```text
//! f(S, 0) = S
//! A(Y) ∧ Y = f(S, k) ∧ path(Y) ∧ continues(Y) ⇒ after(Y) = f(S, k + 1)      for all k (below the limit, if there is one)
//! ```
//!
//! The second line is tried in two ways. **As polynomials:** on machine integers the pass computes some polynomial P(Y)
//! modulo 2^w, and if P(f(S, k)) = f(S, k + 1) as polynomials, all that is left is that P(Y) does not leave the type,
//! which is a question about one pass without k. The paper leaves that out, and is wrong at the wrap.
//! **By the solver,** with S and k as unknowns, in bits that are wide enough; k needs a limit for that: the one of the
//! evidence, or that of a machine integer that moves by a constant with every pass.

use base::Budget;
use evidence::{ClosedForm, Comparison, Evidence, Integer, Moment};
use logic::{Solver, Term, Terms};

use crate::answer::{Certificate, Condition, Refusal};
use crate::body;
use crate::polynomial::{self, Polynomial, Unknown};
use crate::question::Questions;
use crate::relation::{Kind, Relation};
use crate::wide::{self, Number, Scope};

/// Nesting of a form that is read as a polynomial.
const DEEPEST: u32 = 100;

/// Checks that k passes along a path lead to the state that a closed form says.
///
/// # Errors
/// If that is not so, or not known.
pub fn check_closed_form(
    terms: &mut Terms,
    relation: &Relation,
    form: &ClosedForm,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    let mut questions = Questions { terms, relation, solver, budget };
    let forms = Forms::new(relation, form)?;
    let start = relation.another_state(questions.terms, "start");
    let head = Scope { entry: None, ..Scope::head(relation) };
    let path = questions.formula(&head, &form.path)?;
    let mut pass = relation.pass();
    pass.push(path);
    for at in 0..form.updates.len() {
        begins(&mut questions, &forms, at, &start)?;
        if !steps_as_polynomial(&mut questions, &forms, at, &pass)? {
            steps(&mut questions, &forms, at, &start, &pass)?;
        }
    }
    Ok(Certificate::new(relation.name(), Evidence::ClosedForm(form.clone())))
}

/// The closed forms, by their position in the evidence and in the state, and as polynomials where they are such.
struct Forms<'a> {
    evidence: &'a ClosedForm,
    parts: Vec<usize>,
    polynomials: Vec<Option<Polynomial>>,
}

impl<'a> Forms<'a> {
    fn new(relation: &Relation, evidence: &'a ClosedForm) -> Result<Self, Refusal> {
        let mut parts = Vec::new();
        for update in &evidence.updates {
            match relation.position(&update.quantity) {
                Some(part) if !parts.contains(&part) => parts.push(part),
                Some(_) => {
                    return Err(Refusal::unsupported(format!("two closed forms for {}", update.quantity)));
                }
                None => return Err(Refusal::unsupported(format!("{} is not in the state", update.quantity))),
            }
        }
        let position = |quantity: &evidence::Quantity| relation.position(quantity);
        let polynomials = evidence
            .updates
            .iter()
            .map(|update| polynomial::closed_form(&update.value, &position, DEEPEST))
            .collect();
        Ok(Self { evidence, parts, polynomials })
    }

    /// The polynomial for a part of the state.
    fn of_part(&self, part: usize) -> Option<&Polynomial> {
        let at = self.parts.iter().position(|listed| *listed == part)?;
        self.polynomials[at].as_ref()
    }

    fn value(
        &self,
        questions: &mut Questions<'_>,
        at: usize,
        start: &[Term],
        counter: &Number,
    ) -> Result<Number, Refusal> {
        let scope = Scope { now: None, ..Scope::head(questions.relation).with_entry(start) };
        wide::expression(
            questions.terms,
            &scope.with_counter(counter.clone()),
            &self.evidence.updates[at].value,
        )
    }

    fn held(&self, questions: &mut Questions<'_>, at: usize, state: &[Term]) -> Result<Number, Refusal> {
        let scope = Scope::head(questions.relation).with_now(state);
        wide::expression(questions.terms, &scope, &self.evidence.updates[at].quantity.at(Moment::Now))
    }
}

fn begins(
    questions: &mut Questions<'_>,
    forms: &Forms<'_>,
    at: usize,
    start: &[Term],
) -> Result<(), Refusal> {
    if let Some(polynomial) = &forms.polynomials[at]
        && let Some(first) = polynomial.at_zero()
        && first.equals(&Polynomial::unknown(Unknown::Part(forms.parts[at])))
    {
        return Ok(());
    }
    let zero = Number::constant(questions.terms, &Integer::ZERO)?;
    let first = forms.value(questions, at, start, &zero)?;
    let held = forms.held(questions, at, start)?;
    let same = wide::compare(questions.terms, &first, Comparison::Equal, &held)?;
    questions.prove(Condition::Begins(at + 1), &[], same)
}

/// Tries the second line as an identity of polynomials, and says whether it holds.
fn steps_as_polynomial(
    questions: &mut Questions<'_>,
    forms: &Forms<'_>,
    at: usize,
    pass: &[Term],
) -> Result<bool, Refusal> {
    let relation = questions.relation;
    let part = forms.parts[at];
    let kind = relation.state()[part].kind;
    let Some(form) = &forms.polynomials[at] else { return Ok(false) };
    let Some(mut body) = body::polynomial(questions, relation.after()[part], pass) else { return Ok(false) };
    if let Kind::Machine { width, .. } = kind {
        body = body.modulo_bits(width);
    }
    let after = body.substitute(|unknown| match unknown {
        Unknown::Part(part) => forms.of_part(*part).cloned(),
        _ => None,
    });
    let (Some(after), Some(next)) = (after, form.advanced()) else { return Ok(false) };
    if !after.equals(&next) {
        return Ok(false);
    }
    let Some((low, high)) = kind.range() else { return Ok(kind == Kind::Mathematical) };
    // The pass computes the polynomial modulo the type's size: it is that number if that number is of the type.
    let Some(body) = body.expression(|part| relation.state()[part].quantity.clone()) else {
        return Ok(false);
    };
    let number = wide::expression(questions.terms, &Scope::head(relation), &body)?;
    let (low, high) = (Number::constant(questions.terms, &low)?, Number::constant(questions.terms, &high)?);
    let above = wide::compare(questions.terms, &number, Comparison::GreaterEqual, &low)?;
    let below = wide::compare(questions.terms, &number, Comparison::LessEqual, &high)?;
    let fits = questions.terms.and(above, below);
    Ok(questions.counterexample(pass, fits) == Ok(None))
}

/// Asks the solver for the second line.
fn steps(
    questions: &mut Questions<'_>,
    forms: &Forms<'_>,
    at: usize,
    start: &[Term],
    pass: &[Term],
) -> Result<(), Refusal> {
    let relation = questions.relation;
    let mut hypotheses = pass.to_vec();
    let width = counter_width(relation, forms)?;
    let now = wide::fresh(questions.terms, "#passes", width);
    let (zero, one) = (
        Number::constant(questions.terms, &Integer::ZERO)?,
        Number::constant(questions.terms, &Integer::ONE)?,
    );
    hypotheses.push(wide::compare(questions.terms, &now, Comparison::GreaterEqual, &zero)?);
    if let Some(passes) = &forms.evidence.passes {
        let limit = Number::constant(questions.terms, passes)?;
        hypotheses.push(wide::compare(questions.terms, &now, Comparison::Less, &limit)?);
    }
    let next = wide::add(questions.terms, &now, &one)?;
    for other in 0..forms.parts.len() {
        let value = forms.value(questions, other, start, &now)?;
        let held = forms.held(questions, other, relation.before())?;
        hypotheses.push(wide::compare(questions.terms, &held, Comparison::Equal, &value)?);
    }
    let value = forms.value(questions, at, start, &next)?;
    let held = forms.held(questions, at, relation.after())?;
    let same = wide::compare(questions.terms, &held, Comparison::Equal, &value)?;
    questions.prove(Condition::Steps(at + 1), &hypotheses, same)
}

/// Bits that are enough for the counter while the closed forms hold; none if it is a number without limits.
fn counter_width(relation: &Relation, forms: &Forms<'_>) -> Result<Option<u32>, Refusal> {
    use dashu_int::ops::BitTest;
    if let Some(passes) = &forms.evidence.passes {
        let bits = u32::try_from(passes.bit_len()).unwrap_or(u32::MAX);
        if bits > wide::WIDEST {
            return Err(Refusal::unsupported(format!("a closed form for {passes} passes")));
        }
        return Ok(Some(bits.max(1)));
    }
    // A machine integer that moves by a constant that is not zero: after more passes than it has values, its form is
    // not one of them, and the state cannot be the one that the form says.
    let moving = forms.parts.iter().enumerate().filter(|(at, part)| {
        let steps = forms.polynomials[*at].as_ref().and_then(|polynomial| polynomial.as_steps(**part));
        steps.is_some_and(|factor| factor != Integer::ZERO)
    });
    let width = moving.filter_map(|(_, part)| match relation.state()[*part].kind {
        Kind::Machine { width, .. } => Some(width),
        _ => None,
    });
    match width.min() {
        Some(width) => Ok(Some(width)),
        None if relation.is_mathematical() => Ok(None),
        None => Err(Refusal::unsupported("a closed form whose number of passes has no limit")),
    }
}
