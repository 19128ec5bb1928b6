//! `loopscope alarms`: statuses, counterexamples and exit codes; and how abstract counterexamples and proofs read.

use std::path::Path;

use crate::common::{Answer, Folder, command_on, loopscope_in};

const NONDET: &str =
    "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n";

/// A program that writes in bounds, but only number theory knows.
const COLLATZ: &str = "\
static int record(unsigned *path, unsigned n) {
    int i = 0;
    while (n != 1) {
        path[i] = n;
        i++;
        n = n % 2 ? 3 * n + 1 : n / 2;
    }
    return i;
}
int main(void) {
    unsigned path[360];
    unsigned start = __VERIFIER_nondet_uint();
    if (start < 1 || start > 100000)
        return 0;
    return record(path, start) == 400;
}
";

fn alarms(source: &str, more: &[&str]) -> Answer {
    command_on("alarms", &format!("{NONDET}{source}"), more)
}

/// The status of each obligation: line, kind, status.
fn statuses(source: &str, more: &[&str]) -> Vec<(u64, String, String)> {
    let mut options = vec!["--json"];
    options.extend(more);
    let answer = alarms(source, &options);
    let json: serde_json::Value =
        serde_json::from_str(&answer.output).unwrap_or_else(|_| panic!("{answer:?}"));
    let mut found = Vec::new();
    for function in json["functions"].as_array().unwrap() {
        for one in function["obligations"].as_array().unwrap() {
            let text = |field: &str| one[field].as_str().unwrap().to_owned();
            found.push((one["place"]["line"].as_u64().unwrap(), text("obligation"), text("status")));
        }
    }
    found
}

#[track_caller]
fn expect(found: &[(u64, String, String)], line: u64, kind: &str, status: &str) {
    let one = found.iter().find(|(at, of, _)| *at == line && of == kind);
    assert_eq!(one.map(|(.., is)| is.as_str()), Some(status), "line {line}, {kind}: {found:?}");
}

#[test]
fn every_obligation_has_its_status() {
    let source = "\
int table[16];
int unused(int x) {
    return 100 / x;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 16)
        return 0;
    table[n / 2] = 1;
    if (n > 20)
        table[n] = 2;
    for (int i = 0; i < n; i++)
        table[i] = i;
    table[n] = 3;
    return 0;
}
";
    let found = statuses(source, &[]);
    expect(&found, 4, "division-by-zero", "proved-under-contract");
    expect(&found, 10, "out-of-bounds", "proved");
    expect(&found, 12, "out-of-bounds", "unreachable");
    expect(&found, 13, "signed-overflow", "proved");
    expect(&found, 14, "out-of-bounds", "proved");
    expect(&found, 14, "null", "proved");
    expect(&found, 15, "out-of-bounds", "refuted");
    let answer = alarms(source, &[]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    answer.says(&["unused (a.c:3), for callers that see to what it requires"]);
    answer.says(&["requires x != 0"]);
    assert!(answer.output.contains("inputs:  __VERIFIER_nondet_int = 16"), "{answer:?}");
    assert!(answer.output.contains("table[n] = 3;"), "{answer:?}");
    // One function alone, one property alone.
    let found = statuses(source, &["--function", "unused"]);
    assert!(found.iter().all(|(line, ..)| *line == 4), "{found:?}");
    let found = statuses(source, &["--property", "memsafety"]);
    assert!(found.iter().all(|(_, kind, _)| kind != "division-by-zero" && kind != "signed-overflow"));
}

#[test]
fn a_program_without_alarms_ends_well() {
    let source = "int main(void) { int a[8]; int n = __VERIFIER_nondet_uint() % 9;\n\
                  for (int i = 0; i < n; i++) a[i] = i; return 0; }";
    let answer = alarms(source, &[]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.last_line().ends_with("proved"), "{answer:?}");
}

