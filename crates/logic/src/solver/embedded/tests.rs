//! The whole solver, against evaluation under all models of small terms.

use base::{Budget, Interrupt, Stop};

use super::*;
use crate::random::{Generator, Shape};
use crate::solver::sat::{SatAnswer, SatLiteral};
use crate::sort::{Scalar, Sort};
use crate::value::ArrayValue;
use crate::{Binary, Integer, Unary};

/// Integers are tried in this box.
const BOX: i64 = 3;

fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVector(width) => (0..1 << width).map(|number| Value::bits(width, number)).collect(),
        Sort::Integer => (-BOX..=BOX).map(|number| Value::Integer(Integer::from(number))).collect(),
        Sort::Array(index, element) => {
            let zero =
                ArrayValue { index, default: Value::zero(element.into()), entries: Default::default() };
            let mut arrays = vec![zero];
            for at in values(index.into()) {
                let with = |array: &ArrayValue, element: &Value| {
                    let mut array = array.clone();
                    array.set(at.clone(), element.clone());
                    array
                };
                let elements = values(element.into());
                arrays =
                    arrays.iter().flat_map(|array| elements.iter().map(|value| with(array, value))).collect();
            }
            arrays.into_iter().map(|array| Value::Array(Box::new(array))).collect()
        }
    }
}

/// Whether some model over small values makes all these terms true.
fn brute(terms: &Terms, formulas: &[Term]) -> bool {
    let symbols = terms.free_symbols(formulas);
    let choices: Vec<Vec<Value>> = symbols.iter().map(|&symbol| values(terms.symbol(symbol).sort)).collect();
    let mut at = vec![0; symbols.len()];
    loop {
        let mut model = Model::new();
        for (index, &symbol) in symbols.iter().enumerate() {
            model.set(symbol, choices[index][at[index]].clone());
        }
        let mut evaluation = Evaluation::new(terms, &model);
        if formulas.iter().all(|formula| evaluation.is_true(*formula)) {
            return true;
        }
        let Some(next) = (0..at.len()).find(|&index| at[index] + 1 < choices[index].len()) else {
            return false;
        };
        at[next] += 1;
        at[..next].fill(0);
    }
}

fn check(solver: &mut Embedded, terms: &mut Terms, assumptions: &[Term]) -> Answer {
    solver.check(terms, assumptions, &mut Budget::steps(1_000_000))
}

/// Asks random queries of a shape, some at once and some after the other, and compares with all models.
fn compare(shape: &Shape, seeds: std::ops::Range<u64>, simplify: bool) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for seed in seeds {
        let mut terms = if simplify { Terms::new() } else { Terms::without_simplification() };
        let mut generator = Generator::with_shape(seed, shape.clone());
        let mut formulas: Vec<Term> = (0..2).map(|_| generator.formula(&mut terms)).collect();
        for &symbol in generator.symbols() {
            if terms.sort(symbol) == Sort::Integer {
                let (low, high) = (terms.integer(-BOX), terms.integer(BOX));
                formulas.push(terms.binary(Binary::LessEqual, low, symbol));
                formulas.push(terms.binary(Binary::LessEqual, symbol, high));
            }
        }
        let mut solver = Embedded::new();
        let (assumptions, asserted) = formulas.split_at(1);
        for &formula in asserted {
            solver.assert(&mut terms, formula);
        }
        let answer = check(&mut solver, &mut terms, assumptions);
        match answer {
            Answer::Satisfiable => {
                counts.0 += 1;
                assert!(brute(&terms, &formulas) || shape.integers, "seed {seed} is unsatisfiable");
                let model = solver.model(&terms);
                let mut evaluation = Evaluation::new(&terms, &model);
                assert!(formulas.iter().all(|formula| evaluation.is_true(*formula)), "seed {seed}: no model");
            }
            Answer::Unsatisfiable => {
                counts.1 += 1;
                assert!(!brute(&terms, &formulas), "seed {seed} is satisfiable");
                assert!(solver.core().iter().all(|term| assumptions.contains(term)));
                if solver.core().is_empty() {
                    assert_eq!(check(&mut solver, &mut terms, &[]), Answer::Unsatisfiable);
                }
            }
            Answer::Unknown(ignorance) => {
                assert!(shape.nonlinear, "seed {seed}: {ignorance}");
                counts.2 += 1;
            }
        }
    }
    counts
}

