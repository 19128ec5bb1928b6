//! No call that meets a proved contract does what the contract excludes.

use std::time::Duration;

use loopscope_testing::callers::{Counts, check, compiler};

#[test]
fn calls_do_what_proved_contracts_say() {
    let Some(compiler) = compiler() else {
        println!("no compiler with sanitizers: nothing is called");
        return;
    };
    let mut counts = Counts::default();
    for seed in 1..=12 {
        if let Err(message) = check(&compiler, seed, Duration::from_secs(2), &mut counts) {
            panic!("seed {seed}: {message}");
        }
    }
    println!("{counts:?}");
    assert!(counts.proved >= 3 && counts.calls >= 100, "{counts:?}");
}
