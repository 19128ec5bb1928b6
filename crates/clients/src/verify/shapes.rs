//! Proves that every run of a program with linked lists ends: by the lengths of their segments.
//!
//! The variance analysis over shapes (section 6 of the paper on variance analyses) finds symbolic heaps and ranks; the kernel
//! executes the paths between loop heads on its own and accepts or refuses ([`certify::shapes`]).

use base::Budget;
use certify::shapes::check_shapes;
use engines::variance::{self, HeapProgram};
use evidence::{Manner, Reason, Verdict};
use program::Program;

use crate::Property;
use crate::refute::{Question, entry};

/// Proves that every run ends, or gives the reason why it does not. Says nothing of programs without lists.
pub(super) fn shapes(
    program: &Program,
    question: &Question,
    budget: &Budget,
) -> Result<Verdict, Vec<Reason>> {
    if question.property != Property::Termination {
        return Err(Vec::new());
    }
    let function = entry(program, &question.function).map_err(|reason| vec![reason])?;
    let found = HeapProgram::of(program, function, question.integers, None).and_then(|heap| {
        let forests = variance::forests(program, &heap.numeric);
        heap.proof(program, &forests, &mut budget.clone())
    });
    let Some(shapes) = found else { return Err(Vec::new()) };
    match check_shapes(program, function, question.integers, &shapes, &mut budget.clone()) {
        Ok(certificate) => {
            let evidence = Box::new(certificate.into_evidence());
            Ok(Verdict::Proved { evidence, manner: Manner::default() })
        }
        Err(refusal) => Err(vec![Reason::NotConfirmed { what: refusal.to_string(), place: None }]),
    }
}
