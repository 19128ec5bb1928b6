//! `loopscope variance`: how states change from visit to visit of a place, and whether it can be visited for ever.

mod arguments;
mod text;

use clients::variance::{Request, variance};
use evidence::{Reason, Strength, VarianceReport};

pub use self::arguments::Arguments;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "variance";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let request = Request {
            function: entry(&prepared.program, self.function.as_deref(), terminal),
            domain: self.domain.into(),
            integers: self.integers.into(),
            line: self.at,
        };
        if prepared.errors().next().is_some() {
            // What is missing could change everything that could be said.
            return Ok(exit::BAD_INPUT);
        }
        if let Some(code) = unsupported_entry(&prepared, &request.function, self.output.json, terminal) {
            return Ok(code);
        }
        let budget = time_left(self.time_limit, start, interrupt);
        terminal.progress("looking for variance assertions");
        let found = guarded(|| variance(&prepared.program, &request, &budget)).unwrap_or_else(|message| {
            Err(Reason::Internal { at: format!("the variance analysis of {}", request.function), message })
        });
        terminal.progress("");
        let report = found.map_err(|reason| error(reason.to_string()))?;
        let left_out = not_analysed(&prepared, None);
        if let (Some(line), true, true) = (request.line, report.cutpoints.is_empty(), left_out.is_empty()) {
            let function = &request.function;
            return Err(error(format!("no code in a loop starts at line {line} in what `{function}` runs")));
        }
        show(terminal, self.output.json, &report, || text::render(&report), &left_out);
        Ok(exit::with_parts_left_out(code(&report), left_out.len()))
    }
}

/// The code for a variance analysis.
fn code(report: &VarianceReport) -> u8 {
    let is_confirmed = |strength: Strength| strength == Strength::Confirmed;
    let places = report.cutpoints.iter().all(|cutpoint| is_confirmed(cutpoint.local_termination));
    if places && report.terminates.is_none_or(is_confirmed) { exit::DONE } else { exit::UNKNOWN }
}
