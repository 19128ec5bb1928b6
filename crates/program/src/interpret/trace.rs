//! What a run did, step by step, in the names of the source: on demand, for people.
//!
//! A body that is compiled with [`super::Options::trace`] has extra operations after the statements that a reader of
//! the source would follow: assignments to its variables, stores, calls, loop heads. While the program runs, a step
//! is kept as it is; words are made of it when the run is over.
//!
//! Known imprecision: memory that has no name of its own (from `malloc`, say) is named by the pointer that the source
//! uses, as an array of what is stored there; the members of a struct in it are so many bytes from its start.

use std::collections::VecDeque;

use base::Location;

use super::code::{Register, TracePoint};
use super::inputs::InputValue;
use super::machine::{Execution, Step};
use super::memory::Kind;
use super::value::Slot;
use crate::expression::VariableId;
use crate::function::{BlockId, FieldName, LoopKind};
use crate::program::FunctionId;
use crate::types::Type;

/// How many steps are kept from the start of a run, and how many from its end.
const FIRST: usize = 200;
const LAST: usize = 800;

/// The steps of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// The steps, in order: the first ones and the last ones.
    pub steps: Vec<TraceStep>,
    /// How many steps are left out in the middle.
    pub omitted: u64,
    /// After how many of the steps they are left out.
    pub omitted_after: usize,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceStep {
    /// The function in which it happens.
    pub function: FunctionId,
    /// How many calls are active, that of the function included.
    pub depth: usize,
    /// Where it happens.
    pub location: Location,
    /// What happens.
    pub event: TraceEvent,
}

/// What happens in a step. Values are written for people.
#[derive(Clone, PartialEq, Debug)]
pub enum TraceEvent {
    /// The function is entered with these parameters, by name. The location is that of the call.
    Enter {
        /// The name and the value of each parameter.
        arguments: Vec<(String, String)>,
    },
    /// The function returns.
    Return {
        /// Its result.
        value: Option<String>,
    },
    /// A variable gets a value.
    Assign {
        /// Its name.
        name: String,
        /// Its new value.
        value: String,
    },
    /// Memory is written.
    Store {
        /// What is written: `buffer[3]`, `*p`, `point.x`.
        name: String,
        /// The new value, or where it is copied from.
        value: String,
    },
    /// A value comes from outside.
    Input {
        /// Who asks.
        name: String,
        /// The type of the value.
        ty: Type,
        /// What comes.
        value: InputValue,
    },
    /// A function without a body is called.
    Call {
        /// Its name.
        name: String,
        /// What it gets.
        arguments: Vec<String>,
    },
    /// Control comes to the head of a loop. The location is that of the loop.
    Pass {
        /// What makes the loop, if it is a statement of the source.
        kind: Option<LoopKind>,
        /// How often it has come there since the loop was entered, this time included.
        number: u64,
    },
    /// A loop is left. The location is that of the loop.
    Leave {
        /// What makes the loop, if it is a statement of the source.
        kind: Option<LoopKind>,
        /// How often control came to its head.
        passes: u64,
    },
}

/// A step as it is kept while the program runs.
#[derive(Clone, Debug)]
struct Kept {
    function: FunctionId,
    depth: usize,
    location: Location,
    event: KeptEvent,
}

#[derive(Clone, Debug)]
enum KeptEvent {
    Enter(Vec<Slot>),
    Return(Option<Slot>),
    Assign(VariableId, Slot),
    Store { place: Place, ty: Type, value: Slot },
    Copy { to: Place, from: Slot },
    Fill { to: Place, byte: u8 },
    Input { name: String, ty: Type, value: InputValue },
    Call { function: FunctionId, arguments: Vec<(Type, Slot)> },
    Pass { head: BlockId, number: u64 },
    Leave { head: BlockId, passes: u64 },
}

/// A piece of memory that is written.
#[derive(Clone, Copy, Debug)]
struct Place {
    pointer: Slot,
    size: u64,
    /// The pointer of the source that it is reached through, and how far from it in bytes.
    through: Option<(VariableId, i64)>,
    /// Whether that distance is always the same.
    fixed: bool,
}

/// Keeps the steps of a run.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    first: Vec<Kept>,
    last: VecDeque<Kept>,
    omitted: u64,
    /// For each active call the loops that it is in, by their heads, and how often control came there.
    loops: Vec<Vec<(BlockId, u64)>>,
}

impl Tracer {
    fn push(&mut self, step: Kept) {
        if self.first.len() < FIRST {
            self.first.push(step);
            return;
        }
        if self.last.len() == LAST {
            self.last.pop_front();
            self.omitted += 1;
        }
        self.last.push_back(step);
    }

    /// Counts a pass through a loop of the innermost call.
    fn pass(&mut self, head: BlockId) -> u64 {
        let Some(loops) = self.loops.last_mut() else { return 1 };
        match loops.iter_mut().find(|(block, _)| *block == head) {
            Some((_, passes)) => {
                *passes += 1;
                *passes
            }
            None => {
                loops.push((head, 1));
                1
            }
        }
    }

