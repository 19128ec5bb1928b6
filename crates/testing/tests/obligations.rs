//! Every kind of obligation, on programs that trip it and on near misses: the interpreter says what the annotation says,
//! and so do the compiler's sanitizers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use base::Budget;
use certify::unrolling::{Examination, examine};
use certify::{Claim, Subject};
use evidence::{Overflow, ProofMode, Property};
use loopscope_testing::corpus::{Expectation, expectation, folder, programs};
use loopscope_testing::interpretation::{Form, interpret, outcome, prepare, translate};
use loopscope_testing::sanitizers::{Opinion, Sanitizers};
use program::Obligation;
use program::interpret::{Integers, ObligationSet, Outcome};

const STEPS: u64 = 10_000_000;

/// The programs with what is expected of them, and the kind that their names start with.
fn matrix() -> Vec<(PathBuf, Expectation, Obligation)> {
    let paths = programs(&folder().join("obligations")).unwrap();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let expected =
                expectation(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
            let name = path.file_stem().unwrap().to_str().unwrap().to_string();
            let about =
                Obligation::ALL.into_iter().find(|kind| name.starts_with(&format!("{kind}-"))).unwrap();
            (path, expected, about)
        })
        .collect()
}

#[test]
fn every_kind_has_programs_of_both_sorts() {
    let mut counts: BTreeMap<Obligation, (usize, usize)> = BTreeMap::new();
    for (path, expected, about) in matrix() {
        let count = counts.entry(about).or_default();
        match expected {
            Expectation::Clean => count.1 += 1,
            Expectation::Trips { obligation, .. } => {
                assert_eq!(obligation, about, "{}", path.display());
                count.0 += 1;
            }
        }
    }
    // Contracts are not written in C: proofs make them.
    for kind in Obligation::ALL.into_iter().filter(|kind| *kind != Obligation::Contract) {
        let (trips, clean) = counts.get(&kind).copied().unwrap_or_default();
        assert!(trips >= 2 && clean >= 2, "{kind}: {trips} trip it, {clean} do not");
    }
}

#[test]
fn the_interpreter_says_what_the_annotations_say() {
    let problems: Vec<String> = matrix()
        .iter()
        .flat_map(|(path, expected, _)| Form::ALL.map(|form| interpreted(path, form, *expected)))
        .filter_map(Result::err)
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn interpreted(path: &Path, form: Form, expected: Expectation) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().display();
    let inner = || {
        let mut program = translate(path, &[])?;
        prepare(&mut program, form)?;
        let run = interpret(&program, ObligationSet::ALL, STEPS)?.run;
        let agrees = match (&run.outcome, expected) {
            (Outcome::Exit(0), Expectation::Clean) => true,
            (Outcome::Violation(violation), Expectation::Trips { obligation, line }) => {
                violation.obligation == obligation && line.is_none_or(|line| violation.location.line == line)
            }
            _ => false,
        };
        if agrees { Ok(()) } else { Err(format!("expected {expected:?}, got {}", outcome(&program, &run))) }
    };
    inner().map_err(|problem: String| format!("{name} ({form}): {problem}"))
}

#[test]
fn the_kernel_proves_near_misses_and_nothing_that_trips() {
    let (mut problems, mut proved, mut clean) = (Vec::new(), 0, 0);
    for (path, expected, about) in matrix() {
        for form in Form::ALL {
            let mut program = translate(&path, &[]).unwrap_or_else(|problem| panic!("{problem}"));
            prepare(&mut program, form).unwrap_or_else(|problem| panic!("{problem}"));
            let function = program.function_named("main").unwrap();
            let checks = ObligationSet::EMPTY.with(about);
            let property = Property::Obligations(checks);
            let subject = Subject::of(&program, Claim { function, property, integers: Integers::Machine });
            let mode = ProofMode { recursion: 20, calls: 50, ..ProofMode::unrolled(70, Overflow::Wraps) };
            let mut budget = Budget::steps(200_000).within(std::time::Duration::from_secs(5));
            let answer = examine(&subject, mode, &mut budget);
            let is_proved = matches!(answer, Examination::Proved(_));
            match expected {
                Expectation::Clean => (clean, proved) = (clean + 1, proved + usize::from(is_proved)),
                Expectation::Trips { .. } if is_proved => {
                    problems.push(format!("{} ({form}) trips and is proved", path.display()));
                }
                Expectation::Trips { .. } => {}
            }
        }
    }
    println!("{proved} of {clean} near misses are proved");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(3 * proved > clean, "only {proved} of {clean} near misses are proved");
}

#[test]
fn the_sanitizers_say_what_the_annotations_say() {
    let sanitizers = Sanitizers::find();
    let programs = matrix();
    let opinions: Vec<(usize, Opinion)> = std::thread::scope(|scope| {
        let judge_half = |half: usize| {
            let (programs, sanitizers) = (&programs, &sanitizers);
            scope.spawn(move || {
                let chosen = programs.iter().enumerate().skip(half).step_by(2);
                chosen
                    .map(|(number, (path, expected, about))| {
                        (number, sanitizers.judge(path, *expected, *about))
                    })
                    .collect()
            })
        };
        let halves = [judge_half(0), judge_half(1)];
        halves.into_iter().flat_map(|half| -> Vec<(usize, Opinion)> { half.join().unwrap() }).collect()
    });
    let (mut problems, mut missing, mut judged) = (Vec::new(), BTreeSet::new(), 0);
    for (number, opinion) in opinions {
        let (path, _, about) = &programs[number];
        match opinion {
            Opinion::Agrees => judged += 1,
            Opinion::Disagrees(problem) => problems.push(format!("{}: {problem}", path.display())),
            Opinion::Missing(what) => {
                missing.insert(format!("{about}: {what}"));
            }
        }
    }
    println!("{judged} programs judged by sanitizers");
    missing.iter().for_each(|what| println!("skipped: {what}"));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
