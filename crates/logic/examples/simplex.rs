//! Random linear programs for our exact simplex, and the same for Z3 if it is installed.
//!
//! `cargo run --release -p loopscope-logic --example simplex [problems per line]` prints a table: how long a problem
//! takes on average, ours alone, ours with the maximum of an objective, and Z3's (one process for all problems of a line,
//! its start not counted, ended after 20 seconds). The answers must agree.

#[path = "../tests/support/random.rs"]
pub mod random;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use base::Budget;
use loopscope_logic::numbers::Rational;
use loopscope_logic::numbers::linear::{Constraint, Linear};
use loopscope_logic::numbers::simplex::{Problem, Range, VariableId};
use random::Random;

/// One constraint: coefficients, and the number that their sum is at most.
type Row = (Vec<i64>, i64);

/// A problem with about so many percent of its coefficients not zero. Half of the problems have a solution that was
/// chosen before; of the others, most have none.
fn random_rows(numbers: &mut Random, variables: usize, constraints: usize, percent: u64) -> Vec<Row> {
    let witness: Vec<i64> = (0..variables).map(|_| numbers.within(50)).collect();
    let has_witness = numbers.below(2) == 0;
    let mut row = || {
        let factors: Vec<i64> = (0..variables)
            .map(|_| if numbers.below(100) < percent { numbers.within(10) } else { 0 })
            .collect();
        let value: i64 = factors.iter().zip(&witness).map(|(factor, value)| factor * value).sum();
        let slack = if has_witness { numbers.below(5) as i64 } else { numbers.within(40) };
        (factors, value + slack)
    };
    (0..constraints).map(|_| row()).collect()
}

fn problem_of(rows: &[Row]) -> (Problem, Vec<VariableId>) {
    let mut problem = Problem::new();
    let variables: Vec<VariableId> =
        (0..rows[0].0.len()).map(|_| problem.new_variable(Range::Free)).collect();
    for (factors, limit) in rows {
        problem.constrain(&Constraint::at_most(&sum_of(&variables, factors), &Linear::constant(*limit)));
    }
    (problem, variables)
}

fn sum_of(variables: &[VariableId], factors: &[i64]) -> Linear<VariableId> {
    Linear::new(variables.iter().zip(factors).map(|(id, factor)| (*id, Rational::from(*factor))), 0)
}

/// How long it takes to decide all problems, and the answers.
fn ours(problems: &[Vec<Row>]) -> (Duration, Vec<bool>) {
    let start = Instant::now();
    let answers = problems.iter().map(|rows| {
        let (mut problem, _) = problem_of(rows);
        problem.is_feasible(&mut Budget::unlimited()) == Ok(true)
    });
    let answers = answers.collect();
    (start.elapsed(), answers)
}

/// How long it takes to find the maximum of the sum of all variables.
fn ours_with_maximum(problems: &[Vec<Row>]) -> Duration {
    let start = Instant::now();
    for rows in problems {
        let (mut problem, variables) = problem_of(rows);
        let opposite = sum_of(&variables, &vec![-1; variables.len()]);
        let optimum = problem.minimize(&opposite, &mut Budget::unlimited());
        assert!(optimum.is_ok(), "there is no limit");
    }
    start.elapsed()
}

fn script(problems: &[Vec<Row>]) -> String {
    let mut text = String::new();
    for rows in problems {
        text.push_str("(reset)\n(set-logic QF_LRA)\n");
        for variable in 0..rows[0].0.len() {
            let _ = writeln!(text, "(declare-const x{variable} Real)");
        }
        for (factors, limit) in rows {
            text.push_str("(assert (<= (+ 0.0");
            for (variable, factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0) {
                let _ = write!(text, " (* {} x{variable})", number(*factor));
            }
            let _ = writeln!(text, ") {}))", number(*limit));
        }
        text.push_str("(check-sat)\n");
    }
    text
}

fn number(number: i64) -> String {
    if number < 0 { format!("(- {}.0)", -number) } else { format!("{number}.0") }
}

/// How long Z3 takes, and its answers; none for problems that it had no time for.
fn z3(text: &str) -> Option<(Duration, Vec<Option<bool>>)> {
    let start = Instant::now();
    let limit = format!("-T:{LIMIT}");
    let mut child =
        Command::new("z3").args(["-in", &limit]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take()?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    // Z3 does not read on when its time is over.
    let _ = writer.join();
    let answer = |line: &str| match line {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    };
    let answers = String::from_utf8_lossy(&output.stdout).lines().map(answer).collect();
    Some((start.elapsed(), answers))
}

/// How many seconds Z3 gets for the problems of a line.
const LIMIT: u32 = 20;

fn main() {
    let count: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100);
    let mut numbers = Random::new(2024);
    let start_of_z3 = z3("(check-sat)\n").map_or(Duration::ZERO, |(time, _)| time);
    println!("| variables | constraints | density | solvable | ours | with maximum | Z3 | Z3 gave up |");
    println!("|---|---|---|---|---|---|---|---|");
    for (variables, constraints) in [(5, 10), (10, 20), (20, 40), (30, 60), (40, 80)] {
        for percent in [10, 30, 100] {
            // Large problems take long: fewer of them do.
            let count = (count * 25 / (variables * variables)).max(3).min(count);
            let problems: Vec<Vec<Row>> =
                (0..count).map(|_| random_rows(&mut numbers, variables, constraints, percent)).collect();
            let (time, answers) = ours(&problems);
            let with_maximum = ours_with_maximum(&problems);
            let (of_z3, given_up) = match z3(&script(&problems)) {
                Some((time, theirs)) => {
                    let differ =
                        |(ours, theirs): (&bool, &Option<bool>)| theirs.is_some_and(|truth| truth != *ours);
                    assert!(!answers.iter().zip(&theirs).any(differ), "the answers agree");
                    let given_up = count - theirs.iter().flatten().count();
                    (millis(time.saturating_sub(start_of_z3), count), given_up)
                }
                None => ("not installed".to_owned(), 0),
            };
            let solvable = answers.iter().filter(|answer| **answer).count();
            let (time, with_maximum) = (millis(time, count), millis(with_maximum, count));
            print!("| {variables} | {constraints} | {percent} % | {solvable} of {count} ");
            println!("| {time} | {with_maximum} | {of_z3} | {given_up} |");
        }
    }
}

fn millis(time: Duration, count: usize) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3 / count as f64)
}
