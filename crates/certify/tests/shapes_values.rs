//! Values in the check of shapes: what may be so must not be taken for impossible.
//!
//! Each program sets `c`, and goes round a loop for ever if `c` is not zero then. Of the loop nothing is claimed, so that
//! the kernel can say that the program ends only if it knows that `c` is zero.

mod source;

use base::{Budget, Index};
use evidence::{Shapes, ShapesAt};
use loopscope_certify::shapes::check_shapes;
use program::Program;
use program::interpret::Integers;

/// One symbolic heap that says nothing, at each loop of the function that is entered.
fn nothing(program: &Program) -> Shapes {
    let main = program.function_named("main").expect("there is a main");
    let body = program.functions[main].body().expect("it has a body");
    let heads = body.blocks.iter().filter(|(_, block)| block.loop_statement.is_some());
    let heap = || evidence::ShapeHeap {
        pointers: Vec::new(),
        segments: Vec::new(),
        objects: Vec::new(),
        invariants: Vec::new(),
        ranks: Vec::new(),
    };
    let place = |block| ShapesAt { calls: Vec::new(), block, heaps: vec![heap()] };
    Shapes { link: 8, size: 16, cutpoints: heads.map(|(block, _)| place(block.index())).collect() }
}

fn check(body: &str) -> Result<(), String> {
    check_with(Integers::Machine, body)
}

fn check_with(integers: Integers, body: &str) -> Result<(), String> {
    let program = source::program(&format!(
        "#include <stdlib.h>
         struct node {{ long value; struct node *next; }};
         struct pair {{ struct node *left, *right; }};
         struct node *first, *second;
         struct pair both;
         long raw[2] = {{5, 5}}, zeros[2];
         int counted = 3, table[4] = {{7, 7, 7, 7}};
         static int same(void *p, void *q) {{ return p == q; }}
         static struct node *cell(struct node *next) {{
           struct node *n = malloc(sizeof *n); n->next = next; n->value = 0; return n; }}
         static int put(struct node **where, struct node *what) {{ *where = what; return 1; }}
         static int *lost(void) {{ int own = 3; int *p = &own; return p; }}
         int main(void) {{
           int c = 0;
           {body}
           if (c) for (;;) ;
           return 0;
         }}"
    ));
    let main = program.function_named("main").expect("there is a main");
    let mut budget = Budget::steps(50_000_000);
    check_shapes(&program, main, integers, &nothing(&program), &mut budget)
        .map(|_| ())
        .map_err(|refusal| refusal.to_string())
}

#[test]
fn numbers_without_bounds_are_beyond_their_types() {
    let text = "int i = nondet(); c = i > 2147483647;";
    assert_eq!(check_with(Integers::Machine, text), Ok(()));
    assert!(check_with(Integers::Mathematical, text).is_err());
}

/// The loop may be entered.
#[track_caller]
fn may_be(bodies: &[&str]) {
    for body in bodies {
        let answer = check(body);
        assert!(answer.as_ref().is_err_and(|why| why.contains("no rank gets less")), "{body}: {answer:?}");
    }
}

/// The loop is never entered, and nothing goes wrong.
#[track_caller]
fn never(bodies: &[&str]) {
    for body in bodies {
        assert_eq!(check(body), Ok(()), "{body}");
    }
}

/// Something else stands in the way.
#[track_caller]
fn refused(bodies: &[&str], why: &str) {
    for body in bodies {
        let answer = check(body);
        assert!(answer.as_ref().is_err_and(|reason| reason.contains(why)), "{body}: {answer:?}");
    }
}

#[test]
fn unsigned_numbers_wrap() {
    may_be(&[
        "unsigned u = nondet(); if (u > 10 && u + 1 < 5) c = 1;",
        "unsigned u = nondet(); if (u < 5 && u - 1 > 10) c = 1;",
        "unsigned u = nondet(); if (u + 1 == 0) c = 1;",
        "unsigned u = nondet(); if (u - 1 == 4294967295u) c = 1;",
        "unsigned u = nondet(); if (u > 10 && u * 2 < 5) c = 1;",
    ]);
    never(&[
        "unsigned u = nondet(); if (u < 10 && u + 1 > 10) c = 1;",
        "unsigned u = nondet(); if (u > 5 && u - 1 < 5) c = 1;",
        "unsigned u = nondet(); if (u < 0) c = 1;",
    ]);
}

