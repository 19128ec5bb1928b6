//! The list of all obligations of a program, as text and JSON.
//!
//! The JSON form of the list is one object:
//!
//! ```text
//! { "schema": 2,
//!   "kinds": ["out-of-bounds", …],                     what was asked for
//!   "counts": { "proved": 3, "unreachable": 0, "unknown": 1, "refuted": 0 },
//!   "functions": [ {
//!     "function": "copy", "place": {"file": …, "line": 3, "column": 5} or null,
//!     "entry": "main",                                 the function that runs start in for what is said here
//!     "not_analysed": null or a reason,                nothing can be said about the function as a whole
//!     "ends": [reason, …],                             where runs that start here are not followed to their end
//!     "obligations": [ {
//!       "obligation": "out-of-bounds", "place": …,
//!       "asked": true,                                 false: not asked for; it may fail, and other answers need it
//!       "status": "proved" | "unreachable" | "unknown" | "refuted",
//!       "reason": …,                                   of `unknown`; an alarm is {"reason": "alarm", "alarm": …}
//!       "counterexample": …                            of `refuted`, as in a verdict
//!     }, … ] }, … ] }
//! ```
//!
//! An alarm is told in [`report::alarms`].

use std::collections::BTreeMap;
use std::fmt::Write;

use clients::{ListedFunction, ListedObligation, Listing, Status};
use evidence::{Counterexample, Failure, Place, Reason};
use program::library::{NONDET_MEMORY, OBJECT};
use program::{Obligation, Program};
use report::alarms::{Source, cut, shortened, trace_lines};
use report::annotations::Assigns;
use report::phrasing::counted;
use serde_json::{Value, json};

use crate::commands::contracts::text::clauses;

/// So many inputs of a run are shown.
const INPUTS: usize = 8;

/// All obligations as text, function by function.
pub fn render(listing: &Listing, program: &Program, source: Source<'_>) -> String {
    let mut text = String::new();
    for function in &listing.functions {
        listed_function(&mut text, program, function, source);
        text.push('\n');
    }
    let _ = writeln!(text, "{}", totals(listing));
    text
}

/// What the JSON form has: the list, and what was asked for.
pub fn json(listing: &Listing, kinds: &[Obligation]) -> Value {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let counts = counts(listing).into_iter().map(|(name, count)| (name.replace(' ', "-"), count));
    json!({"kinds": names, "counts": counts.collect::<BTreeMap<_, _>>(), "functions": listing.functions})
}

/// How many obligations there are of each status, all of them named.
fn counts(listing: &Listing) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&'static str, usize> = NAMES.into_iter().map(|name| (name, 0)).collect();
    for one in listing.obligations() {
        *counts.entry(one.status.name()).or_default() += 1;
    }
    counts
}

const NAMES: [&str; 5] = ["proved", "proved under contract", "unreachable", "unknown", "refuted"];

fn totals(listing: &Listing) -> String {
    let all = listing.obligations().count();
    if all == 0 {
        return String::from("no obligations");
    }
    let counts = counts(listing);
    let parts = NAMES.iter().filter(|name| counts[**name] > 0);
    let parts: Vec<String> = parts.map(|name| format!("{} {name}", counts[name])).collect();
    format!("{}: {}", counted(all, "obligation"), parts.join(", "))
}

