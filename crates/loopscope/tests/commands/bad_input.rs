//! Bad input of every kind: a clear message, a documented exit code, and never a panic.

use crate::common::{Answer, Folder};

#[track_caller]
fn refused(answer: &Answer, words: &[&str]) {
    assert_eq!(answer.code, Some(2), "{answer:?}");
    for word in words {
        assert!(answer.error.contains(word), "`{word}` is missing in {answer:?}");
    }
    assert!(!answer.error.contains("panicked"), "{answer:?}");
}

#[test]
fn no_file() {
    refused(&Folder::new().run(&[]), &["no input files", "--help"]);
}

#[test]
fn a_missing_file() {
    refused(&Folder::new().run(&["gone.c"]), &["cannot read `gone.c`"]);
}

#[test]
fn a_missing_file_beside_a_healthy_one() {
    let answer = Folder::with("a.c", "int main(void) { while (1); }").run(&["gone.c", "a.c"]);
    refused(&answer, &["cannot read `gone.c`"]);
    assert!(answer.output.contains("1 loop in 1 function"), "{answer:?}");
}

#[test]
fn a_directory() {
    refused(&Folder::new().run(&["."]), &["cannot read `.`", "directory"]);
}

#[test]
fn a_binary_file() {
    let bytes: Vec<u8> = (0..4096u32).map(|at| (at * 7 % 256) as u8).collect();
    refused(
        &Folder::with("a.c", [b"\x7fELF\x02\x01\x01\0".as_slice(), &bytes].concat()).run(&["a.c"]),
        &["a.c"],
    );
}

#[test]
fn an_empty_file_is_a_program_without_functions() {
    let answer = Folder::with("a.c", "").run(&["a.c"]);
    assert_eq!((answer.code, answer.output.as_str()), (Some(0), "no functions\n"), "{answer:?}");
}

#[test]
fn a_syntax_error_and_a_healthy_function() {
    let source = "int broken(int x) { return x + ; }\nint good(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n";
    let answer = Folder::with("a.c", source).run(&["a.c"]);
    refused(&answer, &["error:", "a.c:1:", "return x + ;"]);
    assert!(answer.output.contains("good (a.c:2)"), "the healthy function is still shown: {answer:?}");
}

#[test]
fn an_undeclared_name_and_a_healthy_function() {
    let source = "int broken(void) { return missing; }\nint good(void) { while (1); }\n";
    let answer = Folder::with("a.c", source).run(&["a.c"]);
    refused(&answer, &["error:", "a.c:1:", "missing"]);
    assert!(answer.output.contains("good (a.c:2)"), "{answer:?}");
}

#[test]
fn a_missing_include() {
    let answer = Folder::with("a.c", "#include \"gone.h\"\nint main(void) { return 0; }\n").run(&["a.c"]);
    refused(&answer, &["gone.h", "a.c:1"]);
}

#[test]
fn a_malformed_compilation_database() {
    let folder = Folder::with("compile_commands.json", "[ { \"file\": \"a.c\", ");
    refused(&folder.run(&["-p", "."]), &["compile_commands.json"]);
    let folder = Folder::with("compile_commands.json", "{ \"file\": 3 }");
    refused(&folder.run(&["-p", "compile_commands.json"]), &["compile_commands.json"]);
    refused(&Folder::new().run(&["-p", "."]), &["compile_commands.json"]);
}

#[test]
fn a_compilation_database_that_works() {
    let folder = Folder::with("a.c", "int main(void) { for (int i = 0; i < N; i++); return 0; }");
    let directory = folder.path().display().to_string();
    let folder = folder.and(
        "compile_commands.json",
        format!(
            r#"[{{ "directory": {directory:?}, "file": "a.c", "arguments": ["cc", "-DN=3", "-c", "a.c"] }}]"#
        ),
    );
    let answer = folder.run(&["-p", "."]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("1 loop in 1 function"), "{answer:?}");
    assert_eq!(folder.run(&["-p", ".", "a.c"]).code, Some(0));
    refused(&folder.run(&["-p", ".", "b.c"]), &["`b.c` is not in `.`"]);
}

#[test]
fn a_function_of_a_hundred_thousand_lines() {
    let mut source = String::from("int main(void) {\n  unsigned x = 1;\n");
    for line in 0..100_000 {
        source.push_str(match line % 4 {
            0 => "  x = x * 3 + 1;\n",
            1 => "  if (x & 1) x++;\n",
            2 => "  while (x > 1000) x /= 2;\n",
            _ => "  x ^= 5;\n",
        });
    }
    source.push_str("  return (int)(x & 1);\n}\n");
    let answer = Folder::with("a.c", source).run(&["a.c"]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    assert!(answer.output.ends_with("25000 loops in 1 function\n"));
}

/// Deep nesting is either analysed or refused with a message; it never ends the process.
#[track_caller]
fn survives(source: &str) {
    let answer = Folder::with("a.c", source).run(&["a.c"]);
    assert!(matches!(answer.code, Some(0 | 2)), "{:?} {:.300}", answer.code, answer.error);
    assert!(answer.code == Some(0) || answer.error.contains("a.c"), "{:.300}", answer.error);
}

#[test]
fn ten_thousand_nested_parentheses() {
    let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
    survives(&format!("int main(void) {{ return {open}1{close}; }}\n"));
    survives(&format!("int main(void) {{ return {open}1; }}\n"));
}

#[test]
fn ten_thousand_nested_braces() {
    let (open, close) = ("{".repeat(10_000), "}".repeat(10_000));
    survives(&format!("int main(void) {{ {open}{close} return 0; }}\n"));
    survives(&format!("int main(void) {{ {open} return 0; }}\n"));
}

#[test]
fn ten_thousand_nested_loops_and_operators() {
    let (open, close) = ("while (n--) {".repeat(1_000), "}".repeat(1_000));
    survives(&format!("int f(int n) {{ {open}{close} return 0; }}\n"));
    survives(&format!("int f(int n) {{ return {}n; }}\n", "-".repeat(10_000).replace("--", "- -")));
    survives(&format!("int f(int n) {{ return {}n; }}\n", "n + ".repeat(10_000)));
}

#[test]
fn wrong_usage() {
    let folder = Folder::with("a.c", "int main(void) { return 0; }");
    refused(&folder.run(&["--no-such-flag", "a.c"]), &["--no-such-flag"]);
    refused(&folder.run(&["verify", "a.c"]), &["--property"]);
    refused(&folder.run(&["verify", "--property", "termination"]), &["no input files"]);
    refused(
        &folder.run(&["verify", "--property", "termination", "--time-limit", "-1", "a.c"]),
        &["time-limit"],
    );
    refused(&folder.run(&["--data-model", "LLP64", "a.c"]), &["LP64", "ILP32"]);
    refused(&folder.run(&["dump", "a.c"]), &["--program"]);
    refused(&folder.run(&["dump", "--cfg", "--function", "gone", "a.c"]), &["no function `gone`"]);
    refused(&folder.run(&["--function", "gone", "a.c"]), &["no function `gone`"]);
    refused(&folder.run(&["run", "--function", "gone", "a.c"]), &["no function `gone`"]);
    refused(&folder.run(&["run", "--checks", "everything", "a.c"]), &["everything", "out-of-bounds"]);
    refused(&folder.run(&["-I"]), &["-I"]);
}
