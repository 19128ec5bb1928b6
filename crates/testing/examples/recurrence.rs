//! Holds many proofs of non-termination against runs: `recurrence COUNT FIRST-SEED`.

use loopscope_testing::recurrence::{Counts, check};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap_or(1));
    let (count, first) = (arguments.next().unwrap_or(1000), arguments.next().unwrap_or(1));
    let folder = std::env::temp_dir();
    let (mut counts, mut bad) = (Counts::default(), 0);
    for seed in first..first + count {
        if let Err(message) = check(&folder, seed, &mut counts) {
            println!("seed {seed}: {message}");
            bad += 1;
        }
    }
    println!("{counts:?}, {bad} bad");
    std::process::exit(i32::from(bad > 0));
}
