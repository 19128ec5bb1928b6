//! Measures costs of calls on real code: every function of C files.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example cost -- PATH... [--limit SECONDS] [--list]
//! cargo run --release -p loopscope-testing --example cost -- --random COUNT
//! ```
//!
//! Reads every `.c` and `.i` file below the paths, each on its own, with so many seconds for a file (60). Prints how many
//! functions there are, and how many have a cost; with `--list` every function, too. With `--random` it holds the costs of
//! so many generated functions against their runs.

use std::path::PathBuf;
use std::time::Duration;

use base::Budget;
use loopscope_testing::cost::{Tally, check};
use loopscope_testing::real_code::files;
use program::FunctionId;
use program::interpret::Integers;

fn main() {
    let (mut paths, mut limit, mut list, mut random) = (Vec::new(), 60.0f64, false, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--limit" => limit = words.next().and_then(|text| text.parse().ok()).unwrap_or(limit),
            "--list" => list = true,
            "--random" => random = words.next().and_then(|text| text.parse().ok()),
            _ => paths.push(PathBuf::from(word)),
        }
    }
    if let Some(count) = random {
        return against_runs(count);
    }
    let (mut functions, mut known) = (0, 0);
    for file in files(&paths) {
        let mut program = c::translate(&[c::Input::new(&file)]).program;
        program::passes::simplify(&mut program);
        let all: Vec<FunctionId> = program
            .functions
            .iter()
            .filter(|(_, function)| function.is_defined())
            .map(|(id, _)| id)
            .collect();
        let budget = Budget::unlimited().within(Duration::from_secs_f64(limit));
        for one in clients::cost::of(&program, Integers::Machine, &all, &budget, &|_| {}) {
            functions += 1;
            known += usize::from(one.cost.is_some());
            match (&one.cost, &one.missing) {
                (Some(cost), _) if list => {
                    let class =
                        cost.class.as_ref().map_or_else(|| String::from("by type"), ToString::to_string);
                    println!("{}: {} {class}", one.function, cost.iterations);
                }
                (_, Some(missing)) if list => println!("{}: ? {}", one.function, missing.reason),
                _ => {}
            }
        }
    }
    println!("{functions} functions: {known} with a cost");
}

fn against_runs(count: u64) {
    let mut tally = Tally::default();
    for seed in 1..=count {
        match check(&std::env::temp_dir(), seed) {
            Ok(more) => tally.add(&more),
            Err(message) => println!("seed {seed}: {message}"),
        }
    }
    println!("{tally:?}");
}
