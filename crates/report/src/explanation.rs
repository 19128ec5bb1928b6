//! Verdicts in words: the explanation of a run that goes wrong, or why there is no answer.

use std::fmt::Write;

use certify::Verdict;
use evidence::{
    Contract, Counterexample, Evidence, Failure, Formula, InputCycle, InputValue, Integers, Overflow, Place,
    ProofMode, Reason, Shapes, Side, Summary,
};
use serde::Serialize;

use crate::alarms::{Source, alarm_lines, short};
use crate::json::SCHEMA;
use crate::phrasing::{self, counted};
use crate::trace::{self, Detail};

/// So many inputs are listed; of a longer run the first and the last ones.
const LISTED: usize = 40;

/// So many invariants of a loop are listed, if not all are wanted.
const INVARIANTS: usize = 8;

/// Said where chains of calls were examined.
const CHAINS: &str = "Calls are examined as jumps: a loop at a function is its recursion, and an iteration is a nested call. A run \
    that accesses memory outside of its objects has ended.\n";

/// Said where signed numbers may overflow.
const WRAPS: &str =
    "Signed numbers may overflow on the way. All this holds if they wrap, and also if they have no bounds.\n";

/// What leads to the verdict, in words; the verdict itself is another line.
pub fn explanation(verdict: &Verdict, detail: Detail, source: Source<'_>) -> String {
    match verdict {
        Verdict::Proved(certificate) => proved(certificate.evidence(), certificate.mode(), detail),
        Verdict::Refuted { counterexample } => run(counterexample, detail),
        Verdict::Unknown { reason, also } => unknown(reason, also, source),
    }
}

fn proved(evidence: &Evidence, mode: &ProofMode, detail: Detail) -> String {
    let mut explanation = proof(evidence, detail);
    if mode.chains.is_some() {
        explanation.push_str(CHAINS);
    }
    if mode.overflow == Overflow::Wraps && evidence_is_about_termination(evidence) {
        explanation.push_str(WRAPS);
    }
    explanation
}

/// Whether it says why loops are left.
fn evidence_is_about_termination(evidence: &Evidence) -> bool {
    evidence.loops().iter().any(|one| one.termination.is_some())
}

/// A verdict as one JSON object, with what it assumes beyond ISO C.
pub fn verdict_json(property: &str, verdict: &Verdict, assumptions: &[String]) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        schema: u32,
        property: &'a str,
        line: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        decided_by: Option<&'static str>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        assumptions: &'a [String],
        #[serde(flatten)]
        verdict: &'a Verdict,
    }
    let (line, decided_by) = (verdict.to_string(), verdict.decided_by());
    let answer = Answer { schema: SCHEMA, property, line, decided_by, assumptions, verdict };
    serde_json::to_string_pretty(&answer).unwrap_or_default()
}

/// What was proved of a function.
fn contract(contract: &Contract) -> String {
    let mut text = format!("Contract of {}, which every call by the program keeps:\n", contract.function);
    for side in [Side::Requires, Side::Ensures] {
        for place in 0..contract.clauses(side).len() {
            let _ = writeln!(text, "  {} {};", side.word(), contract.spelled(side, place));
        }
    }
    if contract.requires.is_empty() && contract.ensures.is_empty() {
        text.push_str("  requires nothing, and ensures nothing but that all else stays as it was\n");
    }
    text
}

/// What the shapes of lists show.
fn lists(shapes: &Shapes) -> String {
    let heaps: usize = shapes.cutpoints.iter().map(|place| place.heaps.len()).sum();
    let (loops, heaps) = (counted(shapes.cutpoints.len(), "loop"), counted(heaps, "shape"));
    format!(
        "Every run ends: at the heads of {loops} there are {heaps} of linked lists and numbers, and every way back to one \
         makes a part of a list shorter, or a number less.\n"
    )
}

