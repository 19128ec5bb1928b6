//! Arguments for open loops in runs that start in `main`: callers, memory and callees are known there.
//!
//! The whole program is encoded with its loops leapt over, as for a proof of termination, but each loop has its own
//! answer: one that has no argument leaves the others theirs. Every leap over a loop must have an argument, for a loop is
//! leapt over once for every call that leads to it, and no path may be left out.

use std::collections::BTreeSet;

use base::{Budget, Index};
use certify::leaps::{Effort, Leaping};
use certify::only_run::OnlyRun;
use encoding::Leaps;
use engines::{bounding, ranking, summarise_until};
use evidence::{Argued, Stopping};
use program::interpret::ObligationSet;
use program::{FunctionId, Obligation};

use super::alone::{argued, leaps_of, obstacle};
use super::{Answers, Terminates};
use crate::Property;
use crate::refute::Question;
use crate::variance::{self, Domain};
use crate::verify::{DECIDED, certified, encode_needing};

/// How often loops are followed pass by pass, in the attempts that are made.
const ATTEMPTS: [u64; 2] = [0, DECIDED];

/// Looks for arguments for what is open, and puts them in.
pub(super) fn prove(terminates: &Terminates<'_>, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
    for (place, decided) in ATTEMPTS.into_iter().enumerate() {
        let open = open_loops(terminates, entry, answers);
        if open.is_empty() {
            return;
        }
        let share = if place + 1 < ATTEMPTS.len() { 0.5 } else { 1.0 };
        let mut part = share_of(budget, share);
        attempt(terminates, entry, decided, &open, answers, &mut part);
        if place == 0 {
            by_lists(terminates, entry, answers, &share_of(budget, 0.5));
        }
    }
}

/// If every run ends by the shapes of lists, every loop stops.
fn by_lists(terminates: &Terminates<'_>, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
    let open = open_loops(terminates, entry, answers);
    if open.is_empty()
        || !matches!(certified(terminates.program, entry, terminates.integers, budget), Some(Ok(_)))
    {
        return;
    }
    let name = &terminates.program.functions[entry].name;
    for (function, place) in open {
        if let Some(all) = answers.get_mut(&function) {
            let entry = Some(name.clone());
            all[place] = Stopping::Stops { why: Argued::Lists, entry, unless_overflow: false };
        }
    }
}

/// What a program without inputs does is seen in its run: nothing undefined, so that no number overflows.
pub(super) fn followed(terminates: &Terminates<'_>, entry: FunctionId, run: &OnlyRun, answers: &mut Answers) {
    let open = open_loops(terminates, entry, answers);
    let name = &terminates.program.functions[entry].name;
    for (function, place) in open {
        let Some((shape, body)) = terminates.shape(function) else { continue };
        let head = shape.forest.iter().nth(place).map_or(body.entry(), |(_, item)| item.head);
        let is_seen = run.heads.contains(&(function, head));
        let why = if is_seen { Argued::Followed } else { Argued::NotReached };
        if let Some(all) = answers.get_mut(&function) {
            all[place] = Stopping::Stops { why, entry: Some(name.clone()), unless_overflow: false };
        }
    }
    for (&function, all) in answers.iter_mut() {
        let Some((shape, _)) = terminates.shape(function) else { continue };
        for ((_, item), answer) in shape.forest.iter().zip(all) {
            if let Stopping::Stops { entry, unless_overflow, .. } = answer
                && *unless_overflow
                && run.heads.contains(&(function, item.head))
            {
                (*entry, *unless_overflow) = (Some(name.clone()), false);
            }
        }
    }
}

/// The open loops of functions that runs can come to: function and place in its forest.
fn open_loops(
    terminates: &Terminates<'_>,
    entry: FunctionId,
    answers: &Answers,
) -> BTreeSet<(FunctionId, usize)> {
    let reached = terminates.reached(entry);
    let functions = answers.iter().filter(|(function, _)| reached.contains(function));
    let places = functions.flat_map(|(function, all)| {
        let open = all.iter().enumerate().filter(|(_, answer)| matches!(answer, Stopping::Unknown { .. }));
        open.map(|(place, _)| (*function, place))
    });
    places.collect()
}

