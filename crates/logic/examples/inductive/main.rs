//! The benchmark of what the kernel asks most: is a candidate invariant preserved by one iteration of a loop?
//!
//! ```text
//! cargo run --release --example inductive -- --bodies 30 --candidates 25 --seed 1
//! ```
//!
//! For every body a batch of candidates is put to the default solver and to Z3, in the same run and about the same
//! terms: the relation of the iteration is asserted once, the candidates come one after the other. Z3 runs as a process
//! and gets SMT-LIB 2. `--z3 scopes` (the default) gives it a candidate in a scope of its own, `--z3 assumptions` as
//! assumptions, `--z3 fresh` resets it for every candidate and names the logic, so that it can use procedures that know
//! no scopes; `--z3 none` leaves it out. With the feature `z3` the library takes part as well. Times are wall-clock,
//! with the writing of the text but without the making of the terms, which both need; the first query of a body bears
//! the cost of its relation.

mod body;
#[path = "../../tests/support/mod.rs"]
pub mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use base::Budget;
use body::Body;
use loopscope_logic::solver::Embedded;
use loopscope_logic::{Answer, Solver, Term, Terms};
use support::random::Random;
use support::z3::Z3;

/// How Z3 gets the candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Scopes,
    Assumptions,
    Fresh,
    None,
}

/// Who takes part.
#[cfg(not(feature = "z3"))]
const CONTENDERS: [&str; 2] = ["default", "z3"];
#[cfg(feature = "z3")]
const CONTENDERS: [&str; 3] = ["default", "z3", "z3 library"];

struct Arguments {
    bodies: u64,
    candidates: u64,
    seed: u64,
    limit: Duration,
    mode: Mode,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments =
        Arguments { bodies: 30, candidates: 25, seed: 1, limit: Duration::from_secs(20), mode: Mode::Scopes };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} wants a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{value} is no number"));
        match (word.as_str(), value.as_str()) {
            ("--bodies", _) => arguments.bodies = number()?,
            ("--candidates", _) => arguments.candidates = number()?,
            ("--seed", _) => arguments.seed = number()?,
            ("--limit", _) => arguments.limit = Duration::from_millis(number()?),
            ("--z3", "scopes") => arguments.mode = Mode::Scopes,
            ("--z3", "assumptions") => arguments.mode = Mode::Assumptions,
            ("--z3", "fresh") => arguments.mode = Mode::Fresh,
            ("--z3", "none") => arguments.mode = Mode::None,
            _ => return Err(format!("{word} {value} is not understood")),
        }
    }
    Ok(arguments)
}

/// The times and answers of one solver.
#[derive(Default)]
struct Record {
    times: Vec<Duration>,
    answers: Vec<Answer>,
}

