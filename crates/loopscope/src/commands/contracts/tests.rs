//! `loopscope contracts`: what is found, that it is proved, what is refuted, and how it is written.

use crate::common::{Answer, command_on};

fn contracts(source: &str) -> Answer {
    command_on("contracts", source, &[])
}

#[test]
fn an_array_is_as_long_as_a_parameter_says() {
    let answer = contracts("void clear(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }");
    answer.says(&["clear: proved"]);
    answer.says(&[r"requires  \valid(a + (0 .. n - 1))"]);
    answer.says(&[r"assigns   *(a + (0 .. n - 1))"]);
    answer.says(&["cost      at most max(n, 0) iterations  O(n)"]);
    assert_eq!(answer.code, Some(0));
}

#[test]
fn numbers_in_structures_say_how_long_arrays_are() {
    let text = "struct buffer { char *data; int size; int used; };
        int push(struct buffer *b, char c) {
            if (b->used >= b->size) return -1;
            b->data[b->used++] = c;
            return 0;
        }
        char first(const struct buffer *b) { return b->used > 0 ? b->data[b->used - 1] : 0; }";
    let answer = contracts(text);
    answer.says(&["push: proved"]);
    answer.says(&[r"requires  \valid(b)"]);
    answer.says(&["b->data"]);
    answer.says(&["first: proved"]);
}

#[test]
fn what_is_followed_only_sometimes_is_required_only_then() {
    let answer = contracts("int get(int *a, int n, int i) { if (i < n) return a[i]; return 0; }");
    answer.says(&["get: proved"]);
    answer.says(&["requires  i >= 0 || n <= i"]);
}

#[test]
fn a_string_ends() {
    let answer = contracts("unsigned length(const char *s) { unsigned n = 0; while (s[n]) n++; return n; }");
    answer.says(&["length:"]);
    answer.says(&["string"]);
}

#[test]
fn what_no_contract_repairs_is_listed_with_a_run() {
    let answer = contracts("int half(int a, int b) { return a / b; }");
    answer.says(&["half: not proved"]);
    answer.says(&["requires  b != 0"]);
    answer.says(&["signed-overflow, with a = -2147483648, b = -1"]);
    assert_eq!(answer.code, Some(3));
}

#[test]
fn stated_contracts_are_checked() {
    let right = "/*@ requires 0 <= n <= 100; assigns \\nothing; ensures \\result == 2 * n; */
        int twice(int n) { int s = 0; for (int i = 0; i < n; i++) s += 2; return s; }";
    let answer = contracts(right);
    answer.says(&["twice: proved, as stated"]);
    assert_eq!(answer.code, Some(0));
    let answer = contracts(&right.replace("2 * n", "3 * n"));
    answer.says(&["twice: refuted, as stated"]);
    answer.says(&["fails"]);
    assert_eq!(answer.code, Some(1));
    let answer = contracts(&right.replace("<= 100", "<= 2000000000"));
    answer.says(&["twice: not proved, as stated"]);
    answer.says(&["signed-overflow"]);
}

#[test]
fn what_a_stated_contract_says_to_stay_does() {
    let text = "int seen;
        /*@ requires \\valid(p); assigns *p; ensures *p == 3; */
        void set(int *p) { *p = 3; EFFECT }";
    let answer = contracts(&text.replace("EFFECT", ""));
    answer.says(&["set: proved, as stated"]);
    let answer = contracts(&text.replace("EFFECT", "seen = 1;"));
    answer.says(&["set: not proved, as stated"]);
    answer.says(&["that it does not assign seen"]);
}

#[test]
fn a_clause_that_is_not_read_is_a_warning_at_its_place() {
    let text = "/*@ requires n >= 0;\n    ensures \\initialized(&n); */\nint same(int n) { return n; }";
    let answer = contracts(text);
    assert!(answer.error.contains("a.c:2:5") && answer.error.contains("is not read"), "{}", answer.error);
    answer.says(&["same: proved, as stated"]);
}

#[test]
fn contracts_are_written_to_be_pasted() {
    let text = "void clear(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }";
    let answer = command_on("contracts", text, &["--format", "acsl"]);
    answer.says(&["// clear at"]);
    answer.says(&["/*@ requires \\valid(a + (0 .. n - 1));"]);
    answer.says(&["*/"]);
    let answer = command_on("contracts", text, &["--format", "cbmc"]);
    answer.says(&["__CPROVER_requires("]);
    answer.says(&["__CPROVER_assigns("]);
}

#[test]
fn a_pointer_that_needs_no_bytes_may_be_null() {
    let text = "int first(int *a, int n) { if (n <= 0) return a == 0; return a[n - 1]; }";
    let answer = contracts(text);
    answer.says(&["first: proved"]);
    let text = format!("#include <assert.h>\n{}", text.replace("return a == 0;", "assert(a != 0);"));
    let answer = contracts(&text);
    answer.says(&["first: proved"]);
    answer.says(&["requires  n > 0"]);
}