#[test]
fn conversions_lose_bits() {
    may_be(&[
        "int x = nondet(); signed char s = x; if (x > 200 && s < 0) c = 1;",
        "int x = nondet(); unsigned char s = x; if (x == 256 && s == 0) c = 1;",
        "int x = nondet(); unsigned s = x; if (x == -1 && s > 5) c = 1;",
        "unsigned u = nondet(); int s = u; if (u > 2147483647u && s < 0) c = 1;",
        "long x = nondet(); x = x * 4096; int s = x; if (x > 5 && s < 5) c = 1;",
        "_Bool b = nondet(); if (b) c = 1;",
        "_Bool b = nondet(); if (!b) c = 1;",
        "int x = nondet(); _Bool b = x; if (b && x == 2) c = 1;",
        "int x = nondet(); if ((x == 2) + 1 == 2) c = 1;",
        "int x = nondet(); if ((x == 2) + 1 == 1) c = 1;",
    ]);
    never(&[
        "int x = nondet(); signed char s = x; if (x >= 0 && x < 100 && s < 0) c = 1;",
        "int x = nondet(); _Bool b = x; if (b && x == 0) c = 1;",
        "int x = nondet(); _Bool b = x; if (!b && x == 2) c = 1;",
        "int x = nondet(); if ((x == 2) + 1 > 2) c = 1;",
        "unsigned char s = nondet(); if (s > 255) c = 1;",
        "signed char s = nondet(); if (s < -128) c = 1;",
    ]);
}

#[test]
fn an_overflow_gives_any_number() {
    may_be(&[
        "int x = nondet(); if (x > 0 && x + 1 < 0) c = 1;",
        "int x = nondet(); if (x > 0 && x + 1 == 5 && x > 10) c = 1;",
        "int x = nondet(); if (x < 0 && x - 1 > 0) c = 1;",
        "int x = nondet(); if (x < 0 && -x < 0) c = 1;",
        "int x = nondet(); if (x > 0 && x * 3 < 0) c = 1;",
        "int x = nondet(), y = nondet(); if (x > 0 && y > 0 && x + y < 0) c = 1;",
        "int x = nondet(), y = nondet(); if (x * y == 7) c = 1;",
    ]);
    never(&[
        "int x = nondet(); if (x > 0 && x < 100 && x + 1 < 0) c = 1;",
        "int x = nondet(); if (x > 0 && -x > 0) c = 1;",
        "int x = nondet(); if (x > 0 && x < 100 && x * 3 < 3) c = 1;",
    ]);
}

#[test]
fn quotients_round_towards_zero() {
    may_be(&[
        "int x = nondet(); if (x < 0 && x / 2 > x) c = 1;",
        "int x = nondet(); if (x < 0 && x % 3 < 0) c = 1;",
        "int x = nondet(); if (x / 2 == x) c = 1;",
        "int x = nondet(); if (x > 0 && x / 1 == x) c = 1;",
        "int x = nondet(); if (x > 5 && x % 3 == 0) c = 1;",
        "int x = nondet(); if (x > 5 && x % 3 == 2) c = 1;",
        "int x = nondet(); if (x == 0 && x % 3 == 0) c = 1;",
        "int x = nondet(), d = nondet(); if (d < 0 && x > 0 && x / d < 0) c = 1;",
        "int x = nondet(), d = nondet(); if (d < -9 && x > 0 && x % d > 3) c = 1;",
        "int x = nondet(), d = nondet(); if (d > 0 && x < -9 && x / d < -5) c = 1;",
        "int x = nondet(); if (x > 0 && x / 2 == 0) c = 1;",
    ]);
    never(&[
        "int x = nondet(); if (x > 0 && x / 2 > x) c = 1;",
        "int x = nondet(); if (x > 0 && x % 3 == 3) c = 1;",
        "int x = nondet(); if (x >= 0 && x % 3 < 0) c = 1;",
    ]);
    refused(
        &["int x = nondet(); if (7 / x == 9) c = 0;", "int x = nondet(); if (x >= 0) c = 0 % x;"],
        "division",
    );
}

