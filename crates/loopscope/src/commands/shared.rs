//! What several commands do: read the program, find where runs start, say what was not analysed.

use std::path::PathBuf;
use std::time::Duration;

use clients::Verdict;
use clients::functions::{Progress, Watch, root};
use evidence::Reason;
use program::Program;
use report::graph::Graph;
use report::message::Severity;
use report::not_analysed::NotAnalysed;
use serde::Serialize;
use serde_json::json;

use crate::arguments::{Format, SourceArguments, WorldArguments};
use crate::pipeline::prepare;
use crate::sources::inputs;

// What nearly every command needs.
pub use super::{Command, ExitStatus};
pub(super) use crate::exit;
pub use crate::pipeline::{Form, Prepared, internal_error};
pub use crate::terminal::Terminal;
pub use base::{Budget, Interrupt, guarded};
pub use report::json::{document, document_of};
pub use report::message::Message;
pub use report::not_analysed::lines;
pub use std::time::Instant;

/// Reads the files of a command, and shows what is to be said about them.
pub fn read(
    files: &[PathBuf],
    source: &SourceArguments,
    form: Form,
    terminal: &Terminal,
) -> Result<Prepared, Vec<Message>> {
    terminal.progress("reading the source");
    let prepared = prepared(files, source, form);
    terminal.progress("");
    let prepared = prepared?;
    terminal.messages(&prepared.messages);
    Ok(prepared)
}

/// Reads the files of a command. The program knows what the user says about the world outside.
pub fn prepared(files: &[PathBuf], source: &SourceArguments, form: Form) -> Result<Prepared, Vec<Message>> {
    let inputs = inputs(files, source)?;
    let mut prepared = prepare(&inputs.read, form).without(inputs.skipped);
    assume(&mut prepared.program, source.world);
    Ok(prepared)
}

/// Takes over what the user says about the world outside.
fn assume(program: &mut Program, said: WorldArguments) {
    program.world.failing_allocation |= said.malloc_may_fail;
    program.world.empty_command_line |= said.argc_may_be_zero;
    if said.whole_program {
        (program.world.open, program.world.closed_by_user) = (false, true);
    }
    if said.ordinary_volatile {
        program::outside::take_volatile_for_memory(program);
    }
}

/// That a function which is asked for is there, and is defined. That it could be represented is another question.
pub fn require_function(program: &Program, wanted: Option<&str>) -> Result<(), Vec<Message>> {
    let is_there = |name: &str| {
        let function = program.function_named(name);
        function.is_some_and(|function| program.functions[function].is_defined())
    };
    match wanted.filter(|name| !is_there(name)) {
        Some(name) => Err(error(format!("the program has no function `{name}`"))),
        None => Ok(()),
    }
}

/// The function that runs start in: the one that is asked for, `main`, or the only one that no other function calls.
/// A `main` that is only declared, or that could not be represented, is still where the program starts.
pub fn entry(program: &Program, wanted: Option<&str>, terminal: &Terminal) -> String {
    const MAIN: &str = "main";
    if let Some(name) = wanted {
        return name.to_owned();
    }
    if program.function_named(MAIN).is_some() {
        return MAIN.to_owned();
    }
    let Some(name) = root(program) else { return MAIN.to_owned() };
    let text = format!("there is no function `main`: runs start in `{name}`, with arbitrary arguments");
    terminal.messages(&[Message::new(Severity::Note, text)]);
    name.to_owned()
}

/// What a report on all loops, or on those of one function, does not speak of.
pub fn not_analysed(prepared: &Prepared, wanted: Option<&str>) -> Vec<NotAnalysed> {
    let functions = report::not_analysed::functions(&prepared.program, wanted);
    prepared.skipped.iter().cloned().chain(functions).collect()
}

/// The end of a command whose runs would start in a function that could not be represented: that is all there is to say.
pub fn unsupported_entry(prepared: &Prepared, name: &str, json: bool, terminal: &Terminal) -> Option<u8> {
    let function = report::not_analysed::functions(&prepared.program, Some(name));
    let first = function.first()?;
    if json {
        terminal.print(&document(&json!({}), &function));
    } else {
        let reason = Reason::Unsupported { construct: first.reason.clone(), place: first.place.clone() };
        terminal.print(&lines(&function));
        terminal.verdict(&Verdict::unknown(reason).to_string());
    }
    Some(exit::UNKNOWN)
}

/// Prints an answer, as JSON or as text, and what it does not speak of.
pub fn show(
    terminal: &Terminal,
    json: bool,
    answer: &impl Serialize,
    text: impl FnOnce() -> String,
    left_out: &[NotAnalysed],
) {
    terminal.print(&if json { document(answer, left_out) } else { text() + &lines(left_out) });
}

/// Analyses the loops of a program while the terminal shows which, and says if a bug of ours ends that.
pub fn analysed<T>(terminal: &Terminal, work: impl FnOnce(Watch<'_>) -> T) -> Result<T, Vec<Message>> {
    let found = guarded(|| work(&watched(terminal)));
    terminal.progress("");
    found.map_err(|problem| error(format!("internal error: {problem}")))
}

/// What a picture shows: said if there is more than one of it.
#[derive(Clone, Copy)]
pub struct Drawn {
    /// What a picture shows, as the start of a sentence that ends in their number.
    pub one: &'static str,
    /// What the user can do.
    pub help: &'static str,
}

/// A picture of one graph, or all of them in Graphviz's language.
pub fn draw(graphs: &[Graph], format: Format, what: Drawn) -> Result<String, Vec<Message>> {
    match (format, graphs) {
        (Format::Svg, [one]) => Ok(report::svg::svg(one)),
        (Format::Svg, _) => {
            Err(vec![Message::error(format!("{} {}", what.one, graphs.len())).help(what.help)])
        }
        _ => Ok(graphs.iter().map(Graph::to_dot).collect()),
    }
}

/// An error that ends a command.
pub fn error(text: impl Into<String>) -> Vec<Message> {
    vec![Message::error(text)]
}

/// The share of a time limit that is for analyses. The rest is for telling what they have found.
const ANALYSES: f64 = 0.97;

/// What is left of a time limit in seconds, until somebody interrupts.
pub fn time_left(limit: f64, start: Instant, interrupt: &Interrupt) -> Budget {
    let limit = Duration::from_secs_f64(limit.min(1e9) * ANALYSES);
    Budget::unlimited().within(limit.saturating_sub(start.elapsed())).interrupted_by(interrupt.clone())
}

/// Shows on the terminal what is being examined.
pub fn watched(terminal: &Terminal) -> impl Fn(Progress<'_>) + Sync {
    |progress| {
        terminal.progress(&match progress {
            Progress::Function(name, number, all) => format!("{name}: function {number} of {all}"),
            Progress::OnlyRun => String::from("the run of a program without inputs"),
            Progress::Runs(name) => format!("runs of {name}"),
        });
    }
}
