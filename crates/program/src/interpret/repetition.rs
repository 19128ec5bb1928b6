//! Finds out that a run goes on for ever: the complete state at the head of a loop came back.
//!
//! Brent's method on the sequence of states at loop heads: one earlier state is kept and compared with each later
//! one; at growing distances the kept state is replaced by the current one. What is compared first is what made
//! the last comparison fail, so a loop that makes progress costs next to nothing.
//!
//! Inputs between the two states do not matter, for the environment may give the same ones again; bytes of
//! standard input do, unless it is at its end. States in which a different number of heap objects were ever made
//! are never equal, so that no renaming of objects is needed. After a guess or undefined behaviour nothing is
//! claimed, nor for a program whose memory is larger than [`LIMIT`].

use super::api::{Outcome, Repetition};
use super::library::Library;
use super::machine::{ArgumentList, Execution, Step};
use super::memory::Object;
use super::value::{Handle, Slot};
use crate::program::FunctionId;
use crate::types::Type;

/// States of more bytes than this are not examined.
const LIMIT: u64 = 16 << 20;

/// Looks for states that come back.
#[derive(Debug, Default)]
pub(super) struct Detector {
    visits: u64,
    /// The visit at which the kept state is replaced.
    next: u64,
    kept: Option<State>,
    /// What differed last: a slot of the stack, a global variable, a byte of an object.
    differing_slot: usize,
    differing_global: usize,
    differing_byte: (usize, usize),
}

/// A complete state.
#[derive(Debug)]
struct State {
    step: u64,
    /// How many inputs came before.
    inputs: usize,
    pc: usize,
    frames: Vec<FrameState>,
    stack: Vec<Slot>,
    globals: Vec<Slot>,
    global_known: Vec<bool>,
    objects: Vec<ObjectState>,
    allocations: u64,
    lists: Vec<Option<ArgumentList>>,
    library: Library,
    callbacks: u64,
}

#[derive(PartialEq, Debug)]
struct FrameState {
    function: FunctionId,
    pc: usize,
    base: usize,
    locals: Vec<Handle>,
    variadic: Vec<(Type, Slot)>,
    allocated: Vec<Handle>,
}

#[derive(Debug)]
struct ObjectState {
    alive: bool,
    bytes: Vec<u8>,
    written: Vec<u8>,
}

impl Execution<'_> {
    /// Control is at the head of a loop.
    pub fn visit_head(&mut self) -> Step<()> {
        self.show_head();
        let Some(mut detector) = self.detector.take() else { return Ok(()) };
        detector.visits += 1;
        let found = self.undefined.is_none() && self.imprecise.is_none() && detector.matches(self);
        if found && let (Some(kept), Some(frame)) = (&detector.kept, self.frames.last()) {
            return Err(Box::new(Outcome::Repeats(Repetition {
                location: self.location(),
                function: frame.code.function,
                period_steps: self.steps() - kept.step,
                first_step: kept.step,
                first_inputs: kept.inputs,
            })));
        }
        if detector.visits >= detector.next {
            detector.keep(self);
        }
        self.detector = Some(detector);
        Ok(())
    }
}

impl Detector {
    /// Keeps the current state, unless it is too large or the kept one is too young for its size.
    fn keep(&mut self, execution: &Execution<'_>) {
        let size = execution.memory.in_use() + 16 * execution.stack.len() as u64;
        let step = execution.steps();
        let age = self.kept.as_ref().map_or(u64::MAX, |kept| step - kept.step);
        if size > LIMIT {
            self.next = self.visits + 64;
            return;
        }
        // It is asked again at the next visit: the sooner a state is kept, the shorter the way to it that people read.
        if age < size / 16 {
            return;
        }
        self.next = self.visits * 2;
        self.kept = Some(State::of(execution, step));
    }

    /// Whether the current state is the kept one.
    fn matches(&mut self, execution: &Execution<'_>) -> bool {
        let Some(kept) = &self.kept else { return false };
        let Some(frame) = execution.frames.last() else { return false };
        let same_place = kept.pc == execution.pc
            && kept.frames.len() == execution.frames.len()
            && kept.frames.last().is_some_and(|last| last.function == frame.code.function)
            && kept.stack.len() == execution.stack.len();
        if !same_place
            || kept.stack.get(self.differing_slot) != execution.stack.get(self.differing_slot)
            || kept.globals.get(self.differing_global) != execution.globals.get(self.differing_global)
            || kept.byte(self.differing_byte) != byte_of(execution, self.differing_byte)
        {
            return false;
        }
        if let Some(slot) = kept.differing_variable(execution) {
            self.differing_slot = slot;
            return false;
        }
        if let Some(global) =
            (0..kept.globals.len()).find(|&global| kept.globals[global] != execution.globals[global])
        {
            self.differing_global = global;
            return false;
        }
        if !kept.same_control(execution) {
            return false;
        }
        match kept.differing_byte(execution) {
            Some(byte) => {
                self.differing_byte = byte;
                false
            }
            None => true,
        }
    }
}