impl Record {
    fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// The time that so many of a hundred queries do not exceed.
    fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        sorted.get(last * percent / 100).copied().unwrap_or_default()
    }

    fn count(&self, answer: &Answer) -> usize {
        self.answers.iter().filter(|given| *given == answer).count()
    }

    fn print(&self, width: &str, name: &str) {
        if self.times.is_empty() {
            return;
        }
        let [satisfiable, unsatisfiable] =
            [Answer::Satisfiable, Answer::Unsatisfiable].map(|a| self.count(&a));
        println!(
            "{width:>6} {name:10} {:>9} {satisfiable:>6} {unsatisfiable:>6} {:>8} {:>10.3} {:>10.3} {:>10.3}",
            self.times.len(),
            self.answers.len() - satisfiable - unsatisfiable,
            self.total().as_secs_f64(),
            milliseconds(self.percentile(50)),
            milliseconds(self.percentile(90)),
        );
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Asks one query, and takes the time.
fn ask(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    setup: &[Term],
    query: &[Term],
    mode: Mode,
    limit: Duration,
    record: &mut Record,
) {
    let start = Instant::now();
    let mut budget = Budget::unlimited().within(limit);
    for &term in setup {
        solver.assert(terms, term);
    }
    let answer = if mode == Mode::Scopes {
        solver.push();
        for &term in query {
            solver.assert(terms, term);
        }
        let answer = solver.check(terms, &[], &mut budget);
        solver.pop();
        answer
    } else {
        solver.check(terms, query, &mut budget)
    };
    record.times.push(start.elapsed());
    record.answers.push(answer);
}

/// The queries of one width, to all.
fn run(arguments: &Arguments, width: u32) -> Vec<Record> {
    let mut records: Vec<Record> = CONTENDERS.map(|_| Record::default()).into();
    let mut z3 = Z3::new();
    for number in 0..arguments.bodies {
        let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(number * 64 + u64::from(width));
        let mut random = Random::new(seed);
        let mut body = Body::random(&mut random, width);
        let mut solver = Embedded::new();
        z3.reset();
        #[cfg(feature = "z3")]
        let context = z3::Context::new(&z3::Config::new());
        #[cfg(feature = "z3")]
        let mut library = support::z3::Library::new(&context);
        for candidate in 0..arguments.candidates {
            let query = body.candidate(&mut random);
            let setup = if candidate == 0 { body.relation.clone() } else { Vec::new() };
            let mut put = |solver: &mut dyn Solver, setup: &[Term], mode: Mode, record: usize| {
                ask(solver, &mut body.terms, setup, &query, mode, arguments.limit, &mut records[record]);
            };
            put(&mut solver, &setup, Mode::Assumptions, 0);
            if arguments.mode == Mode::Fresh {
                z3.reset_to_logic("QF_BV");
                let all = [&body.relation[..], &query].concat();
                ask(&mut z3, &mut body.terms, &all, &[], Mode::Fresh, arguments.limit, &mut records[1]);
            } else if arguments.mode != Mode::None {
                put(&mut z3, &setup, arguments.mode, 1);
                #[cfg(feature = "z3")]
                put(&mut library, &setup, arguments.mode, 2);
            }
        }
    }
    records
}

/// Prints how the default compares with another; how many answers differ.
fn compare(ours: &Record, theirs: &Record, name: &str) -> usize {
    let known = |answer: &Answer| !matches!(answer, Answer::Unknown(_));
    let pairs = ours.answers.iter().zip(&theirs.answers);
    let differ = pairs.filter(|(a, b)| known(a) && known(b) && a != b).count();
    println!(
        "ratio to {name}: total {:.3}, median {:.3}; answers that differ: {differ}",
        ours.total().as_secs_f64() / theirs.total().as_secs_f64(),
        ours.percentile(50).as_secs_f64() / theirs.percentile(50).as_secs_f64()
    );
    differ
}

fn main() -> ExitCode {
    let mut arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if arguments.mode != Mode::None && !Z3::available() {
        eprintln!("there is no Z3 to compare with: put z3 on the path, or set LOOPSCOPE_Z3");
        arguments.mode = Mode::None;
    }
    println!(
        "{:>6} {:10} {:>9} {:>6} {:>6} {:>8} {:>10} {:>10} {:>10}",
        "width", "solver", "queries", "sat", "unsat", "unknown", "total s", "median ms", "90 % ms"
    );
    let mut all: Vec<Record> = CONTENDERS.map(|_| Record::default()).into();
    for width in [8, 32, 64] {
        for (number, mut record) in run(&arguments, width).into_iter().enumerate() {
            record.print(&width.to_string(), CONTENDERS[number]);
            all[number].times.append(&mut record.times);
            all[number].answers.append(&mut record.answers);
        }
    }
    for (record, name) in all.iter().zip(CONTENDERS) {
        record.print("all", name);
    }
    let rivals = all.iter().zip(CONTENDERS).skip(1).filter(|(record, _)| !record.times.is_empty());
    let differ: usize = rivals.map(|(record, name)| compare(&all[0], record, name)).sum();
    if differ == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
