//! `loopscope bounds`: how many iterations each loop makes at most.

mod arguments;
pub mod text;

use clients::bounds;
use evidence::BoundsReport;

pub use self::arguments::Arguments;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "bounds";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let program = &prepared.program;
        require_function(program, self.function.as_deref())?;
        let budget = time_left(self.time_limit, start, interrupt);
        let report = analysed(terminal, |watch| {
            bounds::run(program, self.integers.into(), self.function.as_deref(), &budget, watch)
        })?;
        let left_out = not_analysed(&prepared, self.function.as_deref());
        show(terminal, self.output.json, &text::json(&report), || text::render(&report), &left_out);
        let code = exit::with_parts_left_out(code(&report), left_out.len());
        Ok(prepared.code(code))
    }
}

/// The code for the bounds of loops.
fn code(report: &BoundsReport) -> u8 {
    if report.loops.iter().all(|one| one.bound.is_some()) { exit::DONE } else { exit::UNKNOWN }
}
