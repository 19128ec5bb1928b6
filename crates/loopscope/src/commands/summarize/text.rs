//! Summaries of loops by cases, as text, JSON and pictures: `x` is the number before the loop, `x'` the one after it.
//!
//! The JSON form is one object: `schema`, `loops` and `skipped`. A loop has `function`, `loop`, `place`, `type` (1 to
//! 4, or null), `automaton` (`states` and `transitions`), `cases` (each with the `case` as the kernel sees it, its
//! `traces`, `never`, `strength` and `counted`), `covered`, and, where there are no cases, `counted`, `invariants`,
//! `left` and `why`. `others` is what it may change besides. A field is added, never renamed.

use std::fmt::Write;

use evidence::{
    AutomatonReport, CaseReport, Expression, Formula, LoopReport, Moment, StateReport, Strength,
    SummaryReport,
};
use report::graph::{Edge, Graph, Node, Paint};

/// Summaries as text.
pub fn render(report: &SummaryReport) -> String {
    let mut text = String::new();
    for one in &report.loops {
        write_loop(&mut text, one);
        text.push('\n');
    }
    if report.loops.is_empty() && report.skipped.is_empty() {
        text.push_str("no loop\n");
    }
    for skipped in &report.skipped {
        _ = writeln!(text, "{}: nothing is known: {}", skipped.function, skipped.reason);
    }
    text
}

fn write_loop(text: &mut String, one: &LoopReport) {
    _ = write!(text, "{} in {}", one.name, one.function);
    if let Some(kind) = one.kind {
        _ = write!(text, ": type {kind}");
    }
    let exact = !one.cases.is_empty() && one.cases.iter().all(|case| case.case.exact);
    match one.cases.len() {
        0 => {}
        1 => text.push_str(", one case"),
        count => _ = write!(text, ", {count} cases"),
    }
    if !one.cases.is_empty() {
        text.push_str(if exact { ", exact" } else { "" });
        if one.covered != Strength::Confirmed {
            text.push_str("; whether these are all is not known");
        }
    }
    text.push('\n');
    for state in one.automaton.iter().flat_map(|automaton| &automaton.states) {
        _ = writeln!(text, "  {}", describe(state));
    }
    for case in &one.cases {
        write_case(text, case, &one.others);
    }
    if let Some(why) = &one.why {
        _ = writeln!(text, "  no cases: {why}");
    }
    if !one.others.is_empty() {
        _ = writeln!(text, "  not followed: {}", one.others.join(", "));
    }
    write_rest(text, one);
}

/// What is known without cases.
fn write_rest(text: &mut String, one: &LoopReport) {
    let updates: Vec<String> = one
        .counted
        .iter()
        .map(|update| format!("{}' = {}", update.quantity, number(&update.value)))
        .collect();
    if !updates.is_empty() {
        _ = writeln!(
            text,
            "  in any order       {}   (not confirmed; k1: the iterations along q1, and so on)",
            updates.join(", ")
        );
    }
    for invariant in &one.invariants {
        _ = writeln!(text, "  before each iteration   {}", outside(invariant));
    }
    for invariant in &one.left {
        _ = writeln!(text, "  at the end         {}", outside(invariant));
    }
}

fn describe(state: &StateReport) -> String {
    let mut text = format!("{:4}", state.name);
    let conditions: Vec<String> = state.conditions.iter().map(ToString::to_string).collect();
    text.push_str(match (state.accepting, state.iterative, state.first) {
        (true, ..) => "leaves  ",
        (_, true, true) => "again   ",
        (_, true, false) => "again in",
        (_, false, true) => "enters  ",
        (_, false, false) => "goes on ",
    });
    let when = match (conditions.is_empty(), state.partial) {
        (true, true) => String::from("a condition holds that is not followed"),
        (true, false) => String::from("always"),
        (false, true) => format!("{} and a condition that is not followed", conditions.join(" && ")),
        (false, false) => conditions.join(" && "),
    };
    _ = write!(text, " when {when}");
    let updates: Vec<String> = state.updates.iter().map(ToString::to_string).collect();
    if !updates.is_empty() {
        _ = write!(text, ": {}", updates.join(", "));
    }
    text
}

