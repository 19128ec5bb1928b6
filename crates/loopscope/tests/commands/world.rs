//! The world outside the files: what other code can do is part of every answer, in every command.

use crate::common::{Answer, command_on};

const NONDET_POINTER: &str = "extern void *__VERIFIER_nondet_pointer(void);\nint g; int main(void) { int *p = __VERIFIER_nondet_pointer(); for (g = 0; g < 10; g++) *p = 0; return 0; }";

/// Programs whose loop goes on for ever if a pointer from outside leads to `g`.
const ALIASED: [(&str, &str); 6] = [
    ("main", "int g; extern int *p; int main(void) { for (g = 0; g < 10; g++) *p = 0; return 0; }"),
    ("main", NONDET_POINTER),
    ("f", "int g; int f(int *p) { for (g = 0; g < 10; g++) *p = 0; return 0; }"),
    (
        "main",
        "int g; int main(int argc, char **argv) { int *p = (int *)(argc * 1000L); for (g = 0; g < 10; g++) *p = 0; return 0; }",
    ),
    ("f", "struct s { int *p; }; int g; int f(struct s s) { for (g = 0; g < 10; g++) *s.p = 0; return 0; }"),
    ("f", "int g; int *find(void); int f(void) { for (g = 0; g < 10; g++) *find() = 0; return 0; }"),
];

fn verify(source: &str, property: &str, arguments: &[&str]) -> Answer {
    command_on("verify", source, &[&["--property", property, "--time-limit", "5"], arguments].concat())
}

/// That no command says that a loop stops.
fn is_open(source: &str, function: &str) {
    let answer = verify(source, "termination", &["--function", function]);
    assert_eq!(answer.code, Some(3), "{source}: {answer:?}");
    for command in ["terminates", "bounds"] {
        let answer = command_on(command, source, &["--function", function, "--time-limit", "5"]);
        assert_eq!(answer.code, Some(3), "{command}: {source}: {answer:?}");
    }
}

#[test]
fn pointers_from_outside_may_lead_to_exported_variables() {
    ALIASED.iter().for_each(|(function, source)| is_open(source, function));
    // Nobody else knows the address of this one.
    let own = "static int g; int f(int *p) { for (g = 0; g < 10; g++) *p = 0; return 0; }";
    assert_eq!(command_on("terminates", own, &["--time-limit", "5"]).code, Some(0));
    assert_eq!(command_on("terminates", ALIASED[2].1, &["--whole-program"]).code, Some(0));
}

#[test]
fn assembler_knows_the_addresses_that_it_gets() {
    let source = "int f(void) { int x = 1, *q; __asm__ volatile(\"\" : \"=r\"(q) : \"0\"(&x)); for (x = 0; x < 3; x++) *q = 0; return x; }";
    is_open(source, "f");
    let given = source.replace("\"0\"(&x)", "\"m\"(x)");
    is_open(&given, "f");
}

#[test]
fn undefined_functions_change_what_a_program_exports() {
    let source = "int step = 1; extern void ext(void); int f(int n) { ext(); while (n > 0) { n -= step; } return n; } int main(void) { return f(3); }";
    is_open(source, "f");
    assert_eq!(command_on("terminates", source, &["--whole-program"]).code, Some(0));
    let own = "static int step = 1; extern void ext(void); int f(int n) { ext(); while (n > 0) { n -= step; } return n; }";
    assert_eq!(command_on("terminates", own, &["--time-limit", "5"]).code, Some(0));
}

#[test]
fn other_functions_may_have_run_before() {
    let source = "extern void reach_error(void); static int mode; void set(int m) { mode = m; } int f(void) { if (mode) reach_error(); return 0; }";
    assert_eq!(verify(source, "unreach-call", &["--function", "f"]).code, Some(3));
    let constant = source.replace("mode = m", "m = mode");
    assert_eq!(verify(&constant, "unreach-call", &["--function", "f"]).code, Some(0));
    let state = "extern void reach_error(void); int f(void) { static int calls; if (calls > 2) reach_error(); calls++; return 0; }";
    assert_eq!(verify(state, "unreach-call", &["--function", "f"]).code, Some(3));
    // A constructor of another file may have changed it.
    let open = "extern void reach_error(void); extern void ext(void); int g; int main(void) { if (g) reach_error(); ext(); return 0; }";
    assert_eq!(verify(open, "unreach-call", &[]).code, Some(3));
    assert_eq!(verify(open, "unreach-call", &["--whole-program"]).code, Some(0));
}

