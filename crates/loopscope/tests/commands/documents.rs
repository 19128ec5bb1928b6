//! Every example of the documents, run as it is written.
//!
//! A comment `<!-- example: loopscope ARGUMENTS -->` stands before each block of output. `LOOPSCOPE_BLESS=1` writes what the
//! commands print now into the documents.

use std::path::{Path, PathBuf};

use crate::common::{Folder, loopscope_in, root};

const MARK: &str = "<!-- example: loopscope ";
const FENCE: &str = "```";

/// The documents of users.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    for folder in ["docs", "docs/commands"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder can be read");
        found.extend(entries.flatten().map(|entry| entry.path()));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// What a command prints. Files that it writes go to a folder of their own.
fn printed(arguments: &str) -> String {
    let folder = Folder::new();
    let output = folder.path().join("suite").display().to_string();
    let arguments: Vec<&str> = arguments
        .split_whitespace()
        .map(|word| if word == "suite" { output.as_str() } else { word })
        .collect();
    loopscope_in(&root(), &arguments, b"").output
}

/// A document with its examples as they are printed now, and those that differ.
fn checked(path: &Path, text: &str) -> (String, Vec<String>) {
    let (mut written, mut different) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        written.push_str(line);
        written.push('\n');
        let Some(arguments) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let opening = lines.next().unwrap_or_default();
        assert!(opening.starts_with(FENCE), "{}: no block after {line}", path.display());
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
        let now = printed(arguments);
        let now = now.trim_end();
        if now != block.join("\n").trim_end() {
            different.push(format!("{}: `loopscope {arguments}` prints\n{now}", path.display()));
        }
        written.push_str(&format!("{opening}\n{now}\n{FENCE}\n"));
    }
    (written, different)
}

#[test]
fn examples_are_what_commands_print() {
    let mut problems = Vec::new();
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("the document can be read");
        let (written, different) = checked(&path, &text);
        if std::env::var_os("LOOPSCOPE_BLESS").is_some() {
            std::fs::write(&path, written).expect("the document can be written");
        } else {
            problems.extend(different);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
