//! `loopscope variance --domain shape`: lists are told in words, and what the kernel confirms is said to be confirmed.

mod common;

use common::{Answer, Folder};

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

fn variance(source: &str, more: &[&str]) -> Answer {
    let folder = Folder::with("a.c", source);
    let mut arguments = vec!["variance", "--domain", "shape"];
    arguments.extend(more);
    arguments.push("a.c");
    folder.run(&arguments)
}

#[test]
fn lists_are_told_with_their_lengths() {
    let answer = variance(WALK, &[]);
    let contains = |text: &str| assert!(answer.output.contains(text), "{text} in {}", answer.output);
    contains("length(p to null) decreases");
    contains("every run of main ends: all local termination predicates hold (kernel: confirmed)");
    assert_eq!(answer.code, Some(0), "{}", answer.error);
}

#[test]
fn a_line_can_be_asked_for() {
    let answer = variance(WALK, &["--at", "12"]);
    assert!(answer.output.contains("line 12 is visited infinitely often only if"), "{}", answer.output);
    assert!(!answer.output.contains("line 5 "), "{}", answer.output);
}

#[test]
fn a_program_without_lists_is_one_of_numbers() {
    let answer = variance("int main(void) { for (int i = 0; i < 9; i++) ; return 0; }", &[]);
    assert!(answer.output.contains("(kernel: confirmed)"), "{}", answer.output);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
}
