//! Holds contracts of functions against runs of the compiled functions.
//!
//! Functions with pointers, strings, structures and loops are generated, and contracts are found for them. For those that
//! are proved a program in C makes many calls that meet the contract, with objects that are just as large as it says. The
//! sanitizers look for what goes wrong, and the program itself examines what is ensured and what must stay as it was.

mod driver;
mod writer;

use std::fs;
use std::process::Command;
use std::time::Duration;

use base::Budget;
use clients::contracts::{Inference, Standing, USUAL, functions};
use program::interpret::Integers;

use crate::interpretation::{Form, program_of};
use crate::system::{Compiler, Scratch, run};

const FLAGS: [&str; 5] = ["-w", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// A compiler with the sanitizers, if this machine has one.
pub fn compiler() -> Option<Compiler> {
    Compiler::system().filter(|compiler| compiler.supports(&FLAGS))
}

/// How much was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Functions.
    pub functions: usize,
    /// Those whose contract was proved.
    pub proved: usize,
    /// Calls that were made and met the contract.
    pub calls: usize,
}

/// Finds contracts for the functions of a seed, and calls them. A contract may take this long.
///
/// # Errors
/// If a call does what the contract excludes.
pub fn check(compiler: &Compiler, seed: u64, time: Duration, counts: &mut Counts) -> Result<(), String> {
    let scratch = Scratch::new("callers").map_err(|error| error.to_string())?;
    let text = writer::text(seed);
    let program = program_of(scratch.path(), &text, Form::Simplified)
        .map_err(|problem| format!("{problem}\n{text}"))?;
    let inference = Inference::new(&program, USUAL, Integers::Machine);
    let mut proved = Vec::new();
    for function in functions(&program) {
        counts.functions += 1;
        let budget = Budget::unlimited().within(time);
        let found = inference.infer(function, &budget);
        if let Standing::Proved(certificate) = found.standing {
            counts.proved += 1;
            proved.push(certificate.contract().clone());
        }
    }
    if proved.is_empty() {
        return Ok(());
    }
    let driver = driver::text(&text, &program, &proved, seed).ok_or("a contract that C cannot say")?;
    let (source, binary) = (scratch.path().join("driver.c"), scratch.path().join("driver"));
    fs::write(&source, &driver).map_err(|error| error.to_string())?;
    compiler.compile(&source, &binary, &FLAGS)?;
    let limit = Duration::from_secs(20);
    let mut command = Command::new(&binary);
    // A call that is not made leaves its objects behind.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    let ended = run(&mut command, scratch.path(), limit).map_err(|error| error.to_string())?;
    let output = String::from_utf8_lossy(&ended.output);
    match ended.status {
        Some(0) => counts.calls += output.trim().parse::<usize>().unwrap_or_default(),
        _ => return Err(format!("{output}\n{}\n{driver}", ended.error)),
    }
    Ok(())
}