#[test]
fn bits_agree_with_all_models() {
    for widths in [&[1, 2][..], &[3], &[4]] {
        let (yes, no, unknown) = compare(&Shape::bits(widths).sized(2, 4), 0..100, false);
        assert!(yes > 20 && no > 20 && unknown == 0, "{yes} {no} {unknown}");
        compare(&Shape::bits(widths).sized(2, 4).simplified(), 1000..1060, true);
    }
}

#[test]
fn arrays_agree_with_all_models() {
    let scalar = |width| Scalar::BitVector(width);
    for (index, element) in [(scalar(1), scalar(1)), (scalar(1), scalar(2)), (scalar(2), scalar(1))] {
        let arrays = vec![(index, element)];
        let shape = Shape { arrays, ..Shape::bits(&[1, 2]) }.sized(1, 5);
        compare(&shape, 0..120, false);
        compare(&Shape { symbols: 2, depth: 4, ..shape }.simplified(), 1000..1020, true);
    }
    let arrays = vec![(Scalar::Bool, Scalar::Bool), (Scalar::BitVector(2), Scalar::Bool)];
    compare(&Shape { arrays, ..Shape::bits(&[2]) }.sized(1, 5), 0..120, false);
}

#[test]
fn integers_agree_with_all_models_in_a_box() {
    compare(&Shape::integers().sized(2, 3), 0..120, false);
    compare(&Shape { nonlinear: true, ..Shape::integers() }.sized(2, 3), 0..120, false);
}

#[test]
fn mixtures_agree_with_all_models_in_a_box() {
    let shape = Shape { integers: true, ..Shape::bits(&[2]) }.sized(1, 5);
    compare(&shape, 0..120, false);
    let arrays = vec![(Scalar::BitVector(1), Scalar::Integer), (Scalar::Bool, Scalar::BitVector(2))];
    compare(&Shape { arrays, ..shape }, 0..120, false);
}

#[test]
fn levels_and_assumptions_come_and_go() {
    let mut terms = Terms::new();
    let mut solver = Embedded::new();
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::BitVector(8)));
    let ten = terms.bits(8, 10);
    let small = terms.binary(Binary::UnsignedLess, x, ten);
    let large = terms.binary(Binary::UnsignedLess, ten, x);
    let same = terms.equal(x, y);
    solver.assert(&mut terms, small);
    assert_eq!(check(&mut solver, &mut terms, &[]), Answer::Satisfiable);
    solver.push();
    solver.assert(&mut terms, same);
    let other = terms.binary(Binary::UnsignedLess, ten, y);
    assert_eq!(check(&mut solver, &mut terms, &[other]), Answer::Unsatisfiable);
    assert_eq!(solver.core(), [other]);
    assert_eq!(check(&mut solver, &mut terms, &[]), Answer::Satisfiable);
    let model = solver.model(&terms);
    assert!(Evaluation::new(&terms, &model).is_true(same));
    solver.push();
    solver.assert(&mut terms, large);
    assert_eq!(check(&mut solver, &mut terms, &[]), Answer::Unsatisfiable);
    assert!(solver.core().is_empty());
    solver.pop();
    solver.pop();
    assert_eq!(check(&mut solver, &mut terms, &[other]), Answer::Satisfiable);
    assert_eq!(check(&mut solver, &mut terms, &[same, other, large]), Answer::Unsatisfiable);
    let core = solver.core();
    assert!(core.iter().all(|term| [same, other, large].contains(term)));
    assert_eq!(check(&mut solver, &mut terms, &core), Answer::Unsatisfiable);
    assert_eq!(check(&mut solver, &mut terms, &[other, same]), Answer::Unsatisfiable);
    let core = solver.core();
    assert!(core.contains(&other) && core.contains(&same));
}

/// Two products of different shape that are equal: hard for any SAT solver. They have too many parts to be multiplied out.
fn hard(terms: &mut Terms) -> Term {
    let mut sum = |count: usize| {
        let first = terms.fresh("x", Sort::BitVector(24));
        (1..count).fold(first, |sum, _| {
            let next = terms.fresh("x", Sort::BitVector(24));
            terms.binary(Binary::BitAdd, sum, next)
        })
    };
    let (x, y, z) = (sum(4), sum(4), sum(7));
    let (sum, left) = (terms.binary(Binary::BitAdd, x, y), terms.binary(Binary::BitMultiply, x, z));
    let (product, right) =
        (terms.binary(Binary::BitMultiply, sum, z), terms.binary(Binary::BitMultiply, y, z));
    let other = terms.binary(Binary::BitAdd, left, right);
    terms.differ(product, other)
}

