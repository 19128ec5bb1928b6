//! All commands on the same programs: exit codes say what the output says, and no command says the opposite of another.

use std::path::{Path, PathBuf};

use crate::common::{Answer, Folder};
use serde_json::Value;

const PROPERTIES: [&str; 4] = ["unreach-call", "memsafety", "no-overflow", "termination"];

/// A file and a folder for its witnesses.
struct Asked {
    file: String,
    folder: Folder,
    problems: Vec<String>,
}

impl Asked {
    fn run(&self, arguments: &[&str]) -> Answer {
        let mut all = arguments.to_vec();
        all.extend(["-q", "--time-limit", "1", &self.file]);
        self.folder.run(&all)
    }

    fn expect(&mut self, holds: bool, what: &str) {
        if !holds {
            self.problems.push(format!("{}: {what}", self.file));
        }
    }

    /// The exit code of `verify`, held against its verdict, `certify` and `alarms`.
    fn verify(&mut self, property: &str) -> Option<i32> {
        let verdict = self.run(&["verify", "--property", property, "--witness", "w.yml"]);
        let line = verdict.last_line();
        let meant = match line.split(' ').next() {
            Some("TRUE") => 0,
            Some("FALSE") => 1,
            _ => 3,
        };
        self.expect(
            verdict.code == Some(meant),
            &format!("verify {property} says {line}: {:?}", verdict.code),
        );
        if meant != 3 && self.folder.path().join("w.yml").exists() {
            let certified = self.run(&["certify", "--property", property, "w.yml"]).code;
            self.expect(
                certified == Some(meant) || certified == Some(3),
                &format!("verify {property} says {line}, and certify ends with {certified:?}"),
            );
        }
        let _ = std::fs::remove_file(self.folder.path().join("w.yml"));
        if property != "termination" {
            let alarms = self.run(&["alarms", "--property", property]).code;
            self.expect(
                !matches!((meant, alarms), (0, Some(1)) | (1, Some(0))),
                &format!("verify {property} says {line}, and alarms ends with {alarms:?}"),
            );
        }
        verdict.code
    }

    /// The JSON of a command, and its exit code.
    fn json(&mut self, command: &str) -> (Value, Option<i32>) {
        let answer = self.run(&[command, "--json"]);
        let value = serde_json::from_str(&answer.output).unwrap_or_default();
        self.expect(value != Value::Null, &format!("{command} gives no JSON: {}", answer.error));
        (value, answer.code)
    }

    /// Commands about loops, held against the verdict on termination.
    fn loops(&mut self, termination: Option<i32>) {
        let (report, code) = self.json("terminates");
        let cycles = report["cycles"].as_array().cloned().unwrap_or_default();
        let answers = |wanted: &str| cycles.iter().filter(|one| one["answer"] == wanted).count();
        let meant = match (answers("may-run-for-ever"), answers("unknown") + not_analysed(&report)) {
            (0, 0) => 0,
            (0, _) => 3,
            _ => 1,
        };
        self.expect(code == Some(meant), &format!("terminates ends with {code:?}, and not with {meant}"));
        let infinite = |one: &&Value| one["answer"] == "may-run-for-ever";
        let in_main = cycles.iter().filter(infinite).any(|one| one["counterexample"]["entry"] == "main");
        self.expect(!(termination == Some(0) && in_main), "verify: every run ends; terminates: one does not");
        self.expect(
            !(termination == Some(1) && meant == 0),
            "verify: a run never ends; terminates: all stops",
        );
        let (bounds, code) = self.json("bounds");
        let loops = bounds["loops"].as_array().cloned().unwrap_or_default();
        let open = loops.iter().any(|one| one["bound"].is_null()) || not_analysed(&bounds) > 0;
        self.expect(code == Some(if open { 3 } else { 0 }), &format!("bounds ends with {code:?}"));
        let bounded = |name: &Value| loops.iter().any(|one| one["loop"] == *name && !one["bound"].is_null());
        let both = cycles.iter().filter(infinite).any(|one| bounded(&one["loop"]));
        self.expect(!both, "a loop has a bound and may run for ever");
        let (_, variance) = self.json("variance");
        self.expect(
            !(termination == Some(1) && variance == Some(0)),
            "a run never ends; variance ends with 0",
        );
        for command in ["summarize", "tests"] {
            let (_, code) = self.json(command);
            self.expect(matches!(code, Some(0 | 3)), &format!("{command} ends with {code:?}"));
        }
    }
}

/// How many functions and files a report lists as not analysed.
fn not_analysed(report: &Value) -> usize {
    report["not_analysed"].as_array().map_or(0, Vec::len)
}

/// Some programs of the corpus: every so manieth, so that tests stay short.
fn programs(step: usize) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = std::fs::read_dir(folder).expect("the corpus is there");
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    found.sort();
    found.into_iter().step_by(step).collect()
}

#[test]
fn no_command_says_the_opposite_of_another() {
    let mut problems = Vec::new();
    for path in programs(6) {
        let mut asked =
            Asked { file: path.display().to_string(), folder: Folder::new(), problems: Vec::new() };
        let codes: Vec<Option<i32>> = PROPERTIES.into_iter().map(|property| asked.verify(property)).collect();
        asked.loops(codes[3]);
        problems.append(&mut asked.problems);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
