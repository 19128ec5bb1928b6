//! The whole program, compiled: what its run does.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::project::Project;
use crate::system::{Compiler, run};

const LIMIT: Duration = Duration::from_secs(10);

const SANITIZE: [&str; 4] =
    ["-g", "-O0", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"];

/// What a run of the whole program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// How it ended.
    pub outcome: RunOutcome,
    /// What loops did, in order.
    pub visits: Vec<Visit>,
}

/// How a run of the whole program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    /// It returned from `main`.
    Returned,
    /// It called the error function on this line of the part.
    Error(u32),
    /// It made more complete iterations in one visit of this loop than any loop here has that ends.
    Nontermination(usize),
    /// Something else: a signal, a time limit.
    Other,
}

/// A visit of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The number of the loop.
    pub number: usize,
    /// How many iterations it made.
    pub iterations: u64,
    /// Whether it was left where it ends.
    pub left: bool,
    /// The first two parameters of the asked function.
    pub parameters: [i64; 2],
}

/// What the sanitizers say of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// Nothing.
    Clean,
    /// They complain about the part: the first line of the complaint.
    Part(String),
    /// They complain about something else.
    Rest(String),
}

/// Compiles the project in a folder and runs it.
///
/// # Errors
/// What the compiler says.
pub fn observe(
    project: &Project,
    folder: &Path,
    compiler: &Compiler,
    flags: &[&str],
) -> Result<Observed, String> {
    let executable = folder.join("whole");
    compile(project, folder, compiler, flags, &executable)?;
    let ended = run(&mut Command::new(&executable), folder, LIMIT).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    let (mut outcome, mut visits) = (RunOutcome::Other, Vec::new());
    if ended.status == Some(0) {
        outcome = RunOutcome::Returned;
    }
    for line in text.lines() {
        let mut words = line.split(' ');
        let what = words.next();
        let numbers: Vec<i64> = words.filter_map(|word| word.parse().ok()).collect();
        let [number, iterations, first, second] = numbers[..] else { continue };
        match what {
            Some("error") => outcome = RunOutcome::Error(number as u32),
            Some("endless") => outcome = RunOutcome::Nontermination(number as usize),
            Some(how @ ("left" | "open")) => visits.push(Visit {
                number: number as usize,
                iterations: iterations as u64,
                left: how == "left",
                parameters: [first, second],
            }),
            _ => {}
        }
    }
    Ok(Observed { outcome, visits })
}

/// Compiles the project with sanitizers, and with an order of evaluation, and runs it.
///
/// # Errors
/// What the compiler says.
pub fn sanitized(
    project: &Project,
    folder: &Path,
    compiler: &Compiler,
    order: &str,
) -> Result<Opinion, String> {
    let executable = folder.join("sanitized");
    let mut flags = SANITIZE.to_vec();
    flags.push(order);
    compile(project, folder, compiler, &flags, &executable)?;
    let mut command = Command::new(&executable);
    command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1");
    let ended = run(&mut command, folder, 2 * LIMIT).map_err(|error| error.to_string())?;
    let complaint = |line: &&str| line.contains("runtime error:") || line.contains("ERROR: AddressSanitizer");
    let Some(first) = ended.error.lines().find(complaint) else { return Ok(Opinion::Clean) };
    let frame = ended.error.lines().find(|line| line.trim_start().starts_with("#0"));
    let is_of_part = first.contains("part.c:") || frame.is_some_and(|frame| frame.contains("part.c:"));
    Ok(if is_of_part { Opinion::Part(first.to_owned()) } else { Opinion::Rest(first.to_owned()) })
}

/// Whether a compiler has sanitizers that work here.
pub fn has_sanitizers(compiler: &Compiler) -> bool {
    compiler.supports(&SANITIZE)
}

fn compile(
    project: &Project,
    folder: &Path,
    compiler: &Compiler,
    flags: &[&str],
    executable: &Path,
) -> Result<(), String> {
    let file = |name: &str| folder.join(name).display().to_string();
    let (rest, whole, marks) = (file("rest.c"), file("whole.c"), file("whole.h"));
    let mut all: Vec<&str> = project.flags.iter().map(String::as_str).collect();
    all.extend(["-include", &marks, &rest, &whole]);
    all.extend(flags);
    compiler.compile(&folder.join("part.c"), executable, &all)
}
