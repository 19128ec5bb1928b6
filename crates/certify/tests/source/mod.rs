//! C programs as short text, for the tests of the kernel on whole programs.

use std::sync::atomic::{AtomicUsize, Ordering};

use base::Budget;
use evidence::{ProofMode, Property};
use loopscope_certify::{Abstraction, Claim, Subject};
use program::Program;
use program::interpret::Integers;

/// The program of a text, which may call `nondet` and `reach_error`.
#[allow(dead_code, reason = "not every test has C programs")]
pub fn program(text: &str) -> Program {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Where several files of tests are one program, each has numbers of its own.
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
    let name = format!("loopscope-certify-{}-{thread}-{number}.c", std::process::id());
    let path = std::env::temp_dir().join(name);
    let text = format!("extern int nondet(void);\nextern void reach_error(void);\n{text}");
    std::fs::write(&path, text).expect("temporary files can be written");
    let translation = c::translate(&[c::Input::new(&path)]);
    let _ = std::fs::remove_file(&path);
    assert!(translation.diagnostics.is_empty(), "{:?}", translation.diagnostics);
    let mut program = translation.program;
    program::passes::simplify(&mut program);
    program
}

/// The abstraction of a program for a claim about the runs that start in a function.
#[allow(dead_code, reason = "not every test has one")]
pub fn opened<'p>(
    program: &'p Program,
    name: &str,
    property: Property,
    integers: Integers,
    mode: ProofMode,
) -> Abstraction<'p> {
    let function = program.function_named(name).expect("the function is there");
    // Tests are short: nobody waits for the memory.
    let subject = Box::leak(Box::new(Subject::of(program, Claim { function, property, integers })));
    Abstraction::new(subject, mode, &mut Budget::unlimited()).expect("the program is small")
}
