//! Recursions: functions that call each other by name, and why such calls are not nested for ever.
//!
//! A function that calls itself is looked at as a loop whose passes are calls in calls
//! ([`certify::standalone::nested_calls`]), and so are several that call each other
//! ([`certify::standalone::circle_of_calls`]), so that whatever shows that a loop is left shows that the recursion ends.

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use certify::standalone::{Nested, circle_of_calls, nested_calls, standalone};
use loops::LoopForest;
use program::{FunctionId, Program};

use super::alone::{Found, Missing, Question, Stage, arguments};
use super::{Terminates, called};

/// The circles of calls in a program, each as its functions in order.
pub(super) fn circles(program: &Program) -> Vec<Vec<FunctionId>> {
    let calls: BTreeMap<FunctionId, BTreeSet<FunctionId>> = program
        .functions
        .iter()
        .filter_map(|(function, description)| Some((function, called(description.body()?))))
        .collect();
    let reached: BTreeMap<FunctionId, BTreeSet<FunctionId>> =
        calls.keys().map(|&function| (function, behind(&calls, function))).collect();
    let mut circles: Vec<Vec<FunctionId>> = Vec::new();
    for (&function, own) in reached.iter().filter(|(function, own)| own.contains(function)) {
        if circles.iter().any(|circle| circle.contains(&function)) {
            continue;
        }
        let is_with = |other: &FunctionId| reached.get(other).is_some_and(|back| back.contains(&function));
        circles.push(own.iter().copied().filter(is_with).collect());
    }
    circles
}

/// The functions that calls lead to from a function: itself only if it is called again.
fn behind(calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>, function: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut left = vec![function];
    while let Some(one) = left.pop() {
        let next = calls.get(&one).into_iter().flatten();
        left.extend(next.copied().filter(|&other| found.insert(other)));
    }
    found
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_once() {
        let text = "data_model LP64
            function a() { b0: call b() return }
            function b() { b0: call c() return }
            function c() { b0: call b() call d() return }
            function d() { b0: call d() return }";
        let program = program::text::parse(text).expect("the test's program parses");
        let names: Vec<Vec<&str>> = circles(&program)
            .iter()
            .map(|circle| circle.iter().map(|&one| program.functions[one].name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["b", "c"], vec!["d"]]);
    }
}
