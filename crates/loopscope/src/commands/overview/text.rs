//! All that is known of each loop in one table: its type, how many iterations it makes, whether it stops, and what it does.
//!
//! The JSON form is that of the table of loops ([`crate::commands::loops`]); each loop has these fields besides: `type` (of its
//! path dependency automaton, or null), `bound` and `summary` (text, or null), `termination` (`stops`, `may-run-for-ever`
//! or `unknown`) and `notes` (why something is not known).

use clients::Stopping;
use clients::overview::{AllFindings, Findings};
use evidence::{Moment, Strength};
use report::message::Message;
use serde_json::{Value, json};

use crate::commands::loops::summary::{self, FunctionSummary, LoopSummary};
use crate::commands::loops::table::{self, Cell};
use crate::commands::{bounds, summarize, terminates};

/// The narrowest that a column gets which may be cut.
const NARROWEST: usize = 16;

/// The table, no wider than so many columns if that is possible.
pub fn render(functions: &[FunctionSummary], findings: &AllFindings, width: usize) -> String {
    let none = Findings::default();
    let cells = |one: &LoopSummary| {
        let known = findings.get(&one.name).unwrap_or(&none);
        let kind = kind(known).map(|kind| kind.to_string());
        [kind, Some(stops(known).to_owned()), bound(known), summary(known)]
            .map(|text| Cell::Text(text.unwrap_or_else(|| String::from("-"))))
    };
    table::render(functions, ["TYPE", "STOPS", "ITERATIONS", "SUMMARY"], NARROWEST, width, cells)
}

/// The same as JSON.
pub fn json(functions: &[FunctionSummary], findings: &AllFindings, messages: &[Message]) -> Value {
    let none = Findings::default();
    let mut answer = summary::json(functions, messages);
    for (at, function) in functions.iter().enumerate() {
        for (place, one) in function.loops.iter().enumerate() {
            let Some(Value::Object(fields)) = answer.pointer_mut(&format!("/functions/{at}/loops/{place}"))
            else {
                continue;
            };
            let known = findings.get(&one.name).unwrap_or(&none);
            fields.insert(String::from("type"), json!(kind(known)));
            fields.insert(String::from("bound"), json!(bound(known)));
            fields.insert(String::from("summary"), json!(summary(known)));
            fields.insert(String::from("termination"), json!(termination(known)));
            fields.insert(String::from("notes"), json!(notes(known)));
        }
    }
    answer
}

fn kind(known: &Findings) -> Option<u8> {
    known.summary.as_ref().and_then(|summary| summary.kind)
}

fn bound(known: &Findings) -> Option<String> {
    let bound = known.bound.as_ref()?.bound.as_ref()?;
    Some(bounds::text::count(bound.start.as_ref().unwrap_or(&bound.visit)))
}

fn summary(known: &Findings) -> Option<String> {
    let summary = known.summary.as_ref()?;
    let cases = &summary.cases;
    if cases.is_empty() {
        // What tells most is said last.
        let invariants: Vec<String> = summary.left.iter().rev().map(summarize::text::outside).collect();
        return (!invariants.is_empty()).then(|| invariants.join(", "));
    }
    let described = cases.iter().filter(|case| !case.never).max_by_key(|case| {
        let changes = case.case.effect.iter();
        let changes = changes.filter(|update| update.value != update.quantity.at(Moment::Entry)).count();
        (changes > 0, case.strength == Strength::Confirmed, changes)
    })?;
    let more = if cases.len() > 1 { format!("; {} cases", cases.len()) } else { String::new() };
    let open = if described.strength == Strength::Confirmed { "" } else { "not confirmed: " };
    Some(format!("{open}{}{more}", summarize::text::effect(described, &summary.others)))
}

/// Whether it stops: a loop with a bound does.
fn termination(known: &Findings) -> &'static str {
    match &known.stopping {
        _ if known.bound.as_ref().is_some_and(|one| one.bound.is_some()) => "stops",
        Some(Stopping::Stops(_)) => "stops",
        Some(Stopping::MayRunForEver { .. }) => "may-run-for-ever",
        Some(Stopping::Unknown { .. }) | None => "unknown",
    }
}

fn stops(known: &Findings) -> &'static str {
    match &known.stopping {
        _ if known.bound.as_ref().is_some_and(|one| one.bound.is_some()) => "yes",
        Some(stopping) => terminates::text::short(stopping),
        None => "unknown",
    }
}

fn notes(known: &Findings) -> Vec<String> {
    let bound = known.bound.as_ref().and_then(|one| one.missing.as_ref());
    let bound = bound.map(|why| format!("no bound: {why}"));
    let stops = match &known.stopping {
        Some(Stopping::Unknown { reason, place: Some(place) }) => Some(format!("{reason}, at {place}")),
        Some(Stopping::Unknown { reason, place: None }) => Some(reason.clone()),
        _ => None,
    };
    let cases = known.summary.as_ref().and_then(|one| one.why.as_ref());
    let cases = cases.map(|why| format!("no summary: {why}"));
    [bound, stops, cases].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_of_which_nothing_is_known_is_shown() {
        let functions = vec![FunctionSummary {
            name: String::from("f"),
            place: None,
            status: summary::Status::Analysed,
            loops: vec![LoopSummary {
                name: String::from("a.c:1 for"),
                place: None,
                kind: String::from("for"),
                depth: 1,
                exits: 1,
                irreducible: false,
                changes: Vec::new(),
                calls: Vec::new(),
            }],
        }];
        let text = render(&functions, &AllFindings::new(), 80);
        assert_eq!(
            text,
            "LOOP  KIND  TYPE  STOPS    ITERATIONS  SUMMARY\nf\n  ?   for   -     unknown  -           -\n\n1 loop in 1 function\n"
        );
        let json = json(&functions, &AllFindings::new(), &[]);
        assert_eq!(json["functions"][0]["loops"][0]["termination"], "unknown");
    }
}
