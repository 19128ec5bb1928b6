//! Single queries, each in a store of its own. Z3 gets the terms as they were written; the default solver gets them
//! simplified in half of the cases, so that the simplifier is on trial too.

use std::time::Instant;

use crate::support::random::{Generator, Random, remake};
use crate::support::smtlib;
use crate::support::z3::Z3;
use base::Budget;
use loopscope_logic::evaluate::Evaluation;
use loopscope_logic::{Answer, Binary, Model, Node, Scalar, Solver, Sort, Term, Terms, Unary};
use rustc_hash::FxHashMap;

use crate::{Arguments, Kind, Tally};

struct Query {
    terms: Terms,
    /// The terms as they were written.
    written: Vec<Term>,
    /// The terms that the default solver is asked about.
    asked: Vec<Term>,
}

fn query(kind: Kind, seed: u64) -> Query {
    let mut random = Random::new(seed);
    let shape = kind.shape(&mut random);
    let mut generator = Generator::with_shape(random.number(), shape);
    let mut terms = Terms::new();
    let written: Vec<Term> = if random.percent(15) {
        // A term and its simplified form cannot differ.
        let sort = generator.sort();
        let term = generator.term(&mut terms, sort);
        let simple = remake(&mut terms, term);
        let equal = terms.intern(Node::Binary(Binary::Equal, term, simple));
        vec![terms.intern(Node::Unary(Unary::Not, equal))]
    } else {
        (0..random.between(1, 6)).map(|_| generator.formula(&mut terms)).collect()
    };
    let asked = if random.percent(50) {
        written.clone()
    } else {
        written.iter().map(|&term| remake(&mut terms, term)).collect()
    };
    Query { terms, written, asked }
}

pub fn run(name: &str, kind: Kind, arguments: &Arguments) -> Tally {
    let mut tally = Tally::default();
    let mut z3 = Z3::new();
    for number in 0..arguments.count {
        let seed = arguments.seed.wrapping_add(number);
        let mut query = query(kind, seed);
        let Query { terms, written, asked } = &mut query;
        let budget = || Budget::unlimited().within(arguments.limit);

        let start = Instant::now();
        let (answer, model) = ask(&mut *crate::default_solver(), terms, asked, budget());
        tally.time += start.elapsed();

        let start = Instant::now();
        z3.reset();
        let (mut expected, mut expected_model) = ask(&mut z3, terms, written, budget());
        if expected_model.as_ref().is_some_and(|model| !holds(terms, written, model)) {
            z3.reset();
            let spelled = without_constant_arrays(terms, written);
            (expected, expected_model) = ask(&mut z3, terms, &spelled, budget());
        }
        tally.time_of_z3 += start.elapsed();

        let odd = expected_model.as_ref().is_some_and(|model| !holds(terms, written, model));
        let wrong_model = model.as_ref().is_some_and(|model| !holds(terms, written, model));
        tally.count(&answer, &expected, odd);
        let opposite = match (&answer, &expected) {
            (Answer::Satisfiable, Answer::Unsatisfiable) => true,
            (Answer::Unsatisfiable, Answer::Satisfiable) => !odd,
            _ => false,
        };
        if wrong_model || opposite {
            tally.disagreements += 1;
            println!("DISAGREEMENT: --kind {name} --seed {seed} --count 1");
        }
        let unsure = odd || matches!(answer, Answer::Unknown(_));
        if wrong_model || opposite || arguments.verbose && unsure {
            println!(
                "; {name} {seed}: {answer:?} (wrong model: {wrong_model}), Z3 {expected:?} (odd model: {odd})"
            );
            println!("; our model {model:?}\n; Z3's model {expected_model:?}");
            println!("; as written\n{}", smtlib::script(terms, written));
            println!("; as asked\n{}", smtlib::script(terms, asked));
        }
    }
    tally
}

fn ask(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    asked: &[Term],
    mut budget: Budget,
) -> (Answer, Option<Model>) {
    for &term in asked {
        solver.assert(terms, term);
    }
    let answer = solver.check(terms, &[], &mut budget);
    let model = (answer == Answer::Satisfiable).then(|| solver.model(terms));
    (answer, model)
}

fn holds(terms: &Terms, asked: &[Term], model: &Model) -> bool {
    let mut evaluation = Evaluation::new(terms, model);
    asked.iter().all(|&term| evaluation.is_true(term))
}

/// The same query with arrays that are constant over few indices as symbols whose elements are all spelled out. Z3 4.8
/// takes some queries with the former for satisfiable that are not.
fn without_constant_arrays(terms: &mut Terms, asked: &[Term]) -> Vec<Term> {
    let mut spelled = Vec::new();
    let mut new: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.reachable(asked) {
        let node = terms.node(term).with_operands(|operand| new[&operand]);
        let symbol = match node {
            Node::ConstantArray(index @ (Scalar::Bool | Scalar::BitVector(..=8)), element) => {
                let symbol = terms.fresh("constant", terms.sort(term));
                let width = Sort::from(index).width();
                for number in 0..1u128 << width.unwrap_or(1) {
                    let at = match width {
                        Some(width) => terms.bits(width, number),
                        None => terms.bool(number == 1),
                    };
                    let selected = terms.intern(Node::Binary(Binary::Select, symbol, at));
                    spelled.push(terms.intern(Node::Binary(Binary::Equal, selected, element)));
                }
                symbol
            }
            _ => terms.intern(node),
        };
        new.insert(term, symbol);
    }
    spelled.extend(asked.iter().map(|term| new[term]));
    spelled
}
