//! Bounds over earlier values: those when the function was entered, or when an outer loop was.
//!
//! What a loop finds at entry is a term of the encoding. Read along a model it is a sum of unknowns; if each of these is a
//! quantity of the earlier state, the sum of the quantities is what the kernel is asked about. If an unknown is a number
//! that a loop has changed, its limit takes its place ([`super::growth`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Budget;
use certify::abstraction::{Abstraction, Effort, Named, Reference, Restated};
use encoding::State;
use evidence::expression::constant;
use evidence::{Aspect, Expression, Formula, Moment, Quantity, Restatement};
use logic::numbers::{Linear, Rational};
use logic::{Model, Term};
use program::Type;

use super::Found;
use super::growth::{self, Changed, Growths};
use crate::linear::{InEvidence, written};
use crate::ranking::implicant::Reader;

/// A guess is made of so many parameters.
const GUESSES: usize = 4;

/// Sums are followed through so many loops.
const DEEPEST: usize = 4;

/// What is known of the other loops of a function.
pub struct Others<'a> {
    /// Their bounds.
    pub found: &'a [Option<Rc<Found>>],
    /// What they do to numbers.
    pub growths: &'a mut Growths,
}

/// How a number is bounded that is no earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Manner {
    /// It is less than its limit: an iteration is still to come.
    strict: bool,
    /// What loops add is not negative.
    natural: bool,
    /// What has no limit is at most this parameter, and at least zero.
    guess: Option<usize>,
}

/// A bound restated over the values of a reference, if that can be shown.
pub fn restate(
    abstraction: &mut Abstraction<'_>,
    found: &Found,
    others: Others<'_>,
    reference: Reference,
    effort: Effort,
    budget: &mut Budget,
) -> Option<Restated> {
    let abstract_loop = found.bounded.abstract_loop();
    let none = Model::default();
    let mut earlier = Earlier {
        abstract_loop,
        entry: abstraction.abstract_loops()[abstract_loop].entries.first()?.clone(),
        known: quantities(abstraction, abstract_loop, reference),
        model: found.model.as_ref().unwrap_or(&none),
        changed: BTreeMap::new(),
        parameters: parameters(abstraction, abstract_loop),
        others,
        effort,
        abstraction,
    };
    if let Some(restatement) = restatement(found, &mut |number| earlier.rewritten(number)) {
        return earlier.abstraction.restate(&found.bounded, &restatement, reference, effort, budget);
    }
    let loops = growth::before(earlier.abstraction, abstract_loop);
    earlier.changed = growth::changed(earlier.abstraction, &loops);
    let mut tried = Vec::new();
    for manner in manners() {
        let limited = restatement(found, &mut |number| {
            earlier.rewritten(number).or_else(|| earlier.limited(number, manner, budget))
        });
        let Some(restatement) = limited.filter(|one| !tried.contains(one)) else { continue };
        let abstraction = &mut *earlier.abstraction;
        if let Some(restated) = abstraction.restate(&found.bounded, &restatement, reference, effort, budget) {
            return Some(restated);
        }
        tried.push(restatement);
    }
    None
}

fn manners() -> impl Iterator<Item = Manner> {
    let limits = [false, true]
        .into_iter()
        .flat_map(|natural| [true, false].map(|strict| Manner { strict, natural, guess: None }));
    let guesses = (0..GUESSES)
        .flat_map(|place| [true, false].map(|strict| Manner { strict, natural: false, guess: Some(place) }));
    limits.chain(guesses)
}

fn restatement(
    found: &Found,
    other: &mut dyn FnMut(&Expression) -> Option<Expression>,
) -> Option<Restatement> {
    let mut restatement = Restatement { potentials: Vec::new(), raises: Vec::new() };
    for spent in &found.bounded.evidence().components {
        restatement.potentials.push(other(&spent.rank)?);
        let raises = spent.raised.iter().map(|raise| other(&raise.most));
        restatement.raises.push(raises.collect::<Option<_>>()?);
    }
    Some(restatement)
}

