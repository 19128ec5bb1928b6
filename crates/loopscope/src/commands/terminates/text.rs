//! Whether loops and recursions stop, as text and JSON.
//!
//! The JSON form is one object: `schema` and `cycles`. A cycle has `function`, `loop` (its name), `kind` (`loop` or
//! `recursion`), `place`, `depth`, `around` (the loop around it, by its place in the list, or null), `text` (what is
//! printed of it), and `answer`: `stops` with `why`, `entry` (the function in whose runs it does, or null if it does
//! in all) and `unless_overflow`, `may-run-for-ever` with `counterexample`, or `unknown` with `reason` and `at`, its place.
//! Where it does not stop in all runs, `stops_if` may have a `condition` on the values at function entry under which it does,
//! with `why` and `unless_overflow`. A field is added, never renamed.

use std::fmt::Write;

use clients::{CycleReport, Stopping, TerminationReport};
use evidence::{Argued, Counterexample, CycleKind, Integer};
use report::{explanation, phrasing};
use serde_json::{Value, json};

/// So many inputs of a run are printed.
const SHOWN: usize = 8;

/// What the JSON form has.
pub fn json(report: &TerminationReport) -> Value {
    let mut answer = serde_json::to_value(report).unwrap_or_default();
    for (place, cycle) in report.cycles.iter().enumerate() {
        if let Some(Value::Object(fields)) = answer.pointer_mut(&format!("/cycles/{place}")) {
            fields.insert(String::from("text"), json!(lines(cycle).join("\n")));
        }
    }
    answer
}

/// Answers as text.
pub fn render(report: &TerminationReport) -> String {
    let mut text = String::new();
    for cycle in &report.cycles {
        let indent = "  ".repeat(cycle.depth.saturating_sub(1) as usize);
        let mut lines = lines(cycle).into_iter();
        let first = lines.next().unwrap_or_default();
        _ = writeln!(text, "{indent}{} in {}: {first}", cycle.name, cycle.function);
        lines.for_each(|line| _ = writeln!(text, "{indent}    {line}"));
    }
    let (stop, run, unknown) = report.counts();
    _ = writeln!(text, "{}: {stop} stop, {run} may run for ever, {unknown} unknown", counted(&report.cycles));
    text
}

/// Whether a loop stops, in a word or two.
pub fn short(answer: &Stopping) -> &'static str {
    match answer {
        Stopping::Stops(stops) if stops.entry().is_none() => "yes",
        Stopping::Stops(_) => "in runs",
        Stopping::MayRunForEver { .. } => "maybe not",
        Stopping::Unknown { .. } => "unknown",
    }
}

fn counted(cycles: &[CycleReport]) -> String {
    let count = |kind: CycleKind| cycles.iter().filter(|cycle| cycle.kind == kind).count();
    let loops = phrasing::counted(count(CycleKind::Loop), "loop");
    match count(CycleKind::Recursion) {
        0 => loops,
        recursions => format!("{loops} and {}", phrasing::counted(recursions, "recursion")),
    }
}

/// An answer, the first line first.
fn lines(cycle: &CycleReport) -> Vec<String> {
    let described = |lines: Vec<String>| match cycle.kind {
        CycleKind::Loop => lines,
        CycleKind::Recursion => lines.iter().map(|line| of_calls(line)).collect(),
    };
    let mut lines = match &cycle.answer {
        Stopping::Stops(found) => {
            let runs = found.entry().map(|entry| format!(" in runs of {entry}")).unwrap_or_default();
            described(stops(cycle.kind, found.why(), &runs, found.unless_overflow()))
        }
        Stopping::MayRunForEver { counterexample } => for_ever(counterexample),
        Stopping::Unknown { reason, place: Some(place) } => vec![format!("unknown: {reason}, at {place}")],
        Stopping::Unknown { reason, place: None } => vec![format!("unknown: {reason}")],
    };
    if let Some(found) = &cycle.stops_if {
        let condition = format!(" if {}", phrasing::at_entry(found.condition()));
        lines.extend(described(stops(cycle.kind, found.why(), &condition, found.unless_overflow())));
    }
    lines
}

/// What is said of iterations, said of calls.
fn of_calls(line: &str) -> String {
    line.replace(" iterations", " nested calls").replace(" iteration ", " nested call ")
}

/// How many iterations a loop makes at most, or how many calls there are in a call, if they are few.
fn at_most(kind: CycleKind, back_edges: Option<&Integer>, iterations: Option<&Integer>) -> String {
    let (number, one) = match kind {
        CycleKind::Loop => (iterations.filter(|_| back_edges != Some(&Integer::ZERO)), "iteration"),
        CycleKind::Recursion => {
            (back_edges.filter(|back_edges| **back_edges != Integer::ZERO), "nested call")
        }
    };
    match number.and_then(|number| i32::try_from(number).ok()) {
        Some(1) => format!(" after at most 1 {one}"),
        Some(number) => format!(" after at most {number} {one}s"),
        None => String::new(),
    }
}

/// Why it stops, in the runs that are named.
fn stops(kind: CycleKind, why: &Argued, runs: &str, unless_overflow: bool) -> Vec<String> {
    let unless = if unless_overflow { " unless a signed number overflows" } else { "" };
    match why {
        Argued::NotReached => vec![format!("stops{runs}{unless}: control never comes to it")],
        Argued::Lists => {
            vec![format!("stops{runs}{unless}: parts of linked lists get shorter, or numbers less")]
        }
        Argued::Followed => vec![format!("stops{runs}{unless}: all its iterations were unwound one by one")],
        Argued::Argument { argument, back_edges, iterations, .. } => {
            let mut reason = phrasing::termination_argument(argument).into_iter();
            let first = reason.next().unwrap_or_default();
            let count = at_most(kind, back_edges.as_ref(), iterations.as_ref());
            let comma = if count.is_empty() || unless.is_empty() { "" } else { "," };
            let mut lines = vec![format!("stops{runs}{count}{comma}{unless}: {first}")];
            lines.extend(reason);
            lines
        }
    }
}

fn for_ever(counterexample: &Counterexample) -> Vec<String> {
    let mut text = format!("may run for ever, in a run of {}\n", counterexample.entry);
    let Counterexample { arguments, inputs, cycle, failure, steps, .. } = counterexample;
    if !arguments.is_empty() {
        let words: Vec<String> = arguments.iter().map(|word| format!("{word:?}")).collect();
        _ = writeln!(text, "  started with the arguments {}", words.join(" "));
    }
    explanation::input_list(&mut text, &inputs[..inputs.len().min(SHOWN)]);
    if inputs.len() > SHOWN {
        _ = writeln!(text, "  … {} more inputs …", inputs.len() - SHOWN);
    }
    if let Some(cycle) = cycle {
        explanation::again(&mut text, cycle);
    }
    explanation::how(&mut text, failure, *steps);
    text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned()).collect()
}
