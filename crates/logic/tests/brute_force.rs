//! Random queries to the embedded solver, over so few values that all can be tried.
//!
//! A satisfiable answer must come with a model that makes the query true. After an unsatisfiable one, every assignment
//! is tried, and none may make it true. Terms are asked about as they are written and simplified.

pub mod support;

use base::Budget;
use loopscope_logic::evaluate::Evaluation;
use loopscope_logic::relax;
use loopscope_logic::solver::Embedded;
use loopscope_logic::value::ArrayValue;
use loopscope_logic::{
    Answer, Binary, Integer, Model, Node, Scalar, Solver, Sort, SymbolId, Term, Terms, Unary, Value,
};
use support::random::{Generator, Shape, remake};
use support::smtlib;

/// Integers are looked for from minus this to this.
const BOX: i64 = 6;

/// All values of a sort; of the integers, those in the box.
fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVector(width) => (0..1 << width).map(|bits| Value::bits(width, bits)).collect(),
        Sort::Integer => (-BOX..=BOX).map(|number| Value::Integer(number.into())).collect(),
        Sort::Array(index, element) => {
            let elements = values(element.into());
            let empty =
                |default: &Value| ArrayValue { index, default: default.clone(), entries: Default::default() };
            let mut arrays = vec![empty(&elements[0])];
            for at in values(index.into()) {
                let one_more = |array: &ArrayValue, element: &Value| {
                    let mut array = array.clone();
                    array.set(at.clone(), element.clone());
                    array
                };
                arrays = arrays
                    .iter()
                    .flat_map(|array| elements.iter().map(|element| one_more(array, element)))
                    .collect();
            }
            arrays.into_iter().map(|array| Value::Array(Box::new(array))).collect()
        }
    }
}

/// A model of all these terms, found by trying all.
fn search(terms: &Terms, asked: &[Term]) -> Option<Model> {
    let symbols: Vec<SymbolId> = terms.free_symbols(asked);
    let choices: Vec<Vec<Value>> = symbols.iter().map(|&symbol| values(terms.symbol(symbol).sort)).collect();
    let mut chosen = vec![0; symbols.len()];
    loop {
        let mut model = Model::new();
        for (position, &symbol) in symbols.iter().enumerate() {
            model.set(symbol, choices[position][chosen[position]].clone());
        }
        if holds(terms, &model, asked) {
            return Some(model);
        }
        let next = (0..symbols.len()).find(|&position| chosen[position] + 1 < choices[position].len())?;
        chosen[next] += 1;
        chosen[..next].fill(0);
    }
}

fn holds(terms: &Terms, model: &Model, asked: &[Term]) -> bool {
    let mut evaluation = Evaluation::new(terms, model);
    asked.iter().all(|&term| evaluation.is_true(term))
}

/// What keeps the integers in the box.
fn boxed(terms: &mut Terms, symbols: &[Term]) -> Vec<Term> {
    let (low, high) = (terms.integer(-BOX), terms.integer(BOX));
    let mut bounds = Vec::new();
    for &symbol in symbols {
        if terms.sort(symbol) == Sort::Integer {
            bounds.push(terms.binary(Binary::LessEqual, low, symbol));
            bounds.push(terms.binary(Binary::LessEqual, symbol, high));
        }
    }
    bounds
}

/// Asks queries of a shape; how many were satisfiable, and how many were not.
fn ask(shape: &Shape, seeds: std::ops::Range<u64>) -> [u32; 2] {
    let mut counts = [0; 2];
    for seed in seeds {
        let mut terms = Terms::new();
        let mut generator = Generator::with_shape(seed, shape.clone());
        let written: Vec<Term> = if seed % 5 == 0 {
            // A term and its simplified form cannot differ.
            let sort = generator.sort();
            let term = generator.term(&mut terms, sort);
            let simple = remake(&mut terms, term);
            let equal = terms.intern(Node::Binary(Binary::Equal, term, simple));
            vec![terms.intern(Node::Unary(Unary::Not, equal))]
        } else {
            (0..1 + seed % 4).map(|_| generator.formula(&mut terms)).collect()
        };
        let mut asked: Vec<Term> = written.clone();
        if seed % 2 == 0 {
            asked = written.iter().map(|&term| remake(&mut terms, term)).collect();
        }
        asked.extend(boxed(&mut terms, generator.symbols()));
        if relax::is_unsatisfiable(&terms, &asked, &mut Budget::steps(2_000)) {
            let model = search(&terms, &asked);
            assert_eq!(model, None, "relaxed, seed {seed}\n{}", smtlib::script(&terms, &asked));
        }
        let mut solver = Embedded::new();
        for &term in &asked {
            solver.assert(&mut terms, term);
        }
        match solver.check(&mut terms, &[], &mut Budget::unlimited()) {
            Answer::Satisfiable => {
                counts[0] += 1;
                let model = solver.model(&terms);
                let good = holds(&terms, &model, &written) && holds(&terms, &model, &asked);
                assert!(good, "seed {seed}: {model:?}\n{}", smtlib::script(&terms, &asked));
            }
            Answer::Unsatisfiable => {
                counts[1] += 1;
                let mut all = written.clone();
                all.extend(boxed(&mut terms, generator.symbols()));
                let model = search(&terms, &all);
                assert_eq!(model, None, "seed {seed}\n{}", smtlib::script(&terms, &asked));
            }
            answer => panic!("seed {seed}: {answer:?}\n{}", smtlib::script(&terms, &asked)),
        }
    }
    counts
}

