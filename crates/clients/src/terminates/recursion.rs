//! Recursions: functions that call each other by name, and why such calls are not nested for ever.
//!
//! A function that calls itself is examined as a loop whose iterations are calls in calls
//! ([`transform::recursion`]), and so are several that call each other,
//! so that whatever shows that a loop is left shows that the recursion ends.

use base::Budget;
use certify::LoopCertificate;
use loops::LoopForest;
use program::FunctionId;

use super::Terminates;
use super::modular_functions::{Query, Stage, arguments};
use crate::functions::Turn;
use crate::termination::loops::Missing;

/// An argument why the calls of a circle are not nested for ever, whatever the functions are given.
pub(super) fn argument(
    terminates: &Terminates<'_>,
    circle: &[FunctionId],
    stage: Stage,
    turn: Turn,
    budget: &mut Budget,
) -> Result<LoopCertificate, Missing> {
    let refused = || Missing::Reason(String::from("a function is called in another way than it is defined"));
    let (program, head) = terminates.modular.recursion(circle).ok_or_else(refused)?;
    let body = program.body().ok_or(Missing::NoArgument)?;
    let forest = LoopForest::of(body);
    let wanted = forest.with_head(head).ok_or(Missing::NoArgument)?;
    let query = Query {
        program: &program,
        forest: &forest,
        wanted: vec![wanted],
        candidates: Vec::new(),
        integers: terminates.integers,
        turn,
        stage,
    };
    arguments(&query, budget).pop().unwrap_or(Err(Missing::NoArgument))
}
