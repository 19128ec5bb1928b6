//! The summariser: invariants for all loops of a program, nest by nest (LoopFrog, Algorithm 1).

use std::collections::BTreeSet;
use std::time::Duration;

use base::Budget;
use certify::abstraction::Effort;
use certify::{Abstraction, Candidate};
use evidence::Formula;
use program::Program;

use crate::paths::{is_unnamed, spoken_in};
use crate::proposers::{self, Proposer};
use crate::shared::Shared;
use crate::view::View;

/// How many candidates a loop can have.
const MOST: usize = 400;

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

/// Finds invariants for all loops, round by round until no verification condition can be violated.
pub fn summarise(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
    progress: &mut dyn FnMut(Progress),
) -> Tally {
    let mut done =
        |abstraction: &mut Abstraction<'_>, budget: &mut Budget| nothing_is_left(abstraction, effort, budget);
    summarise_until(program, abstraction, effort, budget, progress, &mut done)
}

/// Whether enough is known of the loops of a program.
pub type Done<'a> = dyn FnMut(&mut Abstraction<'_>, &mut Budget) -> bool + 'a;

/// Finds invariants for all loops, round by round until somebody has enough of them.
pub fn summarise_until(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
    progress: &mut dyn FnMut(Progress),
    done: &mut Done<'_>,
) -> Tally {
    let mut tally = Tally::default();
    let nests = abstraction.nests();
    if nests.is_empty() || done(abstraction, budget) {
        return tally;
    }
    let mut shared = Shared::of(program, abstraction, budget);
    let mut refused: Vec<Vec<Candidate>> = vec![Vec::new(); nests.len()];
    let mut gained = vec![false; nests.len()];
    let all = nests.len() * proposers::ROUNDS.len();
    for (round, proposers) in proposers::ROUNDS.iter().enumerate() {
        let last = round + 1 == proposers::ROUNDS.len();
        for (place, nest) in nests.iter().enumerate() {
            progress(Progress { done: round * nests.len() + place, all });
            if budget.remaining_time().is_some_and(|time| time.is_zero()) {
                return tally;
            }
            let candidates = propose(abstraction, nest, proposers, &mut shared);
            tally.proposed += candidates.len();
            let (accepted, others) = accept(abstraction, nest, candidates, effort, budget);
            tally.accepted += accepted;
            refused[place].extend(others);
            gained[place] |= round > 1 && accepted > 0;
            if last && gained[place] {
                // What was refused may follow from what came later.
                let again = std::mem::take(&mut refused[place]);
                tally.accepted += accept(abstraction, nest, again, effort, budget).0;
            }
        }
        if last || done(abstraction, budget) {
            break;
        }
    }
    tally
}

/// Equations that may hold at the heads of all loops, and that the kernel has not accepted.
pub fn equations(program: &Program, abstraction: &mut Abstraction<'_>, budget: &Budget) -> Vec<Candidate> {
    let mut shared = Shared::of(program, abstraction, budget);
    let mut candidates = Vec::new();
    for nest in abstraction.nests() {
        candidates.extend(propose(abstraction, &nest, proposers::EQUATIONS, &mut shared));
    }
    candidates
        .retain(|candidate| !abstraction.invariants(candidate.abstract_loop).contains(&candidate.formula));
    candidates
}

/// Lets the kernel accept what it can. Gives how many, and the others.
fn accept(
    abstraction: &mut Abstraction<'_>,
    nest: &[usize],
    candidates: Vec<Candidate>,
    effort: Effort,
    budget: &mut Budget,
) -> (usize, Vec<Candidate>) {
    if candidates.is_empty() {
        return (0, candidates);
    }
    let accepted = abstraction.accept(nest, &candidates, effort, budget);
    let count = accepted.iter().filter(|accepted| **accepted).count();
    let others = candidates.into_iter().zip(&accepted).filter(|(_, accepted)| !**accepted);
    (count, others.map(|(candidate, _)| candidate).collect())
}

/// Whether no verification condition can be violated any more. That is asked to save time: it must not take much.
pub fn nothing_is_left(abstraction: &mut Abstraction<'_>, effort: Effort, budget: &mut Budget) -> bool {
    let all: Vec<usize> = (0..abstraction.vcs().len()).collect();
    let time = budget.remaining_time().map_or(Duration::MAX, |time| time.div_f64(8.0));
    let before = budget.remaining_steps();
    let mut part = budget.part(before).within(time);
    let nothing = abstraction.violated(&all, effort, &mut part).is_ok_and(|violated| violated.is_empty());
    _ = budget.spend(before - part.remaining_steps());
    nothing
}

/// The candidates that proposers have for the loops of a nest.
pub fn propose(
    abstraction: &mut Abstraction<'_>,
    nest: &[usize],
    proposers: &[Proposer],
    shared: &mut Shared<'_>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for &abstract_loop in nest {
        let function = abstraction.abstract_loops()[abstract_loop].function;
        let names = abstraction.names(function);
        let Some(body) = shared.program.functions[function].body() else { continue };
        shared.prepare(function, body, &names);
        let Some(view) = View::of(shared, abstraction, &names, abstract_loop) else { continue };
        let variables = view.variables();
        let mut seen: BTreeSet<Formula> = BTreeSet::new();
        let first = candidates.len();
        for proposer in proposers {
            let mut formulas = Vec::new();
            proposer(&view, &mut formulas);
            for formula in formulas {
                if candidates.len() - first < MOST
                    && formula != Formula::True
                    && !spoken_in(&formula).into_iter().any(is_unnamed)
                    && seen.insert(formula.clone())
                    && view.seen.as_ref().is_none_or(|seen| seen.allows(&variables, &formula))
                {
                    candidates.push(Candidate { abstract_loop, formula });
                }
            }
        }
    }
    candidates
}