#[test]
fn conditions_are_what_they_say() {
    may_be(&[
        "int x = nondet(); if (x < 5 && x > 3) c = 1;",
        "int x = nondet(); if (x <= 5 && x >= 5) c = 1;",
        "int x = nondet(); if (x != 5 && x >= 5) c = 1;",
        "int x = nondet(); if (!(x < 5) && !(x > 5)) c = 1;",
        "int x = nondet(); if (!(x < 5 || x > 5)) c = 1;",
        "int x = nondet(); if (!(x < 5 && x > 2)) c = 1;",
        "int x = nondet(), y = nondet(); if ((x < 5) == (y < 5) && x > 7) c = 1;",
        "int x = nondet(), y = nondet(); if ((x < 5) != (y < 5) && x > 7) c = 1;",
        "int x = nondet(), y = nondet(); if (((x < 5) ^ (y < 5)) && x > 7) c = 1;",
        "int x = nondet(), y = nondet(); if (((x < 5) | (y < 5)) && x > 7) c = 1;",
        "int x = nondet(), y = nondet(); if (((x < 5) & (y < 5)) && x < 4) c = 1;",
        "int x = nondet(); if ((x & 6) == 4) c = 1;",
        "int x = nondet(); if ((x | 1) == 5) c = 1;",
        "int x = nondet(); c = x > 3 ? x < 5 : 0;",
        "int x = nondet(), y = x > 3 ? 1 : 2; if (y == 2) c = 1;",
        "int x = nondet(), y = x > 3 ? 1 : 2; if (y == 1) c = 1;",
        "double d = nondet(); if (d < 1.5) c = 1;",
        "double d = nondet(); if (!(d < 1.5)) c = 1;",
    ]);
    never(&[
        "int x = nondet(); if (x < 5 && x > 4) c = 1;",
        "int x = nondet(); if (x <= 5 && x > 5) c = 1;",
        "int x = nondet(); if (!(x < 5) && x < 5) c = 1;",
        "int x = nondet(); if (!(x < 5 || x > 5) && x != 5) c = 1;",
        "int x = nondet(), y = x > 3 ? 1 : 2; if (y == 2 && x > 3) c = 1;",
        "int x = nondet(), y = nondet(); if ((x < 5) != (y < 5) && x > 7 && y > 7) c = 1;",
        "if (counted == 4) c = 1;",
    ]);
}

#[test]
fn a_switch_takes_every_case() {
    let text = |x: &str| {
        format!(
            "int x = nondet(); if ({x}) switch (x) {{ case 1: c = 0; break; case 2 ... 4: c = x == 3; break; default: c = x == 9; }}"
        )
    };
    may_be(&[&text("1"), &text("x < 5"), &text("x > 4"), &text("x >= 3 && x <= 3"), &text("x == 9")]);
    never(&[&text("x < 3"), &text("x == 4"), &text("x == 1"), &text("x > 9"), &text("x == 5")]);
}

#[test]
fn addresses_of_objects_may_be_compared() {
    may_be(&[
        "struct node x, y; if (!same(&x, &y)) c = 1;",
        "struct node x; if (same(&x, &x)) c = 1;",
        "struct node x; if (!same(&x, &x.next)) c = 1;",
        "struct node *x = cell(0), *y = cell(0); if (!same(x, y)) c = 1;",
        "struct node *x = cell(0); if (same(x, x)) c = 1;",
        "struct node *x = cell(0); if (!same(x, 0)) c = 1;",
        "struct node *x = cell(0); if (!same(x, &x->next)) c = 1;",
        "if (same(first, 0)) c = 1;",
        "if (same(first, second)) c = 1;",
        // One past the end of an object may be where another one starts.
        "int x[2], y[2]; if (same(x + 2, y)) c = 1;",
        "struct node *x = cell(0), *y = cell(0); if (same(x + 1, y)) c = 1;",
        "struct node *x = cell(0), *y = x; free(x); x = cell(0); if (same(x, y)) c = 1;",
        "int *x = lost(); if (same(x, 0)) c = 1;",
        "int *x = lost(); if (!same(x, 0)) c = 1;",
    ]);
    never(&[
        "struct node *x = cell(0), *y = cell(0); if (same(x, y)) c = 1;",
        "struct node *x = cell(0); if (same(x, 0)) c = 1;",
        "struct node *x = cell(0); if (same(x, &x->next)) c = 1;",
        "struct node x; if (!same(&x, &x)) c = 1;",
        "if (!same(first, 0)) c = 1;",
    ]);
}

#[test]
fn links_are_followed_and_other_fields_are_not() {
    may_be(&[
        "struct node *y = cell(0), *x = cell(y); if (x->next == y) c = 1;",
        "struct node *x = cell(0); if (x->next == 0) c = 1;",
        "struct node *x = cell(0); if (x->value == 5) c = 1;",
        "struct node *x = cell(0); x->value = 1; if (x->value == 5) c = 1;",
        // The bits of two links may agree in part.
        "struct node *x = cell(0), *y = cell(x); x->next = y;
         if (*(int *)&x->next == *(int *)&y->next) c = 1;",
        "struct node *x = cell(0); *(long *)&x->next = nondet(); if (x->next) c = 1;",
        "struct node *x = cell(0); ((char *)x)[8] = 3; if (x->next) c = 1;",
        "struct node *x = cell(0); ((char *)x)[15] = 3; if (x->next) c = 1;",
        "struct node *x = cell(0), *y = cell(x); *x = *y; if (x->next) c = 1;",
        "struct node *x = malloc(sizeof *x); if (x->next) c = 1;",
        "struct node *x = malloc(sizeof *x); if (!x->next) c = 1;",
        "struct node *x = calloc(1, sizeof *x); if (!x->next) c = 1;",
    ]);
    never(&[
        "struct node *x = cell(0); if (x->next != 0) c = 1;",
        "struct node *y = cell(0), *x = cell(y); if (x->next != y) c = 1;",
        "struct node *x = cell(0); ((char *)x)[7] = 3; if (x->next) c = 1;",
        "struct node *x = calloc(1, sizeof *x); if (x->next) c = 1;",
        "struct node *x = cell(0), *y = cell(x); x->next = y; y->next = 0; if (x->next->next) c = 1;",
    ]);
}

