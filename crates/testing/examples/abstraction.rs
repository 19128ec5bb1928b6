//! Holds what is said about the loops of generated programs against runs.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example abstraction -- [COUNT [FIRST_SEED]]
//! cargo run --release -p loopscope-testing --example abstraction -- --show SEED [FILE]  another program, the seed's setting
//! ```

use std::process::ExitCode;
use std::time::Instant;

use loopscope_testing::abstraction::{Counts, Setting, check, check_text, shrunk, tree, writer};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = words.iter().filter_map(|word| word.parse::<u64>().ok());
    if words.iter().any(|word| word == "--show") {
        let seed = numbers.next().unwrap_or(1);
        let file = words.iter().find_map(|word| std::fs::read_to_string(word).ok());
        let text = file.unwrap_or_else(|| tree::text(&writer::program(seed)));
        println!("{text}\n{:?}", Setting::of(seed));
        match check_text(&std::env::temp_dir(), &text, Setting::of(seed)) {
            Ok(counts) => println!("{counts:?}"),
            Err(message) => println!("{message}"),
        }
        return ExitCode::SUCCESS;
    }
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(1));
    let (mut counts, mut wrong) = (Counts::default(), 0u64);
    let start = Instant::now();
    for seed in first..first + count {
        // A panic in one program must not end a long run.
        let result = std::panic::catch_unwind(|| check(&std::env::temp_dir(), seed));
        match result.unwrap_or_else(|_| Err(String::from("panic"))) {
            Ok(more) => counts.add(&more),
            Err(message) => {
                wrong += 1;
                println!("seed {seed}: {message}");
                if message != "panic" && !message.starts_with("no program") {
                    println!("{}", tree::text(&shrunk(&std::env::temp_dir(), seed)));
                }
            }
        }
        if (seed - first) % 1000 == 999 {
            println!(
                "{} programs after {:.0?}: {counts:?}, {wrong} wrong",
                seed + 1 - first,
                start.elapsed()
            );
        }
    }
    println!("{count} programs in {:.1?}: {counts:?}, {wrong} wrong", start.elapsed());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