fn write_case(text: &mut String, case: &CaseReport, others: &[String]) {
    let always = matches!(&case.case.guard, Formula::True)
        || matches!(&case.case.guard, Formula::All(parts) if parts.is_empty());
    let when = if always { String::from("always") } else { format!("when {}", outside(&case.case.guard)) };
    _ = writeln!(text, "  {when}   [{}]", case.traces.join(" | "));
    let known = case.strength == Strength::Confirmed;
    if case.never {
        let described = if known { "it is never left" } else { "whether it is left is not known" };
        _ = writeln!(text, "      {described}");
        return;
    }
    match known {
        true => _ = writeln!(text, "      {}", effect(case, others)),
        false if tells_nothing(&case.case.relation) => {
            text.push_str("      what it computes is not known\n");
        }
        false => {
            _ = writeln!(
                text,
                "      what it computes is not known; not confirmed: {}",
                effect(case, others)
            );
        }
    }
    let word = |number: &Expression| if *number == Expression::from(1) { "iteration" } else { "iterations" };
    match &case.case.iterations {
        Some(count) if case.counted == Strength::Confirmed => {
            _ = writeln!(text, "      after {} {}", number(count), word(count));
        }
        Some(count) => {
            let described = format!("not confirmed: {} {}", number(count), word(count));
            _ = writeln!(text, "      after how many iterations is not known; {described}");
        }
        None => text.push_str("      after how many iterations is not known\n"),
    }
}

/// What a case does to the numbers, in a loop that may change others as well.
pub fn effect(case: &CaseReport, others: &[String]) -> String {
    let mut parts = Vec::new();
    for update in &case.case.effect {
        let before = update.quantity.at(Moment::Entry);
        if update.value != before {
            parts.push(format!("{}' = {}", update.quantity, number(&update.value)));
        }
    }
    match &case.case.relation {
        _ if !parts.is_empty() => parts.join(", "),
        Formula::True if others.is_empty() => String::from("nothing changes"),
        Formula::True => String::from("nothing that is followed changes"),
        relation if tells_nothing(relation) => String::from("what it computes is not known"),
        relation => outside(relation),
    }
}

/// Whether a relation between states says nothing, though it is there to say something.
fn tells_nothing(relation: &Formula) -> bool {
    let is_empty = |part: &Formula| matches!(part, Formula::All(parts) if parts.is_empty());
    matches!(relation, Formula::Any(ways) if ways.iter().any(is_empty))
}

/// A formula with the names of states outside: entry plain, the end with a stroke.
pub fn outside(formula: &Formula) -> String {
    formula.with_moments(&moved).as_ref().unwrap_or(formula).to_string()
}

fn number(expression: &Expression) -> String {
    expression.with_moments(&moved).as_ref().unwrap_or(expression).to_string()
}

const fn moved(moment: Moment) -> Option<Moment> {
    match moment {
        Moment::Entry => Some(Moment::Now),
        _ => Some(Moment::Next),
    }
}

/// A path dependency automaton as a picture (Fig. 6 of the paper).
pub fn automaton(title: &str, automaton: &AutomatonReport) -> Graph {
    let mut nodes =
        vec![Node { name: String::from("start"), lines: vec![String::from("start")], paint: Paint::Plain }];
    for state in &automaton.states {
        let mut lines = vec![match (state.iterative, state.accepting) {
            (true, _) => format!("{} *", state.name),
            (false, true) => format!("{} (leaves)", state.name),
            _ => state.name.clone(),
        }];
        lines.extend(state.conditions.iter().map(ToString::to_string));
        if state.partial {
            lines.push(String::from("…"));
        }
        lines.extend(state.updates.iter().map(|update| format!("{} := {}", update.quantity, update.value)));
        let paint = match (state.accepting, state.iterative) {
            (true, _) => Paint::Head,
            (_, true) => Paint::Inside(2),
            _ => Paint::Inside(1),
        };
        nodes.push(Node { name: state.name.clone(), lines, paint });
    }
    let mut edges: Vec<Edge> = Vec::new();
    for (place, state) in automaton.states.iter().enumerate() {
        if state.first {
            edges.push(Edge { from: 0, to: place + 1, label: String::new(), back: false });
        }
    }
    for transition in &automaton.transitions {
        let counter = transition.counter.as_ref().map(|counter| format!("k = {counter}"));
        edges.push(Edge {
            from: transition.from + 1,
            to: transition.to + 1,
            label: counter.unwrap_or_default(),
            back: transition.to < transition.from,
        });
    }
    Graph { title: title.to_owned(), nodes, edges }
}
