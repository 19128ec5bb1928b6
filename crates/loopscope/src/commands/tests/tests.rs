//! `loopscope tests`: what is reached, the files of a suite, exit codes and bad input.

use crate::common::Folder;

/// The branch of line 8 needs a loop of more than a million iterations; that of line 10 is taken by no run.
const DEEP: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0, x = 0;
    while (i < n) {
        i++;
        x += 2;
    }
    if (x == 2600000)
        return 3;
    if (i < n)
        return 4;
    return 0;
}
";

#[test]
fn every_branch_is_reached_or_proved_unreachable() {
    let folder = Folder::with("a.c", DEEP);
    let answer = folder.run(&["tests", "-o", "suite", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("a.c:8:9 true    test "), "{answer:?}");
    assert!(answer.output.contains("a.c:10:9 true   unreachable  if (i < n)\n"), "{answer:?}");
    assert!(answer.last_line().contains("6 targets: 5 reached by "), "{answer:?}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("suite").join(name)).expect(name);
    assert!(read("metadata.xml").contains("<programfile>a.c</programfile>"));
    let number = (1..9).find(|number| read(&format!("testcase-{number}.xml")).contains(">1300000<"));
    let number = number.expect("a test goes through the loop");
    assert!(read(&format!("testcase-{number}.c")).contains("\"__VERIFIER_nondet_uint = 1300000"));
    let inputs = format!("suite/testcase-{number}.inputs");
    let again = folder.run(&["run", "--inputs", &inputs, "a.c"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    // Another suite takes the place of this one, and nothing else of the directory.
    std::fs::write(folder.path().join("suite/notes.xml"), "mine").expect("it can be written");
    let answer = folder.run(&["tests", "--target", "3", "-o", "suite", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let exists = |name: &str| folder.path().join("suite").join(name).exists();
    assert!(exists("testcase-1.xml") && !exists("testcase-2.xml") && !exists("testcase-2.c"));
    assert!(exists("notes.xml"));
}

#[test]
fn a_line_is_a_target() {
    let folder = Folder::with("a.c", DEEP);
    let answer = folder.run(&["tests", "--target", "a.c:9", "--json", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let json: serde_json::Value = serde_json::from_str(&answer.output).expect("the output is JSON");
    assert_eq!(json["targets"][0]["status"], "reached");
    assert_eq!(json["targets"][0]["place"]["line"], 9);
    assert_eq!(json["tests"][0]["inputs"][0]["value"], "1300000");
    assert_eq!(json["tests"][0]["outcome"], "exit");
    let answer = folder.run(&["tests", "--target", "11", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.contains("a.c:11  unreachable  return 4;"), "{answer:?}");
}

#[test]
fn what_is_not_reached_has_a_reason() {
    let source = "int main(void) {
    int x;
    __asm__(\"\" : \"=r\"(x));
    if (x == 12345)
        return 1;
    return 0;
}
";
    let answer = Folder::with("a.c", source).run(&["tests", "--target", "5", "a.c"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(
        answer.output.contains("not reached  return 1;\n      unsupported: inline assembler"),
        "{answer:?}"
    );
}

#[test]
fn tests_stand_in_for_undefined_functions() {
    let source = "extern int sensor(void); extern void notify(int);
int mode;
int main(void) {
    int last = sensor();
    notify(last);
    if (sensor() == last + 4711)
        return 1;
    if (mode == 2)
        return 2;
    if (last == 1 && last == 2)
        return 3;
    return 0;
}
";
    let folder = Folder::with("a.c", source);
    let answer = folder.run(&["tests", "-o", "suite", "a.c"]);
    assert!(answer.output.contains("sensor is undefined: tests say what it returns"), "{answer:?}");
    // The real function may change what it can reach, and nothing else: the mode, but not a variable of the caller.
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.last_line().contains("1 unreachable, 1 not reached"), "{answer:?}");
    let driver = std::fs::read_to_string(folder.path().join("suite/testcase-1.c")).expect("a driver");
    assert!(driver.contains("int sensor(void) {") && driver.contains("void notify(void) {}"), "{driver}");
}

#[test]
fn a_function_is_tested_on_its_own() {
    let source = "int limit(int x, int most) { if (x > most) return most; return x; }";
    let folder = Folder::with("a.c", source);
    let answer = folder.run(&["tests", "--function", "limit", "-o", "suite", "a.c"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.last_line().starts_with("2 targets: 2 reached"), "{answer:?}");
    let driver = std::fs::read_to_string(folder.path().join("suite/testcase-1.c")).expect("a driver");
    assert!(driver.contains("int main(void)") && driver.contains("limit("), "{driver}");
}

#[test]
fn bad_input_is_said() {
    let folder = Folder::with("a.c", DEEP).and("file", "");
    let refused = |arguments: &[&str], words: &[&str]| {
        let answer = folder.run(arguments);
        assert_eq!((answer.code, answer.output.as_str()), (Some(2), ""), "{answer:?}");
        for word in words {
            assert!(answer.error.contains(word), "`{word}` is missing in {answer:?}");
        }
    };
    refused(&["tests", "--target", "7", "a.c"], &["no code at a.c:7", "next line with code is 8"]);
    refused(&["tests", "--target", "700", "a.c"], &["no code at a.c:700", "no line after it"]);
    refused(
        &["tests", "--target", "b.c:3", "a.c"],
        &["no code at b.c:3", "no function of the program is in"],
    );
    refused(&["tests", "--target", "x", "a.c"], &["not a line"]);
    refused(&["tests", "--target", "0", "a.c"], &["not a line"]);
    refused(&["tests", "-o", "file/suite", "a.c"], &["cannot make the directory `file/suite`"]);
    refused(&["tests", "--function", "f", "a.c"], &["no function f"]);
    refused(&["tests", "--cover", "everything", "a.c"], &["branches"]);
    refused(&["tests"], &["no input files"]);
}
