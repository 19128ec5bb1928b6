//! No run goes on for ever in a loop or a recursion that is proved to stop.

use loopscope_testing::termination::{Tally, check, check_conditions, looping, recursive};

fn all(texts: impl Iterator<Item = String>) -> Tally {
    let mut tally = Tally::default();
    for text in texts {
        match check(&std::env::temp_dir(), &text) {
            Ok(more) => tally.add(&more),
            Err(message) => panic!("{message}"),
        }
    }
    tally
}

#[test]
fn loops_that_stop_have_no_infinite_run() {
    let tally = all((1..=20).map(loopscope_testing::bounds::text));
    assert!(tally.stop > 5, "{tally:?}");
}

#[test]
fn recursions_that_stop_have_no_infinite_run() {
    let tally = all((1..=60).map(recursive));
    assert!(tally.stop > 3, "{tally:?}");
}

#[test]
fn loops_stop_under_their_conditions() {
    let mut count = 0;
    for seed in 1..=30 {
        let (function, types) = looping(seed);
        match check_conditions(&std::env::temp_dir(), &function, types) {
            Ok(more) => count += more,
            Err(message) => panic!("{message}"),
        }
    }
    assert!(count > 5, "{count}");
}
