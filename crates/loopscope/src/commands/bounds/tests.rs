//! `loopscope bounds`: formulas, nests, exit codes. The programs are after figures of the Proteus paper (section 7.1).

use crate::common::{Answer, command_on};

fn bounds(source: &str, more: &[&str]) -> Answer {
    command_on("bounds", source, more)
}

#[test]
fn a_counting_loop_is_exact() {
    let answer = bounds("void f(int n) { for (int i = 0; i < n; i++) ; }", &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    answer.says(&["a.c:1 for in f", "exactly max(n - i, 0)"]);
    answer.says(&["at start", "exactly max(n, 0)"]);
    assert_eq!(answer.last_line(), "1 loop: 1 with a bound, 1 of them exact");
}

#[test]
fn a_stride_divides_and_rounds_up() {
    let answer = bounds("void f(int n) { int i = 0; while (i < n) i += 2; }", &[]);
    answer.says(&["at start", "exactly (max(n, 0) + 1) / 2"]);
}

#[test]
fn pointers_count_by_what_the_source_compares_them_with() {
    let answer =
        bounds("int f(int *a) { int s = 0; for (int *p = a; p < a + 10; p++) s += *p; return s; }", &[]);
    answer.says(&["at start", "exactly 10"]);
    let text = "int f(int *a, int n) { int s = 0; for (int *p = a; p < a + n; p++) s += *p; return s; }";
    bounds(text, &[]).says(&["at start", "exactly max(n, 0)"]);
    let text = "int f(char *s) { int n = 0; while (*s) { s++; n++; } return n; }";
    bounds(text, &[]).says(&["a.c:1 while in f", "at most max(end(s) - s, 0)"]);
}

#[test]
fn two_ways_that_take_turns_are_counted_apart() {
    // Fig. 1: the trace that takes both ways makes 2n - x - z iterations.
    let text = "void f(int x, int z, int n) { while (x < n) { if (z > x) x++; else z++; } }";
    let answer = bounds(text, &[]);
    answer.says(&["by parts", "max(n - x, 0)", "max(n - z, 0)"]);
    answer.says(&["at start", "at most max(n - x, 0) + max(n - z, 0)"]);
}

#[test]
fn one_way_gives_the_other_back() {
    // Fig. 13(a): n·m + n, and not n·m.
    let text = "void f(int n, int m) {
        int i = 0, j = 0;
        while (i < n) { if (j < m) j++; else { j = 0; i++; } }
    }";
    let answer = bounds(text, &[]);
    answer.says(&["at start", "at most max(m, 0)*max(n, 0) + max(n, 0)"]);
}

#[test]
fn nested_loops_are_multiplied_out() {
    let text = "extern int nondet(void);
        void f(int n, int m) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) nondet(); }";
    let answer = bounds(text, &[]);
    answer.says(&["all visits", "max(m, 0)*max(n, 0)"]);
    let constant = "extern int nondet(void);
        void f(void) { for (int i = 0; i < 10; i++) for (int j = 0; j < 5; j++) nondet(); }";
    bounds(constant, &[]).says(&["all visits", "at most 50"]);
}

#[test]
fn pointers_walk_through_objects() {
    let answer = bounds("void f(int *a, int *e) { for (int *p = a; p < e; p++) *p = 1; }", &[]);
    answer.says(&["at start", "exactly (max(e - a, 0) + 3) / 4"]);
    let answer = bounds("void f(const char *p) { while (*p) p++; }", &[]);
    answer.says(&["in f", "at most max(end(p) - p, 0)"]);
}

#[test]
fn a_loop_without_a_bound_says_why() {
    let text =
        "extern int nondet(void); void f(int n) { while (n) nondet(); } void g(int n) { while (n > 0) n--; }";
    let answer = bounds(text, &[]);
    assert_eq!(answer.code, Some(3), "{}", answer.error);
    answer.says(&["in f", "no bound: no number was found"]);
    let answer = bounds(text, &["--function", "g", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    for piece in [r#""schema": 2"#, r#""exact": true"#, r#""text": "max(n, 0)""#, r#""missing": null"#] {
        assert!(answer.output.contains(piece), "{piece} is not in {}", answer.output);
    }
    let answer = bounds(text, &["--function", "h"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.error.contains("no function `h`"), "{}", answer.error);
}
