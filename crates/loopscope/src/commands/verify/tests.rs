//! `loopscope verify`: verdict lines and exit codes.

use crate::common::{Answer, Folder, command_on, loopscope_in};

const NONDET: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn verify(source: &str, property: &str, more: &[&str]) -> Answer {
    command_on("verify", &format!("{NONDET}{source}"), &[&["--property", property], more].concat())
}

#[track_caller]
fn refuted(source: &str, property: &str, kind: &str) -> Answer {
    let answer = verify(source, property, &[]);
    assert_eq!(answer.last_line(), format!("FALSE ({kind})"), "{answer:?}");
    assert_eq!(answer.code, Some(1));
    answer
}

#[track_caller]
fn proved(source: &str, property: &str, options: &[&str]) -> Answer {
    let answer = verify(source, property, options);
    assert_eq!((answer.last_line(), answer.code), ("TRUE", Some(0)), "{answer:?}");
    answer
}

#[track_caller]
fn unknown(source: &str, property: &str, reason: &str) {
    let answer = verify(source, property, &[]);
    let line = answer.last_line();
    assert!(line.starts_with("UNKNOWN (") && line.ends_with(')') && line.contains(reason), "{answer:?}");
    assert_eq!(answer.code, Some(3));
}

#[test]
fn an_error_call_is_found() {
    let answer = refuted(
        "int main(void) { if (__VERIFIER_nondet_int() == 42) reach_error(); }",
        "unreach-call",
        "reach-error",
    );
    assert!(answer.output.contains("input 1: __VERIFIER_nondet_int = 42 (i32) at a.c:2"), "{answer:?}");
    assert!(answer.output.contains("in main at a.c:2"), "{answer:?}");
}

#[test]
fn a_good_program_is_proved() {
    let source =
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 5) reach_error(); return 0; }";
    let answer = proved(source, "unreach-call", &[]);
    assert!(answer.output.contains("All runs were examined"), "{answer:?}");
}

