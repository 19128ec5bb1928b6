//! The variance analysis of shapes, reported like the others.
//!
//! The kernel checks whether every run ends ([`certify::shapes`]), and so every loop. Where it does not accept that, nothing is
//! more than shown by the analysis.

use base::Budget;
use engines::variance::{self, Cutpoint, HeapAssertion, HeapProgram, HeapVariance};
use evidence::{CutpointReport, Reason, Strength, VarianceAssertion, VarianceReport};
use program::{FunctionId, Program};

use super::{Request, place, reason, reported};
use crate::verify::certified;

/// Analyses a program. Nothing if it has no lists.
pub(super) fn analyse(
    program: &Program,
    function: FunctionId,
    request: &Request,
    budget: &mut Budget,
) -> Option<Result<VarianceReport, Reason>> {
    let heap = HeapProgram::of(program, function, request.integers, request.line)?;
    let forests = variance::forests(program, &heap.numeric);
    let cutpoints: Vec<Cutpoint> = match request.line {
        Some(line) => variance::at_line(program, &heap.numeric, &forests, line),
        None => variance::heads(program, &heap.numeric, &forests),
    };
    let found = match heap.analyse(program, &forests, &cutpoints, budget) {
        Ok(found) => found,
        Err(failure) => return Some(Err(reason(request.domain, failure))),
    };
    let all = heap.numeric.gaps.is_empty() && found.iter().all(|one| one.holds);
    let is_confirmed = all && matches!(certified(program, function, request.integers, budget), Some(Ok(_)));
    let strength = |is_shown: bool| match is_shown {
        true if is_confirmed => Strength::Confirmed,
        true => Strength::Shown,
        false => Strength::NotShown,
    };
    let cutpoints = found.iter().map(|one| report(program, &heap, one, strength(one.holds))).collect();
    Some(Ok(reported(program, request, &heap.numeric, cutpoints, strength(all))))
}

fn report(
    program: &Program,
    heap: &HeapProgram,
    found: &HeapVariance,
    local_termination: Strength,
) -> CutpointReport {
    let assertion =
        |one: &HeapAssertion| VarianceAssertion { holds: one.holds.clone(), ranking: one.ranking.clone() };
    CutpointReport {
        invariants: found.invariants.clone(),
        variances: found.assertions.iter().map(assertion).collect(),
        local_termination,
        ..place(program, &heap.numeric, &found.cutpoint)
    }
}
