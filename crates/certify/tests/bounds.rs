//! How many iterations loops make: which bounds the kernel takes, and which ones it must refuse.

mod source;

use base::Budget;
use evidence::{Amortised, Expression, Integer, Overflow, ProofMode, Property, Raise, Restatement, Spent};
use loopscope_certify::abstraction::{Abstraction, Bounded, Bounding, Effort, Reference};
use program::Program;
use program::interpret::Integers;
use transform::modular;

use self::source::{opened, program};

fn abstraction(program: &Program) -> Abstraction<'_> {
    let mode = ProofMode::modular(Overflow::Excluded);
    opened(program, "f", Property::Termination, Integers::Machine, mode)
}

fn number(text: &str) -> Expression {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn spent(rank: &str, stride: i64, raised: &[(usize, &str, bool)]) -> Spent {
    let raise = |&(by, most, afresh): &(usize, &str, bool)| Raise { by, most: number(most), afresh };
    Spent { rank: number(rank), stride: Integer::from(stride), raised: raised.iter().map(raise).collect() }
}

fn one(rank: &str, stride: i64) -> Amortised {
    Amortised { components: vec![spent(rank, stride, &[])] }
}

fn bounded(abstraction: &mut Abstraction<'_>, abstract_loop: usize, evidence: &Amortised) -> Option<Bounded> {
    match abstraction.bound(abstract_loop, evidence, Effort::default(), &mut Budget::unlimited()) {
        Bounding::Bounded(bounded) => Some(*bounded),
        _ => None,
    }
}

#[test]
fn a_rank_is_spent_one_by_one() {
    let program = modular(&program("void f(int n) { int i = 0; while (i < n) { i++; nondet(); } }"));
    let mut abstraction = abstraction(&program);
    for wrong in ["i", "n - i - 1", "n", "0", "entry(n) - entry(i)"] {
        assert!(bounded(&mut abstraction, 0, &one(wrong, 1)).is_none(), "{wrong}");
    }
    assert!(bounded(&mut abstraction, 0, &one("n - i", 2)).is_none());
    assert!(bounded(&mut abstraction, 0, &one("n - i", 0)).is_none());
    assert!(bounded(&mut abstraction, 0, &Amortised { components: Vec::new() }).is_none());
    let right =
        bounded(&mut abstraction, 0, &one("n - i", 1)).expect("this is the number of complete iterations");
    assert!(right.is_exact() && !right.has_last());
    assert_eq!(right.total().to_string(), "max(entry(n) - entry(i), 0)");
    let incomplete = bounded(&mut abstraction, 0, &one("n - i + 3", 1)).expect("more is a bound as well");
    assert!(!incomplete.is_exact());
}

#[test]
fn strides_divide() {
    let program = modular(&program("void f(int n) { int i = 0; while (i < n) i += 3; }"));
    let mut abstraction = abstraction(&program);
    assert!(bounded(&mut abstraction, 0, &one("n - i", 4)).is_none());
    let right = bounded(&mut abstraction, 0, &one("n - i", 3)).expect("three at a time");
    assert!(right.is_exact());
    assert_eq!(right.total().to_string(), "(max(entry(n) - entry(i), 0) + 2) / 3");
}

#[test]
fn the_last_iteration_counts() {
    let text = "void f(int n) { int i = 0; do { i++; } while (i < n); }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    // One complete iteration less than iterations: the body runs once whatever n is.
    let right = bounded(&mut abstraction, 0, &one("n - i - 1", 1)).expect("complete iterations are bounded");
    assert!(right.has_last() && right.is_exact());
    let text = "void f(int n, int *p) { while (1) { *p = n; if (--n <= 0) break; } }";
    let program = modular(&self::program(text));
    let mut abstraction = self::abstraction(&program);
    let right = bounded(&mut abstraction, 0, &one("n - 1", 1)).expect("complete iterations are bounded");
    assert!(right.has_last() && right.is_exact());
}

#[test]
fn a_break_makes_a_bound_inexact_but_not_wrong() {
    let text = "void f(int n) { int i = 0; while (i <= n) { if (i == n) break; i++; } }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    // There are n complete iterations, but n + 1 iterations.
    let iterations = bounded(&mut abstraction, 0, &one("n - i", 1)).expect("complete iterations are bounded");
    assert!(iterations.has_last() && !iterations.is_exact());
}

#[test]
fn numbers_that_wrap_are_seen() {
    let text = "void f(unsigned char n) { unsigned char i = 0; while (i != n) i += 2; }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    assert!(bounded(&mut abstraction, 0, &one("n - i", 2)).is_none());
    assert!(bounded(&mut abstraction, 0, &one("n - i", 1)).is_none());
    let program = modular(&self::program("void f(unsigned char n) { while (n != 0) n = n - 1; }"));
    let mut abstraction = self::abstraction(&program);
    assert!(bounded(&mut abstraction, 0, &one("n", 1)).is_some_and(|bounded| bounded.is_exact()));
}

const TURNS: &str = "void f(int n, int m) {
    int i = 0, j = 0; while (i < n) { if (j < m) j++; else { j = 0; i++; } } }";

