//! A violating run can be seen again: `verify --inputs` and `--driver` write what `run --inputs` and a compiler read.

use crate::common::Folder;

const GUARDED: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(int argc, char **argv) {
    int x = __VERIFIER_nondet_int();
    if (x == 12345 && getchar() == EOF && argc == 1)
        reach_error();
    return 0;
}
";

fn guarded() -> Folder {
    Folder::with("a.c", format!("#include <stdio.h>\n{GUARDED}"))
}

#[test]
fn the_inputs_of_a_violation_show_it_again() {
    let folder = guarded();
    let answer = folder.run(&["verify", "--property", "unreach-call", "--inputs", "run.inputs", "a.c"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let text = std::fs::read_to_string(folder.path().join("run.inputs")).expect("the file is written");
    assert!(text.contains("\n__VERIFIER_nondet_int = 12345    # i32 at a.c:4:13\n"), "{text}");
    let again = folder.run_with_input(&["run", "--inputs", "run.inputs", "a.c"], b"not asked for");
    assert_eq!(again.code, Some(121), "{again:?}");
    assert!(again.error.contains("(reach-error)") && again.error.contains("a.c:6:"), "{again:?}");
    let other = folder.run(&["run", "--inputs", "run.inputs", "a.c", "--", "word"]);
    assert_eq!(other.code, Some(0), "the command line comes before the file: {other:?}");
}

#[test]
fn values_that_nobody_wrote_and_leaks_are_seen_again() {
    let source = "#include <stdlib.h>\nint main(void) { int x; char *p = malloc(3); if (x == 7) p = 0; if (p) free(p); return 0; }";
    let folder = Folder::with("a.c", source);
    let answer = folder.run(&["verify", "--property", "memsafety", "--inputs", "run.inputs", "a.c"]);
    assert_eq!((answer.code, answer.last_line()), (Some(1), "FALSE (leak)"), "{answer:?}");
    let text = std::fs::read_to_string(folder.path().join("run.inputs")).expect("the file is written");
    assert!(text.contains("(uninitialised x) = 7    # i32"), "{text}");
    let again = folder.run(&["run", "--inputs", "run.inputs", "a.c"]);
    assert!(again.code == Some(121) && again.error.contains("(leak)"), "{again:?}");
}

#[test]
fn a_function_and_its_integers_are_remembered() {
    let folder = Folder::with(
        "a.c",
        "extern void reach_error(void);\nvoid f(long x) { if (x * 4 == 400) reach_error(); }",
    );
    let answer = folder.run(&[
        "verify",
        "--property",
        "unreach-call",
        "--function",
        "f",
        "--integers",
        "mathematical",
        "--inputs",
        "i",
        "--driver",
        "d.c",
        "a.c",
    ]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.error.contains("nothing calls `f`"), "{answer:?}");
    let text = std::fs::read_to_string(folder.path().join("i")).expect("the file is written");
    assert!(
        text.contains("function = f\nintegers = mathematical") && text.contains("(parameter x) = 100"),
        "{text}"
    );
    let again = folder.run(&["run", "--inputs", "i", "a.c"]);
    assert_eq!(again.code, Some(121), "{again:?}");
}

#[test]
fn without_a_violation_nothing_is_written() {
    let folder = Folder::with("a.c", "int main(void) { return 0; }");
    let answer =
        folder.run(&["verify", "--property", "unreach-call", "--inputs", "i", "--driver", "d.c", "a.c"]);
    assert!(answer.code == Some(0) || answer.code == Some(3), "{answer:?}");
    assert!(
        answer.error.contains("`i` is not written") && answer.error.contains("`d.c` is not written"),
        "{answer:?}"
    );
    assert!(!folder.path().join("i").exists() && !folder.path().join("d.c").exists());
}

#[test]
fn a_file_that_cannot_be_written_or_read_is_said() {
    let folder = guarded().and("bad", "[values]\nx = many\n");
    let answer = folder.run(&["verify", "--property", "unreach-call", "--inputs", "no/such/folder", "a.c"]);
    assert_eq!((answer.code, answer.last_line()), (Some(2), "FALSE (reach-error)"), "{answer:?}");
    assert!(answer.error.contains("cannot write `no/such/folder`"), "{answer:?}");
    let answer = folder.run(&["run", "--inputs", "missing", "a.c"]);
    assert!(
        answer.code == Some(2) && answer.error.contains("cannot read the inputs in `missing`"),
        "{answer:?}"
    );
    let answer = folder.run(&["run", "--inputs", "bad", "a.c"]);
    assert!(answer.code == Some(2) && answer.error.contains("bad:2: `many` is no value"), "{answer:?}");
    let answer = folder.run(&["run", "--inputs", "1,many", "a.c"]);
    assert!(answer.code == Some(2) && answer.error.contains("`many` is no value"), "{answer:?}");
}

#[test]
fn a_run_is_told_step_by_step() {
    let source = "extern int __VERIFIER_nondet_int(void);
static void fill(char *to, int count) {
    for (int i = 0; i < count; i++)
        to[i] = 'x';
}
int main(void) {
    char text[40];
    fill(text, 41);
    return 0;
}
";
    let folder = Folder::with("a.c", source);
    let short = folder.run(&["verify", "--property", "memsafety", "a.c"]).output;
    assert!(short.contains("a.c:8  call of fill(to = &text, count = 41)\n"), "{short}");
    assert!(short.contains("for loop, iteration 1: text[0] = 120 'x'; i = 1\n"), "{short}");
    assert!(short.contains("… lines 3 to 4 repeat 35 times: iterations 4 to 38 …"), "{short}");
    let full = folder.run(&["verify", "--property", "memsafety", "--full-trace", "a.c"]).output;
    assert!(
        full.contains("for loop, iteration 20: text[19] = 120 'x'; i = 20\n") && !full.contains('…'),
        "{full}"
    );
    let json = folder.run(&["verify", "--property", "memsafety", "--json", "a.c"]).output;
    let json: serde_json::Value = serde_json::from_str(&json).expect("the output is JSON");
    let steps = json["counterexample"]["trace"]["steps"].as_array().expect("steps");
    assert_eq!(steps[1]["kind"], "enter");
    assert_eq!(steps[1]["arguments"][1]["value"], "41");
    assert_eq!(steps[4]["kind"], "store");
    assert_eq!(steps[4]["name"], "text[0]");
    assert_eq!(steps[4]["place"]["line"], 4);
}

#[test]
fn a_truth_value_from_outside_is_zero_or_one() {
    let source = "extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);
int main(void) { _Bool b = __VERIFIER_nondet_bool(); if (b != 0 && b != 1) reach_error(); return b; }";
    let answer = Folder::with("a.c", source).run(&["verify", "--property", "unreach-call", "a.c"]);
    assert_ne!(answer.code, Some(1), "{answer:?}");
}
