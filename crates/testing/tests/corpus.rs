//! The annotated loops: what their annotations say is what the other crates find, as far as they look.

use std::fs;
use std::time::Duration;

use base::Budget;
use clients::refute::Query;
use loops::LoopForest;
use loopscope_testing::corpus::{Claim, annotations, folder, programs};
use loopscope_testing::interpretation::{Form, prepare, translate};
use program::Program;
use program::interpret::Integers;

/// The lines of the loop statements of a program, and how many loops it has.
fn loops_of(program: &Program) -> (Vec<u32>, usize) {
    let (mut lines, mut count) = (Vec::new(), 0);
    for body in program.functions.values().filter_map(|function| function.body()) {
        count += LoopForest::of(body).len();
        lines.extend(body.blocks.values().filter_map(|block| Some(block.loop_statement?.location.line)));
    }
    (lines, count)
}

#[test]
fn loops_are_counted_and_found_where_they_are() {
    let mut problems = Vec::new();
    for path in programs(&folder()).unwrap() {
        let name = path.display();
        let source = fs::read_to_string(&path).unwrap();
        let annotations = annotations(&source).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let mut program = match translate(&path, &[]) {
            Ok(program) => program,
            Err(problem) => {
                problems.push(format!("{name}: {problem}"));
                continue;
            }
        };
        for form in Form::ALL {
            if let Err(problem) = prepare(&mut program, form) {
                problems.push(format!("{name}: {problem}"));
            }
            let (lines, count) = loops_of(&program);
            for annotation in &annotations {
                if let Claim::Loops(expected) = annotation.claim
                    && expected != count
                {
                    problems.push(format!("{name} ({form}): {expected} loops, found {count}"));
                }
                if annotation.claim.is_about_a_loop() && !lines.contains(&annotation.line) {
                    problems.push(format!("{name} ({form}): no loop at line {}", annotation.line));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn no_verdict_contradicts_an_annotation() {
    let (mut problems, mut refuted, mut failing, mut proved) = (Vec::new(), 0, 0, 0);
    for path in programs(&folder()).unwrap() {
        let source = fs::read_to_string(&path).unwrap();
        let Ok(mut program) = translate(&path, &[]) else { continue };
        if prepare(&mut program, Form::Simplified).is_err() {
            continue;
        }
        for annotation in annotations(&source).unwrap() {
            let (property, holds) = match annotation.claim {
                Claim::Holds(property, _) => (property, true),
                Claim::Fails(property, _) => (property, false),
                _ => continue,
            };
            let query = Query { property, function: String::from("main"), integers: Integers::Machine };
            // No assertion hangs on the time: it only keeps hard queries short.
            let budget = Budget::steps(500_000).within(Duration::from_secs(1));
            let verdict = clients::verify(&program, &query, &budget, &mut |_| {});
            let name = format!("{} {}", path.display(), property.name());
            match verdict.to_string() {
                line if line.starts_with("FALSE") && holds => {
                    problems.push(format!("{name}: holds, but {line}"))
                }
                line if line.starts_with("TRUE") && !holds => {
                    problems.push(format!("{name}: fails, but {line}"))
                }
                line => {
                    refuted += usize::from(line.starts_with("FALSE"));
                    proved += usize::from(line.starts_with("TRUE"));
                }
            }
            failing += usize::from(!holds);
        }
    }
    println!("{refuted} of {failing} properties that fail were refuted, {proved} were proved");
    assert!(refuted > 0 && proved > 0, "{refuted} refuted, {proved} proved");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