fn listed_function(text: &mut String, program: &Program, function: &ListedFunction, source: Source<'_>) {
    let place = function.place.as_ref().map(|place| format!(" ({})", place.short())).unwrap_or_default();
    let start = match function.entry.as_str() {
        "main" => String::new(),
        _ if function.contract.is_some() => String::from(", for callers that see to what it requires"),
        entry if entry == function.function => String::from(", as if the program started in it"),
        entry => format!(", as if the program started in {entry}"),
    };
    let _ = writeln!(text, "{}{place}{start}", function.function);
    let clauses = function.contract.iter().flat_map(|one| clauses(program, one, &Assigns::Anything));
    for (what, clause) in clauses.filter(|(what, _)| what == "requires") {
        let _ = writeln!(text, "  {what} {clause}");
    }
    if let Some(reason) = &function.not_analysed {
        let _ = writeln!(text, "  not analysed: {reason}");
    }
    for end in &function.ends {
        let _ = writeln!(text, "  not followed, so that what may come after is unknown: {end}");
    }
    let rows = rows(&function.obligations);
    let width = rows.iter().map(|row| row.place.chars().count()).max().unwrap_or(0);
    let kinds = rows.iter().map(|row| row.kinds.chars().count()).max().unwrap_or(0);
    let mut last = None;
    let mut described = Vec::new();
    for row in &rows {
        // The line of the source is shown once.
        let line = row.at.map(|place| (&place.file, place.line));
        let shown = row.at.filter(|_| line != last).and_then(source).map(|text| cut(&text));
        last = line;
        let line = format!(
            "  {:width$}  {:11}  {:kinds$}  {}",
            row.place,
            row.status.name(),
            row.kinds,
            shown.unwrap_or_default()
        );
        let _ = writeln!(text, "{}", line.trim_end());
        // A reason that many have in common is told once.
        let details = details(row.status);
        if details != described {
            details.iter().for_each(|detail| _ = writeln!(text, "      {detail}"));
        }
        if !details.is_empty() {
            described = details;
        }
    }
}

/// A line of the list: what is known of some obligations at one place.
struct Row<'a> {
    at: Option<&'a Place>,
    place: String,
    kinds: String,
    status: &'a Status,
}

/// Obligations at one place with nothing to tell are one row.
fn rows(obligations: &[ListedObligation]) -> Vec<Row<'_>> {
    let mut sorted: Vec<&ListedObligation> = obligations.iter().collect();
    sorted.sort_by(|a, b| a.place.cmp(&b.place));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for one in sorted {
        let kind = one.obligation.name();
        let kind = if one.asked { kind.to_owned() } else { format!("{kind} (not asked for)") };
        let at = one.place.as_ref();
        let same = |row: &&mut Row<'_>| row.at == at && *row.status == one.status && !tells(row.status);
        if let Some(row) = rows.iter_mut().rev().take_while(|row| row.at == at).find(same) {
            let _ = write!(row.kinds, ", {kind}");
            continue;
        }
        let place = at.map_or_else(|| String::from("?"), Place::to_string);
        let place = place.rsplit('/').next().unwrap_or_default().to_owned();
        rows.push(Row { at, place, kinds: kind, status: &one.status });
    }
    rows
}

/// Whether there is an abstract counterexample.
fn tells(status: &Status) -> bool {
    matches!(status, Status::Refuted { .. } | Status::Unknown { reason: Reason::Alarm { .. } })
}

fn details(status: &Status) -> Vec<String> {
    match status {
        Status::Proved { .. } | Status::Unreachable { .. } | Status::ProvedUnderContract { .. } => Vec::new(),
        Status::Unknown { reason: Reason::Alarm { alarm } } => trace_lines(alarm),
        Status::Unknown { reason } => vec![reason.to_string()],
        Status::Refuted { counterexample } => run_lines(counterexample),
    }
}

/// A run in two or three lines; `verify` tells it step by step.
fn run_lines(run: &Counterexample) -> Vec<String> {
    let mut lines = Vec::new();
    if !run.arguments.is_empty() {
        let words: Vec<String> = run.arguments.iter().map(|word| format!("{word:?}")).collect();
        lines.push(format!("command line:  {}", words.join(" ")));
    }
    if !run.inputs.is_empty() {
        lines.push(format!("inputs:  {}", shortened(repeated(inputs(run).into_iter()), INPUTS)));
    }
    if !run.standard_input.is_empty() {
        lines.push(format!("standard input:  {:?}", String::from_utf8_lossy(&run.standard_input)));
    }
    if let Failure::Violation { message, .. } = &run.failure {
        lines.push(format!("after {}:  {message}", counted(run.steps as usize, "step")));
    }
    lines
}

/// The inputs of a run: bytes of an object together, the lowest first.
fn inputs(run: &Counterexample) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for input in &run.inputs {
        match (input.name.strip_prefix(OBJECT), found.last_mut()) {
            (Some(object), _) => found.push(format!("{object} -> 0x")),
            (None, Some(last)) if input.name == NONDET_MEMORY && last.contains(" -> 0x") => {
                _ = write!(last, "{:02x}", input.value.parse::<u8>().unwrap_or_default());
            }
            _ => found.push(format!("{} = {}", input.name, input.value)),
        }
    }
    found.iter_mut().for_each(|one| {
        let end = one.trim_end_matches("00").len();
        if one.contains(" -> 0x") && end + 8 < one.len() {
            one.replace_range(end.., "00…");
        }
    });
    found
}

