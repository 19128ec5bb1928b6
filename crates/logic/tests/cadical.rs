//! The embedded solver on another SAT solver: CaDiCaL, a C++ library, behind the feature `cadical`. Its answers are
//! believed, and must be those of the default.

pub mod support;

use base::{Budget, Stop};
use cadical::Callbacks;
use loopscope_logic::solver::sat::{Sat, SatAnswer, SatLiteral};
use loopscope_logic::solver::{Answer, Embedded, Ignorance, Solver};
use loopscope_logic::{Binary, Sort, Terms};
use rustc_hash::FxHashSet;
use support::random::{Generator, Shape};

/// CaDiCaL: `Embedded::<Cadical>::with_engine()` is the embedded solver on it.
#[derive(Default)]
struct Cadical {
    solver: cadical::Solver<Meter>,
    variables: u32,
    /// The last model: CaDiCaL forgets its own when clauses are added.
    values: Vec<bool>,
    /// The assumptions in the last core.
    core: FxHashSet<SatLiteral>,
}

/// CaDiCaL asks so often whether to stop before the clock is read again.
const POLLS_AT_ONCE: u32 = 64;

/// Counts learnt clauses as steps and ends the work when the budget does.
struct Meter {
    budget: Budget,
    steps: u64,
    polls: u32,
    stop: Option<Stop>,
}

impl Meter {
    fn settle(&mut self) {
        if let Err(stop) = self.budget.spend(std::mem::take(&mut self.steps)) {
            self.stop = Some(stop);
        }
    }
}

impl Callbacks for Meter {
    fn terminate(&mut self) -> bool {
        self.polls += 1;
        let due = self.polls >= POLLS_AT_ONCE || self.steps > self.budget.remaining_steps();
        if self.stop.is_none() && due {
            self.polls = 0;
            self.settle();
        }
        self.stop.is_some()
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, _: &[i32]) {
        self.steps += 1;
    }
}

fn literal(literal: SatLiteral) -> i32 {
    let number = literal.variable() as i32 + 1;
    if literal.is_negated() { -number } else { number }
}

impl Sat for Cadical {
    fn new_variable(&mut self) -> u32 {
        self.variables += 1;
        self.variables - 1
    }

    fn add_clause(&mut self, clause: &[SatLiteral]) {
        self.solver.add_clause(clause.iter().copied().map(literal));
    }

    fn solve(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> SatAnswer {
        if let Err(stop) = budget.spend(1) {
            return SatAnswer::Stopped(stop);
        }
        self.solver.set_callbacks(Some(Meter { budget: budget.clone(), steps: 0, polls: 0, stop: None }));
        let answer = self.solver.solve_with(assumptions.iter().copied().map(literal));
        let mut stop = None;
        if let Some(meter) = self.solver.get_callbacks() {
            stop = meter.stop;
            meter.settle();
            *budget = meter.budget.clone();
        }
        match answer {
            Some(true) => {
                let known = self.solver.max_variable().min(self.variables as i32);
                self.values.clear();
                self.values.extend((1..=known).map(|variable| self.solver.value(variable) == Some(true)));
                SatAnswer::Satisfiable
            }
            Some(false) => {
                let failed = |assumption: &SatLiteral| self.solver.failed(literal(*assumption));
                self.core = assumptions.iter().copied().filter(failed).collect();
                SatAnswer::Unsatisfiable
            }
            None => SatAnswer::Stopped(stop.unwrap_or(Stop::Steps)),
        }
    }

    fn value(&self, variable: u32) -> bool {
        self.values.get(variable as usize).copied().unwrap_or(false)
    }

    fn in_core(&self, assumption: SatLiteral) -> bool {
        self.core.contains(&assumption)
    }
}

#[test]
fn it_answers_as_the_default_does() {
    for seed in 0..60 {
        let mut terms = Terms::new();
        let mut generator = Generator::with_shape(seed, Shape::bits(&[8, 16]));
        let (mut one, mut other) = (Embedded::new(), Embedded::<Cadical>::with_engine());
        let asserted = generator.formula(&mut terms);
        one.assert(&mut terms, asserted);
        other.assert(&mut terms, asserted);
        for _ in 0..3 {
            let assumptions = [(); 3].map(|()| generator.formula(&mut terms));
            let answer = one.check(&mut terms, &assumptions, &mut Budget::unlimited());
            assert_eq!(
                other.check(&mut terms, &assumptions, &mut Budget::unlimited()),
                answer,
                "seed {seed}"
            );
            let core = other.core();
            if answer == Answer::Unsatisfiable && !core.is_empty() {
                assert_eq!(one.check(&mut terms, &core, &mut Budget::unlimited()), answer, "seed {seed}");
            }
        }
    }
}

#[test]
fn the_budget_ends_the_search() {
    let mut terms = Terms::new();
    let mut solver = Embedded::<Cadical>::with_engine();
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::BitVector(40)));
    let product = terms.binary(Binary::BitMultiply, x, y);
    let number = terms.bits(40, 0x7f_3779_b97f);
    let one = terms.bits(40, 1);
    let small = terms.bits(40, 1 << 20);
    let mut parts = vec![terms.equal(product, number)];
    for part in [x, y] {
        parts.push(terms.binary(Binary::UnsignedLess, one, part));
        parts.push(terms.binary(Binary::UnsignedLess, part, small));
    }
    let mut budget = Budget::steps(300);
    let answer = solver.check(&mut terms, &parts, &mut budget);
    assert_eq!(answer, Answer::Unknown(Ignorance::Stopped(Stop::Steps)));
    assert!(budget.remaining_steps() < 300);
}
