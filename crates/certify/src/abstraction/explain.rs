//! Explains models: the counterexample of how something is violated, for people and for runs that try it.
//!
//! The counterexample is LoopFrog's leaping counterexample (section 3.5): straight pieces step by step, each loop one
//! abstract step. It need not be a run of the program: the invariants at a loop's head may allow more than its
//! iterations do. No proof rests on anything in here.

use std::rc::Rc;

use base::Location;
use encoding::{AbstractLoop, Pointer, State, Value};
use evidence::Name;
use logic::evaluate::Evaluation;
use logic::{Model, Term};
use program::{FunctionId, Origin, OverflowOp, Type, VariableId};

use super::{Abstraction, Named};
use crate::explain::{SuspectInput, TraceStep, inputs, shown};

/// An abstract counterexample.
#[derive(Clone, PartialEq, Debug)]
pub struct AbstractTrace {
    /// What happens, in order.
    pub steps: Vec<AbstractStep>,
    /// The inputs, in the order in which a run asks for them. Those in iterations that the abstraction skips are
    /// missing.
    pub inputs: Vec<SuspectInput>,
    /// The abstract loop in whose iteration it ends, if it ends in a loop.
    pub inside: Option<usize>,
    /// The access that goes wrong, if it is one.
    pub access: Option<AbstractAccess>,
    /// The operation that overflows, with its operands: `2147483647 + 1`.
    pub operation: Option<String>,
}

/// A step of an abstract counterexample.
#[derive(Clone, PartialEq, Debug)]
pub enum AbstractStep {
    /// A variable gets a value.
    Assignment(TraceStep),
    /// Control goes through an abstract loop to one of its iterations: the last one, or the one in which the
    /// counterexample ends.
    AbstractLoop {
        /// The abstract loop, by its place in the list of abstract loops.
        abstract_loop: usize,
        /// The function.
        function: FunctionId,
        /// Where the loop stands.
        location: Location,
        /// The variables that change, with their values at entry and at the head before the iteration.
        values: Vec<(Name, String, String)>,
        /// How many iterations were skipped, if a counter tells.
        iterations: Option<i128>,
    },
}

/// An access in an abstract counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractAccess {
    /// The object that it points to, if it points to one.
    pub object: Option<AbstractObject>,
    /// How many bytes behind the object's start; of a pointer to no object the address.
    pub offset: i128,
    /// How many bytes are accessed.
    pub bytes: u128,
}

/// An object in an abstract counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractObject {
    /// Its name.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u128,
}

impl Abstraction<'_> {
    /// What a model tells, up to so many events.
    pub(super) fn abstract_trace(
        &mut self,
        model: &Model,
        events: usize,
        inside: Option<usize>,
    ) -> AbstractTrace {
        let functions: Vec<FunctionId> =
            self.abstract_loops().iter().map(|abstract_loop| abstract_loop.function).collect();
        let names: Vec<_> = functions.into_iter().map(|function| self.names(function)).collect();
        let abstract_loops = Rc::new(self.abstract_loops().to_vec());
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let mut steps = Vec::new();
        let mut next = 0;
        for (place, event) in self.encoder.findings.events.iter().enumerate() {
            while next < abstract_loops.len()
                && abstract_loops[next].events <= place
                && abstract_loops[next].events <= events
            {
                steps.extend(self.abstract_step(next, &abstract_loops[next], &names[next], &mut values));
                next += 1;
            }
            if place >= events {
                break;
            }
            if values.is_true(event.happens)
                && let Some(body) = self.program.functions[event.function].body()
            {
                let variable = self.program.variable(body, event.variable);
                steps.push(AbstractStep::Assignment(TraceStep {
                    function: event.function,
                    variable: variable.name.clone(),
                    value: shown(&self.encoder, event.value, variable.ty, &mut values),
                    location: event.location,
                }));
            }
        }
        while next < abstract_loops.len() && abstract_loops[next].events <= events {
            steps.extend(self.abstract_step(next, &abstract_loops[next], &names[next], &mut values));
            next += 1;
        }
        let inputs = inputs(&self.encoder.findings.inputs, &mut values);
        AbstractTrace { steps, inputs, inside, access: None, operation: None }
    }

    fn abstract_step(
        &self,
        place: usize,
        abstract_loop: &AbstractLoop,
        names: &std::collections::BTreeMap<Name, Named>,
        values: &mut Evaluation<'_>,
    ) -> Option<AbstractStep> {
        let (entry, start) = (abstract_loop.entries.last()?, abstract_loop.starts.first()?);
        if !values.is_true(start.state.guard.term()) {
            return None;
        }
        let body = self.program.functions[abstract_loop.function].body()?;
        let mut changes = Vec::new();
        let mut iterations = None;
        for (name, named) in names {
            let Named::Variable(variable) = *named else { continue };
            let description = self.program.variable(body, variable);
            if !abstract_loop.changed.variables.contains(&variable) || description.origin == Origin::Temporary
            {
                continue;
            }
            let before = shown(&self.encoder, entry.variable(variable), description.ty, values);
            let after = shown(&self.encoder, start.state.variable(variable), description.ty, values);
            iterations =
                iterations.or_else(|| self.count(abstract_loop, entry, variable, description.ty, values));
            changes.push((name.clone(), before, after));
        }
        Some(AbstractStep::AbstractLoop {
            abstract_loop: place,
            function: abstract_loop.function,
            location: abstract_loop.location,
            values: changes,
            iterations,
        })
    }

    /// How many iterations a variable counts: it changes by one and the same number in each.
    fn count(
        &self,
        abstract_loop: &AbstractLoop,
        entry: &State,
        variable: VariableId,
        ty: Type,
        values: &mut Evaluation<'_>,
    ) -> Option<i128> {
        let Type::Integer(_) = ty else { return None };
        let (again, start) = (abstract_loop.again.as_ref()?, abstract_loop.starts.last()?);
        let (Value::Scalar(after), Value::Scalar(before), Value::Scalar(first), Value::Scalar(now)) = (
            again.variable(variable),
            start.state.variable(variable),
            entry.variable(variable),
            abstract_loop.starts.first()?.state.variable(variable),
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
    pub(super) fn accessed(&self, place: Pointer, size: Term, model: &Model) -> Option<AbstractAccess> {
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let mut unsigned = |term| values.value(term).as_bits().and_then(|bits| bits.to_u128());
        let bytes = unsigned(size)?;
        let number = u32::try_from(unsigned(place.object)?).ok()?;
        let object = match number {
            0 => None,
            _ if number >= self.encoder.object_count() => return None,
            _ => {
                let object = self.encoder.object(number);
                Some(AbstractObject { name: object.name.clone(), bytes: unsigned(object.size)? })
            }
        };
        let offset = values.value(place.offset).as_bits().and_then(|bits| bits.to_i128())?;
        Some(AbstractAccess { object, offset, bytes })
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
