//! `loopscope` without a command: the overview, flags of C compilers, colours and help.

use crate::common::{Folder, NESTED};

#[test]
fn the_overview_tells_what_is_known_of_every_loop() {
    let folder = Folder::with("a.c", NESTED);
    let answer = folder.run(&["a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.output.lines().collect();
    assert!(lines[0].contains("TYPE  STOPS") && lines[1] == "sum (a.c:3)", "{answer:?}");
    assert!(lines[2].contains("yes") && lines[2].contains("at most max(n, 0)"), "{answer:?}");
    assert!(lines[3].contains("a.c:6") && lines[3].contains("yes"), "{answer:?}");
    let answer = folder.run(&["--json", "--time-limit", "5", "a.c"]);
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["functions"][0]["loops"][0]["termination"], "stops", "{answer:?}");
}

#[test]
fn one_function_can_be_chosen() {
    let answer = Folder::with("a.c", NESTED).run(&["--function", "none", "a.c"]);
    assert_eq!(answer.output, "no loops\n");
}

#[test]
fn several_files_make_one_program() {
    let folder = Folder::with("a.c", "int g(int);\nint main(void) { while (g(1)); return 0; }")
        .and("b.c", "int g(int x) { do x--; while (x > 0); return x; }");
    let answer = folder.run(&["a.c", "b.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("main (a.c:2)") && answer.output.contains("g (b.c:1)"), "{answer:?}");
}

#[test]
fn flags_of_c_compilers_work() {
    let folder = Folder::with(
        "a.c",
        "#include \"n.h\"\nint main(void) { for (int i = 0; i < N + M; i++); return K; }",
    )
    .and("k.h", "#define K 0\n");
    std::fs::create_dir(folder.path().join("inc")).unwrap();
    std::fs::write(folder.path().join("inc/n.h"), "#define N 3\n").unwrap();
    let answer = folder.run(&["-Iinc", "-DM=2", "-include", "k.h", "-std=c99", "-m32", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("1 loop in 1 function"), "{answer:?}");
}

#[test]
fn colours_come_when_asked_for() {
    let folder = Folder::with("a.c", "int main(void) { return x; }");
    assert!(folder.run(&["--color", "always", "a.c"]).error.contains("\u{1b}["));
    assert!(!folder.run(&["--color", "never", "a.c"]).error.contains("\u{1b}["));
    assert!(!folder.run(&["a.c"]).error.contains("\u{1b}["), "a pipe gets no colours");
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in ["Examples:", "Exit codes:", "verify", "run", "dump", "completions", "-I", "-D", "-p"] {
        assert!(help.output.contains(word), "`{word}` is missing in\n{}", help.output);
    }
    let help = folder.run(&["verify", "--help"]);
    for word in ["unreach-call", "no-overflow", "mathematical", "FALSE (kind)", "3 unknown"] {
        assert!(help.output.contains(word), "`{word}` is missing in\n{}", help.output);
    }
    assert_eq!(folder.run(&["--version"]).code, Some(0));
}
