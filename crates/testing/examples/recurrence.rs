//! Holds many answers about termination against runs: `recurrence COUNT FIRST-SEED MILLISECONDS`.

use std::time::Duration;

use loopscope_testing::recurrence::{Counts, check};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap_or(1));
    let (count, first) = (arguments.next().unwrap_or(1000), arguments.next().unwrap_or(1));
    let time = Duration::from_millis(arguments.next().unwrap_or(1500));
    let folder = std::env::temp_dir();
    let (mut counts, mut bad) = (Counts::default(), 0);
    for seed in first..first + count {
        if let Err(message) = check(&folder, seed, time, &mut counts) {
            println!("seed {seed}: {message}");
            bad += 1;
        }
        if (seed - first) % 1000 == 999 {
            println!("{counts:?}, {bad} bad");
        }
    }
    println!("{counts:?}, {bad} bad");
    std::process::exit(i32::from(bad > 0));
}
