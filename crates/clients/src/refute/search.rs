//! The search itself: which guesses are run, for how long, and when to give up.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use base::{Budget, Stop};
use certify::Verdict;
use evidence::{Counterexample, Reason};
use program::interpret::{DiscardedOutput, InputValue, Machine, Outcome, Run};
use program::{FunctionId, Program};

use super::guess::{Guess, Pool, Random, Then, text, word};
use super::record::{options, violation};
use super::{Interest, Query, Tried, Watch};

/// Steps of a run at first, and of the runs that are tried again.
const SHORT: u64 = 20_000;
const LONG: u64 = 5_000_000;
const LONGEST: u64 = 250_000_000;
/// How many runs that did not end are tried again.
const RETRIED: usize = 4;
/// The search gives up after so many runs that showed nothing new, but not before it has made so many.
const PATIENCE: u64 = 2000;
const FEWEST: u64 = 3000;
/// The short runs together take no more steps than this.
const SHORT_TOTAL: u64 = 80_000_000;
/// All runs together take no more steps than this.
const TOTAL: u64 = 400_000_000;
/// How many of the guesses are the same number everywhere.
const UNIFORM: usize = 60;
/// How many guesses whose runs did not end are handed on.
const LEADS: usize = 24;
/// How many guesses that showed something new are kept to be varied.
const KEPT: usize = 200;

/// A search for a violating run.
pub(super) struct Search<'a> {
    program: &'a Program,
    query: &'a Query,
    function: FunctionId,
    machine: Machine<'a>,
    budget: Budget,
    pool: Pool,
    random: Random,
    /// What starting a run costs, in steps.
    start: u64,
    runs: u64,
    /// The last run that showed something new.
    newest: u64,
    seen: BTreeSet<Behaviour>,
    /// Guesses that showed something new.
    kept: Vec<Guess>,
    /// Guesses whose runs did not end.
    unfinished: Vec<Guess>,
    /// The first of them.
    open_ends: Vec<Guess>,
    /// Whether any run examined standard input.
    reads_standard_input: bool,
    /// Whether any run asked for an input.
    takes_inputs: bool,
    /// Somebody who sees all runs. A search that is watched does not end at a violation.
    watch: Option<&'a mut Watch<'a>>,
    /// What stood in the way, each kind once, in the order in which it was met.
    reasons: BTreeMap<&'static str, (u64, Reason)>,
}

/// What a run did, coarsely: two runs that did the same are not both interesting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Behaviour {
    outcome: u8,
    /// The length of the number of steps, in halves of bits.
    steps: u32,
    inputs: usize,
    line: u32,
}

/// What one run has led to.
enum Step {
    /// The property is violated.
    Found(Box<Counterexample>),
    /// The search ends.
    End(Stop),
    /// The search goes on; the run ended by itself, or not.
    Next { finished: bool },
}

impl<'a> Search<'a> {
    pub fn new(program: &'a Program, query: &'a Query, function: FunctionId, budget: Budget) -> Self {
        Self {
            program,
            query,
            function,
            machine: Machine::new(program, &options(query)),
            budget: budget.part(TOTAL),
            pool: Pool::of(program),
            random: Random::new(1),
            start: 500 + program.objects.values().map(|object| object.size / 64).sum::<u64>(),
            runs: 0,
            newest: 0,
            seen: BTreeSet::new(),
            kept: Vec::new(),
            unfinished: Vec::new(),
            open_ends: Vec::new(),
            reads_standard_input: false,
            takes_inputs: false,
            watch: None,
            reasons: BTreeMap::new(),
        }
    }

    /// Runs what a search would run, while somebody watches. Gives the number of runs.
    pub fn explore(mut self, watch: &'a mut Watch<'a>, progress: &mut dyn FnMut(u64)) -> u64 {
        self.watch = Some(watch);
        let _ = self.all(progress);
        self.runs
    }

