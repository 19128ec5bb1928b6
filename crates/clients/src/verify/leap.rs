//! Proves by leaping over loops (LoopFrog), and tries the violations that are left as runs.

use std::time::Duration;

use base::Budget;
use certify::explain::unfinished;
use certify::leaps::{Effort, Finding, Leaping};
use certify::{Claim, Subject, Verdict};
use evidence::{Manner, Overflow, Place, Reason};

use super::Progress;
use crate::alarms::alarm;
use crate::refute::{Question, replay};

/// The share of the time in which facts are looked for.
const SUMMARISING: f64 = 0.75;

/// How many violations are tried as runs.
const TRIED: usize = 3;

/// Proves or refutes, or gives the reasons why neither. A leap takes so many passes.
pub(super) fn leap(
    program: &program::Program,
    question: &Question,
    claim: Claim,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let mut budget = budget.clone();
    let subject = Subject::of(program, claim);
    // Where values are asked for, programs rely on wrapping.
    let manner = Manner::leaping(steps, Overflow::Wraps);
    let mut leaping = Leaping::new(&subject, manner, &mut budget).map_err(|_| Vec::new())?;
    if leaping.leaps().is_empty() && steps > 1 {
        return Err(Vec::new());
    }
    let effort = Effort::default();
    // What is violated is to be told, too.
    let time = budget.remaining_time().map_or(Duration::MAX, |time| time.mul_f64(SUMMARISING));
    let mut part = budget.clone().within(time);
    engines::summarise(subject.program(), &mut leaping, effort, &mut part, &mut |now| {
        progress(Progress::Summarising(now.done, now.all));
    });
    match leaping.conclude(effort, &mut budget) {
        Some(certificate) => Ok(Verdict::Proved(certificate)),
        None => violations(question, &mut leaping, effort, &mut budget),
    }
}

/// Looks at what may be violated: as a run, or as an alarm.
fn violations(
    question: &Question,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Result<Verdict, Vec<Reason>> {
    let (program, function) = (leaping.subject().program(), leaping.claim().function);
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
        let passes = if end == encoding::LooseEnd::Recursion { 2 } else { 0 };
        reasons.push(unfinished(&end, passes, Place::of(program, location)));
    }
    Err(reasons)
}