/// Why the property holds.
fn proof(evidence: &Evidence, detail: Detail) -> String {
    match evidence {
        Evidence::Unrolling(unrolling) => match unrolling.depth {
            0 => String::from("All runs were examined: no loop is entered, and none goes wrong.\n"),
            1 => String::from(
                "All runs were examined: no loop makes a second iteration, and none goes wrong.\n",
            ),
            depth => format!(
                "All runs were examined: no loop makes more than {depth} iterations, and none goes wrong.\n"
            ),
        },
        Evidence::Loops(loops) => loop_invariants(loops, detail),
        Evidence::Contracts { contracts, loops } => {
            let mut text: String = contracts.iter().map(contract).collect();
            if !loops.is_empty() {
                text.push_str(&loop_invariants(loops, detail));
            }
            text
        }
        Evidence::Shapes(shapes) => lists(shapes),
    }
}

fn run(counterexample: &Counterexample, detail: Detail) -> String {
    let Counterexample {
        property,
        entry,
        arguments,
        integers,
        inputs,
        cycle,
        standard_input,
        failure,
        steps,
        ..
    } = counterexample;
    let mut explanation = format!("A run of `{entry}` violates {property}");
    explanation.push_str(match integers {
        Integers::Machine => ":\n",
        Integers::Mathematical => " (with integers that have no bounds):\n",
    });
    if !arguments.is_empty() {
        let words: Vec<String> = arguments.iter().map(|word| format!("{word:?}")).collect();
        let _ = writeln!(explanation, "  started with the arguments {}", words.join(" "));
    }
    input_list(&mut explanation, inputs);
    if let Some(cycle) = cycle {
        again(&mut explanation, cycle);
    }
    if !standard_input.is_empty() {
        let _ = writeln!(explanation, "  reads {} from standard input", bytes(standard_input));
    }
    for line in trace::lines(counterexample, detail) {
        explanation.push_str(&line);
        explanation.push('\n');
    }
    how(&mut explanation, failure, *steps);
    explanation
}

/// How a run of so many steps goes wrong.
pub fn how(explanation: &mut String, failure: &Failure, steps: u64) {
    match failure {
        Failure::Violation { obligation, message, place, stack } => {
            let _ = writeln!(
                explanation,
                "  after {steps} steps: {}: {message} ({obligation})",
                Place::described(place.as_ref())
            );
            for (function, place) in stack {
                let _ = writeln!(explanation, "    in {function} at {}", Place::described(place.as_ref()));
            }
        }
        Failure::Repetition { function, place, first_step, period } => {
            let _ = writeln!(
                explanation,
                "  after {first_step} steps, in {function} at {}: the state comes back every {period} steps, for ever",
                Place::described(place.as_ref())
            );
        }
        Failure::Recurrence { function, place, step, .. } => {
            let place = Place::described(place.as_ref());
            let _ = writeln!(explanation, "  after {step} steps, in {function} at {place}:");
            recurrence(explanation, failure);
        }
    }
}

/// Why a run need not leave a set of states.
fn recurrence(explanation: &mut String, failure: &Failure) {
    let Failure::Recurrence { iterations, calls, set, state, choices, any_overflow, .. } = failure else {
        return;
    };
    let held: Vec<String> = state.iter().map(|held| format!("{} = {}", held.quantity, held.number)).collect();
    if !held.is_empty() {
        let _ = writeln!(explanation, "    the state is {}", held.join(", "));
    }
    let iterations = match (iterations, calls) {
        (1, false) => String::from("an iteration of the loop"),
        (_, false) => format!("every {iterations} iterations of the loop"),
        (1, true) => String::from("a call"),
        (_, true) => format!("every {iterations} calls"),
    };
    let back = if *calls { "leads to another one" } else { "comes back to its head" };
    let always = *set == Formula::True || *set == Formula::All(Vec::new());
    let kept = if always { String::new() } else { format!(" and keeps {set}") };
    let _ = writeln!(explanation, "    {iterations} {back}{kept}, for ever");
    for choice in choices {
        let _ = writeln!(explanation, "    if {} is {} ({})", choice.name, choice.number, choice.ty);
    }
    if *any_overflow {
        explanation.push_str("    signed numbers may overflow then: it goes on whatever that gives\n");
    }
}

