//! Makes a suite for every C file of some folders and checks each test against the compiled program.
//!
//! `cargo run --release -p loopscope-testing --example suites -- [--limit SECONDS] [--lines] FOLDER...`
//!
//! With `--lines` every line is asked for by itself instead of all branches together.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clients::tests::{Method, Wanted};
use loopscope_testing::interpretation::translate;
use loopscope_testing::suites::{check, check_lines, compiler, suite};

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut limit = 5.0;
    if let Some(at) = words.iter().position(|word| word == "--limit") {
        limit = words.get(at + 1).and_then(|word| word.parse().ok()).unwrap_or(limit);
        words.drain(at..words.len().min(at + 2));
    }
    let by_line = words.iter().any(|word| word == "--lines");
    words.retain(|word| word != "--lines");
    let Some(compiler) = compiler() else { return };
    if by_line {
        for source in words.iter().flat_map(|folder| files(Path::new(folder))) {
            let tally = check_lines(&compiler, &source, Duration::from_secs_f64(limit));
            println!("{:40} {} lines visited, {} left out", source.display(), tally.claims, tally.skipped);
            tally.problems.iter().for_each(|problem| println!("  WRONG {problem}"));
        }
        return;
    }
    let (mut targets, mut reached, mut unreachable, mut claims, mut skipped, mut problems) =
        (0, 0, 0, 0, 0, 0);
    for source in words.iter().flat_map(|folder| files(Path::new(folder))) {
        let Ok(program) = translate(&source, &[]) else { continue };
        let start = Instant::now();
        let Ok(suite) = suite(&program, Wanted::Branches, Method::All, Duration::from_secs_f64(limit)) else {
            continue;
        };
        let seconds = start.elapsed().as_secs_f64();
        let (hit, never, open) = suite.counts();
        println!(
            "{:40} {seconds:6.2} s  {} targets: {hit} reached by {} tests, {never} unreachable, {open} open",
            source.display(),
            suite.targets.len(),
            suite.tests.len()
        );
        (targets, reached, unreachable) = (targets + suite.targets.len(), reached + hit, unreachable + never);
        match check(&compiler, &source, &program, &suite) {
            Ok(tally) => {
                (claims, skipped, problems) =
                    (claims + tally.claims, skipped + tally.skipped, problems + tally.problems.len());
                tally.problems.iter().for_each(|problem| println!("  WRONG {problem}"));
            }
            Err(problem) => println!("  not checked: {}", problem.lines().next().unwrap_or_default()),
        }
    }
    println!("{targets} targets: {reached} reached, {unreachable} unreachable");
    println!("{claims} claims compared with the compiled programs, {skipped} left out, {problems} wrong");
}

fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    found.sort();
    found
}
