//! What one iteration of a loop does, as a guess: the guarded paths from its head, and what moves along them.

mod walk;

use std::collections::BTreeMap;

use evidence::expression::constant;
use evidence::{Aspect, Expression, Integer, Moment, Quantity};
use logic::numbers::Rational;
use program::VariableId;

use crate::linear::Linear;
use crate::paths::{Access, Base, GuardedPath, Position, Start, Value};
use crate::view::View;

/// The ways through a loop.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// The ways, up to a limit.
    pub ways: Vec<GuardedPath>,
    /// What moves by the same number in every iteration, or in some.
    pub walkers: Vec<Walker>,
}

/// A number, or the offset of a pointer, that moves by one and the same number.
#[derive(Clone, PartialEq, Debug)]
pub struct Walker {
    /// The number now.
    pub now: Expression,
    /// The number at entry.
    pub entry: Expression,
    /// What an iteration adds to it.
    pub step: Integer,
    /// Whether every iteration does so; else some do not move it.
    pub always: bool,
    /// The ways that move it, by their places in the list.
    pub moving: Vec<usize>,
    /// Whether it is the offset of a pointer.
    pub pointer: bool,
}

impl Iteration {
    /// What an iteration does.
    pub fn of(view: &View<'_>) -> Self {
        let start = start(view);
        let ways = walk::ways(view, &start);
        let walkers = walkers(view, &start, &ways);
        Self { ways, walkers }
    }

    /// The ways that come back to the head.
    pub fn back(&self) -> impl Iterator<Item = &GuardedPath> {
        self.ways.iter().filter(|way| way.back)
    }

    /// All accesses, of all ways, each once.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut all: Vec<&Access> = Vec::new();
        for access in self.ways.iter().flat_map(|way| &way.accesses) {
            if !all.contains(&access) {
                all.push(access);
            }
        }
        all
    }

    /// The walker that is this number.
    pub fn walker(&self, now: &Expression) -> Option<&Walker> {
        self.walkers.iter().find(|walker| walker.now == *now)
    }
}

/// What is known at the head.
fn start<'a>(view: &View<'a>) -> Start<'a> {
    let (program, body) = (view.program, view.body);
    let (mut variables, mut objects, mut cells) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for number in &view.numbers {
        let value = match &number.entry {
            Some(known) if !number.changed => Linear::constant(known),
            _ => Linear::variable(Quantity::value(number.name.clone()).at(Moment::Now)),
        };
        variables.entry(number.variable).or_insert(Value::Number(value));
    }
    for pointer in &view.pointers {
        let named = view.buffers.iter().find(|buffer| Some(buffer.object) == pointer.object);
        let base = match named {
            Some(buffer) => Base::Buffer(buffer.name.clone()),
            None => Base::Target(pointer.name.clone()),
        };
        let offset = match &pointer.entry {
            Some(known) if !pointer.changed => Linear::constant(known),
            _ => Linear::variable(Quantity::offset(pointer.name.clone()).at(Moment::Now)),
        };
        variables.entry(pointer.variable).or_insert(Value::Pointer(Position { base, offset }));
    }
    for buffer in &view.buffers {
        cells.entry(buffer.name.clone()).or_insert(buffer.cell);
        if let Some(reference) = buffer.reference {
            objects.entry(reference).or_insert(buffer.name.clone());
        }
    }
    Start { program, body, variables, objects, cells, is_idealised: true }
}

/// What moves by the same number in every iteration, or in some and not at all in the others.
fn walkers(view: &View<'_>, start: &Start<'_>, ways: &[GuardedPath]) -> Vec<Walker> {
    let numbers = view.numbers.iter().filter(|number| number.changed && number.ty != program::Type::Bool);
    let numbers = numbers.map(|number| (&number.name, number.variable, Aspect::Value, &number.entry));
    let pointers = view.pointers.iter().filter(|pointer| pointer.changed);
    let pointers = pointers.map(|pointer| (&pointer.name, pointer.variable, Aspect::Offset, &pointer.entry));
    let mut walkers = Vec::new();
    for (name, variable, aspect, entry) in numbers.chain(pointers) {
        let quantity = Quantity { variable: name.clone(), aspect };
        let mut steps: Vec<Integer> = Vec::new();
        let mut moving = Vec::new();
        let mut certain = true;
        for (place, way) in ways.iter().enumerate().filter(|(_, way)| way.back) {
            match step(start, way, variable) {
                Some(step) => {
                    if step != Integer::ZERO {
                        moving.push(place);
                    }
                    if !steps.contains(&step) {
                        steps.push(step);
                    }
                }
                None => certain = false,
            }
        }
        let moves: Vec<&Integer> = steps.iter().filter(|step| **step != Integer::ZERO).collect();
        if let ([step], true) = (&moves[..], certain) {
            walkers.push(Walker {
                now: quantity.at(Moment::Now),
                entry: entry.clone().map_or_else(|| quantity.at(Moment::Entry), constant),
                step: (*step).clone(),
                always: steps.len() == 1,
                moving,
                pointer: aspect == Aspect::Offset,
            });
        }
    }
    walkers
}

/// What a way adds to a variable.
fn step(start: &Start<'_>, way: &GuardedPath, variable: VariableId) -> Option<Integer> {
    let difference = match (start.variable(variable), way.updates.get(&variable)) {
        (_, None) => return Some(Integer::ZERO),
        (Value::Number(before), Some(Value::Number(after))) => after - &before,
        (Value::Pointer(before), Some(Value::Pointer(after))) if before.base == after.base => {
            &after.offset - &before.offset
        }
        _ => return None,
    };
    difference.as_constant().and_then(Rational::to_integer)
}