/// Which inputs come again and again.
pub fn again(explanation: &mut String, cycle: &InputCycle) {
    let places = cycle.places();
    let which = match places.len() {
        1 => format!("input {} comes", places.end),
        _ => format!("inputs {} to {} come", places.start + 1, places.end),
    };
    let alone = places.len() == 1;
    let grown = places.zip(&cycle.growth).filter(|(_, growth)| **growth != 0).map(|(place, growth)| {
        let which = if alone { String::new() } else { format!("input {} ", place + 1) };
        format!(", {which}by {growth} more each time")
    });
    let _ = writeln!(explanation, "  {which} again and again{}", grown.collect::<String>());
}

/// The inputs of a run, one a line.
pub fn input_list(explanation: &mut String, inputs: &[InputValue]) {
    if inputs.is_empty() {
        explanation.push_str("  takes no inputs\n");
        return;
    }
    let hidden = inputs.len().saturating_sub(LISTED);
    for (position, input) in inputs.iter().enumerate() {
        if hidden > 0 && position == LISTED / 2 {
            let _ = writeln!(explanation, "  … {hidden} more inputs …");
        }
        if hidden > 0 && (LISTED / 2..LISTED / 2 + hidden).contains(&position) {
            continue;
        }
        let InputValue { name, ty, value, place } = input;
        let _ = writeln!(
            explanation,
            "  input {}: {name} = {value} ({ty}) at {}",
            position + 1,
            Place::described(place.as_ref())
        );
    }
}

/// What was proved of loops: each with its place and the invariants that say most.
fn loop_invariants(loops: &[Summary], detail: Detail) -> String {
    if loops.is_empty() {
        return String::from("All runs were examined: none goes wrong.\n");
    }
    let terminates = loops.iter().any(|summary| summary.termination.is_some());
    let mut explanation = String::from(if terminates {
        "Every loop is left:\n"
    } else {
        "It follows from invariants that hold whenever control is at the head of a loop:\n"
    });
    let mut described: Vec<(&Option<Place>, Vec<String>)> = Vec::new();
    for summary in loops {
        let formulas: Vec<_> = summary.invariants.iter().map(|invariant| &invariant.formula).collect();
        let invariants = phrasing::telling(&formulas);
        // A loop in a function that is called several times is told once if the same holds each time.
        if described.iter().any(|(place, other)| *place == &summary.place && *other == invariants) {
            continue;
        }
        let place = short(summary.place.as_ref());
        let _ = writeln!(explanation, "  loop at {place} in {}", summary.name);
        let shown = if detail == Detail::Full { invariants.len() } else { INVARIANTS.min(invariants.len()) };
        if let Some(termination) = &summary.termination {
            for line in phrasing::termination_argument(termination) {
                let _ = writeln!(explanation, "    {line}");
            }
            if !invariants.is_empty() {
                explanation.push_str("    and whenever control is at its head:\n");
            }
        } else if invariants.is_empty() {
            explanation.push_str("    nothing is needed\n");
        }
        for invariant in &invariants[..shown] {
            let _ = writeln!(explanation, "    {invariant}");
        }
        if invariants.len() > shown {
            let _ =
                writeln!(explanation, "    … {} more; --full-trace shows them …", invariants.len() - shown);
        }
        described.push((&summary.place, invariants));
    }
    explanation
}

fn unknown(reason: &Reason, also: &[Reason], source: Source<'_>) -> String {
    let mut explanation = String::from("No answer:\n");
    let mut described = Vec::new();
    for reason in std::iter::once(reason).chain(also) {
        let Reason::Alarm { alarm } = reason else {
            let _ = writeln!(explanation, "  {reason}");
            continue;
        };
        // One counterexample for each place is enough.
        let key = (alarm.obligation, &alarm.place);
        if described.contains(&key) {
            continue;
        }
        described.push(key);
        for line in alarm_lines(alarm, source) {
            let _ = writeln!(explanation, "  {line}");
        }
    }
    explanation
}