/// The numbers that a function is given, when it is entered.
fn parameters(abstraction: &mut Abstraction<'_>, abstract_loop: usize) -> Vec<Expression> {
    let function = abstraction.abstract_loops()[abstract_loop].function;
    let (program, names) = (abstraction.program(), abstraction.names(function));
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let is_parameter = |named: &Named| {
        matches!(named, Named::Variable(variable)
        if body.parameters.contains(variable) && matches!(program.variable(body, *variable).ty, Type::Integer(_)))
    };
    let given = names.iter().filter(|(_, named)| is_parameter(named));
    given.map(|(name, _)| Quantity::value(name.clone()).at(Moment::Start)).collect()
}

/// The quantities of the earlier state by their terms.
fn quantities(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    reference: Reference,
) -> BTreeMap<Term, Expression> {
    let program = abstraction.program();
    let function = abstraction.abstract_loops()[abstract_loop].function;
    let (state, moment, of): (Option<State>, Moment, usize) = match reference {
        Reference::Start => {
            (abstraction.encoder().start.clone().map(|(_, state)| state), Moment::Start, abstract_loop)
        }
        Reference::Entry(outer) => {
            (abstraction.abstract_loops()[outer].entries.first().cloned(), Moment::Entry, outer)
        }
    };
    let (Some(state), Some(body)) = (state, program.functions[function].body()) else {
        return BTreeMap::new();
    };
    let names = abstraction.names(function);
    let mut found = BTreeMap::new();
    for (name, named) in names.iter() {
        let Named::Variable(variable) = *named else { continue };
        let aspect = match program.variable(body, variable).ty {
            Type::Integer(_) | Type::Bool => Aspect::Value,
            Type::Pointer => Aspect::Offset,
            Type::Float(_) => continue,
        };
        let now = Quantity { variable: name.clone(), aspect }.at(Moment::Now);
        if let Some(term) = abstraction.number(of, &now, &state) {
            let expression = now.with_moments(&|_| Some(moment)).unwrap_or(now);
            found.entry(term).or_insert(expression);
        }
    }
    found
}

/// What is known of the earlier state, and an iteration along which terms are read.
struct Earlier<'a, 'p> {
    abstraction: &'a mut Abstraction<'p>,
    abstract_loop: usize,
    entry: State,
    known: BTreeMap<Term, Expression>,
    model: &'a Model,
    /// The numbers that loops before and around change.
    changed: BTreeMap<Term, Changed>,
    parameters: Vec<Expression>,
    others: Others<'a>,
    effort: Effort,
}

/// A sum of unknowns, and what is known of these.
struct Read {
    sum: Linear<Term>,
    /// Earlier quantities.
    earlier: BTreeMap<Term, Expression>,
    /// Numbers that loops change.
    changed: BTreeMap<Term, Changed>,
}

impl Earlier<'_, '_> {
    /// A number of the state at entry in terms of earlier quantities.
    fn rewritten(&mut self, number: &Expression) -> Option<Expression> {
        let mut all =
            |parts: &[Expression]| parts.iter().map(|part| self.rewritten(part)).collect::<Option<_>>();
        Some(match number {
            Expression::Constant(_) => number.clone(),
            Expression::Maximum(parts) => Expression::Maximum(all(parts)?),
            Expression::Minimum(parts) => Expression::Minimum(all(parts)?),
            Expression::Select { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                Expression::select(condition, self.rewritten(then)?, self.rewritten(otherwise)?)
            }
            Expression::Remainder { dividend, divisor } => {
                self.rewritten(dividend)?.remainder(divisor.clone())
            }
            other => self.sum(other)?,
        })
    }

