//! Ranking functions for loops that are abstracted.
//!
//! ```text
//! guess ─► kernel ─┬─► accepted
//!   ▲              └─► an iteration that contradicts it ─► its linear part (implicant) ─► a rank for all parts so far (synthesis)
//!   └──────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Each round adds a path of the loop's body on which the last guess fails, so that there are about as many rounds as
//! paths that matter (Gonnord, Monniaux and Radanne, PLDI 2015, take vertices in the place of paths). Invariants that
//! were accepted for the loop support the ranks.

pub mod floats;
pub mod implicant;
pub(crate) mod limits;
pub(crate) mod measured;
pub mod synthesis;
pub mod templates;

use base::Budget;
use certify::Candidate;
use certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use evidence::expression::constant;
use evidence::{Formula, Ranking, Termination};
use logic::numbers::Rational;
use logic::{Model, Term};

use self::implicant::Reader;
use self::measured::{Measured, with_places};
use self::synthesis::{Ranks, Step, Sum, synthesise};

/// How many paths are examined.
const PATHS: usize = 40;

/// A loop for which something is looked for.
pub struct Target<'a, 'p> {
    /// Where the loop is abstracted.
    pub abstraction: &'a mut Abstraction<'p>,
    /// The loop, by its place.
    pub abstract_loop: usize,
    /// What a query of the kernel may cost.
    pub effort: Effort,
}

impl Target<'_, '_> {
    /// Has the kernel check an argument why the loop is left.
    fn ends(&mut self, argument: &Termination, budget: &mut Budget) -> ArgumentCheck {
        self.abstraction.ends(self.abstract_loop, argument, self.effort, budget)
    }

    /// Offers invariants of the loop to the kernel. Gives whether it took any.
    pub(crate) fn offer(&mut self, formulas: Vec<Formula>, budget: &mut Budget) -> bool {
        let abstract_loop = self.abstract_loop;
        let nest = self.abstraction.nests().into_iter().find(|nest| nest.contains(&abstract_loop));
        let Some(nest) = nest.filter(|_| !formulas.is_empty()) else { return false };
        let candidates = formulas.into_iter().map(|formula| Candidate { abstract_loop, formula });
        let candidates: Vec<Candidate> = candidates.collect();
        self.abstraction.accept(&nest, &candidates, self.effort, budget).contains(&true)
    }
}

/// Looks for a ranking function of a loop, and has the kernel accept it. Gives whether that was done. For people, a plain
/// rank is preferred: one that does not rest on the limits of types.
pub fn rank(target: &mut Target<'_, '_>, plain: bool, budget: &mut Budget) -> bool {
    if target.abstraction.is_argued(target.abstract_loop) {
        return true;
    }
    // What is measured first takes long in a large function.
    if budget.spend(0).is_err() {
        return false;
    }
    let Some((measured, steps)) = search(target, budget) else { return false };
    if plain {
        limits::plainer(target, &measured, &steps, budget);
    }
    true
}

/// The iterations by which a ranking function was found that the kernel has accepted.
fn search(target: &mut Target<'_, '_>, budget: &mut Budget) -> Option<(Vec<Measured>, Vec<Step<Term>>)> {
    let measured = with_places(target);
    let mut steps: Vec<Step<Term>> = Vec::new();
    let mut guess = Termination::Ranking(Ranking::Linear(constant(0)));
    for _ in 0..PATHS {
        match target.ends(&guess, budget) {
            ArgumentCheck::Left => return Some((measured, steps)),
            ArgumentCheck::Iteration(model) => {
                let step = read(target, &measured, &model);
                if steps.contains(&step) {
                    return None;
                }
                steps.push(step);
            }
            ArgumentCheck::NotKnown(_) | ArgumentCheck::Refused(_) => return None,
        }
        let splits = splits(&steps, measured.len());
        let ranks = synthesise(&steps, &splits, budget)?;
        guess = Termination::Ranking(ranking(&ranks, &measured)?);
    }
    None
}

/// The linear part of an iteration around a model.
pub(crate) fn read(target: &mut Target<'_, '_>, measured: &[Measured], model: &Model) -> Step<Term> {
    let abstraction = &mut *target.abstraction;
    let mut conditions = abstraction.iteration(target.abstract_loop);
    conditions.extend(abstraction.context_of(target.abstract_loop, &conditions));
    let known = abstraction.known_about(&conditions);
    let mut reader = Reader::new(&abstraction.encoder().terms, model);
    let before: Vec<_> = measured.iter().map(|one| reader.number(one.before, true)).collect();
    let after: Vec<_> = measured.iter().map(|one| reader.number(one.after, true)).collect();
    conditions.extend(known);
    for condition in conditions {
        // A model of a part of an iteration need not fit the rest.
        if reader.is_true(condition) {
            reader.condition(condition);
        }
    }
    Step { constraints: reader.into_constraints(), before, after }
}

/// Ranks in the words of evidence.
fn ranking(ranks: &Ranks, measured: &[Measured]) -> Option<Ranking> {
    ranks.ranking(&|at| Some(measured[at].expression.clone()))
}

/// Numbers by which ranks may be split: those that the iterations compare, and differences of two quantities.
pub(crate) fn splits(steps: &[Step<Term>], quantities: usize) -> Vec<Sum> {
    let mut found: Vec<Sum> = Vec::new();
    let mut add = |sum: Sum| {
        let opposite = (-&sum).shifted(-1);
        if !found.contains(&sum) && !found.contains(&opposite) {
            found.push(sum);
        }
    };
    for step in steps {
        for constraint in &step.constraints {
            if let Some(sum) = in_quantities(&-&constraint.expression, &step.before) {
                add(sum);
            }
        }
    }
    for first in 0..quantities.min(4) {
        for second in 0..first {
            add(&Sum::variable(first) - &Sum::variable(second));
        }
    }
    found
}

/// A number as a sum of quantities, if each of its unknowns is one. Limits of machine numbers are of no interest.
fn in_quantities(number: &implicant::Number, before: &[implicant::Number]) -> Option<Sum> {
    let mut terms = Vec::new();
    for (unknown, coefficient) in number.terms() {
        let alone = implicant::Number::variable(*unknown);
        let place = before.iter().position(|quantity| *quantity == alone)?;
        terms.push((place, Rational::from(coefficient.to_integer()?)));
    }
    let constant = number.constant_part().to_integer()?;
    let is_small = i32::try_from(&constant).is_ok_and(|constant| constant.unsigned_abs() < 1 << 30);
    is_small.then(|| Sum::new(terms, constant))
}