#[test]
fn an_alarm_that_no_run_shows_tells_its_abstract_loop() {
    let answer = alarms(COLLATZ, &["--time-limit", "10"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    let lines: Vec<&str> = answer.output.lines().map(str::trim).collect();
    let place = lines.iter().position(|line| line.starts_with("a.c:5:9  unknown      out-of-bounds"));
    let abstract_trace = &lines[place.unwrap_or_else(|| panic!("{answer:?}"))..];
    assert!(abstract_trace[0].ends_with("path[i] = n;"), "{abstract_trace:?}");
    assert!(abstract_trace[1].starts_with("straight:  in main start = "), "{abstract_trace:?}");
    assert!(abstract_trace[1].ends_with("i = 0"), "{abstract_trace:?}");
    assert!(
        abstract_trace[2].starts_with("loop at a.c:4 in record, 360 iterations:  i: 0 -> 360,  n: "),
        "{abstract_trace:?}"
    );
    assert_eq!(abstract_trace[3], "4 bytes at offset 1440 are outside `path` (1440 bytes)");
    assert!(
        abstract_trace[4].starts_with("no invariant of the loop at a.c:4 rules out i == 360, n == "),
        "{abstract_trace:?}"
    );
    assert_eq!(abstract_trace[5], "a.c:5:9  proved       null, dangling");
}

#[test]
fn verify_tells_the_same_counterexample() {
    let folder = Folder::with("a.c", format!("{NONDET}{COLLATZ}"));
    let answer = folder.run(&["verify", "--property", "memsafety", "--time-limit", "15", "a.c"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(
        answer
            .output
            .contains("  may be out of bounds: path[i] = n;    a.c:5 in record\n    straight:  in main"),
        "{answer:?}"
    );
    assert!(
        answer.output.contains("\n    loop at a.c:4 in record, 360 iterations:  i: 0 -> 360,"),
        "{answer:?}"
    );
}

#[test]
fn what_comes_after_what_is_not_followed_is_unknown() {
    let source = "\
static int recurse(int n) { return n <= 0 ? 0 : 1 + recurse(n - 1); }
int main(void) {
    int a[4];
    unsigned j = __VERIFIER_nondet_uint() % 4;
    a[j] = 1;
    int k = recurse(__VERIFIER_nondet_uint() % 100000);
    a[j] = 2;
    if (k > 100)
        a[j] = 3;
    return 0;
}
";
    let found = statuses(source, &["--time-limit", "4"]);
    assert!(found.iter().all(|(line, _, status)| *line != 2 || status != "proved"), "{found:?}");
    expect(&found, 6, "out-of-bounds", "proved");
    expect(&found, 8, "out-of-bounds", "unknown");
    expect(&found, 10, "out-of-bounds", "unknown");
    let answer = alarms(source, &["--time-limit", "4"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(
        answer
            .output
            .contains("not followed, so that what may come after is unknown: a recursion goes on after 2"),
        "{answer:?}"
    );
}

#[test]
fn objects_of_undefined_functions_can_hold_anything() {
    let text = "int *elsewhere(void);
        int main(void) {
            int a[10], y = 3, *p = &y;
            if (__VERIFIER_nondet_int()) p = elsewhere();
            int x = *p;
            a[x] = 1;
            a[y] = 1;
            return 0;
        }";
    let found = statuses(text, &["--time-limit", "10"]);
    expect(&found, 6, "out-of-bounds", "unknown");
    expect(&found, 7, "out-of-bounds", "unknown");
}

#[test]
fn a_time_limit_leaves_the_rest_unknown() {
    let answer = alarms(COLLATZ, &["--time-limit", "0.000001"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.output.contains("time limit reached"), "{answer:?}");
    assert!(answer.output.contains("unknown"), "{answer:?}");
}

#[test]
fn wrong_usage_is_said() {
    let answer = alarms("int main(void) { return 0; }", &["--property", "termination"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    let answer = alarms("int main(void) { return 0; }", &["--function", "gone"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.error.contains("gone"), "{answer:?}");
    let answer = alarms("int main(void) { return x; }", &[]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
}

#[test]
fn a_proof_lists_its_loops_and_invariants() {
    let source = "extern void reach_error(void);\nint main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0;\n\
                  while (i < n) i++;\nif (i > n) reach_error(); return 0; }";
    let folder = Folder::with("a.c", format!("{NONDET}{source}"));
    let answer = folder.run(&["verify", "--property", "unreach-call", "a.c"]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    assert!(answer.output.contains("  loop at a.c:4 in main\n"), "{answer:?}");
    assert!(answer.output.contains("\n    i <= n\n"), "{answer:?}");
    assert!(!answer.output.contains("entry("), "{answer:?}");
}

#[test]
fn off_by_one_loops_of_the_corpus_are_told_apart() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for name in ["copy-bound", "missing-terminator", "escape-expansion", "header-length"] {
        let alarms = |variant: &str| {
            let file = format!("{name}-{variant}.c");
            loopscope_in(&root, &["alarms", "--property", "memsafety", &file], b"")
        };
        let (bad, ok) = (alarms("bad"), alarms("ok"));
        assert_eq!(bad.code, Some(1), "{name}: {bad:?}");
        assert!(bad.output.contains("is outside `"), "{name}: {bad:?}");
        assert_eq!(ok.code, Some(0), "{name}: {ok:?}");
    }
}
