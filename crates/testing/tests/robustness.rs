//! Broken C gives diagnostics, never a panic: whatever is accepted makes a well-formed program.

use std::fs;

use loopscope_testing::corpus::{folder, programs};
use loopscope_testing::generator::generate;
use loopscope_testing::interpretation::{Form, describe, prepare};
use loopscope_testing::mutation::mutate;
use loopscope_testing::system::Scratch;

const MUTANTS_OF_EACH: u64 = 12;

/// The texts that are broken: all of the corpus, and some generated programs.
fn texts() -> Vec<Vec<u8>> {
    let mut paths = programs(&folder()).unwrap();
    paths.extend(programs(&folder().join("obligations")).unwrap());
    let mut texts: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    texts.extend((1..=6).map(|seed| generate(seed).into_bytes()));
    texts
}

#[test]
fn broken_programs_do_not_break_the_front_end() {
    let mut scratch = Scratch::new("robustness").unwrap();
    let mut problems = Vec::new();
    for (number, text) in (0..).zip(texts()) {
        for round in 0..MUTANTS_OF_EACH {
            let seed = number * MUTANTS_OF_EACH + round;
            let path = scratch.path().join(format!("mutant{seed}.c"));
            fs::write(&path, mutate(&text, seed)).unwrap();
            let mut translation = c::translate(&[c::Input::new(&path)]);
            let internal =
                translation.diagnostics.iter().map(describe).find(|line| line.contains("internal error"));
            let outcome = match internal {
                Some(line) => Err(line),
                None => Form::ALL.iter().try_for_each(|form| prepare(&mut translation.program, *form)),
            };
            match outcome {
                Ok(()) => fs::remove_file(&path).unwrap(),
                Err(problem) => problems.push(format!("{}: {problem}", path.display())),
            }
        }
    }
    if !problems.is_empty() {
        scratch.keep();
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
