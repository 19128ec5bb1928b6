//! Values from outside.

use loopscope_program::Obligation;
use loopscope_program::interpret::{Arguments, InputValue, ObligationSet, Options, Outcome};

use super::Setup;

#[test]
fn inputs_are_asked_in_order_and_recorded() {
    let text = "function main() -> i32 { variable %x: i32 variable %y: u8 variable %f: f64
         b0: %x := input __VERIFIER_nondet_int %y := input __VERIFIER_nondet_uchar %f := input other
             return (%x + i32(%y)) + i32(%f) }";
    let values = vec![InputValue::Integer(7), InputValue::Integer(258), InputValue::Integer(3)];
    let (run, _) = Setup { values, ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(12));
    let recorded: Vec<(&str, InputValue)> =
        run.inputs.iter().map(|input| (input.name.as_str(), input.value)).collect();
    let three = InputValue::Float(u128::from(3f64.to_bits()));
    assert_eq!(
        recorded,
        [
            ("__VERIFIER_nondet_int", InputValue::Integer(7)),
            ("__VERIFIER_nondet_uchar", InputValue::Integer(2)),
            ("other", three)
        ]
    );
}

#[test]
fn parameters_come_from_inputs() {
    let text = "function f(%n: i32, %p: ptr) -> i32 { b0: check assertion %n == 5:i32 check assertion %p == null return %n }";
    let values = vec![InputValue::Integer(5)];
    let (run, _) = Setup { values, arguments: Arguments::FromInputs, ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert_eq!(run.inputs[0].name, "parameter n");
}

#[test]
fn assumptions_cut_runs() {
    let text =
        "function main() -> i32 { variable %x: i32 b0: %x := input n assume %x == 1:i32 return 0:i32 }";
    assert_eq!(Setup::default().run(text).0.outcome, Outcome::AssumptionFailed);
    let (run, _) = Setup { values: vec![InputValue::Integer(1)], ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(0));
}

#[test]
fn unchecked_uninitialised_values_are_inputs_and_stay() {
    let text = "function main() -> i32 { object a: 2 align 1 variable %x: i32 variable %y: i32 variable %b: u8 variable %c: u8
         b0: begin a check defined %x %y := %x + %x %b := load &a %c := load &a
             check assertion %y == 8:i32 check assertion %b == %c return i32(%b) }";
    let checks = ObligationSet::ALL.without(Obligation::Uninitialised);
    let options = Options { checks, ..Options::default() };
    let values = vec![InputValue::Integer(4), InputValue::Integer(9)];
    let (run, _) = Setup { values, options, ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(9));
    let names: Vec<&str> = run.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["uninitialised x", "uninitialised a"]);
    assert_eq!(run.undefined.expect("noted").obligation, Obligation::Uninitialised);
}

#[test]
fn what_is_defined_elsewhere_is_an_input() {
    let text = "variable $g: i32 = unknown object $o: 4 align 4 = unknown
         function main() -> i32 { variable %x: u8 b0: %x := load &$o return ($g + $g) + i32(%x) }";
    let values = vec![InputValue::Integer(1), InputValue::Integer(10)];
    let (run, _) = Setup { values, ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(21));
}

#[test]
fn unknown_statements_are_guesses() {
    let text = "function main() -> i32 { variable %x: i32 b0: %x := unknown \"inline assembler\" return %x }";
    let (run, _) = Setup { values: vec![InputValue::Integer(3)], ..Setup::default() }.run(text);
    assert_eq!(run.outcome, Outcome::Exit(3));
    assert!(run.imprecise.is_some());
}
