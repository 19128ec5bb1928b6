//! Asks all commands about programs and compares their answers: `agree COUNT FIRST-SEED MILLISECONDS`, or with paths of C files in
//! the place of the numbers.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopscope_testing::agree::{Counts, check};
use loopscope_testing::{bounds, corpus, open, system::Scratch, termination};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let number = |place: usize, otherwise: u64| numbers.get(place).copied().unwrap_or(otherwise);
    let (count, first, time) = (number(0, 100), number(1, 1), Duration::from_millis(number(2, 500)));
    let files: Vec<PathBuf> = words.iter().filter(|word| word.ends_with(".c")).map(PathBuf::from).collect();
    let Ok(scratch) = Scratch::new("agree") else { return };
    let (mut counts, mut wrong, start) = (Counts::default(), 0, Instant::now());
    let mut ask = |path: &Path| match check(path, time, &mut counts) {
        Ok(found) if !found.is_empty() => {
            println!("{}:\n{}", path.display(), fs::read_to_string(path).unwrap_or_default());
            found.iter().for_each(|one| println!("CONTRADICTION {one}"));
            wrong += found.len();
        }
        Ok(_) => {}
        Err(problem) => println!("{}: {problem}", path.display()),
    };
    files.iter().for_each(|path| ask(path));
    if files.is_empty() {
        corpus::programs(&corpus::folder()).unwrap_or_default().iter().for_each(|path| ask(path));
        for seed in first..first + count {
            let path = scratch.path().join(format!("seed{seed}.c"));
            let text = match seed % 4 {
                0 => open::Project::of(seed).part,
                1 => termination::recursive(seed),
                _ => bounds::text(seed),
            };
            if fs::write(&path, text).is_ok() {
                ask(&path);
            }
        }
    }
    println!("{counts:?}, {wrong} contradictions in {} s", start.elapsed().as_secs());
    std::process::exit(i32::from(wrong > 0));
}
