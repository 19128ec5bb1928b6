//! Single questions, each in a store of its own. Z3 gets the terms as they were written; the default solver gets them
//! simplified in half of the cases, so that the simplifier is on trial too.

use std::time::Instant;

use base::Budget;
use loopscope_logic::evaluate::Evaluation;
use loopscope_logic::random::{Generator, Random, remake};
use loopscope_logic::solver::smtlib;
use loopscope_logic::solver::z3::Z3;
use loopscope_logic::{Answer, Binary, Model, Node, Solver, Term, Terms, Unary};

use crate::{Arguments, Kind, Tally};

struct Question {
    terms: Terms,
    /// The terms as they were written.
    written: Vec<Term>,
    /// The terms that the default solver is asked about.
    asked: Vec<Term>,
}

fn question(kind: Kind, seed: u64) -> Question {
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
    Question { terms, written, asked }
}

pub fn run(kind: Kind, arguments: &Arguments) -> Tally {
    let mut tally = Tally::default();
    let mut z3 = Z3::new();
    for number in 0..arguments.count {
        let seed = arguments.seed.wrapping_add(number);
        let mut question = question(kind, seed);
        let budget = || Budget::unlimited().within(arguments.limit);

        let start = Instant::now();
        let mut solver = crate::default_solver();
        for &term in &question.asked {
            solver.assert(&mut question.terms, term);
        }
        let answer = solver.check(&mut question.terms, &[], &mut budget());
        let model = (answer == Answer::Satisfiable).then(|| solver.model(&question.terms));
        tally.time += start.elapsed();

        let start = Instant::now();
        z3.reset();
        for &term in &question.written {
            z3.assert(&mut question.terms, term);
        }
        let expected = z3.check(&mut question.terms, &[], &mut budget());
        let expected_model = (expected == Answer::Satisfiable).then(|| z3.model(&question.terms));
        tally.time_of_z3 += start.elapsed();

        let true_under = |model: &Model| {
            let mut evaluation = Evaluation::new(&question.terms, model);
            question.written.iter().all(|&term| evaluation.is_true(term))
        };
        tally.questions += 1;
        match (&answer, &expected) {
            (Answer::Satisfiable, _) => tally.satisfiable += 1,
            (Answer::Unsatisfiable, _) => {
                tally.unsatisfiable += 1;
                tally.confirmed += u64::from(expected == Answer::Unsatisfiable);
            }
            (Answer::Unknown(reason), _) => {
                tally.unknown += 1;
                if arguments.verbose {
                    println!("seed {seed}: {reason}; z3 says {expected:?}");
                }
            }
        }
        tally.unknown_to_z3 += u64::from(matches!(expected, Answer::Unknown(_)));
        let odd = expected_model.as_ref().is_some_and(|model| !true_under(model));
        if odd {
            tally.odd_models += 1;
            if arguments.verbose {
                println!("seed {seed}: Z3's model does not evaluate to true\n{expected_model:?}");
                println!("{}", smtlib::script(&question.terms, &question.written));
            }
        }
        let wrong_model = model.as_ref().is_some_and(|model| !true_under(model));
        let opposite = match (&answer, &expected) {
            (Answer::Satisfiable, Answer::Unsatisfiable) => true,
            (Answer::Unsatisfiable, Answer::Satisfiable) => !odd,
            _ => false,
        };
        if wrong_model || opposite {
            tally.disagreements += 1;
            println!(
                "DISAGREEMENT: --kind {kind:?} --seed {seed} --count 1: {answer:?}, Z3 says {expected:?}"
            );
            println!(
                "; wrong model {wrong_model}, our model {model:?}\n; Z3's model (odd: {odd}) {expected_model:?}"
            );
            println!("; as written\n{}", smtlib::script(&question.terms, &question.written));
            println!("; as asked\n{}", smtlib::script(&question.terms, &question.asked));
        }
    }
    tally
}
