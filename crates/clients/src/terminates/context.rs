//! Arguments for open loops in runs that start in `main`: callers, memory and callees are known there.
//!
//! The whole program is encoded with its loops abstracted, as for a proof of termination, but each loop has its own
//! answer: one that has no argument leaves the others theirs. Every abstract loop for a loop must have an argument, for
//! a loop is abstracted once for every call that leads to it, and no path may be left out.

use std::collections::BTreeSet;

use base::{Budget, Index};
use certify::only_run::OnlyRun;
use certify::{Claim, Stopping, Stops, Subject};
use evidence::{Overflow, ProofMode, Property};
use program::FunctionId;

use super::{Answers, Terminates};
use crate::functions::reached;
use crate::termination::loops::{LoopBlocks, LoopQuery, RUNS, arguments, blocks};
use crate::verify::certified;

/// How often loops are unwound iteration by iteration, in the attempts that are made.
const ATTEMPTS: [u64; 2] = [0, 130];

/// Looks for arguments for what is open, and puts them in.
pub(super) fn prove(terminates: &Terminates<'_>, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
    for (place, decided) in ATTEMPTS.into_iter().enumerate() {
        let open = open_loops(terminates, entry, answers);
        if open.is_empty() {
            return;
        }
        let mut part = budget.share(if place + 1 < ATTEMPTS.len() { 0.5 } else { 1.0 });
        attempt(terminates, entry, decided, &open, answers, &mut part);
        if place == 0 {
            by_lists(terminates, entry, answers, &budget.share(0.5));
        }
    }
}

/// If every run ends by the shapes of lists, every loop stops.
fn by_lists(terminates: &Terminates<'_>, entry: FunctionId, answers: &mut Answers, budget: &Budget) {
    let open = open_loops(terminates, entry, answers);
    if open.is_empty() {
        return;
    }
    let Some(Ok(certificate)) = certified(terminates.program, entry, terminates.integers, budget) else {
        return;
    };
    let Some(stops) = Stops::by_lists(terminates.program, &certificate) else { return };
    for (function, place) in open {
        if let Some(all) = answers.get_mut(&function) {
            all[place] = Stopping::Stops(stops.clone());
        }
    }
}

/// What a program without inputs does is seen in its run: nothing undefined, so that no number overflows.
pub(super) fn followed(terminates: &Terminates<'_>, entry: FunctionId, run: &OnlyRun, answers: &mut Answers) {
    for (function, place) in open_loops(terminates, entry, answers) {
        let Some((shape, body)) = terminates.shape(function) else { continue };
        let head = shape.forest.iter().nth(place).map_or(body.entry(), |(_, item)| item.head);
        if let Some(all) = answers.get_mut(&function) {
            all[place] = Stopping::Stops(run.stops((function, head)));
        }
    }
    for (&function, all) in answers.iter_mut() {
        let Some((shape, _)) = terminates.shape(function) else { continue };
        for ((_, item), answer) in shape.forest.iter().zip(all) {
            if let Stopping::Stops(stops) = answer
                && let Some(more) = run.without_overflow(stops, (function, item.head))
            {
                *stops = more;
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
    let reached = reached(terminates.program, entry);
    let functions = answers.iter().filter(|(function, _)| reached.contains(function));
    let places = functions.flat_map(|(function, all)| {
        let open = all.iter().enumerate().filter(|(_, answer)| matches!(answer, Stopping::Unknown { .. }));
        open.map(|(place, _)| (*function, place))
    });
    places.collect()
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
    let claim = Claim { function: entry, property: Property::Termination, integers: terminates.integers };
    let mode = ProofMode::abstraction(1, Overflow::Excluded).deciding(decided);
    let loops: Vec<((FunctionId, usize), LoopBlocks)> = open
        .iter()
        .filter_map(|&(function, place)| {
            let (shape, _) = terminates.shape(function).filter(|(shape, _)| place < shape.forest.len())?;
            Some(((function, place), blocks(function, &shape.forest, Index::new(place))))
        })
        .collect();
    let blocks: Vec<LoopBlocks> = loops.iter().map(|(_, blocks)| blocks.clone()).collect();
    let subject = Subject::of(program, claim);
    let query =
        LoopQuery { subject: &subject, mode, loops: &blocks, candidates: &[], plan: RUNS, loop_time: None };
    for (((function, place), _), found) in loops.into_iter().zip(arguments(&query, budget)) {
        if let Some(stops) = found.ok().and_then(|certificate| certificate.stops())
            && let Some(all) = answers.get_mut(&function)
        {
            all[place] = Stopping::Stops(stops);
        }
    }
}
