//! What the measurements share: C text to a program, and a program to its leaps.

use std::path::Path;
use std::time::{Duration, Instant};

use base::Budget;
use certify::Leaping;
use certify::unrolling::{Claim, Depth};
use encoding::Leaps;
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

/// A program with its loops leapt over: accesses, divisions and assertions are demanded.
pub fn leaping<'p>(program: &'p Program, function: FunctionId, budget: &mut Budget) -> Option<Leaping<'p>> {
    let checks = ObligationSet::ALL.without(Obligation::SignedOverflow).without(Obligation::Uninitialised);
    let claim = Claim { function, integers: Integers::Machine, checks, needed: ObligationSet::EMPTY };
    let depth = Depth { passes: 0, recursion: 2, calls: 200 };
    Leaping::new(program, &claim, depth, Leaps { steps: 1, decided: 64, any_overflow: false }, budget).ok()
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
