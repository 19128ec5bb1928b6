//! `loopscope bounds`: how many iterations each loop makes at most.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use base::{Budget, Interrupt};
use clients::bounds::{Bounds, arranged};
use evidence::{BoundsReport, LoopBound};
use program::{FunctionId, Program};
use report::message::Message;

use super::{Ending, read, time_left};
use crate::arguments::BoundsArguments;
use crate::exit;
use crate::guard::{STACK_BYTES, guarded};
use crate::pipeline::Form;
use crate::terminal::Terminal;

/// Prints the bounds, and says how the process ends.
pub fn execute(arguments: &BoundsArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let start = Instant::now();
    let prepared = read(&arguments.files, &arguments.source, Form::Clean, terminal)?;
    let program = &prepared.program;
    if let Some(wanted) = &arguments.function
        && program.function_named(wanted).is_none_or(|function| program.functions[function].body().is_none())
    {
        return Err(vec![Message::error(format!("the program has no function `{wanted}`"))]);
    }
    let budget = time_left(arguments.time_limit, start, interrupt);
    let bounds = guarded(|| Bounds::new(program, arguments.integers.into()))
        .map_err(|problem| vec![Message::error(format!("internal error: {problem}"))])?;
    let wanted = |function: &FunctionId| {
        arguments.function.as_ref().is_none_or(|name| *name == program.functions[*function].name)
    };
    let functions: Vec<FunctionId> = bounds.functions().into_iter().filter(wanted).collect();
    let report = all(program, &bounds, &functions, &budget, terminal);
    terminal.progress("");
    if arguments.output.json {
        terminal.print(&(report::bounds::bounds_json(&report) + "\n"));
    } else {
        terminal.print(&report::bounds::bounds(&report));
    }
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { exit::of_bounds(&report) })
}

/// The loops of some functions, several functions at a time. A bug of ours costs the function in which it shows.
fn all(
    program: &Program,
    bounds: &Bounds<'_>,
    functions: &[FunctionId],
    budget: &Budget,
    terminal: &Terminal,
) -> BoundsReport {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Vec<LoopBound>>>> = Mutex::new(vec![None; functions.len()]);
    let work = |is_first: bool| {
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&function) = functions.get(place)
        {
            if is_first {
                let name = &program.functions[function].name;
                terminal.progress(&format!("{name}: function {} of {}", place + 1, functions.len()));
            }
            let loops = guarded(|| bounds.of_function(function, budget))
                .unwrap_or_else(|problem| bounds.unbounded(function, &format!("internal error: {problem}")));
            if let Ok(mut found) = found.lock() {
                found[place] = Some(loops);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(functions.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread less is only slower.
            _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || work(false));
        }
        work(true);
    });
    let found = found.into_inner().unwrap_or_default();
    arranged(found.into_iter().map(Option::unwrap_or_default).collect())
}
