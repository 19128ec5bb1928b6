//! Calls, recursion, function pointers and variable argument lists.

use loopscope_program::interpret::{Arguments, Options, Outcome};

use super::{Setup, checked, violated};
use loopscope_program::Obligation;

#[test]
fn recursion_has_its_own_variables_and_objects() {
    let text = "function f(%n: i32) -> i32 { object a: 4 align 4 variable %r: i32 variable %x: i32
         b0: begin a store &a := %n if %n == 0:i32 goto b1 else b2
         b1: return 0:i32
         b2: %r := call f(%n - 1:i32) %x := load &a return %r + %x }
         function main() -> i32 { variable %r: i32 b0: %r := call f(10:i32) return %r }";
    assert_eq!(checked(text).outcome, Outcome::Exit(55));
}

#[test]
fn infinite_recursion_stops() {
    let text = "function main() -> i32 { variable %r: i32 b0: %r := call main() return %r }";
    let options = Options { detect_repetition: true, ..Options::default() };
    let (run, _) = Setup { options, ..Setup::default() }.run(text);
    assert!(matches!(run.outcome, Outcome::Unsupported { reason, .. } if reason == "call depth"));
}

#[test]
fn function_pointers() {
    let text = "function f(%x: i32) -> i32 { b0: return %x + 1:i32 }
         function main() -> i32 { variable %p: ptr variable %r: i32 b0: %p := function(f) %r := call *%p(4:i32) return %r }";
    assert_eq!(checked(text).outcome, Outcome::Exit(5));
    let wrong = text.replace("*%p(4:i32)", "*%p()");
    assert!(matches!(checked(&wrong).outcome, Outcome::Unsupported { .. }));
    let data = "object $a: 4 align 4 function main() -> i32 { b0: call *(&$a + 0:i64)() return 0:i32 }";
    assert_eq!(violated(&checked(data)), Some(Obligation::OutOfBounds));
}

#[test]
fn variable_arguments() {
    let text = "function sum(%n: i32, ...) -> i32 {
           object list: 24 align 8 object copy: 24 align 8
           variable %i: i32 variable %s: i32 variable %x: i32 variable %d: f64
         b0: begin list begin copy variadic start &list variadic copy &copy, &list
             %i := 0:i32 %s := 0:i32 goto b1
         b1: if %i < %n goto b2 else b3
         b2: %x := variadic next &list %s := %s + %x %i := %i + 1:i32 goto b1
         b3: %d := variadic next &list %s := %s + i32(%d)
             %x := variadic next &copy variadic end &copy variadic end &list
             return %s + %x }
         function main() -> i32 { variable %r: i32 b0: %r := call sum(2:i32, 10:i32, 20:i32, 5.5:f64) return %r }";
    assert_eq!(checked(text).outcome, Outcome::Exit(45));
    let too_many = text.replace("sum(2:i32, 10:i32, 20:i32, 5.5:f64)", "sum(2:i32, 10:i32, 20:i32)");
    assert!(matches!(checked(&too_many).outcome, Outcome::Unsupported { .. }));
}

#[test]
fn the_command_line_reaches_main() {
    let text = "external atoi(ptr) -> i32
         function main(%argc: i32, %argv: ptr) -> i32 { variable %p: ptr variable %x: i32
         b0: %p := load %argv + 8:i64 %x := call atoi(%p) %p := load %argv + 16:i64
             check assertion %p == null return %x + %argc }";
    let arguments = Arguments::CommandLine(vec![b"a".to_vec(), b"40".to_vec()]);
    assert_eq!(Setup { arguments, ..Setup::default() }.run(text).0.outcome, Outcome::Exit(42));
}

#[test]
fn switches_choose_by_range() {
    let text = |value: i32| {
        format!(
            "function main() -> i32 {{ variable %x: i32
             b0: %x := {value}:i32 switch %x {{ 7: b1, -3..5: b2, default: b3 }}
             b1: return 1:i32 b2: return 2:i32 b3: return 3:i32 }}"
        )
    };
    let expected = [(7, 1), (-3, 2), (5, 2), (0, 2), (6, 3), (-4, 3), (8, 3)];
    for (value, result) in expected {
        assert_eq!(checked(&text(value)).outcome, Outcome::Exit(result), "{value}");
    }
}

#[test]
fn unknown_functions_are_guessed_and_refused_ones_stop() {
    let text = "external mystery(ptr) -> i32 object $a: 4 align 4
         function main() -> i32 { variable %r: i32 b0: %r := call mystery(&$a) return %r }";
    let run = checked(text);
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert_eq!(run.inputs[0].name, "return of mystery");
    assert!(run.imprecise.expect("a guess").0.contains("may change memory"));
    let text = "external setjmp(ptr) -> i32 function main() -> i32 { variable %r: i32 b0: %r := call setjmp(null) return %r }";
    assert!(
        matches!(checked(text).outcome, Outcome::Unsupported { reason, .. } if reason == "call of setjmp")
    );
    let text =
        "unsupported odd() because \"computed goto\" function main() -> i32 { b0: call odd() return 0:i32 }";
    assert!(
        matches!(checked(text).outcome, Outcome::Unsupported { reason, .. } if reason.contains("computed goto"))
    );
}

#[test]
fn steps_are_counted_and_limited() {
    let text =
        "function main() -> i32 { variable %x: i32 b0: %x := 1:i32 goto b1 b1: %x := 2:i32 return 0:i32 }";
    assert_eq!(checked(text).steps, 4);
    let infinite = "function main() -> i32 { b0: goto b1 b1: goto b1 }";
    let (run, _) = Setup { steps: 1000, ..Setup::default() }.run(infinite);
    assert_eq!(run.outcome, Outcome::Stopped(base::Stop::Steps));
    assert!((990..=1010).contains(&run.steps), "{}", run.steps);
}
