//! Conditions under which a loop or a recursion stops that does not always stop: `step > 0`, `n >= 0`.
//!
//! ```text
//! numbers of the source, signs, a recurrent set's negation ─► samples throw out ─► the kernel, under the assumption
//! ```
//!
//! Candidates speak of the values with which the function is entered, simple and weak ones first ([`candidates`]). Some
//! runs on small numbers tell which of them are hopeless ([`samples`]). Of the rest the first counts for which the
//! kernel accepts an argument in the program whose function begins with that assumption ([`ModularProgram::assuming`]).
//! A condition under which no iteration leads to another one says little: it is kept only if there is no other.
//!
//! Known imprecision: a condition need not be the weakest. What memory holds, and pointers, are not spoken of.

mod candidates;
mod samples;

use std::collections::BTreeMap;
use std::time::Duration;

use base::{Budget, Index};
use certify::{LoopCertificate, ModularProgram, Precondition, Stopping};
use evidence::{Argued, Expression, Formula, Integer, Moment, Ranking, Termination};
use loops::{LoopForest, LoopId};
use program::FunctionId;

use self::candidates::{candidates, relevant};
use self::samples::Samples;
use super::modular_functions::{Query, Stage, arguments};
use super::{Answers, Terminates};
use crate::functions::Turn;

/// How long one candidate may take, and all of a loop.
const ONE: Duration = Duration::from_millis(400);
const ALL: Duration = Duration::from_secs(3);

/// No more candidates are given to the kernel.
const MOST: usize = 100;

/// Conditions for loops and recursions, by function and place in its answers.
pub type Conditions = BTreeMap<(FunctionId, usize), Precondition>;

/// Looks for conditions for all that has no answer that holds in all runs.
pub(super) fn conditions(
    terminates: &Terminates<'_>,
    function: FunctionId,
    answers: &Answers,
    budget: &Budget,
) -> Conditions {
    let mut found = Conditions::new();
    // What is found out before the first candidate takes long in a large function.
    let is_over = || budget.clone().spend(0).is_err();
    if is_over() {
        return found;
    }
    let Some(answers) = answers.get(&function) else { return found };
    let Some((shape, _)) = terminates.shape(function) else { return found };
    let is_open = |answer: &Stopping| !answer.stops();
    let open: Vec<usize> = (0..answers.len()).filter(|&place| is_open(&answers[place])).collect();
    if open.is_empty() {
        return found;
    }
    let samples = Samples::of(terminates.program, function, terminates.integers, budget);
    let alone = (!is_over()).then(|| terminates.modular.function(function)).flatten();
    let Some(alone) = alone else { return found };
    for place in open {
        if is_over() {
            break;
        }
        let mut part = budget.clone().within(ALL);
        let one = if place < shape.forest.len() {
            let id: LoopId = Index::new(place);
            let subject = LoopOf { program: &alone, forest: &shape.forest, wanted: id };
            subject.search(terminates, &answers[place], &samples, &mut part)
        } else {
            let circle = shape.circle.as_ref();
            circle.and_then(|circle| recursion(terminates, circle, &answers[place], &samples, &mut part))
        };
        found.extend(one.map(|one| ((function, place), one)));
    }
    found
}

/// A recursion: the condition is one on the outermost call, of the first function.
fn recursion(
    terminates: &Terminates<'_>,
    circle: &[FunctionId],
    answer: &Stopping,
    samples: &Samples,
    budget: &mut Budget,
) -> Option<Precondition> {
    let (alone, head) = terminates.modular.recursion(circle)?;
    let forest = LoopForest::of(alone.body()?);
    let wanted = forest.with_head(head)?;
    let subject = LoopOf { program: &alone, forest: &forest, wanted };
    subject.search(terminates, answer, samples, budget)
}

/// What a condition is looked for: a loop of a modular function.
struct LoopOf<'a> {
    program: &'a ModularProgram,
    forest: &'a LoopForest,
    wanted: LoopId,
}

impl LoopOf<'_> {
    fn search(
        &self,
        terminates: &Terminates<'_>,
        answer: &Stopping,
        samples: &Samples,
        budget: &mut Budget,
    ) -> Option<Precondition> {
        let program = self.program.program();
        let body = self.program.body()?;
        let variables = relevant(program, body, self.forest, self.wanted, terminates.integers);
        let mut last = None;
        let all = candidates(body, &variables, answer);
        for condition in all.into_iter().filter(|one| samples.allow(one)).take(MOST) {
            if budget.spend(1).is_err() {
                break;
            }
            let Some(argument) = self.argument(terminates, &condition, budget) else { continue };
            let Some(found) = argument.precondition() else { continue };
            if !is_idle(found.why()) {
                return Some(found);
            }
            last.get_or_insert(found);
        }
        last
    }

    /// An argument under a condition.
    fn argument(
        &self,
        terminates: &Terminates<'_>,
        condition: &Formula,
        budget: &mut Budget,
    ) -> Option<LoopCertificate> {
        let program = self.program.assuming(condition)?;
        let query = Query {
            program: &program,
            forest: self.forest,
            wanted: vec![self.wanted],
            candidates: at_head(condition),
            integers: terminates.integers,
            turn: Turn::unlimited(ONE),
            stage: Stage::Loops,
        };
        arguments(&query, budget).pop()?.ok()
    }
}

/// What a condition at function entry may be at the head of a loop: the same, of the values there.
fn at_head(condition: &Formula) -> Vec<Formula> {
    let parts = match condition {
        Formula::All(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    parts.iter().filter_map(|part| part.with_moments(&|_| Some(Moment::Now))).collect()
}

/// Whether no iteration leads to another one.
fn is_idle(why: &Argued) -> bool {
    let is_number = |argument: &Termination| {
        matches!(argument, Termination::Ranking(Ranking::Linear(Expression::Constant(_))))
    };
    match why {
        Argued::NotReached => true,
        Argued::Argument { argument, back_edges, .. } => {
            is_number(argument) || *back_edges == Some(Integer::ZERO)
        }
        Argued::Followed | Argued::Lists => false,
    }
}
