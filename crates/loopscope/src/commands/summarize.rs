//! `loopscope summarize`: what loops compute, by cases.

use std::time::Instant;

use base::{Budget, Interrupt};
use clients::summarize::{Request, summarize};
use evidence::SummaryReport;
use program::Program;
use report::message::Message;
use report::not_analysed::{lines, with_list};

use super::{Ending, not_analysed, read, require_function, time_left};
use crate::arguments::{SummarizeArguments, SummaryFormat};
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::Form;
use crate::terminal::Terminal;

/// Prints what was found, and says how the process ends.
pub fn execute(arguments: &SummarizeArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let start = Instant::now();
    let request = Request {
        function: arguments.function.clone(),
        line: arguments.at,
        variables: arguments.variables.clone(),
        integers: arguments.integers.into(),
    };
    let prepared = read(&arguments.files, &arguments.source, Form::Clean, terminal)?;
    require_function(&prepared.program, request.function.as_deref())?;
    if let Some(name) = request.variables.iter().find(|name| !names_a_variable(&prepared.program, name)) {
        return Err(vec![Message::error(format!("the program has no variable `{name}`"))]);
    }
    let budget = time_left(arguments.time_limit, start, interrupt);
    let found = analyse(&prepared.program, &request, &budget, terminal);
    terminal.progress("");
    let report = found.map_err(|message| vec![crate::pipeline::internal_error("the summaries", &message)])?;
    let left_out = not_analysed(&prepared, request.function.as_deref());
    if let (Some(line), true, true) = (request.line, report.loops.is_empty(), left_out.is_empty()) {
        return Err(vec![Message::error(format!("no loop stands on line {line}"))]);
    }
    match arguments.format {
        SummaryFormat::Text if arguments.output.json => {
            terminal.print(&(with_list(&report::cases::summaries_json(&report), &left_out) + "\n"));
        }
        SummaryFormat::Text => terminal.print(&(report::cases::summaries(&report) + &lines(&left_out))),
        SummaryFormat::Dot | SummaryFormat::Svg => terminal.print(&draw(&report, arguments.format)?),
    }
    let code = exit::with_parts_left_out(exit::of_summaries(&report), left_out.len());
    Ok(if prepared.errors().next().is_some() { exit::BAD_INPUT } else { code })
}

/// Whether some function speaks of a variable with this name.
fn names_a_variable(program: &Program, name: &str) -> bool {
    let mut bodies = program.functions.iter().filter_map(|(_, function)| function.body());
    bodies.any(|body| body.variables.iter().any(|(_, variable)| variable.name == *name))
        || program.globals.iter().any(|global| global.variable.name == *name)
}

/// A picture of the automaton of one loop, or all of them in Graphviz's language.
fn draw(report: &SummaryReport, format: SummaryFormat) -> Result<String, Vec<Message>> {
    let graphs: Vec<_> = report
        .loops
        .iter()
        .filter_map(|one| Some(report::cases::automaton(&one.name, one.automaton.as_ref()?)))
        .collect();
    match (format, &graphs[..]) {
        (SummaryFormat::Svg, [one]) => Ok(report::svg::svg(one)),
        (SummaryFormat::Svg, _) => {
            let text = format!("a picture shows one loop, and there are {}", graphs.len());
            Err(vec![Message::error(text).help("choose one with --loop LINE")])
        }
        _ => Ok(graphs.iter().map(report::graph::Graph::to_dot).collect()),
    }
}

/// A bug of ours is an error like others.
fn analyse(
    program: &Program,
    request: &Request,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<SummaryReport, String> {
    let mut progress = |name: &str| terminal.progress(&format!("summarising the loops of {name}"));
    guarded(|| summarize(program, request, budget, &mut progress))
}
