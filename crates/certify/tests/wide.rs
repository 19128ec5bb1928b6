//! Evidence as terms means what it means on plain numbers, whatever the width.

mod support;

use evidence::{Comparison, Expression, Formula, Integer, Moment, Quantity};
use logic::evaluate::evaluate;
use logic::{BitVector, Model, Terms, Value};
use loopscope_certify::wide;
use loopscope_certify::{Component, Kind, Relation};
use support::meaning::Meaning;

/// Several names of each kind; those of the last kind come last.
const NAMES: [&str; 12] = ["s1", "u1", "b1", "s2", "u2", "b2", "s3", "u3", "b3", "z1", "z2", "z3"];

fn number(random: &mut fastrand::Rng, depth: u32, limitless: bool) -> Expression {
    let part = |random: &mut fastrand::Rng| number(random, depth - 1, limitless);
    match random.u8(0..if depth == 0 { 4 } else { 12 }) {
        0 => Expression::Constant(Integer::from(random.i64(-9..10))),
        1..4 => {
            let name = NAMES[random.usize(0..if limitless { 12 } else { 9 })];
            Quantity::value(name).at(Moment::Now)
        }
        4 => Expression::Sum((0..random.usize(0..4)).map(|_| part(random)).collect()),
        5 => Expression::Product((0..random.usize(0..3)).map(|_| part(random)).collect()),
        6 => part(random).quotient(random.i64(1..12)),
        7 => part(random).remainder(random.i64(1..12)),
        8 => Expression::Minimum((0..random.usize(1..4)).map(|_| part(random)).collect()),
        9 => Expression::Maximum((0..random.usize(1..4)).map(|_| part(random)).collect()),
        10 => {
            // Between zero and seven in any case.
            let exponent = number(random, depth - 1, false).remainder(random.i64(1..8));
            exponent.power_of(random.i64(-3..6))
        }
        _ => Expression::Select {
            condition: Box::new(formula(random, depth - 1, limitless)),
            then: Box::new(part(random)),
            otherwise: Box::new(part(random)),
        },
    }
}

fn formula(random: &mut fastrand::Rng, depth: u32, limitless: bool) -> Formula {
    let part = |random: &mut fastrand::Rng| formula(random, depth - 1, limitless);
    match random.u8(0..if depth == 0 { 3 } else { 6 }) {
        3 => !part(random),
        4 => Formula::All((0..random.usize(0..3)).map(|_| part(random)).collect()),
        5 => Formula::Any((0..random.usize(0..3)).map(|_| part(random)).collect()),
        _ => number(random, depth.saturating_sub(1), limitless)
            .compare(Comparison::ALL[random.usize(0..6)], number(random, depth.saturating_sub(1), limitless)),
    }
}

#[test]
fn terms_mean_what_the_evidence_means() {
    let mut random = fastrand::Rng::with_seed(11);
    let kind = |name: &str| match &name[..1] {
        "s" => Kind::Machine { width: 4, signed: true },
        "u" => Kind::Machine { width: 5, signed: false },
        "b" => Kind::Boolean,
        _ => Kind::Mathematical,
    };
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    for round in 0..3000 {
        let mut terms = Terms::new();
        let parts = NAMES.iter().map(|name| Component { quantity: Quantity::value(*name), kind: kind(name) });
        let relation = Relation::new(&mut terms, parts.collect()).unwrap();
        let formula = formula(&mut random, 4, round % 2 == 1);
        let text = formula.to_string();
        let again: Formula = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again.to_string().parse(), Ok(again.clone()), "{text}");
        let either = if random.bool() { &formula } else { &again };
        let term = wide::formula(&mut terms, &relation, relation.before(), either).unwrap();
        for _ in 0..5 {
            let mut model = Model::new();
            let mut state: Vec<i128> = Vec::new();
            for (symbol, name) in relation.before().iter().zip(NAMES) {
                let number = match kind(name) {
                    Kind::Machine { signed: true, .. } => random.i128(-8..8),
                    Kind::Machine { .. } => random.i128(0..32),
                    Kind::Boolean => random.i128(0..2),
                    Kind::Mathematical => random.i128(-100..100),
                };
                let value = match kind(name) {
                    Kind::Machine { width, .. } => Value::BitVector(BitVector::from_signed(width, number)),
                    Kind::Boolean => Value::Bool(number == 1),
                    Kind::Mathematical => Value::Integer(number.into()),
                };
                model.set(terms.as_symbol(*symbol).unwrap(), value);
                state.push(number);
            }
            let meaning = Meaning { names: &names, entry: &state, now: &state, next: &state, iterations: 0 };
            assert_eq!(
                evaluate(&terms, &model, term),
                Value::Bool(meaning.holds(&formula)),
                "{formula}\nwith {state:?}"
            );
        }
    }
}
