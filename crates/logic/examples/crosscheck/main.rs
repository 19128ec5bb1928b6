//! Random queries to the default solver and to Z3: both must agree, and every model must make the query true.
//!
//! ```text
//! cargo run --release --example crosscheck -- --kind all --count 20000 --seed 1
//! ```
//!
//! `--kind` is one of `bits`, `arrays`, `integers`, `mixed`, `products` (single queries), `sessions` (scopes,
//! assumptions and cores), or `all`. Query number n of seed s is query 0 of seed s + n, so that `--count 1` repeats any
//! of them. The exit code is 1 if there was a disagreement; each is printed as SMT-LIB 2.

mod sessions;
mod single;
#[path = "../../tests/support/mod.rs"]
pub mod support;

use std::process::ExitCode;
use std::time::Duration;

use loopscope_logic::solver::Embedded;
use loopscope_logic::{Answer, Solver};
use support::random::{Random, Shape};
use support::z3::Z3;

/// What the queries are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bits,
    Arrays,
    Integers,
    Mixed,
    Products,
    Sessions,
}

const KINDS: [(&str, Kind); 6] = [
    ("bits", Kind::Bits),
    ("arrays", Kind::Arrays),
    ("integers", Kind::Integers),
    ("mixed", Kind::Mixed),
    ("products", Kind::Products),
    ("sessions", Kind::Sessions),
];

impl Kind {
    /// A shape for terms of this kind.
    fn shape(self, random: &mut Random) -> Shape {
        let depth = random.between(2, 5) as u32;
        let symbols = random.between(1, 3) as usize;
        let widths: &[&[u32]] = &[
            &[1],
            &[2, 3],
            &[4],
            &[8],
            &[8, 16],
            &[13, 7],
            &[16],
            &[32],
            &[32, 8],
            &[64],
            &[64, 32],
            &[65],
            &[128],
            &[130, 33],
        ];
        let shape = match self {
            Kind::Bits => Shape::bits(random.pick(widths)),
            Kind::Arrays => {
                let index = random.pick(&[1, 2, 3, 8, 32, 64]);
                Shape::arrays(index, random.pick(&[1, 8, 8, 32]))
            }
            Kind::Integers => Shape::integers(),
            Kind::Mixed => Shape::mixed(&[random.pick(&[1, 3, 8, 16, 32]), 4]),
            Kind::Products => {
                // Products and quotients of unknowns: what the other kinds have of small widths only.
                let shape = match random.below(3) {
                    0 => Shape::integers(),
                    1 => Shape::bits(&[random.pick(&[10, 12, 16])]),
                    _ => Shape::mixed(&[random.pick(&[6, 10])]),
                };
                return Shape {
                    nonlinear: true,
                    widest_product: 16,
                    ..shape.sized(symbols.min(2), depth.min(3))
                };
            }
            Kind::Sessions => match random.below(4) {
                0 => Shape::arrays(random.pick(&[2, 8, 32]), 8),
                1 => Shape::integers(),
                2 => Shape::mixed(&[8]),
                _ => Shape::bits(random.pick(widths)),
            },
        };
        Shape { widest_product: 8, ..shape.sized(symbols, depth) }
    }
}

/// What came of the queries of one kind.
#[derive(Clone, Default)]
struct Tally {
    queries: u64,
    satisfiable: u64,
    unsatisfiable: u64,
    /// Of these, those that Z3 finds unsatisfiable too.
    confirmed: u64,
    unknown: u64,
    unknown_to_z3: u64,
    /// Models of Z3 that do not make the query true: a mistake of Z3 (it has some with arrays over few indices), or an
    /// array in a form that is not read. Such an answer of Z3 counts for nothing.
    odd_models: u64,
    disagreements: u64,
    time: Duration,
    time_of_z3: Duration,
}

impl Tally {
    fn count(&mut self, answer: &Answer, expected: &Answer, odd: bool) {
        self.queries += 1;
        match answer {
            Answer::Satisfiable => self.satisfiable += 1,
            Answer::Unsatisfiable => {
                self.unsatisfiable += 1;
                self.confirmed += u64::from(*expected == Answer::Unsatisfiable);
            }
            Answer::Unknown(_) => self.unknown += 1,
        }
        self.unknown_to_z3 += u64::from(matches!(expected, Answer::Unknown(_)));
        self.odd_models += u64::from(odd);
    }
}

struct Arguments {
    kinds: Vec<(&'static str, Kind)>,
    count: u64,
    seed: u64,
    limit: Duration,
    /// Whether queries that were not decided are printed.
    verbose: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments {
        kinds: KINDS.to_vec(),
        count: 500,
        seed: 1,
        limit: Duration::from_secs(5),
        verbose: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--verbose" {
            arguments.verbose = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} wants a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{value} is no number"));
        match word.as_str() {
            "--count" => arguments.count = number()?,
            "--seed" => arguments.seed = number()?,
            "--limit" => arguments.limit = Duration::from_millis(number()?),
            "--kind" if value == "all" => {}
            "--kind" => {
                arguments.kinds.retain(|(name, _)| *name == value);
                if arguments.kinds.is_empty() {
                    return Err(format!("there is no kind {value}"));
                }
            }
            _ => return Err(format!("there is no option {word}")),
        }
    }
    Ok(arguments)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if !Z3::available() {
        eprintln!("there is no Z3 to compare with: put z3 on the path, or set LOOPSCOPE_Z3");
        return ExitCode::from(2);
    }
    let columns = [
        "queries",
        "sat",
        "unsat",
        "confirmed",
        "unknown",
        "z3 unkn.",
        "z3 odd",
        "disagree",
        "time s",
        "z3 s",
    ];
    println!("{:10}{}", "kind", columns.map(|column| format!("{column:>10}")).concat());
    let mut disagreements = 0;
    for &(name, kind) in &arguments.kinds {
        let tally = match kind {
            Kind::Sessions => sessions::run(kind, &arguments),
            _ => single::run(name, kind, &arguments),
        };
        let counts = [
            tally.queries,
            tally.satisfiable,
            tally.unsatisfiable,
            tally.confirmed,
            tally.unknown,
            tally.unknown_to_z3,
            tally.odd_models,
            tally.disagreements,
        ];
        let times = [tally.time, tally.time_of_z3].map(|time| format!("{:10.2}", time.as_secs_f64()));
        println!("{name:10}{}{}", counts.map(|count| format!("{count:>10}")).concat(), times.concat());
        disagreements += tally.disagreements;
    }
    if disagreements == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// The solver on trial.
fn default_solver() -> Box<dyn Solver> {
    Box::new(Embedded::new())
}
