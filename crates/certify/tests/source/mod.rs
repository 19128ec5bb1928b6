//! C programs as short text, for the tests of the kernel on whole programs.

use std::sync::atomic::{AtomicUsize, Ordering};

use program::Program;

/// The program of a text, which may call `nondet` and `reach_error`.
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
