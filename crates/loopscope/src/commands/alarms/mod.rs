//! `loopscope alarms`: every obligation of a program, and what is known about it.

mod arguments;
mod text;

use clients::Listing;
use clients::Property;
use clients::alarms::{ALL, Alarms, Progress, Request, USUAL};
use evidence::Reason;
use program::Program;
use program::interpret::ObligationSet;

pub use self::arguments::Arguments;
use super::shared::*;
use super::verify::property;
use crate::sources::Lines;

impl Command for Arguments {
    const NAME: &'static str = "alarms";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let kinds = kinds(self).map_err(error)?;
        let request = Request { kinds, function: self.function.clone(), integers: self.integers.into() };
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        if prepared.errors().next().is_some() {
            // What is missing could change everything that could be said.
            return Ok(exit::BAD_INPUT);
        }
        let wanted = self.function.as_deref();
        let unsupported =
            wanted.and_then(|name| unsupported_entry(&prepared, name, self.output.json, terminal));
        if let Some(code) = unsupported {
            return Ok(code);
        }
        let budget = time_left(self.time_limit, start, interrupt);
        let listing = list(&prepared.program, &request, &budget, terminal)
            .map_err(|reason| error(reason.to_string()))?;
        let left_out = not_analysed(&prepared, wanted);
        if self.output.json {
            let kinds: Vec<_> = kinds.iter().collect();
            terminal.print(&document_of(text::json(&listing, &kinds), &left_out));
        } else {
            let lines = Lines::default();
            let report = text::render(&listing, &prepared.program, &|place| lines.at(place));
            terminal.print(&(report + &report::not_analysed::lines(&prepared.skipped)));
        }
        Ok(exit::with_parts_left_out(code(&listing), left_out.len()))
    }
}

/// Examines one function after the other; a bug of ours costs the one in which it shows.
fn list(
    program: &Program,
    request: &Request,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<Listing, Reason> {
    let mut alarms = Alarms::new(program, request)?;
    while let Some(function) = alarms.next_function() {
        if let Err(stop) = budget.clone().spend(0) {
            alarms.add_failure(function, Reason::Budget { stop });
            alarms.give_up(&Reason::Budget { stop });
            break;
        }
        let name = &program.functions[function].name;
        let left = match alarms.left() {
            0 => String::new(),
            left => format!(" ({left} more to come)"),
        };
        let mut progress = |progress: Progress| {
            terminal.progress(&match progress {
                Progress::Summarising(done, all) => {
                    format!("{name}{left}: {done} of {all} nests of loops summarised")
                }
                Progress::Examining(done, all) => format!("{name}{left}: {done} of {all} checks hold so far"),
            });
        };
        match guarded(|| alarms.examine(function, budget, &mut progress)) {
            Ok(examined) => alarms.add(function, examined),
            Err(message) => {
                let at = format!("the obligations on runs from {name}");
                alarms.add_failure(function, Reason::Internal { at, message });
            }
        }
    }
    terminal.progress("");
    Ok(alarms.finish())
}

/// The kinds of obligations that the user means.
fn kinds(arguments: &Arguments) -> Result<ObligationSet, String> {
    match &arguments.property {
        None if arguments.all => Ok(ALL),
        None => Ok(USUAL),
        Some(name) => match property(name)? {
            Property::Termination => Err(String::from(
                "termination is no obligation of a place: ask for it with `loopscope verify`",
            )),
            other => Ok(other.obligations()),
        },
    }
}

/// The code for a list of obligations.
fn code(listing: &Listing) -> u8 {
    match (listing.is_refuted(), listing.is_proved()) {
        (true, _) => exit::REFUTED,
        (false, true) => exit::DONE,
        (false, false) => exit::UNKNOWN,
    }
}
