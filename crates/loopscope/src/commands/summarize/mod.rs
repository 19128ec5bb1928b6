//! `loopscope summarize`: what loops compute, by cases.

mod arguments;
pub mod text;

use clients::summarize::{Request, summarize};
use evidence::{CaseReport, LoopReport, Strength, SummaryReport};
use program::Program;

pub use self::arguments::Arguments;
use self::arguments::SummaryFormat;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "summarize";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let request = Request {
            function: self.function.clone(),
            line: self.at,
            variables: self.variables.clone(),
            integers: self.integers.into(),
        };
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        require_function(&prepared.program, request.function.as_deref())?;
        if let Some(name) = request.variables.iter().find(|name| !names_a_variable(&prepared.program, name)) {
            return Err(vec![Message::error(format!("the program has no variable `{name}`"))]);
        }
        let budget = time_left(self.time_limit, start, interrupt);
        let mut progress = |name: &str| terminal.progress(&format!("summarising the loops of {name}"));
        let found = guarded(|| summarize(&prepared.program, &request, &budget, &mut progress));
        terminal.progress("");
        let report = found.map_err(|message| vec![internal_error("the summaries", &message)])?;
        let left_out = not_analysed(&prepared, request.function.as_deref());
        if let (Some(line), true, true) = (request.line, report.loops.is_empty(), left_out.is_empty()) {
            return Err(vec![Message::error(format!("no loop stands on line {line}"))]);
        }
        match self.format {
            SummaryFormat::Text if self.output.json => {
                terminal.print(&document(&report, &left_out));
            }
            SummaryFormat::Text => terminal.print(&(text::render(&report) + &lines(&left_out))),
            SummaryFormat::Dot | SummaryFormat::Svg => terminal.print(&draw(&report, self.format)?),
        }
        let code = exit::with_parts_left_out(code(&report), left_out.len());
        Ok(prepared.code(code))
    }
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
        .filter_map(|one| Some(text::automaton(&one.name, one.automaton.as_ref()?)))
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

/// The code for summaries of loops.
fn code(report: &SummaryReport) -> u8 {
    let is_confirmed = |case: &CaseReport| {
        case.strength == Strength::Confirmed && (case.never || case.counted == Strength::Confirmed)
    };
    let is_known = |one: &LoopReport| {
        !one.cases.is_empty() && one.covered == Strength::Confirmed && one.cases.iter().all(is_confirmed)
    };
    if report.skipped.is_empty() && report.loops.iter().all(is_known) { exit::DONE } else { exit::UNKNOWN }
}
