//! Random operations on polyhedra, with results and times, for comparison with another library.
//!
//! `scripts/compare-polyhedra` feeds the output to a program that repeats the operations with the Parma Polyhedra
//! Library. Arguments: the number of cases for each operation and dimension, a seed, and the dimensions. Each case is a
//! line: the operation, its family of instances, the dimensions, nanoseconds, and three lists (first operand, second
//! operand, result) of constraints `= b a1 … an` or `> b a1 … an`.

use std::fmt::Write;
use std::time::Instant;

use logic::numbers::Rational;
use logic::numbers::linear::Relation;
use loopscope_domains::polyhedra::{Limits, Polyhedra};
use loopscope_domains::{Constraint, Dimension, Domain, Expression, Lattice};

/// How the constraints of an instance look.
#[derive(Clone, Copy, Debug)]
enum Family {
    /// Sums of three coordinates with small coefficients.
    Dense,
    /// Bounds of coordinates, and a few differences.
    Zones,
    /// Sums of two coordinates with large coefficients and constants.
    Wide,
    /// All coordinates are equal to sums of a few of them.
    Equations,
}

/// The most constraints and generators that the result of a case has.
const LARGEST: usize = 200;

const OPERATIONS: [&str; 8] = ["build", "join", "meet", "assume", "shift", "set", "forget", "widen"];

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let (count, seed, dimensions) = match numbers.as_slice() {
        [count, seed, dimensions @ ..] if !dimensions.is_empty() => (*count, *seed, dimensions.to_vec()),
        _ => (20, 1, vec![2, 4, 8, 12, 16]),
    };
    let mut random = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for dimensions in dimensions {
        for family in [Family::Dense, Family::Zones, Family::Wide, Family::Equations] {
            for operation in OPERATIONS {
                let cases =
                    std::iter::repeat_with(|| case(operation, family, dimensions as usize, &mut random));
                cases.flatten().take(count as usize).for_each(|line| println!("{line}"));
            }
        }
    }
}

/// A case, unless it is too large for libraries that need hours for what takes us a second.
fn case(operation: &str, family: Family, dimensions: usize, random: &mut Numbers) -> Option<String> {
    let limits = Limits { rows: 1 << 20, integers: false };
    let build = |constraints: &[Constraint]| {
        let mut polyhedra = Polyhedra::with_limits(dimensions, limits);
        constraints.iter().for_each(|constraint| polyhedra.assume(constraint));
        polyhedra
    };
    let constraints = instance(family, dimensions, random);
    let others = varied(&constraints, instance(family, dimensions, random), random);
    let target = Dimension(random.below(dimensions as u64) as u32);
    let mut value = expression(3, dimensions, random);
    if operation == "set" {
        value = value.substituted(target, &Expression::zero());
    } else if operation == "shift" && value.coefficient(target).is_zero() {
        value = &value + &Expression::variable(target);
    }
    let extra = Constraint { expression: value.clone(), relation: Relation::AtMost };

    let first = build(&constraints);
    let mut second = build(&others);
    if operation == "widen" {
        second = first.join(&second);
    }
    let (result, time) = fastest(|| match operation {
        "build" => build(&constraints),
        "join" => first.join(&second),
        "meet" => first.meet(&second),
        "widen" => first.widen(&second, &[]),
        _ => {
            let mut result = first.clone();
            match operation {
                "assume" => result.assume(&extra),
                "forget" => result.forget(target),
                _ => result.assign(target, &value),
            }
            result
        }
    });

    if [&first, &second, &result].iter().any(|operand| operand.size() > LARGEST)
        || result.constraints().len() > LARGEST
    {
        return None;
    }
    let mut line = format!("{operation} {family:?} {dimensions} {time} {} ", target.0);
    write_row(&mut line, &value, dimensions);
    let operands = match operation {
        "build" => [constraints, Vec::new()],
        _ => [first.constraints(), second.constraints()],
    };
    for list in operands.iter().chain([&result.constraints()]) {
        write!(line, " | {}", list.len()).unwrap_or_default();
        for constraint in list {
            let is_equation = constraint.relation == Relation::Equal;
            line.push_str(if is_equation { " = " } else { " > " });
            write_row(&mut line, &-&constraint.expression, dimensions);
        }
    }
    Some(line)
}

