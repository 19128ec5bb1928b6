//! Runs of programs with probes, place by place: the calls, the values of variables, and what was asked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use base::{Budget, Index, Interrupt};
use program::interpret::{
    Arguments, Head, InputValue, Inputs, Machine, Observer, Options, Pointed, Request, Run,
};
use program::{FunctionId, Program, Type, VariableId};

use crate::inputs::SeededInputs;

use super::probes::{Probe, Seen, Visible};

/// Where the first object lies when pointers are numbers, and how far objects are from each other.
const FIRST: i128 = 1 << 44;
const APART: i128 = 1 << 34;

/// A program with probes, and what they are.
pub struct Old {
    /// The program, as it is transformed.
    pub program: Program,
    /// What runs.
    pub visible: Visible,
    /// The probes.
    pub probes: Vec<Probe>,
}

/// Control is at a probe.
pub struct Event {
    /// The probe.
    pub probe: usize,
    /// The call, by its place in the list of all.
    pub call: usize,
    /// What variables of the function hold, then those of the program, then where the function's objects lie. Nothing for a
    /// variable that no statement has set yet.
    pub values: Vec<Option<i128>>,
    /// What was asked for until the next probe.
    pub asked: Vec<(String, InputValue)>,
}

/// A call of a function with a body.
pub struct Call {
    /// The function.
    pub function: FunctionId,
    /// The call in which it is made, if that calls it by name.
    pub caller: Option<usize>,
    /// Its events, in order.
    pub events: Vec<usize>,
}

/// A run.
#[derive(Default)]
pub struct Recording {
    /// What control came by.
    pub events: Vec<Event>,
    /// The calls, in the order in which they began.
    pub calls: Vec<Call>,
    /// What was asked for before the first probe.
    pub first_asked: Vec<(String, InputValue)>,
    /// The bytes of standard input that were read, and its end.
    pub bytes: Vec<Option<u8>>,
    /// How it went.
    pub run: Option<Run>,
    addresses: HashMap<u64, i128>,
}

impl Recording {
    /// Where an object of the program, or a function, lies, by its number in the run.
    pub fn known_address(&self, object: u64) -> Option<i128> {
        self.addresses.get(&object).copied()
    }

    /// Where an object lies, as a number.
    fn address(&mut self, object: u64) -> i128 {
        let next = FIRST + APART * self.addresses.len() as i128;
        *self.addresses.entry(object).or_insert(next)
    }

    /// Whether what C leaves undefined, or what addresses are, may have had a part in it.
    pub fn is_doubtful(&self) -> bool {
        let harmless = ["external function", "computed in double", "may change any memory"];
        let is_harmless = |reason: &str| harmless.iter().any(|part| reason.contains(part));
        self.run.as_ref().is_none_or(|run| {
            run.undefined.is_some()
                || run.stray.is_some()
                || run.imprecise.as_ref().is_some_and(|(reason, _)| !is_harmless(reason))
        })
    }
}

/// The room around a pointer in which its object lies, and no other.
pub fn room(pointer: Option<i128>) -> (i128, i128) {
    match pointer {
        Some(pointer) if pointer >= FIRST - APART / 2 => {
            let begin = FIRST - APART / 2 + (pointer - FIRST + APART / 2) / APART * APART;
            (begin, begin + APART - 1)
        }
        _ => (0, 1 << 40),
    }
}

struct Recorder<'p> {
    old: &'p Old,
    recording: Rc<RefCell<Recording>>,
    most: usize,
    interrupt: Interrupt,
    /// The open calls: the interpreter's number, the place in the list, and which variables are set.
    open: Vec<(u64, usize, Vec<bool>)>,
}

/// Runs a function with the inputs of a seed, up to so many events.
pub fn record(old: &Old, start: FunctionId, seed: u64, most: usize, options: &Options) -> Recording {
    let recording = Rc::new(RefCell::new(Recording::default()));
    // Runs number the objects of the program first, and then the functions.
    for object in 1..=old.program.objects.len() + old.program.functions.len() {
        recording.borrow_mut().address(object as u64);
    }
    let interrupt = Interrupt::default();
    let program = &old.visible.program;
    // The same for all programs: a transformed one may have other constants.
    let inputs = SeededInputs::with_constants(seed, vec![1, 2, 3, 5, 8, 16, 100]);
    let mut inputs = Logged { inputs, recording: Rc::clone(&recording) };
    let shared = Rc::clone(&recording);
    let mut recorder =
        Recorder { old, recording: shared, most, interrupt: interrupt.clone(), open: Vec::new() };
    let mut budget = Budget::steps(4_000_000).interrupted_by(interrupt);
    let machine = Machine::watched(program, options);
    let run = machine.observe(start, &arguments(program, start), &mut inputs, &mut recorder, &mut budget);
    let mut recording = recording.take();
    recording.run = Some(run);
    recording
}

