//! Runs that go on for ever although no state comes back: a stem that the interpreter replays, and a set of states that
//! the kernel has proved closed.
//!
//! ```text
//! guesses whose runs were long or new ─► states at loop heads ─► a closed set (engine, kernel) ─► replayed with the choices
//! ```
//!
//! The proof is about the encoding, the stem about the interpreter. The two are held against each other once more: the
//! run is made again with the inputs that the set's choices ask for, and for as many iterations as were computed it
//! must be in the states that the encoding says. A run that differs is no refutation.

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use certify::recurrence::Reached;
use engines::recurrence::{Nontermination, known, nontermination};
use evidence::names::variable_names;
use evidence::{Aspect, Choice, Counterexample, Failure, InputCycle, Integer, Place};
use program::interpret::{
    DiscardedOutput, FixedInputs, Head, InputRecord, InputValue, Machine, Observer, Options, Outcome,
};
use program::{BlockId, FunctionId, Program, Type, VariableId};

use super::confirm::Recurrence;
use super::guess::{Guess, Pool};
use super::judge::{Judgement, judge_infinite};
use super::record::{counterexample, options};
use super::{Query, Tried};

/// How many steps a run may take to reach a state.
const STEPS: u64 = 20_000;

/// How many guesses are examined.
const GUESSES: usize = 48;

/// How many states are tried of a loop.
const OF_LOOP: usize = 10;

/// How many steps the iterations after the stem may take when they are replayed.
const REPLAYED: u64 = 2_000_000;

/// A witness that tells of more iterations at a time has lost all measure.
const LONGEST_PERIOD: u32 = 16;

/// So many periods after the first are told.
const DESCRIBED: usize = 2;

/// A loop: its function and its head.
type Loop = (FunctionId, BlockId);

/// Looks for a run that never ends among those that start like some guesses.
pub(super) fn search(
    program: &Program,
    query: &Query,
    function: FunctionId,
    guesses: &[Guess],
    budget: &Budget,
) -> Option<Counterexample> {
    let pool = Pool::of(program);
    let options = Options { detect_repetition: false, ..options(query) };
    let machine = Machine::watched(program, &options);
    let work = RecurrenceSearch { program, query, function, machine };
    let mut tried: BTreeMap<Loop, Vec<Reached>> = BTreeMap::new();
    let mut budget = budget.clone();
    for guess in guesses.iter().take(GUESSES) {
        for stem in work.stems(guess, &pool, &budget) {
            let known = tried.entry((stem.state.function, stem.state.head)).or_default();
            if known.len() >= OF_LOOP || known.contains(&stem.state) {
                continue;
            }
            known.push(stem.state.clone());
            if budget.spend(1).is_err() {
                return None;
            }
            let mut part = budget.share(0.3);
            let found = nontermination(program, &stem.state, query.integers, &mut part);
            if let Some(found) = found
                && let Some(counterexample) = work.confirm(guess, &stem, &found)
            {
                return Some(counterexample);
            }
        }
    }
    None
}

/// Makes the run of a guess up to a state, and lets the kernel check that it can go on from there for ever.
pub(super) fn check(
    program: &Program,
    query: &Query,
    function: FunctionId,
    guess: &Guess,
    claimed: &Recurrence,
    budget: &Budget,
) -> Option<Counterexample> {
    let options = Options { detect_repetition: false, ..options(query) };
    let work = RecurrenceSearch { program, query, function, machine: Machine::watched(program, &options) };
    let mut watcher = Watcher::new(program, Some(claimed.step));
    let mut inputs = FixedInputs::new(guess.prefix.clone(), guess.standard_input.clone());
    let mut part = budget.part(claimed.step.saturating_add(1));
    let arguments = query.arguments(&guess.arguments);
    work.machine.observe(function, &arguments, &mut inputs, &mut watcher, &mut part);
    let (state, arrival, count) = watcher.states.pop()?;
    let stem = Stem { state, arrival, inputs: guess.prefix.iter().take(count).copied().collect() };
    let (integers, mut budget) = (query.integers, budget.clone());
    let Recurrence { iterations, set, choices, .. } = claimed;
    let found = known(
        program,
        &stem.state,
        integers,
        (*iterations).clamp(1, LONGEST_PERIOD),
        set,
        choices,
        &mut budget,
    )?;
    work.confirm(guess, &stem, &found)
}

