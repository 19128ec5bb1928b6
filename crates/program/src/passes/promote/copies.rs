//! Which local objects are copied while a part of them may have no value.
//!
//! In memory the copy of nothing is nothing. An assignment cannot say that, so such objects stay in memory.

use std::collections::BTreeMap;

use super::Nodes;
use super::partition::PartTypes;
use super::scan::{Uses, direct, known_size};
use crate::expression::{ExprId, ObjectRef};
use crate::flow::{Event, Events, Flow, Query};
use crate::function::Body;
use crate::program::{FunctionId, Program};
use crate::statement::{Check, StatementKind};

/// The objects, by number, that must stay in memory because of what they may lack when they are copied.
pub fn sources_without_value(
    program: &Program,
    nodes: &Nodes,
    uses: &Uses,
    parts: &[Option<PartTypes>],
) -> Vec<usize> {
    let mut copied = vec![false; nodes.count];
    for (to, from) in &uses.copies {
        (copied[to.node], copied[from.node]) = (true, true);
    }
    let mut found = Vec::new();
    for (function, description) in program.functions.iter() {
        let Some(body) = description.body() else { continue };
        // The parts of local objects that take part in copies are what is watched.
        let locals = body.locals.ids().map(|local| nodes.number(function, ObjectRef::Local(local)));
        let offsets = locals.filter(|&node| copied[node]).flat_map(|node| {
            parts[node].iter().flat_map(move |parts| parts.keys().map(move |&offset| (node, offset)))
        });
        let things: BTreeMap<(usize, u64), usize> =
            offsets.enumerate().map(|(at, part)| (part, at)).collect();
        if !things.is_empty() {
            Watch { nodes, function, body, things }.look(&mut found);
        }
    }
    found
}

struct Watch<'a> {
    nodes: &'a Nodes,
    function: FunctionId,
    body: &'a Body,
    /// The numbers of the watched parts, by object and offset.
    things: BTreeMap<(usize, u64), usize>,
}

impl Watch<'_> {
    fn look(&self, found: &mut Vec<usize>) {
        let mut events = Events::new(self.things.len(), |_| false);
        for block in self.body.blocks.values() {
            for statement in &block.statements {
                self.statement(&statement.kind, &mut events);
            }
            events.end_block();
        }
        let mut lacking = vec![false; self.things.len()];
        let mut flow = Flow::new(self.body);
        for group in events.groups() {
            flow.answer(group, Query::Surely, |_, event, has_value| {
                if let Event::Use(thing) = event {
                    lacking[thing] |= !has_value;
                }
            });
        }
        found.extend(self.things.iter().filter(|&(_, &thing)| lacking[thing]).map(|(&(node, _), _)| node));
    }

    fn statement(&self, kind: &StatementKind, events: &mut Events) {
        match *kind {
            StatementKind::Store { pointer, .. } => self.assign(pointer, 1, events),
            StatementKind::Fill { destination: pointer, size, .. }
            | StatementKind::Check(Check::Readable { pointer, size }) => {
                self.assign(pointer, known_size(self.body, size), events)
            }
            StatementKind::Begin { object, .. } | StatementKind::Forget { object } => {
                let node = self.nodes.number(self.function, ObjectRef::Local(object));
                self.in_range((node, 0), u64::MAX).for_each(|(_, thing)| events.push(Event::Forget(thing)));
            }
            StatementKind::Copy { destination, source, size } => {
                let size = known_size(self.body, size);
                let (Some(to), Some(from)) = (self.place(destination), self.place(source)) else { return };
                self.in_range(from, size).for_each(|(_, thing)| events.push(Event::Use(thing)));
                for (offset, thing) in self.in_range(to, size) {
                    let source = (from.0, from.1 + (offset - to.1));
                    events.push(match self.things.get(&source) {
                        Some(&source) => Event::Copy(thing, source),
                        None => Event::Assign(thing),
                    });
                }
            }
            _ => {}
        }
    }

    fn assign(&self, pointer: ExprId, size: u64, events: &mut Events) {
        if let Some(place) = self.place(pointer) {
            self.in_range(place, size).for_each(|(_, thing)| events.push(Event::Assign(thing)));
        }
    }

    fn place(&self, pointer: ExprId) -> Option<(usize, u64)> {
        let (object, offset) = direct(self.body, pointer)?;
        Some((self.nodes.number(self.function, object), u64::try_from(offset).ok()?))
    }

    /// The watched parts that start in a range of bytes, with their offsets.
    fn in_range(&self, (node, start): (usize, u64), size: u64) -> impl Iterator<Item = (u64, usize)> + '_ {
        let range = (node, start)..(node, start.saturating_add(size));
        self.things.range(range).map(|(&(_, offset), &thing)| (offset, thing))
    }
}
