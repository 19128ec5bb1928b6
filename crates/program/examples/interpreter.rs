//! How many statements the interpreter executes in a second: sums, array accesses, calls and floats, with checks.
//!
//! Run with `cargo run --release -p loopscope-program --example interpreter`.

use std::time::Instant;

use base::Budget;
use loopscope_program::interpret::{Arguments, DiscardedOutput, FixedInputs, Options, run};

const PROGRAMS: [(&str, &str); 5] = [
    (
        "sum with overflow checks",
        "function main() -> i32 {
           variable %i: i32  variable %s: u32
         b0: %i := 0:i32 %s := 0:u32 goto b1
         b1: if %i < 20000000:i32 goto b2 else b3
         b2: %s := %s + u32(%i)
             check signed-overflow !overflows(%i + 1:i32)
             %i := %i + 1:i32
             goto b1
         b3: return i32(%s)
         }",
    ),
    (
        "array with bounds checks",
        "function main() -> i32 {
           variable %i: i32  variable %k: i32  variable %t: i32
           object a: 4000 align 4
         b0: begin a  fill &a, 0:u8, 4000:u64  %i := 0:i32 %k := 0:i32 goto b1
         b1: if %i < 5000000:i32 goto b2 else b3
         b2: check readable &a + (i64(%k) * 4:i64), 4:u64
             %t := load &a + (i64(%k) * 4:i64)
             check writable &a + (i64(%k) * 4:i64), 4:u64
             store &a + (i64(%k) * 4:i64) := %t + %i
             %k := select(%k == 999:i32, 0:i32, %k + 1:i32)
             %i := %i + 1:i32
             goto b1
         b3: return %t
         }",
    ),
    (
        "calls",
        "function add(%a: i32, %b: i32) -> i32 { b0: return %a + %b }
         function main() -> i32 {
           variable %i: i32  variable %s: i32
         b0: %i := 0:i32 %s := 0:i32 goto b1
         b1: if %i < 5000000:i32 goto b2 else b3
         b2: %s := call add(%s, %i)
             %i := %i + 1:i32
             goto b1
         b3: return %s
         }",
    ),
    (
        "global variables and doubles",
        "variable $n: i32 = 0:i32
         function main() -> i32 {
           variable %x: f64
         b0: %x := 0.0:f64 goto b1
         b1: if $n < 5000000:i32 goto b2 else b3
         b2: %x := (%x * 0.5:f64) + f64($n)
             $n := $n + 1:i32
             goto b1
         b3: return i32(%x)
         }",
    ),
    (
        "linked list",
        "external malloc(u64) -> ptr
         function main() -> i32 {
           variable %p: ptr  variable %head: ptr  variable %i: i32  variable %s: i32  variable %t: i32
         b0: %head := null %i := 0:i32 %s := 0:i32 goto b1
         b1: if %i < 100000:i32 goto b2 else b3
         b2: %p := call malloc(16:u64)
             store %p := %head
             store %p + 8:i64 := %i
             %head := %p
             %i := %i + 1:i32
             goto b1
         b3: %i := 0:i32 goto b4
         b4: %p := %head goto b5
         b5: if %p == null goto b6 else b7
         b7: %t := load %p + 8:i64
             %s := %s ^ %t
             %p := load %p
             goto b5
         b6: %i := %i + 1:i32
             if %i < 20:i32 goto b4 else b8
         b8: return %s
         }",
    ),
];

fn main() {
    for (name, text) in PROGRAMS {
        let program = match parser::parse(text) {
            Ok(program) => program,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let Some(function) = program.function_named("main") else { continue };
        for detect_repetition in [false, true] {
            let options = Options { checks: Default::default(), detect_repetition, ..Options::default() };
            let start = Instant::now();
            let result = run(
                &program,
                function,
                &Arguments::CommandLine(Vec::new()),
                &options,
                &mut FixedInputs::default(),
                &mut DiscardedOutput,
                &mut Budget::unlimited(),
            );
            let seconds = start.elapsed().as_secs_f64();
            let speed = result.steps as f64 / seconds / 1e6;
            println!(
                "{name:30} repetition {detect_repetition:5} {speed:8.1} million steps/s  {:?}",
                result.outcome
            );
        }
    }
}
