//! Holds the summaries of loops of generated functions against runs.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example summaries -- [COUNT [FIRST_SEED [MILLISECONDS]]]
//! ```
//!
//! The summaries of a function may take so many milliseconds (3000): most take 20, and a few much more.

use std::process::ExitCode;
use std::time::Duration;

use loopscope_testing::summaries::{Tally, check};

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(1));
    let time = Duration::from_millis(numbers.next().unwrap_or(3000));
    let (mut tally, mut wrong) = (Tally::default(), 0u64);
    for seed in first..first + count {
        // A panic in one program must not end a long run.
        let result = std::panic::catch_unwind(|| check(&std::env::temp_dir(), seed, time));
        match result.unwrap_or_else(|_| Err(String::from("panic"))) {
            Ok(more) => tally.add(&more),
            Err(message) => {
                wrong += 1;
                println!("seed {seed}: {message}");
            }
        }
        if (seed - first) % 1000 == 999 {
            println!("{} programs: {tally:?}, {wrong} wrong", seed + 1 - first);
        }
    }
    println!("{count} programs: {tally:?}, {wrong} wrong");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
