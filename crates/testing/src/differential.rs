//! Compares the interpreter with the system compiler: the same program must print the same and return the same code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base::Stop;
use program::interpret::{ObligationSet, Outcome};

use crate::generator::generate;
use crate::interpretation::{Form, interpret, outcome, prepare, translate};
use crate::system::{Compiler, Ended, Scratch, run};

/// Where programs come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Our own generator.
    Own,
    /// The generator csmith, whose headers are in this folder.
    Csmith(PathBuf),
}

/// What the comparison of one program gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Both agree.
    Same,
    /// It could not be made, and that is nobody's fault.
    Skipped(String),
    /// They do not agree. The program is kept.
    Different {
        /// What differs.
        what: String,
        /// Where the program is.
        program: PathBuf,
    },
}

impl Origin {
    /// The generator csmith, if it is installed together with its headers.
    pub fn csmith() -> Option<Self> {
        let folders = ["/usr/include/csmith", "/usr/include/csmith-2.3.0", "/usr/local/include/csmith-2.3.0"];
        let headers =
            folders.into_iter().map(PathBuf::from).find(|folder| folder.join("csmith.h").exists())?;
        let version =
            Command::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output().ok()?;
        version.status.success().then_some(Origin::Csmith(headers))
    }

    fn include(&self) -> &[PathBuf] {
        match self {
            Origin::Own => &[],
            Origin::Csmith(headers) => std::slice::from_ref(headers),
        }
    }

    /// Writes the program of a seed.
    fn write(&self, seed: u64, source: &Path, folder: &Path) -> Result<(), String> {
        if *self == Origin::Own {
            return fs::write(source, generate(seed)).map_err(|error| error.to_string());
        }
        let number = seed.to_string();
        let small = "--no-argc --max-funcs 5 --max-block-depth 3 --max-block-size 3 --max-array-dim 2 \
                     --max-array-len-per-dim 5 --max-expr-complexity 5 --max-struct-fields 6 --concise";
        let mut command = Command::new("csmith");
        command
            .args(small.split_whitespace())
            .args(["--seed", &number, "--output"])
            .arg(source)
            .current_dir(folder);
        match run(&mut command, folder, Duration::from_secs(20)) {
            Ok(ended) if ended.status == Some(0) => Ok(()),
            Ok(_) => Err(String::from("csmith gave up")),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Makes the program of a seed and compares what both make of it.
pub fn compare(origin: &Origin, seed: u64, compiler: &Compiler) -> Comparison {
    let mut scratch = match Scratch::new("differential") {
        Ok(scratch) => scratch,
        Err(error) => return Comparison::Skipped(error.to_string()),
    };
    let source = scratch.path().join(format!("seed{seed}.c"));
    if let Err(reason) = origin.write(seed, &source, scratch.path()) {
        return Comparison::Skipped(reason);
    }
    let optimise = if seed % 4 == 3 { "-O2" } else { "-O0" };
    let expected = match compiled(&source, optimise, origin, compiler, scratch.path()) {
        Ok(expected) => expected,
        Err(reason) => return Comparison::Skipped(reason),
    };
    match compare_with(&source, origin, &expected) {
        Ok(comparison) => comparison,
        Err(what) => {
            scratch.keep();
            Comparison::Different { what, program: source }
        }
    }
}

/// What the compiled program does.
fn compiled(
    source: &Path,
    optimise: &str,
    origin: &Origin,
    compiler: &Compiler,
    folder: &Path,
) -> Result<Ended, String> {
    let executable = folder.join("compiled");
    let include: Vec<String> = origin.include().iter().map(|path| format!("-I{}", path.display())).collect();
    let mut flags = vec![optimise];
    flags.extend(include.iter().map(String::as_str));
    compiler
        .compile(source, &executable, &flags)
        .map_err(|error| format!("the compiler refuses it: {error}"))?;
    // csmith does not promise that its programs end; ours do.
    let limit = Duration::from_secs(if *origin == Origin::Own { 20 } else { 3 });
    let ended = run(&mut Command::new(&executable), folder, limit).map_err(|error| error.to_string())?;
    if ended.timed_out {
        return Err(String::from("it runs too long"));
    }
    Ok(ended)
}

/// Interprets the program in every form; an error says what differs from what is expected.
fn compare_with(source: &Path, origin: &Origin, expected: &Ended) -> Result<Comparison, String> {
    let mut program = translate(source, origin.include())?;
    // csmith reads union members that were not written last, padding included: only our own programs are free of that.
    let (checks, steps) = match origin {
        Origin::Own => (ObligationSet::ALL, 20_000_000),
        Origin::Csmith(_) => (ObligationSet::EMPTY, 100_000_000),
    };
    for form in Form::ALL {
        prepare(&mut program, form)?;
        let interpretation = interpret(&program, checks, steps)?;
        let status = match &interpretation.run.outcome {
            Outcome::Exit(status) => status & 0xff,
            Outcome::Stopped(Stop::Steps) if *origin != Origin::Own => {
                return Ok(Comparison::Skipped(String::from("it has too many steps")));
            }
            _ => return Err(format!("{form}: {}", outcome(&program, &interpretation.run))),
        };
        if let Some(line) = first_difference(&expected.output, &interpretation.output) {
            return Err(format!("{form}: {line}"));
        }
        if expected.status != Some(status) {
            return Err(format!(
                "{form}: compiled {:?}, interpreted {status} as exit status",
                expected.status
            ));
        }
    }
    Ok(Comparison::Same)
}

/// The first line in which the two differ.
fn first_difference(compiled: &[u8], interpreted: &[u8]) -> Option<String> {
    if compiled == interpreted {
        return None;
    }
    let (compiled, interpreted) = (String::from_utf8_lossy(compiled), String::from_utf8_lossy(interpreted));
    let (mut left, mut right) = (compiled.lines(), interpreted.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (a, b) = (left.next(), right.next());
        if a != b || a.is_none() {
            let (a, b) = (a.unwrap_or("<nothing>"), b.unwrap_or("<nothing>"));
            return Some(format!("line {number}: compiled `{a}`, interpreted `{b}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
        let difference = first_difference(b"a\nb\n", b"a\nc\n").unwrap();
        assert_eq!(difference, "line 2: compiled `b`, interpreted `c`");
        assert!(first_difference(b"a\n", b"").unwrap().contains("<nothing>"));
    }
}
