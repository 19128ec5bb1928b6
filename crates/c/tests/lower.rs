//! Lowering tests: each C file under `tests/lower` ends in a comment with the functions it becomes.
//!
//! The comment starts with `/* becomes` and names the functions whose text stands below it, after the clean-up passes
//! and without source places. `LOOPSCOPE_BLESS=1 cargo test -p loopscope-c --test lower` writes what is there now:
//! read the difference before you keep it.

use std::fmt::Write as _;
use std::path::Path;

use loopscope_c::{Input, Options, translate};
use program::{Definition, Program};

#[test]
fn every_file_becomes_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut failures = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let (code, expected) = match source.split_once("/* becomes\n") {
            Some((code, expected)) => (code, expected.trim_end().trim_end_matches("*/")),
            None => (source.as_str(), ""),
        };
        let input = Input { path: path.clone(), directory: None, options: Options::default() };
        let mut translation = translate(&[input]);
        assert!(translation.diagnostics.is_empty(), "{}: {:?}", path.display(), translation.diagnostics);
        program::passes::simplify(&mut translation.program);
        program::verify::verify(&translation.program).unwrap_or_else(|defects| panic!("{defects:?}"));
        let actual = functions(&translation.program);
        if actual == expected {
            continue;
        }
        if std::env::var_os("LOOPSCOPE_BLESS").is_some() {
            std::fs::write(&path, format!("{code}/* becomes\n{actual}*/\n")).unwrap();
        } else {
            failures.push(format!("{} becomes\n{actual}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All functions of a program as text, without places and declarations.
fn functions(program: &Program) -> String {
    let mut text = String::new();
    for (id, function) in program.functions.iter() {
        match &function.definition {
            Definition::External => continue,
            Definition::Unsupported { reason, location } => {
                writeln!(text, "{} unsupported: {reason} in line {}", function.name, location.line).unwrap();
            }
            Definition::Body(_) => {
                for line in program::text::print_function(program, id).lines() {
                    let words: Vec<&str> = line.split(' ').filter(|word| !word.starts_with('@')).collect();
                    let line = words.join(" ");
                    let declares = ["scope", "parameter", "variable", "temporary", "object"]
                        .iter()
                        .any(|word| line.trim_start().starts_with(word));
                    if !declares && !matches!(line.trim(), "" | "}") {
                        writeln!(text, "{}", line.trim_end_matches(" {")).unwrap();
                    }
                }
            }
        }
    }
    text
}
