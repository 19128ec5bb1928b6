//! Loops over numbers: invariants that must be found, and assertions that must be proved with them.

use std::time::Duration;

use base::Budget;
use certify::Abstraction;
use certify::abstraction::Effort;
use certify::{Claim, Subject};
use evidence::{AbstractionMode, Overflow, ProofMode, Property};
use program::interpret::{Integers, ObligationSet};
use program::{Obligation, Program};

/// What an analysis of a C program gave.
struct Result {
    /// The invariants of each loop.
    invariants: Vec<Vec<String>>,
    /// Whether its assertions were proved.
    proved: bool,
}

fn program(name: &str, text: &str) -> Program {
    let path = std::env::temp_dir().join(format!("loopscope-numeric-{name}-{}.c", std::process::id()));
    let header = "extern int nondet_int(void); extern unsigned nondet_uint(void);\n\
                  extern void reach_error(void);\n\
                  static void check(int condition) { if (!condition) reach_error(); }\n";
    std::fs::write(&path, format!("{header}{text}")).expect("the folder for temporary files can be written");
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}

fn analyse(name: &str, text: &str, checks: ObligationSet) -> Result {
    let program = program(name, text);
    let function = program.function_named("main").expect("there is a main");
    let property = Property::Obligations(checks);
    let subject = Subject::of(&program, Claim { function, property, integers: Integers::Machine });
    let mut budget = Budget::unlimited().within(Duration::from_secs(60));
    let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 64 });
    let mode = ProofMode { abstract_loops, ..ProofMode::abstraction(1, Overflow::Wraps) };
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
    let effort = Effort { time: Duration::from_secs(10), ..Effort::default() };
    loopscope_engines::summarise(&program, &mut abstraction, effort, &mut budget, &mut |_| {});
    let invariants = (0..abstraction.abstract_loops().len())
        .map(|abstract_loop| abstraction.invariants(abstract_loop).iter().map(ToString::to_string).collect())
        .collect();
    Result { invariants, proved: abstraction.conclude(effort, &mut budget).is_some() }
}

/// The first loop has these invariants, and the assertions are proved.
fn proves(name: &str, text: &str, invariants: &[&str]) {
    let checks = ObligationSet::EMPTY.with(Obligation::Assertion).with(Obligation::ReachError);
    let result = analyse(name, text, checks);
    let found = result.invariants.first().cloned().unwrap_or_default();
    for invariant in invariants {
        assert!(found.iter().any(|other| other == invariant), "{name}: {invariant} is missing in {found:#?}");
    }
    assert!(result.proved, "{name} is not proved with {:#?}", result.invariants);
}

#[test]
fn values_are_constants_or_few() {
    proves(
        "flag",
        "int main(void) { int mode = 1; while (nondet_int()) { if (nondet_int()) mode = 3; else mode = 7; }
         check(mode == 1 || mode == 3 || mode == 7); return 0; }",
        &[],
    );
}

#[test]
fn counters_stop_at_their_limits() {
    proves(
        "upto",
        "int main(void) { int n = nondet_int(), i = 0; if (n < 0) return 0; while (i < n) i++; check(i == n); return 0; }",
        &["i <= n", "i >= 0"],
    );
    proves(
        "constant",
        "int main(void) { unsigned i = 0; while (i < 1000) i += 2; check(i == 1000); return 0; }",
        &["i % 2 == 0"],
    );
    proves(
        "over",
        "int main(void) { int i = nondet_int(); if (i > 50) return 0; while (i < 100) i += 7; check(i <= 106); return 0; }",
        &[],
    );
}

#[test]
fn several_variables_have_equations() {
    proves(
        "sum",
        "int main(void) { unsigned x = 0, y = nondet_uint(), n; if (y > 1000) return 0; n = y;
         while (y > 0) { x++; y--; } check(x == n); return 0; }",
        &[],
    );
    proves(
        "line",
        "int main(void) { int x = 0, y = 5, n = nondet_int(); if (n > 10000) return 0;
         while (x < n) { x++; y += 3; } check(y == 3 * x + 5); return 0; }",
        &["y == 3 * x + 5"],
    );
}

#[test]
fn changes_are_compared_with_entry() {
    proves(
        "grows",
        "int main(void) { int a = nondet_int(), b; if (a < -100 || a > 100) return 0; b = a;
         while (a < 1000 && nondet_int()) { if (nondet_int()) a++; } check(a >= b); return 0; }",
        &["b <= a"],
    );
}

#[test]
fn invariants_hold_by_cases() {
    proves(
        "phases",
        "int main(void) { int x = 0, y = 50; while (x < 100) { if (x < 50) x++; else { x++; y++; } }
         check(y == 100); return 0; }",
        &[],
    );
    proves(
        "lock",
        "int main(void) { int held = 0, old, now = nondet_int(); old = now + 1;
         do { held = 1; old = now; if (nondet_int()) { held = 0; now++; } } while (now != old);
         check(held == 1); return 0; }",
        &[],
    );
}

#[test]
fn phases_that_runs_do_not_reach_are_found() {
    proves(
        "far",
        "int main(void) { int x = 0, y = 500000; while (x < 1000000) { if (x >= 500000) y++; x++; }
         check(y == 1000000); return 0; }",
        &[],
    );
    proves(
        "even",
        "int main(void) { unsigned x = 0; while (x < 1000000) { if (x < 5000) x++; else x += 2; }
         check(x % 2 == 0); return 0; }",
        &[],
    );
}

#[test]
fn unsigned_numbers_wrap() {
    proves(
        "wrap",
        "int main(void) { unsigned a = 0, b = 0; while (nondet_int()) { a++; b += 2; } check(b == 2 * a); return 0; }",
        &[],
    );
}

#[test]
fn sums_do_not_overflow() {
    let text =
        "int main(void) { int i, total = 0; for (i = 0; i < 1000; i++) { if (nondet_int()) total += 3; }
         return total - i; }";
    let result = analyse("overflow", text, ObligationSet::EMPTY.with(Obligation::SignedOverflow));
    assert!(result.proved, "{:#?}", result.invariants);
}

#[test]
fn what_is_wrong_is_not_proved() {
    let text = "int main(void) { int i = 0, n = nondet_int(); while (i < n) i++; check(i == n); return 0; }";
    let checks = ObligationSet::EMPTY.with(Obligation::ReachError);
    assert!(!analyse("wrong", text, checks).proved);
}
