//! What users give: several files, compiler flags, preprocessed files, compilation databases.

mod support;

use std::path::{Path, PathBuf};

use loopscope_c::{Diagnostic, Input, Macro, Severity, compile_commands, translate};
use program::DataModel;
use support::{Folder, defined, errors, translate_text};

fn diagnose(input: &Input) -> Vec<Diagnostic> {
    translate(std::slice::from_ref(input)).diagnostics
}

/// The errors of `a.c` after `change` has set its flags.
fn errors_with(folder: &Folder, change: impl FnOnce(&mut Input)) -> Vec<String> {
    let mut input = folder.input("a.c");
    change(&mut input);
    errors(&diagnose(&input)).into_iter().map(str::to_owned).collect()
}

#[test]
fn several_files_become_one_program() {
    let folder = Folder::new(&[
        ("a.c", "int g(int x); static int h(void) { return 1; } int main(void) { return g(h()); }\n"),
        ("b.c", "static int h(void) { return 2; } int g(int x) { return x + h(); }\n"),
    ]);
    let translation = translate(&[folder.input("a.c"), folder.input("b.c")]);
    assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new());
    let names = defined(&translation);
    assert!(names.contains(&"main") && names.contains(&"g") && names.len() == 4, "{names:?}");
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::new(&[("b.c", "int g(void) { return 1; }\n")]);
    let translation = translate(&[folder.input("a.c"), folder.input("b.c")]);
    assert_eq!(defined(&translation), ["g"]);
    assert_eq!(errors(&translation.diagnostics).len(), 1);
}

#[test]
fn macros_are_defined_and_undefined_in_order() {
    let text = "#if N != 3 || M != 1 || defined(X) || !defined(Y) || defined(linux)\n#error wrong\n#endif\n";
    let folder = Folder::new(&[("a.c", text)]);
    let define = |text: &str| Macro::Define(String::from(text));
    let undefine = |name: &str| Macro::Undefine(String::from(name));
    let macros = vec![
        define("N=2"),
        define("N=3"),
        define("M"),
        define("X"),
        undefine("X"),
        undefine("Y"),
        define("Y"),
        undefine("linux"),
    ];
    assert!(errors_with(&folder, |input| input.options.macros = macros).is_empty());
    assert_eq!(errors_with(&folder, |_| ()), ["#error wrong"]);
}

#[test]
fn macros_with_parameters_come_from_the_command_line() {
    let folder = Folder::new(&[("a.c", "_Static_assert(TWICE(4) == 8, \"\");\n")]);
    let macros = vec![Macro::Define(String::from("TWICE(x)=(2 * (x))"))];
    assert_eq!(errors_with(&folder, |input| input.options.macros = macros), Vec::<String>::new());
}

