//! Test suites: as a table, as JSON, and as the files that the competition on software testing (Test-Comp) exchanges.
//!
//! The JSON form is one object: `schema`, `entry`, `targets` (each with `function`, `place`, `goal` and `status`:
//! `reached` with the number of a `test`, `unreachable`, or `open` with the `reason`), `tests` (each with `arguments`,
//! `inputs`, `standard_input`, `suffix`, `steps` and the places in the list of the targets that it `reaches`), `stubs`
//! (undefined functions) and `runs`. A field is added, never renamed.
//!
//! A test case of the exchange format lists the values that the functions named `__VERIFIER_nondet_…` give, in order; it has no
//! words for a command line or for standard input, which only the driver in C has.

use std::fmt::Write;

use evidence::{Goal, Place, Reach, Suite, Target, Test};
use report::witness::graphml::escaped;

/// What the metadata of a suite say about the program and how it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata<'a> {
    /// The file of the program.
    pub file: &'a str,
    /// Its digest.
    pub hash: &'a str,
    /// The function that the tests start in.
    pub entry: &'a str,
    /// How wide pointers are, in bits.
    pub bits: u32,
    /// What the tests cover, in the language of the competition.
    pub specification: &'a str,
    /// When the suite was made, as `2026-01-31T12:00:00Z`.
    pub time: &'a str,
}

/// The suite as a table. `line` gives the text of a line of the source.
pub fn render(suite: &Suite, line: &dyn Fn(&Place) -> Option<String>) -> String {
    let mut text = String::new();
    let mut function = None;
    let rows: Vec<[String; 3]> = suite.targets.iter().map(|target| cells(target, line)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for (target, [place, status, source]) in suite.targets.iter().zip(&rows) {
        if function.replace(&target.function) != Some(&target.function) {
            let _ = writeln!(text, "{}", target.function);
        }
        let _ = writeln!(text, "  {}", format!("{place:first$}  {status:second$}  {source}").trim_end());
        if let Reach::Open { reason } = &target.status {
            let _ = writeln!(text, "      {reason}");
        }
    }
    if !suite.tests.is_empty() {
        text.push('\n');
    }
    for (number, test) in suite.tests.iter().enumerate() {
        let _ = writeln!(text, "test {}: {}", number + 1, described(test));
    }
    text.push('\n');
    for name in &suite.stubs {
        let _ =
            writeln!(text, "{name} is undefined: tests say what it returns, and that it does nothing else");
    }
    text.push_str(&totals(suite));
    text
}

/// The metadata of a suite in the exchange format.
pub fn metadata_xml(metadata: &Metadata<'_>) -> String {
    let Metadata { file, hash, entry, bits, specification, time } = metadata;
    let mut text = head("test-metadata");
    text.push_str("<test-metadata>\n");
    let mut element = |name: &str, value: &str| {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
    };
    element("sourcecodelang", "C");
    element("producer", concat!("loopscope ", env!("CARGO_PKG_VERSION")));
    element("specification", specification);
    element("programfile", file);
    element("programhash", hash);
    element("entryfunction", entry);
    element("architecture", &format!("{bits}bit"));
    element("creationtime", time);
    text.push_str("</test-metadata>\n");
    text
}

/// A test in the exchange format.
pub fn test_xml(test: &Test) -> String {
    let mut text = head("testcase");
    text.push_str("<testcase>\n");
    // Only functions of the source, whose names have no blanks, are asked by whoever runs the test.
    for input in test.inputs.iter().filter(|input| !input.name.contains(' ')) {
        let value = if input.value == "null" { "0" } else { &input.value };
        let _ = writeln!(text, "  <input>{}</input>", escaped(value));
    }
    text.push_str("</testcase>\n");
    text
}

fn head(document: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!DOCTYPE {document} PUBLIC \
         \"+//IDN sosy-lab.org//DTD test-format {document} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{document}-1.1.dtd\">\n"
    )
}

/// Where a target stands, what is known of it, and the line of the source.
fn cells(target: &Target, line: &dyn Fn(&Place) -> Option<String>) -> [String; 3] {
    let place = target.place.as_ref();
    let at = place.map_or_else(String::new, |place| match target.goal {
        Goal::Line => place.short(),
        _ => format!("{}:{} {}", place.short(), place.column, target.goal),
    });
    let status = match &target.status {
        Reach::Reached { test } => format!("test {test}"),
        Reach::Unreachable => String::from("unreachable"),
        Reach::Open { .. } => String::from("not reached"),
    };
    let source = place.and_then(line).map_or_else(String::new, |line| line.trim().to_owned());
    [at, status, source]
}