#[test]
fn a_loop_without_a_known_end_is_named() {
    let source = "int main(void) { unsigned n = __VERIFIER_nondet_int(), i = 0;\n\
                  while (n > 1 && i < 100000) { n = n % 2 ? 3 * n + 1 : n / 2; i++; }\n\
                  if (i == 99999) reach_error(); return 0; }";
    let answer = verify(source, "unreach-call", &["--time-limit", "2"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.output.contains("a loop goes on after"), "{answer:?}");
}

#[test]
fn a_loop_that_ends_because_a_number_wraps_is_not_proved_to_end() {
    let source = "int main(void) { int a = __VERIFIER_nondet_int(); while (a >= 1) a = 2 * a; return 0; }";
    unknown(source, "termination", "");
}

#[test]
fn a_failing_assertion_is_found() {
    let source = "#include <assert.h>\nint main(void) { int i = 0; while (i < 10) i++; assert(i == 11); }";
    refuted(source, "unreach-call", "assertion");
}

#[test]
fn an_access_out_of_bounds_is_found() {
    refuted(
        "int main(void) { int a[4]; for (int i = 0; i <= 4; i++) a[i] = i; return 0; }",
        "memsafety",
        "out-of-bounds",
    );
}

#[test]
fn a_part_of_memory_safety_can_be_asked_for() {
    let source = "#include <stdlib.h>\nint main(void) { int x; int *p = &x; free(p); return 0; }";
    refuted(source, "valid-free", "invalid-free");
    unknown(source, "valid-memtrack", "");
}

#[test]
fn an_overflow_is_found() {
    let source = "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1 > x; }";
    refuted(source, "no-overflow", "signed-overflow");
    // Without bounds nothing overflows.
    proved(source, "no-overflow", &["--integers", "mathematical"]);
}

#[test]
fn a_run_without_end_is_found() {
    let answer = refuted(
        "int main(void) { int i = __VERIFIER_nondet_int(); while (i != 7) i = i; return 0; }",
        "termination",
        "non-termination",
    );
    assert!(answer.output.contains("the state comes back"), "{answer:?}");
    proved("int main(void) { for (int i = 0; i < 10; i++); return 0; }", "termination", &[]);
}

#[test]
fn a_run_with_undefined_behaviour_proves_nothing() {
    let source = "int main(void) { int x = __VERIFIER_nondet_int(); if (x < 1) return 0; if (x + 1 < 0) reach_error(); return 0; }";
    let answer = verify(source, "unreach-call", &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.output.contains("undefined behaviour of another kind: signed-overflow"), "{answer:?}");
}

#[test]
fn a_program_without_main_says_what_to_do() {
    unknown("int f(int x) { return x; } int g(int x) { return x; }", "unreach-call", "--function NAME");
}

#[test]
fn a_function_can_be_analysed_on_its_own() {
    let answer = verify(
        "int f(int x) { if (x == 1234567) reach_error(); return x; }",
        "unreach-call",
        &["--function", "f"],
    );
    assert_eq!(answer.last_line(), "FALSE (reach-error)", "{answer:?}");
    assert!(answer.output.contains("A run of `f`") && answer.output.contains("= 1234567"), "{answer:?}");
}

#[test]
fn the_data_model_decides() {
    let source = "int main(void) { if (sizeof(long) == 4) reach_error(); return 0; }";
    assert_eq!(verify(source, "unreach-call", &["-m32"]).code, Some(1));
    assert_eq!(verify(source, "unreach-call", &["--data-model", "ILP32"]).code, Some(1));
    proved(source, "unreach-call", &["--data-model", "LP64"]);
}

#[test]
fn property_files_are_read() {
    let folder = Folder::with("a.c", format!("{NONDET}int main(void) {{ reach_error(); }}"))
        .and("unreach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .and("race.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    let answer = folder.run(&["verify", "--property", "unreach.prp", "a.c"]);
    assert_eq!((answer.code, answer.last_line()), (Some(1), "FALSE (reach-error)"));
    let answer = folder.run(&["verify", "--property", "race.prp", "a.c"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.error.contains("in the property file `race.prp`: unknown property"), "{answer:?}");
    let answer = folder.run(&["verify", "--property", "gone.prp", "a.c"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.error.contains("cannot read the property file `gone.prp`"), "{answer:?}");
}

#[test]
fn other_properties_are_a_usage_error() {
    for name in ["bounds", "none"] {
        let answer = verify("int main(void) { return 0; }", name, &[]);
        assert_eq!(answer.code, Some(2));
        assert!(answer.error.contains(&format!("unknown property `{name}`")), "{answer:?}");
        assert!(answer.error.contains("unreach-call, memsafety, no-overflow, termination"), "{answer:?}");
    }
}

#[test]
fn the_json_form_holds_the_run() {
    let answer = verify(
        "int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }",
        "unreach-call",
        &["--json"],
    );
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["verdict"], "refuted");
    assert_eq!(json["line"], "FALSE (reach-error)");
    assert_eq!(json["counterexample"]["inputs"][0]["value"], "3");
    assert_eq!(answer.code, Some(1));
}

#[test]
fn errors_in_the_source_leave_no_verdict() {
    let answer = verify("int main(void) { return x; }", "unreach-call", &[]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.last_line().starts_with("UNKNOWN (1 error in the source"), "{answer:?}");
}

#[test]
fn the_example_of_the_readme_holds() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let answer = loopscope_in(&root, &["verify", "--property", "memsafety", "examples/buffer.c"], b"");
    assert_eq!((answer.code, answer.last_line()), (Some(1), "FALSE (out-of-bounds)"), "{answer:?}");
}

#[test]
fn an_array_without_a_size_may_be_of_any_size() {
    unknown(
        "extern int table[]; int main(void) { return table[3]; }",
        "memsafety",
        "the size of `table`, which is defined elsewhere",
    );
}

#[test]
fn without_a_main_the_only_function_that_nobody_calls_is_examined() {
    let called = "static int less(int n) { return n - 1; }\n";
    let root = format!("{called}int down(int n) {{ while (n > 0) n = less(n); return n; }}");
    let answer = proved(&root, "termination", &[]);
    assert!(answer.error.contains("runs start in `down`, with arbitrary arguments"), "{answer:?}");
    let up = format!("{called}void wait(int n) {{ while (n != 0) if (less(n) == 3) n = 4; }}");
    let answer = refuted(&up, "termination", "non-termination");
    assert!(answer.output.contains("A run of `wait` violates termination"), "{answer:?}");
    // Of two, it is not known which is meant.
    unknown(&format!("{root}\nvoid other(void) {{}}"), "termination", "no function main");
}

#[test]
fn runs_may_start_in_a_recursion() {
    let source = "int sum(int n) { if (n <= 0) return 0; return n % 7 + sum(n - 1) % 100; }";
    proved(source, "termination", &[]);
    proved(&format!("{source}\nint main(void) {{ return 0; }}"), "termination", &["--function", "sum"]);
}

#[test]
fn what_wraps_and_comes_back_stops() {
    let source = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
        while (x > 0) { x = x + y; x = x - y; x = x - 1; } return 0; }";
    let answer = proved(source, "termination", &[]);
    assert!(answer.output.contains("if they wrap, and also if they have no bounds"), "{answer:?}");
    // Only that numbers wrap ends this one, and only that they do not ends that one.
    unknown("int main(void) { int x = 1; while (x > 0) x = x + 1; return 0; }", "termination", "");
    let sticks =
        "int main(void) { int n = __VERIFIER_nondet_int(), x = 1; while (x < n) x = 2 * x; return 0; }";
    unknown(sticks, "termination", "");
}

#[test]
fn a_run_goes_on_whatever_an_overflow_gives() {
    let source = "int main(void) { int i = 0; while (1) i += 2; }";
    let answer = verify(source, "termination", &["--time-limit", "60"]);
    assert_eq!(answer.last_line(), "FALSE (non-termination)", "{answer:?}");
    assert!(answer.output.contains("goes on whatever that gives"), "{answer:?}");
}

#[test]
fn what_others_may_judge_differently_is_no_infinite_run() {
    // Whoever prints may set a variable of the program.
    let prints = "extern void print_number(int); int done; int main(void) { while (!done) print_number(1); }";
    unknown(prints, "termination", "");
    // With numbers that have no bounds, the counter passes the limit.
    let limit =
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i <= n; i++) ; return 0; }";
    unknown(limit, "termination", "");
}

