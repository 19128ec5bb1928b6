//! Single obligations: which ones the kernel certifies although others fail, and which ones it must leave open.

mod source;

use base::Budget;
use evidence::{Overflow, ProofMode, Property};
use loopscope_certify::Candidate;
use loopscope_certify::abstraction::Effort;
use program::Obligation;
use program::interpret::{Integers, ObligationSet};

use self::source::{opened, program};

/// What the kernel certifies of the divisions in `main`, in the order of their places: that it holds, or (true) that it is
/// unreachable. Everything is examined before, if the budget is enough.
fn certified(text: &str, supposed: Option<&str>, mut budget: Budget) -> Vec<Option<bool>> {
    let program = program(text);
    let property = Property::Obligations(ObligationSet::EMPTY.with(Obligation::Division));
    let mode = ProofMode { recursion: 1, ..ProofMode::abstraction(1, Overflow::Wraps) };
    let mut abstraction = opened(&program, "main", property, Integers::Machine, mode);
    if let Some(formula) = supposed {
        abstraction.suppose(&[Candidate { abstract_loop: 0, formula: formula.parse().expect("a formula") }]);
    }
    let effort = Effort::default();
    abstraction.after_ends(effort, &mut budget);
    for vc in 0..abstraction.vcs().len() {
        abstraction.examine(vc, effort, &mut budget);
    }
    let kinds = ObligationSet::EMPTY.with(Obligation::Division);
    let main = program.function_named("main").expect("there is a main");
    let found = abstraction.obligations(kinds, effort, &mut budget);
    let of_main = found.iter().filter(|(key, _)| key.0 == main);
    of_main.map(|(_, found)| found.map(|certificate| certificate.is_unreachable())).collect()
}

fn of_main(body: &str) -> Vec<Option<bool>> {
    let text = format!(
        "extern int *given(void);
         int deep(int n) {{ return n <= 0 ? 0 : deep(n - 1); }}
         int main(void) {{ int x = nondet(), y = 0; {body} return y; }}"
    );
    certified(&text, None, Budget::unlimited())
}

#[test]
fn what_holds_is_certified_beside_what_fails() {
    assert_eq!(of_main("y = 8 / x;"), [None]);
    assert_eq!(of_main("y = 8 / x; if (x > 3) y = 9 / x;"), [None, Some(false)]);
    assert_eq!(of_main("if (x > 3 && x < 3) y = 8 / x;"), [Some(true)]);
}

/// The encoding loses the runs on which the pointer leads to an object of others.
#[test]
fn nothing_is_certified_after_an_access_that_may_be_outside() {
    assert_eq!(of_main("y = *given(); y = 8 / (x | 1);"), [None]);
    assert_eq!(of_main("y = 8 / (x | 1); x = *given();"), [Some(false)]);
    assert_eq!(
        of_main("if (x) { x = *given(); y = 7 / (x - x + 1); } else y = 8 / (x | 1);"),
        [None, Some(false)]
    );
}

#[test]
fn nothing_is_certified_after_an_incomplete_path() {
    assert_eq!(of_main("deep(x); y = 8 / (x | 1);"), [None]);
    assert_eq!(of_main("y = 8 / (x | 1); deep(x);"), [Some(false)]);
}

#[test]
fn nothing_is_certified_on_suppositions_or_without_a_budget() {
    let text =
        "int main(void) { int y = 0, n = nondet(); while (n > 0) { y = 8 / (n | 1); n--; } return y; }";
    assert_eq!(certified(text, None, Budget::unlimited()), [Some(false)]);
    assert_eq!(certified(text, Some("n == n"), Budget::unlimited()), [None]);
    let hard = "int main(void) { int y = 0, n = nondet(); unsigned m = n, k = nondet(); if (m * m * m == 5 * k + 8) y = 8 / (k - 4); return y; }";
    assert_eq!(certified(hard, None, Budget::steps(0)), [None]);
}
