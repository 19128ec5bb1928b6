//! Witnesses in the exchange format of the competition on software verification, version 2.1.
//!
//! The text is written by hand: strings are quoted as in JSON, which YAML reads as well. Our own part is the description of
//! the producer, where the format has room for text.

use std::fmt::Write;

use evidence::{Counterexample, Failure, Place, Point};

use super::{DividedProof, Entry, Sites, Task, own, returned, uuid};

/// The version of the format.
pub const VERSION: &str = "2.1";

/// A proof as a correctness witness.
pub fn proof(task: &Task, sites: &Sites, divided: &DividedProof) -> String {
    let mut content = String::new();
    for entry in &divided.entries {
        invariant(&mut content, sites, entry);
    }
    if content.is_empty() {
        content.push_str("  content: []\n");
    } else {
        content.insert_str(0, "  content:\n");
    }
    document("invariant_set", task, &divided.own, &content)
}

/// A violating run as a violation witness.
pub fn violation(task: &Task, sites: &Sites, run: &Counterexample) -> String {
    let mut content = String::from("  content:\n");
    for input in returned(sites, run) {
        let value = format!("\\result == {}", input.value);
        let constraint = Constraint { value: &value, format: Some("ext_c_expression") };
        segment(&mut content, "function_return", "follow", Some(constraint), &input.place, "");
    }
    let function = match &run.failure {
        Failure::Violation { stack, .. } => stack.first().map_or("", |(function, _)| function),
        Failure::Repetition { function, .. } | Failure::Recurrence { function, .. } => function,
    };
    match (&run.failure, run.failure.place()) {
        (Failure::Violation { .. }, Some(place)) => {
            let start = sites.source(place).and_then(|source| source.statement_start(place));
            let place = start.unwrap_or_else(|| place.clone());
            segment(&mut content, "target", "follow", None, &place, function);
        }
        (_, Some(place)) => {
            let point = sites.points.iter().find(|point| point.head.as_ref() == Some(place));
            cycle(&mut content, sites, point, place, function);
        }
        (_, None) => {}
    }
    document("violation_sequence", task, &own::write_run(run), &content)
}

/// The part of a run that comes again and again: the condition of a loop holds, or control comes to its body.
fn cycle(text: &mut String, sites: &Sites, point: Option<&Point>, place: &Place, function: &str) {
    let source = point.and_then(|point| Some((point, sites.source(&point.place)?)));
    if let Some((point, _)) = source.filter(|(point, source)| source.has_condition(point)) {
        let holds = Constraint { value: "true", format: None };
        segment(text, "branching", "cycle", Some(holds), &sites.physical(&point.place), function);
        return;
    }
    let place = match source {
        Some((point, source)) => source.body(point).unwrap_or_else(|| point.place.clone()),
        None => sites.physical(place),
    };
    let always = Constraint { value: "1", format: Some("c_expression") };
    segment(text, "assumption", "cycle", Some(always), &place, function);
}

fn document(kind: &str, task: &Task, own: &str, content: &str) -> String {
    let mut rest = format!(
        "    producer:\n      name: Loopscope\n      version: {}\n",
        quoted(env!("CARGO_PKG_VERSION"))
    );
    block(&mut rest, own);
    rest.push_str("    task:\n      input_files:\n");
    for (name, _) in &task.files {
        let _ = writeln!(rest, "        - {}", quoted(name));
    }
    rest.push_str("      input_file_hashes:\n");
    for (name, digest) in &task.files {
        let _ = writeln!(rest, "        {}: {}", quoted(name), quoted(digest));
    }
    let _ = writeln!(rest, "      specification: {}", quoted(&task.specification));
    let model = if task.bits == 32 { "ILP32" } else { "LP64" };
    let _ = writeln!(rest, "      data_model: {model}\n      language: C\n{}", content.trim_end());
    let mut text = format!("- entry_type: {kind}\n  metadata:\n    format_version: {}\n", quoted(VERSION));
    let _ = writeln!(text, "    uuid: {}", quoted(&uuid(&rest)));
    let _ = writeln!(text, "    creation_time: {}", quoted(&task.time));
    text.push_str(&rest);
    text
}

/// Our own part, as a block of lines if it can be one.
fn block(text: &mut String, own: &str) {
    if own.chars().any(|c| c != '\n' && c.is_control()) {
        let _ = writeln!(text, "      description: {}", quoted(own));
        return;
    }
    text.push_str("      description: |\n");
    for line in own.lines() {
        let _ = writeln!(text, "{}", format!("        {line}").trim_end());
    }
}

fn invariant(text: &mut String, sites: &Sites, entry: &Entry) {
    let point = &sites.points[entry.point];
    let Some((_, place)) = sites.position(entry.point) else { return };
    let format = match entry.kind {
        super::EntryKind::LoopTransitionInvariant => "ext_c_expression",
        _ => "c_expression",
    };
    let _ = writeln!(text, "    - invariant:\n        type: {}", entry.kind.name());
    location(text, "        ", &place, &point.function);
    let _ = writeln!(text, "        value: {}\n        format: {format}", quoted(&entry.value));
}

/// What must hold at a waypoint. Whether a branch is taken has no format.
struct Constraint<'a> {
    value: &'a str,
    format: Option<&'a str>,
}

fn segment(
    text: &mut String,
    kind: &str,
    action: &str,
    constraint: Option<Constraint<'_>>,
    place: &Place,
    function: &str,
) {
    let _ = writeln!(text, "    - segment:\n        - waypoint:\n            type: {kind}");
    let _ = writeln!(text, "            action: {action}");
    if let Some(Constraint { value, format }) = constraint {
        let _ = writeln!(text, "            constraint:\n              value: {}", quoted(value));
        if let Some(format) = format {
            let _ = writeln!(text, "              format: {format}");
        }
    }
    location(text, "            ", place, function);
}

fn location(text: &mut String, indent: &str, place: &Place, function: &str) {
    let Place { file, line, column } = place;
    let _ = writeln!(text, "{indent}location:\n{indent}  file_name: {}", quoted(file));
    let _ = writeln!(text, "{indent}  line: {line}\n{indent}  column: {column}");
    if !function.is_empty() {
        let _ = writeln!(text, "{indent}  function: {}", quoted(function));
    }
}

/// A string as in JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
