//! Witnesses in the exchange format of the competition on software verification, version 2.1.
//!
//! The text is written by hand: strings are quoted as in JSON, which YAML reads as well. Our own part is the description of
//! the producer, where the format has room for text.

use std::fmt::Write;

use evidence::{Counterexample, Failure, Place};

use super::{Entry, Sites, Task, Told, own, returned, uuid};

/// The version of the format.
pub const VERSION: &str = "2.1";

/// A proof as a correctness witness.
pub fn proof(task: &Task, sites: &Sites, told: &Told) -> String {
    let mut content = String::new();
    for entry in &told.entries {
        invariant(&mut content, sites, entry);
    }
    if content.is_empty() {
        content.push_str("  content: []\n");
    } else {
        content.insert_str(0, "  content:\n");
    }
    document("invariant_set", task, &told.own, &content)
}

/// A violating run as a violation witness.
pub fn violation(task: &Task, sites: &Sites, run: &Counterexample) -> String {
    let mut content = String::from("  content:\n");
    for input in returned(sites, run) {
        let constraint = format!("\\result == {}", input.value);
        segment(
            &mut content,
            "function_return",
            "follow",
            Some((&constraint, "ext_c_expression")),
            &input.place,
            "",
        );
    }
    let function = match &run.failure {
        Failure::Violation { stack, .. } => stack.first().map_or("", |(function, _)| function),
        Failure::Repetition { function, .. } | Failure::Recurrence { function, .. } => function,
    };
    match (&run.failure, run.failure.place()) {
        (Failure::Violation { .. }, Some(place)) => {
            let start = sites.source(place).and_then(|(file, source)| {
                let (line, column) = source.statement_start(place)?;
                Some(Place { file: file.to_owned(), line, column })
            });
            let place = start.unwrap_or_else(|| place.clone());
            segment(&mut content, "target", "follow", None, &place, function);
        }
        (_, Some(place)) => {
            let point = sites.points.iter().find(|point| point.head.as_ref() == Some(place));
            let place = point.map_or(place, |point| &point.place);
            let place = &sites.physical(place).unwrap_or_else(|| place.clone());
            let (kind, value) = if point.is_some() { ("branching", "true") } else { ("assumption", "1") };
            segment(&mut content, kind, "cycle", Some((value, "c_expression")), place, function);
        }
        (_, None) => {}
    }
    document("violation_sequence", task, &own::write_run(run), &content)
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

fn segment(
    text: &mut String,
    kind: &str,
    action: &str,
    constraint: Option<(&str, &str)>,
    place: &Place,
    function: &str,
) {
    let _ = writeln!(text, "    - segment:\n        - waypoint:\n            type: {kind}");
    let _ = writeln!(text, "            action: {action}");
    if let Some((value, format)) = constraint {
        let value = quoted(value);
        let _ = writeln!(
            text,
            "            constraint:\n              value: {value}\n              format: {format}"
        );
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