    /// Searches until something is found or there is no hope left. Also gives the guesses whose runs did not end, and those
    /// that showed something new.
    pub fn run(mut self, progress: &mut dyn FnMut(u64)) -> (Verdict, Vec<Guess>) {
        let stop = match self.all(progress) {
            Step::Found(counterexample) => return (Verdict::Refuted { counterexample }, Vec::new()),
            // That the steps ran out is the normal end of a search, not a reason.
            Step::End(Stop::Steps) | Step::Next { .. } => None,
            Step::End(stop) => Some(stop),
        };
        let mut leads = self.open_ends;
        leads.extend(self.kept);
        let mut reasons: Vec<(u64, Reason)> = self.reasons.into_values().collect();
        reasons.sort_by_key(|(run, _)| *run);
        let mut reasons: Vec<Reason> = reasons.into_iter().map(|(_, reason)| reason).collect();
        if let Some(stop) = stop {
            reasons.insert(0, Reason::Budget { stop });
        }
        let not_proved =
            Reason::NotProved { property: self.query.property.name().to_owned(), runs: self.runs };
        // A run that could not go on tells more than that there is no proof.
        let first_is_main =
            matches!(reasons.first(), Some(Reason::Unsupported { .. } | Reason::Budget { .. }));
        reasons.insert(usize::from(first_is_main), not_proved);
        let reason = reasons.remove(0);
        (Verdict::Unknown { reason, also: reasons }, leads)
    }

    fn all(&mut self, progress: &mut dyn FnMut(u64)) -> Step {
        let zeros = Guess::zeros();
        match self.attempt(zeros, SHORT) {
            Step::Next { .. } => {}
            end => return end,
        }
        if self.takes_inputs
            || self.reads_standard_input
            || self.query.takes_words(self.program, self.function)
        {
            let last = self.budget.remaining_steps().saturating_sub(SHORT_TOTAL);
            while (self.runs < FEWEST || self.runs - self.newest < PATIENCE)
                && self.budget.remaining_steps() > last
            {
                if self.runs.is_multiple_of(64) {
                    progress(self.runs);
                }
                let guess = self.next_guess();
                match self.attempt(guess, SHORT) {
                    Step::Next { .. } => {}
                    end => return end,
                }
            }
        }
        self.retry(LONG, RETRIED, progress)
    }

    /// Runs again what did not end, with more steps, and the first of them with even more.
    fn retry(&mut self, steps: u64, count: usize, progress: &mut dyn FnMut(u64)) -> Step {
        let mut unfinished = std::mem::take(&mut self.unfinished);
        unfinished.truncate(count);
        let mut still = Vec::new();
        for guess in unfinished {
            progress(self.runs);
            match self.attempt(guess.clone(), steps) {
                Step::Next { finished: true } => {}
                Step::Next { finished: false } => still.push(guess),
                end => return end,
            }
        }
        match still.into_iter().next() {
            Some(guess) => self.attempt(guess, LONGEST),
            None => Step::Next { finished: true },
        }
    }

    /// Runs a guess and notes what it shows.
    fn attempt(&mut self, guess: Guess, steps: u64) -> Step {
        let mut inputs = guess.inputs(&self.pool);
        let mut budget = self.budget.part(steps);
        let arguments = self.query.arguments(&guess.arguments);
        let run = self.machine.run(self.function, &arguments, &mut inputs, &mut DiscardedOutput, &mut budget);
        let read = inputs.bytes_read;
        self.reads_standard_input |= inputs.reads_standard_input;
        self.takes_inputs |= !run.inputs.is_empty();
        self.runs += 1;
        let words = self.query.taken(self.program, self.function, &guess.arguments);
        let standard_input = &guess.standard_input[..read];
        let tried = Tried { run: &run, arguments: &arguments, words, standard_input };
        if let Some(watch) = &mut self.watch {
            match watch(&tried) {
                Interest::None => {}
                Interest::New => self.keep(&guess, &run),
                Interest::Enough => return Step::End(Stop::Steps),
            }
        }
        if self.watch.is_none() {
            match violation(&self.machine, self.program, self.query, self.function, tried) {
                Ok(found) => return Step::Found(Box::new(found)),
                Err(reason) => reason.into_iter().for_each(|reason| self.note(reason)),
            }
        }
        let finished = !matches!(run.outcome, Outcome::Stopped(_));
        if !finished && self.unfinished.len() < KEPT {
            if self.open_ends.len() < LEADS {
                self.open_ends.push(guess.clone());
            }
            self.unfinished.push(self.recorded(&guess, &run));
        }
        if self.seen.insert(Behaviour::of(&run)) {
            self.keep(&guess, &run);
        }
        match run.outcome {
            Outcome::Stopped(stop @ (Stop::Time | Stop::Interrupted)) => Step::End(stop),
            _ => {
                self.budget.spend(run.steps + self.start).map_or_else(Step::End, |()| Step::Next { finished })
            }
        }
    }

