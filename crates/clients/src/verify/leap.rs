//! Proves by leaping over loops (LoopFrog), and tries the violations that are left as runs.

use std::time::Duration;

use base::{Budget, Stop};
use certify::leaps::{Effort, Finding, Leaping};
use certify::unrolling::{Claim, Depth};
use encoding::{Leaps, LooseEnd};
use evidence::{Leapt, Manner, Place, Reason, Verdict};
use program::interpret::ObligationSet;
use program::{FunctionId, Program};

use super::Progress;
use super::unroll::needed;
use crate::alarms::alarm;
use crate::refute::{Question, entry, replay};

/// Loops that are decided pass by pass are encoded so, up to this many passes.
pub(crate) const DECIDED: u64 = 130;

/// How many calls of one function, and of all, may be active at once.
const RECURSION: usize = 2;
const CALLS: usize = 200;

/// The share of the time in which facts are looked for.
const SUMMARISING: f64 = 0.75;

/// How many violations are tried as runs.
const TRIED: usize = 3;

/// Proves or refutes, or gives the reasons why neither. A leap takes so many passes.
pub(super) fn leap(
    program: &Program,
    question: &Question,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let mut budget = budget.clone();
    let mut leaping = encode(program, question, function, steps, &mut budget).map_err(|_| Vec::new())?;
    if leaping.leaps().is_empty() && steps > 1 {
        return Err(Vec::new());
    }
    let effort = Effort::default();
    // What is violated is to be told, too.
    let time = budget.remaining_time().map_or(Duration::MAX, |time| time.mul_f64(SUMMARISING));
    engines::summarise(program, &mut leaping, effort, &mut budget.clone().within(time), &mut |now| {
        progress(Progress::Summarising(now.done, now.all));
    });
    if let Some(certificate) = leaping.prove(effort, &mut budget) {
        let manner = manner(leaps(steps));
        return Ok(Verdict::Proved { evidence: Box::new(certificate.into_evidence()), manner });
    }
    violations(program, question, function, &mut leaping, effort, &mut budget)
}

/// Encodes a program with leaps of so many passes.
pub(crate) fn encode<'p>(
    program: &'p Program,
    question: &Question,
    function: FunctionId,
    steps: u64,
    budget: &mut Budget,
) -> Result<Leaping<'p>, Stop> {
    encode_needing(program, question, function, needed(question.property), leaps(steps), budget)
}

const fn leaps(steps: u64) -> Leaps {
    Leaps { steps, decided: DECIDED, any_overflow: false }
}

/// How a program is looked at whose loops are leapt over.
pub(super) const fn manner(leaps: Leaps) -> Manner {
    let Leaps { steps, decided, any_overflow } = leaps;
    let leapt = Leapt { passes: steps, decided, any_overflow, wraps: false };
    Manner {
        passes: steps - 1,
        recursion: RECURSION,
        calls: CALLS,
        leaps: Some(leapt),
        only_run: false,
        chains: None,
    }
}

/// Encodes a program with leaps, where some obligations must hold besides those that are asked for.
pub(crate) fn encode_needing<'p>(
    program: &'p Program,
    question: &Question,
    function: FunctionId,
    needed: ObligationSet,
    leaps: Leaps,
    budget: &mut Budget,
) -> Result<Leaping<'p>, Stop> {
    let (integers, checks) = (question.integers, question.property.obligations());
    let claim = Claim { function, integers, checks, needed };
    let depth = Depth { passes: leaps.steps - 1, recursion: RECURSION, calls: CALLS };
    Leaping::new(program, &claim, depth, leaps, budget)
}

/// Looks at what may be violated: as a run, or as an alarm.
fn violations(
    program: &Program,
    question: &Question,
    function: FunctionId,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Result<Verdict, Vec<Reason>> {
    let mut reasons = Vec::new();
    let mut tried = 0;
    let mut left: Vec<usize> = (0..leaping.demands().len()).collect();
    // What is asked comes first.
    left.sort_by_key(|&demand| !leaping.demands()[demand].asked);
    while !left.is_empty() && tried < TRIED {
        let Ok(violated) = leaping.violated(&left, effort, budget) else { break };
        let Some(&demand) = violated.first() else { break };
        left.retain(|other| *other != demand);
        let Finding::Violated(story) = leaping.examine(demand, effort, budget) else { continue };
        tried += 1;
        if let Ok(found) = replay(program, question, function, &story.inputs, budget) {
            return Ok(Verdict::Refuted { counterexample: Box::new(found) });
        }
        reasons.push(Reason::Alarm { alarm: Box::new(alarm(program, leaping, function, demand, &story)) });
    }
    if let Ok(Some((end, location, story))) = leaping.open_end(effort, budget) {
        if let Ok(found) = replay(program, question, function, &story.inputs, budget) {
            return Ok(Verdict::Refuted { counterexample: Box::new(found) });
        }
        let place = Place::of(program, location);
        reasons.push(match end {
            LooseEnd::Unsupported(construct) => Reason::Unsupported { construct, place },
            LooseEnd::Loop => Reason::Unfinished { what: String::from("a loop"), passes: 0, place },
            LooseEnd::Recursion => Reason::Unfinished { what: String::from("a recursion"), passes: 2, place },
        });
    }
    Err(reasons)
}
