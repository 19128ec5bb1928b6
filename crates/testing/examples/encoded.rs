//! Compares the encoding of generated programs with runs of the interpreter.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example encoded -- [COUNT [FIRST_SEED]]
//! ```

use std::process::ExitCode;

use loopscope_testing::encoded::{Agreement, compare};
use loopscope_testing::interpretation::Form;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (count, first) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(1));
    let (mut exact, mut allowed, mut skipped, mut wrong) = (0u64, 0u64, 0u64, 0u64);
    for seed in first..first + count {
        for form in Form::ALL {
            match compare(&std::env::temp_dir(), seed, form, 4) {
                Err(message) => {
                    println!("seed {seed} ({form}): {message}");
                    wrong += 1;
                }
                Ok(all) => {
                    for (number, one) in all.into_iter().enumerate() {
                        match one {
                            Agreement::Allows { exactly: true } => exact += 1,
                            Agreement::Allows { exactly: false } | Agreement::Alarms => allowed += 1,
                            Agreement::Skipped => skipped += 1,
                            Agreement::Contradicts(what) => {
                                println!("seed {seed} ({form}), run {number}: {what}");
                                wrong += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    println!("{exact} exact, {allowed} allowed, {skipped} skipped, {wrong} contradictions");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
