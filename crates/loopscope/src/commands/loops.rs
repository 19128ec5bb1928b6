//! `loopscope loops`: the table of all loops, as the source has them.

use loops::LoopNames;
use program::Program;
use report::message::{Message, Severity};
use report::not_analysed::{lines, with_list};
use report::summary::{FunctionSummary, loops_json, summary};
use report::table::table;

use super::{Ending, not_analysed};
use crate::arguments::LoopsArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::{Form, internal_error, prepare};
use crate::sources::inputs;
use crate::terminal::Terminal;

/// Prints the table, and says how the process ends.
pub fn execute(arguments: &LoopsArguments, terminal: &Terminal) -> Ending {
    let inputs = inputs(&arguments.files, &arguments.source)?;
    terminal.progress("reading the source");
    let mut prepared = prepare(&inputs.read, Form::Clean).without(inputs.skipped);
    let mut functions = summaries(&prepared.program, &mut prepared.messages);
    terminal.progress("");
    if let Some(wanted) = &arguments.function {
        functions.retain(|function| function.name == *wanted);
        if functions.is_empty() {
            prepared.messages.push(Message::error(format!("the program has no function `{wanted}`")));
        }
    }
    let left_out = not_analysed(&prepared, arguments.function.as_deref());
    terminal.messages(&prepared.messages);
    if arguments.output.json {
        terminal.print(&(with_list(&loops_json(&functions, &prepared.messages), &left_out) + "\n"));
    } else if !functions.is_empty() || prepared.errors().next().is_none() {
        terminal.print(&(table(&functions, terminal.width()) + &lines(&prepared.skipped)));
    }
    let code = exit::with_parts_left_out(exit::DONE, left_out.len());
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { code })
}

/// All functions; one whose loops make us stumble is left out, and said.
pub(super) fn summaries(program: &Program, messages: &mut Vec<Message>) -> Vec<FunctionSummary> {
    let mut names = LoopNames::new();
    let mut functions = Vec::new();
    for (id, function) in program.functions.iter() {
        match guarded(|| summary(program, id, &mut names)) {
            Ok(found) => functions.extend(found),
            Err(problem) => {
                let message = internal_error(&format!("function `{}`", function.name), &problem);
                messages.push(Message { severity: Severity::Warning, ..message });
            }
        }
    }
    functions
}
