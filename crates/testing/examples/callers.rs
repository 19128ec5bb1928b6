//! Holds many contracts against calls of the compiled functions: `callers COUNT FIRST MILLISECONDS`.

use std::time::Duration;

use loopscope_testing::callers::{Counts, check, compiler};

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let number = |place: usize, usual: u64| numbers.get(place).copied().unwrap_or(usual);
    let (count, first, time) = (number(0, 1000), number(1, 1), Duration::from_millis(number(2, 1000)));
    let Some(compiler) = compiler() else { return println!("no compiler with sanitizers") };
    let (mut counts, mut bad) = (Counts::default(), 0);
    for seed in first..first + count {
        if let Err(message) = check(&compiler, seed, time, &mut counts) {
            bad += 1;
            println!("seed {seed}: {message}");
        }
    }
    println!("{counts:?}, {bad} bad");
}
