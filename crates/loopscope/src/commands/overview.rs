//! `loopscope FILES`: all that is known of each loop in one table, within a few seconds.
//!
//! ```text
//! how many iterations ─► does it stop, where no bound says so ─► what it computes, by cases
//! ```
//!
//! Each function is looked at on its own, several at a time. Cheap questions come first for all functions, so that
//! what the time does not suffice for is the summaries.

use std::time::{Duration, Instant};

use base::{Budget, Interrupt};
use clients::bounds::Bounds;
use clients::summarize::{Request, summarize};
use clients::terminates::Terminates;
use evidence::{LoopBound, LoopReport, Stopping};
use program::interpret::Integers;
use program::{FunctionId, Program};
use report::message::Message;
use report::not_analysed::{lines, with_list};
use report::overview::{AllFindings, overview, overview_json};
use report::summary::FunctionSummary;

use super::loops::summaries;
use super::threads::for_each_function;
use super::{Ending, not_analysed, time_left};
use crate::arguments::LoopsArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::{Form, internal_error, prepare};
use crate::sources::inputs;
use crate::terminal::Terminal;

/// How long a loop may take for its bound, and as long again to show that it stops.
const LOOP_TIME: Duration = Duration::from_secs(1);

/// How long the summaries of a function may take.
const SUMMARY_TIME: Duration = Duration::from_secs(1);

/// Prints the table, and says how the process ends.
pub fn execute(
    arguments: &LoopsArguments,
    time_limit: f64,
    terminal: &Terminal,
    interrupt: &Interrupt,
) -> Ending {
    let start = Instant::now();
    let inputs = inputs(&arguments.files, &arguments.source)?;
    terminal.progress("reading the source");
    let mut prepared = prepare(&inputs.read, Form::Clean).without(inputs.skipped);
    let mut functions = summaries(&prepared.program, &mut prepared.messages);
    if let Some(wanted) = &arguments.function {
        functions.retain(|function| function.name == *wanted);
        if functions.is_empty() {
            prepared.messages.push(Message::error(format!("the program has no function `{wanted}`")));
        }
    }
    let budget = time_left(time_limit, start, interrupt);
    let findings = guarded(|| findings(&prepared.program, &functions, &budget, terminal));
    terminal.progress("");
    let findings = findings.unwrap_or_else(|problem| {
        prepared.messages.push(internal_error("the loops", &problem));
        AllFindings::new()
    });
    let left_out = not_analysed(&prepared, arguments.function.as_deref());
    terminal.messages(&prepared.messages);
    if arguments.output.json {
        let report = overview_json(&functions, &findings, &prepared.messages);
        terminal.print(&(with_list(&report, &left_out) + "\n"));
    } else if !functions.is_empty() || prepared.errors().next().is_none() {
        let report = overview(&functions, &findings, terminal.width());
        terminal.print(&(report + &lines(&prepared.skipped)));
    }
    let code = exit::with_parts_left_out(exit::DONE, left_out.len());
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { code })
}

/// What is found out about the loops of some functions.
fn findings(
    program: &Program,
    functions: &[FunctionSummary],
    budget: &Budget,
    terminal: &Terminal,
) -> AllFindings {
    let with_loops = functions.iter().filter(|function| !function.loops.is_empty());
    let ids: Vec<FunctionId> =
        with_loops.filter_map(|function| program.function_named(&function.name)).collect();
    let mut all = AllFindings::new();
    if ids.is_empty() {
        return all;
    }
    let mut bounds = Bounds::new(program, Integers::Machine);
    bounds.loop_time = LOOP_TIME;
    let mut terminates = Terminates::new(program, Integers::Machine);
    terminates.loop_time = LOOP_TIME;
    let counted = for_each_function(
        program,
        &ids,
        terminal,
        |function| counted(&bounds, &terminates, function, budget),
        |_, _| (Vec::new(), Vec::new()),
    );
    for (loops, stoppings) in counted {
        for (one, stopping) in loops.into_iter().zip(stoppings) {
            let known = all.entry(one.name.clone()).or_default();
            (known.bound, known.stopping) = (Some(one), stopping);
        }
    }
    let work = |function: FunctionId| summarised(program, function, budget);
    for one in for_each_function(program, &ids, terminal, work, |_, _| Vec::new()).into_iter().flatten() {
        let known = all.entry(one.name.clone()).or_default();
        known.summary = Some(one);
    }
    all
}

/// The bounds of a function's loops, and where there are none whether they stop.
fn counted(
    bounds: &Bounds<'_>,
    terminates: &Terminates<'_>,
    function: FunctionId,
    budget: &Budget,
) -> (Vec<LoopBound>, Vec<Option<Stopping>>) {
    let loops = bounds.of_function(function, budget);
    let stopping = match loops.iter().all(|one| one.bound.is_some()) {
        true => vec![None; loops.len()],
        false => terminates.alone(function, budget).into_iter().map(Some).collect(),
    };
    (loops, stopping)
}

fn summarised(program: &Program, function: FunctionId, budget: &Budget) -> Vec<LoopReport> {
    let request = Request {
        function: Some(program.functions[function].name.clone()),
        line: None,
        variables: Vec::new(),
        integers: Integers::Machine,
    };
    summarize(program, &request, &budget.clone().within(SUMMARY_TIME), &mut |_| {}).loops
}