#[test]
fn include_directories_are_searched_in_their_order() {
    let folder = Folder::new(&[
        ("a.c", "#include \"n.h\"\n#include <n.h>\n_Static_assert(FIRST == 1, \"\");\n"),
        ("quote/n.h", "#ifndef FIRST\n#define FIRST 1\n#endif\n"),
        ("include/n.h", "#ifndef FIRST\n#define FIRST 2\n#endif\nextern int seen_by_brackets;\n"),
        ("system/n.h", "#error not this one\n"),
    ]);
    let found = errors_with(&folder, |input| {
        input.options.quote_include.push(folder.path("quote"));
        input.options.include.push(folder.path("include"));
        input.options.system_include.push(folder.path("system"));
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn relative_paths_are_relative_to_the_directory_of_the_input() {
    let folder = Folder::new(&[
        ("src/a.c", "#include <n.h>\nint x = N + P;\n"),
        ("inc/n.h", "#define N 1\n"),
        ("p.h", "#define P 2\n"),
    ]);
    let mut input = Input::new("src/a.c");
    input.directory = Some(folder.root().to_path_buf());
    input.options.include.push(PathBuf::from("inc"));
    input.options.preinclude.push(PathBuf::from("p.h"));
    assert_eq!(errors(&diagnose(&input)), Vec::<&str>::new());
}

#[test]
fn a_file_is_included_before_the_source() {
    let folder = Folder::new(&[("a.c", "int f(void) { return N; }\n"), ("config.h", "#define N 1\n")]);
    assert!(!errors_with(&folder, |_| ()).is_empty());
    let config = folder.path("config.h");
    assert!(errors_with(&folder, |input| input.options.preinclude.push(config)).is_empty());
}

#[test]
fn the_standard_decides_the_language() {
    let folder = Folder::new(&[("a.c", "int f(void) { int bool = 1; return bool; }\n")]);
    assert!(errors_with(&folder, |_| ()).is_empty());
    let with =
        |standard: &str| errors_with(&folder, |input| input.options.standard = Some(String::from(standard)));
    assert!(with("gnu89").is_empty());
    assert!(!with("c23").is_empty());
    assert_eq!(with("c++11"), ["unknown C standard `c++11`"]);
}

#[test]
fn data_models_have_their_widths() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <limits.h>\n#include <math.h>\n\
        _Static_assert(sizeof(long) == sizeof(void *) && sizeof(long) == WIDTH && (char)-1 < 0, \"\");\n\
        _Static_assert(sizeof(long double) == DOUBLE && LONG_MAX == __LONG_MAX__, \"\");\n";
    let folder = Folder::new(&[("a.c", text)]);
    let with = |model, width: &str, double: &str| {
        errors_with(&folder, |input| {
            input.options.data_model = model;
            let define = |name: &str, value: &str| Macro::Define(format!("{name}={value}"));
            input.options.macros = vec![define("WIDTH", width), define("DOUBLE", double)];
        })
    };
    assert_eq!(with(DataModel::Lp64, "8", "16"), Vec::<String>::new());
    assert_eq!(with(DataModel::Ilp32, "4", "12"), Vec::<String>::new());
}

#[test]
fn line_markers_of_a_preprocessed_file_give_the_places() {
    let text = "# 1 \"orig.c\"\n# 1 \"<built-in>\"\n# 7 \"orig.c\"\nint f(void) { return missing; }\n\
                # 3 \"lib.h\" 1 3 4\nint g(void) { return absent; }\n";
    let folder = Folder::new(&[("a.i", text)]);
    let found = diagnose(&folder.input("a.i"));
    let places: Vec<_> = found.iter().filter_map(|found| found.place.as_ref()).collect();
    assert_eq!((places[0].path.as_str(), places[0].line, places[0].column), ("orig.c", 7, 22));
    assert_eq!((places[1].path.as_str(), places[1].line), ("lib.h", 3));
    assert_eq!(places[0].text, "int f(void) { return missing; }");
}

#[test]
fn macros_of_a_preprocessed_file_are_not_expanded() {
    let folder = Folder::new(&[("a.i", "int linux = 1; int __LINE = 2; int f(void) { return linux; }\n")]);
    assert_eq!(errors(&diagnose(&folder.input("a.i"))), Vec::<&str>::new());
}

#[test]
fn files_with_other_names_are_told_by_their_text() {
    let folder = Folder::new(&[
        ("preprocessed", "# 1 \"x.c\"\nint linux;\n"),
        ("source", "#include <stddef.h>\nsize_t n;\n"),
    ]);
    assert_eq!(errors(&diagnose(&folder.input("preprocessed"))), Vec::<&str>::new());
    assert_eq!(errors(&diagnose(&folder.input("source"))), Vec::<&str>::new());
}

#[test]
fn an_error_in_a_macro_is_where_the_macro_is_used() {
    let found = translate_text("#define BAD(x) ((x) + missing)\n\nint f(int x) {\n  return BAD(x);\n}\n");
    let place = found.diagnostics[0].place.as_ref().expect("it has a place");
    assert_eq!((place.line, place.column), (4, 10));
}

#[test]
fn old_c_is_accepted() {
    let text = "main(argc, argv) char **argv; { register i; for (i = 0; i < argc; i++) puts(argv[i]); return f(i); }\n\
        f(x) { char *p = x; int n = p; return n; }\n\
        double g(); double g(a, b) float a; { return a + b; }\n\
        void h(void) { return 1; } int k() { return; }\n\
        void m(unsigned char *s) { int *p = s; strlen(s); f(p); }\n";
    let translation = translate_text(text);
    assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new());
    let warnings = translation.diagnostics.iter().filter(|found| found.severity == Severity::Warning);
    assert!(warnings.count() > 0, "implicit declarations are worth a warning");
}

#[test]
fn what_the_front_end_cannot_preprocess_the_system_compiler_can() {
    // A directive of the last century that the front end does not know.
    let folder = Folder::new(&[("a.c", "#assert machine(abacus)\n\nint f(void) { return missing; }\n")]);
    let found = diagnose(&folder.input("a.c"));
    if std::process::Command::new("cc").arg("--version").output().is_ok() {
        assert_eq!(errors(&found), ["'missing' undeclared (first use in this function)"]);
        let place = found[0].place.as_ref().expect("it has a place");
        assert_eq!((place.path.as_str(), place.line), (folder.path("a.c").to_str().unwrap(), 3));
    }
}

#[test]
fn directives_that_compilers_skip_are_skipped() {
    assert!(translate_text("#ident \"1.0\"\n#sccs \"x\"\nint x;\n").diagnostics.is_empty());
}

fn database(entries: &str) -> Folder {
    Folder::new(&[
        ("build/compile_commands.json", entries),
        ("src/a.c", "#include <n.h>\nint f(void) { return N + M; }\n"),
        ("inc/n.h", "#define N 1\n"),
    ])
}

#[test]
fn compilation_databases_hold_arguments_or_commands() {
    let folder = database(
        r#"[{"directory": ".", "file": "../src/a.c", "arguments": ["cc", "-I../inc", "-DM=2", "-c", "../src/a.c"]},
            {"directory": "..", "file": "src/a.c", "command": "gcc -I inc '-DM=\"x\"[0]' -m32 -o a.o src/a.c"},
            {"directory": ".", "file": "b.cpp", "command": "g++ -c b.cpp"}]"#,
    );
    let (inputs, others) = compile_commands(&folder.path("build")).expect("it is a compilation database");
    assert_eq!((inputs.len(), others.as_slice()), (2, [PathBuf::from("b.cpp")].as_slice()));
    assert_eq!(inputs[1].options.data_model, DataModel::Ilp32);
    for input in &inputs {
        assert_eq!(errors(&diagnose(input)), Vec::<&str>::new());
    }
    let by_name = compile_commands(&folder.path("build/compile_commands.json"));
    assert_eq!(by_name, Ok((inputs, others)));
}

/// The functions of a file that is compiled with these flags, each with the reason why it is not represented.
fn compiled_with(flags: &str, text: &str) -> Vec<(String, Option<String>)> {
    let entry = format!("[{{\"directory\": \".\", \"file\": \"a.c\", \"command\": \"cc {flags} -c a.c\"}}]");
    let folder = Folder::new(&[
        ("compile_commands.json", &entry),
        ("a.c", text),
        ("flags", "-DN=3 '-DM=4'"),
        ("m.h", "#define N 5\n"),
    ]);
    let (inputs, _) = compile_commands(folder.root()).expect("it is a compilation database");
    let translation = translate(&inputs);
    assert_eq!(errors(&translation.diagnostics), Vec::<&str>::new(), "{flags}");
    let reason = |function: &program::Function| match &function.definition {
        program::Definition::Unsupported { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    let functions = translation.program.functions.values().filter(|function| function.is_defined());
    functions.map(|function| (function.name.clone(), reason(function))).collect()
}

#[test]
fn flags_that_change_the_meaning_are_honoured() {
    let holds = |flags: &str, condition: &str| {
        let text =
            format!("_Static_assert({condition}, \"it holds\"); enum e {{ A }}; int f(void) {{ return 0; }}");
        assert_eq!(compiled_with(flags, &text), [(String::from("f"), None)], "{flags}");
    };
    holds("-funsigned-char", "(char)-1 > 0");
    holds("-fsigned-char", "(char)-1 < 0");
    holds("-Wp,-DN=3", "N == 3");
    holds("-Xpreprocessor -DN=3", "N == 3");
    holds("@flags", "N == 3 && M == 4");
    holds("-imacros m.h", "N == 5");
    holds("-m32", "sizeof(long) == 4");
    holds("--target=i686-linux-gnu", "sizeof(long) == 4");
    holds("-O2", "__OPTIMIZE__ == 1");
    holds("-mavx2", "__AVX2__ == 1");
    holds("-pthread", "_REENTRANT == 1");
    let text = "enum e { A }; _Static_assert(sizeof(enum e) == 1, \"short\"); int f(void) { return 0; }";
    assert_eq!(compiled_with("-fshort-enums", text), [(String::from("f"), None)]);
}

#[test]
fn nothing_is_said_of_a_file_with_flags_that_are_not_followed() {
    for flag in ["-fpack-struct", "-fwrapv", "-fnobody-knows-it", "-mx32", "-fopenmp"] {
        let reason = format!("compiled with {flag}, which is not supported");
        assert_eq!(compiled_with(flag, "int f(void) { return 0; }"), [(String::from("f"), Some(reason))]);
    }
}

#[test]
fn a_malformed_database_is_reported_with_its_line() {
    let folder = database("[\n  {\"directory\": \".\",\n   \"file\": }\n]\n");
    let error = compile_commands(folder.root().join("build").as_path()).expect_err("it is malformed");
    assert_eq!(error.message, "malformed compilation database: expected value");
    let place = error.place.expect("it has a place");
    assert_eq!((place.line, place.text.as_str()), (3, "   \"file\": }"));
    assert!(place.path.ends_with("compile_commands.json") && error.help.is_some());
}

#[test]
fn a_database_of_the_wrong_shape_is_reported() {
    let message = |entries: &str| {
        let folder = database(entries);
        let error = compile_commands(&folder.path("build")).expect_err("it has the wrong shape");
        error.message.split(": ").last().unwrap_or_default().to_owned()
    };
    assert_eq!(message("{}"), "expected a list");
    assert_eq!(message("[1]"), "expected an object as entry 1");
    assert_eq!(message("[{\"directory\": \".\"}]"), "expected a `file` in entry 1");
    assert_eq!(message("[{\"file\": \"a.c\"}]"), "expected a `command` or `arguments` in entry 1");
    let quotes = "[{\"file\": \"a.c\", \"command\": \"cc 'a.c\"}]";
    assert_eq!(message(quotes), "expected a `command` with matching quotes in entry 1");
    let error = compile_commands(Path::new("/nowhere/at/all")).expect_err("it is not there");
    assert!(error.message.contains("/nowhere/at/all"));
}
