//! Answers are checked once more from their witnesses: `verify --witness` writes what `certify` reads, in another process.

use crate::common::{Answer, Folder};

const SUM: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, s = 0;
  if (n < 0 || n > 1000000000) return 0;
  while (i < n) {
    i++;
    s++;
  }
  if (s != n) reach_error();
  return 0;
}
";

/// What an answer about the values of `SUM` assumes.
const WRAPS: &str = "note: assuming that signed arithmetic wraps around\n\n";

const TWO: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  while (x > 0) {
    if (__VERIFIER_nondet_int()) x--; else x -= 2;
  }
  do { if (z > 3) z--; } while (z > 3);
  return 0;
}
";

const NONTERMINATION: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned u = 1;
  while (x > 5 && u != 0) {
    u = u + 2;
  }
  return 0;
}
";

const VIOLATION: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 12345)
    reach_error();
  return 0;
}
";

/// Verifies a program and writes a witness.
fn witnessed(source: &str, property: &str, file: &str) -> (Folder, String) {
    let folder = Folder::with("a.c", source);
    let answer = folder.run(&["verify", "--property", property, "--witness", file, "a.c"]);
    let text = std::fs::read_to_string(folder.path().join(file));
    (folder, text.unwrap_or_else(|error| panic!("{error}: {answer:?}")))
}

/// Certifies a text that stands for the witness.
fn certify(folder: &Folder, witness: &str, more: &[&str]) -> Answer {
    std::fs::write(folder.path().join("w.yml"), witness).expect("the file can be written");
    let mut arguments = vec!["certify"];
    arguments.extend(more);
    arguments.extend(["w.yml", "a.c"]);
    folder.run(&arguments)
}

/// The witness without our own part.
fn others_read(witness: &str) -> String {
    let (before, rest) = witness.split_once("      description: |\n").expect("there is a description");
    let (_, after) = rest.split_once("    task:\n").expect("there is a task");
    format!("{before}    task:\n{after}")
}