    /// Forgets a loop of the innermost call, and says how many passes it had if it was active.
    fn leave(&mut self, head: BlockId) -> Option<u64> {
        let loops = self.loops.last_mut()?;
        let position = loops.iter().position(|(block, _)| *block == head)?;
        Some(loops.remove(position).1)
    }
}

/// Keeping steps.
impl Execution<'_> {
    /// A point of the code that was made for the trace.
    pub fn trace(&mut self, point: u32) -> Step<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let point = frame.code.points[point as usize];
        let Some(mut tracer) = self.tracer.take() else { return Ok(()) };
        if let Some((location, event)) = self.kept_event(&mut tracer, point) {
            let (function, depth) = (frame.code.function, self.frames.len());
            tracer.push(Kept { function, depth, location, event });
        }
        self.tracer = Some(tracer);
        Ok(())
    }

    fn kept_event(&self, tracer: &mut Tracer, point: TracePoint) -> Option<(Location, KeptEvent)> {
        let mut location = self.location();
        let event = match point {
            TracePoint::Enter => {
                tracer.loops.truncate(self.frames.len() - 1);
                tracer.loops.resize_with(self.frames.len(), Vec::new);
                location = self.calling_location();
                let parameters = &self.body()?.parameters;
                KeptEvent::Enter(parameters.iter().map(|&parameter| self.variable_slot(parameter)).collect())
            }
            TracePoint::Return { value } => KeptEvent::Return(value.map(|value| self.register(value))),
            TracePoint::Assign { variable, from } => KeptEvent::Assign(variable, self.register(from)),
            TracePoint::Store { pointer, through, fixed, value, ty } => {
                let size = ty.bytes(self.program.data_model);
                let place = self.written(pointer, through, fixed, size);
                KeptEvent::Store { place, ty, value: self.register(value) }
            }
            TracePoint::Copy { destination, source, size } => {
                let to = self.written(destination, None, true, self.register(size).low);
                KeptEvent::Copy { to, from: self.register(source) }
            }
            TracePoint::Fill { destination, byte, size } => {
                let to = self.written(destination, None, true, self.register(size).low);
                KeptEvent::Fill { to, byte: self.register(byte).low as u8 }
            }
            TracePoint::Call { site } => {
                let site = &self.frames.last()?.code.calls[site as usize];
                let function = match site.callee {
                    super::code::CallTarget::Function(function) => function,
                    super::code::CallTarget::Pointer(pointer) => {
                        match self.memory.object(self.register(pointer).handle())?.kind {
                            Kind::Function(function) => function,
                            _ => return None,
                        }
                    }
                };
                if self.program.functions[function].body().is_some() {
                    return None;
                }
                let arguments =
                    site.arguments.iter().map(|&(ty, register)| (ty, self.register(register))).collect();
                KeptEvent::Call { function, arguments }
            }
            TracePoint::Pass { head } => KeptEvent::Pass { head, number: tracer.pass(head) },
            TracePoint::Leave { head } => KeptEvent::Leave { head, passes: tracer.leave(head)? },
        };
        Some((location, event))
    }

    /// A piece of memory that the current statement writes.
    fn written(&self, pointer: Register, through: Option<VariableId>, fixed: bool, size: u64) -> Place {
        let pointer = self.register(pointer);
        let through = through.and_then(|variable| {
            let start = self.variable_slot(variable);
            (start.handle() == pointer.handle())
                .then(|| (variable, pointer.offset().wrapping_sub(start.offset())))
        });
        Place { pointer, size, through, fixed }
    }

    /// Where the innermost function was called.
    fn calling_location(&self) -> Location {
        let caller = self.frames.len().checked_sub(2).map(|caller| &self.frames[caller]);
        caller.map_or_else(Location::unknown, |caller| self.location_in(caller, caller.pc))
    }

    /// A value came from outside.
    pub fn trace_input(&mut self, name: &str, ty: Type, value: InputValue) {
        let location = self.location();
        let (function, depth) =
            (self.frames.last().map(|frame| frame.code.function), self.frames.len().max(1));
        if let (Some(tracer), Some(function)) = (&mut self.tracer, function) {
            let event = KeptEvent::Input { name: name.to_owned(), ty, value };
            tracer.push(Kept { function, depth, location, event });
        }
    }
}

