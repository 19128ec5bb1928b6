//! `loopscope bounds`: how many iterations each loop makes at most.

use std::time::Instant;

use base::Interrupt;
use clients::bounds::{Bounds, arranged};
use program::FunctionId;
use report::message::Message;
use report::not_analysed::{lines, with_list};

use super::threads::for_each_function;
use super::{Ending, not_analysed, read, require_function, time_left};
use crate::arguments::BoundsArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::Form;
use crate::terminal::Terminal;

/// Prints the bounds, and says how the process ends.
pub fn execute(arguments: &BoundsArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let start = Instant::now();
    let prepared = read(&arguments.files, &arguments.source, Form::Clean, terminal)?;
    let program = &prepared.program;
    require_function(program, arguments.function.as_deref())?;
    let budget = time_left(arguments.time_limit, start, interrupt);
    let bounds = guarded(|| Bounds::new(program, arguments.integers.into()))
        .map_err(|problem| vec![Message::error(format!("internal error: {problem}"))])?;
    let wanted = |function: &FunctionId| {
        arguments.function.as_ref().is_none_or(|name| *name == program.functions[*function].name)
    };
    let functions: Vec<FunctionId> = bounds.functions().into_iter().filter(wanted).collect();
    let found = for_each_function(
        program,
        &functions,
        terminal,
        |function| bounds.of_function(function, &budget),
        |function, problem| bounds.unbounded(function, problem),
    );
    let report = arranged(found);
    terminal.progress("");
    let left_out = not_analysed(&prepared, arguments.function.as_deref());
    if arguments.output.json {
        terminal.print(&(with_list(&report::bounds::bounds_json(&report), &left_out) + "\n"));
    } else {
        terminal.print(&(report::bounds::bounds(&report) + &lines(&left_out)));
    }
    let code = exit::with_parts_left_out(exit::of_bounds(&report), left_out.len());
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { code })
}
