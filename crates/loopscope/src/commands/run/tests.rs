//! `loopscope run`: programs behave as compiled ones do, and go wrong more clearly.

use crate::common::{Folder, loopscope_in};

#[test]
fn output_and_exit_code_are_the_programs() {
    let source = "#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%d %s\\n\", argc, argv[1]); return 7; }";
    let answer = Folder::with("a.c", source).run(&["run", "a.c", "--", "-x", "y"]);
    assert_eq!((answer.code, answer.output.as_str()), (Some(7), "3 -x\n"), "{answer:?}");
}

#[test]
fn standard_input_is_read() {
    let source = "#include <stdio.h>\nint main(void) { int c, n = 0; while ((c = getchar()) != EOF) n += c == 'a'; return n; }";
    let answer = Folder::with("a.c", source).run_with_input(&["run", "a.c"], b"banana\n");
    assert_eq!(answer.code, Some(3), "{answer:?}");
}

#[test]
fn a_violation_is_explained() {
    let source = "int f(int *a, int i) {\n  return a[i];\n}\nint main(void) {\n  int a[3] = {0};\n  return f(a, 3);\n}\n";
    let answer = Folder::with("a.c", source).run(&["run", "a.c"]);
    assert_eq!(answer.code, Some(121), "{answer:?}");
    for word in ["error:", "(out-of-bounds)", "a.c:2:", "return a[i];", "in f at a.c:2", "in main at a.c:6"] {
        assert!(answer.error.contains(word), "`{word}` is missing in {answer:?}");
    }
}

#[test]
fn checks_can_be_chosen() {
    let source = "int main(void) { int x = 2147483647; x = x + 1; return x == -2147483647 - 1; }";
    let folder = Folder::with("a.c", source);
    assert_eq!(folder.run(&["run", "a.c"]).code, Some(121));
    assert_eq!(folder.run(&["run", "--checks", "none", "a.c"]).code, Some(1));
    assert_eq!(folder.run(&["run", "--checks", "null,out-of-bounds", "a.c"]).code, Some(1));
}

#[test]
fn a_step_limit_stops() {
    let answer = Folder::with("a.c", "int main(void) { unsigned i = 0; while (1) i++; }").run(&[
        "run",
        "--step-limit",
        "1000",
        "a.c",
    ]);
    assert_eq!(answer.code, Some(122), "{answer:?}");
    assert!(answer.error.contains("step limit"), "{answer:?}");
}

#[test]
fn inputs_can_be_given() {
    let source = "extern int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(); return x + __VERIFIER_nondet_int(); }";
    assert_eq!(Folder::with("a.c", source).run(&["run", "--inputs", "40,2", "a.c"]).code, Some(42));
    let source = "int twice(int x) { return 2 * x; }";
    assert_eq!(
        Folder::with("a.c", source).run(&["run", "--function", "twice", "--inputs", "21", "a.c"]).code,
        Some(0)
    );
}

#[test]
fn the_example_sorts() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let answer = loopscope_in(&root, &["run", "examples/sort.c", "--", "3", "1", "2"], b"");
    assert_eq!((answer.code, answer.output.as_str()), (Some(1), "1\n2\n3\n"), "{answer:?}");
}

#[test]
fn help_names_every_kind_of_check() {
    let help = Folder::new().run(&["run", "--help"]).output;
    // Contracts are not written in C: proofs make them.
    for kind in program::Obligation::ALL.into_iter().filter(|kind| *kind != program::Obligation::Contract) {
        assert!(help.contains(kind.name()), "`{kind}` is missing in\n{help}");
    }
}
