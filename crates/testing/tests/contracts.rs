//! No run violates what is proved by contracts of functions.

use std::time::Duration;

use loopscope_testing::contracts::{Counts, check};

#[test]
fn no_run_violates_what_contracts_prove() {
    let time = Duration::from_millis(1000);
    let folder = std::env::temp_dir();
    let mut counts = Counts::default();
    for seed in 1..=60 {
        if let Err(message) = check(&folder, seed, time, &mut counts) {
            panic!("seed {seed}: {message}");
        }
    }
    println!("{counts:?}");
    assert!(counts.by_contracts >= 3, "{counts:?}");
}