#[test]
fn components_pay_for_each_other() {
    let program = modular(&program(TURNS));
    let mut abstraction = abstraction(&program);
    let outer = || spent("n - i", 1, &[]);
    let two = |second| Amortised { components: vec![outer(), second] };
    // The raise is missing, too small, changing from iteration to iteration, or by a component that comes later.
    assert!(bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[]))).is_none());
    assert!(bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[(0, "entry(m) - 1", false)]))).is_none());
    assert!(bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[(0, "m", false)]))).is_none());
    assert!(bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[(1, "entry(m)", false)]))).is_none());
    assert!(
        bounded(&mut abstraction, 0, &Amortised { components: vec![spent("m - j", 1, &[]), outer()] })
            .is_none()
    );
    let right = bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[(0, "entry(m)", false)])));
    let right = right.expect("this pays for all complete iterations");
    assert_eq!(right.counts().len(), 2);
    assert!(!right.is_exact());
    // Afresh: not at all once the first is spent up, so the last time must not raise it.
    assert!(bounded(&mut abstraction, 0, &two(spent("m - j", 1, &[(0, "entry(m)", true)]))).is_none());
    let choice = "if(n - i >= 1, m - j, 0)";
    assert!(bounded(&mut abstraction, 0, &two(spent(choice, 1, &[(0, "entry(m) - 1", true)]))).is_none());
    let best = bounded(&mut abstraction, 0, &two(spent(choice, 1, &[(0, "entry(m)", true)])));
    let product = "max(entry(n) - entry(i), 0) * max(entry(m), 0)";
    assert_eq!(best.expect("as in the paper").counts()[1].to_string(), product);
}

fn restatement(potential: &str) -> Restatement {
    Restatement { potentials: vec![number(potential)], raises: vec![Vec::new()] }
}

#[test]
fn a_bound_is_restated_over_earlier_values_only_if_none_is_less() {
    let text = "void f(int n) { int i = 2; if (n > 10) n = 10; while (i < n) i++; }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    let own =
        bounded(&mut abstraction, 0, &one("n - i", 1)).expect("this is the number of complete iterations");
    let mut restate = |text: &str| {
        let (effort, mut budget) = (Effort::default(), Budget::unlimited());
        abstraction.restate(&own, &restatement(text), Reference::Start, effort, &mut budget)
    };
    for wrong in ["start(n) - 3", "7", "0", "entry(n)", "n"] {
        assert!(restate(wrong).is_none(), "{wrong}");
    }
    assert!(restate("8").is_some_and(|restated| !restated.is_exact()));
    assert!(restate("start(n) - 2").is_some_and(|restated| !restated.is_exact()));
    assert!(restate("min(start(n), 10) - 2").is_some_and(|restated| restated.is_exact()));
}

#[test]
fn nested_loops_are_multiplied() {
    let text = "void f(int n, int m) { for (int i = 0; i < n; i++) for (int j = i; j < m; j++) nondet(); }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    let outer = bounded(&mut abstraction, 0, &one("n - i", 1)).expect("the outer loop has a bound");
    let inner = bounded(&mut abstraction, 1, &one("m - j", 1)).expect("the inner loop has a bound");
    let (effort, mut budget) = (Effort::default(), Budget::unlimited());
    let mut restate = |bounded: &Bounded, text: &str, reference| {
        abstraction.restate(bounded, &restatement(text), reference, effort, &mut budget)
    };
    let outer_start = restate(&outer, "start(n)", Reference::Start).expect("i is zero at entry");
    // Not without knowing that i is never negative.
    assert!(restate(&inner, "start(m)", Reference::Start).is_none());
    assert!(restate(&inner, "entry(m) - entry(i)", Reference::Entry(0)).is_none());
    assert!(restate(&outer, "entry(m)", Reference::Entry(1)).is_none());
    let inner_start = restate(&inner, "4294967296", Reference::Start).expect("numbers have limits");
    assert_eq!(abstraction.multiplied(std::slice::from_ref(&inner_start)), None);
    let all = abstraction.multiplied(&[outer_start, inner_start]).expect("both are over the same values");
    assert_eq!(all.to_string(), "max(start(n), 0) * 4294967296");
}

#[test]
fn a_loop_in_a_condition_is_entered_once_more() {
    let text = "void f(int n) { while (({ int j = 0; while (j < 3) { j++; nondet(); } n > 0; })) { n--; nondet(); } }";
    let program = modular(&program(text));
    let mut abstraction = abstraction(&program);
    let outer = bounded(&mut abstraction, 0, &one("n", 1)).expect("the outer loop has a bound");
    let inner = bounded(&mut abstraction, 1, &one("3 - j", 1)).expect("the inner loop has a bound");
    let (effort, mut budget) = (Effort::default(), Budget::unlimited());
    let mut restate = |bounded: &Bounded, text: &str| {
        abstraction.restate(bounded, &restatement(text), Reference::Start, effort, &mut budget)
    };
    let outer = restate(&outer, "start(n)").expect("n is as it was");
    let inner = restate(&inner, "3").expect("j is zero at entry");
    let all = abstraction.multiplied(&[outer, inner]).expect("both are over the same values");
    assert_eq!(all.to_string(), "(max(start(n), 0) + 1) * 3");
}