#[test]
fn pointers_in_objects_are_followed_until_they_are_overwritten() {
    may_be(&[
        "both.left = cell(0); if (both.left) c = 1;",
        "both.left = cell(0); both.left = 0; if (!both.left) c = 1;",
        "both.left = cell(0); *(long *)&both.left = nondet(); if (!both.left) c = 1;",
        "both.left = cell(0); ((char *)&both)[3] = 1; if (!both.left) c = 1;",
        "both.right = cell(0); ((char *)&both)[8] = 1; if (!both.right) c = 1;",
        "both.left = cell(0); put(&both.left, 0); if (!both.left) c = 1;",
        "struct pair own; own.left = cell(0); put(&own.left, 0); if (!own.left) c = 1;",
        "struct pair own; if (own.left) c = 1;",
        "struct pair own; own.left = own.right = cell(0); free(own.right); if (own.left == 0) c = 1;",
        "first = cell(0); put(&second, first); if (first == second) c = 1;",
        // What stands in an object at the start is null only if it is zero.
        "put((struct node **)&raw[1], 0); if (*(struct node **)raw) c = 1;",
        "put((struct node **)&zeros[1], cell(0)); if (!*(struct node **)zeros) c = 1;",
    ]);
    never(&[
        "if (both.left) c = 1;",
        "put((struct node **)&zeros[1], cell(0)); if (*(struct node **)zeros) c = 1;",
        "both.left = cell(0); if (!both.left) c = 1;",
        "both.left = cell(0); both.right = 0; if (!both.left) c = 1;",
        "both.left = cell(0); ((char *)&both)[8] = 1; if (!both.left) c = 1;",
        "struct pair own; own.left = cell(0); if (!own.left) c = 1;",
    ]);
}

#[test]
fn what_goes_wrong_is_no_end() {
    let why = "";
    refused(
        &[
            "struct node *x = 0; x->value = 1;",
            "struct node *x = cell(0); x->next->value = 1;",
            "struct node *x = 0; if (x->value) c = 0;",
            "struct node *x = 0; if (x->next) c = 0;",
            "struct node *x = cell(0); free(x); if (x->next) c = 0;",
            "struct node *x = cell(0), *y = 0; *x = *y;",
            "struct node *x = cell(0), *y = cell(0); free(y); *x = *y;",
            "struct node *x = cell(0), *y = 0; *y = *x;",
            "if (table[4]) c = 0;",
            "if (table[-1]) c = 0;",
            "struct node *x = cell(0); free(x); x->value = 1;",
            "struct node *x = cell(0); free(x); free(x);",
            "struct node *x = cell(0), *y = cell(x); y->next = 0; free(x); c = x->value > 0; c = 0;",
            "struct node *x = cell(0); free(&x->next);",
            "struct node x; free(&x);",
            "struct node *x = cell(0); ((long *)x)[2] = 1;",
            "struct node *x = cell(0); ((long *)x)[-1] = 1;",
            "struct node *x = cell(0); *(long *)((char *)x + 9) = 1;",
            "table[4] = 1;",
            "table[-1] = 1;",
            "*(int *)\"text\" = 1;",
            "int *x = lost(); *x = 1;",
            "int *x; { int own = 1; x = &own; } *x = 1;",
            "struct node *x = malloc(nondet()); x->next = 0;",
            "struct node *x = malloc(8); x->next = 0;",
            "int x = nondet(); x = x << 40;",
            "second->value = 1;",
            "struct node **x = (struct node **)&table[3]; *x = 0;",
            "__builtin_unreachable();",
        ],
        why,
    );
    never(&[
        "struct node *x = cell(0); free(x);",
        "struct node *x = cell(0); ((long *)x)[1] = 0;",
        "table[3] = 1;",
        "table[0] = 1;",
        "free(0);",
        "int x = nondet(); if (x > 5) if (x < 5) { second->value = 1; free(table); }",
    ]);
}
