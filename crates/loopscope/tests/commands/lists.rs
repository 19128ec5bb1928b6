//! Termination of programs with linked lists: proofs by the lengths of their parts, checked once more from their witnesses.

use crate::common::{Answer, Folder};

/// A program that makes a list of any length, and then does something with it.
fn program(then: &str) -> String {
    format!(
        "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ int value; struct node *next; }};
int main(void) {{
  int n = __VERIFIER_nondet_int();
  struct node *head = 0;
  for (int i = 0; i < n; i++) {{
    struct node *made = malloc(sizeof *made);
    made->value = i;
    made->next = head;
    head = made;
  }}
  struct node *p = head;
  {then}
  return 0;
}}
"
    )
}

const WALK: &str = "while (p) { p->value = 1; p = p->next; }";

fn verify(folder: &Folder) -> Answer {
    folder.run(&["verify", "--property", "termination", "--time-limit", "10", "--witness", "w.yml", "a.c"])
}

fn certify(folder: &Folder, witness: &str, more: &[&str]) -> Answer {
    std::fs::write(folder.path().join("w.yml"), witness).expect("the file can be written");
    let mut arguments = vec!["certify", "w.yml", "a.c", "--time-limit", "10"];
    arguments.extend(more);
    folder.run(&arguments)
}

fn text(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path().join("w.yml")).expect("there is a witness")
}

#[test]
fn a_walk_ends_and_its_witness_says_why() {
    let folder = Folder::with("a.c", program(WALK));
    let answer = verify(&folder);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    let witness = text(&folder);
    assert!(witness.contains("        shapes {"), "{witness}");
    let answer = certify(&folder, &witness, &[]);
    assert_eq!(answer.last_line(), "TRUE", "{answer:?}");
    let answer = certify(&folder, &witness, &["--property", "memsafety"]);
    assert_eq!(answer.code, Some(3), "it shows termination alone: {answer:?}");
}

#[test]
fn a_witness_of_a_walk_is_none_of_another_program() {
    let folder = Folder::with("a.c", program(WALK));
    assert_eq!(verify(&folder).last_line(), "TRUE");
    let witness = text(&folder);
    let twins = [
        "while (p) { p->value = 1; p = p->next ? p->next : p; }",
        "while (p) { p->next = p; p = p->next; }",
        "while (p) { p->value = 1; p = head; }",
        "if (p) p->next = p; while (p) { p->value = 1; p = p->next; }",
    ];
    for twin in twins {
        std::fs::write(folder.path().join("a.c"), program(twin)).expect("the file can be written");
        let answer = certify(&folder, &witness, &[]);
        assert_ne!(answer.last_line(), "TRUE", "{twin}: {answer:?}");
    }
}

#[test]
fn a_tampered_witness_is_refused() {
    let folder = Folder::with("a.c", program(WALK));
    assert_eq!(verify(&folder).last_line(), "TRUE");
    let witness = text(&folder);
    for (old, new) in [
        ("\"ranks\":[{", "\"ranks\":[],\"rank\":[{"),
        ("\"null\"", "\"unknown\""),
        ("\"link\":8", "\"link\":0"),
    ] {
        assert!(witness.contains(old), "{old} in {witness}");
        let answer = certify(&folder, &witness.replace(old, new), &[]);
        assert_ne!(answer.last_line(), "TRUE", "{old}: {answer:?}");
    }
    let answer = certify(&folder, &witness.replace("\"link\":8", "\"link\":x"), &[]);
    assert!(answer.error.contains("no shapes of lists"), "{answer:?}");
}

#[test]
fn every_loop_of_a_nest_over_a_list_stops() {
    let nest = "for (; p; p = p->next) for (struct node *q = p->next; q; q = q->next) q->value++;";
    let folder = Folder::with("a.c", program(nest));
    let answer = folder.run(&["terminates", "--time-limit", "20", "a.c"]);
    assert!(answer.output.contains("parts of linked lists get shorter"), "{}", answer.output);
    assert!(answer.output.contains("3 loops: 3 stop"), "{}", answer.output);
}

#[test]
fn walks_that_need_not_end_are_not_proved() {
    let infinite = [
        "while (p) if (__VERIFIER_nondet_int()) p = p->next;",
        "if (p) { p->next = p; while (p) p = p->next; }",
        "for (; p; p = p->next) if (p->value == 7) { struct node *q = malloc(sizeof *q); q->value = 7; q->next = p->next; p->next = q; }",
    ];
    for then in infinite {
        let folder = Folder::with("a.c", program(then));
        let answer = folder.run(&["verify", "--property", "termination", "--time-limit", "4", "a.c"]);
        assert_ne!(answer.last_line(), "TRUE", "{then}");
    }
}

/// A program that puts cells into a list through the address of its head.
fn by_address(insert: &str) -> String {
    format!(
        "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ int value; struct node *next; }};
static void insert(struct node **place, int value) {{
  struct node *made = malloc(sizeof *made);
  made->value = value;
  {insert}
}}
int main(void) {{
  int n = __VERIFIER_nondet_int();
  struct node *head = 0;
  for (int i = 0; i < n; i++) insert(&head, i);
  while (head) head = head->next;
  return 0;
}}
"
    )
}

#[test]
fn a_head_that_is_passed_by_its_address_is_followed() {
    let in_order = "struct node *p = *place;
  if (!p || p->value >= value) { made->next = p; *place = made; return; }
  while (p->next && p->next->value < value) p = p->next;
  made->next = p->next;
  p->next = made;";
    let cases = [
        ("made->next = *place; *place = made;", true),
        (in_order, true),
        ("made->next = *place ? *place : made; *place = made;", false),
        ("*place = made; made->next = *place;", false),
    ];
    for (insert, ends) in cases {
        let folder = Folder::with("a.c", by_address(insert));
        let answer = verify(&folder);
        assert_eq!(answer.last_line() == "TRUE", ends, "{insert}: {answer:?}");
        if ends {
            let answer = certify(&folder, &text(&folder), &[]);
            assert_eq!(answer.last_line(), "TRUE", "{insert}: {answer:?}");
        }
    }
}
