//! Why a run need not end: sets of states at a loop's head that passes lead back into, from a state that a run reached.
//!
//! Proof rule (beyond the papers; Gupta and others, *Proving non-termination*, POPL 2008, with closed sets and inputs that
//! are chosen by a function, as in Chen and others, TACAS 2014). X are the parts of the state that passes change, U is
//! all that the encoding does not know, I the inputs that the environment of the program chooses, s the reached state:
//!
//! ```text
//! G(s)
//! ∀ X, U:  G(X) ∧ I = choice(X)  ⇒  no obligation is violated, no path is left out,
//!                                   control comes back to the head, and G(X')
//! ```
//!
//! The encoding allows whatever the program can do, so that what holds for all U holds for what the program does; it
//! only refuses more than it must. What the environment chooses may be chosen as one likes: that a run exists is all
//! that is claimed. An overflow of signed numbers is either proved not to happen, or gives any number, so that the run goes
//! on whatever it gives. Other undefined behaviour, failing assertions, functions that nobody defines and ends of the program on
//! the way are among what must not happen. Parts of the state that no pass changes are what they are in s ([`pass`]).
//! Loops inside are followed pass by pass: that no more passes are made than are followed is part of what is proved.
//! That a run reaches s is for the interpreter to show.

pub mod pass;
pub mod reached;

use base::Budget;
use evidence::{Comparison, Expression, Formula, Held, Integer, RecurrentSet};
use logic::evaluate::Evaluation;
use logic::solver::Embedded;
use logic::substitute::Substitution;
use logic::{Model, Solver, Sort, Term, Terms, Value};
use program::interpret::Integers;
use program::{IntegerType, Program, Type};

pub use self::pass::{Manner, Part, Pass, encode};
pub use self::reached::Reached;

use self::pass::number_term;
use crate::answer::{Condition, Refusal};
use crate::question::Questions;
use crate::relation::{Kind, Relation};
use crate::wide::{self, Number, Scope};

/// A proof that a run which has reached a state can go on for ever. Only the kernel makes one.
#[derive(Clone, PartialEq, Debug)]
pub struct RecurrenceCertificate {
    set: RecurrentSet,
    manner: Manner,
}

impl RecurrenceCertificate {
    /// The set that the run need not leave.
    pub const fn set(&self) -> &RecurrentSet {
        &self.set
    }

    /// How passes were examined.
    pub const fn manner(&self) -> &Manner {
        &self.manner
    }
}

/// Checks that a run that has reached a state can make passes for ever within a set. If signed numbers may overflow on the
/// way, the set must be closed for integers without bounds as well: a loop that goes on only because its counter cannot
/// pass the limit of its type is none that everybody would call non-terminating.
///
/// # Errors
/// If that is not so, or not known.
pub fn check(
    program: &Program,
    reached: &Reached,
    manner: Manner,
    set: &Formula,
    choices: &[Expression],
    budget: &mut Budget,
) -> Result<RecurrenceCertificate, Refusal> {
    let mut closed = |manner: Manner| {
        let mut solver: Embedded = Embedded::new();
        encode(program, reached, manner, budget)?.is_closed(set, choices, &mut solver, budget)
    };
    let set = closed(manner)?;
    if manner.any_overflow {
        closed(Manner { integers: Integers::Mathematical, any_overflow: false, ..manner })?;
    }
    Ok(RecurrenceCertificate { set, manner })
}

/// What a pass does to a state of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The parts of the state afterwards.
    pub after: Vec<Integer>,
    /// What the inputs were that were asked for, in order: each by its place among those that are chosen.
    pub inputs: Vec<(usize, Integer)>,
}

