//! Pairs of answers that cannot both be true.

use certify::{ListedObligation, Status, Stopping};
use clients::Verdict;
use evidence::{Counterexample, CycleKind, Failure, Strength, TestOutcome};
use program::Obligation;

use super::answers::{Answers, Judged};

/// All contradictions between answers about runs from one function.
pub fn contradictions(answers: &Answers, entry: &str) -> Vec<String> {
    let mut found = Vec::new();
    for judged in &answers.verdicts {
        found.extend(certified(judged));
        found.extend(listed(answers, judged, entry));
        if judged.name == "termination" {
            found.extend(ends(answers, judged, entry));
            found.extend(varied(answers, judged));
        }
        if judged.name == "unreach-call" {
            found.extend(tested(answers, judged));
        }
    }
    found.extend(bounded(answers));
    found
}

fn is_true(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Proved(_))
}

fn violation(verdict: &Verdict) -> Option<&Counterexample> {
    match verdict {
        Verdict::Refuted { counterexample } => Some(counterexample),
        _ => None,
    }
}

/// `certify` against `verify`.
fn certified(judged: &Judged) -> Option<String> {
    let certified = judged.certified.as_ref()?;
    let opposite = violation(certified).is_some();
    opposite.then(|| format!("verify {}: {}, and certify: {certified}", judged.name, judged.verdict))
}

/// `alarms` against `verify`.
fn listed(answers: &Answers, judged: &Judged, entry: &str) -> Option<String> {
    let listing = answers.listing.as_ref().filter(|_| judged.name != "termination")?;
    let kinds = judged.property.obligations();
    // What is proved under a contract says nothing of the calls that `verify` looks at.
    let speaks_of_all = listing.functions.iter().all(|function| function.contract.is_none());
    if violation(&judged.verdict).is_some() && listing.is_proved() && speaks_of_all {
        return Some(format!("verify {}: {}, and alarms: all is proved", judged.name, judged.verdict));
    }
    let functions = listing.functions.iter().filter(|function| function.entry == entry);
    let is_refuted = |one: &&ListedObligation| {
        kinds.contains(one.obligation) && matches!(one.status, Status::Refuted { .. })
    };
    let refuted = functions.flat_map(|function| &function.obligations).find(is_refuted);
    let refuted = refuted.filter(|_| is_true(&judged.verdict))?;
    Some(format!(
        "verify {}: TRUE, and alarms: {} at {:?} is refuted",
        judged.name, refuted.obligation, refuted.place
    ))
}

/// Whether a run that never ends may overflow again and again: then it does something undefined.
fn overflows(run: &Counterexample) -> bool {
    matches!(&run.failure, Failure::Recurrence { any_overflow: true, .. })
}

/// Whether a loop that stops cannot have a run that never ends.
pub(crate) fn contradicts(answer: &Stopping, run: &Counterexample) -> bool {
    match answer {
        Stopping::Stops(stops) => !(stops.unless_overflow() && overflows(run)),
        _ => false,
    }
}

/// `terminates` against `verify`.
fn ends(answers: &Answers, judged: &Judged, entry: &str) -> Option<String> {
    let cycles = &answers.termination.cycles;
    if is_true(&judged.verdict) {
        let infinite = cycles.iter().find(|cycle| match &cycle.answer {
            Stopping::MayRunForEver { counterexample } => counterexample.entry == entry,
            _ => false,
        })?;
        return Some(format!("verify termination: TRUE, and terminates: {} may run for ever", infinite.name));
    }
    let run = violation(&judged.verdict)?;
    let all = cycles.iter().all(|cycle| contradicts(&cycle.answer, run));
    all.then(|| format!("verify termination: {}, and terminates: everything stops", judged.verdict))
}

/// `variance` against `verify` and `terminates`.
fn varied(answers: &Answers, judged: &Judged) -> Option<String> {
    let variance = answers.variance.as_ref()?;
    let run = violation(&judged.verdict)?;
    let has_recursion = answers.termination.cycles.iter().any(|cycle| cycle.kind == CycleKind::Recursion);
    let confirmed = |strength: Strength| strength == Strength::Confirmed;
    let all = variance.gaps.is_empty()
        && !has_recursion
        && variance.cutpoints.iter().all(|cutpoint| confirmed(cutpoint.local_termination));
    let ends = variance.terminates.is_some_and(confirmed);
    let overflows = overflows(run);
    (ends || all && !overflows).then(|| {
        let what = if ends { "every run ends" } else { "every place is left" };
        format!("verify termination: {}, and variance: {what}", judged.verdict)
    })
}

/// `tests` against `verify`.
fn tested(answers: &Answers, judged: &Judged) -> Option<String> {
    let suite = answers.suite.as_ref().filter(|_| is_true(&judged.verdict))?;
    let names = [Obligation::Assertion, Obligation::ReachError].map(|obligation| obligation.name());
    let failing = suite.tests.iter().find_map(|test| match &test.outcome {
        TestOutcome::Violation { what } if names.iter().any(|name| what.contains(name)) => Some(what),
        _ => None,
    })?;
    Some(format!("verify unreach-call: TRUE, and tests: a test ends with {failing}"))
}

/// `bounds` against `terminates`.
fn bounded(answers: &Answers) -> Option<String> {
    let bounded = answers.bounds.loops.iter().filter(|one| one.bound.is_some());
    let mut pairs = bounded.flat_map(|one| answers.termination.cycles.iter().map(move |cycle| (one, cycle)));
    let (one, _) = pairs.find(|(one, cycle)| {
        let same = one.name == cycle.name && one.function == cycle.function && one.place == cycle.place;
        let overflows = match &cycle.answer {
            Stopping::MayRunForEver { counterexample } => overflows(counterexample),
            _ => return false,
        };
        same && !overflows
    })?;
    Some(format!("bounds: {} has a bound, and terminates: it may run for ever", one.name))
}