    fn condition(&mut self, formula: &Formula) -> Option<Formula> {
        Some(match formula {
            Formula::Compare { left, comparison, right } => {
                self.rewritten(left)?.compare(*comparison, self.rewritten(right)?)
            }
            Formula::All(parts) => {
                Formula::All(parts.iter().map(|part| self.condition(part)).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// A sum of quantities as one of earlier ones: what cancels need not have been there.
    fn sum(&mut self, number: &Expression) -> Option<Expression> {
        let entry = self.entry.clone();
        let read = self.read(self.abstract_loop, number, &entry)?;
        let mut result = Vec::new();
        for (unknown, coefficient) in read.sum.terms() {
            result.push((read.earlier.get(unknown)?.clone(), coefficient.clone()));
        }
        Self::whole(result, &read.sum)
    }

    fn whole(terms: Vec<(Expression, Rational)>, sum: &Linear<Term>) -> Option<Expression> {
        let is_whole =
            sum.constant_part().is_integer() && terms.iter().all(|(_, factor)| factor.is_integer());
        is_whole.then(|| written(terms, sum.constant_part()))
    }

    /// A sum of quantities of a state, along the model.
    fn read(&mut self, abstract_loop: usize, number: &Expression, state: &State) -> Option<Read> {
        let parts: Linear<Expression> = InEvidence::parse(number)?;
        let mut terms = Vec::new();
        for (part, factor) in parts.terms() {
            terms.push((self.abstraction.number(abstract_loop, part, state)?, factor.clone()));
        }
        let mut reader = Reader::new(&self.abstraction.encoder().terms, self.model);
        let earlier = unknowns(&mut reader, &self.known);
        let changed = unknowns(&mut reader, &self.changed);
        let mut sum = Linear::constant(parts.constant_part().clone());
        for (term, factor) in terms {
            let number = reader.number(term, true);
            sum = sum.plus_scaled(&factor, &number);
        }
        Some(Read { sum, earlier, changed })
    }

    /// What a number at the loop's entry may not exceed, in earlier quantities: a guess.
    fn limited(&mut self, number: &Expression, manner: Manner, budget: &mut Budget) -> Option<Expression> {
        let entry = self.entry.clone();
        self.limit(self.abstract_loop, number, &entry, manner, DEEPEST, budget)
    }

    fn limit(
        &mut self,
        abstract_loop: usize,
        number: &Expression,
        state: &State,
        manner: Manner,
        depth: usize,
        budget: &mut Budget,
    ) -> Option<Expression> {
        let read = self.read(abstract_loop, number, state)?;
        let (mut terms, mut guessed) = (Vec::new(), false);
        for (unknown, coefficient) in read.sum.terms() {
            if let Some(earlier) = read.earlier.get(unknown) {
                terms.push((earlier.clone(), coefficient.clone()));
                continue;
            }
            let upwards = coefficient.is_positive();
            let size = if upwards { coefficient.clone() } else { -coefficient };
            match read.changed.get(unknown) {
                Some(changed) => {
                    let limit = self.limit_of(changed, upwards, manner, depth.checked_sub(1)?, budget)?;
                    terms.push((limit, size));
                }
                None => {
                    let most = self.parameters.get(manner.guess.filter(|_| !guessed)?)?.clone();
                    guessed = true;
                    let most = if manner.strict { most + -1 } else { most };
                    terms.extend(upwards.then_some((most, size)));
                }
            }
        }
        Self::whole(terms, &read.sum)
    }

    /// What a number that a loop changes, or its opposite, may not exceed.
    fn limit_of(
        &mut self,
        changed: &Changed,
        upwards: bool,
        manner: Manner,
        depth: usize,
        budget: &mut Budget,
    ) -> Option<Expression> {
        let place = changed.abstract_loop;
        let found = self.others.found.iter().flatten().find(|one| one.bounded.abstract_loop() == place);
        let abstraction = &mut *self.abstraction;
        let limit = self.others.growths.limit(
            abstraction,
            changed,
            upwards,
            found.map(Rc::as_ref),
            self.effort,
            budget,
        );
        let (first, rest, step) = limit?;
        let entry = self.abstraction.abstract_loops()[place].entries.first()?.clone();
        let mut of = |number: &Expression| self.limit(place, number, &entry, manner, depth, budget);
        let limit = match manner.natural {
            true => of(&first)? + Expression::Maximum(vec![of(&rest)?, constant(0)]),
            false => of(&(first + rest))?,
        };
        Some(if manner.strict { limit + -Expression::Constant(step) } else { limit })
    }
}

/// What is known of unknowns: of those terms that are nothing else.
fn unknowns<T: Clone>(reader: &mut Reader<'_>, known: &BTreeMap<Term, T>) -> BTreeMap<Term, T> {
    let mut unknowns = BTreeMap::new();
    for (&term, known) in known {
        let alone = reader.number(term, true);
        if let [(unknown, _)] = alone.terms()
            && alone == Linear::variable(*unknown)
        {
            unknowns.entry(*unknown).or_insert_with(|| known.clone());
        }
    }
    unknowns
}
