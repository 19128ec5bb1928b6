//! `loopscope variance`: assertions, local termination predicates and exit codes.

use crate::common::{Answer, command_on};

/// The program of Fig. 2 of the paper, from line 3 on.
const FIGURE_2: &str = "extern int nondet(void); int main(void) {
    int x = nondet(), y = nondet(), a = nondet(), b = nondet();
    while (nondet()) {
        while (x > a && y > b) {
            if (nondet()) {
                do {
                    x = x - 1;
                } while (x > 10);
            } else {
                y = y - 1;
            }
        }
    }
    return 0;
}
";

fn variance(source: &str, more: &[&str]) -> Answer {
    command_on("variance", source, more)
}

#[test]
fn every_loop_is_told_with_its_assertions() {
    let answer = variance(FIGURE_2, &["--integers", "mathematical"]);
    assert_eq!(answer.code, Some(3), "{}", answer.error);
    let lines: Vec<&str> = answer.output.lines().collect();
    assert!(lines.iter().any(|line| line.contains("x <= x@before - 1")), "{}", answer.output);
    assert!(
        lines.iter().any(|line| line.contains("not shown that line 3 is visited infinitely often only if"))
    );
    assert!(lines.iter().any(|line| line.contains("holds") && line.contains("the loop of line 4 is left")));
    assert_eq!(answer.last_line(), "not shown that every run of main ends");
}

#[test]
fn a_line_can_be_asked_for() {
    let answer = variance(FIGURE_2, &["--integers", "mathematical", "--at", "5"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
    assert!(answer.output.contains("invariance  x >= a + 1, y >= b + 1"), "{}", answer.output);
    assert!(answer.output.contains("kernel: confirmed"), "{}", answer.output);
    let answer = variance(FIGURE_2, &["--at", "99"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.error.contains("line 99"), "{}", answer.error);
}

#[test]
fn a_program_that_ends_is_confirmed_by_the_kernel() {
    let text = "extern int nondet(void); int main(void) { int x = nondet(); while (x > 0) x--; return 0; }";
    for domain in ["octagon", "polyhedra"] {
        let answer = variance(text, &["--domain", domain]);
        assert_eq!(answer.code, Some(0), "{}{}", answer.output, answer.error);
        assert!(answer.last_line().contains("every run of main ends"), "{}", answer.output);
    }
    let answer = variance(text, &["--json"]);
    assert!(answer.output.contains("\"local_termination\": \"confirmed\""), "{}", answer.output);
    assert!(answer.output.contains("\"terminates\": \"confirmed\""), "{}", answer.output);
}

/// A program that makes a list and walks over it.
const WALK: &str = "#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 10; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh) return 1;
        fresh->next = head;
        head = fresh;
    }
    for (struct node *p = head; p; p = p->next)
        p->value = 1;
    return 0;
}
";

fn shapes(source: &str, more: &[&str]) -> Answer {
    variance(source, &[&["--domain", "shape"], more].concat())
}

#[test]
fn lists_are_told_with_their_lengths() {
    let answer = shapes(WALK, &[]);
    let contains = |text: &str| assert!(answer.output.contains(text), "{text} in {}", answer.output);
    contains("length(p to null) decreases");
    contains("every run of main ends: all local termination predicates hold (kernel: confirmed)");
    assert_eq!(answer.code, Some(0), "{}", answer.error);
}

#[test]
fn a_line_can_be_asked_for_with_lists() {
    let answer = shapes(WALK, &["--at", "12"]);
    assert!(answer.output.contains("line 12 is visited infinitely often only if"), "{}", answer.output);
    assert!(!answer.output.contains("line 5 "), "{}", answer.output);
}

#[test]
fn a_program_without_lists_is_one_of_numbers() {
    let answer = shapes("int main(void) { for (int i = 0; i < 9; i++) ; return 0; }", &[]);
    assert!(answer.output.contains("(kernel: confirmed)"), "{}", answer.output);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
}