/// Parts that come several times in a row as one.
fn repeated(parts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for part in parts {
        match found.last_mut() {
            Some((last, count)) if *last == part => *count += 1,
            _ => found.push((part, 1)),
        }
    }
    let described = |(part, count)| if count == 1 { part } else { format!("{part} ({count} times)") };
    found.into_iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Alarm;

    fn place(line: u32, column: u32) -> Option<Place> {
        Some(Place { file: String::from("source/copy.c"), line, column })
    }

    fn sample() -> Alarm {
        let change = json!({"variable": "i", "before": "0", "after": "16"});
        let abstract_loop = json!({"step": "abstract-loop", "function": "copy", "place": place(12, 5), "iterations": "16", "changes": [change]});
        let access = json!({"object": "buffer", "offset": "16", "bytes": "1", "size": "16"});
        let alarm = json!({
            "obligation": "out-of-bounds", "place": place(14, 9), "function": "copy", "inputs": [],
            "steps": [abstract_loop], "access": access, "operation": null, "missing": null,
        });
        serde_json::from_value(alarm).expect("it is an alarm")
    }

    fn source(place: &Place) -> Option<String> {
        (place.line == 14).then(|| String::from("        buffer[i] = c;"))
    }

    fn listed(obligation: Obligation, column: u32, status: Status) -> ListedObligation {
        ListedObligation { obligation, place: place(14, column), asked: true, status }
    }

    fn list() -> Listing {
        let reason = Reason::Unsupported { construct: String::from("call of scan"), place: place(9, 3) };
        let budget = Reason::Budget { stop: base::Stop::Steps };
        let function = ListedFunction {
            function: String::from("copy"),
            place: place(8, 1),
            entry: String::from("copy"),
            contract: None,
            not_analysed: None,
            ends: vec![reason.clone()],
            obligations: vec![
                listed(
                    Obligation::OutOfBounds,
                    9,
                    Status::Unknown { reason: Reason::Alarm { alarm: Box::new(sample()) } },
                ),
                listed(Obligation::Null, 9, Status::Unknown { reason: budget.clone() }),
                listed(Obligation::Dangling, 9, Status::Unknown { reason: budget }),
                listed(Obligation::Division, 20, Status::Unknown { reason }),
            ],
        };
        Listing { functions: vec![function] }
    }

    #[test]
    fn obligations_are_listed_with_what_is_known() {
        let text = "\
copy (copy.c:8), as if the program started in it
  not followed, so that what may come after is unknown: unsupported: call of scan at source/copy.c:9:3
  copy.c:14:9   unknown      out-of-bounds     buffer[i] = c;
      loop at copy.c:12, 16 iterations:  i: 0 -> 16
      1 byte at offset 16 is outside `buffer` (16 bytes)
  copy.c:14:9   unknown      null, dangling
      step limit reached
  copy.c:14:20  unknown      division-by-zero
      unsupported: call of scan at source/copy.c:9:3

4 obligations: 4 unknown
";
        assert_eq!(render(&list(), &Program::default(), &source), text);
        assert_eq!(render(&Listing::default(), &Program::default(), &source), "no obligations\n");
    }

    #[test]
    fn the_json_form_is_stable() {
        let json = json(&list(), &[Obligation::OutOfBounds]);
        assert_eq!(json["kinds"][0], "out-of-bounds");
        assert_eq!(json["counts"]["unknown"], 4);
        let function = &json["functions"][0];
        assert_eq!((&function["function"], &function["entry"]), (&"copy".into(), &"copy".into()));
        assert_eq!(function["ends"][0]["reason"], "unsupported");
        let one = &function["obligations"][0];
        assert_eq!((&one["status"], &one["obligation"]), (&"unknown".into(), &"out-of-bounds".into()));
        let alarm = &one["reason"]["alarm"];
        assert_eq!(alarm["steps"][0]["step"], "abstract-loop");
        assert_eq!(alarm["steps"][0]["changes"][0]["after"], "16");
        assert_eq!(alarm["access"]["size"], "16");
        assert_eq!(one["place"]["line"], 14);
    }
}
