//! `loopscope verify`: has the program a property?

mod arguments;
mod replay;
pub mod witness;

use std::path::Path;

use clients::Property;
use clients::Verdict;
use clients::refute::Query;
use evidence::{Place, Reason};
use program::Program;
use report::explanation::{explanation, verdict_json};
use report::message::Severity;
use report::trace::Detail;

pub use self::arguments::Arguments;
use super::shared::*;
use crate::sources::Lines;

impl Command for Arguments {
    const NAME: &'static str = "verify";

    fn run(&self, terminal: &Terminal, interrupt: &Interrupt) -> ExitStatus {
        let start = Instant::now();
        let property = property(&self.property).map_err(error)?;
        let prepared = read(&self.files, &self.source, Form::Clean, terminal)?;
        let query = Query {
            property,
            function: entry(&prepared.program, self.function.as_deref(), terminal),
            integers: self.integers.into(),
        };
        let (verdict, code) = match (source_errors(&prepared), missing_part(&prepared)) {
            (Some(reason), _) => (Verdict::unknown(reason), exit::BAD_INPUT),
            (None, Some(reason)) => (Verdict::unknown(reason), exit::UNKNOWN),
            (None, None) => {
                let budget = time_left(self.time_limit, start, interrupt);
                let mut verdict = answer(&prepared, &query, &budget, terminal);
                if self.no_assumptions {
                    verdict = without_assumptions(&prepared.program, &query, verdict);
                }
                let code = exit::of_verdict(&verdict);
                (verdict, code)
            }
        };
        let assumed = assumed(&prepared.program, &query, &verdict);
        let detail = if self.full_trace { Detail::Full } else { Detail::Short };
        show_verdict(terminal, self.output.json, property, &verdict, detail, &assumed);
        terminal.messages(&replay::write(self, &verdict)?);
        if let Some(path) = &self.witness {
            let budget = time_left(self.time_limit, start, interrupt);
            let program = &prepared.program;
            terminal.messages(&witness::write(path, self, program, &query, &verdict, &budget)?);
        }
        Ok(code)
    }
}

fn answer(prepared: &Prepared, query: &Query, budget: &Budget, terminal: &Terminal) -> Verdict {
    let mut progress = |progress: clients::Progress| {
        terminal.progress(&match progress {
            clients::Progress::Runs(runs) => format!("{runs} runs tried"),
            clients::Progress::Unrolling(iterations) => {
                format!("examining all runs of up to {iterations} iterations")
            }
            clients::Progress::Summarising(done, all) => format!("{done} of {all} nests of loops summarised"),
        });
    };
    let verdict = guarded(|| clients::verify(&prepared.program, query, budget, &mut progress))
        .unwrap_or_else(|message| {
            Verdict::unknown(Reason::Internal { at: format!("the search from {}", query.function), message })
        });
    terminal.progress("");
    verdict
}

/// Prints an answer, why it is so, and what it assumes beyond ISO C.
pub(super) fn show_verdict(
    terminal: &Terminal,
    json: bool,
    property: Property,
    verdict: &Verdict,
    detail: Detail,
    assumed: &[String],
) {
    if json {
        terminal.print(&(verdict_json(property.name(), verdict, assumed) + "\n"));
        return;
    }
    let lines = Lines::default();
    terminal.print(&explanation(verdict, detail, &|place| lines.at(place)));
    terminal.messages(&assumed.iter().map(|what| assuming(what)).collect::<Vec<_>>());
    terminal.verdict(&verdict.to_string());
}

/// What a verdict assumes beyond ISO C.
pub(super) fn assumed(program: &Program, query: &Query, verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Unknown { .. } => Vec::new(),
        _ => clients::assumptions(program, query),
    }
}

/// The verdict, unless it is a proof that needs an assumption.
pub(super) fn without_assumptions(program: &Program, query: &Query, verdict: Verdict) -> Verdict {
    if !matches!(verdict, Verdict::Proved(_)) {
        return verdict;
    }
    let mut tacit = program.world;
    (tacit.closed_by_user, tacit.ordinary_volatile) = (false, false);
    let assumed = clients::assumptions_in(program, tacit, query);
    match assumed.into_iter().next() {
        Some(what) => Verdict::unknown(Reason::Assumption { what }),
        None => verdict,
    }
}

/// That an answer rests on something.
fn assuming(what: &str) -> Message {
    Message::new(Severity::Note, format!("assuming that {what}"))
}

/// The property that the user means: a name, or a file with its text.
pub(super) fn property(text: &str) -> Result<Property, String> {
    let by_name = Property::from_name(text);
    let is_file = text.ends_with(".prp") || Path::new(text).is_file();
    if by_name.is_ok() || !is_file {
        return by_name.map_err(|error| error.to_string());
    }
    let content = std::fs::read_to_string(text)
        .map_err(|error| format!("cannot read the property file `{text}`: {error}"))?;
    Property::from_property_file(&content).map_err(|error| format!("in the property file `{text}`: {error}"))
}

/// Why a file of the program that was not read leaves no room for an answer: it may change whatever others share with it,
/// and run before `main`.
pub(super) fn missing_part(prepared: &Prepared) -> Option<Reason> {
    let part = prepared.skipped.first()?;
    let construct = format!("`{}`: {}", part.file.as_deref().unwrap_or_default(), part.reason);
    Some(Reason::Unsupported { construct, place: None })
}

/// Why errors in the source leave no room for an answer: what is missing could change it.
pub(super) fn source_errors(prepared: &Prepared) -> Option<Reason> {
    let first = prepared.errors().next()?;
    let place = first.source.as_ref().map(|source| Place {
        file: source.path.clone(),
        line: source.line,
        column: source.column,
    });
    let count = prepared.errors().count();
    Some(Reason::SourceErrors { count, message: first.text.clone(), place })
}
