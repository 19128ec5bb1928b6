//! Whole programs whose loops end soon: proved, suspect with the way there, unfinished, or undefined.

mod source;

use base::Budget;
use encoding::Incompleteness;
use evidence::{Overflow, ProofMode, Property};
use loopscope_certify::unrolling::{Examination, examine};
use loopscope_certify::{Claim, ModularFunctions, Subject};
use program::interpret::{InputValue, Integers, ObligationSet};
use program::{Obligation, Program};

use self::source::program;

fn examined(program: &Program, checks: ObligationSet, iterations: u64) -> Examination {
    let function = program.function_named("main").expect("there is a main");
    let property = Property::Obligations(checks);
    let subject = Subject::of(program, Claim { function, property, integers: Integers::Machine });
    let mode = ProofMode { recursion: 2, calls: 20, ..ProofMode::unrolled(iterations, Overflow::Wraps) };
    examine(&subject, mode, &mut Budget::unlimited())
}

const ERRORS: ObligationSet = ObligationSet::EMPTY.with(Obligation::ReachError);

#[test]
fn a_loop_that_ends_in_time_is_proved() {
    let program = program(
        "int main(void) { int i, s = 0; for (i = 0; i < 5; i++) s += i; if (s != 10) reach_error(); return nondet(); }",
    );
    assert!(matches!(examined(&program, ERRORS, 6), Examination::Proved(_)));
    let answer = examined(&program, ERRORS, 4);
    let Examination::Unfinished { end, further, location, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((end, further, location.line), (Incompleteness::Loop, true, 3));
}

/// Calls are no part of a modular program, and an overflow may keep a loop going that wraps out of it.
#[test]
fn only_whole_runs_without_overflow_are_known_to_end() {
    let program = program("int main(void) { int i; for (i = 0; i < 5; i++) ; return i; }");
    let function = program.function_named("main").expect("there is a main");
    let claim = Claim { function, property: Property::Termination, integers: Integers::Machine };
    let modular = ModularFunctions::of(&program).function(function).expect("it has a body");
    let of_any_caller = Subject::modular(&modular, Integers::Machine);
    let whole = Subject::of(&program, claim);
    let is_proved = |subject: &Subject<'_>, overflow| {
        let answer = examine(subject, ProofMode::unrolled(9, overflow), &mut Budget::unlimited());
        matches!(answer, Examination::Proved(_))
    };
    assert!(is_proved(&whole, Overflow::Excluded));
    assert!(!is_proved(&of_any_caller, Overflow::Excluded));
    for overflow in [Overflow::Any, Overflow::Wraps] {
        assert!(!is_proved(&whole, overflow), "{overflow:?}");
    }
}

#[test]
fn a_violation_comes_with_inputs_and_the_way_there() {
    let program = program(
        "int main(void) { int n = nondet(), i = 0; while (i < 3) { i++; if (n == 40 + i) reach_error(); } return 0; }",
    );
    let answer = examined(&program, ERRORS, 4);
    let Examination::Suspect(suspect) = answer else { panic!("{answer:?}") };
    assert_eq!(suspect.obligation, Obligation::ReachError);
    let [input] = &suspect.inputs[..] else { panic!("{:?}", suspect.inputs) };
    let InputValue::Integer(number) = input.value else { panic!("{input:?}") };
    assert!((41..=43).contains(&number), "{number}");
    let values = |name: &str| {
        let steps = suspect.trace.iter().filter(|step| step.variable == name);
        steps.map(|step| step.value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(values("n"), [number.to_string()]);
    let counted: Vec<String> = (0..=number - 40).map(|i| i.to_string()).collect();
    assert_eq!(values("i")[..counted.len()], counted);
}

#[test]
fn the_first_violation_of_a_run_counts() {
    let program = program(
        "int main(void) { int n = nondet(); if (n > 5) reach_error(); if (n > 4) reach_error(); return 0; }",
    );
    let answer = examined(&program, ERRORS, 1);
    let Examination::Suspect(suspect) = answer else { panic!("{answer:?}") };
    let InputValue::Integer(number) = suspect.inputs[0].value else { panic!("{suspect:?}") };
    assert_eq!(suspect.location.column > 60, number == 5, "{suspect:?}");
}

#[test]
fn undefined_behaviour_stands_in_the_way_of_a_proof() {
    let text = "int main(void) { int a[3] = {0}, n = nondet(); return a[n]; }";
    let program = program(text);
    let answer = examined(&program, ERRORS, 1);
    assert!(
        matches!(answer, Examination::Undefined { obligation: Obligation::OutOfBounds, further: false, .. }),
        "{answer:?}"
    );
    let answer = examined(&program, ERRORS.with(Obligation::OutOfBounds), 1);
    assert!(matches!(answer, Examination::Suspect(_)), "{answer:?}");
}

#[test]
fn recursion_that_goes_on_is_unfinished() {
    let program = program(
        "static int down(int n) { return n <= 0 ? 0 : down(n - 1); } int main(void) { return down(nondet()); }",
    );
    let answer = examined(&program, ERRORS, 1);
    assert!(
        matches!(answer, Examination::Unfinished { end: Incompleteness::Recursion, further: true, .. }),
        "{answer:?}"
    );
}
