//! Where a budget ends, nothing is proved: not by an encoding that stopped half-way, and not by a solver that did not answer.

mod source;

use base::Budget;
use evidence::{Amortised, Formula, Integer, Overflow, ProofMode, Property, Ranking, Spent, Termination};
use logic::solver::Embedded;
use loopscope_certify::abstraction::{
    Abstraction, ArgumentCheck, Batch, Bounding, Count, Edge, Effort, Finding,
};
use loopscope_certify::only_run::only_run;
use loopscope_certify::recurrence::{IterationMode, Reached, encode};
use loopscope_certify::unrolling::{Examination, examine};
use loopscope_certify::{Candidate, Claim, Subject};
use program::interpret::{Arguments, FixedInputs, Head, Integers, Machine, ObligationSet, Observer, Options};
use program::{Obligation, Program};

const ERRORS: ObligationSet = ObligationSet::EMPTY.with(Obligation::ReachError);

fn subject(program: &Program) -> Subject<'_> {
    let function = program.function_named("main").expect("there is a main");
    let property = Property::Obligations(ERRORS);
    Subject::of(program, Claim { function, property, integers: Integers::Machine })
}

const ABSTRACTION: ProofMode = ProofMode::modular(Overflow::Wraps);
const UNROLLED: ProofMode = ProofMode { recursion: 1, calls: 5, ..ProofMode::unrolled(3, Overflow::Wraps) };

/// The error comes last, behind a loop, and is reached.
const WRONG: &str = "int main(void) { int i = 0, n = nondet(), s = 0;
    while (i < n) { i++; s += n; if (s == 77) s = n * n; }
    if (n == 1234) reach_error(); return s; }";

#[test]
fn an_encoding_that_stopped_is_none() {
    let program = source::program(WRONG);
    let steps = |program: &Program| {
        let mut budget = Budget::steps(1_000_000);
        let before = budget.remaining_steps();
        assert!(Abstraction::new(&subject(program), ABSTRACTION, &mut budget).is_ok());
        before - budget.remaining_steps()
    };
    let needed = steps(&program);
    let subject = subject(&program);
    assert!(needed > 5, "{needed}");
    for few in 0..needed {
        let mut budget = Budget::steps(few);
        let Ok(mut abstraction) = Abstraction::new(&subject, ABSTRACTION, &mut budget) else {
            continue;
        };
        let proof = abstraction.conclude(Effort::default(), &mut Budget::unlimited());
        assert!(proof.is_none(), "{few} steps of {needed}");
    }
    for few in 0..needed {
        let mut budget = Budget::steps(few);
        if let Ok(mut abstraction) = Abstraction::new(&subject, UNROLLED, &mut budget) {
            assert!(
                abstraction.conclude(Effort::default(), &mut Budget::unlimited()).is_none(),
                "{few} steps"
            );
        }
        let answer = examine(&subject, UNROLLED, &mut Budget::steps(few));
        assert!(!matches!(answer, Examination::Proved(_)), "{few} steps");
    }
}

/// True, but not without looking: a product modulo a power of two.
const HARD: &str = "int main(void) { unsigned x = nondet(), y = nondet(), i = 0;
    while (i < 1000) { i++; if ((x * y + 3) * (x + 2) != (x * x * y + 2 * x * y + 3 * x + 6)) reach_error(); }
    return 0; }";

/// What holds depends on memory.
const TABLES: &str = "int t[8] = {1, 2, 3, 4, 5, 6, 7, 8}, u[8];
    int main(void) { unsigned i = 0, n = nondet();
    while (i < n) { i += t[n & 7]; u[i & 7] = t[i & 7]; if (u[n & 7] == 77) reach_error(); }
    if (n == 1234) reach_error(); return 0; }";

