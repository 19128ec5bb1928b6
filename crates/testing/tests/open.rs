//! No run of a whole program contradicts what is said of a part of it. `examples/open.rs` does the same for any number.

use std::ops::Range;
use std::time::Duration;

use loopscope_testing::open::{Attack, Counts, surprises};

/// How long a query may take. No assertion hangs on it: hard queries are unknown.
const TIME: Duration = Duration::from_millis(100);

fn attack(seeds: Range<u64>) {
    let Some(attack) = Attack::new(TIME) else {
        println!("skipped: no C compiler");
        return;
    };
    let (mut counts, mut problems) = (Counts::default(), Vec::new());
    for seed in seeds {
        match attack.attack(seed, &mut counts) {
            Ok(wrong) => problems.extend(wrong.iter().map(ToString::to_string)),
            Err(problem) => problems.push(problem),
        }
    }
    println!("{counts:?}");
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
    // Nothing is contradicted where nothing is said.
    assert!(counts.claims > counts.programs / 2, "{counts:?}");
}

/// A third of all seeds that have each surprise twice, and more: three tests run side by side.
fn third(number: u64) -> Range<u64> {
    let all = 2 * surprises().count() as u64 + 60;
    number * all / 3..(number + 1) * all / 3
}

#[test]
fn runs_of_the_whole_do_not_contradict_answers_about_a_part() {
    attack(third(0));
}

#[test]
fn nor_do_those_of_other_seeds() {
    attack(third(1));
}

#[test]
fn nor_do_those_of_still_others() {
    attack(third(2));
}
