//! The structure of the workspace, and the order and shares of strategies, are what ARCHITECTURE.md says they are.

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
            assert_ne!(used, "parser", "`{name}` uses `parser` outside its tests");
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

/// The tables of ARCHITECTURE.md behind a comment of this kind: the words of the comment, and the cells of each row.
fn tables(kind: &str) -> Vec<(Vec<String>, Vec<Vec<String>>)> {
    let text = read("ARCHITECTURE.md");
    let opening = format!("<!-- {kind}: ");
    let tables = text.split(&opening).skip(1).map(|rest| {
        let (words, rest) = rest.split_once(" -->\n").expect("the comment ends");
        let rows = rest.lines().take_while(|line| line.starts_with('|')).skip(2);
        let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        (words.split(' ').map(str::to_owned).collect(), rows.map(cells).collect())
    });
    let tables: Vec<_> = tables.collect();
    assert!(!tables.is_empty(), "ARCHITECTURE.md has no table of {kind}");
    tables
}

/// The entries of an array, as they are written but for the types in front of names.
fn entries(source: &str, constant: &str) -> Vec<String> {
    let rest = source.split(&format!("const {constant}: ")).nth(1).expect("the constant is there");
    let (_, rest) = rest.split_once('=').expect("it has a value");
    let (_, rest) = rest.split_once('[').expect("it is an array");
    let (mut entries, mut entry, mut depth) = (Vec::new(), String::new(), 0);
    for letter in rest.chars() {
        depth += match letter {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        match letter {
            ',' if depth == 0 => entries.push(std::mem::take(&mut entry)),
            _ if depth < 0 => break,
            _ => entry.push(letter),
        }
    }
    entries.push(entry);
    let plain = |entry: String| {
        let words: Vec<&str> = entry.split_whitespace().collect();
        let mut text = words.join(" ");
        for path in ["Method::", "Encoding::", "Technique::", "Domain::", "Overflow::"] {
            text = text.replace(path, "");
        }
        text
    };
    entries.into_iter().map(plain).filter(|entry| !entry.is_empty()).collect()
}

/// What a table says in code or as a number, as an entry of the array.
fn written(cells: &[String]) -> String {
    let code = cells.iter().filter_map(|cell| match cell.strip_prefix('`') {
        Some(code) => code.strip_suffix('`'),
        None => cell.starts_with(|first: char| first.is_ascii_digit()).then_some(cell.as_str()),
    });
    match code.collect::<Vec<_>>()[..] {
        [method, share, applies] => {
            format!("Stage {{ method: {method}, share: {share}, applies: {applies} }}")
        }
        [method, share] => format!("({method}, {share})"),
        _ => panic!("neither two nor three cells are code: {cells:?}"),
    }
}

#[test]
fn stages_are_those_of_the_tables() {
    for (words, rows) in tables("stages") {
        let [file, constant] = &words[..] else { panic!("{words:?} are not a file and a constant") };
        let listed: Vec<String> = rows.iter().map(|row| written(row)).collect();
        assert_eq!(listed, entries(&read(file), constant), "ARCHITECTURE.md and {constant} in {file}");
    }
}

#[test]
fn plans_are_those_of_the_tables() {
    for (words, rows) in tables("plans") {
        let source = read(&words[0]);
        let names = rows.iter().map(|row| row[0].trim_matches('`'));
        let all = source.matches("&[Step] =").count();
        assert_eq!(rows.len(), all, "ARCHITECTURE.md lists other plans than {}", words[0]);
        for (name, row) in names.zip(&rows) {
            let mut pieces = row[2].split('`').skip(1);
            let mut listed = Vec::new();
            while let (Some(technique), Some(share)) = (pieces.next(), pieces.next()) {
                listed.push(format!("({technique}, {})", share.trim_matches([' ', ','])));
            }
            assert_eq!(listed, entries(&source, name), "ARCHITECTURE.md and {name} in {}", words[0]);
        }
    }
}

#[test]
fn shares_are_those_of_the_tables() {
    for (words, rows) in tables("constants") {
        let source = read(&words[0]);
        let lines = source.lines().filter_map(|line| line.strip_prefix("const ")?.strip_suffix(';'));
        let shares: Vec<String> = lines
            .filter(|line| line.contains(": f64 = "))
            .map(|line| line.replace(": f64 = ", " "))
            .collect();
        let listed: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row[0].trim_matches('`'), row[1])).collect();
        assert_eq!(listed, shares, "ARCHITECTURE.md and {}", words[0]);
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

/// The source files of all crates, with their text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.push((path, text));
            }
        }
    }
    found
}

#[test]
fn every_module_opens_with_its_purpose() {
    let mut silent = BTreeMap::new();
    for (path, text) in sources() {
        if !text.starts_with("//!") {
            let first = text.lines().next().unwrap_or_default();
            silent.insert(path.display().to_string(), first.to_owned());
        }
    }
    assert!(silent.is_empty(), "modules that do not open with `//!`: {silent:#?}");
}

/// A function has at most so many lines, from `fn` to its closing brace.
const LONGEST: usize = 80;

/// Functions that are longer because they are tables: one arm for each kind of thing, and nothing around it. The list gets
/// shorter, never longer: a function that has become short leaves it.
const TABLES: &[(&str, &str)] = &[("crates/program/src/interpret/execute.rs", "execute_frame")];

/// The functions of a formatted text, with their names and numbers of lines. A body ends where a brace stands below the
/// function's first letter; what is nested or in quotes is further to the right.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let start = line.trim_start();
        let Some((before, rest)) = start.split_once("fn ") else { continue };
        let is_qualifier = |word: &str| {
            ["pub", "const", "async", "unsafe", "extern"].contains(&word) || word.starts_with("pub(")
        };
        if !before.split_whitespace().all(is_qualifier) || line.ends_with(['}', ';']) {
            continue;
        }
        let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
        let end = format!("{}}}", &line[..line.len() - start.len()]);
        let declared = lines[at..].iter().position(|line| line.ends_with([';', '{'])).unwrap_or(0);
        if lines[at + declared].ends_with(';') {
            continue;
        }
        let many = lines[at..].iter().position(|line| *line == end).map_or(lines.len() - at, |last| last + 1);
        found.push((name.unwrap_or_default(), many));
    }
    found
}

#[test]
fn functions_are_short() {
    let root = root().join("crates");
    let mut seen = Vec::new();
    let mut long = Vec::new();
    for (path, text) in sources() {
        let inside = path.strip_prefix(&root).expect("it is one of ours").display().to_string();
        let is_product = inside.split('/').nth(1) == Some("src") && !inside.starts_with("testing/");
        if !is_product {
            continue;
        }
        let place = format!("crates/{inside}");
        for (name, lines) in functions(&text).into_iter().filter(|(_, lines)| *lines > LONGEST) {
            match TABLES.iter().find(|table| **table == (place.as_str(), name)) {
                Some(table) => seen.push(table),
                None => long.push(format!("{place}: {name} has {lines} lines")),
            }
        }
    }
    assert!(long.is_empty(), "functions over {LONGEST} lines: {long:#?}");
    let short: Vec<_> = TABLES.iter().filter(|table| !seen.contains(table)).collect();
    assert!(short.is_empty(), "short by now, and no longer to be listed: {short:#?}");
}

#[test]
fn lines_of_functions_are_counted() {
    let text = "fn one() {\n}\nimpl A {\n    pub(crate) const fn two(\n        x: u8,\n    ) -> u8 {\n        x\n    }\n    \
                fn three();\n    fn four() {}\n}\n";
    assert_eq!(functions(text), [("one", 2), ("two", 5)]);
}
