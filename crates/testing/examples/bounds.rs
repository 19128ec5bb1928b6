//! Measures bounds on real code: every function of C files modularly.
//!
//! ```text
//! cargo run --release -p loopscope-testing --example bounds -- PATH... [--limit SECONDS] [--jobs N] [--list | --json]
//! cargo run --release -p loopscope-testing --example bounds -- --random COUNT
//! ```
//!
//! Reads every `.c` and `.i` file below the paths. A loop may take so many seconds (1). Functions of headers count once. Prints how many loops there
//! are, how many have a bound, how many of these are exact, over the values at function entry, and bounded by the range of a
//! type alone, and why the others have none; how many loops are of each of the four types of Proteus (Table 1), and of how
//! many the automaton could not be made; with `--list` every loop, too. With `--random` it holds the bounds of so many
//! generated functions against their runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::Budget;
use clients::bounds::Bounds;
use engines::automaton::Automaton;
use evidence::{IterationBound, LoopBound};
use loops::{Criterion, LoopForest, LoopId, PostDominators, Slice};
use loopscope_testing::bounds::{Tally, check};
use loopscope_testing::real_code::{Known, files, in_parallel};
use program::interpret::Integers;
use program::{FunctionId, Program};

fn main() {
    let (mut paths, mut limit, mut jobs, mut list) = (Vec::new(), 1.0f64, 2usize, false);
    let (mut json, mut random) = (false, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--limit" => limit = words.next().and_then(|text| text.parse().ok()).unwrap_or(limit),
            "--jobs" => jobs = words.next().and_then(|text| text.parse().ok()).unwrap_or(jobs),
            "--list" => list = true,
            "--json" => json = true,
            "--random" => random = words.next().and_then(|text| text.parse().ok()),
            _ => paths.push(PathBuf::from(word)),
        }
    }
    if let Some(count) = random {
        return against_runs(count);
    }
    let files = files(&paths);
    let start = Instant::now();
    let known = Known::default();
    let all = in_parallel(&files, jobs, |file| measure(file, Duration::from_secs_f64(limit), &known));
    let measured: Vec<Measured> = all.into_iter().flatten().collect();
    if list {
        measured.iter().for_each(print_function);
    }
    if json {
        print_json(&measured);
    } else {
        print_totals(&files, &measured, start.elapsed());
    }
}

/// What the type of a loop may cost: the paths of most are few.
const TYPE_STEPS: u64 = 4_000;

/// A function with its loops.
struct Measured {
    loops: Vec<LoopBound>,
    types: Vec<Option<u8>>,
    time: Duration,
    typing: Duration,
    failed: bool,
}

fn measure(file: &Path, limit: Duration, known: &Known) -> Vec<Measured> {
    let mut program = c::translate(&[c::Input::new(file)]).program;
    program::passes::simplify(&mut program);
    let mut bounds = Bounds::new(&program, Integers::Machine);
    bounds.loop_time = limit;
    let mut found = Vec::new();
    for function in bounds.functions() {
        if !known.is_new(&program.functions[function].name, bounds.names(function).first()) {
            continue;
        }
        let start = Instant::now();
        // One broken function must not end the measurement.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let loops = bounds.names(function).len().max(4) as u32;
            bounds.of_function(function, &Budget::unlimited().within(loops * limit))
        }));
        let failed = outcome.is_err();
        let time = start.elapsed();
        let types = types(&program, function);
        let typing = start.elapsed() - time;
        found.push(Measured { loops: outcome.unwrap_or_default(), types, time, typing, failed });
    }
    found
}

/// The types of the loops of a function, each examined for when it is left (Proteus, section 7.1). Nothing for a loop with
/// too many paths.
fn types(program: &Program, function: FunctionId) -> Vec<Option<u8>> {
    let Some(body) = program.functions[function].body() else { return Vec::new() };
    let forest = LoopForest::of(body);
    let dominators = PostDominators::of(forest.graph());
    let one = |id: LoopId| {
        let slice = Slice::of(body, &forest, &dominators, id, Criterion::Exits);
        let mut budget = Budget::steps(TYPE_STEPS);
        let mut automaton =
            Automaton::of(program, body, &forest, id, &slice, Integers::Machine, &mut budget)?;
        let traces = automaton.traces(&[], &mut budget);
        Some(automaton.classify(&traces))
    };
    forest.iter().map(|(id, _)| one(id)).collect()
}