struct RecurrenceSearch<'a> {
    program: &'a Program,
    query: &'a Query,
    function: FunctionId,
    machine: Machine<'a>,
}

/// How a run came to a state at the head of a loop.
struct Stem {
    state: Reached,
    /// How often control had come to the head, this time included.
    arrival: u64,
    /// The values of the inputs until then.
    inputs: Vec<InputValue>,
}

impl RecurrenceSearch<'_> {
    /// States at heads that the run of a guess comes to: those of the loop that it was in last come first.
    fn stems(&self, guess: &Guess, pool: &Pool, budget: &Budget) -> Vec<Stem> {
        let mut watcher = Watcher::new(self.program, None);
        let mut inputs = guess.inputs(pool);
        let mut part = budget.part(STEPS);
        let arguments = self.query.arguments(&guess.arguments);
        let run = self.machine.observe(self.function, &arguments, &mut inputs, &mut watcher, &mut part);
        let value = |count: usize| run.inputs.iter().take(count).map(|input| input.value).collect();
        let recent = |state: &Reached| {
            let place = watcher.last.iter().rposition(|last| *last == (state.function, state.head));
            std::cmp::Reverse(place)
        };
        let mut states = watcher.states;
        states.sort_by_key(|(state, ..)| recent(state));
        let stem = |(state, arrival, count)| Stem { state, arrival, inputs: value(count) };
        states.into_iter().map(stem).collect()
    }

    /// Makes the run once more, with the inputs that were chosen.
    fn confirm(&self, guess: &Guess, stem: &Stem, found: &Nontermination) -> Option<Counterexample> {
        let following: Option<Vec<InputValue>> = found
            .following
            .iter()
            .map(|number| i128::try_from(number).ok().map(InputValue::Integer))
            .collect();
        let mut values = stem.inputs.clone();
        values.extend(following?);
        let arguments = self.query.arguments(&guess.arguments);
        let mut comparison = Comparison::new(self.program, stem, found);
        let standard_input = &guess.standard_input;
        let mut inputs = FixedInputs::new(values.clone(), standard_input.clone());
        let mut budget = Budget::steps(STEPS + REPLAYED);
        let compared =
            self.machine.observe(self.function, &arguments, &mut inputs, &mut comparison, &mut budget);
        let (steps, _) = *comparison.agreed.get(DESCRIBED).or(comparison.agreed.last())?;
        if comparison.differs || comparison.agreed.len() < found.states.len().min(2) {
            return None;
        }
        let options = options(self.query);
        let machine = Machine::new(self.program, &Options { detect_repetition: false, ..options });
        let make = |mut inputs: FixedInputs, steps: u64| {
            let mut budget = Budget::steps(steps);
            machine.run(self.function, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget)
        };
        let run = make(FixedInputs::new(values, standard_input.clone()), steps);
        let words = self.query.taken(self.program, self.function, &guess.arguments);
        let failure = self.failure(stem, found, comparison.reached);
        let Judgement::Violates(failure) = judge_infinite(self.program, &run, words, failure) else {
            return None;
        };
        let periods: Vec<usize> = std::iter::once(comparison.inputs)
            .chain(comparison.agreed.iter().map(|agreed| agreed.1))
            .collect();
        let cycle = cycle(&compared.inputs, &periods).filter(|cycle| {
            let value = |place: usize| run.inputs.get(place).map(|input| input.value);
            let repeated = cycle.places().zip(&cycle.growth);
            let repeated: Option<Vec<(InputValue, i64)>> =
                repeated.map(|(place, growth)| Some((value(place)?, *growth))).collect();
            let once = (0..cycle.first).filter_map(value).collect();
            repeated.is_some_and(|repeated| {
                let inputs = FixedInputs::new(once, standard_input.clone()).with_cycle(repeated);
                // Calls without end come to the end of what the interpreter can hold.
                match make(inputs, steps + REPLAYED).outcome {
                    Outcome::Stopped(_) => true,
                    Outcome::Unsupported { .. } => comparison.is_call,
                    _ => false,
                }
            })
        });
        let tried = Tried { run: &run, arguments: &arguments, words, standard_input };
        Some(Counterexample { cycle, ..counterexample(self.program, self.query, tried, failure, steps) })
    }

    fn failure(&self, stem: &Stem, found: &Nontermination, step: u64) -> Failure {
        let function = &self.program.functions[stem.state.function];
        let location = function.body().map(|body| body.blocks[stem.state.head].location);
        let choices = found.inputs.iter().zip(&found.certificate.set().choices);
        Failure::Recurrence {
            function: function.name.clone(),
            place: location.and_then(|location| Place::of(self.program, location)),
            step,
            iterations: found.certificate.mode().period,
            calls: function.body().is_some_and(|body| stem.state.is_call(body)),
            set: found.certificate.set().set.clone(),
            any_overflow: found.certificate.mode().any_overflow,
            state: found.certificate.set().state.clone(),
            choices: choices
                .map(|((name, ty), number)| Choice {
                    name: name.clone(),
                    ty: ty.to_string(),
                    number: number.clone(),
                })
                .collect(),
        }
    }
}

