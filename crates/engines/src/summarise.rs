//! The summariser: facts for all loops of a program, nest by nest (LoopFrog, Algorithm 1).

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use certify::leaps::Effort;
use certify::{Candidate, Leaping};
use evidence::Formula;
use program::interpret::Integers;
use program::{FunctionId, Obligation, Program};

use crate::code::Words;
use crate::proposers::{self, Proposer};
use crate::samples::Samples;
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

/// Finds facts for all loops, round by round until no demand can be violated.
pub fn summarise(
    program: &Program,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
    progress: &mut dyn FnMut(Progress),
) -> Tally {
    let mut done = |leaping: &mut Leaping<'_>, budget: &mut Budget| nothing_is_left(leaping, effort, budget);
    summarise_until(program, leaping, effort, budget, progress, &mut done)
}

/// Whether enough is known of the loops of a program.
pub type Done<'a> = dyn FnMut(&mut Leaping<'_>, &mut Budget) -> bool + 'a;

/// Finds facts for all loops, round by round until somebody has enough of them.
pub fn summarise_until(
    program: &Program,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
    progress: &mut dyn FnMut(Progress),
    done: &mut Done<'_>,
) -> Tally {
    let mut tally = Tally::default();
    let nests = leaping.nests();
    if nests.is_empty() || done(leaping, budget) {
        return tally;
    }
    let samples = samples(program, leaping, budget);
    let mut words = BTreeMap::new();
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
            let candidates = propose(program, leaping, nest, proposers, &samples, &mut words);
            tally.proposed += candidates.len();
            let (accepted, others) = accept(leaping, nest, candidates, effort, budget);
            tally.accepted += accepted;
            refused[place].extend(others);
            gained[place] |= round > 0 && accepted > 0;
            if last && gained[place] {
                // What was refused may follow from what came later.
                let again = std::mem::take(&mut refused[place]);
                tally.accepted += accept(leaping, nest, again, effort, budget).0;
            }
        }
        if last || done(leaping, budget) {
            break;
        }
    }
    tally
}

/// Equations that may hold at the heads of all loops, and that the kernel has not accepted.
pub fn equations(program: &Program, leaping: &mut Leaping<'_>, budget: &Budget) -> Vec<Candidate> {
    let samples = samples(program, leaping, budget);
    let mut words = BTreeMap::new();
    let mut candidates = Vec::new();
    for nest in leaping.nests() {
        candidates.extend(propose(program, leaping, &nest, proposers::EQUATIONS, &samples, &mut words));
    }
    candidates.retain(|candidate| !leaping.facts(candidate.leap).contains(&candidate.formula));
    candidates
}

/// Lets the kernel accept what it can. Gives how many, and the others.
fn accept(
    leaping: &mut Leaping<'_>,
    nest: &[usize],
    candidates: Vec<Candidate>,
    effort: Effort,
    budget: &mut Budget,
) -> (usize, Vec<Candidate>) {
    if candidates.is_empty() {
        return (0, candidates);
    }
    let accepted = leaping.accept(nest, &candidates, effort, budget);
    let count = accepted.iter().filter(|accepted| **accepted).count();
    let others = candidates.into_iter().zip(&accepted).filter(|(_, accepted)| !**accepted);
    (count, others.map(|(candidate, _)| candidate).collect())
}

/// Whether no demand can be violated any more.
pub fn nothing_is_left(leaping: &mut Leaping<'_>, effort: Effort, budget: &mut Budget) -> bool {
    let all: Vec<usize> = (0..leaping.demands().len()).collect();
    leaping.violated(&all, effort, budget).is_ok_and(|violated| violated.is_empty())
}

/// What runs of the program show of its loops.
pub fn samples(program: &Program, leaping: &Leaping<'_>, budget: &Budget) -> Samples {
    let first = leaping.leaps().first().and_then(|leap| leap.stack.first().copied());
    let integers = leaping.encoder().options.integers;
    first.map(|(function, _)| Samples::of(program, function, integers, budget)).unwrap_or_default()
}

/// The candidates that proposers have for the loops of a nest. The words of functions are kept from nest to nest.
pub fn propose<'p>(
    program: &'p Program,
    leaping: &mut Leaping<'_>,
    nest: &[usize],
    proposers: &[Proposer],
    samples: &Samples,
    words: &mut BTreeMap<FunctionId, Words<'p>>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let options = &leaping.encoder().options;
    let checked = options.checks.contains(Obligation::SignedOverflow)
        || options.needed.contains(Obligation::SignedOverflow);
    let overflow = checked && options.integers == Integers::Machine;
    for &leap in nest {
        let function = leaping.leaps()[leap].function;
        let names = leaping.names(function);
        let Some(body) = program.functions[function].body() else { continue };
        let words = words.entry(function).or_insert_with(|| Words::new(program, body, &names, overflow));
        let Some(view) = View::of(program, leaping, &names, words, samples, leap) else { continue };
        let variables = view.variables();
        let mut seen: BTreeSet<Formula> = BTreeSet::new();
        let first = candidates.len();
        for proposer in proposers {
            let mut formulas = Vec::new();
            (proposer.propose)(&view, &mut formulas);
            for formula in formulas {
                if candidates.len() - first < MOST
                    && formula != Formula::True
                    && seen.insert(formula.clone())
                    && view.seen.as_ref().is_none_or(|seen| seen.allows(&variables, &formula))
                {
                    candidates.push(Candidate { leap, formula });
                }
            }
        }
    }
    candidates
}
