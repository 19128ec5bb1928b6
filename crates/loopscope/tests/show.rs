//! What is shown: the table of loops, its JSON form, dumps, completions and help.

mod common;

use common::{Folder, loopscope_in};

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const NESTED: &str = "\
void use(int);
int total;
int sum(int n) {
  for (int i = 0; i < n; i++) {
    int j = i;
    while (j > 0) {
      if (j == 7)
        return total;
      total += j--;
      use(total);
    }
  }
  return total;
}
int none(int n) { return n; }
";

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
fn the_overview_tells_what_is_known_of_every_loop() {
    let folder = Folder::with("a.c", NESTED);
    let answer = folder.run(&["a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let lines: Vec<&str> = answer.output.lines().collect();
    assert!(lines[0].contains("TYPE  STOPS") && lines[1] == "sum (a.c:3)", "{answer:?}");
    assert!(lines[2].contains("yes") && lines[2].contains("at most max(n, 0)"), "{answer:?}");
    assert!(lines[3].contains("a.c:6") && lines[3].contains("yes"), "{answer:?}");
    let answer = folder.run(&["--json", "--time-limit", "5", "a.c"]);
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["functions"][0]["loops"][0]["termination"], "stops", "{answer:?}");
}

#[test]
fn one_function_can_be_chosen() {
    let answer = Folder::with("a.c", NESTED).run(&["--function", "none", "a.c"]);
    assert_eq!(answer.output, "no loops\n");
}

#[test]
fn the_json_form_is_stable() {
    let answer = Folder::with("a.c", NESTED).run(&["loops", "--json", "a.c"]);
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["schema"], 1);
    let function = &json["functions"][0];
    assert_eq!((&function["name"], &function["status"]), (&"sum".into(), &"analysed".into()));
    let inner = &function["loops"][1];
    assert_eq!(inner["name"], "a.c:6 while");
    assert_eq!(inner["depth"], 2);
    assert_eq!(inner["place"]["line"], 6);
    assert_eq!(inner["calls"][0], "use");
}

#[test]
fn several_files_make_one_program() {
    let folder = Folder::with("a.c", "int g(int);\nint main(void) { while (g(1)); return 0; }")
        .and("b.c", "int g(int x) { do x--; while (x > 0); return x; }");
    let answer = folder.run(&["a.c", "b.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("main (a.c:2)") && answer.output.contains("g (b.c:1)"), "{answer:?}");
}

#[test]
fn flags_of_c_compilers_work() {
    let folder = Folder::with(
        "a.c",
        "#include \"n.h\"\nint main(void) { for (int i = 0; i < N + M; i++); return K; }",
    )
    .and("k.h", "#define K 0\n");
    std::fs::create_dir(folder.path().join("inc")).unwrap();
    std::fs::write(folder.path().join("inc/n.h"), "#define N 3\n").unwrap();
    let answer = folder.run(&["-Iinc", "-DM=2", "-include", "k.h", "-std=c99", "-m32", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("1 loop in 1 function"), "{answer:?}");
}

#[test]
fn dumps_come_as_text_and_pictures() {
    let folder = Folder::with("a.c", NESTED);
    let text = folder.run(&["dump", "--program", "a.c"]);
    assert_eq!(text.code, Some(0), "{text:?}");
    assert!(text.output.contains("function sum") && text.output.contains("loop while"), "{text:?}");
    let one = folder.run(&["dump", "--program", "--function", "none", "a.c"]);
    assert!(one.output.contains("none") && !one.output.contains("function sum("), "{one:?}");
    let loops = folder.run(&["dump", "--loops", "a.c"]);
    assert!(loops.output.contains("a.c:4 for") && loops.output.contains("a.c:6 while"), "{loops:?}");
    for what in ["--cfg", "--loops"] {
        let dot = folder.run(&["dump", what, "--format", "dot", "--function", "sum", "a.c"]);
        assert!(dot.output.starts_with("digraph \"") && dot.output.trim_end().ends_with('}'), "{dot:?}");
        let svg = folder.run(&["dump", what, "--format", "svg", "--function", "sum", "-o", "f.svg", "a.c"]);
        assert_eq!(svg.code, Some(0), "{svg:?}");
        let picture = std::fs::read_to_string(folder.path().join("f.svg")).expect("the picture is written");
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in ["Examples:", "Exit codes:", "verify", "run", "dump", "completions", "-I", "-D", "-p"] {
        assert!(help.output.contains(word), "`{word}` is missing in\n{}", help.output);
    }
    let help = folder.run(&["verify", "--help"]);
    for word in ["unreach-call", "no-overflow", "mathematical", "FALSE (kind)", "3 unknown"] {
        assert!(help.output.contains(word), "`{word}` is missing in\n{}", help.output);
    }
    assert_eq!(folder.run(&["--version"]).code, Some(0));
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = Folder::new().run(&["completions", shell]);
        assert!(answer.code == Some(0) && answer.output.contains("loopscope"), "{shell}");
    }
}

#[test]
fn colours_come_when_asked_for() {
    let folder = Folder::with("a.c", "int main(void) { return x; }");
    assert!(folder.run(&["--color", "always", "a.c"]).error.contains("\u{1b}["));
    assert!(!folder.run(&["--color", "never", "a.c"]).error.contains("\u{1b}["));
    assert!(!folder.run(&["a.c"]).error.contains("\u{1b}["), "a pipe gets no colours");
}

#[test]
fn the_example_of_the_readme_holds() {
    let answer = loopscope_in(&root(), &["loops", "examples/sort.c"], b"");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    assert!(readme.contains(answer.output.trim_end()), "README.md does not show\n{}", answer.output);
}