/// The simple order in which inputs come again and again, if there is one: in every period as many, each growing evenly.
/// The places are those where periods begin, and where the last one ends.
fn cycle(inputs: &[InputRecord], periods: &[usize]) -> Option<InputCycle> {
    let period = |bounds: &[usize]| inputs.get(bounds[0]..bounds[1]);
    let mut later = periods.windows(2);
    let first = later.next().and_then(period).filter(|first| !first.is_empty())?;
    let mut last = first;
    let mut growth: Option<Vec<i64>> = None;
    for bounds in later {
        let next = period(bounds)?;
        let same = |(one, other): (&InputRecord, &InputRecord)| one.name == other.name && one.ty == other.ty;
        if next.len() != last.len() || !last.iter().zip(next).all(same) {
            return None;
        }
        let pairs = last.iter().zip(next);
        let grown: Option<Vec<i64>> = pairs.map(|(one, other)| difference(one.value, other.value)).collect();
        let grown = grown?;
        if growth.get_or_insert_with(|| grown.clone()) != &grown {
            return None;
        }
        last = next;
    }
    let growth = growth.unwrap_or_else(|| vec![0; first.len()]);
    Some(InputCycle { first: periods[0], growth })
}

/// By how much one value is larger than another.
fn difference(one: InputValue, other: InputValue) -> Option<i64> {
    match (one, other) {
        (InputValue::Integer(one), InputValue::Integer(other)) => {
            other.checked_sub(one).and_then(|difference| difference.try_into().ok())
        }
        (one, other) => (one == other).then_some(0),
    }
}

/// Takes down states at the heads of loops.
struct Watcher<'p> {
    program: &'p Program,
    /// The step at which a state is wanted; none where some of all states are.
    step: Option<u64>,
    arrivals: BTreeMap<Loop, u64>,
    /// Each with the number of the arrival, and how many inputs came before.
    states: Vec<(Reached, u64, usize)>,
    /// The last heads.
    last: Vec<Loop>,
}

/// How many of the last heads are kept.
const LAST: usize = 64;

