//! The text form of programs: what a person reads, what tests are written in, and what round-trips. This module prints
//! it; the crate `parser`, which only tests use, reads it back.
//!
//! ```text
//! data_model LP64
//! file 0 "sum.c"
//! object $table: 8 align 4 = x"0102" pointers { 0: &$table + 4 } @0:1:5
//! variable $total: i32 = 0:i32
//! external puts(ptr, ...) -> i32 noreturn @0:2:12
//! unsupported odd() because "computed goto" @0:9:3
//! function sum(%n: i32) -> i32 @0:3:5 {
//!   scope s0 @0:3:16
//!   parameter %n: i32 in s0 @0:3:13
//!   variable %i: i32 in s0
//!   object buffer: 16 align 4 fields { x: i32 at 0, "y[0]": i32 at 4 } in s0
//! b0:
//!   begin buffer
//!   %i := 0:i32 @0:4:9
//!   goto b1
//! b1: loop for @0:5:3
//!   if %i < %n goto b2 else b3
//! b2:
//!   check signed-overflow !overflows(%i + 1:i32)
//!   store &buffer + (i64(%i) * 4:i64) := %i
//!   %i := %i + 1:i32
//!   goto b1
//! b3:
//!   return %i
//! }
//! ```
//!
//! # Names
//! `%x` is a variable of the function, `$x` a variable of the program, `&x` the address of a local object, `&$x` that
//! of an object of the program, `function(f)` that of a function. A name that is no plain identifier is quoted
//! (`%"a[0]"`); one that is not the only one of its kind carries its number (`%i#3`). Blocks may have any word as label
//! and are numbered as they stand; the printer calls them `b0`, `b1` and so on. `//` starts a comment; line breaks mean
//! nothing.
//!
//! # Declarations of a body
//! They stand before the first block, each kind in the order of its numbers: `scope s1 in s0`, `variable`, `parameter`
//! or `temporary %x: TYPE in s0`, `object x: SIZE align N fields { … } in s0` with `unsized` for an object that gets its
//! size when its life begins. A parameter that only the head names is declared by the head, before all other variables.
//!
//! # Expressions
//! Infix with parentheses around every operand that is itself infix: there are no precedences to remember.
//! - `1:i32`, `true`, `1.5:f64`, `0x7ff8000000000000:f64` (a float by its bits), `null`;
//! - `+ - * / % & | ^ << >> == != < <=` on two operands of one type. On a pointer `+` moves by bytes, and `-` counts
//!   the bytes between two pointers;
//! - `-x`, `~x`, `!x`, `count_ones(x)`, `leading_zeros(x)`, `trailing_zeros(x)`, `swap_bytes(x)`; the result's type
//!   comes first where it is not the operand's: `count_ones(i32, x)`;
//! - `overflows(x + y)`, `select(condition, x, y)`, `i64(x)` to convert, `reinterpret(f32, x)` to keep the bits.
//!
//! An expression of more than a hundred nodes gets a name in front of the statement that first uses it, `let #0 = …`,
//! and is `#0` from there on. So neither sharing nor depth makes the text long or deep.
//!
//! # Statements and ends of blocks
//! ```text
//! %x := EXPRESSION              %x := load POINTER            store POINTER := VALUE
//! copy TO, FROM, SIZE           fill TO, BYTE, SIZE           %p := allocate SIZE
//! begin x                       begin x, SIZE                 end x
//! call f(A, B)                  %x := call f(A)               %x := call *POINTER(A)
//! variadic start LIST           %x := variadic next LIST      variadic copy LIST, FROM
//! variadic end LIST             %x := input some_name         assume CONDITION
//! check assertion CONDITION     check assertion CONDITION, "note"
//! check readable POINTER, SIZE  check writable POINTER, SIZE  check accessible POINTER, SIZE
//! check defined %x              check terminated POINTER      check freeable POINTER
//! unknown "what"                %x := unknown "what"          mark 17
//! forget &local                 %x := volatile VALUE
//! goto b1                       if CONDITION goto b1 else b2  switch VALUE { 1: b1, 3..5: b2, default: b3 }
//! return                        return VALUE                  unreachable
//! ```
//! A place in the source follows what it belongs to: `@0:12:5` is file 0, line 12, column 5. The one of a block's end
//! is the block's own. No place means that it is unknown.
//!
//! # What survives
//! For a program that [`crate::verify`] accepts, `parse(print(program))` gives back everything in the order it was in,
//! except in the arenas of expressions: only expressions that a statement or an end of a block needs are kept, in the
//! order in which the text mentions them, and an expression with several users becomes several equal ones unless it has
//! a name (see above). Each statement computes the same tree of operations. The result is a fixed point: printed again
//! it is the same text, and parsed again an equal program.
//!
//! A program with defects can be printed too, and what is out of range is shown as `<…>`, which does not parse.

mod expression;
mod literal;
mod print;
pub mod symbols;

pub use print::{Printer, print, print_function};
