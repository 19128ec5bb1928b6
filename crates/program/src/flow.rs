//! A forward data flow that tells which of some things have a value at each place of a body.
//!
//! The things are numbered by whoever asks: variables, or parts of objects. They are watched in groups, so that the bit
//! sets stay small in the largest functions. A copy from a thing of another group counts as a copy of nothing, which is
//! always safe.

use base::Index;

use crate::function::{BlockId, Body};

/// How many things are watched at once.
const GROUP: usize = 512;

/// What happens to a watched thing.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// It gets a value.
    Assign(usize),
    /// It gets what the second one has, which may be nothing.
    Copy(usize, usize),
    /// It has no value any more.
    Forget(usize),
    /// The statement at this position asks for its value: where it has none, the run ends.
    Ask(usize, usize),
    /// Its value is used, if it has one.
    Use(usize),
}

impl Event {
    fn thing(self) -> usize {
        match self {
            Event::Assign(thing)
            | Event::Copy(thing, _)
            | Event::Forget(thing)
            | Event::Ask(thing, _)
            | Event::Use(thing) => thing,
        }
    }
}

/// A query about the things that have a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Which surely have one, on all paths?
    Surely,
    /// Which may have got one since they were last forgotten, on some path?
    Perhaps,
}

/// All events of a body, in groups.
pub struct Events {
    groups: Vec<Group>,
}

impl Events {
    /// No events for so many things, some of which have a value when the function starts.
    pub fn new(things: usize, at_entry: impl Fn(usize) -> bool) -> Self {
        let group = |start: usize| {
            let count = GROUP.min(things - start);
            let mut entry = vec![0; count.div_ceil(64)];
            (0..count).filter(|at| at_entry(start + at)).for_each(|at| set(&mut entry, at, true));
            Group { start, events: Vec::new(), first: vec![0], at_entry: entry }
        };
        Self { groups: (0..things).step_by(GROUP).map(group).collect() }
    }

    /// Adds an event to the current block.
    pub fn push(&mut self, event: Event) {
        self.groups[event.thing() / GROUP].events.push(event);
    }

    /// Goes on to the next block of the body.
    pub fn end_block(&mut self) {
        self.groups.iter_mut().for_each(|group| group.first.push(group.events.len() as u32));
    }

    /// The groups, each of which is solved on its own.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }
}

/// The events of a group of things.
pub struct Group {
    start: usize,
    /// All events, block by block, and where those of each block start.
    events: Vec<Event>,
    first: Vec<u32>,
    at_entry: Vec<u64>,
}

impl Group {
    fn of_block(&self, block: BlockId) -> &[Event] {
        &self.events[self.first[block.index()] as usize..self.first[block.index() + 1] as usize]
    }

    fn place(&self, thing: usize) -> Option<usize> {
        thing.checked_sub(self.start).filter(|&place| place < GROUP)
    }

    fn has(&self, state: &[u64], thing: usize) -> bool {
        self.place(thing).is_some_and(|place| state[place / 64] >> (place % 64) & 1 == 1)
    }

    /// The state after an event.
    fn step(&self, query: Query, state: &mut [u64], event: Event) {
        let value = match (event, query) {
            (Event::Use(_), _) => return,
            (Event::Assign(_) | Event::Ask(..), _) | (Event::Copy(..), Query::Perhaps) => true,
            (Event::Forget(_), _) => false,
            (Event::Copy(_, source), Query::Surely) => self.has(state, source),
        };
        set(state, event.thing() - self.start, value);
    }
}

fn set(bits: &mut [u64], place: usize, value: bool) {
    let bit = 1 << (place % 64);
    if value { bits[place / 64] |= bit } else { bits[place / 64] &= !bit }
}

/// Solves data flows over a body.
pub struct Flow<'a> {
    body: &'a Body,
    order: Vec<BlockId>,
    /// The bits at the start of each block, one block after another.
    states: Vec<u64>,
    changed: Vec<bool>,
}

impl<'a> Flow<'a> {
    /// Nothing is solved yet.
    pub fn new(body: &'a Body) -> Self {
        Self { body, order: body.reverse_post_order(), states: Vec::new(), changed: Vec::new() }
    }

    /// Answers a query: calls the function on every event that control can reach, with whether the thing has a value
    /// right before it.
    pub fn answer(&mut self, group: &Group, query: Query, mut visit: impl FnMut(BlockId, Event, bool)) {
        self.solve(group, query);
        let words = group.at_entry.len();
        let mut state = vec![0; words];
        for &block in &self.order {
            state.copy_from_slice(&self.states[block.index() * words..][..words]);
            for &event in group.of_block(block) {
                visit(block, event, group.has(&state, event.thing()));
                group.step(query, &mut state, event);
            }
        }
    }

    /// Works out the bits at the start of each block from those that its predecessors end with.
    fn solve(&mut self, group: &Group, query: Query) {
        let (words, count) = (group.at_entry.len(), self.body.blocks.len());
        let meet = |old: u64, new: u64| if query == Query::Surely { old & new } else { old | new };
        self.states.clear();
        self.states.resize(count * words, if query == Query::Surely { u64::MAX } else { 0 });
        self.states[..words].copy_from_slice(&group.at_entry);
        self.changed.clear();
        self.changed.resize(count, true);
        let (mut state, mut again) = (vec![0; words], true);
        while std::mem::take(&mut again) {
            for &block in &self.order {
                if !std::mem::take(&mut self.changed[block.index()]) {
                    continue;
                }
                state.copy_from_slice(&self.states[block.index() * words..][..words]);
                group.of_block(block).iter().for_each(|&event| group.step(query, &mut state, event));
                for next in self.body.blocks[block].terminator.successors() {
                    let mut differs = false;
                    for (old, &new) in self.states[next.index() * words..][..words].iter_mut().zip(&state) {
                        let met = meet(*old, new);
                        differs |= met != *old;
                        *old = met;
                    }
                    if differs {
                        (self.changed[next.index()], again) = (true, true);
                    }
                }
            }
        }
    }
}
