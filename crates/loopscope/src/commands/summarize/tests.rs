//! `loopscope summarize`: cases, what is confirmed, pictures, bad input.

use crate::common::{Answer, command_on};

fn summarize(source: &str, more: &[&str]) -> Answer {
    command_on("summarize", source, more)
}

/// The lines of an answer from one that starts so up to the next case.
fn case(answer: &Answer, when: &str) -> Vec<String> {
    let mut lines = answer.output.lines().skip_while(|line| !line.trim_start().starts_with(when));
    let first = lines.next().unwrap_or_else(|| panic!("{when} is not in\n{}{}", answer.output, answer.error));
    let rest = lines.take_while(|line| line.starts_with("      "));
    std::iter::once(first).chain(rest).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_sum_is_confirmed_on_machine_integers() {
    let text = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }";
    let answer = summarize(text, &[]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.output.starts_with("a.c:1 for in f: type 1, 2 cases, exact\n"), "{answer:?}");
    let lines = case(&answer, "when n > i");
    assert_eq!(lines[1], "s' = (n * n + i + 2 * s - i * i - n) / 2, i' = n");
    assert_eq!(lines[2], "after n - i iterations");
}

#[test]
fn counters_that_chase_each_other_are_confirmed() {
    // Fig. 1 of the paper: its middle case goes round in circles of both paths.
    let text = "void f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } }";
    let answer = summarize(text, &[]);
    assert!(answer.output.starts_with("a.c:1 while in f: type 1, 3 cases, exact\n"), "{answer:?}");
    let lines = case(&answer, "when (x >= z && n > x) || (z > x && n > z)");
    assert_eq!(lines[1..], ["x' = n, z' = n", "after 2 * n - z - x iterations"]);
}

