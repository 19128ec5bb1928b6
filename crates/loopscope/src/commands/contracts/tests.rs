//! `loopscope contracts`: what is found, and that it is proved.

use crate::common::{Answer, command_on};

fn contracts(source: &str) -> Answer {
    command_on("contracts", source, &[])
}

#[test]
fn an_array_is_as_long_as_a_parameter_says() {
    let answer = contracts("void clear(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }");
    answer.says(&["clear: proved", "a points to 4*n bytes", "changes   *a"]);
    assert_eq!(answer.code, Some(0));
}

#[test]
fn a_string_ends() {
    let answer = contracts("int length(const char *s) { int n = 0; while (s[n]) n++; return n; }");
    answer.says(&["s points to a string"]);
}
