//! Compares the interpreter with the system compiler on generated programs.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example differential -- --count 1000 --seed 1 [--csmith] [--threads 2]
//! ```

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use loopscope_testing::differential::{Comparison, Origin, compare};
use loopscope_testing::system::Compiler;

struct Settings {
    count: u64,
    seed: u64,
    threads: u64,
    origin: Origin,
}

#[derive(Default)]
struct Tally {
    same: u64,
    skipped: u64,
    different: Vec<u64>,
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(Some(settings)) => settings,
        Ok(None) => return ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let Some(compiler) = Compiler::system() else {
        println!("no C compiler on this machine: nothing compared");
        return ExitCode::SUCCESS;
    };
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..settings.threads {
            scope.spawn(|| work(&settings, &compiler, &next, &tally));
        }
    });
    let mut tally = tally.into_inner().expect("no thread fails while it counts");
    tally.different.sort_unstable();
    println!("{} agree, {} differ, {} skipped", tally.same, tally.different.len(), tally.skipped);
    if tally.different.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("seeds that differ: {:?}", tally.different);
    ExitCode::FAILURE
}

fn work(settings: &Settings, compiler: &Compiler, next: &AtomicU64, tally: &Mutex<Tally>) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= settings.count {
            return;
        }
        let seed = settings.seed + number;
        let comparison = compare(&settings.origin, seed, compiler);
        let mut tally = tally.lock().expect("no thread fails while it counts");
        match comparison {
            Comparison::Same => tally.same += 1,
            Comparison::Skipped(reason) => {
                println!("seed {seed}: skipped: {reason}");
                tally.skipped += 1;
            }
            Comparison::Different { what, program } => {
                println!("seed {seed}: {}: {what}", program.display());
                tally.different.push(seed);
            }
        }
    }
}

/// The settings; none if csmith is asked for and not there.
fn settings() -> Result<Option<Settings>, String> {
    let mut settings = Settings { count: 100, seed: 1, threads: 2, origin: Origin::Own };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse().map_err(|_| format!("{word} needs a number, not `{text}`"))
        };
        match word.as_str() {
            "--count" => settings.count = number()?,
            "--seed" => settings.seed = number()?,
            "--threads" => settings.threads = number()?.max(1),
            "--csmith" => match Origin::csmith() {
                Some(origin) => settings.origin = origin,
                None => {
                    println!("csmith or its headers are not installed: nothing compared");
                    return Ok(None);
                }
            },
            _ => {
                return Err(format!(
                    "unknown argument `{word}`: expected --count, --seed, --threads, --csmith"
                ));
            }
        }
    }
    Ok(Some(settings))
}
