//! Proves by havoc abstraction of loops (LoopFrog), and tries the violations that are left as runs.

use base::Budget;
use certify::abstraction::{Abstraction, Effort, Finding};
use certify::explain::unfinished;
use certify::{Claim, Subject, Verdict};
use evidence::{Overflow, Place, ProofMode, Reason};

use super::Progress;
use crate::alarms::alarm;
use crate::refute::{Query, replay};

/// The share of the time in which invariants are looked for.
const SUMMARISING: f64 = 0.75;

/// How many violations are tried as runs.
const TRIED: usize = 3;

/// Proves or refutes, or gives the reasons why neither. An abstract loop takes so many iterations.
pub(super) fn prove_by_abstraction(
    program: &program::Program,
    query: &Query,
    claim: Claim,
    steps: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let mut budget = budget.clone();
    let subject = Subject::of(program, claim);
    // Where values are asked for, programs rely on wrapping.
    let mode = ProofMode::abstraction(steps, Overflow::Wraps);
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).map_err(|_| Vec::new())?;
    if abstraction.abstract_loops().is_empty() && steps > 1 {
        return Err(Vec::new());
    }
    let effort = Effort::default();
    // What is violated is to be told, too.
    let mut part = budget.share(SUMMARISING);
    engines::summarise(subject.program(), &mut abstraction, effort, &mut part, &mut |now| {
        progress(Progress::Summarising(now.done, now.all));
    });
    match abstraction.conclude(effort, &mut budget) {
        Some(certificate) => Ok(Verdict::Proved(certificate)),
        None => violations(query, &mut abstraction, effort, &mut budget),
    }
}

/// Examines what may be violated: as a run, or as an alarm.
fn violations(
    query: &Query,
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Result<Verdict, Vec<Reason>> {
    let (program, function) = (abstraction.subject().program(), abstraction.claim().function);
    let mut reasons = Vec::new();
    let mut tried = 0;
    let mut left: Vec<usize> = (0..abstraction.vcs().len()).collect();
    // What is asked comes first.
    left.sort_by_key(|&vc| !abstraction.vcs()[vc].asked);
    while !left.is_empty() && tried < TRIED {
        let Ok(violated) = abstraction.violated(&left, effort, budget) else { break };
        let Some(&vc) = violated.first() else { break };
        left.retain(|other| *other != vc);
        let Finding::Violated(abstract_trace) = abstraction.examine(vc, effort, budget) else {
            continue;
        };
        tried += 1;
        if let Ok(found) = replay(program, query, function, &abstract_trace.inputs, budget) {
            return Ok(Verdict::Refuted { counterexample: Box::new(found) });
        }
        reasons.push(Reason::Alarm {
            alarm: Box::new(alarm(program, abstraction, function, vc, &abstract_trace)),
        });
    }
    if let Ok(Some((end, location, abstract_trace))) = abstraction.open_end(effort, budget) {
        if let Ok(found) = replay(program, query, function, &abstract_trace.inputs, budget) {
            return Ok(Verdict::Refuted { counterexample: Box::new(found) });
        }
        let iterations = if end == encoding::Incompleteness::Recursion { 2 } else { 0 };
        reasons.push(unfinished(&end, iterations, Place::of(program, location)));
    }
    Err(reasons)
}
