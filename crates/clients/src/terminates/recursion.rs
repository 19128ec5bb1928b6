//! Recursions: functions that call each other by name, and why such calls are not nested for ever.
//!
//! A function that calls itself is looked at as a loop whose passes are calls in calls
//! ([`certify::standalone::nested_calls`]), and so are several that call each other
//! ([`certify::standalone::circle_of_calls`]), so that whatever shows that a loop is left shows that the recursion ends.

use base::Budget;
use certify::standalone::{Nested, circle_of_calls, nested_calls, standalone};
use loops::LoopForest;
use program::{FunctionId, Program};

use super::Terminates;
use super::alone::{Found, Missing, Question, Stage, arguments};

/// The calls of a circle as a loop of its first function, which stands on its own.
pub(super) fn as_loop(program: &Program, circle: &[FunctionId]) -> Option<Nested> {
    match *circle {
        [function] => {
            let nested = nested_calls(program, function)?;
            Some(Nested { program: standalone(&nested.program), head: nested.head })
        }
        _ => circle_of_calls(program, circle),
    }
}

/// An argument why the calls of a circle are not nested for ever, whatever the functions are given.
pub(super) fn argument(
    terminates: &Terminates<'_>,
    circle: &[FunctionId],
    stage: Stage,
    budget: &mut Budget,
) -> Result<Found, Missing> {
    let refused = || Missing::Reason(String::from("a function is called in another way than it is defined"));
    let nested = as_loop(terminates.program, circle).ok_or_else(refused)?;
    let body = nested.program.functions[circle[0]].body().ok_or(Missing::NoArgument)?;
    let forest = LoopForest::of(body);
    let wanted = forest.with_head(nested.head).ok_or(Missing::NoArgument)?;
    let question = Question {
        program: &nested.program,
        function: circle[0],
        forest: &forest,
        wanted: vec![wanted],
        facts: Vec::new(),
        integers: terminates.integers,
        loop_time: terminates.loop_time,
        stage,
    };
    arguments(&question, budget).pop().unwrap_or(Err(Missing::NoArgument))
}
