//! What could not be read or represented does not vanish: every command names it, and its exit code says so.

use crate::common::{Answer, Folder, command_on};

/// An entry that is not represented, beside a function that could be taken for one.
const UNSUPPORTED_MAIN: &str = "void reach_error(void) {}\nint main(void) { _Decimal64 a = 0.1DD; while (1) ; reach_error(); return 0; }";

/// The commands that report on loops, functions and obligations.
const REPORTS: [&str; 7] = ["loops", "terminates", "bounds", "summarize", "variance", "alarms", "tests"];

fn verify(source: &str, property: &str) -> Answer {
    command_on("verify", source, &["--property", property, "--time-limit", "5"])
}

/// That an answer is UNKNOWN for a reason at a place of `a.c`.
fn is_unknown(answer: &Answer, reason: &str, place: &str) {
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.output.contains(reason) && answer.output.contains(&format!("a.c:{place}")), "{answer:?}");
}

#[test]
fn a_main_that_is_not_represented_is_still_where_runs_start() {
    for property in ["unreach-call", "memsafety", "no-overflow", "termination"] {
        let answer = verify(UNSUPPORTED_MAIN, property);
        is_unknown(&answer, "UNKNOWN (unsupported: ", "2:33");
        assert!(!answer.error.contains("runs start in"), "{answer:?}");
    }
    for command in REPORTS {
        is_unknown(&command_on(command, UNSUPPORTED_MAIN, &[]), "main", "2:33");
        is_unknown(&command_on(command, UNSUPPORTED_MAIN, &["--function", "main"]), "main", "2:33");
    }
    let folder = Folder::with("a.c", UNSUPPORTED_MAIN);
    is_unknown(&folder.run(&["a.c"]), "not analysed: main: ", "2:33");
    let run = folder.run(&["run", "a.c"]);
    assert_eq!(run.code, Some(123), "{run:?}");
    assert!(run.error.contains("cannot be run") && run.error.contains("a.c:2:33"), "{run:?}");
}

#[test]
fn a_witness_does_not_start_elsewhere_either() {
    let proved = "void reach_error(void); int main(void) { int i = 0; while (i < 3) i++; return 0; }";
    let folder = Folder::with("a.c", proved);
    assert_eq!(
        folder.run(&["verify", "--property", "unreach-call", "--witness", "a.yml", "a.c"]).code,
        Some(0)
    );
    std::fs::write(folder.path().join("a.c"), UNSUPPORTED_MAIN).expect("the file can be written");
    is_unknown(&folder.run(&["certify", "a.yml", "a.c"]), "UNKNOWN (unsupported: ", "2:33");
}

#[test]
fn a_main_that_is_only_declared_is_not_replaced() {
    let text = "int main(void);\nvoid reach_error(void);\nint f(void) { return 0; }";
    let in_a_block = "int f(void) { extern int main(void); return 0; }";
    for text in [text, in_a_block] {
        let answer = verify(text, "unreach-call");
        assert_eq!(answer.code, Some(3), "{answer:?}");
        assert!(answer.last_line().contains("no function main"), "{answer:?}");
        for command in ["variance", "tests", "run"] {
            assert_eq!(command_on(command, text, &[]).code, Some(2), "{command}");
        }
        // What is said of each function modularly does not hang on it.
        assert_eq!(command_on("terminates", text, &[]).code, Some(0));
    }
}

#[test]
fn the_only_function_is_not_replaced_by_one_that_it_may_call() {
    let text = "int f(void) { _Decimal64 a = 0.1DD; return 0; }";
    is_unknown(&verify(text, "memsafety"), "unsupported: ", "1:30");
}

#[test]
fn functions_that_are_not_represented_are_listed() {
    let text = "void f(int n) { for (int i = 0; i < n; i++) ; }\nvoid g(void) { void in(void) {} in(); while (1) ; }";
    for command in ["loops", "terminates", "bounds"] {
        let answer = command_on(command, text, &[]);
        is_unknown(&answer, "not analysed: g: a nested function", "2:21");
        let json = command_on(command, text, &["--json"]);
        assert_eq!(json.code, Some(3), "{json:?}");
        assert!(json.output.contains("\"not_analysed\": [\n") && json.output.contains("\"g\""), "{json:?}");
        // Nothing is left out of what is said of the other function.
        assert_eq!(command_on(command, text, &["--function", "f"]).code, Some(0));
    }
    for command in ["variance", "tests", "alarms"] {
        let text = format!("{text}\nint main(void) {{ return 0; }}");
        let answer = command_on(command, &text, &[]);
        is_unknown(&answer, "a nested function", "2:21");
    }
    let required = command_on("terminates", text, &["--require-termination"]);
    assert_eq!(required.code, Some(1), "{required:?}");
}

#[test]
fn nested_functions_are_refused_wherever_they_stand() {
    let bodies = [
        "void in(void) { i = 7; } in();",
        "{ void in(void) { i = 7; } in(); }",
        "int k = ({ void in(void) { i = 7; } in(); 1; });",
        "auto void in(void); void (*p)(void) = in; void in(void) { i = 7; } p();",
        "void in(void) { i = 7; } call(&in);",
        "goto l; { void in(void) { i = 7; } l: in(); }",
    ];
    for body in bodies {
        let text = format!(
            "void call(void (*f)(void)) {{ f(); }} int main(void) {{ int a[3]; int i = 0; {body} a[i] = 1; return 0; }}"
        );
        let answer = verify(&text, "memsafety");
        assert!(answer.last_line().starts_with("UNKNOWN"), "{answer:?}");
    }
}

#[test]
fn a_function_that_a_block_declares_is_no_nested_one() {
    let text = "int main(void) { int f(), g(void); while (f() + g()) ; return 0; } int f() { return 0; } int g(void) { return 0; }";
    assert_eq!(verify(text, "termination").last_line(), "TRUE");
}

