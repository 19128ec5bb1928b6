//! Measures how fast C files become programs.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example throughput -- FOLDER [--threads 2] [--translate-only]
//! ```
//!
//! Reads every `.c` and `.i` file below the folder. Exits with 1 if something panicked or a program was not
//! well-formed.

use std::path::PathBuf;
use std::process::ExitCode;

use loopscope_testing::throughput::{Depth, measure, sources};

fn main() -> ExitCode {
    match execute() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Measures, and says whether everything went well.
fn execute() -> Result<bool, String> {
    let (mut folder, mut threads, mut depth) = (None, 2, Depth::Simplify);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--threads" => {
                threads =
                    words.next().and_then(|text| text.parse().ok()).ok_or("--threads needs a number")?;
            }
            "--translate-only" => depth = Depth::Translate,
            _ if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    let folder = folder.ok_or("usage: throughput FOLDER [--threads N] [--translate-only]")?;
    let files = sources(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let result = measure(&files, threads, depth);
    print!("{result}");
    Ok(result.broken.is_empty())
}
