//! Programs that take no inputs: which ones have one run, and which ones the kernel must not take for such.

mod source;

use base::Budget;
use loopscope_certify::only_run::{OnlyRun, only_run};
use program::interpret::Integers;

fn run_of(function: &str, text: &str) -> Option<OnlyRun> {
    let program = source::program(text);
    let function = program.function_named(function).expect("it is there");
    only_run(&program, function, Integers::Machine, &mut Budget::steps(100_000))
}

#[track_caller]
fn refused(text: &str) {
    assert!(run_of("main", text).is_none(), "{text}");
}

#[track_caller]
fn refused_body(body: &str) {
    refused(&format!(
        "#include <stdlib.h>
         #include <stdio.h>
         #include <math.h>
         extern void __assert_fail(void);
         static int twice(int x) {{ return 2 * x; }}
         int g;
         int main(void) {{ int i, n = 3; {body} for (i = 0; i < n; i++) ; return 0; }}"
    ));
}

#[test]
fn a_run_without_inputs_is_the_only_one() {
    let text = "#include <stdlib.h>
        #include <stdio.h>
        int g = 2;
        static int twice(int x) { return 2 * x; }
        int main(void) { int i, s = 0; for (i = 0; i < 5; i++) s += twice(g); printf(\"%d\", abs(s)); return s; }";
    let run = run_of("main", text).expect("it takes no inputs");
    assert_eq!(run.heads().len(), 1);
    assert_eq!(run.certificate().claim().property, evidence::Property::Termination);
    let text = "int main(int argc, char **argv) { for (int i = 0; i < 5; i++) ; return 0; }";
    assert!(run_of("main", text).is_some(), "nobody examines the command line");
}

#[test]
fn what_comes_from_outside_makes_other_runs() {
    for body in [
        "n = nondet();",
        "n = getchar();",
        "n = rand();",
        "n = abs(rand());",
        "n = twice(nondet());",
        "int (*f)(void) = rand; n = f();",
        "int (*f)(void) = nondet; if (g) n = f();",
        "n = printf(\"three\");",
        "volatile int v = 3; n = v;",
        "int x; n = x;",
        "int x[3]; n = x[g];",
        "int *x = malloc(12); n = x[g];",
        "n = (int) sin(1.0);",
        "char *s = getenv(\"HOME\"); n = s != 0;",
        "if (g) n = rand();",
    ] {
        refused_body(body);
    }
    refused("int main(int argc, char **argv) { while (argc > 0) argc--; return 0; }");
    refused("int main(int argc, char **argv) { while (argv[0][argc]) argc++; return 0; }");
}

#[test]
fn what_goes_wrong_is_no_run() {
    for body in [
        "n = 7 / g;",
        "int a[2] = {1, 2}; n = a[n];",
        "n = 2147483647; n = n + twice(n);",
        "int *p = 0; n = *p;",
        "n = 1 << (n + 40);",
        "if (n) __assert_fail();",
        "int *p = malloc(4); free(p); free(p);",
        "int *p = malloc(4); *p = 1; free(p); n = *p;",
        "while (n) ;",
        "for (unsigned u = 1; u != 0; u += 2) ;",
        "float r = 1; n = *(int *) &r != 0;",
    ] {
        refused_body(body);
    }
}

#[test]
fn who_enters_elsewhere_may_have_changed_everything() {
    let text = "int g; void f(void) { int i = g; while (i != 0) i++; } int main(void) { f(); return 0; }";
    assert!(run_of("f", text).is_none(), "what the variable holds is not known");
    let text = "void f(int n) { while (n != 0) n++; } int main(void) { f(0); return 0; }";
    assert!(run_of("f", text).is_none(), "the argument is not known");
    // A library has no start of its own.
    assert!(run_of("f", "int g; void f(void) { int i = g; while (i != 0) i++; }").is_none());
}