/// What a function is started with.
pub fn arguments(program: &Program, start: FunctionId) -> Arguments {
    if program.functions[start].name == "main" {
        Arguments::CommandLine(vec![b"program".to_vec()])
    } else {
        Arguments::FromInputs
    }
}

impl Observer for Recorder<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        let place = (head.function(), head.block());
        let Some(&Seen::Probe(probe)) = self.old.visible.heads.get(&place) else { return };
        let mut recording = self.recording.borrow_mut();
        if recording.events.len() >= self.most {
            self.interrupt.raise();
            return;
        }
        let Some(body) = self.old.program.functions[head.function()].body() else { return };
        let depth = head.callers().len();
        self.open.truncate(depth + 1);
        if self.open.get(depth).is_none_or(|open| open.0 != head.activation()) {
            self.open.truncate(depth);
            let function = head.function();
            let calls = |caller: usize| {
                let last = recording.calls[caller].events.last()?;
                self.old.probes[recording.events[*last].probe].calls
            };
            let caller = self.open.last().map(|open| open.1);
            let caller = caller.filter(|&caller| calls(caller) == Some(function));
            let mut set = vec![false; body.variables.len()];
            body.parameters.iter().for_each(|parameter| set[parameter.index()] = true);
            self.open.push((head.activation(), recording.calls.len(), set));
            recording.calls.push(Call { function, caller, events: Vec::new() });
        }
        let Some((_, call, set)) = self.open.last_mut() else { return };
        if let Some(&last) = recording.calls[*call].events.last()
            && let Some(target) = self.old.probes[recording.events[last].probe].target
            && !target.is_global()
        {
            set[target.index()] = true;
        }
        let globals = (0..self.old.program.globals.len()).map(VariableId::global);
        let locals = body.variables.ids();
        let mut values = Vec::with_capacity(set.len() + self.old.program.globals.len() + body.locals.len());
        for variable in locals.chain(globals) {
            let is_set = variable.is_global() || set[variable.index()];
            let ty = self.old.program.variable(body, variable).ty;
            let value = is_set.then(|| value(head, &self.old.visible, variable, ty)).flatten();
            values.push(value.map(|value| match value {
                Held::Number(number) => number,
                Held::Pointer(object, offset) => recording.address(object) + i128::from(offset),
            }));
        }
        for local in body.locals.ids() {
            values.push(head.local(local).map(|object| recording.address(object)));
        }
        let (call, event) = (*call, recording.events.len());
        recording.calls[call].events.push(event);
        recording.events.push(Event { probe, call, values, asked: Vec::new() });
    }
}

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// A number; of a floating point number its bits, of a pointer to no object the address.
    Number(i128),
    /// A pointer: an object of the run, and so many bytes from its start.
    Pointer(u64, i64),
}

/// What a variable of the function or of the program holds.
pub fn value(head: &Head<'_, '_>, visible: &Visible, variable: VariableId, ty: Type) -> Option<Held> {
    match ty {
        Type::Bool | Type::Integer(_) => head.number(variable, ty).map(Held::Number),
        Type::Pointer => head.pointer(variable).map(|pointed| match pointed {
            Pointed::Address(address) => Held::Number(address.into()),
            Pointed::Object(object, offset) => Held::Pointer(object, offset),
        }),
        Type::Float(format) => {
            let shadow = *visible.shadows.get(&(head.function(), variable))?;
            let ty = Type::unsigned(u8::try_from(format.bits()).unwrap_or(128));
            head.number(shadow, ty).map(Held::Number)
        }
    }
}

/// Inputs of which a log is kept.
struct Logged {
    inputs: SeededInputs,
    recording: Rc<RefCell<Recording>>,
}

impl Inputs for Logged {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let value = self.inputs.value(request);
        let mut recording = self.recording.borrow_mut();
        let recording = &mut *recording;
        let asked = match recording.events.last_mut() {
            Some(event) => &mut event.asked,
            None => &mut recording.first_asked,
        };
        asked.push((request.name.to_owned(), value));
        value
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.inputs.byte();
        self.recording.borrow_mut().bytes.push(byte);
        byte
    }
}
