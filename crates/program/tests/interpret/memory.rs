//! Pointers, bytes and lives of objects.

use loopscope_program::interpret::{Options, Outcome};

use super::{Setup, checked};

/// Runs the statements of a `main` that returns `%r`.
fn result(declarations: &str, statements: &str) -> Outcome {
    let text = format!(
        "external malloc(u64) -> ptr external free(ptr) external memcpy(ptr, ptr, u64) -> ptr
         function main() -> i32 {{ variable %r: i32 {declarations} b0: %r := 0:i32 {statements} return %r }}"
    );
    checked(&text).outcome
}

#[test]
fn values_of_all_types_survive_memory() {
    for (ty, value) in [
        ("i8", "-5:i8"),
        ("u16", "65000:u16"),
        ("i64", "-9000000000000000000:i64"),
        ("u64", "18446744073709551615:u64"),
        ("i128", "-170141183460469231731687303715884105728:i128"),
        ("i24", "-8388608:i24"),
        ("f32", "1.5:f32"),
        ("f64", "-0.0:f64"),
        ("f80", "0x3fff8000000000000001:f80"),
        ("ptr", "(&a + 3:i64)"),
        ("ptr", "function(main)"),
    ] {
        let declarations = format!("object a: 16 align 16 variable %x: {ty}");
        let statements = format!("begin a store &a := {value} %x := load &a %r := i32(%x == {value})");
        assert_eq!(result(&declarations, &statements), Outcome::Exit(1), "{ty} {value}");
    }
}

#[test]
fn pointers_survive_bytewise_copies_and_integers() {
    let declarations = "object a: 8 align 8 object b: 8 align 8 object c: 4 align 4 variable %p: ptr variable %x: u8 \
                        variable %n: u64";
    let mut statements = String::from("begin a begin b begin c store &a := &c ");
    for offset in 0..8 {
        statements += &format!("%x := load &a + {offset}:i64 store &b + {offset}:i64 := %x ");
    }
    statements += "%p := load &b store %p := 7:i32 %r := load &c";
    assert_eq!(result(declarations, &statements), Outcome::Exit(7));
    let statements = "begin c %n := u64(&c + 2:i64) %p := ptr(%n - 2:u64) store %p := 9:i32 %r := load &c";
    let run = checked(&format!(
        "function main() -> i32 {{ variable %r: i32 {declarations} b0: {statements} return %r }}"
    ));
    assert_eq!(run.outcome, Outcome::Exit(9));
    assert!(run.imprecise.is_some(), "an address became a number");
}

#[test]
fn pointers_in_initial_values_point_to_their_objects() {
    let text = "object $a: 16 align 8 = x\"\" pointers { 0: &$b + 4, 8: function(f) }
         object $b: 8 align 4 = x\"0000000005000000\"
         function f() -> i32 { b0: return 2:i32 }
         function main() -> i32 { variable %p: ptr variable %x: i32 variable %y: i32
         b0: %p := load &$a %x := load %p %p := load &$a + 8:i64 %y := call *%p() return (%x * 10:i32) + %y }";
    assert_eq!(checked(text).outcome, Outcome::Exit(52));
}

#[test]
fn the_small_data_model_has_small_pointers() {
    let text = "data_model ILP32
         external malloc(u32) -> ptr
         variable $keep: ptr = null
         function main() -> i32 { object a: 8 align 4 variable %p: ptr variable %x: i32 variable %n: u32
         b0: begin a %p := call malloc(4:u32) $keep := %p store &a := %p store &a + 4:i32 := 5:i32
             %p := load &a store %p := 6:i32 %x := load %p return %x }";
    assert_eq!(checked(text).outcome, Outcome::Exit(6));
}

#[test]
fn pointer_comparisons() {
    let declarations = "object a: 8 align 4 object b: 8 align 4";
    let expect = |expression: &str, value: i32| {
        let statements = format!("begin a begin b %r := i32({expression})");
        assert_eq!(result(declarations, &statements), Outcome::Exit(value), "{expression}");
    };
    expect("&a == &a", 1);
    expect("&a == &b", 0);
    expect("&a != null", 1);
    expect("&a < (&a + 4:i64)", 1);
    expect("bool(&a)", 1);
    expect("bool(null)", 0);
    expect("i32((&a + 8:i64) - (&a + 2:i64)) == 6:i32", 1);
    let text = "function main() -> i32 { object a: 4 align 4 object b: 4 align 4 variable %r: i32
         b0: begin a begin b %r := i32(&a < &b) return 0:i32 }";
    assert!(checked(text).imprecise.is_some());
}

#[test]
fn aggregates_are_copied_with_what_was_not_written() {
    let declarations = "object a: 8 align 4 object b: 8 align 4";
    let statements = "begin a begin b store &a := 3:i32 copy &b, &a, 8:u64 %r := load &b";
    assert_eq!(result(declarations, statements), Outcome::Exit(3));
    let statements = "begin a begin b store &a := 3:i32 copy &b, &a, 8:u64 check readable &b, 8:u64";
    assert!(matches!(result(declarations, statements), Outcome::Violation(_)));
    let statements = "begin a store &a := 258:i32 copy &a + 1:i64, &a, 4:u64 %r := load &a";
    assert_eq!(result(declarations, statements), Outcome::Exit(2));
}

#[test]
fn variable_length_arrays_and_alloca() {
    let text = "function main() -> i32 {
           variable %i: i32 variable %n: u64 variable %p: ptr variable %r: i32
           object v: unsized align 4
         b0: %i := 0:i32 %r := 0:i32 goto b1
         b1: if %i < 10:i32 goto b2 else b3
         b2: %n := u64(%i + 1:i32) * 4:u64
             begin v, %n
             check writable &v + (i64(%i) * 4:i64), 4:u64
             store &v + (i64(%i) * 4:i64) := %i
             %p := allocate 4:u64
             store %p := %i
             end v
             %i := %i + 1:i32 goto b1
         b3: begin v, 8:u64 check writable &v, 9:u64 return 0:i32 }";
    assert!(matches!(checked(text).outcome, Outcome::Violation(_)));
}

#[test]
fn memory_is_limited() {
    let text = "external malloc(u64) -> ptr
         function main() -> i32 { variable %p: ptr b0: goto b1 b1: %p := call malloc(1000:u64) goto b1 }";
    let options = Options { memory: 1 << 20, ..Options::default() };
    let (run, _) = Setup { options, ..Setup::default() }.run(text);
    assert!(matches!(run.outcome, Outcome::Unsupported { reason, .. } if reason == "memory limit"));
}

#[test]
fn freed_memory_is_recycled_in_long_runs() {
    let text = "external malloc(u64) -> ptr external free(ptr)
         function main() -> i32 { variable %p: ptr variable %i: i32
         b0: %i := 0:i32 goto b1
         b1: if %i < 300000:i32 goto b2 else b3
         b2: %p := call malloc(100:u64) store %p := %i call free(%p) %i := %i + 1:i32 goto b1
         b3: return 0:i32 }";
    assert_eq!(checked(text).outcome, Outcome::Exit(0));
}
