//! `loopscope variance`: how states change from visit to visit of a place, and whether it can be visited for ever.

use std::time::Instant;

use base::{Budget, Interrupt};
use clients::variance::{Request, variance};
use evidence::{Reason, VarianceReport};
use program::Program;
use report::message::Message;
use report::not_analysed::{lines, with_list};

use super::{Ending, entry, not_analysed, read, time_left, unsupported_entry};
use crate::arguments::VarianceArguments;
use crate::exit;
use crate::guard::guarded;
use crate::pipeline::Form;
use crate::terminal::Terminal;

/// Prints what was found, and says how the process ends.
pub fn execute(arguments: &VarianceArguments, terminal: &Terminal, interrupt: &Interrupt) -> Ending {
    let start = Instant::now();
    let prepared = read(&arguments.files, &arguments.source, Form::Clean, terminal)?;
    let request = Request {
        function: entry(&prepared.program, arguments.function.as_deref(), terminal),
        domain: arguments.domain.into(),
        integers: arguments.integers.into(),
        line: arguments.at,
    };
    if prepared.errors().next().is_some() {
        // What is missing could change everything that could be said.
        return Ok(exit::BAD_INPUT);
    }
    if let Some(code) = unsupported_entry(&prepared, &request.function, arguments.output.json, terminal) {
        return Ok(code);
    }
    let budget = time_left(arguments.time_limit, start, interrupt);
    terminal.progress("looking for variance assertions");
    let found = analyse(&prepared.program, &request, &budget);
    terminal.progress("");
    let report = found.map_err(|reason| vec![Message::error(reason.to_string())])?;
    let left_out = not_analysed(&prepared, None);
    if let (Some(line), true, true) = (request.line, report.cutpoints.is_empty(), left_out.is_empty()) {
        return Err(vec![Message::error(format!(
            "no code in a loop starts at line {line} in what `{}` runs",
            request.function
        ))]);
    }
    if arguments.output.json {
        terminal.print(&(with_list(&report::variance::variance_json(&report), &left_out) + "\n"));
    } else {
        terminal.print(&(report::variance::variance(&report) + &lines(&left_out)));
    }
    Ok(exit::with_parts_left_out(exit::of_variance(&report), left_out.len()))
}

/// A bug of ours is a reason like others.
fn analyse(program: &Program, request: &Request, budget: &Budget) -> Result<VarianceReport, Reason> {
    guarded(|| variance(program, request, budget)).unwrap_or_else(|message| {
        Err(Reason::Internal { at: format!("the variance analysis of {}", request.function), message })
    })
}