fn share_of(budget: &Budget, share: f64) -> Budget {
    match budget.remaining_time() {
        Some(time) => budget.clone().within(time.mul_f64(share)),
        None => budget.clone(),
    }
}

fn attempt(
    terminates: &Terminates<'_>,
    entry: FunctionId,
    decided: u64,
    open: &BTreeSet<(FunctionId, usize)>,
    answers: &mut Answers,
    budget: &mut Budget,
) {
    let program = terminates.program;
    let name = program.functions[entry].name.clone();
    let question =
        Question { property: Property::Termination, function: name.clone(), integers: terminates.integers };
    let needed = ObligationSet::EMPTY.with(Obligation::SignedOverflow);
    let leaps = Leaps { steps: 1, decided, any_overflow: false };
    let effort = Effort::default();
    let Ok(mut leaping) = encode_needing(program, &question, entry, needed, leaps, budget) else { return };
    if obstacle(program, &mut leaping, effort, budget).is_some() {
        return;
    }
    let of_open = |leaping: &Leaping<'_>| -> Vec<usize> {
        let forests = open.iter().filter_map(|&(function, place)| {
            let (shape, _) = terminates.shape(function)?;
            (place < shape.forest.len()).then(|| (function, &shape.forest, Index::new(place)))
        });
        let all = forests.flat_map(|(function, forest, id)| leaps_of(leaping, function, forest, id));
        all.filter(|&leap| !leaping.is_never_repeated(leap) && leaping.ending(leap).is_none()).collect()
    };
    let mut rank_open = |leaping: &mut Leaping<'_>, budget: &mut Budget| {
        let all = of_open(leaping);
        let mut is_left = |&leap: &usize| {
            ranking::rank_plainly(program, leaping, leap, effort, budget)
                || ranking::templates::fit(program, leaping, leap, effort, budget)
                || ranking::floats::fit(program, leaping, leap, effort, budget)
        };
        // All are tried, whichever fails.
        all.len() == all.iter().filter(|leap| is_left(leap)).count()
    };
    if !rank_open(&mut leaping, budget) {
        for leap in of_open(&leaping) {
            bounding::support(program, &mut leaping, leap, effort, budget);
        }
        if !rank_open(&mut leaping, budget) {
            let mut part = share_of(budget, 0.3);
            variance::argue(program, entry, &mut leaping, &[Domain::Octagon], effort, &mut part);
            let mut part = share_of(budget, 0.8);
            summarise_until(program, &mut leaping, effort, &mut part, &mut |_| {}, &mut rank_open);
            rank_open(&mut leaping, budget);
        }
    }
    let overflows: Vec<usize> = (0..leaping.demands().len())
        .filter(|&demand| leaping.demands()[demand].obligation == Obligation::SignedOverflow)
        .collect();
    let mut unless_overflow = None;
    for &(function, place) in open {
        let Some((shape, _)) = terminates.shape(function).filter(|(shape, _)| place < shape.forest.len())
        else {
            continue;
        };
        let leaps = leaps_of(&leaping, function, &shape.forest, Index::new(place));
        let why = match leaps.is_empty() {
            true => Some(Argued::Followed),
            false => argued(&mut leaping, &leaps, effort, budget),
        };
        if let (Some(why), Some(all)) = (why, answers.get_mut(&function)) {
            let unless_overflow = *unless_overflow.get_or_insert_with(|| {
                !leaping.violated(&overflows, effort, budget).is_ok_and(|violated| violated.is_empty())
            });
            all[place] = Stopping::Stops { why, entry: Some(name.clone()), unless_overflow };
        }
    }
}