/// Making words of them.
impl Execution<'_> {
    /// The trace of the run, if one was asked for.
    pub fn finished_trace(&mut self) -> Option<Box<Trace>> {
        let tracer = self.tracer.take()?;
        let steps = tracer.first.iter().chain(&tracer.last).filter_map(|kept| self.told(kept)).collect();
        let omitted_after = tracer.first.len();
        Some(Box::new(Trace { steps, omitted: tracer.omitted, omitted_after }))
    }

    fn told(&self, kept: &Kept) -> Option<TraceStep> {
        let &Kept { function, depth, mut location, .. } = kept;
        let body = self.program.functions[function].body()?;
        let mut at_loop = |head: BlockId| {
            let block = &body.blocks[head];
            location = block.loop_statement.map_or(block.location, |statement| statement.location);
            block.loop_statement.map(|statement| statement.kind)
        };
        let event = match &kept.event {
            KeptEvent::Enter(values) => {
                let named = body.parameters.iter().zip(values).map(|(&parameter, &value)| {
                    let variable = &body.variables[parameter];
                    (variable.name.clone(), self.told_value(variable.ty, value))
                });
                TraceEvent::Enter { arguments: named.collect() }
            }
            KeptEvent::Return(value) => {
                let value = self.program.functions[function].result.zip(*value);
                TraceEvent::Return { value: value.map(|(ty, value)| self.told_value(ty, value)) }
            }
            &KeptEvent::Assign(variable, value) => {
                let variable = self.program.variable(body, variable);
                TraceEvent::Assign { name: variable.name.clone(), value: self.told_value(variable.ty, value) }
            }
            KeptEvent::Store { place, ty, value } => TraceEvent::Store {
                name: self.told_place(function, place),
                value: self.told_value(*ty, *value),
            },
            KeptEvent::Copy { to, from } => {
                let value = format!("{} bytes from {}", to.size, self.told_value(Type::Pointer, *from));
                TraceEvent::Store { name: self.told_range(to), value }
            }
            KeptEvent::Fill { to, byte } => {
                TraceEvent::Store { name: self.told_range(to), value: format!("{} bytes of {byte}", to.size) }
            }
            KeptEvent::Input { name, ty, value } => {
                TraceEvent::Input { name: name.clone(), ty: *ty, value: *value }
            }
            KeptEvent::Call { function, arguments } => {
                let arguments = arguments.iter().map(|&(ty, value)| self.told_value(ty, value)).collect();
                TraceEvent::Call { name: self.program.functions[*function].name.clone(), arguments }
            }
            &KeptEvent::Pass { head, number } => TraceEvent::Pass { kind: at_loop(head), number },
            &KeptEvent::Leave { head, passes } => TraceEvent::Leave { kind: at_loop(head), passes },
        };
        Some(TraceStep { function, depth, location, event })
    }

    /// A value, and the character that it is if it is one.
    fn told_value(&self, ty: Type, value: Slot) -> String {
        let text = self.value_text(ty, value);
        match ty {
            Type::Integer(integer) if integer.width == 8 && (0x20..0x7f).contains(&value.low) => {
                format!("{text} '{}'", value.low as u8 as char)
            }
            _ => text,
        }
    }

    /// The name of a piece of memory that one value was written to.
    fn told_place(&self, function: FunctionId, place: &Place) -> String {
        if let (Some((variable, distance)), Some(body)) =
            (place.through, self.program.functions[function].body())
        {
            let name = &self.program.variable(body, variable).name;
            let size = place.size.max(1) as i64;
            return match distance {
                0 if place.fixed => format!("*{name}"),
                _ if !place.fixed && distance % size == 0 => format!("{name}[{}]", distance / size),
                _ => format!("*({name} + {distance} bytes)"),
            };
        }
        let Some(object) = self.memory.object(place.pointer.handle()) else {
            return format!("*{}", self.value_text(Type::Pointer, place.pointer));
        };
        let (name, offset) = (self.plain_name(object.kind), place.pointer.offset());
        let fields = self.fields(object.kind);
        if let Some(field) = fields.iter().find(|field| {
            field.offset as i64 == offset && field.ty.bytes(self.program.data_model) == place.size
        }) {
            return format!("{name}.{}", field.name);
        }
        let size = place.size.max(1);
        match offset {
            0 if object.size == place.size => name,
            _ if fields.is_empty() && object.size % size == 0 && offset % size as i64 == 0 => {
                format!("{}[{}]", bracketed(name), offset / size as i64)
            }
            _ => format!("byte {offset} of {name}"),
        }
    }

    /// The name of a piece of memory of any size.
    fn told_range(&self, place: &Place) -> String {
        match self.memory.object(place.pointer.handle()) {
            Some(object) if place.pointer.offset() == 0 => self.plain_name(object.kind),
            Some(object) => format!("byte {} of {}", place.pointer.offset(), self.plain_name(object.kind)),
            None => format!("*{}", self.value_text(Type::Pointer, place.pointer)),
        }
    }

    fn fields(&self, kind: Kind) -> &[FieldName] {
        match kind {
            Kind::Global(id) => &self.program.objects[id].fields,
            Kind::Local(function, id) => {
                self.program.functions[function].body().map_or(&[], |body| &body.locals[id].fields)
            }
            _ => &[],
        }
    }
}

/// A name of several words must not melt with what follows.
fn bracketed(name: String) -> String {
    if name.contains(' ') { format!("({name})") } else { name }
}
