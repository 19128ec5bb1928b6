//! Whatever a file holds: a message that helps, the healthy functions, and no panic.

mod support;

use support::{Folder, defined, errors, translate_text};

/// The only error of a text, and the functions that are still there.
fn one_error(text: &str) -> (String, Vec<String>) {
    let translation = translate_text(text);
    let found = errors(&translation.diagnostics);
    assert_eq!(found.len(), 1, "{found:?}");
    (found[0].to_owned(), defined(&translation).into_iter().map(str::to_owned).collect())
}

/// The message about a file that cannot be read, after the name of the file.
fn refusal(folder: &Folder, name: &str) -> String {
    let translation = folder.translate(name);
    assert!(translation.program.functions.is_empty());
    let found = errors(&translation.diagnostics);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].rsplit("`: ").next().unwrap_or_default().to_owned()
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let folder = Folder::new(&[("folder/a.c", "int x;\n")]);
    folder.write("binary.c", &[0x7f, b'E', b'L', b'F', 0, 0, 0, 1, 2, 3]);
    assert_eq!(refusal(&folder, "missing.c"), "there is no such file");
    assert_eq!(refusal(&folder, "folder"), "it is a directory");
    assert_eq!(refusal(&folder, "binary.c"), "it is not a text file");
}

#[test]
fn an_empty_file_is_an_empty_unit() {
    for name in ["a.c", "a.i", "a"] {
        let folder = Folder::new(&[(name, "")]);
        let translation = folder.translate(name);
        assert!(translation.diagnostics.is_empty());
    }
}

#[test]
fn odd_bytes_are_read_as_compilers_read_them() {
    let folder = Folder::new(&[]);
    folder.write("null.c", b"int x\0;\0\nchar *s = \"a\0b\"; /*\0*/ int f(void) { return 1; }\0");
    folder.write("latin.c", b"char *s = \"\xff\xe9\"; // \xff\n/* \xe9 */ int f(void) { return '\xe9'; }\n");
    folder.write("mark.c", b"\xef\xbb\xbfint f(void) { return 1; }\r\n");
    for name in ["null.c", "latin.c", "mark.c"] {
        let translation = folder.translate(name);
        assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new(), "{name}");
        assert_eq!(defined(&translation), ["f"]);
    }
}

#[test]
fn the_healthy_functions_survive_an_error() {
    let (message, functions) =
        one_error("int f(void) { return 1 +; }\nint g(void) { return 2; }\nint h(void) { return 3; }\n");
    assert_eq!(message, "expected an expression, found `;`");
    assert_eq!(functions, ["g", "h"]);
    let (message, functions) = one_error("int f(void) { return y; }\nint g(void) { return 2; }\n");
    assert_eq!(message, "'y' undeclared (first use in this function)");
    assert_eq!(functions, ["g"]);
}

#[test]
fn an_error_has_its_place_and_its_line() {
    let translation = translate_text("int f(void)\n{\n\treturn äöü + 1;\n}\n");
    let place = translation.diagnostics[0].place.as_ref().expect("it has a place");
    assert_eq!((place.line, place.column, place.length), (3, 9, 3));
    assert_eq!(place.text, "\treturn äöü + 1;");
}

#[test]
fn a_missing_header_is_reported_and_the_rest_goes_on() {
    let translation = translate_text("#include <nowhere.h>\nint f(void) { return 1; }\n");
    assert_eq!(errors(&translation.diagnostics), ["`nowhere.h` file not found"]);
    let found = &translation.diagnostics[0];
    assert_eq!(found.help.as_deref(), Some("name the directory of the header with -I"));
    assert!(found.notes[0].message.starts_with("searched: "));
    assert_eq!(defined(&translation), ["f"]);
}

#[test]
fn what_is_not_closed_is_reported() {
    let healthy = "int f(void) { return 1; }\n";
    let cases = [
        ("/* never closed\nint g;\n", "unterminated comment"),
        ("char *s = \"abc;\n", "missing terminating \" character"),
        ("int c = 'a;\n", "missing terminating ' character"),
        ("#if 1\nint g;\n", "unterminated `#if`"),
        ("#endif\n", "`#endif` without `#if`"),
        ("#error stop\n", "#error stop"),
        ("int g(void) { {\n", "expected `}`, found end of file"),
    ];
    for (text, expected) in cases {
        let translation = translate_text(&format!("{healthy}{text}"));
        let found = errors(&translation.diagnostics);
        assert_eq!(found.first(), Some(&expected), "{text}");
        assert!(defined(&translation).contains(&"f"), "{text}");
    }
}

