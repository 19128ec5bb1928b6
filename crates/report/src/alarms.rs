//! Alarms with their leaping counterexamples as short stories, and the list of all obligations of a program.
//!
//! The JSON form of the list is one object:
//!
//! ```text
//! { "schema": 1,
//!   "kinds": ["out-of-bounds", …],                     what was asked for
//!   "counts": { "proved": 3, "unreachable": 0, "unknown": 1, "refuted": 0 },
//!   "functions": [ {
//!     "function": "copy", "place": {"file": …, "line": 3, "column": 5} or null,
//!     "entry": "main",                                 the function that runs start in for what is said here
//!     "not_analysed": null or a reason,                nothing can be said about the function as a whole
//!     "ends": [reason, …],                             where runs that start here are not followed to their end
//!     "obligations": [ {
//!       "obligation": "out-of-bounds", "place": …,
//!       "asked": true,                                 false: nobody asked, but it may fail, and all hangs on it
//!       "status": "proved" | "unreachable" | "unknown" | "refuted",
//!       "reason": …,                                   of `unknown`; an alarm is {"reason": "alarm", "alarm": …}
//!       "counterexample": …                            of `refuted`, as in a verdict
//!     }, … ] }, … ] }
//! ```
//!
//! An alarm has `obligation`, `place`, `function`, `inputs` (as in a counterexample), `steps`, `access` and `missing`. A step
//! is `{"step": "assignment", "function", "variable", "value", "place"}` or
//! `{"step": "leap", "function", "place", "passes", "changes": [{"variable", "before", "after"}, …]}`. The access is
//! `{"object", "offset", "bytes", "size"}`, `missing` is `{"place", "state"}`: the loop whose facts do not rule the story
//! out, and the state at its head. A field is added, never renamed.

use std::collections::BTreeMap;
use std::fmt::Write;

use evidence::{
    Access, Alarm, AlarmStep, Change, Counterexample, Failure, ListedFunction, ListedObligation, Listing,
    Place, Reason, Status,
};
use program::Obligation;
use serde::Serialize;

/// The version of the JSON form of the list.
pub const LISTING_SCHEMA: u32 = 1;

/// So many variables of a straight piece, or of a leap, are shown.
const VARIABLES: usize = 8;
/// So many inputs of a run are shown.
const INPUTS: usize = 8;
/// So many characters of a line of the source are shown.
const SOURCE: usize = 60;

/// Where lines of the source come from: the text at a place, if it is known.
pub type Source<'a> = &'a dyn Fn(&Place) -> Option<String>;

/// An alarm as lines of text: what may go wrong, and the story of how.
pub fn alarm_lines(alarm: &Alarm, source: Source<'_>) -> Vec<String> {
    let what = may(alarm.obligation);
    let text = alarm.place.as_ref().and_then(source).map(|text| cut(&text));
    let place = alarm.place.as_ref().map_or_else(|| String::from("an unknown place"), line_of);
    let title = match text {
        Some(text) => format!("{what}: {text}    {place} in {}", alarm.function),
        None => format!("{what} at {place} in {}", alarm.function),
    };
    let mut lines = vec![title];
    lines.extend(story_lines(alarm).into_iter().map(|line| format!("  {line}")));
    lines
}

/// All obligations as text, function by function.
pub fn listing(listing: &Listing, source: Source<'_>) -> String {
    let mut text = String::new();
    for function in &listing.functions {
        listed_function(&mut text, function, source);
        text.push('\n');
    }
    let _ = writeln!(text, "{}", totals(listing));
    text
}

/// The list as one JSON object.
pub fn listing_json(listing: &Listing, kinds: &[Obligation]) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        schema: u32,
        kinds: Vec<&'a str>,
        counts: BTreeMap<&'static str, usize>,
        #[serde(flatten)]
        listing: &'a Listing,
    }
    let kinds = kinds.iter().map(|kind| kind.name()).collect();
    let answer = Answer { schema: LISTING_SCHEMA, kinds, counts: counts(listing), listing };
    serde_json::to_string_pretty(&answer).unwrap_or_default()
}

/// How many obligations there are of each status, all of them named.
fn counts(listing: &Listing) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&'static str, usize> = NAMES.into_iter().map(|name| (name, 0)).collect();
    for one in listing.obligations() {
        *counts.entry(one.status.name()).or_default() += 1;
    }
    counts
}

const NAMES: [&str; 4] = ["proved", "unreachable", "unknown", "refuted"];

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

