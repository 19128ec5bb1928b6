//! `loopscope terminates`: does each loop and recursion stop, and why?

mod arguments;
pub mod text;

use clients::TerminationReport;
use clients::terminates;

pub use self::arguments::Arguments;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "terminates";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let program = &prepared.program;
        require_function(program, self.function.as_deref())?;
        let budget = time_left(self.time_limit, start, interrupt);
        let report = analysed(terminal, |watch| {
            terminates::run(program, self.integers.into(), self.function.as_deref(), &budget, watch)
        })?;
        let left_out = not_analysed(&prepared, self.function.as_deref());
        show(terminal, self.output.json, &text::json(&report), || text::render(&report), &left_out);
        let code = code(&report, left_out.len(), self.require_termination);
        Ok(prepared.code(code))
    }
}

/// The code for whether loops stop; every one may have to. Of some parts of the input nothing may be known.
fn code(report: &TerminationReport, left_out: usize, required: bool) -> u8 {
    let (stop, run, unknown) = report.counts();
    match (stop, run, unknown + left_out) {
        (_, 0, 0) => exit::DONE,
        (_, 0, _) if !required => exit::UNKNOWN,
        _ => exit::REFUTED,
    }
}
