//! No loop that is called endless ends.

use loopscope_testing::recurrence::{Counts, check};

#[test]
fn endless_runs_go_on() {
    let folder = std::env::temp_dir();
    let mut counts = Counts::default();
    for seed in 1..=60 {
        if let Err(message) = check(&folder, seed, &mut counts) {
            panic!("seed {seed}: {message}");
        }
    }
    println!("{counts:?}");
    assert!(counts.recurrent > 0, "{counts:?}");
}