#[test]
fn errors_are_limited() {
    let functions = (0..1000).map(|number| format!("int f{number}(void) {{ return y{number}; }}\n"));
    let translation = translate_text(&(functions.collect::<String>() + "int g(void) { return 1; }\n"));
    assert_eq!(errors(&translation.diagnostics).len(), 20);
    assert_eq!(translation.diagnostics.len(), 21);
    assert_eq!(translation.diagnostics[20].message, "further errors in this file are not shown");
    assert_eq!(defined(&translation), ["g"]);
}

#[test]
fn headers_that_include_themselves_end() {
    let text = "#include \"a.c\"\n#include \"a.c\"\nint f(void) { return 1; }\n";
    let found = translate_text(text).diagnostics;
    assert_eq!(found[0].message, "`#include` nested too deeply");
    let found = translate_text("#include \"/dev/zero\"\nint f(void) { return 1; }\n").diagnostics;
    assert_eq!(found[0].message, "`/dev/zero` file not found");
}

#[test]
fn macros_that_explode_end() {
    let doubling = (1..60).map(|level| format!("#define A{level} A{} A{}\n", level - 1, level - 1));
    let text = format!("#define A0 x x\n{}int f(void) {{ A59; }}\n", doubling.collect::<String>());
    let found = translate_text(&text).diagnostics;
    assert!(found[0].message.ends_with("it is too large when it is preprocessed"), "{}", found[0].message);
}

#[test]
fn brackets_may_nest_only_so_deeply() {
    for (open, inside, close) in [("(", "x", ")"), ("{", "x;", "}"), ("({", "x;", "})"), ("f(", "x", ")")] {
        let deep = format!("{}{inside}{}", open.repeat(10_000), close.repeat(10_000));
        let text = format!("int g(void) {{ return 1; }}\nint f(int x) {{ {deep}; return x; }}\n");
        let (message, functions) = one_error(&text);
        assert_eq!(message, "brackets nested more deeply than 256 levels");
        assert_eq!(functions, ["g"], "{open}");
    }
}

#[test]
fn long_chains_of_operators_are_walked_or_refused() {
    let chain = |part: &str, times: usize| format!("int f(int x) {{ return {}x; }}\n", part.repeat(times));
    for part in ["x + ", "!", "(int)", "x ? x : ", "x = ", "x, "] {
        let translation = translate_text(&chain(part, 10_000));
        assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new(), "{part}");
        let found = translate_text(&chain(part, 100_000)).diagnostics;
        assert_eq!(found[0].message, "expressions or statements are nested too deeply here", "{part}");
    }
}

#[test]
fn a_function_may_have_a_hundred_thousand_lines() {
    let lines = "  x = x + 1;\n".repeat(100_000);
    let translation = translate_text(&format!("unsigned f(unsigned x) {{\n{lines}  return x;\n}}\n"));
    assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new());
    assert_eq!(defined(&translation), ["f"]);
}

#[test]
fn no_text_makes_it_panic() {
    let snippets = [
        "int",
        "x",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "=",
        "struct",
        "typedef",
        "\"s\"",
        "'c'",
        "1",
        ".5e",
        "#define A(",
        "\n",
        "#if A\n",
        "#endif\n",
        "##",
        "\\\n",
        "return",
        "case",
        "switch",
        "...",
        "?",
        ":",
        "goto",
        "sizeof",
        "__attribute__((",
        "_Generic(",
        "asm(",
        "@",
        "`",
        "/*",
        "*/",
        "enum",
        "0x",
        "L'",
        "for",
        "else",
    ];
    // A small linear congruential generator: the same texts every time.
    let mut state = 1u64;
    for _ in 0..300 {
        let mut text = String::from("int f(int a) { ");
        for _ in 0..60 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(snippets[(state >> 33) as usize % snippets.len()]);
            text.push(' ');
        }
        let translation = translate_text(&text);
        let internal =
            translation.diagnostics.iter().find(|found| found.message.starts_with("internal error"));
        assert_eq!(internal, None, "{text}");
    }
}
