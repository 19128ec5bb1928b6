//! Runs that go on for ever, and runs that only look like it.

use loopscope_program::interpret::{Options, Outcome, Run};

use super::Setup;

fn run(text: &str, stdin: &[u8]) -> Run {
    let options = Options { detect_repetition: true, ..Options::default() };
    Setup { options, stdin: stdin.to_vec(), steps: 300_000, ..Setup::default() }.run(text).0
}

fn repeats(text: &str) -> bool {
    matches!(run(text, b"").outcome, Outcome::Repeats(_))
}

#[test]
fn a_state_that_comes_back_is_found() {
    assert!(repeats("function main() -> i32 { b0: goto b1 b1: goto b1 }"));
    assert!(repeats(
        "function main() -> i32 { variable %x: i32 b0: %x := 0:i32 goto b1
         b1: %x := (%x + 1:i32) % 1000:i32 goto b1 }"
    ));
    let nested = "function main() -> i32 { variable %i: i32 variable %j: i32 b0: %j := 0:i32 goto b1
         b1: %i := 0:i32 goto b2
         b2: if %i < 5:i32 goto b3 else b1
         b3: %i := %i + 1:i32 goto b2 }";
    let Outcome::Repeats(repetition) = run(nested, b"").outcome else { panic!("it repeats") };
    assert!(repetition.period_steps > 0 && repetition.period_steps % 18 == 0, "{repetition:?}");
}

#[test]
fn memory_and_calls_are_part_of_the_state() {
    let text = |statement: &str| {
        format!(
            "object $a: 4 align 4
             function f(%n: i32) -> i32 {{ object b: 4 align 4 variable %r: i32
             b0: begin b store &b := %n %r := load &b return %r }}
             function main() -> i32 {{ object c: 4 align 4 variable %x: i32
             b0: goto b1
             b1: begin c store &c := 1:i32 %x := load &$a {statement} %x := call f(3:i32) end c goto b1 }}"
        )
    };
    assert!(repeats(&text("store &$a := %x")));
    assert!(!repeats(&text("store &$a := %x + 1:i32")));
    assert!(repeats(&text("store &$a := (%x + 1:i32) % 10:i32")));
}

#[test]
fn progress_is_not_repetition() {
    assert!(!repeats(
        "variable $g: u64 = 0:u64 function main() -> i32 { b0: goto b1 b1: $g := $g + 1:u64 goto b1 }"
    ));
    let allocates = "external malloc(u64) -> ptr external free(ptr)
         function main() -> i32 { variable %p: ptr b0: goto b1
         b1: %p := call malloc(1:u64) call free(%p) %p := null goto b1 }";
    assert!(!repeats(allocates));
    let random = "external rand() -> i32
         function main() -> i32 { variable %r: i32 b0: goto b1 b1: %r := call rand() %r := 0:i32 goto b1 }";
    assert!(!repeats(random));
}

#[test]
fn inputs_do_not_matter_but_standard_input_does() {
    let input = "function main() -> i32 { variable %x: i32 b0: goto b1 b1: %x := input n goto b1 }";
    assert!(repeats(input));
    let reads = "external getchar() -> i32
         function main() -> i32 { variable %c: i32 b0: goto b1
         b1: %c := call getchar() %c := 0:i32 goto b1 }";
    assert!(repeats(reads));
    let long = vec![b'x'; 50];
    let Outcome::Repeats(repetition) = run(reads, &long).outcome else {
        panic!("it repeats at the end of the input")
    };
    assert!(repetition.first_step > 50);
}

#[test]
fn guesses_are_not_claimed() {
    let text = "external mystery() function main() -> i32 { b0: goto b1 b1: call mystery() goto b1 }";
    assert!(matches!(run(text, b"").outcome, Outcome::Stopped(_)));
}