/// How many inputs and words of a test are told, and how many characters of a text.
const DESCRIBED: usize = 8;
const LONGEST: usize = 40;

/// A test in one line.
fn described(test: &Test) -> String {
    let mut parts: Vec<String> = Vec::new();
    let cut = |text: &str| match text.chars().count() {
        0..=LONGEST => format!("{text:?}"),
        _ => format!("{:?}…", text.chars().take(LONGEST).collect::<String>()),
    };
    if test.arguments.len() > 1 {
        let words: Vec<String> = test.arguments[1..].iter().take(DESCRIBED).map(|word| cut(word)).collect();
        let more = test.arguments.len() - 1 - words.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("arguments {}{more}", words.join(" ")));
    }
    let inputs = test.inputs.iter().take(DESCRIBED).map(|input| format!("{} = {}", input.name, input.value));
    parts.extend(inputs);
    if test.inputs.len() > DESCRIBED {
        parts.push(format!("… ({} inputs)", test.inputs.len()));
    }
    if !test.standard_input.is_empty() {
        parts.push(format!("standard input {}", cut(&String::from_utf8_lossy(&test.standard_input))));
    }
    if parts.is_empty() {
        parts.push(String::from("no inputs"));
    }
    format!("{}  ({}, {} steps)", parts.join(", "), test.outcome, test.steps)
}

/// The last line.
fn totals(suite: &Suite) -> String {
    let (reached, unreachable, open) = suite.counts();
    let all = suite.targets.len();
    let s = |count: usize| if count == 1 { "" } else { "s" };
    format!(
        "{all} target{}: {reached} reached by {} test{}, {unreachable} unreachable, {open} not reached\n",
        s(all),
        suite.tests.len(),
        s(suite.tests.len())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{InputValue, TestOutcome};

    fn example() -> Suite {
        let place = Some(Place { file: String::from("src/a.c"), line: 3, column: 7 });
        let target = |holds, status| Target {
            function: String::from("main"),
            place: place.clone(),
            goal: Goal::Condition { holds },
            status,
        };
        let input = |name: &str, value: &str| InputValue {
            name: name.to_owned(),
            ty: String::from("i32"),
            value: value.to_owned(),
            place: None,
        };
        Suite {
            entry: String::from("main"),
            targets: vec![target(true, Reach::Reached { test: 1 }), target(false, Reach::Unreachable)],
            tests: vec![Test {
                arguments: Vec::new(),
                inputs: vec![input("__VERIFIER_nondet_int", "-5"), input("parameter x", "3")],
                standard_input: Vec::new(),
                outcome: TestOutcome::Exit { status: 0 },
                steps: 12,
                reaches: vec![0],
            }],
            stubs: vec![String::from("sensor")],
            runs: 1,
        }
    }

    #[test]
    fn a_suite_is_a_table() {
        let text = render(&example(), &|_| Some(String::from("  if (x < 3)")));
        let expected = "main\n  a.c:3:7 true   test 1       if (x < 3)\n  a.c:3:7 false  unreachable  if (x < 3)\n\n\
                        test 1: __VERIFIER_nondet_int = -5, parameter x = 3  (exit 0, 12 steps)\n\n\
                        sensor is undefined: tests say what it returns, and that it does nothing else\n\
                        2 targets: 1 reached by 1 test, 1 unreachable, 0 not reached\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_exchange_format_lists_what_functions_give() {
        let text = test_xml(&example().tests[0]);
        assert!(text.contains("<testcase>\n  <input>-5</input>\n</testcase>\n"), "{text}");
        assert!(text.contains("DTD test-format testcase 1.1//EN"), "{text}");
        let metadata = Metadata {
            file: "a&b.c",
            hash: "00",
            entry: "main",
            bits: 64,
            specification: "COVER",
            time: "2026-01-31T12:00:00Z",
        };
        let text = metadata_xml(&metadata);
        assert!(text.contains("<programfile>a&amp;b.c</programfile>\n"), "{text}");
        assert!(text.contains("<architecture>64bit</architecture>"), "{text}");
    }

    #[test]
    fn the_json_form_comes_back() {
        let suite = example();
        let json = report::json::document(&suite, &[]);
        assert_eq!(serde_json::from_str::<Suite>(&json).expect("it is JSON"), suite);
        assert!(
            json.contains("\"goal\": \"condition\"") && json.contains("\"status\": \"unreachable\""),
            "{json}"
        );
    }
}
