//! The compiler's sanitizers as judges of what our interpreter says.
//!
//! | obligation | judge |
//! |---|---|
//! | assertion, reach-error | the program aborts |
//! | uninitialised | clang's memory sanitizer, or valgrind |
//! | leak | the leak sanitizer |
//! | all others | the address and the undefined behaviour sanitizers |

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use program::Obligation;

use crate::corpus::Expectation;
use crate::system::{Compiler, Ended, Scratch, run};

const GENERAL: [&str; 4] = ["-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const MEMORY: [&str; 4] = ["-g", "-O0", "-fsanitize=memory", "-fno-sanitize-recover=all"];

/// The sanitizers of this machine.
#[derive(Clone, Debug)]
pub struct Sanitizers {
    general: Option<Compiler>,
    memory: Option<Compiler>,
    valgrind: bool,
    leaks: bool,
}

/// What a sanitizer says of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// It agrees with the annotation.
    Agrees,
    /// It does not.
    Disagrees(String),
    /// There is no judge for this on this machine.
    Missing(&'static str),
}

impl Sanitizers {
    /// Looks for them.
    pub fn find() -> Self {
        let with = |flags: &[&str], names: &[&str]| {
            names.iter().filter_map(|name| Compiler::named(name)).find(|compiler| compiler.supports(flags))
        };
        let general = with(&GENERAL, &["gcc", "clang", "cc"]);
        let leaks = general.as_ref().is_some_and(finds_leaks);
        let memory = with(&MEMORY, &["clang"]);
        let valgrind =
            Command::new("valgrind").arg("--version").output().is_ok_and(|found| found.status.success());
        Self { general, memory, valgrind, leaks }
    }

    /// Asks the judge of a program. The obligation that it is about is the one in its name if it trips none.
    pub fn judge(&self, source: &Path, expectation: Expectation, about: Obligation) -> Opinion {
        let result = match about {
            Obligation::Uninitialised => match (&self.memory, &self.general) {
                (Some(clang), _) => observe(clang, source, &MEMORY, false),
                (None, Some(compiler)) if self.valgrind => observe(compiler, source, &["-g", "-O0"], true),
                _ => return Opinion::Missing("no memory sanitizer and no valgrind"),
            },
            Obligation::Sequence if expectation != Expectation::Clean => {
                return Opinion::Missing("no sanitizer examines the order of side effects");
            }
            Obligation::Leak if !self.leaks => return Opinion::Missing("no leak sanitizer"),
            _ => match &self.general {
                Some(compiler) => observe(compiler, source, &GENERAL, false),
                None => return Opinion::Missing("no address and undefined behaviour sanitizers"),
            },
        };
        match result {
            Ok(ended) => opinion(source, expectation, &ended),
            Err(problem) => Opinion::Disagrees(problem),
        }
    }
}

/// Where processes may not watch each other, the leak sanitizer links but does not work.
fn finds_leaks(compiler: &Compiler) -> bool {
    let Ok(scratch) = Scratch::new("leak") else { return false };
    let source = scratch.path().join("leak.c");
    let leaky =
        "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(9); p = 0; return p != 0; }\n";
    fs::write(&source, leaky).is_ok()
        && observe(compiler, &source, &GENERAL, false)
            .is_ok_and(|ended| ended.error.contains("detected memory leaks"))
}

fn observe(compiler: &Compiler, source: &Path, flags: &[&str], valgrind: bool) -> Result<Ended, String> {
    let scratch = Scratch::new("sanitizer").map_err(|error| error.to_string())?;
    let executable = scratch.path().join("program");
    compiler.compile(source, &executable, flags)?;
    let mut command = if valgrind {
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--error-exitcode=99"]).arg(&executable);
        command
    } else {
        Command::new(&executable)
    };
    command.env("ASAN_OPTIONS", "detect_stack_use_after_return=1");
    run(&mut command, scratch.path(), Duration::from_secs(20)).map_err(|error| error.to_string())
}

fn opinion(source: &Path, expectation: Expectation, ended: &Ended) -> Opinion {
    let summary = || {
        let telling = ended.error.lines().find(|line| line.contains("error:") || line.contains("ERROR:"));
        format!("status {:?}, {}", ended.status, telling.unwrap_or("no report"))
    };
    match expectation {
        Expectation::Clean if ended.status == Some(0) => Opinion::Agrees,
        Expectation::Clean => Opinion::Disagrees(format!("clean, but {}", summary())),
        Expectation::Trips { .. } if ended.status == Some(0) || ended.timed_out => {
            Opinion::Disagrees(String::from("it sees nothing"))
        }
        Expectation::Trips { obligation: Obligation::Assertion | Obligation::ReachError, .. } => {
            // An abort is a signal, so there is no status.
            if ended.status.is_none() { Opinion::Agrees } else { Opinion::Disagrees(summary()) }
        }
        Expectation::Trips { line, .. } => {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            let named = line.is_none_or(|line| ended.error.contains(&format!("{name}:{line}")));
            if named { Opinion::Agrees } else { Opinion::Disagrees(format!("another line: {}", summary())) }
        }
    }
}