#[test]
fn one_symbol_of_eight_bits() {
    let [satisfiable, unsatisfiable] = ask(&Shape::bits(&[8]).sized(1, 4), 0..300);
    assert!(satisfiable > 60 && unsatisfiable > 60, "{satisfiable} {unsatisfiable}");
}

#[test]
fn two_symbols_of_eight_bits() {
    let shape = Shape::bits(&[8]).sized(2, 3);
    let [satisfiable, unsatisfiable] = ask(&shape, 1000..1030);
    assert!(satisfiable > 5 && unsatisfiable > 5, "{satisfiable} {unsatisfiable}");
}

#[test]
fn symbols_of_four_bits_and_fewer() {
    for widths in [&[4][..], &[3, 2], &[1, 4]] {
        let [satisfiable, unsatisfiable] = ask(&Shape::bits(widths).sized(2, 4), 2000..2100);
        assert!(satisfiable > 20 && unsatisfiable > 20, "{satisfiable} {unsatisfiable}");
    }
}

#[test]
fn arrays_over_few_indices() {
    for (index, element, symbols) in [(1, 2, 1), (2, 1, 1), (1, 1, 2)] {
        let [satisfiable, unsatisfiable] = ask(&Shape::arrays(index, element).sized(symbols, 3), 3000..3100);
        assert!(satisfiable > 10 && unsatisfiable > 10, "{satisfiable} {unsatisfiable}");
    }
}

#[test]
fn integers_in_a_box() {
    let [satisfiable, unsatisfiable] = ask(&Shape::integers().sized(2, 4), 4000..4200);
    assert!(satisfiable > 40 && unsatisfiable > 40, "{satisfiable} {unsatisfiable}");
}

#[test]
fn all_sorts_together() {
    let arrays = vec![(Scalar::Bool, Scalar::BitVector(2))];
    let shape = Shape { integers: true, arrays, ..Shape::bits(&[3, 2]).sized(1, 4) };
    let [satisfiable, unsatisfiable] = ask(&shape, 5000..5150);
    assert!(satisfiable > 30 && unsatisfiable > 30, "{satisfiable} {unsatisfiable}");
}

#[test]
fn scopes_assumptions_and_cores() {
    for seed in 0..40 {
        let mut terms = Terms::new();
        let mut generator = Generator::with_shape(seed, Shape::bits(&[4]).sized(2, 3));
        let mut solver = Embedded::new();
        let mut scopes: Vec<Vec<Term>> = vec![Vec::new()];
        for _ in 0..20 {
            match generator.random.below(6) {
                0 => {
                    scopes.push(Vec::new());
                    solver.push();
                }
                1 if scopes.len() > 1 => {
                    scopes.pop();
                    solver.pop();
                }
                2 => {
                    let term = generator.formula(&mut terms);
                    scopes.last_mut().unwrap().push(term);
                    solver.assert(&mut terms, term);
                }
                _ => {
                    let count = generator.random.below(4);
                    let assumptions: Vec<Term> = (0..count).map(|_| generator.formula(&mut terms)).collect();
                    let mut asked: Vec<Term> = scopes.concat();
                    match solver.check(&mut terms, &assumptions, &mut Budget::unlimited()) {
                        Answer::Satisfiable => {
                            asked.extend(&assumptions);
                            assert!(holds(&terms, &solver.model(&terms), &asked), "seed {seed}");
                        }
                        Answer::Unsatisfiable => {
                            let core = solver.core();
                            assert!(core.iter().all(|term| assumptions.contains(term)), "seed {seed}");
                            asked.extend(core);
                            assert_eq!(search(&terms, &asked), None, "seed {seed}");
                        }
                        answer => panic!("seed {seed}: {answer:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn the_box_is_searched_completely() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::Integer);
    let number = terms.integer(BOX);
    let equal = terms.equal(x, number);
    let model = search(&terms, &[equal]).unwrap();
    assert_eq!(model.get(&terms, terms.as_symbol(x).unwrap()), Value::Integer(Integer::from(BOX)));
    assert_eq!(values(Sort::Array(Scalar::BitVector(2), Scalar::BitVector(2))).len(), 256);
}