#[test]
fn a_proof_from_invariants_is_confirmed() {
    let (folder, witness) = witnessed(SUM, "unreach-call", "w.yml");
    for expected in [
        "- entry_type: invariant_set\n  metadata:\n    format_version: \"2.1\"\n    uuid: \"",
        "      input_files:\n        - \"a.c\"\n",
        "      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n",
        "      data_model: LP64\n      language: C\n  content:\n",
        "    - invariant:\n        type: loop_invariant\n        location:\n          file_name: \"a.c\"\n          \
         line: 6\n          column: 3\n          function: \"main\"\n        value: \"",
        "        format: c_expression\n",
    ] {
        assert!(witness.contains(expected), "{expected} in {witness}");
    }
    let answer = certify(&folder, &witness, &[]);
    assert_eq!((answer.code, answer.last_line()), (Some(0), "TRUE"), "{answer:?}");
    assert_eq!(answer.error, WRAPS, "nothing is left unconfirmed");
    // What C can say is enough here, and another tool could have written it.
    let answer = certify(&folder, &others_read(&witness), &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    // It proves other properties as far as it goes.
    let answer = certify(&folder, &witness, &["--property", "memsafety"]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
}

#[test]
fn a_proof_of_termination_is_confirmed() {
    let (folder, witness) = witnessed(TWO, "termination", "w.yml");
    assert!(witness.contains("        type: loop_transition_invariant\n"), "{witness}");
    assert!(
        witness.contains("\\\\at(x, AnyPrev)") && witness.contains("format: ext_c_expression"),
        "{witness}"
    );
    assert!(witness.contains("        left ranking\n"), "the rank of the `do` is in our part: {witness}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!((answer.code, answer.last_line()), (Some(0), "TRUE"), "{answer:?}");
}

#[test]
fn a_proof_by_following_all_runs_is_confirmed() {
    let source = "int main(void) { int s = 0; for (int i = 0; i < 20; i++) s += i; return s; }";
    let (folder, witness) = witnessed(source, "no-overflow", "w.yml");
    assert!(witness.contains("  content: []\n"), "{witness}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    let shallow = witness.lines().map(|line| match line.trim().strip_prefix("iterations ") {
        Some(_) => String::from("        iterations 1\n"),
        None => format!("{line}\n"),
    });
    let answer = certify(&folder, &shallow.collect::<String>(), &[]);
    assert_eq!(answer.code, Some(3), "not all runs are followed: {answer:?}");
}

#[test]
fn chains_of_calls_are_checked_from_the_witness() {
    let source = "extern int __VERIFIER_nondet_int(void);
        static int down(int n, int m) { return n <= 0 || m <= 0 ? 0 : n > m ? down(n - m, m) : down(n, m - n); }
        int main(void) { return down(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()); }";
    let (folder, witness) = witnessed(source, "termination", "w.yml");
    assert!(witness.contains("        chains with-memory\n"), "{witness}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    let walks = "#include <stdlib.h>
        extern int __VERIFIER_nondet_int(void);
        static void walk(const char *s, char *t) { while (*s) s++; while (*t != 1) t--; }
        int main(void) { char *a = malloc(__VERIFIER_nondet_int()), *b = malloc(9); walk(a, b + 8); return 0; }";
    let (own, described) = witnessed(walks, "termination", "w.yml");
    assert!(described.contains("chains without-memory") && described.contains("end(s)"), "{described}");
    assert_eq!(certify(&own, &described, &[]).last_line(), "TRUE", "{described}");
    // An overflow may come where chains of calls do not go.
    let wrapping = witness.replace("overflow any", "overflow wraps");
    assert_eq!(certify(&folder, &wrapping, &[]).code, Some(3));
    let infinite = source.replace("down(n - m, m)", "down(n + m, m)");
    std::fs::write(folder.path().join("a.c"), infinite).expect("the file can be written");
    let answer = certify(&folder, &witness, &["--time-limit", "1"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
}

#[test]
fn the_only_run_of_a_program_is_made_again() {
    let source =
        "unsigned x = 27; int main(void) { while (x != 1) x = x % 2 ? 3 * x + 1 : x / 2; return 0; }";
    let (folder, witness) = witnessed(source, "termination", "w.yml");
    assert!(witness.contains("        only-run yes\n"), "{witness}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    let answer = certify(&folder, &witness, &["--property", "memsafety"]);
    assert_eq!(answer.code, Some(3), "it shows termination alone: {answer:?}");
    let infinite = source.replace("3 * x + 1", "3 * x - 1").replace("27", "5");
    std::fs::write(folder.path().join("a.c"), infinite).expect("the file can be written");
    let answer = certify(&folder, &witness, &["--time-limit", "1"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
}

#[test]
fn invariants_that_c_cannot_say_are_confirmed() {
    let source = "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int a[1000];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  char *p = malloc(n + 1);
  if (!p) return 0;
  for (int i = 0; i < n; i++) { a[i] = 7; p[i] = 1; }
  if (n > 500 && a[200] != 7) reach_error();
  free(p);
  return 0;
}
";
    for property in ["unreach-call", "memsafety"] {
        let (folder, witness) = witnessed(source, property, "w.yml");
        let answer = certify(&folder, &witness, &[]);
        assert_eq!(answer.last_line(), "TRUE", "{property} {answer:?} {witness}");
    }
}

#[test]
fn a_tampered_proof_is_refused() {
    let (folder, witness) = witnessed(SUM, "unreach-call", "w.yml");
    let place = witness.find("value: \"").expect("there is an invariant") + "value: \"".len();
    let wrong = format!("{}i == 7 && {}", &witness[..place], &witness[place..]);
    let line = witness[..place].lines().count();
    let mut answer = certify(&folder, &wrong, &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.error.contains(&format!("w.yml:{line}: not confirmed: i == 7 && ")), "{answer:?}");
    // A program for which it does not hold is not proved by it.
    std::fs::write(folder.path().join("a.c"), SUM.replace("s++", "s += 2")).expect("the file can be written");
    answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.error.contains("`w.yml` was made for another version of `a.c`"), "{answer:?}");
}

#[test]
fn a_rank_that_does_not_decrease_is_refused() {
    let (folder, witness) = witnessed(TWO, "termination", "w.yml");
    std::fs::write(folder.path().join("a.c"), TWO.replace("x -= 2", "x += 2"))
        .expect("the file can be written");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.error.contains("not confirmed: "), "{answer:?}");
}

#[test]
fn a_violation_is_run_again() {
    for file in ["w.yml", "w.graphml"] {
        let (folder, witness) = witnessed(VIOLATION, "unreach-call", file);
        let answer = folder.run(&["certify", file, "a.c"]);
        assert_eq!((answer.code, answer.last_line()), (Some(1), "FALSE (reach-error)"), "{answer:?}");
        let other = witness.replace("12345", "12346");
        std::fs::write(folder.path().join(file), other).expect("the file can be written");
        let answer = folder.run(&["certify", file, "a.c"]);
        assert_eq!(answer.code, Some(3), "{answer:?}");
        assert!(answer.last_line().contains("the run does not violate unreach-call"), "{answer:?}");
    }
    let (folder, witness) = witnessed(VIOLATION, "unreach-call", "w.yml");
    for expected in [
        "- entry_type: violation_sequence\n",
        "            type: function_return\n            action: follow\n            constraint:\n              \
         value: \"\\\\result == 12345\"\n              format: ext_c_expression\n            location:\n              \
         file_name: \"a.c\"\n              line: 3\n              column: 33\n",
        "            type: target\n            action: follow\n            location:\n              \
         file_name: \"a.c\"\n              line: 5\n              column: 5\n              function: \"main\"\n",
    ] {
        assert!(witness.contains(expected), "{expected} in {witness}");
    }
    // What others read is enough to repeat it.
    let answer = certify(&folder, &others_read(&witness), &[]);
    assert_eq!(answer.last_line(), "FALSE (reach-error)", "{answer:?}");
}

#[test]
fn a_run_that_never_ends_is_confirmed() {
    for file in ["w.yml", "w.graphml"] {
        let (folder, witness) = witnessed(NONTERMINATION, "termination", file);
        let cycle = if file == "w.yml" { "action: cycle" } else { "<data key=\"cyclehead\">true</data>" };
        assert!(
            witness.contains(cycle) && witness.contains("\nset ") | witness.contains("        set "),
            "{witness}"
        );
        let answer = folder.run(&["certify", file, "a.c"]);
        assert_eq!((answer.code, answer.last_line()), (Some(1), "FALSE (non-termination)"), "{answer:?}");
        let (before, rest) = witness.split_once("set ").expect("there is a set");
        let (_, after) = rest.split_once('\n').expect("there are more lines");
        std::fs::write(folder.path().join(file), format!("{before}set u == u\n{after}"))
            .expect("it can be written");
        let answer = folder.run(&["certify", file, "a.c"]);
        assert_eq!(answer.code, Some(3), "{answer:?}");
    }
}

#[test]
fn the_invariants_of_a_do_stand_at_its_first_statement() {
    let source = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  do {
    i++;
    s++;
    if (i != s) reach_error();
  } while (i < n);
  return 0;
}
";
    let (folder, witness) = witnessed(source, "unreach-call", "w.yml");
    let expected =
        "type: location_invariant\n        location:\n          file_name: \"a.c\"\n          line: 5\n";
    assert!(witness.contains(expected), "{witness}");
    let answer = certify(&folder, &others_read(&witness), &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
}

#[test]
fn the_source_is_annotated() {
    let (_, text) = witnessed(TWO, "termination", "w.c");
    assert!(text.contains("\n  /*@ loop variant x; */\n  while (x > 0) {\n"), "{text}");
    let folder = Folder::with("a.c", TWO);
    let answer = folder.run(&["verify", "--property", "termination", "--witness", "a.c", "a.c"]);
    assert!(answer.error.contains("`a.c` is not written: it is the source itself"), "{answer:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("a.c")).expect("it is there"), TWO);
}

#[test]
fn a_witness_of_another_tool_is_read() {
    let witness = "- entry_type: invariant_set
  metadata:
    format_version: '2.0'
    uuid: 00000000-0000-0000-0000-000000000000
    creation_time: '2024-01-01T00:00:00Z'
    producer: {name: Other, version: '1'}
    task:
      input_files: [a.c]
      input_file_hashes: {}
      specification: CHECK( init(main()), LTL(G ! call(reach_error())) )
      data_model: LP64
      language: C
  content:
  - invariant:
      type: loop_invariant
      location: {file_name: a.c, line: 6, function: main}
      value: ( i == s ) && ((0 <= i) && i <= n)
      format: c_expression
  - invariant:
      type: location_invariant
      location: {file_name: a.c, line: 10, function: main}
      value: s == n
      format: c_expression
";
    let folder = Folder::with("a.c", SUM);
    let answer = certify(&folder, witness, &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    assert!(answer.error.contains("w.yml:22: no loop stands at 10 of the source"), "{answer:?}");
    let answer = certify(&folder, &witness.replace("i <= n", "i <= zz"), &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(
        answer.error.contains("w.yml:17: `zz` is no integer variable that is known at the loop"),
        "{answer:?}"
    );
}

#[test]
fn bad_witnesses_are_errors_with_a_place() {
    let (folder, witness) = witnessed(SUM, "unreach-call", "w.yml");
    let cases = [
        ("hello\n", vec![], "w.yml:1: this is no witness"),
        ("- {{{", vec![], "w.yml:1: this is no witness"),
        ("", vec![], "expected an entry of type `invariant_set` or `violation_sequence`"),
        ("<graphml/>", vec![], "expected a GraphML witness that Loopscope has written"),
        (&witness.replace("line: 6", "line: six"), vec![], "this is no witness: "),
        (
            &witness.replace("abstraction 1", "abstraction one"),
            vec![],
            "w.yml:17: expected a number, not `one`",
        ),
        (&witness, vec!["--integers", "mathematical"], "is about integers of the machine"),
        (&witness, vec!["-m32"], "pointers have 64 bits"),
        (&witness, vec!["--property", "colour"], "unknown property `colour`"),
        (&witness.replace("entry main", "entry start"), vec![], "is about runs from `start`"),
    ];
    for (text, more, expected) in cases {
        let answer = certify(&folder, text, &more);
        assert_eq!(answer.code, Some(2), "{expected}: {answer:?}");
        assert!(answer.error.contains(expected), "{expected}: {answer:?}");
    }
    let answer = folder.run(&["certify", "missing.yml", "a.c"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.error.contains("cannot read the witness `missing.yml`"), "{answer:?}");
    let unknown = Folder::with("a.c", "int f(int); int main(void) { while (f(1)) ; return 0; }");
    let answer = unknown.run(&[
        "verify",
        "--property",
        "termination",
        "--time-limit",
        "1",
        "--witness",
        "w.yml",
        "a.c",
    ]);
    assert!(answer.error.contains("`w.yml` is not written: there is no answer"), "{answer:?}");
}

#[test]
fn assumptions_are_those_of_verify() {
    let (folder, witness) = witnessed(SUM, "unreach-call", "w.yml");
    let verified = folder.run(&["verify", "--property", "unreach-call", "a.c"]);
    let answer = certify(&folder, &witness, &[]);
    assert_eq!((answer.error.as_str(), verified.error.as_str()), (WRAPS, WRAPS), "{answer:?}");
    let json = certify(&folder, &witness, &["--json"]);
    assert!(
        json.output.contains("\"assumptions\": [\n    \"signed arithmetic wraps around\"\n  ]"),
        "{json:?}"
    );
    // A proof that needs one is none with the option. Nothing is said of what an unknown would assume.
    let strict = certify(&folder, &witness, &["--no-assumptions"]);
    assert_eq!(
        (strict.code, strict.last_line()),
        (Some(3), "UNKNOWN (holds only if signed arithmetic wraps around)"),
        "{strict:?}"
    );
    assert_eq!(strict.error, "");
    let (folder, witness) = witnessed(TWO, "termination", "w.yml");
    let answer = certify(&folder, &witness, &["--no-assumptions"]);
    assert_eq!((answer.last_line(), answer.error.as_str()), ("TRUE", ""), "{answer:?}");
}

#[test]
fn assumptions_are_those_of_the_options_of_certify() {
    let source = "#include <stdlib.h>
        int main(void) { int *p = malloc(sizeof *p); if (p) *p = 1; free(p); return 0; }";
    let folder = Folder::with("a.c", source);
    folder.run(&["verify", "--property", "memsafety", "--malloc-may-fail", "--witness", "v.yml", "a.c"]);
    let witness = std::fs::read_to_string(folder.path().join("v.yml")).expect("there is a witness");
    let answer = certify(&folder, &witness, &["--malloc-may-fail", "--no-assumptions"]);
    assert_eq!((answer.last_line(), answer.error.as_str()), ("TRUE", ""), "{answer:?}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.error, "note: assuming that allocation succeeds (--malloc-may-fail)\n\n");
    let answer = certify(&folder, &witness, &["--no-assumptions"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
}

#[test]
fn a_violation_is_confirmed_with_its_assumptions() {
    let source = VIOLATION.replace("x == 12345", "x + 1 == 12345");
    let (folder, witness) = witnessed(&source, "unreach-call", "w.yml");
    let answer = certify(&folder, &witness, &["--no-assumptions"]);
    assert_eq!((answer.code, answer.error.as_str()), (Some(1), WRAPS), "a refutation stays: {answer:?}");
}
