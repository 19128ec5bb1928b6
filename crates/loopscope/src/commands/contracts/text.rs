//! Contracts as text and JSON.
//!
//! The JSON form is one object: `schema` and `contracts`. A contract has `function`, `place`, `proved`, `stated` (whether the
//! source states it), `contract` (see [`evidence::Contract`]), `assigns` (the variables that it may assign, or null),
//! `acsl` and `cbmc` (text or null), `open` (obligations that may fail), `reasons` (why others may) and `cost` (see
//! [`evidence::FunctionCost`]). A field is added, never renamed.

use std::fmt::Write;

use clients::contracts::{FunctionContract, Standing};
use clients::{ListedObligation, Status};
use evidence::{Contract, Counterexample, Expression, Failure, FunctionCost, Place, Pointee, Reason, Side};
use program::{Obligation, Program};
use report::annotations::{Assigns, Hypothesis, Stated};
use report::contract::{acsl, cbmc};
use report::phrasing::counted;
use serde_json::{Value, json};

use super::arguments::ContractFormat;
use crate::commands::bounds::text::number;

/// What is said of a function.
#[derive(Debug)]
pub struct Described<'a> {
    /// What it requires and sees to, and what is known of that.
    pub contract: FunctionContract,
    /// The variables and objects of the program that it may assign.
    pub assigns: Assigns,
    /// What the source states, if it does.
    pub stated: Option<&'a Stated>,
    /// What a call costs.
    pub cost: Option<FunctionCost>,
}

impl Described<'_> {
    /// Whether a run breaks the contract. If not all is read that callers must see to, they may not make such a call.
    pub fn is_refuted(&self) -> bool {
        let is_whole = self.stated.is_none_or(|stated| stated.is_whole);
        is_whole && self.open().iter().any(|one| matches!(one.status, Status::Refuted { .. }))
    }

    fn open(&self) -> &[ListedObligation] {
        match &self.contract.standing {
            Standing::Open { obligations, .. } => obligations,
            Standing::Proved(_) | Standing::EachProved => &[],
        }
    }

    fn reasons(&self) -> &[Reason] {
        match &self.contract.standing {
            Standing::Open { reasons, .. } => reasons,
            Standing::Proved(_) | Standing::EachProved => &[],
        }
    }
}

/// What the JSON form has.
pub fn json(program: &Program, found: &[Described<'_>]) -> Value {
    let one = |one: &Described<'_>| {
        let contract = &one.contract.contract;
        let assigns = match &one.assigns {
            Assigns::Anything => None,
            Assigns::Only(names) => Some(names),
        };
        json!({
            "function": contract.function,
            "place": Place::of(program, program.functions[one.contract.function].location),
            "proved": one.contract.is_safe(),
            "stated": one.stated.is_some(),
            "contract": contract,
            "assigns": assigns,
            "acsl": acsl(contract, &one.assigns, program),
            "cbmc": cbmc(contract, &one.assigns, program),
            "open": one.open(),
            "reasons": one.reasons(),
            "cost": one.cost,
        })
    };
    json!({ "contracts": found.iter().map(one).collect::<Vec<_>>() })
}

