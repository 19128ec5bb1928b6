//! Functions that are entered only with some values, and functions that call each other as a loop: which arguments the
//! kernel takes there, and which ones it must refuse.

mod source;

use base::Budget;
use evidence::{Manner, Overflow, Ranking, Termination};
use loopscope_certify::leaps::{Effort, Ending, Leaping};
use loopscope_certify::{Candidate, ModularProgram, Subject};
use program::interpret::Integers;
use program::{BlockId, FunctionId};

use self::source::program;

/// Whether the kernel takes a rank of a loop (by its head, or the only one), with a fact that it has accepted before.
fn takes(
    program: &ModularProgram,
    name: &str,
    head: Option<BlockId>,
    fact: Option<&str>,
    rank: &str,
) -> bool {
    let function = program.program().function_named(name).expect("it is there");
    let mut budget = Budget::unlimited();
    let subject = Subject::modular(program, function, Integers::Machine);
    let manner = Manner::modular(Overflow::Excluded);
    let mut leaping = Leaping::new(&subject, manner, &mut budget).expect("the program is small");
    let place = leaping.leaps().iter().position(|leap| head.is_none_or(|head| leap.head == head));
    let leap = place.expect("there is a loop");
    if let Some(fact) = fact {
        let candidate = Candidate { leap, formula: fact.parse().expect("a formula") };
        leaping.accept(&[leap], &[candidate], Effort::default(), &mut budget);
    }
    let argument = Termination::Ranking(Ranking::Linear(rank.parse().expect("a number")));
    matches!(leaping.ends(leap, &argument, Effort::default(), &mut budget), Ending::Left)
}

fn under(text: &str, condition: &str, fact: Option<&str>, rank: &str) -> bool {
    let alone = ModularProgram::of(&program(text));
    let function = alone.program().function_named("f").expect("it is there");
    let assumed = alone.assuming(function, &condition.parse().expect("a formula"));
    takes(&assumed.expect("the condition is on parameters"), "f", None, fact, rank)
}

#[test]
fn a_wrong_condition_is_refused() {
    let text = "void f(int x, int d) { while (x > 0) x = x - d; }";
    for wrong in ["start(d) >= 0", "start(d) != 0", "start(x) > 0", "start(d) < start(x)"] {
        assert!(!under(text, wrong, None, "x"), "{wrong}");
    }
    assert!(under(text, "start(d) > 0", None, "x"));
    assert!(under(text, "start(x) > 3 && start(d) > 0", None, "x"));
    assert!(!under(text, "start(x) > 3 || start(d) > 0", None, "x"));
}

#[test]
fn a_condition_holds_at_entry_and_not_later() {
    let text = "void f(int x, int d) { while (x > 0) { x = x - d; d = d - 1; } }";
    assert!(!under(text, "start(d) > 0", None, "x"));
    assert!(!under(text, "start(d) > 0", Some("d > 0"), "x"), "the fact does not hold in later passes");
    let text = "void f(unsigned n) { for (unsigned i = 0; i <= n; i++) ; }";
    assert!(under(text, "start(n) != 4294967295", None, "n - i"));
    assert!(!under(text, "start(n) != 4294967294", None, "n - i"));
}

#[test]
fn a_condition_on_the_outermost_call_is_no_condition_on_all() {
    let nested = |text: &str, condition: &str, fact: Option<&str>| {
        let whole = program(text);
        let function = whole.function_named("f").expect("it is there");
        let (program, head) = ModularProgram::of_recursion(&whole, &[function]).expect("it calls itself");
        let assumed = program.assuming(function, &condition.parse().expect("a formula"));
        takes(&assumed.expect("the condition is on parameters"), "f", Some(head), fact, "n")
    };
    let text = "int f(int n) { if (n == 0) return 1; return f(n - 1); }";
    assert!(nested(text, "start(n) >= 0", Some("n >= 0")));
    assert!(!nested(text, "start(n) >= 0", None), "of inner calls nothing is known without a fact");
    assert!(!nested(text, "start(n) >= -1", Some("n >= 0")));
}

fn circle(text: &str, names: &[&str], rank: &str) -> bool {
    let whole = program(text);
    let ids: Vec<FunctionId> =
        names.iter().map(|name| whole.function_named(name).expect("it is there")).collect();
    let (program, head) = ModularProgram::of_recursion(&whole, &ids).expect("they call each other");
    takes(&program, names[0], Some(head), None, rank)
}

#[test]
fn every_function_of_a_circle_must_decrease_the_rank() {
    let text = |step: &str| {
        format!(
            "int odd(unsigned n);
            int even(unsigned n) {{ return n == 0 ? 1 : odd(n - 1); }}
            int odd(unsigned n) {{ return n == 0 ? 0 : even({step}); }}"
        )
    };
    assert!(circle(&text("n - 1"), &["even", "odd"], "n"));
    assert!(circle(&text("n / 2"), &["odd", "even"], "n"));
    for wrong in ["n", "n + 1", "n - 2"] {
        assert!(!circle(&text(wrong), &["even", "odd"], "n"), "{wrong}");
    }
}

#[test]
fn a_function_of_a_circle_may_call_itself() {
    let text = |own: &str| {
        format!(
            "int b(int n, int k);
            int a(int n, int k) {{ return n <= 0 ? k : b(n - 1, k) + a({own}, k); }}
            int b(int n, int k) {{ return n <= 0 ? k : a(n - 1, k + 1); }}"
        )
    };
    assert!(circle(&text("n - 2"), &["a", "b"], "n"));
    assert!(!circle(&text("n"), &["a", "b"], "n"));
}

#[test]
fn what_a_call_changes_outside_is_not_known_after_it() {
    let text = "int left;
        void b(int n);
        void a(int n) { if (left > 0) { b(n); left = left - 1; } }
        void b(int n) { left = 7; a(n); }";
    assert!(!circle(text, &["a", "b"], "left"));
}
