//! How long it takes to reach a line behind a deep loop: with abstract loops, and by unwinding loops iteration by
//! iteration as symbolic execution without summaries does (Xie and others, IEEE TSE 2017, Table 6).
//!
//! `cargo run --release -p loopscope-testing --example deep -- [--limit SECONDS] [FILE...]`
//!
//! The line to reach is the one with the comment `target`. Without files the programs of `examples/tests` are taken.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clients::tests::{Method, Wanted};
use evidence::Reach;
use loopscope_testing::interpretation::translate;
use loopscope_testing::suites::suite;
use program::Program;

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut limit = 10.0;
    if let Some(at) = words.iter().position(|word| word == "--limit") {
        limit = words.get(at + 1).and_then(|word| word.parse().ok()).unwrap_or(limit);
        words.drain(at..words.len().min(at + 2));
    }
    let mut files: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tests");
        files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
    }
    println!(
        "{:20} {:>14} {:>14} {:>14}",
        "program", "abstract loops", "iteration by iteration", "steps of the run"
    );
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let Some(line) = text.lines().position(|line| line.contains("/* target */")) else { continue };
        let Ok(program) = translate(&file, &[]) else { continue };
        let limit = Duration::from_secs_f64(limit);
        let (abstract_loops, steps) = measure(&program, &file, line as u32 + 1, Method::All, limit);
        let (unrolling, _) = measure(&program, &file, line as u32 + 1, Method::Unrolling, limit);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name:20} {abstract_loops:>14} {unrolling:>14} {:>14}", steps.unwrap_or_default());
    }
}

/// The time until the line is reached, and how long the run is.
fn measure(
    program: &Program,
    file: &Path,
    line: u32,
    method: Method,
    limit: Duration,
) -> (String, Option<u64>) {
    let start = Instant::now();
    let wanted = Wanted::Line { file: file.display().to_string(), line };
    let Ok(suite) = suite(program, wanted, method, limit) else { return (String::from("-"), None) };
    let seconds = start.elapsed().as_secs_f64();
    match suite.targets.first().map(|target| &target.status) {
        Some(Reach::Reached { .. }) => {
            (format!("{seconds:.2} s"), suite.tests.first().map(|test| test.steps))
        }
        _ => (format!("not in {seconds:.0} s"), None),
    }
}
