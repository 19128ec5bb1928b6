//! Every kind of obligation, tripped and not tripped.

use loopscope_program::Obligation;
use loopscope_program::interpret::{ObligationSet, Outcome};

use super::{Setup, checked, checking, message, violated};

/// The body of a `main` that returns zero.
fn main_with(declarations: &str, statements: &str) -> String {
    format!(
        "external malloc(u64) -> ptr external free(ptr) external strlen(ptr) -> u64
         object $text: 4 align 1 = x\"61626300\"
         object $open: 3 align 1 = x\"616263\"
         object $constant: 4 align 4 readonly = x\"01020304\"
         function main() -> i32 {{ {declarations} b0: {statements} return 0:i32 }}"
    )
}

fn assert_trips(kind: Obligation, declarations: &str, statements: &str) {
    let text = main_with(declarations, statements);
    let run = checked(&text);
    assert_eq!(violated(&run), Some(kind), "{statements}: {:?}", run.outcome);
    // Unchecked, it is noted, and the run ends in some other way.
    let setup = Setup::default();
    let checks = ObligationSet::ALL.without(kind);
    let (run, _) =
        Setup { options: loopscope_program::interpret::Options { checks, ..setup.options }, ..setup }
            .run(&text);
    if violated(&run).is_none()
        && !matches!(kind, Obligation::Assertion | Obligation::ReachError | Obligation::Leak)
    {
        assert_eq!(run.undefined.map(|violation| violation.obligation), Some(kind), "{statements}");
    }
}

fn assert_clean(declarations: &str, statements: &str) {
    let run = checked(&main_with(declarations, statements));
    assert_eq!(run.outcome, Outcome::Exit(0), "{statements}");
    assert_eq!(run.undefined, None);
    assert_eq!(run.imprecise, None);
}

#[test]
fn assertions() {
    assert_trips(
        Obligation::Assertion,
        "variable %x: i32",
        "%x := 3:i32 check assertion %x < 3:i32, \"x < 3\"",
    );
    assert_clean("variable %x: i32", "%x := 3:i32 check assertion %x <= 3:i32");
    let run = checked(&main_with("variable %x: i32", "%x := 3:i32 check assertion %x < 3:i32, \"x < 3\""));
    assert_eq!(message(&run), "the assertion `x < 3` fails (x = 3)");
    let run = checking(&[], &main_with("", "check assertion false check reach-error false"));
    assert_eq!((run.outcome, run.undefined), (Outcome::Exit(0), None));
}

#[test]
fn reached_errors() {
    assert_trips(Obligation::ReachError, "", "check reach-error false");
    assert_clean("", "check reach-error true");
}

#[test]
fn bounds() {
    let object = "object a: 8 align 4 variable %x: i32";
    assert_trips(
        Obligation::OutOfBounds,
        object,
        "begin a check writable &a + 6:i64, 4:u64 store &a + 6:i64 := 1:i32",
    );
    assert_trips(
        Obligation::OutOfBounds,
        object,
        "begin a check accessible &a - -1:i64, 8:u64".replace("- -", "+ -").as_str(),
    );
    assert_trips(Obligation::OutOfBounds, object, "begin a store &a + 8:i64 := 1:i32");
    assert_trips(Obligation::OutOfBounds, object, "begin a %x := load &a + -4:i64");
    assert_trips(Obligation::OutOfBounds, "", "fill &$text + 2:i64, 0:u8, 3:u64");
    assert_trips(Obligation::OutOfBounds, "", "copy &$text, &$open, 4:u64");
    assert_trips(
        Obligation::OutOfBounds,
        "",
        "check writable ptr(123456:u64), 1:u64 store ptr(123456:u64) := 1:i32",
    );
    assert_clean(
        object,
        "begin a check writable &a + 4:i64, 4:u64 store &a + 4:i64 := 1:i32 %x := load &a + 4:i64",
    );
    assert_clean("", "check writable &$text + 100:i64, 0:u64 copy null, null, 0:u64");
    let run = checked(&main_with(object, "begin a store &a + 12:i64 := 1:i32"));
    assert_eq!(message(&run), "write of 4 bytes at index 12 is outside `a` (8 bytes)");
}

