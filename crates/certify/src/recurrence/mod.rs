//! Why a run need not end: sets of states at a loop's head that iterations lead back into, from a state that a run
//! reached.
//!
//! Proof rule (beyond the papers; Gupta and others, *Proving non-termination*, POPL 2008, with closed sets and inputs
//! that are chosen by a function, as in Chen and others, TACAS 2014). X are the parts of the state that iterations
//! change, U is all that the encoding does not know, I the inputs that the environment of the program chooses, s the
//! reached state:
//!
//! ```text
//! G(s)
//! ∀ X, U:  G(X) ∧ I = choice(X)  ⇒  no obligation is violated, no path is left out,
//!                                   control comes back to the head, and G(X')
//! ```
//!
//! The encoding allows whatever the program can do, so that what holds for all U holds for what the program does; it
//! only refuses more than it must. What the environment chooses may be chosen as one likes: that a run exists is all
//! that is claimed. An overflow of signed numbers is either proved not to happen, or gives any number, so that the run
//! goes on whatever it gives. Other undefined behaviour, failing assertions, undefined functions and ends of the
//! program on the way are among what must not happen. Parts of the state that no iteration changes are what they are in
//! s ([`iteration`]). Loops inside are unwound iteration by iteration: that no more iterations are made than are
//! unwound is part of what is proved. That a run reaches s is for the interpreter to show.

pub mod iteration;
pub mod reached;
mod search;

use base::Budget;
use evidence::{Comparison, Expression, Formula, Held, Integer, RecurrentSet};
use logic::solver::Embedded;
use logic::substitute::Substitution;
use logic::{Solver, Sort, Term};
use program::interpret::Integers;
use program::{IntegerType, Program, Type};

pub use self::iteration::{Iteration, IterationMode, Part, encode};
pub use self::reached::Reached;
pub use self::search::Step;

use self::iteration::value_of;
use crate::answer::{Checked, Condition, RecurrenceCertificate, Refusal};
use crate::query::Queries;
use crate::relation::Kind;
use crate::wide::{self, Number};

/// Checks that a run that has reached a state can make iterations for ever within a set. If signed numbers may overflow
/// on the way, the set must be closed for integers without bounds as well: a loop that goes on only because its counter
/// cannot pass the limit of its type is none that everybody would call non-terminating.
///
/// # Errors
/// If that is not so, or not known.
pub fn check(
    program: &Program,
    reached: &Reached,
    mode: IterationMode,
    set: &Formula,
    choices: &[Expression],
    budget: &mut Budget,
) -> Checked<RecurrenceCertificate> {
    let mut closed = |mode: IterationMode| {
        let mut solver: Embedded = Embedded::new();
        encode(program, reached, mode, budget)?.is_closed(set, choices, &mut solver, budget)
    };
    let set = closed(mode)?;
    if mode.any_overflow {
        closed(IterationMode { integers: Integers::Mathematical, any_overflow: false, ..mode })?;
    }
    Ok(RecurrenceCertificate { set, mode })
}

impl Iteration<'_> {
    /// Whether a run that has reached the state can make iterations for ever, if overflows do what the mode says.
    /// Whoever wants a proof asks [`check`].
    ///
    /// # Errors
    /// If that is not so, or not known.
    pub fn is_closed(
        &mut self,
        set: &Formula,
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Checked<RecurrentSet> {
        let start = self.start();
        let asked = self.asked(choices)?;
        let (terms, relation) = (&mut self.encoder.terms, &self.relation);
        let reached = wide::formula(terms, relation, &start, set)?;
        let now = wide::formula(terms, relation, &self.now, set)?;
        let after = wide::formula(terms, relation, &asked.after, set)?;
        let mut goals = asked.goals;
        goals.push(after);
        let all = terms.all(&goals);
        let mut queries = Queries { terms, relation, solver, budget };
        queries.prove(Condition::StateInSet, &[], reached)?;
        queries.prove(Condition::Recurs, &[now], all)?;
        let held = self.parts.iter().filter(|part| part.changes);
        let state =
            held.map(|part| Held { quantity: part.component.quantity.clone(), number: part.start.clone() });
        Ok(RecurrentSet { set: set.clone(), choices: choices.to_vec(), state: state.collect() })
    }

    /// The reached state as constants.
    pub(super) fn start(&mut self) -> Vec<Term> {
        let terms = &mut self.encoder.terms;
        self.parts.iter().map(|part| terms.value(&value_of(part.component.kind, &part.start))).collect()
    }

    /// The iterations with inputs that are chosen.
    pub(super) fn asked(&mut self, choices: &[Expression]) -> Checked<Asked> {
        if choices.len() != self.inputs.len() {
            return Err(Refusal::unsupported("another number of choices than of inputs"));
        }
        let terms = &mut self.encoder.terms;
        let mut goals = Vec::new();
        let mut pairs = Vec::new();
        for (input, choice) in self.inputs.iter().zip(choices) {
            let encoding::Value::Scalar(symbol) = input.value else {
                return Err(Refusal::unsupported("an input that is not a number"));
            };
            let number = wide::expression(terms, &self.relation, &self.now, choice)?;
            let value = match terms.sort(symbol) {
                Sort::BitVector(width) => number.low_bits(terms, width),
                Sort::Integer => {
                    let Type::Integer(ty) = input.ty else {
                        return Err(Refusal::unsupported("an input that is not a number"));
                    };
                    for (comparison, limit) in limits(ty) {
                        let limit = Number::constant(terms, &limit)?;
                        goals.push(wide::compare(terms, &number, comparison, &limit)?);
                    }
                    number.integer(terms)
                }
                Sort::Bool => {
                    let zero = Number::constant(terms, &Integer::ZERO)?;
                    wide::compare(terms, &number, Comparison::Differ, &zero)?
                }
                Sort::Array(..) => return Err(Refusal::unsupported("an input that is not a number")),
            };
            pairs.push((symbol, value));
        }
        let mut choice = Substitution::new(pairs);
        goals.push(choice.apply(terms, self.relation.continues()));
        for danger in &self.dangers {
            let danger = choice.apply(terms, *danger);
            goals.push(terms.not(danger));
        }
        let after = self.relation.after().iter().map(|term| choice.apply(terms, *term)).collect();
        Ok(Asked { goals, after })
    }
}

/// Iterations with chosen inputs: what must hold for them to go well, and the state afterwards.
pub(super) struct Asked {
    pub goals: Vec<Term>,
    pub after: Vec<Term>,
}

/// The limits of an input where numbers have none: an `int` is any number and an `unsigned` one is not negative, but
/// those of small types are what they are.
fn limits(ty: IntegerType) -> Vec<(Comparison, Integer)> {
    let mut limits = Vec::new();
    if !ty.signed || ty.width < INT {
        limits.push((Comparison::GreaterEqual, Integer::from(ty.minimum())));
    }
    if ty.width < INT {
        limits.push((Comparison::LessEqual, Integer::from(ty.maximum())));
    }
    limits
}

/// How wide C's `int` is.
const INT: u8 = 32;

/// The kind of an input.
fn kind_of(ty: Type, integers: Integers) -> Kind {
    Kind::of(ty, integers).unwrap_or(Kind::Boolean)
}
