//! Loops on floating point numbers: which arguments the kernel takes, and which ones it must refuse because a step gets
//! lost in a large number, in infinity or in the least number.

mod source;

use base::Budget;
use evidence::{Overflow, ProofMode, Property, Ranking, Termination};
use loopscope_certify::Candidate;
use loopscope_certify::abstraction::{ArgumentCheck, Effort};
use program::interpret::Integers;
use transform::modular;

use self::source::{opened, program};

/// Whether the kernel takes a rank of the only loop of `f`, with invariants that it has accepted before.
fn takes(text: &str, invariants: &[&str], rank: &str) -> bool {
    let program = modular(&program(text));
    let mut budget = Budget::unlimited();
    let mode = ProofMode::modular(Overflow::Wraps);
    let mut abstraction = opened(&program, "f", Property::Termination, Integers::Machine, mode);
    for invariant in invariants {
        let candidate = Candidate { abstract_loop: 0, formula: invariant.parse().expect("a formula") };
        let accepted = abstraction.accept(&[0], &[candidate], Effort::default(), &mut budget);
        assert_eq!(accepted, [true], "{invariant} in {text}");
    }
    let argument = Termination::Ranking(Ranking::Linear(rank.parse().expect("a number")));
    matches!(abstraction.ends(0, &argument, Effort::default(), &mut budget), ArgumentCheck::Left)
}

#[test]
fn a_sum_moves_a_number_that_is_not_too_large() {
    // 10 is at place 1092616192 of `float`.
    let up = "1092616192 - place(x)";
    assert!(takes("void f(void) { for (float x = 0; x < 10; x += 1) ; }", &["place(x) >= 0"], up));
    assert!(takes("void f(float x) { if (x >= 0) for (; x < 10; x += 1) ; }", &["place(x) >= 0"], up));
    assert!(!takes("void f(float x) { for (; x < 10; x += 1) ; }", &[], up), "-1e30 stays what it is");
    assert!(!takes(
        "void f(void) { for (float x = 0; x < 1e9f; x += 1) ; }",
        &["place(x) >= 0"],
        "1315859240 - place(x)"
    ));
}

#[test]
fn a_quotient_moves_a_number_that_is_finite() {
    let down = "place(x)";
    assert!(!takes("void f(float x) { while (x > 1) x /= 2; }", &[], down), "half of infinity is infinity");
    // 1e10 is at place 1343554297.
    let small = "place(x) <= 1343554297";
    let text = "void f(float x) { if (x < 1e10f) while (x > 1) x /= 2; }";
    assert!(takes(text, &[small], down));
    let factor = |factor: &str| format!("void f(float x) {{ if (x < 1e10f) while (x > 0) x *= {factor}; }}");
    assert!(takes(&factor("0.1f"), &[small], down));
    assert!(!takes(&factor("0.8f"), &[small], down), "the least number stays what it is");
    assert!(!takes(&factor("1.5f"), &[], down));
}

#[test]
fn constants_of_double_are_rounded_on_the_way() {
    let text = "void f(float x) { if (x < 1e10) while (x > 0.5) x = x * 0.5; }";
    assert!(takes(text, &["place(x) <= 1343554297"], "place(x)"));
    let text = "void f(float x) { if (x < 1e10) while (x > 0.5) x = x * 0.9999999; }";
    assert!(!takes(text, &[], "place(x)"), "the step is less than the distance of two numbers");
}