#[test]
fn null_pointers() {
    let variables = "variable %p: ptr variable %x: i32";
    assert_trips(Obligation::Null, variables, "%p := null check readable %p, 4:u64 %x := load %p");
    assert_trips(Obligation::Null, variables, "%p := null store %p + 8:i64 := 1:i32");
    assert_trips(Obligation::Null, variables, "%p := null call *%p()");
    assert_clean(variables, "%p := &$text check readable %p, 4:u64 %x := load %p");
}

#[test]
fn dangling_pointers() {
    let declarations = "object a: 4 align 4 variable %p: ptr variable %x: i32";
    assert_trips(
        Obligation::Dangling,
        declarations,
        "begin a %p := &a store %p := 1:i32 end a check readable %p, 4:u64 %x := load %p",
    );
    assert_trips(Obligation::Dangling, declarations, "store &a := 1:i32");
    assert_trips(
        Obligation::Dangling,
        declarations,
        "%p := call malloc(4:u64) call free(%p) store %p := 1:i32",
    );
    assert_clean(declarations, "begin a store &a := 1:i32 end a begin a store &a := 2:i32 %x := load &a");
    let text = "function f() -> ptr { object a: 4 align 4 b0: begin a store &a := 1:i32 return &a }
         function main() -> i32 { variable %p: ptr variable %x: i32 b0: %p := call f() %x := load %p return %x }";
    let run = checked(text);
    assert_eq!(violated(&run), Some(Obligation::Dangling));
    assert_eq!(message(&run), "read of 4 bytes in `a`, whose life has ended");
}

#[test]
fn uninitialised_values() {
    let declarations = "object a: 8 align 4 variable %x: i32 variable %y: i32";
    assert_trips(Obligation::Uninitialised, declarations, "check defined %x %y := %x");
    assert_trips(
        Obligation::Uninitialised,
        declarations,
        "begin a store &a := 1:i32 check readable &a, 8:u64",
    );
    assert_clean(
        declarations,
        "begin a store &a := 1:i32 check readable &a, 4:u64 %x := load &a check defined %x",
    );
    // A new life has new bytes.
    assert_trips(
        Obligation::Uninitialised,
        declarations,
        "begin a store &a := 1:i32 end a begin a check readable &a, 4:u64",
    );
}

#[test]
fn signed_overflow() {
    let x = "variable %x: i32";
    assert_trips(
        Obligation::SignedOverflow,
        x,
        "%x := 2147483647:i32 check signed-overflow !overflows(%x + 1:i32)",
    );
    assert_trips(
        Obligation::SignedOverflow,
        x,
        "%x := -2147483648:i32 check signed-overflow !overflows(0:i32 - %x)",
    );
    assert_trips(Obligation::SignedOverflow, x, "%x := 65536:i32 check signed-overflow !overflows(%x * %x)");
    assert_trips(
        Obligation::SignedOverflow,
        x,
        "%x := -2147483648:i32 check signed-overflow !overflows(%x / -1:i32)",
    );
    assert_trips(Obligation::SignedOverflow, x, "%x := 1:i32 check signed-overflow !overflows(%x << 31:i32)");
    assert_clean(x, "%x := 2147483646:i32 check signed-overflow !overflows(%x + 1:i32)");
    assert_clean("variable %x: i64", "%x := 2147483647:i64 check signed-overflow !overflows(%x + 1:i64)");
    let text =
        main_with(x, "%x := 2147483647:i32 check signed-overflow !overflows(%x + 1:i32) %x := %x + 1:i32");
    let run = checked(&text);
    assert_eq!(message(&run), "`x + 1` overflows (x = 2147483647)");
    // Without the check the machine wraps, and the run goes on.
    let run = checking(&[], &text);
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert_eq!(run.undefined.expect("it is noted").obligation, Obligation::SignedOverflow);
}

#[test]
fn division() {
    let x = "variable %x: i32";
    assert_trips(Obligation::Division, x, "%x := 0:i32 check division-by-zero %x != 0:i32 %x := 1:i32 / %x");
    assert_clean(x, "%x := 2:i32 check division-by-zero %x != 0:i32 %x := 1:i32 / %x");
    let text = main_with(x, "%x := 0:i32 check division-by-zero %x != 0:i32 %x := 1:i32 / %x");
    assert!(matches!(checking(&[], &text).outcome, Outcome::Unsupported { .. }));
}

