//! What a report does not speak of: functions that could not be represented, and files that were not read.
//!
//! A report on every loop says nothing about the loops of such a function, and a reader must not take that for an answer.
//! In the JSON form, every report has the list `not_analysed` ([`crate::json::document`]). Each entry has `function` or `file`, the `reason` and its
//! `place`.

use std::fmt::Write;

use evidence::Place;
use program::{Definition, Program};
use serde::Serialize;

/// A part of the input that a report does not speak of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NotAnalysed {
    /// The function, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The file, if it is a whole one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why.
    pub reason: String,
    /// Where the reason stands.
    pub place: Option<Place>,
}

/// The functions of a program that have a body which could not be represented; all, or the one with this name.
pub fn functions(program: &Program, wanted: Option<&str>) -> Vec<NotAnalysed> {
    let functions = program.functions.values();
    let chosen = functions.filter(|function| wanted.is_none_or(|wanted| function.name == wanted));
    chosen
        .filter_map(|function| match &function.definition {
            Definition::Unsupported { reason, location } => Some(NotAnalysed {
                function: Some(function.name.clone()),
                file: None,
                reason: reason.clone(),
                place: Place::of(program, *location),
            }),
            Definition::Body(_) | Definition::External => None,
        })
        .collect()
}

/// One line for each part.
pub fn lines(parts: &[NotAnalysed]) -> String {
    parts.iter().fold(String::new(), |mut text, part| {
        let name = part.function.as_ref().or(part.file.as_ref()).map_or("", String::as_str);
        let place = part.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
        _ = writeln!(text, "not analysed: {name}: {}{place}", part.reason);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed() {
        let text = "data_model LP64 file 0 \"a.c\"
            function good() -> i32 { b0: return 0:i32 }
            unsupported odd() because \"a nested function\" @0:3:5";
        let program = parser::parse(text).unwrap_or_else(|error| panic!("{error:?}"));
        let parts = functions(&program, None);
        assert_eq!(lines(&parts), "not analysed: odd: a nested function at a.c:3:5\n");
        assert_eq!(functions(&program, Some("good")), []);
    }
}