fn listed_function(text: &mut String, function: &ListedFunction, source: Source<'_>) {
    let place = function.place.as_ref().map(|place| format!(" ({})", line_of(place))).unwrap_or_default();
    let start = match function.entry.as_str() {
        "main" => String::new(),
        entry if entry == function.function => String::from(", as if the program started in it"),
        entry => format!(", as if the program started in {entry}"),
    };
    let _ = writeln!(text, "{}{place}{start}", function.function);
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
        for detail in details(row.status) {
            let _ = writeln!(text, "      {detail}");
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

/// Whether there is a story.
fn tells(status: &Status) -> bool {
    matches!(status, Status::Refuted { .. } | Status::Unknown { reason: Reason::Alarm { .. } })
}

fn details(status: &Status) -> Vec<String> {
    match status {
        Status::Proved | Status::Unreachable => Vec::new(),
        Status::Unknown { reason: Reason::Alarm { alarm } } => story_lines(alarm),
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
        let inputs = run.inputs.iter().map(|input| format!("{} = {}", input.name, input.value));
        lines.push(format!("inputs:  {}", shortened(inputs.collect(), INPUTS)));
    }
    if !run.standard_input.is_empty() {
        lines.push(format!("standard input:  {:?}", String::from_utf8_lossy(&run.standard_input)));
    }
    if let Failure::Violation { message, .. } = &run.failure {
        lines.push(format!("after {}:  {message}", counted(run.steps as usize, "step")));
    }
    lines
}

/// The story of an alarm: straight pieces, leaps, and what goes wrong in the end.
fn story_lines(alarm: &Alarm) -> Vec<String> {
    let functions: std::collections::BTreeSet<&str> = alarm.steps.iter().map(function_of).collect();
    let mut lines = Vec::new();
    let mut piece: Vec<(&str, &str, &str)> = Vec::new();
    let several = functions.len() > 1;
    for step in &alarm.steps {
        match step {
            AlarmStep::Assignment { function, variable, value, .. } => {
                // Only the last value matters of what is assigned several times in a piece.
                piece.retain(|(other, name, _)| (*other, *name) != (function.as_str(), variable.as_str()));
                piece.push((function, variable, value));
            }
            AlarmStep::Leap { function, place, passes, changes } => {
                straight(&mut lines, &mut piece, several);
                let place = place.as_ref().map_or_else(|| String::from("an unknown place"), line_of);
                let passes = passes.as_ref().map(|passes| match passes.as_str() {
                    "1" => String::from(", 1 pass"),
                    _ => format!(", {passes} passes"),
                });
                let caller = if several { format!(" in {function}") } else { String::new() };
                let changes = shortened(changes.iter().map(change).collect(), VARIABLES);
                let line = format!("loop at {place}{caller}{}:  {changes}", passes.unwrap_or_default());
                lines.push(line.trim_end_matches([':', ' ']).to_owned());
            }
        }
    }
    straight(&mut lines, &mut piece, several);
    lines.extend(end(alarm.obligation, alarm.access.as_ref()));
    if let Some(missing) = &alarm.missing {
        let place = missing.place.as_ref().map(|place| format!(" at {}", line_of(place)));
        lines.push(format!(
            "no fact about the loop{} rules out {}",
            place.unwrap_or_default(),
            missing.state
        ));
    }
    lines
}

fn function_of(step: &AlarmStep) -> &str {
    match step {
        AlarmStep::Assignment { function, .. } | AlarmStep::Leap { function, .. } => function,
    }
}

/// A piece without loops in one line.
fn straight(lines: &mut Vec<String>, piece: &mut Vec<(&str, &str, &str)>, several: bool) {
    if piece.is_empty() {
        return;
    }
    let word = if lines.is_empty() { "straight" } else { "then" };
    let hidden = piece.len().saturating_sub(VARIABLES);
    // Of a long piece the end is nearer to what goes wrong.
    let mut shown = String::new();
    let mut current = None;
    for (function, name, value) in piece.drain(..).skip(hidden) {
        if !shown.is_empty() {
            shown.push_str(if several && current != Some(function) { ";  " } else { ",  " });
        }
        if several && current != Some(function) {
            let _ = write!(shown, "in {function} ");
        }
        let _ = write!(shown, "{name} = {value}");
        current = Some(function);
    }
    let more = if hidden > 0 { format!("… {hidden} more,  ") } else { String::new() };
    lines.push(format!("{word}:  {more}{shown}"));
}

fn change(Change { variable, before, after }: &Change) -> String {
    if before == after { format!("{variable} = {after}") } else { format!("{variable}: {before} -> {after}") }
}

/// What goes wrong in the end.
fn end(obligation: Obligation, access: Option<&Access>) -> Option<String> {
    let Access { object, offset, bytes, size } = access?;
    let bytes = if bytes == "1" { String::from("1 byte") } else { format!("{bytes} bytes") };
    Some(match (obligation, object) {
        (Obligation::Dangling, Some(object)) => format!("`{object}` is not alive"),
        (_, Some(object)) => {
            let size = size.as_ref().map(|size| match size.as_str() {
                "1" => String::from(" (1 byte)"),
                size => format!(" ({size} bytes)"),
            });
            let are = if bytes == "1 byte" { "is" } else { "are" };
            format!("{bytes} at offset {offset} {are} outside `{object}`{}", size.unwrap_or_default())
        }
        (Obligation::Null, None) if offset == "0" => String::from("the pointer is null"),
        (Obligation::Null, None) => format!("the pointer is null plus {offset}"),
        (_, None) => String::from("the pointer is not known to point to an object"),
    })
}

/// What an alarm of a kind says.
const fn may(obligation: Obligation) -> &'static str {
    match obligation {
        Obligation::Assertion => "an assertion may fail",
        Obligation::ReachError => "an error call may be reached",
        Obligation::OutOfBounds => "may be out of bounds",
        Obligation::Null => "may go through a null pointer",
        Obligation::Dangling => "may use memory that is not alive",
        Obligation::Uninitialised => "may use a value that nobody has written",
        Obligation::SignedOverflow => "may overflow",
        Obligation::Division => "may divide by zero",
        Obligation::Shift => "may shift too far",
        Obligation::StringTermination => "may meet bytes without a terminator",
        Obligation::Unreachable => "control may come where the program says it cannot",
        Obligation::InvalidFree => "may free what cannot be freed",
        Obligation::Leak => "may lose memory",
    }
}

/// Some of many parts.
fn shortened(mut parts: Vec<String>, most: usize) -> String {
    let hidden = parts.len().saturating_sub(most);
    parts.truncate(most);
    if hidden > 0 {
        parts.push(format!("… {hidden} more"));
    }
    parts.join(",  ")
}

/// A place as its file's name and its line.
pub(crate) fn line_of(place: &Place) -> String {
    let name = place.file.rsplit('/').next().unwrap_or_default();
    format!("{name}:{}", place.line)
}

/// A line of the source without its surroundings.
fn cut(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= SOURCE {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(SOURCE - 1).collect();
    short.push('…');
    short
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
