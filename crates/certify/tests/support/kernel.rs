//! Puts claims to the rules that ship.

use std::collections::BTreeSet;

use base::{Budget, Index};
use evidence::{
    Amortised, Case, Comparison, Expression, Formula, Moment, Overflow, ProofMode, Property, Restatement,
    Termination,
};
use logic::solver::Embedded;
use loopscope_certify::abstraction::{
    Abstraction, ArgumentCheck, Bounding, Candidate, Count, Edge, Effort, Reference,
};
use loopscope_certify::recurrence::{IterationMode, Reached, encode};
use loopscope_certify::{Claim as Goal, Subject};
use program::interpret::{
    Arguments, FixedInputs, Head, InputValue, Integers, Machine, ObligationSet, Observer, Options,
};
use program::{MarkId, Obligation, Program};

use super::claims::{Claim, Form};
use super::{After, LoopText};

/// What the kernel adds to a claim that it accepts: a number of iterations, and whether it is exact.
#[derive(Clone, Debug, Default)]
pub struct Certified {
    pub total: Option<(Expression, bool)>,
}

/// Why a claim is refused, for a reader.
pub type Why = String;

/// Asks the kernel.
pub fn check(text: &LoopText, claim: &Claim) -> Result<Certified, Why> {
    let integers = if text.is_mathematical() { Integers::Mathematical } else { Integers::Machine };
    let after = match &claim.form {
        Form::Asserts(formula) => After::Assertion(formula),
        Form::Never(formula) => After::Mark(formula),
        _ => After::Nothing,
    };
    let program = text.program(&after);
    if let Form::Recurrent { set, choices, state } = &claim.form {
        return recurs(text, &program, integers, set, choices, state).map(|()| Certified::default());
    }
    let abstraction = abstraction(&program, integers);
    let mut asked = Asked { abstraction, effort: Effort::default(), budget: Budget::steps(20_000_000) };
    if !claim.given.iter().all(|invariant| asked.accepts(invariant)) {
        return Err(String::from("what is given is no loop invariant"));
    }
    asked.check(text, &claim.form)
}

/// The abstraction of a program, before anything is known of its loops.
pub fn abstraction(program: &Program, integers: Integers) -> Abstraction<'_> {
    let function = program.function_named("main").expect("there is a main");
    let property = Property::Obligations(ObligationSet::EMPTY.with(Obligation::Assertion));
    // Tests are short: nobody waits for the memory.
    let subject = Box::leak(Box::new(Subject::of(program, Goal { function, property, integers })));
    let abstraction =
        Abstraction::new(subject, ProofMode::modular(Overflow::Wraps), &mut Budget::unlimited());
    abstraction.expect("the program is small")
}

struct Asked<'p> {
    abstraction: Abstraction<'p>,
    effort: Effort,
    budget: Budget,
}

fn when(condition: bool, why: &str) -> Result<(), Why> {
    if condition { Ok(()) } else { Err(why.to_owned()) }
}

