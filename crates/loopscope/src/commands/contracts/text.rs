//! Contracts as text and JSON.
//!
//! The JSON form is one object: `schema` and `contracts`. A contract has `function`, `place`, `proved`, `contract` (see
//! [`evidence::Contract`]), `open` (obligations that may fail) and `reasons` (why others may). A field is added, never renamed.

use std::fmt::Write;

use clients::contracts::{FunctionContract, Standing};
use clients::{ListedObligation, Status};
use evidence::{Contract, Counterexample, Expression, Place, Pointee, Reason, Side};
use program::Program;
use report::phrasing::counted;
use serde_json::{Value, json};

use crate::commands::bounds::text::number;

/// What the JSON form has.
pub fn json(program: &Program, found: &[FunctionContract]) -> Value {
    let one = |one: &FunctionContract| {
        let (open, reasons) = match &one.standing {
            Standing::Open { obligations, reasons } => (&obligations[..], &reasons[..]),
            Standing::Proved(_) | Standing::EachProved => (&[][..], &[][..]),
        };
        json!({
            "function": one.contract.function,
            "place": Place::of(program, program.functions[one.function].location),
            "proved": one.is_safe(),
            "contract": one.contract,
            "open": open,
            "reasons": reasons,
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
    let proved = found.iter().filter(|one| one.is_safe()).count();
    _ = writeln!(text, "{}: {proved} proved under their contracts", counted(found.len(), "function"));
    text
}

fn write_contract(text: &mut String, program: &Program, one: &FunctionContract) {
    let place = Place::of(program, program.functions[one.function].location);
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let standing = if one.is_safe() { "proved" } else { "not proved" };
    _ = writeln!(text, "{place}{}: {standing}", one.contract.function);
    for (title, what) in clauses(&one.contract) {
        _ = writeln!(text, "    {title:<9} {what}");
    }
    let Standing::Open { obligations, reasons } = &one.standing else { return };
    for (what, kinds) in open(obligations) {
        _ = writeln!(text, "    {}", what.replace(KINDS, &kinds.join(", ")));
    }
    for reason in reasons {
        _ = writeln!(text, "    not followed: {reason}");
    }
}

/// Stands for kinds of obligations.
const KINDS: &str = "\0";

/// What may fail, and of which kinds that is.
fn open(open: &[ListedObligation]) -> Vec<(String, Vec<&'static str>)> {
    let mut lines: Vec<(String, Vec<&'static str>)> = Vec::new();
    for one in open {
        let place = one.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let line = match &one.status {
            Status::Refuted { counterexample } => {
                format!("fails     {place}{KINDS}{}", arguments(counterexample))
            }
            Status::Unknown { reason: Reason::Alarm { .. } } => format!("may fail  {place}{KINDS}"),
            Status::Unknown { reason } => format!("may fail  {place}{KINDS} ({reason})"),
            _ => continue,
        };
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, kinds)) => kinds.push(one.obligation.name()),
            None => lines.push((line, vec![one.obligation.name()])),
        }
    }
    lines
}

/// The numbers that a run was called with.
fn arguments(run: &Counterexample) -> String {
    let given = run.inputs.iter().filter(|input| input.ty != "ptr");
    let given = given.filter_map(|input| Some((input.name.strip_prefix("parameter ")?, &input.value)));
    let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
    if given.is_empty() { String::new() } else { format!(", with {}", given.join(", ")) }
}

/// The lines of a contract: what each is, and what it says.
pub fn clauses(contract: &Contract) -> Vec<(&'static str, String)> {
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
