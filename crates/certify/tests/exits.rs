//! What holds where a loop is entered and left, and how many iterations it makes: what the kernel takes, and what it
//! refuses.

mod source;

use base::Budget;
use evidence::{Expression, Formula, Overflow, ProofMode, Property};
use loopscope_certify::abstraction::{Abstraction, Candidate, Count, Edge, Effort};
use program::Program;
use program::interpret::Integers;

use self::source::{opened, program};

fn abstraction(program: &Program) -> Abstraction<'_> {
    let mode = ProofMode { calls: 20, ..ProofMode::modular(Overflow::Excluded) };
    opened(program, "f", Property::Termination, Integers::Machine, mode)
}

fn formula(text: &str) -> Formula {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn number(text: &str) -> Expression {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn know(abstraction: &mut Abstraction<'_>, invariant: &str) {
    let candidate = Candidate { abstract_loop: 0, formula: formula(invariant) };
    let accepted = abstraction.accept(&[0], &[candidate], Effort::default(), &mut Budget::unlimited());
    assert_eq!(accepted, [true], "{invariant}");
}

fn holds(abstraction: &mut Abstraction<'_>, edge: Edge, text: &str) -> bool {
    abstraction.holds_at(0, edge, &formula(text), Effort::default(), &mut Budget::unlimited()) == Ok(true)
}

fn counts(abstraction: &mut Abstraction<'_>, guard: &str, made: &str, total: &str) -> bool {
    let (guard, made, total) = (formula(guard), number(made), number(total));
    let count = Count { guard: &guard, made: &made, total: &total };
    abstraction.counts(0, &count, Effort::default(), &mut Budget::unlimited()) == Ok(true)
}

const COUNTER: &str = "int f(int n) { int i = 0; while (i < n) { i++; nondet(); } return i; }";

#[test]
fn the_effect_of_a_loop_holds_where_it_is_left() {
    let program = program(COUNTER);
    let mut abstraction = abstraction(&program);
    assert!(!holds(&mut abstraction, Edge::Exit, "i == n || n < 0"), "nothing is known at the head yet");
    know(&mut abstraction, "i <= n || i == 0");
    assert!(holds(&mut abstraction, Edge::Exit, "i == n || n < 0"));
    assert!(holds(&mut abstraction, Edge::Exit, "i >= n"));
    for wrong in ["i == n", "i == n + 1", "i < n", "i == entry(i)", "j == 0"] {
        assert!(!holds(&mut abstraction, Edge::Exit, wrong), "{wrong}");
    }
    assert!(holds(&mut abstraction, Edge::Entry, "i == 0 && entry(i) == i"));
    assert!(!holds(&mut abstraction, Edge::Entry, "n > 0"));
}

#[test]
fn iterations_are_counted() {
    let program = program(COUNTER);
    let mut abstraction = abstraction(&program);
    know(&mut abstraction, "i >= 0");
    know(&mut abstraction, "i <= n || i == 0");
    assert!(counts(&mut abstraction, "entry(n) >= 0", "i", "entry(n)"));
    assert!(
        !counts(&mut abstraction, "entry(n) >= -1", "i", "entry(n)"),
        "no iteration is made from a negative number"
    );
    for (made, total) in
        [("i + 1", "entry(n) + 1"), ("2 * i", "2 * entry(n)"), ("i", "entry(n) + 1"), ("0", "0")]
    {
        assert!(!counts(&mut abstraction, "entry(n) >= 0", made, total), "{made} of {total}");
    }
}

#[test]
fn a_loop_that_need_not_be_left_has_no_number_of_iterations() {
    let program = program("int f(int n) { int i = 0; while (i != n) i += nondet() ? 1 : 0; return i; }");
    let mut abstraction = abstraction(&program);
    assert!(holds(&mut abstraction, Edge::Exit, "i == n"));
    assert!(!counts(&mut abstraction, "entry(n) >= 0", "i", "entry(n)"));
}

#[test]
fn nothing_is_said_where_runs_are_lost() {
    // Behind the recursion control goes on in ways that the encoding does not follow.
    let text = "int deep(int n) { return n <= 0 ? 0 : deep(n - 1) + 1; }
                int f(int n) { int i = 0; while (i < 10) { if (deep(n) > 5) i = 20; else i++; } return i; }";
    let program = program(text);
    let mut abstraction = abstraction(&program);
    assert!(!abstraction.incomplete_paths().is_empty());
    assert!(!holds(&mut abstraction, Edge::Exit, "i == 10"));
    assert!(!holds(&mut abstraction, Edge::Entry, "i == 0"));
    assert!(!counts(&mut abstraction, "entry(n) >= 0", "i", "10"));
}
