//! No loop that is called non-terminating ends, and every run that is said to end does.

use std::time::Duration;

use loopscope_testing::recurrence::{Counts, check};

#[test]
fn infinite_runs_go_on_and_others_end() {
    let time = Duration::from_millis(1500);
    let folder = std::env::temp_dir();
    let mut counts = Counts::default();
    for seed in 1..=60 {
        if let Err(message) = check(&folder, seed, time, &mut counts) {
            panic!("seed {seed}: {message}");
        }
    }
    println!("{counts:?}");
    assert!(counts.recurrent > 0 && counts.proved > 20 && counts.exhausted > 15, "{counts:?}");
}
