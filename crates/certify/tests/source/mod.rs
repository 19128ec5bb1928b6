//! C programs as short text, for the tests of the kernel on whole programs.

use std::sync::atomic::{AtomicUsize, Ordering};

use program::Program;

/// The program of a text, which may call `nondet` and `reach_error`.
pub fn program(text: &str) -> Program {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("loopscope-certify-{}-{number}.c", std::process::id()));
    let text = format!("extern int nondet(void);\nextern void reach_error(void);\n{text}");
    std::fs::write(&path, text).expect("temporary files can be written");
    let translation = c::translate(&[c::Input::new(&path)]);
    let _ = std::fs::remove_file(&path);
    assert!(translation.diagnostics.is_empty(), "{:?}", translation.diagnostics);
    let mut program = translation.program;
    program::passes::simplify(&mut program);
    program
}
