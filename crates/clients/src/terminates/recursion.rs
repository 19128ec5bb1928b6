//! Recursions: functions that call each other by name, and why such calls are not nested for ever.
//!
//! A function that calls itself is looked at as a loop whose passes are calls in calls
//! ([`transform::self_calls_as_loop`]), and so are several that call each other
//! ([`transform::mutual_calls_as_loop`]), so that whatever shows that a loop is left shows that the recursion ends.

use base::Budget;
use loops::LoopForest;
use program::{FunctionId, Program};
use transform::{RecursionLoop, modular, mutual_calls_as_loop, self_calls_as_loop};

use super::Terminates;
use super::alone::{Found, Missing, Question, Stage, arguments};

/// The calls of a circle as a loop of its first function, which stands on its own.
pub(super) fn as_loop(program: &Program, circle: &[FunctionId]) -> Option<RecursionLoop> {
    match *circle {
        [function] => {
            let nested = self_calls_as_loop(program, function)?;
            Some(RecursionLoop { program: modular(&nested.program), head: nested.head })
        }
        _ => mutual_calls_as_loop(program, circle),
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
