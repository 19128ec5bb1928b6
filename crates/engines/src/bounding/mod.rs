//! Bounds on the iterations of loops that are leapt over.
//!
//! ```text
//! guess ─► kernel ─┬─► accepted ─► tighter (tighten) ─► over earlier values (restate)
//!   ▲              └─► a pass that contradicts it ─► its linear part ─► ranks for all parts so far
//!   └──────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A ranking function that is not negative before a pass and less after it bounds the passes by its value at entry and one.
//! Lexicographic ranks give one component each; by how much a pass raises a later one is read off the passes that spend an
//! earlier one ([`raises`]). Proteus (section 7.1) adds state counters along traces in the place of that.
//!
//! Known imprecision: nested ranks (phases) give no bound.

mod raises;
mod restate;
mod tighten;

use base::Budget;
use certify::leaps::{Bounded, Bounding, Effort, Leaping};
use evidence::{Amortised, Expression, Spent};
use logic::Term;
use program::Program;

pub use self::restate::restate;
use crate::ranking::measured::{Measured, measured};
use crate::ranking::synthesis::{Rank, Ranks, Step, synthesise};
use crate::ranking::{expression, read, splits};

/// How many paths are looked at.
const PATHS: usize = 24;

/// Why there is no bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// No rank was found.
    NoRank,
    /// Ranks were found that bound nothing: it is not known how much some pass raises them.
    NoRaise,
    /// The solver did not know.
    NotKnown,
    /// The kernel does not take bounds for this loop.
    Refused(String),
}

/// The passes that were looked at.
struct Seen {
    measured: Vec<Measured>,
    steps: Vec<Step<Term>>,
}

/// Looks for a bound of a loop, and has the kernel accept it.
///
/// # Errors
/// If there is none, why.
pub fn bound(
    program: &Program,
    leaping: &mut Leaping<'_>,
    leap: usize,
    effort: Effort,
    budget: &mut Budget,
) -> Result<Bounded, Missing> {
    let mut seen = Seen { measured: Vec::new(), steps: Vec::new() };
    let mut guess = Amortised { components: Vec::new() };
    let mut problem = Missing::NoRank;
    for round in 0..PATHS {
        match leaping.bound(leap, &guess, effort, budget) {
            Bounding::Bounded(bounded) => {
                return Ok(tighten::tighten(leaping, *bounded, &seen, effort, budget));
            }
            Bounding::Pass(model) => {
                if round == 0 {
                    seen.measured = measured(program, leaping, leap);
                }
                let step = read(leaping, leap, &seen.measured, &model);
                if seen.steps.contains(&step) {
                    return Err(problem);
                }
                seen.steps.push(step);
            }
            Bounding::NotKnown(_) => return Err(Missing::NotKnown),
            Bounding::Refused(why) => return Err(Missing::Refused(why)),
        }
        let splits = splits(&seen.steps, seen.measured.len());
        match synthesise(&seen.steps, &splits, budget) {
            Some(Ranks::Linear(rank)) => guess = Amortised { components: vec![spent(&rank, &seen)] },
            Some(Ranks::Lexicographic(ranks)) => {
                problem = Missing::NoRaise;
                guess = raises::guess(&ranks, &seen).ok_or(Missing::NoRaise)?;
            }
            Some(Ranks::Nested(_)) => return Err(Missing::NoRaise),
            None => return Err(Missing::NoRank),
        }
    }
    Err(problem)
}

/// A rank that is not negative before a pass, as a component: it is positive there.
fn spent(rank: &Rank, seen: &Seen) -> Spent {
    let rank = match rank {
        Rank::Plain(sum) => {
            let mut more = sum.clone();
            more.constant += logic::Integer::ONE;
            expression(&Rank::Plain(more), &seen.measured)
        }
        Rank::Split { by, then, otherwise } => {
            let (mut then, mut otherwise) = (then.clone(), otherwise.clone());
            then.constant += logic::Integer::ONE;
            otherwise.constant += logic::Integer::ONE;
            expression(&Rank::Split { by: by.clone(), then, otherwise }, &seen.measured)
        }
    };
    Spent { rank, raised: Vec::new() }
}

/// A bound with other evidence, if the kernel takes it.
fn accepted(
    leaping: &mut Leaping<'_>,
    leap: usize,
    evidence: &Amortised,
    effort: Effort,
    budget: &mut Budget,
) -> Option<Bounded> {
    match leaping.bound(leap, evidence, effort, budget) {
        Bounding::Bounded(bounded) => Some(*bounded),
        _ => None,
    }
}

/// The parts of a sum: multiples of numbers that are no sums, and a constant. Nothing of another form.
fn linear(expression: &Expression) -> Option<crate::linear::Linear> {
    crate::linear::Linear::parse(expression)
}