    /// Takes note of a guess that showed something new.
    fn keep(&mut self, guess: &Guess, run: &Run) {
        self.newest = self.runs;
        if self.kept.len() < KEPT {
            self.kept.push(self.recorded(guess, run));
        }
    }

    /// The guess with the values that its run got, so that variations keep them.
    fn recorded(&self, guess: &Guess, run: &Run) -> Guess {
        let prefix = run.inputs.iter().map(|input| input.value).take(2000).collect();
        Guess { prefix, ..guess.clone() }
    }

    fn note(&mut self, reason: Reason) {
        let kind = match reason {
            Reason::Undefined { .. } => "undefined",
            Reason::Imprecise { .. } => "imprecise",
            Reason::Unsupported { .. } => "unsupported",
            Reason::Alarm { .. } => "alarm",
            _ => "other",
        };
        if let Entry::Vacant(entry) = self.reasons.entry(kind) {
            entry.insert((self.runs, reason));
        }
    }

    fn next_guess(&mut self) -> Guess {
        let mut guess = match self.uniform() {
            Some(value) => Guess { then: Then::Same(value), ..Guess::zeros() },
            None if !self.kept.is_empty() && self.random.below(2) == 0 => self.variation(),
            None => Guess { then: Then::Random(self.random.next()), ..Guess::zeros() },
        };
        if self.reads_standard_input {
            guess.standard_input = text(&mut self.random);
        }
        if self.query.takes_words(self.program, self.function) {
            let count = self.random.below(3);
            let words = (0..count).map(|_| word(&mut self.random));
            guess.arguments = std::iter::once(b"program".to_vec()).chain(words).collect();
        }
        guess
    }

    /// The number that all inputs of the next guess are, while it is the turn of such guesses: first the small ones of
    /// the pool, then some of all sizes.
    fn uniform(&self) -> Option<i128> {
        let (values, at) = (self.pool.values(), self.runs as usize);
        match at.checked_sub(UNIFORM / 2) {
            None => values.get(at).copied(),
            Some(beyond) if at < UNIFORM => {
                let rest = values.get(UNIFORM / 2..)?;
                rest.get(beyond * rest.len() / (UNIFORM / 2)).copied()
            }
            Some(_) => None,
        }
    }

    /// A guess that showed something new, changed a little.
    fn variation(&mut self) -> Guess {
        // The newest ones mostly got furthest: every second time one of them.
        let count = self.kept.len() as u64;
        let from = if self.random.below(2) == 0 { count - count.div_ceil(4) } else { 0 };
        let at = from + self.random.below(count - from);
        let mut guess = self.kept[at as usize].clone();
        guess.then = Then::Random(self.random.next());
        let length = guess.prefix.len();
        if length == 0 {
            return guess;
        }
        let place = self.random.below(length as u64) as usize;
        match self.random.below(4) {
            // An assumption that fails mostly examines the last inputs: guess those again.
            0 | 1 => guess.prefix.truncate(length - 1 - (self.random.below(3) as usize).min(length - 1)),
            2 => guess.prefix.truncate(place),
            _ => {
                let values = self.pool.values();
                let value = values[self.random.below(values.len() as u64) as usize];
                if let InputValue::Integer(_) = guess.prefix[place] {
                    guess.prefix[place] = InputValue::Integer(value);
                }
            }
        }
        guess
    }
}

impl Behaviour {
    fn of(run: &Run) -> Self {
        let (outcome, line) = match &run.outcome {
            Outcome::Exit(_) => (0, 0),
            Outcome::Aborted => (1, 0),
            Outcome::Violation(violation) => (2, violation.location.line),
            Outcome::AssumptionFailed => (3, 0),
            Outcome::Stopped(_) => (4, 0),
            Outcome::Repeats(repetition) => (5, repetition.location.line),
            Outcome::Unsupported { location, .. } => (6, location.line),
        };
        let squared = u128::from(run.steps) * u128::from(run.steps);
        Self { outcome, steps: u128::BITS - squared.leading_zeros(), inputs: run.inputs.len().min(64), line }
    }
}
