//! What a run did, step by step, in the names of the source: on demand, for people.
//!
//! A body that is compiled with [`super::Options::trace`] has extra operations after the statements that a reader of
//! the source would follow: assignments to its variables, stores, calls, loop heads. While the program runs, a step
//! is kept as it is; words are made of it when the run is over.
//!
//! Known imprecision: memory that has no name of its own (from `malloc`, say) is named by the pointer that the source
//! uses, as an array of what is stored there; the members of a struct in it are so many bytes from its start. Objects
//! without a name are numbered (`heap#1`) in the order in which the steps that were kept mention them.

mod rendering;

use std::collections::VecDeque;

use base::Location;

use super::code::{CallTarget, Register, TracePoint};
use super::inputs::InputValue;
use super::machine::{Execution, Step};
use super::memory::Kind;
use super::value::Slot;
use crate::expression::VariableId;
use crate::function::{BlockId, LoopKind};
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
    Iteration {
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
        iterations: u64,
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
    Iteration { head: BlockId, number: u64 },
    Leave { head: BlockId, iterations: u64 },
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
    /// For each active call the loops that it is in, by their heads, and how often control came there. Those of calls
    /// that have returned stay until the next call takes their place.
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

    /// Counts an iteration of a loop of the call that is so deep.
    fn iteration(&mut self, depth: usize, head: BlockId) -> u64 {
        let Some(loops) = self.loops.get_mut(depth - 1) else { return 1 };
        match loops.iter_mut().find(|(block, _)| *block == head) {
            Some((_, iterations)) => {
                *iterations += 1;
                *iterations
            }
            None => {
                loops.push((head, 1));
                1
            }
        }
    }

    /// Forgets a loop of the call that is so deep, and says how many iterations it had if it was active.
    fn leave(&mut self, depth: usize, head: BlockId) -> Option<u64> {
        let loops = self.loops.get_mut(depth - 1)?;
        let position = loops.iter().position(|(block, _)| *block == head)?;
        Some(loops.remove(position).1)
    }
}

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
        let (mut location, depth) = (self.location(), self.frames.len());
        let event = match point {
            TracePoint::Enter => {
                tracer.loops.truncate(depth - 1);
                tracer.loops.resize_with(depth, Vec::new);
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
                    CallTarget::Function(function) => function,
                    CallTarget::Pointer(pointer) => {
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
            TracePoint::Iteration { head } => {
                KeptEvent::Iteration { head, number: tracer.iteration(depth, head) }
            }
            TracePoint::Leave { head } => KeptEvent::Leave { head, iterations: tracer.leave(depth, head)? },
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
