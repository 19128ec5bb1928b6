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
//! An alarm has `obligation`, `place`, `function`, `inputs` (as in a counterexample), `steps`, `access`, `operation` and `missing`. A step
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
    let mut told = Vec::new();
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
        if details != told {
            details.iter().for_each(|detail| _ = writeln!(text, "      {detail}"));
        }
        if !details.is_empty() {
            told = details;
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
        lines.push(format!("inputs:  {}", shortened(repeated(inputs), INPUTS)));
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
    lines.extend(alarm.operation.as_ref().map(|operation| format!("{operation} overflows")));
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
    // A second variable of one name carries a number, which the source does not.
    let name = variable.split_once('#').map_or(variable.as_str(), |(name, _)| name);
    if before == after { format!("{name} = {after}") } else { format!("{name}: {before} -> {after}") }
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
        Obligation::Sequence => "may change an object and use it in no order",
        Obligation::InvalidFree => "may free what cannot be freed",
        Obligation::Leak => "may lose memory",
    }
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
    let told = |(part, count)| if count == 1 { part } else { format!("{part} ({count} times)") };
    found.into_iter().map(told).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, column: u32) -> Option<Place> {
        Some(Place { file: String::from("source/copy.c"), line, column })
    }

    fn change(variable: &str, before: &str, after: &str) -> Change {
        Change { variable: variable.to_owned(), before: before.to_owned(), after: after.to_owned() }
    }

    fn assignment(function: &str, variable: &str, value: &str, line: u32) -> AlarmStep {
        AlarmStep::Assignment {
            function: function.to_owned(),
            variable: variable.to_owned(),
            value: value.to_owned(),
            place: place(line, 5),
        }
    }

    fn sample() -> Alarm {
        let changes = vec![change("i", "0", "16"), change("p", "&input", "&input + 16 bytes")];
        Alarm {
            obligation: Obligation::OutOfBounds,
            place: place(14, 9),
            function: String::from("copy"),
            inputs: Vec::new(),
            steps: vec![
                assignment("copy", "n", "17", 10),
                assignment("copy", "i", "3", 11),
                assignment("copy", "i", "0", 12),
                AlarmStep::Leap {
                    function: String::from("copy"),
                    place: place(12, 5),
                    passes: Some(String::from("16")),
                    changes,
                },
                assignment("copy", "c", "97", 13),
            ],
            access: Some(Access {
                object: Some(String::from("buffer")),
                offset: String::from("16"),
                bytes: String::from("1"),
                size: Some(String::from("16")),
            }),
            operation: None,
            missing: None,
        }
    }

    fn source(place: &Place) -> Option<String> {
        (place.line == 14).then(|| String::from("        buffer[i] = c;"))
    }

    #[test]
    fn an_alarm_is_a_short_story() {
        let text = "\
may be out of bounds: buffer[i] = c;    copy.c:14 in copy
  straight:  n = 17,  i = 0
  loop at copy.c:12, 16 passes:  i: 0 -> 16,  p: &input -> &input + 16 bytes
  then:  c = 97
  1 byte at offset 16 is outside `buffer` (16 bytes)";
        assert_eq!(alarm_lines(&sample(), &source).join("\n"), text);
        let without = alarm_lines(&sample(), &|_| None);
        assert_eq!(without[0], "may be out of bounds at copy.c:14 in copy");
    }

    #[test]
    fn several_functions_are_told_apart_and_long_pieces_are_cut() {
        let mut alarm = sample();
        alarm.steps.insert(0, assignment("main", "size", "16", 30));
        let lines = alarm_lines(&alarm, &source);
        assert_eq!(lines[1], "  straight:  in main size = 16;  in copy n = 17,  i = 0");
        assert!(lines[2].starts_with("  loop at copy.c:12 in copy, 16 passes:"), "{lines:?}");
        alarm.steps =
            (0..20).map(|number| assignment("copy", &format!("v{number}"), "1", number + 1)).collect();
        let lines = alarm_lines(&alarm, &source);
        assert!(lines[1].starts_with("  straight:  … 12 more,  v12 = 1,  v13 = 1"), "{lines:?}");
    }

    #[test]
    fn a_missing_fact_and_other_ends_are_said() {
        let mut alarm = sample();
        let state = String::from("i == 16");
        alarm.missing = Some(evidence::MissingFact { place: place(12, 5), state });
        alarm.obligation = Obligation::Null;
        alarm.access =
            Some(Access { object: None, offset: String::from("0"), bytes: String::from("4"), size: None });
        let lines = alarm_lines(&alarm, &source);
        assert!(lines[0].starts_with("may go through a null pointer: "));
        assert_eq!(lines[4], "  the pointer is null");
        assert_eq!(lines[5], "  no fact about the loop at copy.c:12 rules out i == 16");
        alarm.access = None;
        alarm.operation = Some(String::from("2147483647 + 1"));
        assert_eq!(alarm_lines(&alarm, &source)[4], "  2147483647 + 1 overflows");
    }

    fn listed(obligation: Obligation, column: u32, status: Status) -> ListedObligation {
        ListedObligation { obligation, place: place(14, column), asked: true, status }
    }

    fn list() -> Listing {
        let reason = Reason::Unsupported { construct: String::from("call of scan"), place: place(9, 3) };
        let function = ListedFunction {
            function: String::from("copy"),
            place: place(8, 1),
            entry: String::from("copy"),
            not_analysed: None,
            ends: vec![reason.clone()],
            obligations: vec![
                listed(
                    Obligation::OutOfBounds,
                    9,
                    Status::Unknown { reason: Reason::Alarm { alarm: Box::new(sample()) } },
                ),
                listed(Obligation::Null, 9, Status::Proved),
                listed(Obligation::Dangling, 9, Status::Proved),
                listed(Obligation::SignedOverflow, 12, Status::Unreachable),
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
      straight:  n = 17,  i = 0
      loop at copy.c:12, 16 passes:  i: 0 -> 16,  p: &input -> &input + 16 bytes
      then:  c = 97
      1 byte at offset 16 is outside `buffer` (16 bytes)
  copy.c:14:9   proved       null, dangling
  copy.c:14:12  unreachable  signed-overflow
  copy.c:14:20  unknown      division-by-zero
      unsupported: call of scan at source/copy.c:9:3

5 obligations: 2 proved, 1 unreachable, 2 unknown
";
        assert_eq!(listing(&list(), &source), text);
        assert_eq!(listing(&Listing::default(), &source), "no obligations\n");
    }

    #[test]
    fn the_json_form_is_stable() {
        let text = listing_json(&list(), &[Obligation::OutOfBounds]);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["kinds"][0], "out-of-bounds");
        assert_eq!(json["counts"]["proved"], 2);
        let function = &json["functions"][0];
        assert_eq!((&function["function"], &function["entry"]), (&"copy".into(), &"copy".into()));
        assert_eq!(function["ends"][0]["reason"], "unsupported");
        let one = &function["obligations"][0];
        assert_eq!((&one["status"], &one["obligation"]), (&"unknown".into(), &"out-of-bounds".into()));
        let alarm = &one["reason"]["alarm"];
        assert_eq!(alarm["steps"][3]["step"], "leap");
        assert_eq!(alarm["steps"][3]["changes"][0]["after"], "16");
        assert_eq!(alarm["access"]["size"], "16");
        let back: Listing = serde_json::from_str(&text).unwrap();
        assert_eq!(back, list());
    }
}