impl Pass<'_> {
    /// The parts of the state that are numbers.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The inputs that the environment chooses: who asks, and for which type.
    pub fn inputs(&self) -> Vec<(String, Type)> {
        self.inputs.iter().map(|input| (input.name.clone(), input.ty)).collect()
    }

    /// The terms of the encoding, to look at.
    pub fn terms(&self) -> &Terms {
        &self.encoder.terms
    }

    /// The passes: the state before, when they are made, and the state afterwards.
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// What must not happen on the way.
    pub fn dangers(&self) -> &[Term] {
        &self.dangers
    }

    /// Whether a loop inside may make more passes than are followed.
    pub fn is_cut(&self) -> bool {
        self.encoder.findings.loose.iter().any(|end| end.reason == encoding::LooseEnd::Loop)
    }

    /// What the passes do to a state with these inputs, if they go well. What is not known is taken to be zero.
    pub fn step(&self, state: &[Integer], inputs: &[Integer]) -> Option<Step> {
        let terms = &self.encoder.terms;
        let mut model = Model::new();
        for ((part, number), symbol) in self.parts.iter().zip(state).zip(self.relation.before()) {
            if let Some(symbol) = terms.as_symbol(*symbol) {
                model.set(symbol, value_of(part.component.kind, number));
            }
        }
        for (input, number) in self.inputs.iter().zip(inputs) {
            if let encoding::Value::Scalar(term) = input.value
                && let Some(symbol) = terms.as_symbol(term)
            {
                model.set(symbol, value_of(kind_of(input.ty, self.integers), number));
            }
        }
        let mut values = Evaluation::new(terms, &model);
        if !values.is_true(self.relation.continues())
            || self.dangers.iter().any(|danger| values.is_true(*danger))
        {
            return None;
        }
        let mut after = Vec::with_capacity(self.parts.len());
        for (part, term) in self.parts.iter().zip(self.relation.after()) {
            after.push(number_in(part.component.kind, values.value(*term)));
        }
        let mut asked = Vec::new();
        for (place, input) in self.inputs.iter().enumerate() {
            if values.is_true(input.asked)
                && let encoding::Value::Scalar(term) = input.value
            {
                asked.push((place, number_in(kind_of(input.ty, self.integers), values.value(term))));
            }
        }
        Some(Step { after, inputs: asked })
    }

    /// Whether a run that has reached the state can make passes for ever, if overflows do what the mode says. Whoever wants a
    /// proof asks [`check`].
    ///
    /// # Errors
    /// If that is not so, or not known.
    pub fn is_closed(
        &mut self,
        set: &Formula,
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Result<RecurrentSet, Refusal> {
        let start = self.start();
        let asked = self.asked(choices)?;
        let terms = &mut self.encoder.terms;
        let relation = &self.relation;
        let head = Scope { entry: None, ..Scope::head(relation) };
        let reached = wide::formula(terms, &head.with_now(&start), set)?;
        let now = wide::formula(terms, &head.with_now(&self.now), set)?;
        let after = wide::formula(terms, &head.with_now(&asked.after), set)?;
        let mut goals = asked.goals;
        goals.push(after);
        let all = terms.all(&goals);
        let mut questions = Questions { terms, relation, solver, budget };
        questions.prove(Condition::StateInSet, &[], reached)?;
        questions.prove(Condition::Recurs, &[now], all)?;
        let held = self.parts.iter().filter(|part| part.changes);
        let state =
            held.map(|part| Held { quantity: part.component.quantity.clone(), number: part.start.clone() });
        Ok(RecurrentSet { set: set.clone(), choices: choices.to_vec(), state: state.collect() })
    }

    /// Which candidates hold in the reached state and are kept together by passes that go well, if the inputs are chosen
    /// so: Houdini, as in [`crate::leaps`]. Of their conjunction it is not known that passes go well.
    pub fn kept(
        &mut self,
        candidates: &[Formula],
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Vec<bool> {
        let mut kept = vec![false; candidates.len()];
        let Ok(asked) = self.asked(choices) else { return kept };
        let start = self.start();
        let terms = &mut self.encoder.terms;
        let relation = &self.relation;
        let head = Scope { entry: None, ..Scope::head(relation) };
        let mut left: Vec<(usize, Term, Term)> = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let mut read = |state: &[Term]| wide::formula(terms, &head.with_now(state), candidate).ok();
            if let (Some(reached), Some(now), Some(after)) =
                (read(&start), read(&self.now), read(&asked.after))
                && terms.is_true(reached)
            {
                left.push((place, now, after));
            }
        }
        let mut questions = Questions { terms, relation, solver, budget };
        while !left.is_empty() {
            let mut hypotheses = asked.goals.clone();
            hypotheses.extend(left.iter().map(|(_, now, _)| *now));
            let goals: Vec<Term> = left.iter().map(|(_, _, after)| *after).collect();
            let every = questions.terms.all(&goals);
            let before = left.len();
            match questions.counterexample(&hypotheses, every) {
                Ok(None) => break,
                Ok(Some(model)) => {
                    let mut values = Evaluation::new(questions.terms, &model);
                    left.retain(|(_, _, after)| values.is_true(*after));
                }
                Err(_) => {
                    left.retain(|(_, _, after)| questions.counterexample(&hypotheses, *after) == Ok(None));
                }
            }
            if left.len() == before {
                break;
            }
        }
        for (place, ..) in left {
            kept[place] = true;
        }
        kept
    }

    /// A state of a set from which a pass does not go well or leads out of it, if one is found.
    pub fn leak(
        &mut self,
        set: &Formula,
        choices: &[Expression],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Option<Vec<Integer>> {
        let asked = self.asked(choices).ok()?;
        let terms = &mut self.encoder.terms;
        let head = Scope { entry: None, ..Scope::head(&self.relation) };
        let now = wide::formula(terms, &head.with_now(&self.now), set).ok()?;
        let after = wide::formula(terms, &head.with_now(&asked.after), set).ok()?;
        let mut goals = asked.goals;
        goals.push(after);
        let all = terms.all(&goals);
        let mut questions = Questions { terms, relation: &self.relation, solver, budget };
        let model = questions.counterexample(&[now], all).ok()??;
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let parts = self.parts.iter().zip(&self.now);
        Some(parts.map(|(part, term)| number_in(part.component.kind, values.value(*term))).collect())
    }

    /// Numbers for the inputs with which so many periods go well from the reached state, each with the same ones, and other
    /// ones than those that are listed: for guesses, since nothing says that what is not known is as it is taken to be.
    pub fn inputs_for(
        &mut self,
        periods: u32,
        others: &[Vec<Integer>],
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Option<Vec<Integer>> {
        let mut state = self.start();
        let terms = &mut self.encoder.terms;
        let mut goals = Vec::new();
        for _ in 0..periods {
            let mut there = Substitution::new(self.relation.before().iter().copied().zip(state));
            goals.push(there.apply(terms, self.relation.continues()));
            for danger in &self.dangers {
                let danger = there.apply(terms, *danger);
                goals.push(terms.not(danger));
            }
            state = self.relation.after().iter().map(|term| there.apply(terms, *term)).collect();
        }
        for other in others {
            let mut same = Vec::new();
            for (input, number) in self.inputs.iter().zip(other) {
                // Where inputs decide on the way, other ways are wanted.
                if let encoding::Value::Scalar(symbol) = input.value
                    && (input.ty == Type::Bool || self.inputs.iter().all(|input| input.ty != Type::Bool))
                {
                    let known = number_term(terms, kind_of(input.ty, self.integers), number);
                    let equal = terms.equal(symbol, known);
                    same.push(equal);
                }
            }
            let all = terms.all(&same);
            goals.push(terms.not(all));
        }
        let all = terms.all(&goals);
        let not = terms.not(all);
        let mut questions = Questions { terms, relation: &self.relation, solver, budget };
        let model = questions.counterexample(&[], not).ok()??;
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        let number = |input: &encoding::Input| match input.value {
            encoding::Value::Scalar(term) => number_in(kind_of(input.ty, self.integers), values.value(term)),
            _ => Integer::ZERO,
        };
        Some(self.inputs.iter().map(number).collect())
    }

    /// The symbols of the inputs that the environment chooses.
    pub fn input_symbols(&self) -> Vec<Term> {
        let symbol = |input: &encoding::Input| match input.value {
            encoding::Value::Scalar(term) => Some(term),
            _ => None,
        };
        self.inputs.iter().filter_map(symbol).collect()
    }

    /// The reached state as constants.
    fn start(&mut self) -> Vec<Term> {
        let terms = &mut self.encoder.terms;
        self.parts.iter().map(|part| number_term(terms, part.component.kind, &part.start)).collect()
    }

    /// The passes with inputs that are chosen.
    fn asked(&mut self, choices: &[Expression]) -> Result<Asked, Refusal> {
        if choices.len() != self.inputs.len() {
            return Err(Refusal::unsupported("another number of choices than of inputs"));
        }
        let terms = &mut self.encoder.terms;
        let head = Scope { entry: None, ..Scope::head(&self.relation) };
        let head = head.with_now(&self.now);
        let mut goals = Vec::new();
        let mut pairs = Vec::new();
        for (input, choice) in self.inputs.iter().zip(choices) {
            let encoding::Value::Scalar(symbol) = input.value else {
                return Err(Refusal::unsupported("an input that is not a number"));
            };
            let number = wide::expression(terms, &head, choice)?;
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

/// Passes with chosen inputs: what must hold for them to go well, and the state afterwards.
struct Asked {
    goals: Vec<Term>,
    after: Vec<Term>,
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
    match ty {
        Type::Integer(_) if integers == Integers::Mathematical => Kind::Mathematical,
        Type::Integer(ty) => Kind::Machine { width: ty.width.into(), signed: ty.signed },
        _ => Kind::Boolean,
    }
}

fn value_of(kind: Kind, number: &Integer) -> Value {
    match kind {
        Kind::Machine { width, .. } => Value::BitVector(logic::BitVector::wrapping(width, number)),
        Kind::Boolean => Value::Bool(*number != Integer::ZERO),
        Kind::Mathematical | Kind::Opaque(_) => Value::Integer(number.clone()),
    }
}

fn number_in(kind: Kind, value: &Value) -> Integer {
    match (kind, value) {
        (Kind::Machine { signed: false, .. }, Value::BitVector(bits)) => bits.unsigned().into(),
        (_, Value::BitVector(bits)) => bits.signed(),
        (_, Value::Integer(number)) => number.clone(),
        (_, Value::Bool(truth)) => Integer::from(i32::from(*truth)),
        (_, Value::Array(_)) => Integer::ZERO,
    }
}