#[test]
fn a_declaration_makes_its_variable_indeterminate_each_time() {
    let head = "extern void reach_error(void); extern void __VERIFIER_assume(int);\n";
    let assumed = "int main(void) { int x = 4; while (x > 0) { int y; __VERIFIER_assume(-3 <= y && y <= -1); x += y; } if (x != 0 && x != -2) reach_error(); return 0; }";
    let entered = "int main(void) { for (int i = 0; i < 3; i++) { if (i == 5) goto in; { int y; if (i == 0) y = 7; else { in: if (y != 7) reach_error(); } } } return 0; }";
    let structure = "int main(void) { for (int i = 0; i < 3; i++) { struct { int a, b; } p; if (i == 0) p.a = 7; else if (p.a != 7) reach_error(); } return 0; }";
    for source in [assumed, entered, structure] {
        let answer = verify(&format!("{head}{source}"), "unreach-call", &[]);
        assert_eq!(answer.code, Some(1), "{source}: {answer:?}");
    }
}

#[test]
fn what_the_compiler_chooses_stays_open_with_ordinary_volatile_objects() {
    for kept in [
        "int g; int main(int argc, char **argv) { g = __builtin_constant_p(argc);",
        "int main(int argc, char **argv) { int g = __builtin_constant_p(argc);",
    ] {
        let source = &format!("extern void reach_error(void); {kept} if (g) reach_error(); return 0; }}");
        let answer = verify(source, "unreach-call", &["--ordinary-volatile"]);
        assert_eq!(answer.code, Some(3), "{answer:?}");
    }
}

#[test]
fn volatile_objects_change_by_themselves() {
    let source = "extern void reach_error(void); extern const volatile int status; int main(void) { int a = status, b = status; if (a != b) reach_error(); return 0; }";
    assert_eq!(verify(source, "unreach-call", &[]).code, Some(3));
    let answer = verify(source, "unreach-call", &["--ordinary-volatile"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.error.contains("assuming that volatile objects change only as the program says"));
    let member = "struct port { volatile int data; int count; }; int f(struct port *p) { int n = 0; while (p->data == p->data) n = 0; return n; }";
    assert_eq!(command_on("terminates", member, &["--time-limit", "5"]).code, Some(3));
}

#[test]
fn rounding_may_change() {
    let source = "extern int fesetround(int); extern void reach_error(void); int main(void) { double x = 1.0, y = 3.0; double a = x / y; fesetround(2048); double b = x / y; if (a != b) reach_error(); return 0; }";
    assert_eq!(verify(source, "unreach-call", &[]).code, Some(3));
    let fixed = source.replace(" fesetround(2048);", "").replace("extern int fesetround(int); ", "");
    assert_eq!(verify(&fixed, "unreach-call", &[]).code, Some(0));
}

#[test]
fn allocation_and_the_command_line_are_assumptions_with_options() {
    let source = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }";
    let answer = verify(source, "memsafety", &[]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.error.contains("assuming that allocation succeeds (--malloc-may-fail)"), "{answer:?}");
    assert_eq!(verify(source, "memsafety", &["--malloc-may-fail"]).code, Some(1));
    let json = verify(source, "memsafety", &["--json"]);
    assert!(json.output.contains("\"assumptions\""), "{json:?}");
    let named = "extern void reach_error(void); int main(int argc, char **argv) { if (argc == 0) reach_error(); return 0; }";
    assert_eq!(verify(named, "unreach-call", &[]).code, Some(0));
    assert_ne!(verify(named, "unreach-call", &["--argc-may-be-zero"]).code, Some(0));
}

