//! Every JSON form has the version that `report` says.

use crate::common::Folder;

/// The commands that `loopscope --help` lists.
fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.run(&["--help"]).output;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// What a command cannot do without.
fn needed(command: &str) -> &'static [&'static str] {
    match command {
        "verify" => &["--property", "termination"],
        "certify" => &["a.yml"],
        _ => &[],
    }
}

fn has_the_version(folder: &Folder, arguments: &[&str]) {
    let answer = folder.run(arguments);
    let json: serde_json::Value = serde_json::from_str(&answer.output)
        .unwrap_or_else(|error| panic!("{arguments:?} prints no JSON: {error}\n{answer:?}"));
    assert_eq!(json["schema"], report::json::SCHEMA, "{arguments:?}: {answer:?}");
}

#[test]
fn every_json_form_has_its_version() {
    let folder = Folder::with("a.c", "int main(void) { for (int i = 0; i < 9; i++) ; return 0; }");
    let folder = folder.and("b.c", "int main(void) { _Decimal64 a = 0.1DD; return 0; }");
    folder.run(&["verify", "--property", "termination", "--witness", "a.yml", "a.c"]);
    has_the_version(&folder, &["--json", "a.c"]);
    let mut asked = 0;
    for command in commands(&folder) {
        if folder.run(&[&command, "--help"]).output.contains("--json") {
            asked += 1;
            for file in ["a.c", "b.c"] {
                has_the_version(&folder, &[&[&command, "--json"], needed(&command), &[file]].concat());
            }
        }
    }
    assert!(asked >= 9, "{asked} commands have a JSON form");
}