/// Contracts as text.
pub fn render(program: &Program, found: &[Described<'_>], format: ContractFormat) -> String {
    let mut text = String::new();
    for one in found {
        match format {
            ContractFormat::Text => write_contract(&mut text, program, one),
            ContractFormat::Acsl => write_pasted(&mut text, program, one, acsl),
            ContractFormat::Cbmc => write_pasted(&mut text, program, one, cbmc),
        }
    }
    let proved = found.iter().filter(|one| one.contract.is_safe()).count();
    if format == ContractFormat::Text {
        _ = writeln!(text, "{}: {proved} proved under their contracts", counted(found.len(), "function"));
    }
    text
}

/// A contract in one of the languages.
type Printer = fn(&Contract, &Assigns, &Program) -> Option<String>;

/// A contract to be pasted before a function, or between its declarator and its body.
fn write_pasted(text: &mut String, program: &Program, one: &Described<'_>, printer: Printer) {
    let contract = &one.contract.contract;
    let place = Place::of(program, program.functions[one.contract.function].location);
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    let standing = if one.contract.is_safe() { "proved" } else { "not proved" };
    _ = writeln!(text, "// {}{place}: {standing}", contract.function);
    match printer(contract, &one.assigns, program) {
        Some(pasted) => text.push_str(&pasted),
        None => text.push_str("// it cannot be said in this form\n"),
    }
}

fn write_contract(text: &mut String, program: &Program, one: &Described<'_>) {
    let contract = &one.contract.contract;
    let place = Place::of(program, program.functions[one.contract.function].location);
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let whose = if one.stated.is_some() { ", as stated" } else { "" };
    let standing = match (one.contract.is_safe(), one.stated.is_some() && one.is_refuted()) {
        (true, _) => "proved",
        (false, true) => "refuted",
        (false, false) => "not proved",
    };
    _ = writeln!(text, "{place}{}: {standing}{whose}", contract.function);
    // What is not proved is not known to leave anything as it is.
    let is_known = |title: &str| one.contract.is_safe() || one.stated.is_some() || title == "requires";
    for (title, what) in
        clauses(program, contract, &one.assigns).into_iter().filter(|(title, _)| is_known(title))
    {
        _ = writeln!(text, "    {title:<9} {what}");
    }
    for hypothesis in one.stated.iter().flat_map(|stated| &stated.hypotheses) {
        _ = writeln!(text, "    {:<9} {}", "taken", hypothesis_text(contract, *hypothesis));
    }
    if let Some(cost) = &one.cost {
        _ = writeln!(text, "    {:<9} {}", "cost", cost_text(cost));
    }
    for (what, kinds) in open(contract, one.open()) {
        _ = writeln!(text, "    {}", what.replace(KINDS, &kinds.join(", ")));
    }
    for reason in one.reasons() {
        _ = writeln!(text, "    not known {reason}");
    }
}

/// Stands for kinds of obligations.
const KINDS: &str = "\0";

/// What may fail, and of which kinds that is.
fn open(contract: &Contract, open: &[ListedObligation]) -> Vec<(String, Vec<&'static str>)> {
    let mut lines: Vec<(String, Vec<&'static str>)> = Vec::new();
    for one in open {
        let place = one.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let line = match &one.status {
            Status::Refuted { counterexample } if one.obligation == Obligation::Contract => {
                format!("fails     {}{}", broken(contract, counterexample), arguments(counterexample))
            }
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

/// What a run breaks of what a contract says of the time after a call.
fn broken(contract: &Contract, run: &Counterexample) -> String {
    let Failure::Violation { message, .. } = &run.failure else { return String::new() };
    let ensures = 0..contract.ensures.len();
    let clause = ensures.rev().find(|&place| message.contains(&contract.note(Side::Ensures, place)));
    match clause {
        Some(place) => format!("ensures {}", contract.spelled(Side::Ensures, place)),
        None => message.clone(),
    }
}

/// The numbers that a run was called with.
fn arguments(run: &Counterexample) -> String {
    let given = run.inputs.iter().filter(|input| input.ty != "ptr");
    let given = given.filter_map(|input| Some((input.name.strip_prefix("parameter ")?, &input.value)));
    let given: Vec<String> = given.map(|(name, value)| format!("{name} = {value}")).collect();
    if given.is_empty() { String::new() } else { format!(", with {}", given.join(", ")) }
}

fn cost_text(cost: &FunctionCost) -> String {
    match (&cost.cost, &cost.missing) {
        (Some(cost), _) => {
            let class = cost.class.as_ref().map(|class| format!("  {class}")).unwrap_or_default();
            match &cost.iterations {
                Expression::Constant(none) if *none == 0.into() => format!("no iterations{class}"),
                many => format!("at most {} iterations{class}", number(many)),
            }
        }
        (None, Some(missing)) => {
            let place = missing.place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
            format!("not known: {}{place}", missing.reason)
        }
        (None, None) => String::from("not known"),
    }
}

fn hypothesis_text(contract: &Contract, hypothesis: Hypothesis) -> String {
    let object = |place: usize| contract.objects.get(place).map(Pointee::place).unwrap_or_default();
    match hypothesis {
        Hypothesis::Separated(one, other) => {
            format!("{} and {} point to different objects", object(one), object(other))
        }
        Hypothesis::Own(one) => format!("nothing else leads to what {} points to", object(one)),
        Hypothesis::Writable(one) => format!("what {} points to may be written", object(one)),
        Hypothesis::Fits(one) => format!("the size of what {} points to fits its type", object(one)),
    }
}

/// The lines of a contract: what each is, and what it says. In the words of ACSL as far as these can say it.
pub fn clauses(program: &Program, contract: &Contract, assigns: &Assigns) -> Vec<(String, String)> {
    let Some(comment) = acsl(contract, assigns, program) else { return plain(contract) };
    let text = comment.trim().trim_start_matches("/*@").trim_end_matches("*/");
    let clause = |line: &str| {
        let (word, rest) = line.trim().trim_end_matches(';').split_once(' ')?;
        (rest != "\\true").then(|| (word.to_owned(), rest.to_owned()))
    };
    text.lines().filter_map(clause).collect()
}

/// The same in our own words.
fn plain(contract: &Contract) -> Vec<(String, String)> {
    let line = |title: &str, what: String| (title.to_owned(), what);
    let mut lines: Vec<(String, String)> =
        contract.objects.iter().map(|object| line("requires", pointee(object))).collect();
    let spelled =
        |side: Side| (0..contract.clauses(side).len()).map(move |place| contract.spelled(side, place));
    lines.extend(spelled(Side::Requires).map(|clause| line("requires", clause)));
    let changed = contract.objects.iter().filter(|object| object.changed);
    lines.extend(changed.map(|object| line("assigns", format!("*{}", object.place()))));
    lines.extend(spelled(Side::Ensures).map(|clause| line("ensures", clause)));
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
