//! Proves that every run of a program with linked lists ends: by the lengths of their segments.
//!
//! The variance analysis over shapes (section 6 of the paper on variance analyses) finds symbolic heaps and ranks; the kernel
//! executes the paths between loop heads on its own and accepts or refuses ([`certify::shapes`]).

use base::Budget;
use certify::shapes::check_shapes;
use certify::{Certificate, Claim, Refusal, Verdict};
use engines::variance::{self, HeapProgram};
use evidence::Reason;
use program::interpret::Integers;
use program::{FunctionId, Program};

/// Proves that every run ends, or gives the reason why it does not. Says nothing of programs without lists.
pub(super) fn shapes(program: &Program, claim: Claim, budget: &Budget) -> Result<Verdict, Vec<Reason>> {
    match certified(program, claim.function, claim.integers, budget) {
        Some(Ok(certificate)) => Ok(Verdict::Proved(certificate)),
        Some(Err(refusal)) => Err(vec![Reason::NotConfirmed { what: refusal.to_string(), place: None }]),
        None => Err(Vec::new()),
    }
}

/// That every run which starts in a function ends, or why the kernel refuses what was found. Nothing if nothing was found.
pub(crate) fn certified(
    program: &Program,
    function: FunctionId,
    integers: Integers,
    budget: &Budget,
) -> Option<Result<Certificate, Refusal>> {
    let heap = HeapProgram::of(program, function, integers, None)?;
    let forests = variance::forests(program, &heap.numeric);
    let shapes = heap.proof(program, &forests, &mut budget.clone())?;
    Some(check_shapes(program, function, integers, &shapes, &mut budget.clone()))
}
