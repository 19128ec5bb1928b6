//! Integers without limits.

use loopscope_program::interpret::{Integers, Options, Outcome};

use super::Setup;

fn outcome(statements: &str) -> Outcome {
    let options = Options { integers: Integers::Mathematical, ..Options::default() };
    let text = format!(
        "function main() -> i32 {{ object a: 8 align 8 variable %x: i32 variable %u: u32 variable %b: u8
         b0: begin a {statements} return 0:i32 }}"
    );
    Setup { options, ..Setup::default() }.run(&text).0.outcome
}

#[test]
fn arithmetic_does_not_wrap() {
    for statements in [
        "%x := 2147483647:i32 check signed-overflow !overflows(%x + 1:i32) %x := %x + 1:i32 \
         check assertion 2147483647:i32 < %x",
        "%u := 0:u32 %u := %u - 1:u32 check assertion %u < 0:u32",
        "%x := 300:i32 %b := u8(%x) check assertion 255:u8 < %b",
        "%x := 1:i32 %x := (%x << 30:i32) * 4:i32 check assertion i64(%x) == 4294967296:i64",
        "%x := -7:i32 check assertion (%x / 2:i32) == -3:i32 check assertion (%x % 2:i32) == -1:i32",
        "%x := -5:i32 check assertion (%x >> 1:i32) == -3:i32 check assertion bool(%x) %x := ~%x check assertion %x == 4:i32",
        "%x := 7:i32 store &a := %x %x := load &a check assertion %x == 7:i32",
        "%x := i32(1e15:f64) check assertion i64(%x) == 1000000000000000:i64",
    ] {
        assert_eq!(outcome(statements), Outcome::Exit(0), "{statements}");
    }
}

#[test]
fn limits_of_the_interpreter_are_named() {
    let squares = "%x := 2147483647:i32 %x := %x * %x %x := %x * %x %x := %x * %x %x := %x * %x";
    assert!(
        matches!(outcome(squares), Outcome::Unsupported { reason, .. } if reason == "integer beyond 128 bits")
    );
    let store = "%x := 2147483647:i32 %x := %x + 1:i32 store &a := %x";
    assert!(matches!(outcome(store), Outcome::Unsupported { reason, .. } if reason.contains("does not fit")));
}

#[test]
fn machine_integers_wrap() {
    let text = "function main() -> i32 { variable %u: u32 variable %w: i128 variable %s: i8
         b0: %u := 0:u32 %u := %u - 1:u32 check assertion %u == 4294967295:u32
             %w := 1:i128 %w := (%w << 100:i32) + 1:i128 check assertion (%w >> 100:i32) == 1:i128
             check assertion !(%w < 0:i128)
             %s := i8(200:i32) check assertion %s == -56:i8 check assertion u32(%s) == 4294967240:u32
             %s := %s * %s check assertion %s == 64:i8
             check assertion (u8(%u) >> 4:u8) == 15:u8
             check assertion count_ones(%u) == 32:u32
             return 0:i32 }";
    assert_eq!(Setup::default().run(text).0.outcome, Outcome::Exit(0));
}
