//! Replays: a run of a new program that is given, wherever it asks, what an old run had there.
//!
//! A path is a list of events of the old run: those of one call, or those of a chain of calls, each up to where the next is
//! made. The new program must come by the same probes with the same values. What it asks for tells which of its variables
//! is meant, since inputs are named after them here:
//!
//! | the new program asks for          | it gets                                                           |
//! |-----------------------------------|-------------------------------------------------------------------|
//! | a variable of the old program     | what that holds at the next event                                 |
//! | a cell                            | what the old run loads next at a load that became one of the cell |
//! | where the object of a pointer is  | room around where the pointer points at the next event            |
//! | the address of an object          | where the object lies                                             |
//! | a choice of a call                | whether the path goes on in the call                              |
//! | anything else by a name           | what the old run got under that name                              |

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use base::{Budget, Index, Interrupt};
use program::interpret::{Arguments, Head, InputValue, Inputs, Machine, Observer, Request};
use program::{FunctionId, Type, VariableId};

use super::new::{Meaning, NewProgram, Pointers, old_name};
use super::probes::Seen;
use super::record::{Held, Recording, arguments, room, value};

/// What a replay has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// How many places were compared.
    pub places: usize,
    /// How many values.
    pub values: usize,
    /// How many values were given to the new run.
    pub given: usize,
    /// How often control came by a sign.
    pub signs: usize,
}

/// Runs the new program along a path. Nothing if it asks for an unknown value.
///
/// # Errors
/// What it does otherwise.
pub fn replay(
    new: &NewProgram<'_>,
    machine: &Machine<'_>,
    recording: &Recording,
    path: &[usize],
) -> Result<Option<Replayed>, String> {
    let interrupt = Interrupt::default();
    let mut loads = Vec::new();
    for (place, &event) in path.iter().enumerate() {
        let cells = new.cells.get(&recording.events[event].probe);
        loads.extend(cells.into_iter().flatten().map(|&cell| (place, cell)));
    }
    let state = State {
        new,
        recording,
        path,
        loads,
        next: 0,
        taken: HashSet::new(),
        bytes: 0,
        objects: BTreeMap::new(),
        shown: Replayed::default(),
        wrong: None,
        is_lost: false,
        interrupt: interrupt.clone(),
    };
    let state = Rc::new(RefCell::new(state));
    let (mut inputs, mut observer) = (Answers(Rc::clone(&state)), Watcher(Rc::clone(&state)));
    let arguments = match new.pointers {
        Pointers::Numbers => Arguments::FromInputs,
        Pointers::Objects => arguments(&new.old.program, new.entry),
    };
    let mut budget = Budget::steps(4_000_000).interrupted_by(interrupt);
    let run = machine.observe(new.entry, &arguments, &mut inputs, &mut observer, &mut budget);
    let state = state.borrow();
    if state.is_lost {
        return Ok(None);
    }
    if let Some(wrong) = &state.wrong {
        return Err(wrong.clone());
    }
    if state.next < path.len() {
        let place = state.place_text(state.next);
        let outcome = crate::interpretation::outcome(&new.visible.program, &run);
        return Err(format!("the new run ends before {place}: {outcome}"));
    }
    Ok(Some(state.shown))
}

/// How far a replay has come.
struct State<'a> {
    new: &'a NewProgram<'a>,
    recording: &'a Recording,
    path: &'a [usize],
    /// The loads of cells on the path.
    loads: Vec<(usize, VariableId)>,
    /// The next event on the path.
    next: usize,
    /// What the new run got of what the old run asked for.
    taken: HashSet<(Option<usize>, usize)>,
    bytes: usize,
    /// Where the new run's objects lie in the old one.
    objects: BTreeMap<u64, i128>,
    shown: Replayed,
    wrong: Option<String>,
    is_lost: bool,
    interrupt: Interrupt,
}