#[test]
fn runs_through_what_c_leaves_undefined_refute_nothing() {
    let head = "extern void reach_error(void); ";
    let sources = [
        "int main(void) { double d = 1e10; int x = (int)d; if (x < 0) reach_error(); return 0; }",
        "int main(void) { double d = 1e10; int x = (int)d; if (x > 0) reach_error(); return 0; }",
        "int main(void) { int a[4]; int *p = a + 10; if (p > a) reach_error(); return 0; }",
        "int f(void) {} int main(void) { int x = f(); if (x == 3) reach_error(); return 0; }",
    ];
    for source in sources {
        let answer = verify(&format!("{head}{source}"), "unreach-call", &[]);
        assert_eq!(answer.code, Some(3), "{source}: {answer:?}");
    }
    // It is wrong use of memory all the same.
    let outside = "int main(void) { int a[4]; int *p = a + 10; *p = 1; return 0; }";
    assert_eq!(verify(outside, "memsafety", &[]).code, Some(1));
}

#[test]
fn structures_by_value_are_objects() {
    let source =
        "struct pt { int x, y; }; struct pt f(struct pt p) { struct pt q = { p.y, p.x }; return q; }";
    for property in ["memsafety", "unreach-call", "no-overflow"] {
        let answer = verify(source, property, &["--function", "f"]);
        assert_eq!(answer.code, Some(0), "{property}: {answer:?}");
    }
    let any = "extern void reach_error(void); struct pt { int x, y; }; int f(struct pt p) { if (p.x == 7) reach_error(); return 0; }";
    assert_eq!(verify(any, "unreach-call", &["--function", "f"]).code, Some(1));
}

const ERROR: &str = "extern void reach_error(void); ";

/// That a run to the error is a violation, or not if it does something undefined before.
fn is_reached(source: &str, expected: bool) {
    let answer = verify(&format!("{ERROR}{source}"), "unreach-call", &[]);
    assert_eq!(answer.code, Some(if expected { 1 } else { 3 }), "{source}: {answer:?}");
}

#[test]
fn values_are_read_with_the_type_that_they_were_written_with() {
    let read = "if (x != 0) reach_error(); return 0; }";
    for source in [
        "int main(void) { float f = 1; int x = *(int *)&f; ",
        "float f = 1; int main(void) { int x = *(int *)&f; ",
        "static const float f = 1; int main(void) { int x = *(const int *)&f; ",
        "int main(void) { float f[2] = {1, 2}; void *p = f; int x = ((int *)p)[1]; ",
        "struct s { int i; float f; } s = {1, 1}; int main(void) { int x = ((int *)&s)[1]; ",
        "int main(void) { int i = 65537; int x = *(short *)&i; ",
        "int main(void) { int x = 0; *(float *)&x = 1; ",
        "int main(void) { int i = 1, *p = &i; int x = *(long *)&p != 0; ",
    ] {
        is_reached(&format!("{source}{read}"), false);
    }
    for source in [
        "union u { float f; int i; }; int main(void) { union u u; u.f = 1; int x = u.i; ",
        "union u { float f; int i[1]; }; int main(void) { union u u = {1}; int x = u.i[0]; ",
        "union u { float f; int i[1]; } u = {1}; int main(void) { union u *p = &u; int x = *p->i; ",
        "void *memcpy(void *, const void *, unsigned long); int main(void) { float f = 0; int x, i = 1; memcpy(&f, &i, 4); memcpy(&x, &f, 4); ",
        "int main(void) { float f = 1; int x = ((unsigned char *)&f)[3]; ",
        "int main(void) { unsigned u = 1; int x = *(int *)&u; ",
        "void *malloc(unsigned long); int main(void) { float *f = malloc(4); *f = 1; int *p = (int *)f; *p = 3; int x = *p; ",
    ] {
        is_reached(&format!("{source}{read}"), true);
    }
}

#[test]
fn pointers_to_what_is_gone_have_no_value() {
    let source = "void *malloc(unsigned long); void free(void *); int main(void) { int *p = malloc(4); free(p); if (p) reach_error(); return 0; }";
    is_reached(source, false);
    is_reached(&source.replace("free(p);", ""), true);
    is_reached(
        "int main(void) { int *p = 0; { int x = 1; p = &x; } if (p != 0) reach_error(); return 0; }",
        false,
    );
}

