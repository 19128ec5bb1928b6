//! Variance analyses as text and JSON.
//!
//! The JSON form is one object: `schema`, `function` (where runs start), `domain`, `integers`, `cutpoints`, `terminates`
//! (`confirmed`, `shown`, `not-shown`, or null if only a line was asked for) and `gaps`. A cutpoint has `function`,
//! `callers`, `place`, `loop`, `body_line`, `head`, `invariants` (a list of conjunctions), `variances` (each with what
//! `holds` and its `ranking` or null) and `local_termination`. A field is added, never renamed.

use std::fmt::Write;

use evidence::{CutpointReport, Expression, Place, Ranking, Strength, VarianceReport};
/// A variance analysis as text.
pub fn render(report: &VarianceReport) -> String {
    let mut text = String::new();
    for cutpoint in &report.cutpoints {
        write_cutpoint(&mut text, cutpoint);
        text.push('\n');
    }
    if report.cutpoints.is_empty() {
        text.push_str("no loop\n\n");
    }
    for gap in &report.gaps {
        _ = writeln!(text, "not followed: {} at {}", gap.what, place(gap.place.as_ref()));
    }
    let function = &report.function;
    if let Some(terminates) = report.terminates {
        _ = writeln!(
            text,
            "{}",
            match terminates {
                Strength::Confirmed => {
                    format!(
                        "every run of {function} ends: all local termination predicates hold (kernel: confirmed)"
                    )
                }
                Strength::Shown => format!(
                    "every run of {function} ends, by the {} analysis (kernel: not confirmed)",
                    report.domain
                ),
                Strength::NotShown => format!("not shown that every run of {function} ends"),
            }
        );
    }
    text
}

fn write_cutpoint(text: &mut String, cutpoint: &CutpointReport) {
    let at = place(cutpoint.place.as_ref());
    let around = cutpoint.around.as_ref().map_or_else(String::new, |around| around.line.to_string());
    let what = if cutpoint.head { "head of" } else { "in" };
    let calls = match &cutpoint.callers[..] {
        [] => String::new(),
        callers => format!(", called by {}", callers.join(" > ")),
    };
    _ = writeln!(
        text,
        "{at}: {what} the loop of line {around} (body: line {}) in {}{calls}",
        cutpoint.body_line, cutpoint.function
    );
    let invariants = cutpoint.invariants.iter().map(|way| conjunction(way));
    write_list(text, "invariance", "no run comes here", invariants);
    let variances = cutpoint.variances.iter().map(|one| {
        let reason = match &one.ranking {
            Some(ranking) => format!("well-founded: {}", rank(ranking)),
            None => String::from("not known to be well-founded"),
        };
        format!("{}    [{reason}]", conjunction(&one.holds))
    });
    let none = match (cutpoint.invariants.is_empty(), cutpoint.local_termination) {
        (true, _) => "no run comes here",
        (false, Strength::NotShown) => "none was found",
        (false, _) => "no visit comes after another",
    };
    write_list(text, "variance", none, variances);
    let place = cutpoint
        .place
        .as_ref()
        .map_or_else(|| String::from("this place"), |place| format!("line {}", place.line));
    let predicate = format!(
        "{place} is visited infinitely often only if the loop of line {around} is left infinitely often"
    );
    _ = writeln!(
        text,
        "  local termination  {}",
        match cutpoint.local_termination {
            Strength::Confirmed =>
                format!("holds: {predicate}, or something undefined happens (kernel: confirmed)"),
            Strength::Shown => format!("holds, by the analysis: {predicate} (kernel: not confirmed)"),
            Strength::NotShown => format!("not shown that {predicate}"),
        }
    );
}

fn write_list(text: &mut String, title: &str, none: &str, lines: impl Iterator<Item = String>) {
    let mut is_first = true;
    for line in lines {
        let label = if is_first { title } else { "or" };
        _ = writeln!(text, "  {label:>17}  {line}");
        is_first = false;
    }
    if is_first {
        _ = writeln!(text, "  {title:>17}  {none}");
    }
}

fn conjunction(parts: &[String]) -> String {
    if parts.is_empty() { String::from("anything") } else { parts.join(", ") }
}

fn place(place: Option<&Place>) -> String {
    place.map_or_else(|| String::from("an unknown place"), ToString::to_string)
}

/// Ranks in words.
fn rank(ranking: &Ranking) -> String {
    let all = |ranks: &[Expression]| ranks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match ranking {
        Ranking::Linear(rank) => format!("{rank} decreases"),
        Ranking::Lexicographic(ranks) => format!("({}) decreases lexicographically", all(ranks)),
        Ranking::Multiphase(ranks) | Ranking::Nested(ranks) => {
            format!("{} decrease one after the other", all(ranks))
        }
    }
}