/// Recursion of any depth, with a claim about its results.
const DEEP: [(&str, &str); 4] = [
    (
        "int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
         int main(void) { int x = __VERIFIER_nondet_int(); int r = f(x); if (CLAIM) reach_error(); return 0; }",
        "x <= 100 && r != 91",
    ),
    (
        "unsigned f(unsigned n, unsigned m) { return n ? f(n - 1, m + 1) : m; }
         int main(void) { unsigned n = __VERIFIER_nondet_int(), r = f(n, 7); if (CLAIM) reach_error(); return 0; }",
        "r != n + 7",
    ),
    (
        "int even(int n); int odd(int n) { return n == 0 ? 0 : even(n - 1); }
         int even(int n) { return n == 0 ? 1 : odd(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0;
           int r = even(n); if (CLAIM) reach_error(); return 0; }",
        "r == n % 2",
    ),
    (
        "int calls; void f(int n) { calls++; if (n > 0) f(n - 1); }
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5000) return 0;
           f(n); if (CLAIM) reach_error(); return 0; }",
        "calls != n + 1",
    ),
];

#[test]
fn recursion_of_any_depth_is_proved_by_contracts() {
    for (source, claim) in DEEP {
        let answer = proved(&source.replace("CLAIM", claim), "unreach-call", &[]);
        assert!(answer.output.contains("Contract of "), "{answer:?}");
    }
}

#[test]
fn wrong_claims_about_recursion_are_not_proved() {
    for ((source, _), claim) in
        DEEP.into_iter().zip(["x <= 101 && r != 92", "r == n + 7", "r == 1", "calls == n + 1"])
    {
        refuted(&source.replace("CLAIM", claim), "unreach-call", "reach-error");
    }
    // Code outside may call the function as its contract forbids.
    let open = "int elsewhere(void); int f(int n) { if (n < 0) reach_error(); return n ? f(n - 1) : 0; }
        int main(void) { elsewhere(); f(__VERIFIER_nondet_int() & 4095); return 0; }";
    unknown(open, "unreach-call", "");
}
