//! Measures which loops of real code are shown to stop: every function of C files modularly.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example terminates -- PATH... [--limit SECONDS] [--jobs N] [--list | --json]
//! ```
//!
//! Reads every `.c` and `.i` file below the paths. A loop may take so many seconds (1). Functions of headers count once.
//! Prints how many loops and recursions there are and how many of them are shown to stop; with `--list` every other one, too.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Budget;
use certify::{CycleReport, Stopping};
use clients::terminates::{Conditions, Stage, Terminates};
use evidence::CycleKind;
use loopscope_testing::real_code::{Known, files, in_parallel};
use program::interpret::Integers;

fn main() {
    let (mut paths, mut limit, mut jobs, mut list, mut json) = (Vec::new(), 1.0f64, 2usize, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--limit" => limit = words.next().and_then(|text| text.parse().ok()).unwrap_or(limit),
            "--jobs" => jobs = words.next().and_then(|text| text.parse().ok()).unwrap_or(jobs),
            "--list" => list = true,
            "--json" => json = true,
            _ => paths.push(PathBuf::from(word)),
        }
    }
    let files = files(&paths);
    let start = Instant::now();
    let known = Known::default();
    let all = in_parallel(&files, jobs, |file| measure(file, Duration::from_secs_f64(limit), &known));
    let cycles: Vec<CycleReport> = all.into_iter().flatten().collect();
    let count = |kind: CycleKind, wanted: fn(&Stopping) -> bool| {
        cycles.iter().filter(|one| one.kind == kind && wanted(&one.answer)).count()
    };
    let always = |answer: &Stopping| matches!(answer, Stopping::Stops(stops) if !stops.unless_overflow());
    let (loops, stop) = (count(CycleKind::Loop, |_| true), count(CycleKind::Loop, Stopping::stops));
    let recursions = count(CycleKind::Recursion, |_| true);
    let terminating = count(CycleKind::Recursion, Stopping::stops);
    let always = count(CycleKind::Loop, always);
    if list {
        cycles.iter().filter(|one| !one.answer.stops()).for_each(|one| {
            if let Stopping::Unknown { reason, .. } = &one.answer {
                println!("{} in {}: {reason}", one.name, one.function);
            }
        });
    }
    if json {
        println!(
            "{{\"files\": {}, \"loops\": {loops}, \"stop\": {stop}, \"always\": {always}, \"recursions\": {recursions}, \"ending\": {terminating}}}",
            files.len()
        );
    } else {
        let share = 100.0 * stop as f64 / loops.max(1) as f64;
        println!("{} files, {loops} loops: {stop} stop ({share:.1} %), {always} of them always", files.len());
        println!("{recursions} recursions: {terminating} stop");
        println!("{:.1} s", start.elapsed().as_secs_f64());
    }
}

fn measure(file: &Path, limit: Duration, known: &Known) -> Vec<CycleReport> {
    let mut program = c::translate(&[c::Input::new(file)]).program;
    program::passes::simplify(&mut program);
    let mut terminates = Terminates::new(&program, Integers::Machine);
    terminates.loop_time = limit;
    let mut answers = clients::terminates::Answers::new();
    for function in terminates.functions() {
        let names = terminates.names(function);
        if !known.is_new(&program.functions[function].name, names.first()) {
            continue;
        }
        let budget = Budget::unlimited().within(limit * names.len().max(4) as u32);
        // One broken function must not end the measurement.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut found = terminates.modular(function, &budget);
            terminates.improve(function, Stage::Function, &mut found, &budget);
            found
        }));
        let failed = || terminates.all_unknown(function, "a panic");
        answers.insert(function, outcome.unwrap_or_else(|_| failed()));
    }
    terminates.report(answers, Conditions::new()).cycles
}
