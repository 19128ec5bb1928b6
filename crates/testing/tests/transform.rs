//! What a program does, the programs that are made from it can do.

use loopscope_testing::generator::generate;
use loopscope_testing::transform::programs::{WRITTEN, recursive};
use loopscope_testing::transform::{Limits, Tally, check};

fn examine(text: &str, seeds: std::ops::Range<u64>, limits: &Limits, tally: &mut Tally) {
    for seed in seeds {
        match check(&std::env::temp_dir(), text, seed, limits) {
            Ok(more) => tally.add(&more),
            Err(message) => panic!("seed {seed}: {message}\n{text}"),
        }
    }
}

#[test]
fn written_programs_keep_their_runs() {
    let mut tally = Tally::default();
    for text in WRITTEN {
        examine(text, 0..2, &Limits::default(), &mut tally);
    }
    println!("{tally:#?}");
}

#[test]
fn recursive_programs_keep_their_runs() {
    let mut tally = Tally::default();
    for seed in 0..30 {
        examine(&recursive(seed), seed..seed + 1, &Limits::default(), &mut tally);
    }
    println!("{tally:#?}");
}

#[test]
fn generated_programs_keep_their_runs() {
    let mut tally = Tally::default();
    for seed in 0..4 {
        examine(&generate(seed), seed..seed + 1, &Limits::default(), &mut tally);
    }
    println!("{tally:#?}");
}
