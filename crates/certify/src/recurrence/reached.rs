//! A state at the head of a loop in which the interpreter was: what all variables and objects held.
//!
//! What is uninitialised, and what stands for a place outside the objects that are listed, is left out: a proof must
//! then hold whatever it is.

use std::collections::BTreeMap;

use encoding::memory::Kind;
use program::interpret::{Head, ObjectKind, ObjectView, Pointed};
use program::{BlockId, Body, FunctionId, Program, Type, VariableId};

/// Objects of more bytes are left out, and so are all others once so many bytes are listed.
const MOST_BYTES: usize = 1 << 12;

/// A state at the head of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The function of the loop.
    pub function: FunctionId,
    /// The head of the loop.
    pub head: BlockId,
    /// The numbers of variables.
    pub numbers: BTreeMap<VariableId, i128>,
    /// Where pointers point.
    pub pointers: BTreeMap<VariableId, Spot>,
    /// The objects that are alive.
    pub objects: Vec<Stored>,
    /// For each local object of the function its place among them, if it is alive.
    pub locals: Vec<Option<usize>>,
}

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// Nowhere: the null pointer.
    Null,
    /// So many bytes behind the start of an object, by its place among those of the state.
    In(usize, i64),
}

/// An object that is alive.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    /// What it is.
    pub kind: Kind,
    /// Its bytes, as far as somebody has written them.
    pub bytes: Vec<Option<u8>>,
    /// The pointers in it, by the offset of their first byte. Nothing for one that points somewhere else.
    pub pointers: BTreeMap<u64, Option<Spot>>,
}

impl Reached {
    /// Whether the head is the entry of the function, to which no jump leads: then it is calls that come back to it.
    pub fn is_call(&self, body: &Body) -> bool {
        let leads_back = |block: &program::Block| block.terminator.successors().any(|to| to == self.head);
        self.head == body.entry() && !body.blocks.values().any(leads_back)
    }

    /// The state in which a run is.
    pub fn of(program: &Program, head: &Head<'_, '_>) -> Option<Self> {
        let body = program.functions[head.function()].body()?;
        let views: Vec<(Kind, ObjectView<'_>)> = listed(head);
        let place = |number: u64| views.iter().position(|(_, view)| view.number == number);
        let spot = |pointed: Pointed| match pointed {
            // What other addresses lead to is not known.
            Pointed::Address(address) => (address == 0).then_some(Spot::Null),
            Pointed::Object(number, offset) => Some(Spot::In(place(number)?, offset)),
        };
        let mut state = Self {
            function: head.function(),
            head: head.block(),
            numbers: BTreeMap::new(),
            pointers: BTreeMap::new(),
            objects: Vec::new(),
            locals: Vec::new(),
        };
        let globals = (0..program.globals.len()).map(VariableId::global);
        for variable in body.variables.ids().chain(globals).filter(|variable| head.is_assigned(*variable)) {
            match program.variable(body, variable).ty {
                Type::Pointer => {
                    let pointed = head.pointer(variable).and_then(spot);
                    state.pointers.extend(pointed.map(|spot| (variable, spot)));
                }
                Type::Float(_) => {}
                ty => state.numbers.extend(head.number(variable, ty).map(|number| (variable, number))),
            }
        }
        for (kind, view) in &views {
            state.objects.push(stored(program, *kind, view, &|address| match head.at_address(address) {
                Pointed::Address(_) => None,
                pointed => Some(spot(pointed)),
            }));
        }
        state.locals = body.locals.ids().map(|local| head.local(local).and_then(place)).collect();
        Some(state)
    }
}

/// The objects that are small enough and of a kind that an encoding knows.
fn listed<'h>(head: &'h Head<'_, '_>) -> Vec<(Kind, ObjectView<'h>)> {
    let mut left = MOST_BYTES;
    let mut views = Vec::new();
    for view in head.objects() {
        let kind = match view.kind {
            ObjectKind::Global(object) => Kind::Global(object),
            ObjectKind::Local(function, local) => Kind::Local(function, local),
            ObjectKind::Heap(location) => Kind::Heap(location),
            ObjectKind::Alloca(location) => Kind::Alloca(location),
            ObjectKind::Other => continue,
        };
        if view.bytes.len() <= left {
            left -= view.bytes.len();
            views.push((kind, view));
        }
    }
    views
}

/// What an object holds. A word that is the address of an object is a pointer to it.
fn stored(
    program: &Program,
    kind: Kind,
    view: &ObjectView<'_>,
    resolve: &dyn Fn(u64) -> Option<Option<Spot>>,
) -> Stored {
    let byte = |(offset, &byte): (usize, &u8)| view.is_written(offset).then_some(byte);
    let bytes: Vec<Option<u8>> = view.bytes.iter().enumerate().map(byte).collect();
    let width = program.data_model.pointer_bytes() as usize;
    let mut pointers = BTreeMap::new();
    for (offset, word) in view.bytes.windows(width).enumerate() {
        let address = word.iter().rev().fold(0, |address, &byte| address << 8 | u64::from(byte));
        if let Some(spot) = resolve(address) {
            pointers.insert(offset as u64, spot.filter(|_| offset.is_multiple_of(width)));
        }
    }
    Stored { kind, bytes, pointers }
}
