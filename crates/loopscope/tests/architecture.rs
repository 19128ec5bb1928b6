//! The structure of the workspace is what ARCHITECTURE.md says it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The list of ARCHITECTURE.md: each crate, in order, with the crates of ours that it may use.
fn listed() -> Vec<(String, Vec<String>)> {
    let text = read("ARCHITECTURE.md");
    let (_, rest) = text.split_once("```dependencies\n").expect("ARCHITECTURE.md lists the dependencies");
    let (list, _) = rest.split_once("```").expect("the list ends");
    list.lines()
        .map(|line| {
            let (name, uses) = line.split_once(':').expect("a line of the list is `crate: crates`");
            (name.to_owned(), uses.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

/// The names under a heading of a Cargo.toml.
fn names_under(manifest: &str, heading: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != heading).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['=', '.']).next())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect()
}

#[test]
fn crates_use_only_what_the_list_allows() {
    let listed = listed();
    let order: Vec<&String> = listed.iter().map(|(name, _)| name).collect();
    for (position, (name, allowed)) in listed.iter().enumerate() {
        let manifest = read(format!("crates/{name}/Cargo.toml"));
        for used in allowed {
            let before = order[..position].contains(&used);
            assert!(before, "ARCHITECTURE.md lets `{name}` use `{used}`, which does not come before it");
        }
        for used in names_under(&manifest, "[dependencies]") {
            if order.contains(&&used) {
                assert!(allowed.contains(&used), "`{name}` uses `{used}`: ARCHITECTURE.md does not allow it");
                assert_ne!(used, "testing", "`{name}` uses `testing` outside its tests");
            }
            let is_front_end = used.starts_with("rucc");
            assert!(!is_front_end || name == "c", "`{name}` uses `{used}`: only `c` may see the front end");
        }
    }
}

#[test]
fn the_workspace_has_the_crates_of_the_list_in_its_order() {
    let members: Vec<String> = read("Cargo.toml")
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"crates/")?.strip_suffix("\",").map(str::to_owned))
        .collect();
    let listed: Vec<String> = listed().into_iter().map(|(name, _)| name).collect();
    assert_eq!(members, listed);
}

#[test]
fn every_crate_has_its_section() {
    let text = read("ARCHITECTURE.md");
    for (name, _) in listed() {
        assert!(text.contains(&format!("\n### {name}\n")), "ARCHITECTURE.md has no section for `{name}`");
    }
}

#[test]
fn the_tests_of_every_command_are_run() {
    let included = read("crates/loopscope/tests/commands/main.rs");
    let commands = root().join("crates/loopscope/src/commands");
    for entry in std::fs::read_dir(commands).expect("the folder can be read").flatten() {
        let name = entry.file_name().into_string().expect("the name is text");
        let line = format!("\"../../src/commands/{name}/tests.rs\"");
        assert!(!entry.path().is_dir() || included.contains(&line), "tests/commands/main.rs lacks {line}");
    }
}

#[test]
fn every_module_opens_with_its_purpose() {
    let mut silent = BTreeMap::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if !text.starts_with("//!") {
                    silent.insert(
                        path.display().to_string(),
                        text.lines().next().unwrap_or_default().to_owned(),
                    );
                }
            }
        }
    }
    assert!(silent.is_empty(), "modules that do not open with `//!`: {silent:#?}");
}