#[test]
fn the_budget_ends_a_hard_query() {
    let mut terms = Terms::without_simplification();
    let query = hard(&mut terms);
    let mut budgets = Vec::new();
    for _ in 0..2 {
        let mut solver = Embedded::new();
        let mut budget = Budget::steps(2000);
        let answer = solver.check(&mut terms, &[query], &mut budget);
        assert_eq!(answer, Answer::Unknown(Ignorance::Stopped(Stop::Steps)));
        budgets.push(budget.remaining_steps());
    }
    assert_eq!(budgets[0], budgets[1]);
    let interrupt = Interrupt::default();
    interrupt.raise();
    let mut budget = Budget::unlimited().interrupted_by(interrupt);
    let answer = Embedded::new().check(&mut terms, &[query], &mut budget);
    assert_eq!(answer, Answer::Unknown(Ignorance::Stopped(Stop::Interrupted)));
}

#[test]
fn a_million_terms_in_depth_are_no_problem() {
    let mut terms = Terms::without_simplification();
    let x = terms.fresh("x", Sort::BitVector(1));
    let mut term = x;
    for _ in 0..200_000 {
        term = terms.unary(Unary::BitNegate, term);
        term = terms.unary(Unary::BitNot, term);
    }
    let same = terms.equal(x, term);
    let different = terms.not(same);
    assert_eq!(check(&mut Embedded::new(), &mut terms, &[different]), Answer::Unsatisfiable);
}

#[test]
fn stores_at_different_indices_commute() {
    let mut terms = Terms::new();
    let mut solver = Embedded::new();
    let bits = Scalar::BitVector(32);
    let array = terms.fresh("a", Sort::Array(bits, bits));
    let pairs: Vec<(Term, Term)> =
        (0..6).map(|_| (terms.fresh("index", bits.into()), terms.fresh("element", bits.into()))).collect();
    let (mut forth, mut back) = (array, array);
    for position in 0..pairs.len() {
        let ((i, x), (j, y)) = (pairs[position], pairs[pairs.len() - 1 - position]);
        (forth, back) = (terms.store(forth, i, x), terms.store(back, j, y));
        for &(other, _) in &pairs[..position] {
            let differ = terms.differ(i, other);
            solver.assert(&mut terms, differ);
        }
    }
    let differ = terms.differ(forth, back);
    assert_eq!(check(&mut solver, &mut terms, &[differ]), Answer::Unsatisfiable);
    let same = terms.equal(forth, back);
    assert_eq!(check(&mut solver, &mut terms, &[same]), Answer::Satisfiable);
}

#[test]
fn products_of_numbers_are_found_though_not_decided() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::Integer));
    let product = terms.binary(Binary::Multiply, x, y);
    let (one, number) = (terms.integer(1), terms.integer(391));
    let is_number = terms.equal(product, number);
    let large = [terms.binary(Binary::Less, one, x), terms.binary(Binary::Less, one, y)];
    let mut solver = Embedded::new();
    solver.assert(&mut terms, is_number);
    assert_eq!(check(&mut solver, &mut terms, &large), Answer::Satisfiable);
    let square = terms.binary(Binary::Multiply, x, x);
    let two = terms.integer(2);
    let root = terms.equal(square, two);
    let answer = check(&mut solver, &mut terms, &[root]);
    assert!(matches!(answer, Answer::Unknown(_) | Answer::Unsatisfiable), "{answer:?}");
}

/// Refutes everything, without a reason.
#[derive(Default)]
struct Unfounded(u32);

impl Sat for Unfounded {
    fn new_variable(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }

    fn add_clause(&mut self, _: &[SatLiteral]) {}

    fn solve(&mut self, _: &[SatLiteral], _: &mut Budget) -> SatAnswer {
        SatAnswer::Unfounded
    }

    fn value(&self, _: u32) -> bool {
        false
    }

    fn in_core(&self, _: SatLiteral) -> bool {
        true
    }
}

#[test]
fn a_refutation_that_does_not_hold_is_no_answer() {
    let mut terms = Terms::new();
    let mut solver = Embedded::<Unfounded>::with_engine();
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::BitVector(32)));
    let product = terms.binary(Binary::BitMultiply, x, y);
    let number = terms.bits(32, 0x1234_5677);
    let assumption = terms.equal(product, number);
    let answer = solver.check(&mut terms, &[assumption], &mut Budget::unlimited());
    assert!(matches!(answer, Answer::Unknown(Ignorance::Failed(_))), "{answer:?}");
    assert!(solver.core().is_empty());
}