#[test]
fn shifts() {
    let x = "variable %x: i32";
    assert_trips(Obligation::Shift, x, "%x := 32:i32 check shift %x < 32:i32 %x := 1:i32 << %x");
    assert_clean(x, "%x := 31:i32 check shift %x < 32:i32 %x := 1:i32 << %x");
}

#[test]
fn string_termination() {
    assert_trips(Obligation::StringTermination, "", "check terminated &$open");
    assert_trips(Obligation::StringTermination, "variable %n: u64", "%n := call strlen(&$open)");
    assert_clean(
        "variable %n: u64",
        "check terminated &$text %n := call strlen(&$text) check assertion %n == 3:u64",
    );
    let text = main_with("variable %n: u64", "%n := call strlen(&$open)");
    assert_eq!(violated(&checking(&[Obligation::OutOfBounds], &text)), Some(Obligation::OutOfBounds));
    assert_eq!(violated(&checking(&[Obligation::Null], &text)), None);
}

#[test]
fn unreachable_places() {
    let text = "function main() { b0: unreachable }";
    assert_eq!(violated(&checked(text)), Some(Obligation::Unreachable));
    assert!(matches!(checking(&[], text).outcome, Outcome::Unsupported { .. }));
}

#[test]
fn invalid_frees() {
    let p = "variable %p: ptr object a: 4 align 4";
    assert_trips(Obligation::InvalidFree, p, "begin a call free(&a)");
    assert_trips(Obligation::InvalidFree, p, "call free(&$text)");
    assert_trips(Obligation::InvalidFree, p, "%p := call malloc(4:u64) call free(%p) call free(%p)");
    assert_trips(
        Obligation::InvalidFree,
        p,
        "%p := call malloc(4:u64) check freeable %p + 1:i64 call free(%p + 1:i64)",
    );
    assert_trips(Obligation::InvalidFree, p, "check freeable ptr(77777:u64)");
    assert_clean(
        p,
        "%p := call malloc(4:u64) check freeable %p call free(%p) check freeable null call free(null)",
    );
}

#[test]
fn leaks() {
    let p = "variable %p: ptr variable %q: ptr";
    assert_trips(Obligation::Leak, p, "%p := call malloc(4:u64)");
    assert_clean(p, "%p := call malloc(4:u64) call free(%p)");
    let kept = "variable $root: ptr = null external malloc(u64) -> ptr
         function main() -> i32 { variable %p: ptr b0:
           %p := call malloc(8:u64) $root := %p
           %p := call malloc(8:u64) store $root := %p + 4:i64
           return 0:i32 }";
    assert_eq!(checked(kept).outcome, Outcome::Exit(0));
    let exits = "external malloc(u64) -> ptr external exit(i32) noreturn
         function main() -> i32 { variable %p: ptr b0: %p := call malloc(8:u64) call exit(3:i32) return 0:i32 }";
    assert_eq!(checked(exits).outcome, Outcome::Exit(3));
    let run = checking(&[Obligation::Null], &main_with(p, "%p := call malloc(4:u64)"));
    assert_eq!((run.outcome, run.undefined), (Outcome::Exit(0), None));
}

#[test]
fn read_only_objects_cannot_be_written() {
    assert_trips(Obligation::OutOfBounds, "", "check writable &$constant, 4:u64 store &$constant := 1:i32");
    let run = checked(&main_with("", "store &$constant := 1:i32"));
    assert_eq!(message(&run), "write of 4 bytes to `constant`, which is read-only");
}

#[test]
fn a_violation_says_where_it_happened() {
    let text = "file 0 \"a.c\"
         function f(%x: i32) @0:1:1 { b0: check assertion %x == 0:i32 @0:2:3 return @0:3:1 }
         function main() -> i32 @0:5:1 { b0: call f(1:i32) @0:6:3 return 0:i32 @0:7:3 }";
    let run = checked(text);
    let Outcome::Violation(violation) = &run.outcome else { panic!("{:?}", run.outcome) };
    assert_eq!((violation.location.line, violation.location.column), (2, 3));
    let lines: Vec<u32> = violation.stack.iter().map(|(_, location)| location.line).collect();
    assert_eq!(lines, [6, 2]);
}
