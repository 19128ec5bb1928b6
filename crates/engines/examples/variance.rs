//! The time that variance analyses take on the programs of the paper: the median for each domain, and their ratio.
//!
//! `cargo run --release -p loopscope-engines --example variance`

#[path = "../tests/paper/mod.rs"]
#[allow(dead_code, reason = "tests use the programs one by one")]
mod paper;

use std::time::{Duration, Instant};

use base::Budget;
use engines::variance::{self, DomainName, Numeric, Scope};
use loopscope_engines as engines;
use program::Program;
use program::interpret::Integers;

/// How often a program is analysed.
const TIMES: usize = 15;

fn main() {
    let mut medians: Vec<[Duration; 2]> = Vec::new();
    for (name, text) in paper::all() {
        let program = read(&text);
        let [octagon, polyhedra] = [DomainName::Octagon, DomainName::Polyhedra].map(|domain| {
            let mut times = Vec::new();
            let mut holds = Vec::new();
            for _ in 0..TIMES {
                let start = Instant::now();
                holds = analyse(&program, domain);
                times.push(start.elapsed());
            }
            times.sort();
            (times[TIMES / 2], holds)
        });
        println!("{name:28} octagon {:>10.2?} {:?}", octagon.0, octagon.1);
        println!("{:28} polyhedra {:>8.2?} {:?}", "", polyhedra.0, polyhedra.1);
        medians.push([octagon.0, polyhedra.0]);
    }
    let median = |domain: usize| {
        let mut times: Vec<Duration> = medians.iter().map(|pair| pair[domain]).collect();
        times.sort();
        times[times.len() / 2]
    };
    let ratio = median(1).as_secs_f64() / median(0).as_secs_f64();
    println!(
        "median: octagon {:.2?}, polyhedra {:.2?}, octagon : polyhedra = 1 : {ratio:.1}",
        median(0),
        median(1)
    );
}

/// Which local termination predicates hold.
fn analyse(program: &Program, domain: DomainName) -> Vec<bool> {
    let Some(function) = program.function_named("main") else { return Vec::new() };
    let Some(numeric) = Numeric::of(program, function, Integers::Mathematical, &Scope::default()) else {
        return Vec::new();
    };
    let forests = variance::forests(program, &numeric);
    let heads = variance::heads(program, &numeric, &forests);
    let is_named = |dimension| variance::is_of_source(program, &numeric, dimension);
    let mut budget = Budget::steps(10_000_000);
    let found = variance::analyse_with(domain, &numeric, &forests, &heads, &is_named, &mut budget);
    found.map(|found| found.iter().map(|one| one.holds).collect()).unwrap_or_default()
}

fn read(text: &str) -> Program {
    let path = std::env::temp_dir().join(format!("loopscope-variance-{}.c", std::process::id()));
    let text = format!("extern int nondet(void); {text}");
    if let Err(problem) = std::fs::write(&path, text) {
        println!("cannot write {}: {problem}", path.display());
        return Program::default();
    }
    let mut program = c::translate(&[c::Input::new(&path)]).program;
    let _ = std::fs::remove_file(&path);
    program::passes::simplify(&mut program);
    program
}
