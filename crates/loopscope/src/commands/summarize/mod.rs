//! `loopscope summarize`: what loops compute, by cases.

mod arguments;
pub mod text;

use clients::summarize::{Request, summarize};
use evidence::{CaseReport, LoopReport, Strength, SummaryReport};
use program::Program;
use report::graph::Graph;

pub use self::arguments::Arguments;
use super::shared::*;
use crate::arguments::Format;

/// What a picture shows.
const LOOPS: Drawn =
    Drawn { one: "a picture shows one loop, and there are", help: "choose one with --loop LINE" };

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
            return Err(error(format!("the program has no variable `{name}`")));
        }
        let budget = time_left(self.time_limit, start, interrupt);
        let watch = watched(terminal);
        let found = guarded(|| summarize(&prepared.program, &request, &budget, &watch));
        terminal.progress("");
        let report = found.map_err(|message| vec![internal_error("the summaries", &message)])?;
        let left_out = not_analysed(&prepared, request.function.as_deref());
        if let (Some(line), true, true) = (request.line, report.loops.is_empty(), left_out.is_empty()) {
            return Err(error(format!("no loop stands on line {line}")));
        }
        match self.format {
            Format::Text => {
                show(terminal, self.output.json, &report, || text::render(&report), &left_out);
            }
            Format::Dot | Format::Svg => terminal.print(&draw(&graphs(&report), self.format, LOOPS)?),
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

/// The automata of the loops.
fn graphs(report: &SummaryReport) -> Vec<Graph> {
    let automaton = |one: &LoopReport| Some(text::automaton(&one.name, one.automaton.as_ref()?));
    report.loops.iter().filter_map(automaton).collect()
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
