//! Sessions: assertions, scopes and queries under assumptions, in step with Z3. Besides the answers and the models, the
//! unsatisfiable cores are on trial: Z3 must find them unsatisfiable too, and they must be among the assumptions.

use std::time::Instant;

use crate::support::random::{Generator, Random};
use crate::support::smtlib;
use crate::support::z3::Z3;
use base::Budget;
use loopscope_logic::evaluate::Evaluation;
use loopscope_logic::{Answer, Model, Solver, Term, Terms};

use crate::{Arguments, Kind, Tally};

/// One session: both solvers, and what they were told.
struct Session {
    terms: Terms,
    generator: Generator,
    solver: Box<dyn Solver>,
    z3: Z3,
    scopes: Vec<Vec<Term>>,
    /// Terms that are assumed again and again, as candidates are.
    pool: Vec<Term>,
}

pub fn run(kind: Kind, arguments: &Arguments) -> Tally {
    let mut tally = Tally::default();
    let mut seed = arguments.seed;
    while tally.queries < arguments.count {
        let mut random = Random::new(seed);
        let shape = kind.shape(&mut random);
        let shape = if random.percent(50) { shape.simplified() } else { shape };
        let mut session = Session {
            terms: Terms::new(),
            generator: Generator::with_shape(random.number(), shape),
            solver: crate::default_solver(),
            z3: Z3::new(),
            scopes: vec![Vec::new()],
            pool: Vec::new(),
        };
        for _ in 0..40 {
            session.step(&mut random, arguments, seed, &mut tally);
        }
        seed = seed.wrapping_add(1);
    }
    tally
}

impl Session {
    fn step(&mut self, random: &mut Random, arguments: &Arguments, seed: u64, tally: &mut Tally) {
        match random.below(10) {
            0 => {
                self.scopes.push(Vec::new());
                self.solver.push();
                self.z3.push();
            }
            1 if self.scopes.len() > 1 => {
                self.scopes.pop();
                self.solver.pop();
                self.z3.pop();
            }
            2 => {
                let term = self.generator.formula(&mut self.terms);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.push(term);
                }
                self.solver.assert(&mut self.terms, term);
                self.z3.assert(&mut self.terms, term);
            }
            3 => {
                let term = self.generator.formula(&mut self.terms);
                self.pool.push(term);
            }
            _ => self.check(random, arguments, seed, tally),
        }
    }

    fn check(&mut self, random: &mut Random, arguments: &Arguments, seed: u64, tally: &mut Tally) {
        let mut assumptions = Vec::new();
        for _ in 0..random.below(5) {
            if !self.pool.is_empty() && random.percent(60) {
                let again = random.pick(&self.pool);
                let negated = random.percent(30);
                assumptions.push(if negated { self.terms.not(again) } else { again });
            } else {
                assumptions.push(self.generator.formula(&mut self.terms));
            }
        }
        let budget = || Budget::unlimited().within(arguments.limit);
        let start = Instant::now();
        let answer = self.solver.check(&mut self.terms, &assumptions, &mut budget());
        let satisfiable = answer == Answer::Satisfiable;
        let mut model = if satisfiable { self.solver.model(&self.terms) } else { Model::new() };
        let core = self.solver.core();
        tally.time += start.elapsed();
        let start = Instant::now();
        let expected = self.z3.check(&mut self.terms, &assumptions, &mut budget());
        tally.time_of_z3 += start.elapsed();

        tally.count(&answer, &expected, false);
        let mut asked: Vec<Term> = self.scopes.concat();
        let mut complaint = None;
        match &answer {
            Answer::Satisfiable => {
                if expected == Answer::Unsatisfiable {
                    complaint = Some("satisfiable, Z3 disagrees");
                }
                asked.extend(&assumptions);
                let mut evaluation = Evaluation::new(&self.terms, &model);
                if !asked.iter().all(|&term| evaluation.is_true(term)) {
                    complaint = Some("the model does not make the query true");
                }
            }
            Answer::Unsatisfiable => {
                asked.extend(&core);
                if !core.iter().all(|term| assumptions.contains(term)) {
                    complaint = Some("the core is not among the assumptions");
                } else if self.z3.check(&mut self.terms, &core, &mut budget()) == Answer::Satisfiable {
                    model = self.z3.model(&self.terms);
                    let mut evaluation = Evaluation::new(&self.terms, &model);
                    if asked.iter().all(|&term| evaluation.is_true(term)) {
                        complaint = Some("unsatisfiable, Z3 has a model of what is asserted and the core");
                    } else {
                        tally.odd_models += 1;
                    }
                }
            }
            Answer::Unknown(reason) if arguments.verbose => println!("; sessions {seed}: {reason}"),
            Answer::Unknown(_) => {}
        }
        if let Some(complaint) = complaint {
            tally.disagreements += 1;
            println!("DISAGREEMENT: --kind sessions --seed {seed} --count 1: {complaint}");
            println!("; {model:?}\n{}", smtlib::script(&self.terms, &asked));
        }
    }
}