fn with_database(entries: &str) -> Folder {
    Folder::with("compile_commands.json", entries)
        .and("a.c", "struct s { char c; int i; }; int main(void) { int n = sizeof(struct s); while (n == 5) ; return 0; }")
        .and("b.cpp", "int b;")
}

#[test]
fn files_of_a_database_that_are_no_c_are_listed() {
    let folder = with_database(
        r#"[{"directory": ".", "file": "a.c", "command": "cc -c a.c"},
            {"directory": ".", "file": "b.cpp", "command": "c++ -c b.cpp"}]"#,
    );
    let answer = folder.run(&["terminates", "-p", "."]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    answer.says(&["not analysed: b.cpp: the compilation database has it, and it is no C file"]);
    let verdict = folder.run(&["verify", "--property", "termination", "-p", "."]);
    assert_eq!(verdict.code, Some(3), "{verdict:?}");
    assert!(verdict.last_line().contains("b.cpp"), "{verdict:?}");
    // Who names the file does not ask about the other one.
    let chosen = folder.run(&["verify", "--property", "termination", "-p", ".", "a.c"]);
    assert_eq!(chosen.code, Some(0), "{chosen:?}");
}

#[test]
fn flags_that_are_not_followed_leave_no_answer() {
    for flag in ["-fpack-struct", "-mnobody-knows-it"] {
        let entries = format!(r#"[{{"directory": ".", "file": "a.c", "command": "cc {flag} -c a.c"}}]"#);
        let folder = with_database(&entries);
        let reason = format!("compiled with {flag}, which is not supported");
        for command in REPORTS {
            is_unknown(&folder.run(&[command, "-p", "."]), &reason, "1:34");
        }
        let verdict = folder.run(&["verify", "--property", "termination", "-p", "."]);
        is_unknown(&verdict, &reason, "1:34");
        assert!(verdict.error.contains(&format!("a.c` is compiled with {flag}")), "{verdict:?}");
    }
}

#[test]
fn constructors_of_two_files_have_no_order_unless_they_are_numbered() {
    let run = |attribute: &str| {
        let first = format!("int n; __attribute__(({attribute})) static void one(void) {{ n = 1; }}");
        let second = "extern int n; __attribute__((constructor(200))) static void two(void) { n = 2 * n; }
            int main(void) { while (n != 2) ; return 0; }";
        let folder = Folder::with("a.c", second).and("b.c", first);
        folder.run(&["verify", "--property", "termination", "a.c", "b.c"]).last_line().to_owned()
    };
    assert_eq!(run("constructor(101)"), "TRUE");
    assert_eq!(run("constructor"), "FALSE (non-termination)");
    assert!(
        run("constructor(200)")
            .contains("constructors or destructors of two files whose order the linker decides")
    );
}

#[test]
fn files_for_different_machines_are_not_mixed() {
    let folder = Folder::with("a.c", "int f(void); int main(void) { while (f()) ; return 0; }")
        .and("b.c", "int f(void) { return 0; }")
        .and(
            "compile_commands.json",
            r#"[{"directory": ".", "file": "a.c", "command": "cc -c a.c"},
                {"directory": ".", "file": "b.c", "command": "cc -m32 -c b.c"}]"#,
        );
    let answer = folder.run(&["verify", "--property", "termination", "-p", "."]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.last_line().contains("f: compiled with pointers of another width"), "{answer:?}");
}

#[test]
fn a_line_of_what_is_not_analysed_is_no_line_without_code() {
    let text = "void g(void) { void in(void) {} in();\nwhile (1) ;\n}\nint main(void) { g(); return 0; }";
    for arguments in [["tests", "--target", "2"], ["variance", "--at", "2"], ["summarize", "--loop", "2"]] {
        let answer = command_on(arguments[0], text, &arguments[1..]);
        is_unknown(&answer, "not analysed: g: a nested function", "1:21");
    }
}

#[test]
fn files_that_disagree_are_no_program() {
    let run = |first: &str, second: &str| {
        let folder = Folder::with("a.c", first).and("b.c", second);
        folder.run(&["verify", "--property", "memsafety", "a.c", "b.c"])
    };
    let answer = run("extern int a[10]; int main(void) { a[7] = 1; return 0; }", "int a[5];");
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.error.contains("`a` has 20 bytes, and is declared with 40"), "{answer:?}");
    let answer = run("int a = 1; int main(void) { return a; }", "int a = 0;");
    assert!(answer.error.contains("multiple definition of `a`"), "{answer:?}");
}

#[test]
fn linkers_decide_what_names_mean() {
    let run = |files: &[&str]| {
        let texts = [
            "int f(void); extern int x; int main(void) { while (f() || x) ; return 0; }",
            "__attribute__((weak)) int f(void) { return 1; } int x;",
            "static int no(void) { return 0; } int f(void) __attribute__((alias(\"no\")));",
            "__attribute__((weak)) int x = 1;",
        ];
        let folder = texts
            .iter()
            .zip('a'..)
            .fold(Folder::new(), |folder, (text, name)| folder.and(&format!("{name}.c"), text));
        let answer =
            folder.run(&[&["verify", "--property", "termination", "--time-limit", "5"], files].concat());
        answer.last_line().to_owned()
    };
    // Weak definitions give way, in whatever order; an alias in one file is a name in the others.
    assert!(run(&["a.c", "b.c"]).contains("a weak definition, which another file may replace"));
    assert_eq!(run(&["a.c", "c.c", "b.c", "d.c"]), "TRUE");
    assert!(run(&["d.c", "c.c", "a.c"]).contains("a weak definition"));
}