impl<'p> Watcher<'p> {
    fn new(program: &'p Program, step: Option<u64>) -> Self {
        Self { program, step, arrivals: BTreeMap::new(), states: Vec::new(), last: Vec::new() }
    }
}

impl Observer for Watcher<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let key = (head.function(), head.block());
        let arrival = self.arrivals.entry(key).or_default();
        *arrival += 1;
        if self.last.len() == 2 * LAST {
            self.last.drain(..LAST);
        }
        self.last.push(key);
        // The first states are simple, later ones are past what comes first.
        let wanted = match self.step {
            Some(step) => head.steps() == step,
            None => matches!(*arrival, 1 | 2 | 3 | 10 | 50),
        };
        if wanted && let Some(state) = Reached::of(self.program, head) {
            self.states.push((state, *arrival, head.inputs()));
        }
    }
}

/// Holds a run against the states that iterations were computed to lead through.
struct Comparison<'a> {
    program: &'a Program,
    stem: &'a Stem,
    found: &'a Nontermination,
    /// The variables of the changing parts.
    variables: Vec<Option<(VariableId, Type)>>,
    /// Whether each visit is of a call of its own.
    is_call: bool,
    arrivals: u64,
    /// The call in which the loop is, once it was reached.
    activation: Option<u64>,
    iterations: u64,
    /// The step at which the state was reached.
    reached: u64,
    /// How many inputs came before.
    inputs: usize,
    /// The steps at which the states were those that were computed, and how many inputs came before.
    agreed: Vec<(u64, usize)>,
    differs: bool,
}

impl<'a> Comparison<'a> {
    fn new(program: &'a Program, stem: &'a Stem, found: &'a Nontermination) -> Self {
        let body = program.functions[stem.state.function].body();
        let names: BTreeMap<String, VariableId> =
            body.map(|body| variable_names(program, body).into_iter().collect()).unwrap_or_default();
        let variable = |held: &evidence::Held| {
            let is_variable = matches!(held.quantity.aspect, Aspect::Value | Aspect::Offset);
            let variable = *names.get(held.quantity.variable.as_str()).filter(|_| is_variable)?;
            Some((variable, program.variable(body?, variable).ty))
        };
        let variables = found.certificate.set().state.iter().map(variable).collect();
        Self {
            program,
            stem,
            found,
            variables,
            is_call: body.is_some_and(|body| stem.state.is_call(body)),
            arrivals: 0,
            activation: None,
            iterations: 0,
            reached: 0,
            inputs: 0,
            agreed: Vec::new(),
            differs: false,
        }
    }
}

impl Observer for Comparison<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let stem = &self.stem.state;
        if (head.function(), head.block()) != (stem.function, stem.head) {
            return;
        }
        self.arrivals += 1;
        if self.arrivals < self.stem.arrival {
            return;
        }
        if self.arrivals == self.stem.arrival {
            self.differs |= Reached::of(self.program, head).as_ref() != Some(stem);
            self.activation = Some(head.activation());
            self.reached = head.steps();
            self.inputs = head.inputs();
            return;
        }
        if self.activation != Some(head.activation()) && !self.is_call {
            return;
        }
        self.iterations += 1;
        if !self.iterations.is_multiple_of(self.found.certificate.mode().period.into()) {
            return;
        }
        let Some(expected) = self.found.states.get(self.agreed.len()) else { return };
        for (variable, number) in self.variables.iter().zip(expected) {
            let Some((variable, ty)) = *variable else { continue };
            let same = head.number(variable, ty).is_none_or(|now| Integer::from(now) == *number);
            self.differs |= !same;
        }
        self.agreed.push((head.steps(), head.inputs()));
    }
}

/// The guesses in an order in which none comes twice.
pub(super) fn distinct(guesses: Vec<Guess>) -> Vec<Guess> {
    let mut seen = BTreeSet::new();
    guesses.into_iter().filter(|guess| seen.insert(format!("{guess:?}"))).collect()
}
