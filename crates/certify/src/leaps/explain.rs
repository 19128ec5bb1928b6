//! Explains models: the story of how something is violated, for people and for runs that try it.
//!
//! The story is LoopFrog's leaping counterexample (section 3.5): straight pieces step by step, each loop one leap. It
//! need not be a run of the program: the facts at a loop's head may allow more than its passes do. No proof rests on
//! anything in here.

use std::rc::Rc;

use base::Location;
use encoding::{Leap, Pointer, State, Value};
use evidence::Name;
use logic::evaluate::Evaluation;
use logic::{Model, Term};
use program::{FunctionId, Origin, OverflowOp, Type, VariableId};

use super::{Leaping, Named};
use crate::explain::{SuspectInput, TraceStep, inputs, shown};

/// A leaping counterexample.
#[derive(Clone, PartialEq, Debug)]
pub struct Story {
    /// What happens, in order.
    pub steps: Vec<StoryStep>,
    /// The inputs, in the order in which a run asks for them. Those in passes that are leapt over are missing.
    pub inputs: Vec<SuspectInput>,
    /// The leap in whose pass it ends, if it ends in a loop.
    pub inside: Option<usize>,
    /// The access that goes wrong, if it is one.
    pub access: Option<StoryAccess>,
    /// The operation that overflows, with its operands: `2147483647 + 1`.
    pub operation: Option<String>,
}

/// A step of a story.
#[derive(Clone, PartialEq, Debug)]
pub enum StoryStep {
    /// A variable gets a value.
    Assignment(TraceStep),
    /// Control leaps over a loop to one of its passes: the last one, or the one in which the story ends.
    Leap {
        /// The leap, by its place in the list of leaps.
        leap: usize,
        /// The function.
        function: FunctionId,
        /// Where the loop stands.
        location: Location,
        /// The variables that change, with their values at entry and at the head before the pass.
        values: Vec<(Name, String, String)>,
        /// How many passes were leapt over, if a counter tells.
        passes: Option<i128>,
    },
}

/// An access in a story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryAccess {
    /// The object that it points to, if it points to one.
    pub object: Option<StoryObject>,
    /// How many bytes behind the object's start; of a pointer to no object the address.
    pub offset: i128,
    /// How many bytes are accessed.
    pub bytes: u128,
}

/// An object in a story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryObject {
    /// Its name.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u128,
}