/// How many loops there are of each type.
fn counted_types(measured: &[Measured]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for kind in measured.iter().flat_map(|one| &one.types) {
        let name = kind.map_or(String::from("not classified"), |kind| format!("type {kind}"));
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn print_function(measured: &Measured) {
    for one in &measured.loops {
        match (&one.bound, &one.missing) {
            (Some(bound), _) => {
                let text = |count: &evidence::Count| {
                    format!("{}{}", if count.exact { "= " } else { "<= " }, count.iterations)
                };
                let optional =
                    |count: &Option<evidence::Count>| count.as_ref().map_or(String::from("-"), text);
                println!(
                    "{} {}: {} | start {} | total {} | nest {}{}",
                    one.name,
                    one.function,
                    text(&bound.visit),
                    optional(&bound.start),
                    optional(&bound.total),
                    optional(&bound.nest),
                    if bound.by_type { " | by type" } else { "" }
                );
            }
            (None, why) => println!("{} {}: none: {}", one.name, one.function, why.as_deref().unwrap_or("")),
        }
    }
    println!("  {:.1} ms", measured.time.as_secs_f64() * 1e3);
}

fn print_json(measured: &[Measured]) {
    let loops: Vec<&LoopBound> = measured.iter().flat_map(|one| &one.loops).collect();
    let count = |holds: &dyn Fn(&IterationBound) -> bool| {
        loops.iter().filter(|one| one.bound.as_ref().is_some_and(holds)).count()
    };
    let types: Vec<String> =
        counted_types(measured).iter().map(|(name, count)| format!("\"{name}\": {count}")).collect();
    println!(
        "{{\"loops\": {}, \"bounded\": {}, \"not_by_type\": {}, \"exact\": {}, \"at_start\": {}, \"total\": {}, \"types\": {{{}}}}}",
        loops.len(),
        count(&|_| true),
        count(&|one| !one.by_type),
        count(&|one| one.visit.exact),
        count(&|one| one.start.is_some()),
        count(&|one| one.total.is_some()),
        types.join(", ")
    );
}

/// Holds the bounds of generated functions against runs.
fn against_runs(count: u64) {
    let (mut tally, mut wrong) = (Tally::default(), 0);
    for seed in 1..=count {
        // A panic in one program must not end a long run.
        match std::panic::catch_unwind(|| check(&std::env::temp_dir(), seed)) {
            Ok(Ok(more)) => tally.add(&more),
            Ok(Err(message)) => {
                wrong += 1;
                println!("seed {seed}: {message}");
            }
            Err(_) => {
                wrong += 1;
                println!("seed {seed}: panic");
            }
        }
    }
    println!("{count} programs: {tally:?}, {wrong} wrong");
    if wrong > 0 {
        std::process::exit(1);
    }
}

fn print_totals(files: &[PathBuf], measured: &[Measured], wall: Duration) {
    let loops: Vec<&LoopBound> = measured.iter().flat_map(|one| &one.loops).collect();
    let bounds: Vec<_> = loops.iter().filter_map(|one| one.bound.as_ref()).collect();
    let share = |count: usize| format!("{count} ({:.1} %)", 100.0 * count as f64 / loops.len().max(1) as f64);
    println!("{} files, {} functions with loops, {} loops", files.len(), measured.len(), loops.len());
    println!("bounded: {}", share(bounds.len()));
    println!(
        "  not by the range of a type alone: {}",
        share(bounds.iter().filter(|one| !one.by_type).count())
    );
    println!("  exact: {}", share(bounds.iter().filter(|one| one.visit.exact).count()));
    println!(
        "  over values at function entry: {}",
        share(bounds.iter().filter(|one| one.start.is_some()).count())
    );
    println!("  in all visits: {}", share(bounds.iter().filter(|one| one.total.is_some()).count()));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for why in loops.iter().filter_map(|one| one.missing.as_deref()) {
        *reasons.entry(why).or_default() += 1;
    }
    for (why, count) in reasons {
        println!("none: {}: {why}", share(count));
    }
    for (name, count) in counted_types(measured) {
        println!("{name}: {}", share(count));
    }
    let failed = measured.iter().filter(|one| one.failed).count();
    if failed > 0 {
        println!("{failed} functions failed");
    }
    let work: Duration = measured.iter().map(|one| one.time).sum();
    let typing: Duration = measured.iter().map(|one| one.typing).sum();
    println!(
        "{:.1} s ({:.1} s for bounds, {:.1} s for types, {:.1} ms a loop)",
        wall.as_secs_f64(),
        work.as_secs_f64(),
        typing.as_secs_f64(),
        (work + typing).as_secs_f64() * 1e3 / loops.len().max(1) as f64
    );
}