#[test]
fn swaps_and_flips_are_confirmed() {
    let text = "void f(int a, int b, int n) { while (n > 0) { int t = a; a = b; b = t; n--; } }\n\
                void g(int s, int j, int n) { while (j < n) { s = 1 - s; j++; } }";
    let answer = summarize(text, &[]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(answer.output.matches("type 1, 3 cases, exact").count(), 2, "{answer:?}");
    let lines = case(&answer, "when n > j && (n - j) % 2 >= 1");
    assert_eq!(lines[1..], ["s' = 1 - s, j' = n", "after n - j iterations"]);
}

#[test]
fn numbers_that_wrap_have_no_case() {
    let text = "int f(char c, short s) { while (c < 100) { c++; s += 3; } return s; }";
    let answer = summarize(text, &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.output.contains("whether these are all is not known"), "{answer:?}");
    assert_eq!(case(&answer, "when 99 >= c && 3 * c + 32467 >= s")[1], "c' = 100, s' = s - 3 * c + 300");
}

#[test]
fn a_loop_that_is_never_left_says_when() {
    let answer = summarize("int f(int x, int a) { while (x < 0) x = x + a; return x; }", &[]);
    assert_eq!(case(&answer, "when 0 > x && 0 >= a")[1], "it is never left");
}

#[test]
fn exits_that_hang_on_memory_are_kept() {
    let loops = [
        "void f(int *p, int n) { while (*p < n) *p = *p + 1; }",
        "int f(char *s) { int i = 0; while (s[i]) i++; return i; }",
        "int f(int *a, int n, int x) { int i = 0; while (i < n && a[i] != x) i++; return i; }",
        "int nondet(void); int f(void) { int i = 0; while (nondet()) i++; return i; }",
        "float f(float x) { while (x < 10.0f) x = x + 1; return x; }",
        "int f(int *x) { int k = 3; while (*x) { k = k; } return k; }",
    ];
    for text in loops {
        let answer = summarize(text, &[]);
        assert_eq!(answer.code, Some(3), "{text}: {answer:?}");
        assert!(answer.output.contains("  leaves   when "), "{text}: {answer:?}");
        for wrong in ["when always", "never left", "nothing changes\n"] {
            let rest = answer.output.replace("nothing changes\n      after 0 iterations", "");
            assert!(!rest.contains(wrong), "{text}: {answer:?}");
        }
    }
}

#[test]
fn an_iteration_is_an_execution_of_the_body() {
    let text = "int f(int n) { int i = 0; do i++; while (i < n); return i; }";
    let answer = summarize(text, &[]);
    assert_eq!(case(&answer, "when n > i + 1")[1..], ["i' = n", "after n - i iterations"]);
    let text = "int f(int n) { int i = 0; for (;;) { if (i >= n) break; i++; } return i; }";
    assert_eq!(case(&summarize(text, &[]), "when n > i")[1..], ["i' = n", "after n - i + 1 iterations"]);
}

#[test]
fn a_switch_has_all_its_paths() {
    let cases: String = (0..6).map(|one| format!("case {}: i += {}; break; ", 2 * one, one + 1)).collect();
    let text = format!(
        "int f(int n, int m) {{ int i = 0; while (i < n) switch (m) {{ {cases} default: i += 9; }} return i; }}"
    );
    let answer = summarize(&text, &[]);
    // Six cases, and the default below, above and five times between them.
    assert_eq!(answer.output.matches(" again    when ").count(), 13, "{answer:?}");
    let cases: String = (0..1000).map(|one| format!("case {one}: i += {one}; break; ")).collect();
    let text =
        format!("int f(int n, int m) {{ int i = 0; while (i < n) switch (m) {{ {cases} }} return i; }}");
    let answer = summarize(&text, &["--time-limit", "3"]);
    assert!(answer.output.contains("the loop has too many paths"), "{answer:?}");
}

#[test]
fn what_is_called_returns() {
    let text = "int deep(int n) { return n <= 0 ? 0 : deep(n - 1) + 1; }
        int f(int n) { int i = 0; while (i < 10) { deep(n); i++; } return i; }";
    let answer = summarize(text, &["--function", "f"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(case(&answer, "always")[1], "i' = 10", "{answer:?}");
}

#[test]
fn memory_that_others_own_can_hold_anything() {
    let text = "int limit;\nint f(int *a) { int x = *a; unsigned char i = 0; while (i < x) i++; return i; }
        int g(void) { unsigned char i = 0; while (i < limit) i++; return i; }";
    let answer = summarize(text, &[]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    let open = "exact; whether these are all is not known";
    assert_eq!(answer.output.matches(open).count(), 2, "larger limits are never reached: {answer:?}");
}

#[test]
fn paths_in_any_order_are_counted() {
    let text = "int nondet(void);
        int f(int x, int n) {
            int a = 0, b = 0;
            while (x < n) { if (nondet()) { a++; x++; } else { b++; x += 2; } }
            return a + b;
        }";
    let answer = summarize(text, &[]);
    for line in [
        "in any order       x' = x + 2 * k1 + k2, a' = a + k2, b' = b + k1   (not confirmed; k1: the iterations along q1, and so on)",
        "at the end         x + a' + 2 * b' == x' + a + 2 * b",
        "at the end         (x' == x && a' == a && b' == b) || n + 1 >= x'",
        "at the end         x' >= n",
    ] {
        assert!(answer.output.contains(line), "{line}: {answer:?}");
    }
}

#[test]
fn automata_are_drawn() {
    let text = "int f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } return x; }\n\
                void g(int n) { while (n > 0) n--; }";
    let answer = summarize(text, &["--format", "svg", "--loop", "2"]);
    assert!(answer.output.contains("<svg") && answer.output.contains("n := n - 1"), "{answer:?}");
    let answer = summarize(text, &["--format", "dot"]);
    assert_eq!(answer.output.matches("digraph").count(), 2, "{answer:?}");
    let answer = summarize(text, &["--format", "svg"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.error.contains("--loop LINE"), "{answer:?}");
}

#[test]
fn wrong_usage_is_said() {
    let good = "void f(int n) { while (n > 0) n--; }";
    for (more, said) in [
        (&["--loop", "7"][..], "no loop stands on line 7"),
        (&["--function", "g"], "no function `g`"),
        (&["--vars", "k"], "no variable `k`"),
    ] {
        let answer = summarize(good, more);
        assert_eq!(answer.code, Some(2), "{more:?}: {answer:?}");
        assert!(answer.error.contains(said), "{more:?}: {answer:?}");
    }
    let answer = summarize("", &[]);
    assert_eq!((answer.code, answer.output.as_str()), (Some(0), "no loop\n"), "{answer:?}");
    let answer = summarize("void f( {", &[]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.error.contains("a.c:1"), "{answer:?}");
    let answer = summarize("void f(int n) { while (n > 0) n--; }\nvoid g() { nowhere; }", &[]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.output.contains("a.c:1 while in f"), "what has no errors is still shown: {answer:?}");
}