#[test]
fn what_a_solver_does_not_answer_is_not_proved() {
    for text in [HARD, WRONG, TABLES] {
        let program = source::program(text);
        let subject = subject(&program);
        let abstraction =
            || Abstraction::new(&subject, ABSTRACTION, &mut Budget::unlimited()).expect("it is small");
        let formula = |text: &str| -> Formula { text.parse().expect("a formula") };
        for batch in [Batch::All, Batch::Single] {
            for (effort, budget) in [
                (Effort { batch, ..Effort::default() }, Budget::steps(0)),
                (Effort { batch, steps: 0, ..Effort::default() }, Budget::unlimited()),
            ] {
                let ask = || (abstraction(), budget.clone());
                let (mut one, mut budget) = ask();
                assert!(one.conclude(effort, &mut budget).is_none());
                let (mut one, mut budget) = ask();
                let candidate = Candidate { abstract_loop: 0, formula: formula("i <= 999") };
                assert_eq!(one.accept(&[0], &[candidate], effort, &mut budget), [false]);
                let (mut one, mut budget) = ask();
                for vc in 0..one.vcs().len() {
                    assert!(!matches!(one.examine(vc, effort, &mut budget), Finding::Holds));
                    assert!(!one.reachable(&[vc], effort, &mut budget).is_empty());
                    assert!(!one.hold_closely(&[vc], 3, effort, &mut budget));
                    assert!(!one.hold_without_memory(&[vc], effort, &mut budget));
                }
                let (mut one, mut budget) = ask();
                let rank = Termination::Ranking(Ranking::Linear("0 - i".parse().expect("a number")));
                assert!(!matches!(one.ends(0, &rank, effort, &mut budget), ArgumentCheck::Left));
                let (mut one, mut budget) = ask();
                let spent = Spent {
                    rank: "i + 1".parse().expect("a number"),
                    stride: Integer::ONE,
                    raised: Vec::new(),
                };
                let evidence = Amortised { components: vec![spent] };
                assert!(!matches!(one.bound(0, &evidence, effort, &mut budget), Bounding::Bounded(_)));
                let (mut one, mut budget) = ask();
                let wrong = formula("i == 5");
                assert_ne!(one.holds_at(0, Edge::Exit, &wrong, effort, &mut budget), Ok(true));
                let (mut one, mut budget) = ask();
                let (made, total) = ("i".parse().expect("a number"), "5".parse().expect("a number"));
                let count = Count { guard: &Formula::True, made: &made, total: &total };
                assert_ne!(one.counts(0, &count, effort, &mut budget), Ok(true));
            }
        }
        let mode = ProofMode { iterations: 1001, ..UNROLLED };
        let answer = examine(&subject, mode, &mut Budget::steps(100));
        assert!(matches!(answer, Examination::NotKnown(_)), "{answer:?}");
    }
}

struct First<'p> {
    program: &'p Program,
    state: Option<Reached>,
}

impl Observer for First<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if self.state.is_none() {
            self.state = Reached::of(self.program, head);
        }
    }
}

#[test]
fn a_recurrent_set_needs_an_answer() {
    let text = "int main(void) { unsigned x = 5; while (x * x * x != 1000) x = x * 3 + 1; return 0; }";
    let program = source::program(text);
    let main = program.function_named("main").expect("there is a main");
    let mut first = First { program: &program, state: None };
    let machine = Machine::watched(&program, &Options::default());
    let mut inputs = FixedInputs::new(Vec::new(), Vec::new());
    machine.observe(main, &Arguments::FromInputs, &mut inputs, &mut first, &mut Budget::steps(100));
    let state = first.state.expect("a run comes to the loop");
    let mode = IterationMode { integers: Integers::Machine, period: 1, inner: 1, any_overflow: false };
    let mut iteration = encode(&program, &state, mode, &mut Budget::unlimited()).expect("it is small");
    let mut solver: Embedded = Embedded::new();
    let answer = iteration.is_closed(&Formula::True, &[], &mut solver, &mut Budget::steps(0));
    assert!(answer.is_err(), "ten is one of the states");
    assert!(encode(&program, &state, mode, &mut Budget::steps(0)).is_err());
}

#[test]
fn a_run_that_is_not_over_is_no_run() {
    let program = source::program("int main(void) { unsigned i = 1; while (i != 100000) i++; return 0; }");
    let main = program.function_named("main").expect("there is a main");
    assert!(only_run(&program, main, Integers::Machine, &mut Budget::steps(1000)).is_none());
    assert!(only_run(&program, main, Integers::Machine, &mut Budget::steps(10_000_000)).is_some());
}
