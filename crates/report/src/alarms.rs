//! Alarms with their abstract counterexamples in short.
//!
//! In JSON an alarm has `obligation`, `place`, `function`, `inputs` (as in a counterexample), `steps`, `access`, `operation` and `missing`. A step
//! is `{"step": "assignment", "function", "variable", "value", "place"}` or
//! `{"step": "abstract-loop", "function", "place", "iterations", "changes": [{"variable", "before", "after"}, …]}`. The
//! access is `{"object", "offset", "bytes", "size"}`, `missing` is `{"place", "state"}`: the loop whose invariants do
//! not rule the counterexample out, and the state at its head. A field is added, never renamed.

use std::fmt::Write;

use evidence::{Access, Alarm, AlarmStep, Change, Place};
use program::Obligation;

/// So many variables of a straight piece, or of an abstract loop, are shown.
const VARIABLES: usize = 8;
/// So many characters of a line of the source are shown.
const SOURCE: usize = 60;

/// Where lines of the source come from: the text at a place, if it is known.
pub type Source<'a> = &'a dyn Fn(&Place) -> Option<String>;

/// An alarm as lines of text: what may go wrong, and an abstract counterexample that shows how.
pub fn alarm_lines(alarm: &Alarm, source: Source<'_>) -> Vec<String> {
    let what = may(alarm.obligation);
    let text = alarm.place.as_ref().and_then(source).map(|text| cut(&text));
    let place = short(alarm.place.as_ref());
    let title = match text {
        Some(text) => format!("{what}: {text}    {place} in {}", alarm.function),
        None => format!("{what} at {place} in {}", alarm.function),
    };
    let mut lines = vec![title];
    lines.extend(trace_lines(alarm).into_iter().map(|line| format!("  {line}")));
    lines
}

/// The abstract counterexample of an alarm: straight pieces, abstract loops, and what goes wrong in the end.
pub fn trace_lines(alarm: &Alarm) -> Vec<String> {
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
            AlarmStep::AbstractLoop { function, place, iterations, changes } => {
                straight(&mut lines, &mut piece, several);
                let place = short(place.as_ref());
                let iterations = iterations.as_ref().map(|iterations| match iterations.as_str() {
                    "1" => String::from(", 1 iteration"),
                    _ => format!(", {iterations} iterations"),
                });
                let caller = if several { format!(" in {function}") } else { String::new() };
                let changes = shortened(changes.iter().map(change).collect(), VARIABLES);
                let line = format!("loop at {place}{caller}{}:  {changes}", iterations.unwrap_or_default());
                lines.push(line.trim_end_matches([':', ' ']).to_owned());
            }
        }
    }
    straight(&mut lines, &mut piece, several);
    lines.extend(end(alarm.obligation, alarm.access.as_ref()));
    lines.extend(alarm.operation.as_ref().map(|operation| format!("{operation} overflows")));
    if let Some(missing) = &alarm.missing {
        let place = missing.place.as_ref().map(|place| format!(" at {}", place.short()));
        lines.push(format!(
            "no invariant of the loop{} rules out {}",
            place.unwrap_or_default(),
            missing.state
        ));
    }
    lines
}

fn function_of(step: &AlarmStep) -> &str {
    match step {
        AlarmStep::Assignment { function, .. } | AlarmStep::AbstractLoop { function, .. } => function,
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
        Obligation::Uninitialised => "may use an uninitialised value",
        Obligation::SignedOverflow => "may overflow",
        Obligation::Division => "may divide by zero",
        Obligation::Shift => "may shift too far",
        Obligation::StringTermination => "may meet bytes without a terminator",
        Obligation::Unreachable => "control may come where the program says it cannot",
        Obligation::Sequence => "may change an object and use it in no order",
        Obligation::InvalidFree => "may free what cannot be freed",
        Obligation::Leak => "may lose memory",
        Obligation::Contract => "may break a contract",
    }
}

/// Some of many parts.
pub fn shortened(mut parts: Vec<String>, most: usize) -> String {
    let hidden = parts.len().saturating_sub(most);
    parts.truncate(most);
    if hidden > 0 {
        parts.push(format!("… {hidden} more"));
    }
    parts.join(",  ")
}

/// A place without the folder of its file, also if it is not known.
pub(crate) fn short(place: Option<&Place>) -> String {
    place.map_or_else(|| String::from("an unknown place"), Place::short)
}

/// A line of the source without its surroundings.
pub fn cut(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= SOURCE {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(SOURCE - 1).collect();
    short.push('…');
    short
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
                AlarmStep::AbstractLoop {
                    function: String::from("copy"),
                    place: place(12, 5),
                    iterations: Some(String::from("16")),
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
    fn an_alarm_is_a_short_counterexample() {
        let text = "\
may be out of bounds: buffer[i] = c;    copy.c:14 in copy
  straight:  n = 17,  i = 0
  loop at copy.c:12, 16 iterations:  i: 0 -> 16,  p: &input -> &input + 16 bytes
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
        assert!(lines[2].starts_with("  loop at copy.c:12 in copy, 16 iterations:"), "{lines:?}");
        alarm.steps =
            (0..20).map(|number| assignment("copy", &format!("v{number}"), "1", number + 1)).collect();
        let lines = alarm_lines(&alarm, &source);
        assert!(lines[1].starts_with("  straight:  … 12 more,  v12 = 1,  v13 = 1"), "{lines:?}");
    }

    #[test]
    fn a_missing_invariant_and_other_ends_are_said() {
        let mut alarm = sample();
        let state = String::from("i == 16");
        alarm.missing = Some(evidence::MissingInvariant { place: place(12, 5), state });
        alarm.obligation = Obligation::Null;
        alarm.access =
            Some(Access { object: None, offset: String::from("0"), bytes: String::from("4"), size: None });
        let lines = alarm_lines(&alarm, &source);
        assert!(lines[0].starts_with("may go through a null pointer: "));
        assert_eq!(lines[4], "  the pointer is null");
        assert_eq!(lines[5], "  no invariant of the loop at copy.c:12 rules out i == 16");
        alarm.access = None;
        alarm.operation = Some(String::from("2147483647 + 1"));
        assert_eq!(alarm_lines(&alarm, &source)[4], "  2147483647 + 1 overflows");
    }
}