impl Asked<'_> {
    fn accepts(&mut self, formula: &Formula) -> bool {
        let candidate = Candidate { abstract_loop: 0, formula: formula.clone() };
        self.abstraction.accept(&[0], &[candidate], self.effort, &mut self.budget) == [true]
    }

    fn holds_at(&mut self, edge: Edge, formula: &Formula) -> bool {
        self.abstraction.holds_at(0, edge, formula, self.effort, &mut self.budget) == Ok(true)
    }

    fn check(&mut self, text: &LoopText, form: &Form) -> Result<Certified, Why> {
        match form {
            Form::Always(formula) => when(self.accepts(formula), "no loop invariant"),
            Form::Preserved(formula) => {
                let at_entry = formula.with_moments(&|_| Some(Moment::Entry)).ok_or("no entry")?;
                when(self.accepts(&(!at_entry).or(formula.clone())), "not preserved")
            }
            Form::Transition(disjuncts) => {
                let later = later(text, disjuncts).ok_or("it speaks of other states")?;
                when(self.accepts(&later), "no transition invariant")
            }
            Form::Entry(formula) => when(self.holds_at(Edge::Entry, formula), "not so at entry"),
            Form::Exit(formula) => when(self.holds_at(Edge::Exit, formula), "not so at exit"),
            Form::Asserts(_) => {
                let proof = self.abstraction.conclude(self.effort, &mut self.budget);
                when(proof.is_some(), "the assertion may fail")
            }
            Form::Never(_) => {
                let marks = [MarkId::new(0)];
                let proof = self.abstraction.prove_never_passed(&marks, self.effort, &mut self.budget);
                when(proof.is_ok(), "the mark may be passed")
            }
            Form::Ends(argument) => self.ends(argument),
            Form::Bound { evidence, within } => return self.bound(evidence, within.as_deref()),
            Form::Cases(cases) => self.cases(cases),
            Form::Recurrent { .. } => Err(String::from("asked elsewhere")),
        }?;
        Ok(Certified::default())
    }

    fn ends(&mut self, argument: &Termination) -> Result<(), Why> {
        match self.abstraction.ends(0, argument, self.effort, &mut self.budget) {
            ArgumentCheck::Left => {}
            ArgumentCheck::Iteration(_) => return Err(String::from("an iteration contradicts it")),
            other => return Err(format!("{other:?}")),
        }
        let one = &self.abstraction.abstract_loops()[0];
        let (function, blocks) = (one.function, BTreeSet::from([one.head]));
        let proof = self.abstraction.stops(function, &blocks, self.effort, &mut self.budget);
        when(proof.is_some(), "no proof that the loop is left")
    }

    fn bound(&mut self, evidence: &Amortised, within: Option<&[Expression]>) -> Result<Certified, Why> {
        let bounded = match self.abstraction.bound(0, evidence, self.effort, &mut self.budget) {
            Bounding::Bounded(bounded) => bounded,
            Bounding::Iteration(_) => return Err(String::from("an iteration contradicts it")),
            other => return Err(format!("{other:?}")),
        };
        let Some(potentials) = within else {
            return Ok(Certified { total: Some((bounded.total(), bounded.is_exact())) });
        };
        let raises = evidence.components.iter();
        let raises = raises.map(|spent| spent.raised.iter().map(|raise| raise.most.clone()).collect());
        let restatement = Restatement { potentials: potentials.to_vec(), raises: raises.collect() };
        let reference = Reference::Entry(0);
        let restated =
            self.abstraction.restate(&bounded, &restatement, reference, self.effort, &mut self.budget);
        let restated = restated.ok_or("it cannot be restated so")?;
        Ok(Certified { total: Some((restated.total(), restated.is_exact())) })
    }

    fn cases(&mut self, cases: &[(Case, Option<Expression>)]) -> Result<(), Why> {
        let guards = cases.iter().map(|(case, _)| case.guard.clone()).collect();
        when(self.holds_at(Edge::Entry, &Formula::Any(guards)), "the cases do not cover the entry")?;
        for (case, made) in cases {
            let under = |formula: Formula| (!case.guard.clone()).or(formula);
            when(self.accepts(&under(case.invariant.clone())), "no invariant of its case")?;
            let effects = case.effect.iter().map(|update| {
                update.quantity.at(Moment::Now).compare(Comparison::Equal, update.value.clone())
            });
            let effect = Formula::All(effects.collect()).and(case.relation.clone());
            when(self.holds_at(Edge::Exit, &under(effect)), "no effect of its case")?;
            if let (Some(made), Some(total)) = (made, &case.iterations) {
                let count = Count { guard: &case.guard, made, total };
                let counts = self.abstraction.counts(0, &count, self.effort, &mut self.budget);
                when(counts == Ok(true), "another number of iterations")?;
            }
        }
        Ok(())
    }
}

/// That every later state is related with that at entry: the state then is itself, or one of the disjuncts holds.
fn later(text: &LoopText, disjuncts: &[Formula]) -> Option<Formula> {
    let since_entry = |moment: Moment| match moment {
        Moment::Now => Some(Moment::Entry),
        Moment::Next => Some(Moment::Now),
        Moment::Entry | Moment::Start => None,
    };
    let mut all: Vec<Formula> =
        disjuncts.iter().map(|disjunct| disjunct.with_moments(&since_entry)).collect::<Option<_>>()?;
    let state = text.variables().into_iter().filter(|variable| !variable.input);
    let same = state.map(|variable| {
        let quantity = evidence::Quantity::value(variable.name.as_str());
        quantity.at(Moment::Now).compare(Comparison::Equal, quantity.at(Moment::Entry))
    });
    all.push(Formula::All(same.collect()));
    Some(Formula::Any(all))
}

/// Keeps the states at the head of the loop.
struct Arrivals<'p> {
    program: &'p Program,
    states: Vec<Reached>,
    most: usize,
}

impl Observer for Arrivals<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        if self.states.len() < self.most {
            self.states.extend(Reached::of(self.program, head));
        }
    }
}

/// The first states at the head in a run with these inputs.
pub fn arrivals(program: &Program, integers: Integers, inputs: &[i128], most: usize) -> Vec<Reached> {
    let machine = Machine::watched(program, &Options { integers, ..Options::default() });
    let mut watcher = Arrivals { program, states: Vec::new(), most };
    let values = inputs.iter().map(|&number| InputValue::Integer(number)).collect();
    let main = program.function_named("main").expect("there is a main");
    let mut given = FixedInputs::new(values, Vec::new());
    machine.observe(main, &Arguments::FromInputs, &mut given, &mut watcher, &mut Budget::steps(500));
    watcher.states
}

fn recurs(
    text: &LoopText,
    program: &Program,
    integers: Integers,
    set: &Formula,
    choices: &[Expression],
    state: &[(String, i128)],
) -> Result<(), Why> {
    let variables = text.variables();
    let held = |name: &str| state.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
    let own = variables.iter().filter(|variable| !variable.input);
    let inputs: Option<Vec<i128>> = own.map(|variable| held(&variable.name)).collect();
    let inputs = inputs.ok_or("a part of the state is missing")?;
    let reached = arrivals(program, integers, &inputs, 1);
    let reached = reached.first().ok_or("no run comes to the loop in this state")?;
    let mode = IterationMode { integers, period: 1, inner: 4, any_overflow: false };
    let mut budget = Budget::steps(20_000_000);
    let mut iteration = encode(program, reached, mode, &mut budget).map_err(|refusal| refusal.to_string())?;
    let certificate = iteration.is_closed(set, choices, &mut Embedded::new(), &mut budget);
    certificate.map(drop).map_err(|refusal| refusal.to_string())
}