impl Leaping<'_> {
    /// What a model tells, up to so many events.
    pub(super) fn story(&mut self, model: &Model, events: usize, inside: Option<usize>) -> Story {
        let functions: Vec<FunctionId> = self.leaps().iter().map(|leap| leap.function).collect();
        let names: Vec<_> = functions.into_iter().map(|function| self.names(function)).collect();
        let leaps = Rc::new(self.leaps().to_vec());
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let mut steps = Vec::new();
        let mut next = 0;
        for (place, event) in self.encoder.findings.events.iter().enumerate() {
            while next < leaps.len() && leaps[next].events <= place && leaps[next].events <= events {
                steps.extend(self.leap_step(next, &leaps[next], &names[next], &mut values));
                next += 1;
            }
            if place >= events {
                break;
            }
            if values.is_true(event.happens)
                && let Some(body) = self.program.functions[event.function].body()
            {
                let variable = self.program.variable(body, event.variable);
                steps.push(StoryStep::Assignment(TraceStep {
                    function: event.function,
                    variable: variable.name.clone(),
                    value: shown(&self.encoder, event.value, variable.ty, &mut values),
                    location: event.location,
                }));
            }
        }
        while next < leaps.len() && leaps[next].events <= events {
            steps.extend(self.leap_step(next, &leaps[next], &names[next], &mut values));
            next += 1;
        }
        let inputs = inputs(&self.encoder.findings.inputs, &mut values);
        Story { steps, inputs, inside, access: None, operation: None }
    }

    fn leap_step(
        &self,
        place: usize,
        leap: &Leap,
        names: &std::collections::BTreeMap<Name, Named>,
        values: &mut Evaluation<'_>,
    ) -> Option<StoryStep> {
        let (entry, start) = (leap.entries.last()?, leap.starts.first()?);
        if !values.is_true(start.state.guard.term()) {
            return None;
        }
        let body = self.program.functions[leap.function].body()?;
        let mut changes = Vec::new();
        let mut passes = None;
        for (name, named) in names {
            let Named::Variable(variable) = *named else { continue };
            let description = self.program.variable(body, variable);
            if !leap.changed.variables.contains(&variable) || description.origin == Origin::Temporary {
                continue;
            }
            let before = shown(&self.encoder, entry.variable(variable), description.ty, values);
            let after = shown(&self.encoder, start.state.variable(variable), description.ty, values);
            passes = passes.or_else(|| self.count(leap, entry, variable, description.ty, values));
            changes.push((name.clone(), before, after));
        }
        Some(StoryStep::Leap {
            leap: place,
            function: leap.function,
            location: leap.location,
            values: changes,
            passes,
        })
    }

    /// How many passes a variable counts: it changes by one and the same number in each.
    fn count(
        &self,
        leap: &Leap,
        entry: &State,
        variable: VariableId,
        ty: Type,
        values: &mut Evaluation<'_>,
    ) -> Option<i128> {
        let Type::Integer(_) = ty else { return None };
        let (again, start) = (leap.again.as_ref()?, leap.starts.last()?);
        let (Value::Scalar(after), Value::Scalar(before), Value::Scalar(first), Value::Scalar(now)) = (
            again.variable(variable),
            start.state.variable(variable),
            entry.variable(variable),
            leap.starts.first()?.state.variable(variable),
        ) else {
            return None;
        };
        let step = constant_step(&self.encoder.terms, before, after)?;
        let mut number = |term| match values.value(term) {
            logic::Value::BitVector(bits) => bits.to_i128(),
            logic::Value::Integer(number) => i128::try_from(number).ok(),
            _ => None,
        };
        let distance = number(now)?.checked_sub(number(first)?)?;
        (distance % step == 0 && distance / step >= 0).then(|| distance / step)
    }

    /// An operation with its operands in a model.
    pub(super) fn computed(
        &self,
        (op, ty, [left, right]): (OverflowOp, Type, [Value; 2]),
        model: &Model,
    ) -> String {
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let symbol = match op {
            OverflowOp::Add => "+",
            OverflowOp::Subtract => "-",
            OverflowOp::Multiply => "*",
            OverflowOp::Divide => "/",
            OverflowOp::ShiftLeft => "<<",
        };
        let left = shown(&self.encoder, left, ty, &mut values);
        let right = shown(&self.encoder, right, ty, &mut values);
        let right = if right.starts_with('-') { format!("({right})") } else { right };
        format!("{left} {symbol} {right}")
    }

    /// What an access touches in a model.
    pub(super) fn accessed(&self, place: Pointer, size: Term, model: &Model) -> Option<StoryAccess> {
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let mut unsigned = |term| values.value(term).as_bits().and_then(|bits| bits.to_u128());
        let bytes = unsigned(size)?;
        let number = u32::try_from(unsigned(place.object)?).ok()?;
        let object = match number {
            0 => None,
            _ if number >= self.encoder.object_count() => return None,
            _ => {
                let object = self.encoder.object(number);
                Some(StoryObject { name: object.name.clone(), bytes: unsigned(object.size)? })
            }
        };
        let offset = values.value(place.offset).as_bits().and_then(|bits| bits.to_i128())?;
        Some(StoryAccess { object, offset, bytes })
    }
}

/// The number that is added to a term to give another one, if it is written so.
fn constant_step(terms: &logic::Terms, before: Term, after: Term) -> Option<i128> {
    let logic::Node::Binary(logic::Binary::BitAdd | logic::Binary::Add, a, b) = terms.node(after) else {
        return None;
    };
    let other = if a == before {
        b
    } else if b == before {
        a
    } else {
        return None;
    };
    let step = match terms.known(other)? {
        logic::Value::BitVector(bits) => bits.to_i128()?,
        logic::Value::Integer(number) => i128::try_from(number).ok()?,
        _ => return None,
    };
    (step != 0).then_some(step)
}
