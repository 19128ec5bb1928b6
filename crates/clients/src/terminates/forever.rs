//! A run that goes on for ever, and the loop in which it does.
//!
//! The run is what the search for a violation of termination finds: a state that comes back, or a set of states that a
//! run need not leave. A state that comes back at the head of an inner loop says nothing of that loop if it is an outer
//! one that goes round: so the run is made once more up to there, and the outermost head that it passes between the
//! state and its return is that of the loop which goes on for ever.

use base::Budget;
use certify::{Stopping, Verdict};
use evidence::{Counterexample, Failure, Place};
use loops::{LoopForest, LoopId};
use program::interpret::{FixedInputs, Head, InputValue, Machine, Observer, Options};
use program::{BlockId, FunctionId};

use super::{Answers, Terminates};
use crate::Property;
use crate::refute::{self, Query, infinite_run, refute_for_leads};

/// The steps of the search for states that come back.
const STEPS: u64 = 10_000_000;

/// A run that goes on for ever in the loop or recursion that has this place among the answers for a function.
pub(super) type Infinite = (FunctionId, usize, Box<Counterexample>);

/// Puts runs in at their loops.
pub(super) fn put_in(answers: &mut Answers, found: impl IntoIterator<Item = Infinite>) {
    for (function, place, counterexample) in found {
        // What the kernel has proved stands.
        if let Some(answer) = answers.get_mut(&function).and_then(|all| all.get_mut(place))
            && matches!(answer, Stopping::Unknown { .. })
        {
            *answer = Stopping::MayRunForEver { counterexample };
        }
    }
}

/// Looks for a run that never ends.
pub(super) fn refute(terminates: &Terminates<'_>, entry: FunctionId, budget: &Budget) -> Option<Infinite> {
    budget.clone().spend(0).ok()?;
    let function = terminates.program.functions[entry].name.clone();
    let query = Query { property: Property::Termination, function, integers: terminates.integers };
    let half = budget.share(0.5).part(STEPS);
    let program = terminates.program;
    let (verdict, mut leads) = refute_for_leads(program, &query, &half, &mut |_| {});
    let verdict = match verdict {
        Verdict::Unknown { .. } => infinite_run(program, &query, &mut leads, budget),
        answer => Some(answer),
    };
    let Some(Verdict::Refuted { counterexample }) = verdict else { return None };
    let (function, place) = cycle_of(terminates, entry, &query, &counterexample)?;
    Some((function, place, counterexample))
}

/// The loop or recursion in which a run goes on for ever, by its function and its place there.
fn cycle_of(
    terminates: &Terminates<'_>,
    entry: FunctionId,
    query: &Query,
    counterexample: &Counterexample,
) -> Option<(FunctionId, usize)> {
    if let Failure::Recurrence { function, calls: true, .. } = &counterexample.failure {
        let function = terminates.program.function_named(function)?;
        let in_circle = |circle: &Vec<FunctionId>| circle.contains(&function);
        let (first, shape) =
            terminates.functions.iter().find(|(_, shape)| shape.circle.as_ref().is_some_and(in_circle))?;
        return Some((*first, shape.names.len()));
    }
    let (function, id) = loop_of(terminates, entry, query, counterexample)?;
    Some((function, base::Index::index(id)))
}

/// The loop in which a run goes on for ever.
fn loop_of(
    terminates: &Terminates<'_>,
    entry: FunctionId,
    query: &Query,
    counterexample: &Counterexample,
) -> Option<(FunctionId, LoopId)> {
    let program = terminates.program;
    match &counterexample.failure {
        Failure::Recurrence { function, place, calls: false, .. } => {
            let function = program.function_named(function)?;
            let (shape, body) = terminates.shape(function)?;
            let at_head = |head: BlockId| Place::of(program, body.blocks[head].location) == *place;
            let found = shape.forest.iter().find(|(_, item)| at_head(item.head))?;
            Some((function, found.0))
        }
        Failure::Repetition { first_step, .. } => {
            let inputs: Option<Vec<InputValue>> = counterexample.inputs.iter().map(value).collect();
            let words: Vec<Vec<u8>> =
                counterexample.arguments.iter().map(|word| word.clone().into_bytes()).collect();
            let arguments = query.arguments(&words);
            let options = Options { detect_repetition: false, ..refute::options(query) };
            let machine = Machine::watched(program, &options);
            let mut inputs = FixedInputs::new(inputs?, counterexample.standard_input.clone());
            let mut visits = Visits { from: *first_step, heads: Vec::new() };
            let mut budget = Budget::steps(counterexample.steps);
            machine.observe(entry, &arguments, &mut inputs, &mut visits, &mut budget);
            let outermost = visits.heads.iter().map(|visit| visit.0).min()?;
            let of_call = visits.heads.iter().filter(|visit| visit.0 == outermost);
            let loops = of_call.filter_map(|&(_, function, head)| {
                let forest: &LoopForest = &terminates.shape(function)?.0.forest;
                let id = forest.with_head(head)?;
                Some((forest[id].depth, function, id))
            });
            loops.min_by_key(|found| found.0).map(|(_, function, id)| (function, id))
        }
        _ => None,
    }
}

/// The heads that a run visits from a step on, with the number of the call.
struct Visits {
    from: u64,
    heads: Vec<(u64, FunctionId, BlockId)>,
}

impl Observer for Visits {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let visit = (head.activation(), head.function(), head.block());
        if head.steps() >= self.from && !self.heads.contains(&visit) {
            self.heads.push(visit);
        }
    }
}

/// An input of a run as the interpreter takes it, if it is a number or null.
fn value(input: &evidence::InputValue) -> Option<InputValue> {
    let number = || input.value.parse::<i128>().ok().map(InputValue::Integer);
    match (input.value.as_str(), input.ty.as_str()) {
        ("null", _) => Some(InputValue::Null),
        (text, "f32") => text.parse().ok().map(|value: f32| InputValue::Float(value.to_bits().into())),
        (text, "f64") => text.parse().ok().map(|value: f64| InputValue::Float(value.to_bits().into())),
        _ => number(),
    }
}
