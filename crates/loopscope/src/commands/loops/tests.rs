//! `loopscope loops`: the table of loops and its JSON form.

use crate::common::{Folder, NESTED};

#[test]
fn the_table_lists_every_loop() {
    let answer = Folder::with("a.c", NESTED).run(&["loops", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.output.lines().collect();
    assert!(lines[0].starts_with("LOOP") && lines[1] == "sum (a.c:3)", "{answer:?}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[2])[..4], ["a.c:4", "for", "1", "2"], "{answer:?}");
    assert_eq!(words(lines[3])[..4], ["a.c:6", "while", "2", "2"], "{answer:?}");
    assert!(lines[2].contains('i') && lines[3].contains("total") && lines[3].ends_with("use"), "{answer:?}");
    assert_eq!(*lines.last().unwrap(), "2 loops in 1 function");
}

#[test]
fn the_json_form_is_stable() {
    let answer = Folder::with("a.c", NESTED).run(&["loops", "--json", "a.c"]);
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["schema"], 2);
    let function = &json["functions"][0];
    assert_eq!((&function["name"], &function["status"]), (&"sum".into(), &"analysed".into()));
    let inner = &function["loops"][1];
    assert_eq!(inner["name"], "a.c:6 while");
    assert_eq!(inner["depth"], 2);
    assert_eq!(inner["place"]["line"], 6);
    assert_eq!(inner["calls"][0], "use");
}
