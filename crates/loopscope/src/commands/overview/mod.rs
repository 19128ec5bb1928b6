//! `loopscope FILES`: all that is known of each loop in one table, within a few seconds.

mod arguments;
mod text;

use std::collections::HashMap;

use clients::overview::AllFindings;
use program::FunctionId;

pub use self::arguments::Arguments;
use super::shared::*;

impl Command for Arguments {
    const NAME: &'static str = "loopscope";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let (mut prepared, functions) = self.loops.functions(terminal)?;
        let program = &prepared.program;
        let with_loops = functions.iter().filter(|function| !function.loops.is_empty());
        let names: HashMap<&str, FunctionId> =
            program.functions.iter().rev().map(|(id, function)| (function.name.as_str(), id)).collect();
        let ids: Vec<FunctionId> =
            with_loops.filter_map(|function| names.get(function.name.as_str()).copied()).collect();
        let budget = time_left(self.time_limit, start, interrupt);
        let watch = watched(terminal);
        let findings = guarded(|| clients::overview::run(program, &ids, &budget, &watch));
        terminal.progress("");
        let findings = findings.unwrap_or_else(|problem| {
            prepared.messages.push(internal_error("the loops", &problem));
            AllFindings::new()
        });
        let json = text::json(&functions, &findings, &prepared.messages);
        let text = text::render(&functions, &findings, terminal.width());
        Ok(self.loops.print(&prepared, &functions, &json, &text, terminal))
    }
}
