//! Contracts as text and JSON.
//!
//! The JSON form is one object: `schema` and `contracts`. A contract has `function`, `place`, `proved`, `contract` (see
//! [`evidence::Contract`]), `open` (obligations that may fail) and `reason`. A field is added, never renamed.

use std::fmt::Write;

use clients::contracts::FunctionContract;
use evidence::{Contract, Expression, Place, Pointee, Side};
use program::Program;
use report::phrasing::counted;
use serde_json::{Value, json};

use crate::commands::bounds::text::number;

/// What the JSON form has.
pub fn json(program: &Program, found: &[FunctionContract]) -> Value {
    let one = |one: &FunctionContract| {
        json!({
            "function": one.contract.function,
            "place": Place::of(program, program.functions[one.function].location),
            "proved": one.certificate.is_some(),
            "contract": one.contract,
            "open": one.open,
            "reason": one.reason,
        })
    };
    json!({ "contracts": found.iter().map(one).collect::<Vec<_>>() })
}

/// Contracts as text.
pub fn render(program: &Program, found: &[FunctionContract]) -> String {
    let mut text = String::new();
    for one in found {
        write_contract(&mut text, program, one);
    }
    let proved = found.iter().filter(|one| one.certificate.is_some()).count();
    _ = writeln!(text, "{}: {proved} proved under their contracts", counted(found.len(), "function"));
    text
}

fn write_contract(text: &mut String, program: &Program, one: &FunctionContract) {
    let place = Place::of(program, program.functions[one.function].location);
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let standing = match (&one.certificate, &one.reason) {
        (Some(_), _) => String::from("proved"),
        (None, Some(reason)) => format!("not known: {reason}"),
        (None, None) => String::from("not proved"),
    };
    _ = writeln!(text, "{place}{}: {standing}", one.contract.function);
    for (title, what) in clauses(&one.contract) {
        _ = writeln!(text, "    {title:<9} {what}");
    }
    for open in &one.open {
        let place = open.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        _ = writeln!(text, "    may fail  {place}{}", open.obligation.name());
    }
}

/// The lines of a contract.
fn clauses(contract: &Contract) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&str, String)> =
        contract.objects.iter().map(|object| ("requires", pointee(object))).collect();
    let spelled =
        |side: Side| (0..contract.clauses(side).len()).map(move |place| contract.spelled(side, place));
    lines.extend(spelled(Side::Requires).map(|clause| ("requires", clause)));
    let changed: Vec<String> = contract
        .objects
        .iter()
        .filter(|object| object.changed)
        .map(|object| format!("*{}", object.place()))
        .collect();
    if !changed.is_empty() {
        lines.push(("changes", changed.join(", ")));
    }
    lines.extend(spelled(Side::Ensures).map(|clause| ("ensures", clause)));
    lines
}

/// What a pointer must lead to.
fn pointee(object: &Pointee) -> String {
    let bytes = number(&object.bytes);
    let has_size = object.bytes != Expression::Constant(0.into());
    match (object.terminated, has_size) {
        (true, false) => format!("{} points to a string", object.place()),
        (true, true) => format!("{} points to a string in {bytes} bytes", object.place()),
        (false, _) => format!("{} points to {bytes} bytes", object.place()),
    }
}
