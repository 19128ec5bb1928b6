//! Work ends when its budget does: nothing that may take long is begun.

use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Effort};
use certify::{ModularFunctions, Subject};
use engines::ranking::{Target, rank};
use evidence::{Overflow, ProofMode};
use loopscope_engines as engines;
use program::interpret::Integers;

#[test]
fn nothing_is_measured_when_the_time_is_over() {
    let path = std::env::temp_dir().join(format!("loopscope-budgets-{}.c", std::process::id()));
    std::fs::write(&path, "void f(char a, int n) { while (a < n) { a++; n -= 2; } }")
        .expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    let function = program.function_named("f").expect("there is a function f");
    let alone = ModularFunctions::of(&program).function(function).expect("it has a body");
    let subject = Subject::modular(&alone, Integers::Machine);
    let mode = ProofMode::modular(Overflow::Excluded);
    let mut abstraction =
        Abstraction::new(&subject, mode, &mut Budget::unlimited()).expect("there is time for it");
    let count = |abstraction: &Abstraction<'_>| abstraction.encoder().terms.len();
    let before = count(&abstraction);
    let ranked = |abstraction: &mut Abstraction<'_>, budget: &mut Budget| {
        let target = &mut Target { abstraction, abstract_loop: 0, effort: Effort::default() };
        rank(target, true, budget)
    };
    assert!(!ranked(&mut abstraction, &mut Budget::unlimited().within(Duration::ZERO)));
    assert_eq!(count(&abstraction), before);
    assert!(ranked(&mut abstraction, &mut Budget::unlimited()));
    assert!(count(&abstraction) > before);
}