#[test]
fn pointers_outside_their_objects_compare_as_they_like() {
    is_reached("int main(void) { int a[3]; if (a + 10 > a) reach_error(); return 0; }", false);
    is_reached("int main(void) { int a[3]; if (&a[1] - &a[5] < 0) reach_error(); return 0; }", false);
    is_reached("int main(void) { int a[3]; if (a + 3 > a) reach_error(); return 0; }", true);
}

#[test]
fn functions_are_called_with_the_types_of_their_parameters() {
    let source = "int g(long a) { return a; } int main(void) { int (*f)(int) = (int (*)(int))g; if (f(1)) reach_error(); return 0; }";
    is_reached(source, false);
    is_reached(&source.replace("long", "int"), true);
    is_reached(
        "int g(); int main(void) { if (g('a')) reach_error(); return 0; } int g(c) char c; { return c; }",
        true,
    );
}

#[test]
fn functions_of_the_library_may_set_errno() {
    let source = "extern int *__errno_location(void); double sqrt(double); int main(void) { *__errno_location() = 0; double x = sqrt(-1); if (*__errno_location() != 0) reach_error(); return 0; }";
    is_reached(source, false);
    is_reached(&source.replace("!= 0", "== 0"), false);
    is_reached(&source.replace("double x = sqrt(-1);", "").replace("!= 0", "== 0"), true);
}

#[test]
fn what_goes_wrong_may_do_so_before_what_never_ends() {
    let wait = "int wait(void) { for (;;); return 0; } ";
    let null = format!(
        "{wait}int read(void) {{ int *p = 0; return *p; }} int main(void) {{ return wait() + read(); }}"
    );
    assert_ne!(verify(&null, "memsafety", &[]).code, Some(0));
    let own = format!("{wait}int main(void) {{ int *p = 0; return wait() + *p; }}");
    assert_ne!(verify(&own, "memsafety", &[]).code, Some(0));
    let kept = null.replace("int *p = 0; return *p;", "int a[2] = {0, 0}; int i = 5; return a[i];");
    let beside = format!("{wait}int main(void) {{ int a[2] = {{0, 0}}; int i = 5; return wait() + a[i]; }}");
    for source in [&null, &own, &kept, &beside] {
        assert_ne!(verify(source, "termination", &[]).code, Some(0), "{source}");
        assert_ne!(command_on("terminates", source, &["--time-limit", "5"]).code, Some(0), "{source}");
    }
    // Here the order is fixed.
    let after = null.replace("wait() + read()", "wait() && read()");
    assert_ne!(verify(&after, "memsafety", &[]).code, Some(1));
    // Nothing that goes wrong decides whether an assertion fails: one order is enough.
    let sum = "extern void reach_error(void); int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main(void) { if (fib(9) != 34) reach_error(); return 0; }";
    assert_eq!(verify(sum, "unreach-call", &[]).code, Some(0));
}

#[test]
fn proofs_without_assumptions_rest_on_iso_c_alone() {
    let strict = ["--no-assumptions"];
    let counts = "int main(void) { for (unsigned i = 0; i < 3; i++) ; return 0; }";
    assert_eq!(verify(counts, "termination", &strict).code, Some(0));
    let calls = "extern void ext(void); int main(void) { ext(); return 0; }";
    assert_eq!(verify(calls, "termination", &[]).code, Some(0));
    let answer = verify(calls, "termination", &strict);
    assert!(answer.code == Some(3) && answer.output.contains("holds only if undefined functions return"));
    let allocates = "void *malloc(unsigned long); void free(void *); int main(void) { char *p = malloc(1); if (p) *p = 1; free(p); return 0; }";
    assert_eq!(verify(allocates, "memsafety", &strict).code, Some(3));
    assert_eq!(verify(allocates, "memsafety", &["--no-assumptions", "--malloc-may-fail"]).code, Some(0));
}

#[test]
fn every_option_of_the_page_on_semantics_exists() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/semantics.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let help = command_on("verify", "", &["--help"]).output;
    let options =
        ["--whole-program", "--malloc-may-fail", "--argc-may-be-zero", "--ordinary-volatile", "--integers"];
    for option in options.into_iter().chain(["--data-model", "--no-assumptions"]) {
        assert!(page.contains(&format!("`{option}")), "{option} is not explained");
        assert!(help.contains(option), "{option} is not offered");
    }
}