impl State<'_> {
    fn function(&self, place: usize) -> FunctionId {
        self.new.old.probes[self.recording.events[self.path[place]].probe].function
    }

    fn place_text(&self, place: usize) -> String {
        let probe = &self.new.old.probes[self.recording.events[self.path[place]].probe];
        let name = &self.new.old.program.functions[probe.function].name;
        format!(
            "event {place} of {} (probe {} in {} of {name})",
            self.path.len(),
            self.recording.events[self.path[place]].probe,
            probe.block
        )
    }

    fn is_over(&self) -> bool {
        self.next >= self.path.len() || self.wrong.is_some() || self.is_lost
    }

    /// What a variable of an old function holds at a place of the path.
    fn held(&self, place: usize, function: FunctionId, variable: usize) -> Option<i128> {
        let event = self.path.get(place).map(|&event| &self.recording.events[event])?;
        (self.function(place) == function).then(|| event.values.get(variable).copied().flatten()).flatten()
    }

    /// What a variable of the program holds at a place of the path.
    fn global(&self, place: usize, global: usize) -> Option<i128> {
        let event = self.path.get(place).map(|&event| &self.recording.events[event])?;
        let body = self.new.old.program.functions[self.function(place)].body()?;
        event.values.get(body.variables.len() + global).copied().flatten()
    }

    /// The same at the first place from there on at which it is known.
    fn global_from(&self, place: usize, global: usize) -> Option<i128> {
        (place..self.path.len()).find_map(|place| self.global(place, global))
    }

    /// What the old run got when it asked for something by a name until the next event. Each is used once.
    fn logged(&mut self, name: &str, place: Option<usize>) -> Option<InputValue> {
        let event = place.map(|place| self.path[place]);
        let asked = match event {
            Some(event) => &self.recording.events[event].asked,
            None => &self.recording.first_asked,
        };
        let found = asked.iter().enumerate();
        let (number, (_, value)) = { found }
            .find(|(number, (other, _))| other == name && !self.taken.contains(&(event, *number)))?;
        self.taken.insert((event, number));
        Some(*value)
    }

    /// A variable of a function that no statement has set: it may be asked for later on.
    fn asked_later(&self, function: FunctionId, variable: usize) -> Option<InputValue> {
        let name = format!("uninitialised v{}.{variable}", function.index());
        let events = self.path.get(self.next..)?.iter().map(|&event| &self.recording.events[event]);
        events.flat_map(|event| &event.asked).find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    fn address(&self, name: &str) -> i128 {
        let program = &self.new.old.program;
        if let Some(number) = name.strip_prefix('l').and_then(|name| name.split_once('.')) {
            let place = self.next.min(self.path.len() - 1);
            let function = self.function(place);
            let own = number.0.parse() == Ok(function.index());
            let variables = program.functions[function].body().map_or(0, |body| body.variables.len());
            if let (true, Ok(local)) = (own, number.1.parse::<usize>()) {
                let values = &self.recording.events[self.path[place]].values;
                return values.get(variables + program.globals.len() + local).copied().flatten().unwrap_or(1);
            }
        }
        let object = program.objects.iter().find(|(_, object)| object.name == name).map(|(id, _)| id.index());
        let function = || Some(program.objects.len() + program.function_named(name)?.index());
        // Numbers of objects in a run: those of the program come first, then the functions.
        object.or_else(function).and_then(|place| self.recording.known_address(1 + place as u64)).unwrap_or(1)
    }

    /// Whether the path goes on in the call that is made now.
    fn goes_on_in_call(&self) -> bool {
        let call = |place: usize| self.path.get(place).map(|&event| self.recording.events[event].call);
        self.next > 0 && call(self.next).is_some() && call(self.next) != call(self.next - 1)
    }

    fn answer(&mut self, request: &Request<'_>) -> Option<InputValue> {
        let has_memory = self.new.pointers == Pointers::Objects;
        let number = |value: Option<i128>| {
            let value = value.unwrap_or(0);
            match request.ty {
                Type::Float(_) => Some(InputValue::Float(value as u128)),
                // Inputs never lead to objects.
                Type::Pointer if has_memory && value != 0 => None,
                _ => Some(InputValue::Integer(value)),
            }
        };
        let before = self.next.checked_sub(1);
        if let Some(global) = request.name.strip_prefix("?g") {
            return number(self.global_from(self.next, global.parse().ok()?));
        }
        if let Some(variable) = request.name.strip_prefix('?') {
            let variable: usize = variable.parse().ok()?;
            return match self.new.meanings[variable].clone() {
                Meaning::Old(function, old) => match self.held(self.next, function, old) {
                    None => self.asked_later(function, old).or_else(|| number(None)),
                    value => number(value),
                },
                Meaning::Which => number(Some(self.new.which)),
                Meaning::Cell => {
                    let cell: VariableId = Index::new(variable);
                    let load = self.loads.iter().find(|load| load.0 >= self.next && load.1 == cell);
                    let load = load.map(|load| load.0);
                    number(load.and_then(|load| self.loaded(load)))
                }
                Meaning::Room(function, old, is_begin) => {
                    let (begin, end) = room(self.held(self.next, function, old));
                    number(Some(if is_begin { begin } else { end }))
                }
                Meaning::Address(name) => number(Some(self.address(&name))),
                Meaning::Other if request.ty == Type::Bool => number(Some(self.goes_on_in_call().into())),
                Meaning::Slot | Meaning::Other => number(None),
            };
        }
        // What was asked for before the first event was asked for by the function in which the run starts.
        let is_logged = before.is_some() || self.path.first() == Some(&0);
        if let Some(value) = self.logged(request.name, before).filter(|_| is_logged) {
            return Some(value);
        }
        if let Some((function, variable)) = request.name.strip_prefix("parameter ").and_then(old_name) {
            return number(Some(self.held(0, function, variable)?));
        }
        if let Some(name) = request.name.strip_prefix("initial ") {
            let globals = &self.new.old.program.globals;
            let global = globals.iter().position(|global| global.variable.name == name)?;
            return number(self.global_from(before.unwrap_or(0), global));
        }
        request.name.strip_prefix("uninitialised ").and_then(|_| number(None))
    }

    /// What a load gives.
    fn loaded(&self, place: usize) -> Option<i128> {
        let target = self.new.old.probes[self.recording.events[self.path[place]].probe].target?;
        match target.is_global() {
            true => self.global(place + 1, target.index()),
            false => self.held(place + 1, self.function(place), target.index()),
        }
    }

    fn fail(&mut self, message: String) {
        self.wrong.get_or_insert(message);
        self.interrupt.raise();
    }

    fn at(&mut self, head: &Head<'_, '_>) {
        if self.is_over() {
            return;
        }
        let probe = match self.new.visible.heads.get(&(head.function(), head.block())) {
            Some(Seen::Probe(probe)) => *probe,
            Some(Seen::Sign(_)) => {
                self.shown.signs += 1;
                return;
            }
            None => return,
        };
        let (event, place) = (&self.recording.events[self.path[self.next]], self.next);
        if event.probe != probe {
            let message =
                format!("the new run is at probe {probe}, the old one at {}", self.place_text(place));
            return self.fail(message);
        }
        let function = self.function(place);
        let Some(body) = self.new.old.program.functions[function].body() else { return };
        let is_first = event.call == self.recording.events[self.path[0]].call;
        let globals = self.new.old.program.globals.len();
        for (number, held) in event.values.iter().enumerate().take(body.variables.len() + globals) {
            let Some(held) = *held else { continue };
            let (old, new) = match number.checked_sub(body.variables.len()) {
                Some(global) => (VariableId::global(global), Some(VariableId::global(global))),
                None => (Index::new(number), self.new.variable(function, number, head.function(), is_first)),
            };
            let Some(new) = new else {
                return self.fail(format!("{} is missing", self.new.old.program.variable(body, old).name));
            };
            let ty = self.new.old.program.variable(body, old).ty;
            let Some(value) = value(head, &self.new.visible, new, ty) else { continue };
            self.shown.values += 1;
            if !self.is_same(held, value) {
                let name = &self.new.old.program.variable(body, old).name;
                let message = format!(
                    "{name} is {held} in the old run and {value:?} in the new one at {}",
                    self.place_text(place)
                );
                return self.fail(message);
            }
        }
        self.shown.places += 1;
        self.next += 1;
        if self.is_over() {
            self.interrupt.raise();
        }
    }

    fn is_same(&mut self, old: i128, new: Held) -> bool {
        match (new, self.new.pointers) {
            (Held::Number(number), _) => number == old,
            (Held::Pointer(..), Pointers::Numbers) => false,
            (Held::Pointer(object, offset), Pointers::Objects) => {
                let start = old - i128::from(offset);
                let is_new = !self.objects.contains_key(&object);
                if is_new && self.objects.values().any(|&other| other == start) {
                    return false;
                }
                *self.objects.entry(object).or_insert(start) == start
            }
        }
    }
}

struct Answers<'a>(Rc<RefCell<State<'a>>>);

impl Inputs for Answers<'_> {
    fn value(&mut self, request: &Request<'_>) -> InputValue {
        let mut state = self.0.borrow_mut();
        if state.is_over() {
            return InputValue::Null;
        }
        state.shown.given += 1;
        state.answer(request).unwrap_or_else(|| {
            state.is_lost = true;
            state.interrupt.raise();
            InputValue::Null
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let mut state = self.0.borrow_mut();
        let byte = state.recording.bytes.get(state.bytes).copied().flatten();
        state.bytes += 1;
        byte
    }
}

struct Watcher<'a>(Rc<RefCell<State<'a>>>);

impl Observer for Watcher<'_> {
    fn at_head(&mut self, head: &Head<'_, '_>) {
        self.0.borrow_mut().at(head);
    }
}