/// Bytes as C would write them, cut where they get long.
fn bytes(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text: String =
        bytes.iter().take(SHOWN).flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from).collect();
    if bytes.len() > SHOWN { format!("\"{text}…\" ({} bytes)", bytes.len()) } else { format!("\"{text}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Option<Place> {
        Some(Place { file: String::from("a.c"), line, column: 3 })
    }

    fn counterexample(count: usize) -> Counterexample {
        let input = |at: usize| InputValue {
            name: String::from("__VERIFIER_nondet_int"),
            ty: String::from("i32"),
            value: at.to_string(),
            place: place(4),
        };
        Counterexample {
            property: String::from("memsafety"),
            entry: String::from("main"),
            arguments: vec![String::from("program"), String::from("x y")],
            integers: Integers::Machine,
            inputs: (0..count).map(input).collect(),
            standard_input: b"ab\n".to_vec(),
            failure: Failure::Violation {
                obligation: program::Obligation::OutOfBounds,
                message: String::from("write past the end of `a`"),
                place: place(7),
                stack: vec![(String::from("f"), place(7)), (String::from("main"), place(12))],
            },
            cycle: None,
            steps: 17,
            trace: evidence::Trace::default(),
        }
    }

    #[test]
    fn a_run_is_told_in_order() {
        let verdict = Verdict::Refuted { counterexample: Box::new(counterexample(1)) };
        assert_eq!(
            explanation(&verdict, Detail::Short, &|_| None),
            "A run of `main` violates memsafety:\n  started with the arguments \"program\" \"x y\"\n  \
             input 1: __VERIFIER_nondet_int = 0 (i32) at a.c:4:3\n  reads \"ab\\n\" from standard input\n  \
             after 17 steps: a.c:7:3: write past the end of `a` (out-of-bounds)\n    in f at a.c:7:3\n    \
             in main at a.c:12:3\n"
        );
        assert_eq!(verdict.to_string(), "FALSE (out-of-bounds)");
    }

    #[test]
    fn a_proof_is_told() {
        let evidence = Evidence::Unrolling(evidence::Unrolling { depth: 12 });
        assert!(proof(&evidence, Detail::Short).contains("no loop makes more than 12 iterations"));
    }

    #[test]
    fn invariants_of_loops_are_listed_and_cut() {
        let invariants = ["i <= n", "entry(i) <= i"].into_iter().map(str::to_owned);
        let invariants = invariants.chain((0..9).map(|number| format!("x{number} % 2 == 0")));
        let invariant = |text: String| evidence::LoopInvariant {
            formula: text.parse().unwrap(),
            at: evidence::InvariantPlace::Head,
        };
        let summary = Summary {
            name: String::from("copy"),
            place: place(7),
            invariants: invariants.map(invariant).collect(),
            cases: Vec::new(),
            termination: None,
            bound: None,
        };
        let evidence = Evidence::Loops(vec![summary.clone(), summary]);
        let short = proof(&evidence, Detail::Short);
        assert!(short.contains("  loop at a.c:7 in copy\n    i <= n\n"), "{short}");
        assert!(short.ends_with("    … 3 more; --full-trace shows them …\n"), "{short}");
        assert_eq!(short.matches("loop at").count(), 1, "the same loop is told once");
        let full = proof(&evidence, Detail::Full);
        assert!(full.contains("    i at entry <= i\n") && !full.contains("more;"), "{full}");
    }

    #[test]
    fn long_lists_are_cut() {
        let explanation = explanation(
            &Verdict::Refuted { counterexample: Box::new(counterexample(1000)) },
            Detail::Short,
            &|_| None,
        );
        assert!(explanation.contains("… 960 more inputs …") && explanation.contains("input 1000:"));
        assert!(explanation.lines().count() < 50);
    }

    #[test]
    fn the_json_form_is_stable() {
        let verdict = Verdict::unknown(Reason::NoEntry { function: String::from("main") });
        let json: serde_json::Value =
            serde_json::from_str(&verdict_json("termination", &verdict, &[])).unwrap();
        assert_eq!(json["schema"], SCHEMA);
        assert_eq!(json["verdict"], "unknown");
        assert_eq!(json["reason"]["reason"], "no-entry");
        let verdict = Verdict::Refuted { counterexample: Box::new(counterexample(1)) };
        let json: serde_json::Value =
            serde_json::from_str(&verdict_json("memsafety", &verdict, &[])).unwrap();
        assert_eq!(json["counterexample"]["failure"]["failure"], "violation");
        assert_eq!(json["counterexample"]["inputs"][0]["type"], "i32");
    }
}
