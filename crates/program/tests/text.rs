//! File tests: each file in `tests/text` is a program with what is expected of it in its own comments.
//!
//! A line `// test: print verify` names what is done; lines that start with `//=` say what must come out. With the
//! environment variable `LOOPSCOPE_BLESS` set, the files get what comes out now as their new expectations: examine the
//! difference before you keep it.
//!
//! - `print`: the text that the printer gives, or `unchanged` if that is the file itself without its comments.
//! - `verify`: `healthy`, or the defects.
//!
//! A text that does not parse gives its error for every test.

use std::path::{Path, PathBuf};

use loopscope_program::text::print;
use loopscope_program::verify::verify;
use parser::{TextError, parse};

#[test]
fn files_do_what_their_comments_say() {
    let bless = std::env::var_os("LOOPSCOPE_BLESS").is_some();
    let mut failures = Vec::new();
    let files = files();
    assert!(files.len() >= 8, "the files are gone");
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let input: String =
            text.lines().filter(|line| !is_expectation(line)).map(|line| format!("{line}\n")).collect();
        let actual = format!("{input}{}", expectations(&input));
        if actual == text {
            continue;
        }
        if bless {
            std::fs::write(&file, actual).unwrap();
        } else {
            failures.push(format!("{} should now be:\n{actual}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}\nSet LOOPSCOPE_BLESS=1 to accept.", failures.join("\n"));
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn is_expectation(line: &str) -> bool {
    line.starts_with("//=")
}

/// What comes out of all tests that the file names, as comment lines.
fn expectations(input: &str) -> String {
    let names = input.lines().find_map(|line| line.strip_prefix("// test:")).unwrap_or("no test is named");
    let run = |name: &str| {
        let outcome = test(name, input).unwrap_or_else(|error| error.to_string());
        let lines: String = outcome.lines().map(|line| format!("\n//=   {line}")).collect();
        format!("//= {name}:{lines}\n")
    };
    names.split_whitespace().map(run).collect()
}

fn test(name: &str, input: &str) -> Result<String, TextError> {
    let program = parse(input)?;
    Ok(match name {
        "print" => {
            let text = print(&program);
            let lines = input.lines().filter(|line| !line.trim_start().starts_with("//"));
            if lines.eq(text.lines()) { String::from("unchanged") } else { text }
        }
        "verify" => match verify(&program) {
            Ok(()) => String::from("healthy"),
            Err(defects) => defects.iter().map(|defect| defect.describe(&program) + "\n").collect(),
        },
        _ => String::from("there is no such test"),
    })
}
