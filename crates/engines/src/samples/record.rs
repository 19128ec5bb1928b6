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

/// How many states are kept of a loop, of a loop in a run, and of the start of an arrival.
const MOST: usize = 400;
const OF_RUN: usize = 36;
const FIRST: u64 = 8;

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
    passes: u64,
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
    fn keep(&mut self, entry: usize, numbers: Numbers) {
        if self.seen.states.len() < MOST && self.of_run < OF_RUN && self.known.insert((entry, numbers.clone())) {
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
        let slots = layout.slots.get(&block).cloned();
        let inner: Vec<Arrival> = layout
            .inside
            .get(&block)
            .into_iter()
            .flatten()
            .filter_map(|inner| self.arrivals.remove(&(activation, *inner)))
            .collect();
        inner.into_iter().for_each(|arrival| self.leave(arrival));
        if let Some(arrival) = self.arrivals.get_mut(&(activation, block)) {
            arrival.passes += 1;
            let passes = arrival.passes;
            let Some(recorded) = self.loops.get(&arrival.key) else { return };
            if recorded.of_run >= OF_RUN || recorded.seen.states.len() >= MOST {
                return;
            }
            let Some(numbers) = self.numbers(head) else { return };
            let Some(arrival) = self.arrivals.get_mut(&(activation, block)) else { return };
            let Some(recorded) = self.loops.get_mut(&arrival.key) else { return };
            if passes <= FIRST || passes.is_power_of_two() {
                arrival.last = None;
                recorded.keep(arrival.entry, numbers);
            } else {
                arrival.last = Some(numbers);
            }
            return;
        }
        let key: Key = (head.callers(), function, block);
        let Some(numbers) = self.numbers(head) else { return };
        let recorded = self.loops.entry(key.clone()).or_default();
        recorded.seen.slots = slots.unwrap_or_default();
        if recorded.of_run >= OF_RUN || recorded.seen.states.len() >= MOST {
            return;
        }
        let entry = recorded.entry(&numbers);
        recorded.keep(entry, numbers);
        self.arrivals.insert((activation, block), Arrival { key, entry, passes: 0, last: None });
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