/// What holds on another way to the same place of a program: much of it is the same.
fn varied(constraints: &[Constraint], others: Vec<Constraint>, random: &mut Numbers) -> Vec<Constraint> {
    let count = constraints.len().min(others.len()) as u64;
    let mut varied = constraints.to_vec();
    for at in (0..3).map(|_| random.below(count) as usize) {
        varied[at] = others[at].clone();
    }
    varied
}

/// The result of an operation, and the least time in nanoseconds that it took in a few runs.
fn fastest<R>(operation: impl Fn() -> R) -> (R, u128) {
    let timed = || {
        let start = Instant::now();
        let result = operation();
        (result, start.elapsed().as_nanos())
    };
    let (result, first) = timed();
    let runs = 2 + 100_000 / (first + 5_000);
    let time = (0..runs).map(|_| timed().1).fold(first, u128::min);
    (result, time)
}

/// The constant, and the coefficients of all dimensions.
fn write_row(line: &mut String, expression: &Expression, dimensions: usize) {
    write!(line, "{}", expression.constant_part()).unwrap_or_default();
    for dimension in 0..dimensions {
        write!(line, " {}", expression.coefficient(Dimension(dimension as u32))).unwrap_or_default();
    }
}

/// Constraints that the point zero satisfies.
fn instance(family: Family, dimensions: usize, random: &mut Numbers) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    let mut add = |expression: Expression, relation| constraints.push(Constraint { expression, relation });
    let variable = |at: u64| Expression::variable(Dimension(at as u32));
    match family {
        Family::Dense => {
            for _ in 0..dimensions / 2 + 4 {
                let size = Expression::constant(-(random.below(9) as i64));
                add(&expression(3, dimensions, random).without_constant() + &size, Relation::AtMost);
            }
        }
        Family::Zones => {
            for at in 0..dimensions as u64 {
                let (low, high) = (-(random.below(9) as i64), random.below(9) as i64);
                add(&variable(at) - &Expression::constant(high), Relation::AtMost);
                if random.below(3) == 0 {
                    add(&Expression::constant(low) - &variable(at), Relation::AtMost);
                }
            }
            for _ in 0..dimensions / 2 {
                let (left, right) = (random.below(dimensions as u64), random.below(dimensions as u64));
                let size = Expression::constant(-(random.below(9) as i64));
                add(&(&variable(left) - &variable(right)) + &size, Relation::AtMost);
            }
        }
        Family::Wide => {
            for _ in 0..dimensions / 2 + 4 {
                let left = variable(random.below(dimensions as u64)).scaled(&Rational::from(random.wide()));
                let right = variable(random.below(dimensions as u64)).scaled(&Rational::from(random.wide()));
                let size = Expression::constant(-random.wide().abs());
                add(&(&left + &right) + &size, Relation::AtMost);
            }
        }
        Family::Equations => {
            let free = (dimensions as u64).div_ceil(3);
            for at in free..dimensions as u64 {
                let sum = expression(2, free as usize, random);
                add(&variable(at) - &sum, Relation::Equal);
            }
            for _ in 0..free + 2 {
                let size = Expression::constant(-(random.below(9) as i64));
                add(&expression(3, dimensions, random).without_constant() + &size, Relation::AtMost);
            }
        }
    }
    constraints
}

/// A sum of a few coordinates with small coefficients, and a constant.
fn expression(terms: usize, dimensions: usize, random: &mut Numbers) -> Expression {
    let terms = (0..terms).map(|_| {
        let coefficient = [-3, -2, -1, -1, 1, 1, 2, 3][random.below(8) as usize];
        (Dimension(random.below(dimensions as u64) as u32), Rational::from(coefficient))
    });
    let terms: Vec<_> = terms.collect();
    Expression::new(terms, random.below(11) as i64 - 5)
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

    /// A number of at most 32 bits that is not zero.
    fn wide(&mut self) -> i64 {
        let size = 1 + self.below(32);
        let number = 1 + self.below(1 << size) as i64;
        if self.below(2) == 0 { number } else { -number }
    }
}
