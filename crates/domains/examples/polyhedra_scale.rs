//! Times of operations on polyhedra with 8 to 64 dimensions, with the limits that analyses use.
//!
//! The polyhedra come from random runs of an analysis: bounded variables, conditions between a few of them, assignments,
//! branches that join, loop heads that widen. Arguments: the number of steps, and a seed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use logic::numbers::Rational;
use logic::numbers::linear::Relation;
use loopscope_domains::polyhedra::Polyhedra;
use loopscope_domains::{Constraint, Dimension, Domain, Expression, Lattice};

/// How often an operation was done, and how long it took.
#[derive(Default)]
struct Times {
    count: u32,
    sum: Duration,
    most: Duration,
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let steps = numbers.first().copied().unwrap_or(500);
    let seed = numbers.get(1).copied().unwrap_or(1);
    println!("{:>10} {:>10} {:>8} {:>12} {:>12}", "dimensions", "operation", "count", "mean us", "most us");
    for dimensions in [8, 16, 32, 64] {
        let mut times = BTreeMap::new();
        run(dimensions, steps, &mut Numbers(seed), &mut times);
        for (operation, Times { count, sum, most }) in times {
            let mean = sum.as_secs_f64() * 1e6 / f64::from(count);
            println!(
                "{dimensions:>10} {operation:>10} {count:>8} {mean:>12.1} {:>12.1}",
                most.as_secs_f64() * 1e6
            );
        }
    }
}

fn run(dimensions: usize, steps: u64, random: &mut Numbers, times: &mut BTreeMap<&'static str, Times>) {
    let start = bounded(dimensions);
    let mut head = start.clone();
    let mut state = start.clone();
    let mut other = start.clone();
    for step in 0..steps {
        let constraint =
            Constraint { expression: expression(dimensions, random), relation: Relation::AtMost };
        let target = Dimension(random.below(dimensions as u64) as u32);
        let value = expression(dimensions, random);
        match random.below(8) {
            0..=2 => timed("assume", times, || state.assume(&constraint)),
            3..=5 => timed("assign", times, || state.assign(target, &value)),
            6 => timed("forget", times, || state.forget(target)),
            _ => {
                let joined = timed("join", times, || state.join(&other));
                other = std::mem::replace(&mut state, joined);
            }
        }
        if step % 40 == 39 {
            let joined = timed("join", times, || head.join(&state));
            timed("include", times, || joined.is_included(&head));
            head = timed("widen", times, || head.widen(&joined, &[]));
            state = head.clone();
        }
        if state.is_bottom() || step % 200 == 199 {
            (head, state, other) = (start.clone(), start.clone(), start.clone());
        }
    }
}

/// The variables of a program have the values of its types.
fn bounded(dimensions: usize) -> Polyhedra {
    let mut state = Polyhedra::top(dimensions);
    for at in 0..dimensions {
        let variable = Expression::variable(Dimension(at as u32));
        state.assume(&Constraint::at_most(&variable, &Expression::constant(i64::from(i32::MAX))));
        state.assume(&Constraint::at_most(&Expression::constant(i64::from(i32::MIN)), &variable));
    }
    state
}

fn timed<R>(name: &'static str, times: &mut BTreeMap<&'static str, Times>, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    let time = start.elapsed();
    let entry = times.entry(name).or_default();
    entry.count += 1;
    entry.sum += time;
    entry.most = entry.most.max(time);
    result
}

/// One or two coordinates, and a constant.
fn expression(dimensions: usize, random: &mut Numbers) -> Expression {
    let terms = (0..1 + random.below(2)).map(|_| {
        let coefficient = [-2, -1, -1, 1, 1, 1, 2][random.below(7) as usize];
        (Dimension(random.below(dimensions as u64) as u32), Rational::from(coefficient))
    });
    let terms: Vec<_> = terms.collect();
    Expression::new(terms, random.below(21) as i64 - 10)
}

/// A sequence of numbers that looks random and is always the same (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}
