//! Takes down states at loop heads while a program runs.
//!
//! A loop is entered anew when control comes to its head in another call, or after the head of a loop around it. Of each
//! arrival the first states are kept, some later ones, and the last one, which limits hang on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use loops::LoopForest;
use program::interpret::{Head, Observer};
use program::{BlockId, Body, FunctionId, Program, VariableId};

use super::{Key, Numbers, Seen};
use crate::code::mentioned;

/// How many states are kept of a loop, and of a loop in a run.
const MOST: usize = 400;
const OF_RUN: usize = 60;

/// The first states of an arrival are all kept, and then so many of each doubling of the number of iterations.
const FIRST: u64 = 12;
const OF_DOUBLING: u64 = 6;

/// Of a function with more variables, only those are kept that a loop mentions.
const FEW: usize = 48;

pub(super) struct Recorder<'p> {
    program: &'p Program,
    loops: BTreeMap<Key, Recorded>,
    layouts: BTreeMap<FunctionId, Layout>,
    arrivals: BTreeMap<(u64, BlockId), Arrival>,
}

#[derive(Default)]
struct Recorded {
    seen: Seen,
    known: BTreeSet<(usize, Numbers)>,
    of_run: usize,
}

/// A loop that was entered and perhaps not left.
struct Arrival {
    key: Key,
    entry: usize,
    iterations: u64,
    /// The last state, if it is not kept yet.
    last: Option<Numbers>,
}

impl<'p> Recorder<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self { program, loops: BTreeMap::new(), layouts: BTreeMap::new(), arrivals: BTreeMap::new() }
    }

    pub fn end_run(&mut self) {
        for (_, arrival) in std::mem::take(&mut self.arrivals) {
            self.leave(arrival);
        }
        self.loops.values_mut().for_each(|recorded| recorded.of_run = 0);
    }

    pub fn finish(self) -> BTreeMap<Key, Seen> {
        self.loops.into_iter().map(|(key, recorded)| (key, recorded.seen)).collect()
    }

    fn leave(&mut self, arrival: Arrival) {
        if let (Some(last), Some(recorded)) = (arrival.last, self.loops.get_mut(&arrival.key)) {
            recorded.keep(arrival.entry, last);
        }
    }

    fn numbers(&self, head: &Head<'_, '_>) -> Option<Numbers> {
        let body = self.program.functions[head.function()].body()?;
        let slots = self.layouts.get(&head.function())?.slots.get(&head.block())?;
        let number = |&variable: &VariableId| head.number(variable, self.program.variable(body, variable).ty);
        Some(slots.keys().map(number).collect())
    }
}

impl Recorded {
    fn is_full(&self) -> bool {
        self.of_run >= OF_RUN || self.seen.states.len() >= MOST
    }

    fn keep(&mut self, entry: usize, numbers: Numbers) {
        if !self.is_full() && self.known.insert((entry, numbers.clone())) {
            self.of_run += 1;
            self.seen.states.push((entry, numbers));
        }
    }

    /// The place of a state in which the loop is entered.
    fn entry(&mut self, numbers: &Numbers) -> usize {
        let known = self.seen.entries.iter().position(|entry| entry == numbers);
        known.unwrap_or_else(|| {
            self.seen.entries.push(numbers.clone());
            self.seen.entries.len() - 1
        })
    }
}

impl Observer for Recorder<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let (function, block, activation) = (head.function(), head.block(), head.activation());
        let Some(body) = self.program.functions[function].body() else { return };
        let layout = self.layouts.entry(function).or_insert_with(|| Layout::of(self.program, body));
        let slots = layout.slots.get(&block).cloned().unwrap_or_default();
        let inner = layout.inside.get(&block).into_iter().flatten();
        let left: Vec<Arrival> =
            inner.filter_map(|inner| self.arrivals.remove(&(activation, *inner))).collect();
        left.into_iter().for_each(|arrival| self.leave(arrival));
        if let Some(arrival) = self.arrivals.remove(&(activation, block)) {
            let arrival = self.again(arrival, head);
            self.arrivals.insert((activation, block), arrival);
            return;
        }
        let Some(numbers) = self.numbers(head) else { return };
        let key: Key = (head.callers(), function, block);
        let recorded = self.loops.entry(key.clone()).or_default();
        recorded.seen.slots = slots;
        if !recorded.is_full() {
            let entry = recorded.entry(&numbers);
            recorded.keep(entry, numbers);
            self.arrivals.insert((activation, block), Arrival { key, entry, iterations: 0, last: None });
        }
    }
}

impl Recorder<'_> {
    /// Control is at a head again.
    fn again(&mut self, mut arrival: Arrival, head: &Head<'_, '_>) -> Arrival {
        arrival.iterations += 1;
        if self.loops.get(&arrival.key).is_none_or(Recorded::is_full) {
            return arrival;
        }
        let numbers = self.numbers(head);
        let (Some(numbers), Some(recorded)) = (numbers, self.loops.get_mut(&arrival.key)) else {
            return arrival;
        };
        // The more iterations, the fewer states of them.
        let every = (arrival.iterations.next_power_of_two() / 2 / OF_DOUBLING).max(1);
        if arrival.iterations <= FIRST || arrival.iterations.is_multiple_of(every) {
            arrival.last = None;
            recorded.keep(arrival.entry, numbers);
        } else {
            arrival.last = Some(numbers);
        }
        arrival
    }
}

/// What is known of a body before it runs.
struct Layout {
    /// For each loop head the heads of the loops inside it.
    inside: BTreeMap<BlockId, Vec<BlockId>>,
    /// For each loop head where the numbers of variables stand in a state.
    slots: BTreeMap<BlockId, Rc<BTreeMap<VariableId, usize>>>,
}

impl Layout {
    fn of(program: &Program, body: &Body) -> Self {
        let forest = LoopForest::of(body);
        let mut inside: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
        let mut slots = BTreeMap::new();
        let locals = body.variables.ids();
        let all: BTreeSet<VariableId> =
            locals.chain((0..program.globals.len()).map(VariableId::global)).collect();
        for (id, inner) in forest.iter() {
            for outer in forest.ancestors(id).filter(|outer| *outer != id) {
                inside.entry(forest[outer].head).or_default().push(inner.head);
            }
            let own = match all.len() {
                ..=FEW => all.clone(),
                _ => mentioned(body, forest.blocks(id)),
            };
            slots.insert(inner.head, Rc::new(own.into_iter().zip(0..).collect()));
        }
        Self { inside, slots }
    }
}
