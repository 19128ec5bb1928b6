//! What the measurements share: C text to a program, and a program to its abstract loops.

use std::path::Path;
use std::time::{Duration, Instant};

use base::Budget;
use certify::{Abstraction, Claim, Subject};
use evidence::{AbstractionMode, Overflow, ProofMode, Property};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

/// The program of a C file, cleaned up.
#[allow(dead_code, reason = "not every measurement reads files")]
pub fn read(path: &Path) -> Program {
    let mut program = c::translate(&[c::Input::new(path)]).program;
    program::passes::simplify(&mut program);
    program
}

/// The program of a C text, cleaned up.
#[allow(dead_code, reason = "not every measurement has texts")]
pub fn program(text: &str) -> Program {
    let path = std::env::temp_dir().join(format!("loopscope-measure-{}.c", std::process::id()));
    std::fs::write(&path, text).expect("the folder for temporary files can be written");
    let program = read(&path);
    let _ = std::fs::remove_file(&path);
    program
}

/// A program with its loops abstracted: accesses, divisions and assertions are required.
pub fn abstraction<'p>(
    program: &'p Program,
    function: FunctionId,
    budget: &mut Budget,
) -> Option<Abstraction<'p>> {
    let checks = ObligationSet::ALL.without(Obligation::SignedOverflow).without(Obligation::Uninitialised);
    let property = Property::Obligations(checks);
    let claim = Claim { function, property, integers: Integers::Machine };
    // Measurements are short: nobody waits for the memory.
    let subject = Box::leak(Box::new(Subject::of(program, claim)));
    let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 64 });
    Abstraction::new(
        subject,
        ProofMode { abstract_loops, ..ProofMode::abstraction(1, Overflow::Wraps) },
        budget,
    )
    .ok()
}

/// How long something takes, and what it gives.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// Milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
