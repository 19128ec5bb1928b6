//! What one pass through a loop does, as a guess: along each way through it, what it asks, which numbers in memory it
//! reads and writes, and how the variables change, all in expressions over the state at the head.
//!
//! Idealised: integers do not wrap, conversions keep the number, calls change nothing but their result, and what is
//! stored at one place does not change what is read at a place that is written differently. Nothing that is made of it is
//! trusted.

mod evaluate;
mod linear;
mod rewrite;
mod walk;

use std::collections::BTreeMap;

use evidence::expression::constant;
use evidence::{Aspect, Element, Expression, Formula, Integer, Moment, Name, Quantity};
use program::VariableId;

pub use self::evaluate::opposite;
pub use self::linear::Linear;
pub use self::rewrite::{Places, rewrite, rewrite_formula, speaks_of_entry, spoken, spoken_in};
use crate::view::View;

/// How the names start that stand for numbers in a pass that are not known at the head, like inputs.
const UNNAMED: char = '?';

/// The ways through a loop.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    /// The ways, up to a limit.
    pub ways: Vec<Way>,
    /// What moves by the same number in every pass, or in some.
    pub walkers: Vec<Walker>,
}

/// A way through a loop: from its head back to it, or out of it.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Whether it comes back to the head.
    pub back: bool,
    /// What holds when it is taken.
    pub conditions: Vec<Formula>,
    /// The accesses to memory, in order.
    pub accesses: Vec<Access>,
    /// The variables that were assigned, with their last values.
    pub after: BTreeMap<VariableId, Value>,
    /// How many numbers of it are no expression over the state at the head.
    pub unnamed: usize,
}

/// A value as an expression over the state at the head.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(Linear),
    /// True or false.
    Truth(Formula),
    /// A place in memory.
    Pointer(Position),
    /// Not one of these.
    Unknown,
}

/// A place in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Position {
    /// The object.
    pub base: Base,
    /// How many bytes after its start.
    pub offset: Linear,
}

/// An object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Base {
    /// The one with this name.
    Buffer(Name),
    /// The one that a pointer with this name points to at the head.
    Target(Name),
}

/// A read or a write of a number.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// Where.
    pub position: Position,
    /// How many bytes.
    pub bytes: u8,
    /// Whether the number can be negative.
    pub signed: bool,
    /// What was written, if it is a write.
    pub stored: Option<Value>,
}

/// A number, or the offset of a pointer, that moves by one and the same number.
#[derive(Clone, PartialEq, Debug)]
pub struct Walker {
    /// The number now.
    pub now: Expression,
    /// The number at entry.
    pub entry: Expression,
    /// What a pass adds to it.
    pub step: Integer,
    /// Whether every pass does so; else some do not move it.
    pub always: bool,
    /// The ways that move it, by their places in the list.
    pub moving: Vec<usize>,
    /// Whether it is the offset of a pointer.
    pub pointer: bool,
}

impl Pass {
    /// What a pass does.
    pub fn of(view: &View<'_>) -> Self {
        let ways = walk::ways(view);
        let walkers = walkers(view, &ways);
        Self { ways, walkers }
    }

    /// The ways that come back to the head.
    pub fn back(&self) -> impl Iterator<Item = &Way> {
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

impl Access {
    /// The number in memory, by its index, if the object has a name.
    pub fn element(&self) -> Option<Element> {
        let Base::Buffer(buffer) = &self.position.base else { return None };
        let index = self.position.offset.quotient(&Integer::from(self.bytes));
        let (bytes, signed) = (self.bytes, self.signed);
        Some(Element { buffer: buffer.clone(), index: Box::new(index), bytes, signed, moment: Moment::Now })
    }
}

/// Whether an expression is a number in a pass that is not known at the head.
pub fn is_unnamed(expression: &Expression) -> bool {
    matches!(expression, Expression::Quantity { quantity, .. } if quantity.variable.as_str().starts_with(UNNAMED))
}

/// Adds those formulas to the candidates that speak of the state at the head alone.
pub fn add_candidates(candidates: &mut Vec<Formula>, formulas: Vec<Formula>) {
    let known = |formula: &Formula| !spoken_in(formula).into_iter().any(is_unnamed);
    candidates.extend(formulas.into_iter().filter(known));
}

/// The value that a variable has at the head.
fn at_head(view: &View<'_>, variable: VariableId) -> Value {
    if let Some(number) = view.numbers.iter().find(|number| number.variable == variable) {
        let linear = match &number.entry {
            Some(known) if !number.changed => Linear::constant(known.clone()),
            _ => Linear::atom(Quantity::value(number.name.clone()).at(Moment::Now)),
        };
        return match number.ty {
            program::Type::Bool => Value::Truth(linear.expression().compare(evidence::Comparison::Differ, 0)),
            _ => Value::Number(linear),
        };
    }
    let Some(pointer) = view.pointers.iter().find(|pointer| pointer.variable == variable) else {
        return Value::Unknown;
    };
    let named = view.buffers.iter().find(|buffer| Some(buffer.object) == pointer.object);
    let base = match named {
        Some(buffer) => Base::Buffer(buffer.name.clone()),
        None => Base::Target(pointer.name.clone()),
    };
    let offset = match &pointer.entry {
        Some(known) if !pointer.changed => Linear::constant(known.clone()),
        _ => Linear::atom(Quantity::offset(pointer.name.clone()).at(Moment::Now)),
    };
    Value::Pointer(Position { base, offset })
}

/// What moves by the same number in every pass, or in some and not at all in the others.
fn walkers(view: &View<'_>, ways: &[Way]) -> Vec<Walker> {
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
            match step(view, way, variable) {
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
fn step(view: &View<'_>, way: &Way, variable: VariableId) -> Option<Integer> {
    let difference = match (at_head(view, variable), way.after.get(&variable)) {
        (_, None) => return Some(Integer::ZERO),
        (Value::Number(before), Some(Value::Number(after))) => after.minus(&before),
        (Value::Pointer(before), Some(Value::Pointer(after))) if before.base == after.base => {
            after.offset.minus(&before.offset)
        }
        _ => return None,
    };
    difference.known().cloned()
}
