//! What people write about C programs, read: each C file under `tests/annotations` ends in a comment with what is found.
//!
//! The comment starts with `/* is read as`. `LOOPSCOPE_BLESS=1 cargo test -p loopscope-report --test annotations` writes what
//! is found now: read the difference before you keep it.

use std::fmt::Write as _;
use std::path::Path;

use base::Location;
use c::{Input, translate};
use evidence::Pointee;
use loopscope_report::annotations::{Annotated, Assigns, Hypothesis, Stated, contracts};
use program::Program;

const MARK: &str = "/* is read as\n";

#[test]
fn every_file_is_read_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/annotations");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let (code, expected) = source.split_once(MARK).unwrap_or((source.as_str(), "*/\n"));
        let mut translation = translate(&[Input::new(&path)]);
        assert!(translation.diagnostics.is_empty(), "{}: {:?}", path.display(), translation.diagnostics);
        program::passes::simplify(&mut translation.program);
        let actual = format!("{}*/\n", told(&translation.program, &contracts(&translation.program)));
        if actual == expected {
            continue;
        }
        if std::env::var_os("LOOPSCOPE_BLESS").is_some() {
            std::fs::write(&path, format!("{code}{MARK}{actual}")).unwrap();
        } else {
            failures.push(format!("{} is read as\n{actual}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn files_that_disagree_lose_no_clause_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Input::new(path)
    };
    let inputs = [
        write("a.c", "//@ requires n > 0;\nint f(int n);\nint main(void) { return f(1); }\n"),
        write("b.c", "int f(int n, int m) { return n + m; }\n"),
        write(
            "c.c",
            "#include <stdlib.h>\n//@ requires n != 0;\nvoid srand(unsigned n);\nint g(int n) { srand(n); return 0; }\n",
        ),
    ];
    let found = contracts(&translate(&inputs).program);
    let unread: Vec<_> = found.unread.iter().map(|one| (one.text.as_str(), one.is_required)).collect();
    assert!(found.contracts.iter().all(|stated| stated.contract.requires.len() == 1));
    assert_eq!(found.contracts.len() + unread.len(), 2, "{found:?}");
    assert!(unread.iter().all(|(_, is_required)| *is_required));
}

fn told(program: &Program, found: &Annotated) -> String {
    let mut text = String::new();
    for stated in &found.contracts {
        tell(&mut text, stated);
    }
    for one in &found.loops {
        writeln!(text, "loop in {} at {}", one.function, place(one.statement)).unwrap();
        one.invariants.iter().for_each(|formula| writeln!(text, "  invariant {formula}").unwrap());
        one.variant.iter().for_each(|number| writeln!(text, "  variant {number}").unwrap());
        one.assigns.iter().for_each(|names| writeln!(text, "  assigns {}", names.join(", ")).unwrap());
    }
    for hint in &found.hints {
        writeln!(text, "hint for {} at {}: {}", hint.function, place(hint.location), pointee(&hint.pointee))
            .unwrap();
    }
    for one in &found.unread {
        let function = one.function.as_deref().unwrap_or("nothing");
        let needed = if one.is_required { ", needed" } else { "" };
        writeln!(text, "{} in {function}{needed}: {}: {}", place(one.location), one.text, one.reason)
            .unwrap();
    }
    let _ = program;
    // The text stands in a comment.
    text.replace("*/", "* /")
}

fn tell(text: &mut String, stated: &Stated) {
    let contract = &stated.contract;
    let whole = if stated.is_whole { "" } else { " in part" };
    writeln!(text, "{}{whole}", contract.function).unwrap();
    contract.objects.iter().for_each(|object| writeln!(text, "  object {}", pointee(object)).unwrap());
    contract.requires.iter().for_each(|formula| writeln!(text, "  requires {formula}").unwrap());
    contract.ensures.iter().for_each(|formula| writeln!(text, "  ensures {formula}").unwrap());
    if let Assigns::Only(names) = &stated.assigns {
        writeln!(
            text,
            "  assigns {}",
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        )
        .unwrap();
    }
    stated.terminates.iter().for_each(|formula| writeln!(text, "  terminates {formula}").unwrap());
    stated.decreases.iter().for_each(|number| writeln!(text, "  decreases {number}").unwrap());
    let name = |place: usize| {
        let object = &contract.objects[place];
        object.field.map_or(object.parameter.to_string(), |field| format!("{}+{field}", object.parameter))
    };
    for hypothesis in &stated.hypotheses {
        let said = match *hypothesis {
            Hypothesis::Separated(one, other) => format!("{} and {} are apart", name(one), name(other)),
            Hypothesis::Own(one) => format!("{} is an object of its own", name(one)),
            Hypothesis::Writable(one) => format!("{} may be written", name(one)),
            Hypothesis::Fits(one) => format!("the size of {} does not wrap", name(one)),
        };
        writeln!(text, "  assuming {said}").unwrap();
    }
}

fn pointee(pointee: &Pointee) -> String {
    let field = pointee.field.map_or(String::new(), |field| format!("+{field}"));
    let terminated = if pointee.terminated { ", a string" } else { "" };
    let changed = if pointee.changed { ", changed" } else { "" };
    format!("{}{field}: {} bytes{terminated}{changed}", pointee.parameter, pointee.bytes)
}

fn place(location: Location) -> String {
    format!("{}:{}", location.line, location.column)
}
