//! Attacks answers about parts of programs with runs of the whole: `open COUNT FIRST-SEED MILLISECONDS FOLDER`. Programs with a
//! wrong answer go to the folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use loopscope_testing::open::{Attack, Counts};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: u64| {
        words.get(place).and_then(|word| word.parse().ok()).unwrap_or(otherwise)
    };
    let (count, first, milliseconds) = (number(0, 1000), number(1, 1), number(2, 300));
    let folder = words.get(3).map_or_else(|| std::env::temp_dir().join("loopscope-open"), PathBuf::from);
    let Some(attack) = Attack::new(Duration::from_millis(milliseconds)) else {
        println!("skipped: no C compiler");
        return;
    };
    let (mut counts, mut problems, start) = (Counts::default(), 0, Instant::now());
    for seed in first..first + count {
        match attack.attack(seed, &mut counts) {
            Ok(wrong) => {
                for one in wrong {
                    let place = one
                        .save(&folder)
                        .map_or_else(|error| error.to_string(), |path| path.display().to_string());
                    println!("WRONG {place}: {}: {}", one.answer, one.contradiction);
                }
            }
            Err(problem) => {
                problems += 1;
                println!("{problem}");
            }
        }
        if (seed - first) % 500 == 499 {
            summary(&counts, start.elapsed());
        }
    }
    for (feature, [programs, claims, wrong]) in &counts.features {
        println!("{feature:45} {programs:6} programs {claims:6} claims {wrong:5} wrong");
    }
    summary(&counts, start.elapsed());
    println!("{problems} programs could not be compiled");
    std::process::exit(i32::from(counts.wrong + problems > 0));
}

fn summary(counts: &Counts, time: Duration) {
    println!(
        "{} programs ({} not read) in {} s, {} queries, {} answers ({} of them FALSE), {} runs, {} wrong",
        counts.programs,
        counts.unread,
        time.as_secs(),
        counts.queries,
        counts.claims,
        counts.refuted,
        counts.runs,
        counts.wrong
    );
}
