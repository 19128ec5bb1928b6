//! The summariser: facts for all loops of a program, nest by nest (LoopFrog, Algorithm 1).

use std::collections::BTreeSet;

use base::Budget;
use certify::leaps::Effort;
use certify::{Candidate, Leaping};
use evidence::Formula;
use program::Program;

use crate::proposers::{self, Proposer};
use crate::view::View;

/// How far the work has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many nests of loops are done.
    pub done: usize,
    /// How many there are.
    pub all: usize,
}

/// What was tried and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// How many candidates were proposed.
    pub proposed: usize,
    /// How many of them the kernel accepted.
    pub accepted: usize,
}

/// Finds facts for all loops.
pub fn summarise(
    program: &Program,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
    progress: &mut dyn FnMut(Progress),
) -> Tally {
    let mut tally = Tally::default();
    let nests = leaping.nests();
    for (done, nest) in nests.iter().enumerate() {
        progress(Progress { done, all: nests.len() });
        if budget.remaining_time().is_some_and(|time| time.is_zero()) {
            break;
        }
        let candidates = propose(program, leaping, nest, proposers::ALL);
        let accepted = leaping.accept(nest, &candidates, effort, budget);
        tally.proposed += candidates.len();
        tally.accepted += accepted.iter().filter(|accepted| **accepted).count();
    }
    tally
}

/// The candidates that proposers have for the loops of a nest.
pub fn propose(
    program: &Program,
    leaping: &mut Leaping<'_>,
    nest: &[usize],
    proposers: &[Proposer],
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for &leap in nest {
        let function = leaping.leaps()[leap].function;
        let names = leaping.names(function);
        let Some(view) = View::of(program, leaping, &names, leap) else { continue };
        let mut seen: BTreeSet<Formula> = BTreeSet::new();
        for proposer in proposers {
            let mut formulas = Vec::new();
            (proposer.propose)(&view, &mut formulas);
            let new = formulas.into_iter().filter(|formula| seen.insert(formula.clone()));
            candidates.extend(new.map(|formula| Candidate { leap, formula }));
        }
    }
    candidates
}