/// A byte as the comparison sees it: nothing where no byte is alive and written.
fn byte_of(execution: &Execution<'_>, (object, offset): (usize, usize)) -> Option<u8> {
    let object = execution.memory.objects.get(object).filter(|object| counts(object))?;
    written_byte(&object.bytes, &object.written, offset)
}

fn written_byte(bytes: &[u8], written: &[u8], offset: usize) -> Option<u8> {
    (written.is_empty() || written.get(offset).is_some_and(|&written| written != 0))
        .then(|| bytes.get(offset).copied())
        .flatten()
}

/// Whether the bytes of an object can change.
fn counts(object: &Object) -> bool {
    object.is_alive() && (object.writable || object.unknown)
}

impl State {
    fn of(execution: &Execution<'_>, step: u64) -> Self {
        let state_of = |object: &Object| {
            let (bytes, written) = if counts(object) {
                (object.bytes.clone(), object.written.clone())
            } else {
                Default::default()
            };
            ObjectState { alive: object.is_alive(), bytes, written }
        };
        Self {
            step,
            inputs: execution.records().len(),
            pc: execution.pc,
            frames: execution.frames.iter().map(FrameState::of).collect(),
            stack: execution.stack.clone(),
            globals: execution.globals.clone(),
            global_known: execution.global_known.clone(),
            objects: execution.memory.objects.iter().map(state_of).collect(),
            allocations: execution.memory.allocations,
            lists: execution.lists.clone(),
            library: execution.library.clone(),
            callbacks: execution.callbacks,
        }
    }

    fn byte(&self, (object, offset): (usize, usize)) -> Option<u8> {
        let object = self.objects.get(object)?;
        written_byte(&object.bytes, &object.written, offset)
    }

    /// A variable, or the flag of one, that is not the same. Scratch registers hold nothing between statements.
    fn differing_variable(&self, execution: &Execution<'_>) -> Option<usize> {
        execution.frames.iter().rev().find_map(|frame| {
            let first = frame.base + frame.code.first_variable as usize;
            let end = frame.base + frame.code.first_scratch as usize;
            (first..end).find(|&slot| self.stack[slot] != execution.stack[slot])
        })
    }

    /// Whether the frames and everything outside variables and memory are the same.
    fn same_control(&self, execution: &Execution<'_>) -> bool {
        let last = self.frames.len().saturating_sub(1);
        let same_frames =
            self.frames.iter().zip(&execution.frames).enumerate().all(|(number, (kept, frame))| {
                let current = FrameState::of(frame);
                *kept == FrameState { pc: if number == last { kept.pc } else { current.pc }, ..current }
            });
        same_frames
            && self.allocations == execution.memory.allocations
            && self.callbacks == execution.callbacks
            && self.objects.len() == execution.memory.objects.len()
            && self.global_known == execution.global_known
            && self.lists == execution.lists
            && self.library == execution.library
    }

    /// A byte of memory that is not the same.
    fn differing_byte(&self, execution: &Execution<'_>) -> Option<(usize, usize)> {
        self.objects.iter().zip(&execution.memory.objects).enumerate().find_map(|(index, (kept, object))| {
            if kept.alive != object.is_alive() {
                return Some((index, 0));
            }
            if !counts(object) || (kept.bytes == object.bytes && kept.written == object.written) {
                return None;
            }
            let same_byte = |&offset: &usize| {
                written_byte(&kept.bytes, &kept.written, offset)
                    == written_byte(&object.bytes, &object.written, offset)
            };
            (0..object.bytes.len().max(kept.bytes.len()))
                .find(|offset| !same_byte(offset))
                .map(|offset| (index, offset))
        })
    }
}

impl FrameState {
    fn of(frame: &super::machine::Frame<'_>) -> Self {
        Self {
            function: frame.code.function,
            pc: frame.pc,
            base: frame.base,
            locals: frame.locals.clone(),
            variadic: frame.variadic.clone(),
            allocated: frame.allocated.clone(),
        }
    }
}
