//! Holds program transformations against runs of random programs.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example transform -- [COUNT [FIRST_SEED]]
//! ```

use std::process::ExitCode;

use loopscope_testing::bounds;
use loopscope_testing::generator::generate;
use loopscope_testing::termination;
use loopscope_testing::transform::programs::{WRITTEN, recursive};
use loopscope_testing::transform::{Limits, Tally, check};

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(1));
    let limits = Limits { events: 5000, calls: 12, ..Limits::default() };
    let (mut tally, mut wrong) = (Tally::default(), 0u64);
    for seed in first..first + count {
        let written = WRITTEN[seed as usize % WRITTEN.len()].to_owned();
        let texts =
            [written, recursive(seed), generate(seed), bounds::text(seed), termination::recursive(seed)];
        for text in texts {
            // A panic in one program must not end a long run.
            let result = std::panic::catch_unwind(|| check(&std::env::temp_dir(), &text, seed, &limits));
            match result.unwrap_or_else(|_| Err(String::from("panic"))) {
                Ok(more) => tally.add(&more),
                Err(message) => {
                    wrong += 1;
                    println!("seed {seed}: {message}\n{text}");
                }
            }
        }
        if (seed - first) % 1000 == 999 {
            println!("{} seeds: {tally:#?}, {wrong} wrong", seed + 1 - first);
        }
    }
    println!("{count} seeds: {tally:#?}, {wrong} wrong");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
