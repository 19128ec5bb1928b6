//! Functions that are entered only with some values, and functions that call each other as a loop: which arguments the
//! kernel takes there, and which ones it must refuse.

mod source;

use base::Budget;
use evidence::{Overflow, ProofMode, Ranking, Termination};
use loopscope_certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use loopscope_certify::{Candidate, ModularFunctions, ModularProgram, Subject};
use program::interpret::Integers;
use program::{BlockId, FunctionId};

use self::source::program;

/// Whether the kernel takes a rank of a loop (by its head, or the only one), with an invariant that it has accepted
/// before.
fn takes(program: &ModularProgram, head: Option<BlockId>, invariant: Option<&str>, rank: &str) -> bool {
    let mut budget = Budget::unlimited();
    let subject = Subject::modular(program, Integers::Machine);
    let mode = ProofMode::modular(Overflow::Excluded);
    let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("the program is small");
    let place = abstraction
        .abstract_loops()
        .iter()
        .position(|abstract_loop| head.is_none_or(|head| abstract_loop.head == head));
    let abstract_loop = place.expect("there is a loop");
    if let Some(invariant) = invariant {
        let candidate = Candidate { abstract_loop, formula: invariant.parse().expect("a formula") };
        abstraction.accept(&[abstract_loop], &[candidate], Effort::default(), &mut budget);
    }
    let argument = Termination::Ranking(Ranking::Linear(rank.parse().expect("a number")));
    matches!(abstraction.ends(abstract_loop, &argument, Effort::default(), &mut budget), ArgumentCheck::Left)
}

fn under(text: &str, condition: &str, invariant: Option<&str>, rank: &str) -> bool {
    let whole = program(text);
    let function = whole.function_named("f").expect("it is there");
    let alone = ModularFunctions::of(&whole).function(function).expect("it has a body");
    let assumed = alone.assuming(&condition.parse().expect("a formula"));
    takes(&assumed.expect("the condition is on parameters"), None, invariant, rank)
}

/// A loop that was shown to stop under a condition is not called one that stops.
#[test]
fn a_certificate_carries_what_was_assumed() {
    let program = program("void f(int x, int d) { while (x > 0) x = x - d; }");
    let function = program.function_named("f").expect("it is there");
    let positive = "start(d) > 0".parse().expect("a formula");
    let certificate = |modular: &ModularProgram| {
        let subject = Subject::modular(modular, Integers::Machine);
        let mut budget = Budget::unlimited();
        let mode = ProofMode::modular(Overflow::Excluded);
        let mut abstraction = Abstraction::new(&subject, mode, &mut budget).expect("it is small");
        let argument = Termination::Ranking(Ranking::Linear("x".parse().expect("a number")));
        abstraction.ends(0, &argument, Effort::default(), &mut budget);
        let head = abstraction.abstract_loops()[0].head;
        abstraction.stops(modular.function(), &[head].into(), Effort::default(), &mut budget)
    };
    let always = ModularFunctions::of(&program).function(function).expect("it has a body");
    assert!(certificate(&always).is_none());
    let assumed = always.assuming(&positive).expect("the condition is on parameters");
    let found = certificate(&assumed).expect("it stops then");
    assert_eq!(found.stops(), None);
    assert_eq!(found.precondition().expect("it was assumed").condition(), &positive);
    let both = assumed.assuming(&"start(x) < 9".parse().expect("a formula"));
    let found = certificate(&both.expect("it is on parameters")).expect("it stops then");
    assert_eq!(found.stops(), None);
    let both = "start(d) > 0 && start(x) < 9".parse().expect("a formula");
    assert_eq!(found.precondition().expect("it was assumed").condition(), &both);
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

/// 300 is no `unsigned char`; cut down to one, it is 44.
#[test]
fn a_constant_is_not_cut_down_to_the_type_of_a_variable() {
    let text = "void f(unsigned char x) { while (x > 44) ; }";
    for always in
        ["300 >= start(x)", "start(x) <= 300", "start(x) != 300", "300 != start(x)", "-212 < start(x)"]
    {
        assert!(!under(text, always, None, "x"), "{always}");
    }
    assert!(under(text, "44 >= start(x)", None, "x"));
    assert!(under(text, "start(x) <= 44", None, "x"));
}

#[test]
fn a_side_without_summands_is_zero() {
    let text = "void f(int x, int y) { while (x == 0 && y < 9) ; }";
    for zero in
        ["start(x) >= 0", "start(x) >= 0 * start(y)", "start(x) >= start(y) - start(y)", "0 <= start(x)"]
    {
        assert!(!under(text, zero, None, "x"), "{zero}");
    }
    assert!(under(text, "start(x) > start(y) - start(y)", None, "x"));
}

#[test]
fn a_condition_holds_at_entry_and_not_later() {
    let text = "void f(int x, int d) { while (x > 0) { x = x - d; d = d - 1; } }";
    assert!(!under(text, "start(d) > 0", None, "x"));
    assert!(
        !under(text, "start(d) > 0", Some("d > 0"), "x"),
        "the invariant does not hold in later iterations"
    );
    let text = "void f(unsigned n) { for (unsigned i = 0; i <= n; i++) ; }";
    assert!(under(text, "start(n) != 4294967295", None, "n - i"));
    assert!(!under(text, "start(n) != 4294967294", None, "n - i"));
}

#[test]
fn a_condition_on_the_outermost_call_is_no_condition_on_all() {
    let nested = |text: &str, condition: &str, invariant: Option<&str>| {
        let whole = program(text);
        let function = whole.function_named("f").expect("it is there");
        let nested = ModularFunctions::of(&whole).recursion(&[function]);
        let (program, head) = nested.expect("it calls itself");
        let assumed = program.assuming(&condition.parse().expect("a formula"));
        takes(&assumed.expect("the condition is on parameters"), Some(head), invariant, "n")
    };
    let text = "int f(int n) { if (n == 0) return 1; return f(n - 1); }";
    assert!(nested(text, "start(n) >= 0", Some("n >= 0")));
    assert!(!nested(text, "start(n) >= 0", None), "of inner calls nothing is known without an invariant");
    assert!(!nested(text, "start(n) >= -1", Some("n >= 0")));
}

fn circle(text: &str, names: &[&str], rank: &str) -> bool {
    let whole = program(text);
    let ids: Vec<FunctionId> =
        names.iter().map(|name| whole.function_named(name).expect("it is there")).collect();
    let (program, head) = ModularFunctions::of(&whole).recursion(&ids).expect("they call each other");
    takes(&program, Some(head), None, rank)
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
