//! Looking on at memory: where pointers point and what objects hold while control is at the head of a loop.

use base::{Index, Location};

use super::memory::{Kind, Object};
use super::observe::Head;
use super::value::{Handle, Slot};
use crate::expression::VariableId;
use crate::function::LocalId;
use crate::program::{FunctionId, ObjectId};

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointed {
    /// To no object: the address.
    Address(u64),
    /// So many bytes behind the start of an object. Numbers of objects mean nothing but equality.
    Object(u64, i64),
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ObjectKind {
    /// An object of the program.
    Global(ObjectId),
    /// An object of a call of a function.
    Local(FunctionId, LocalId),
    /// From `malloc` and its kin, at this place.
    Heap(Location),
    /// From `alloca`, at this place.
    Alloca(Location),
    /// Anything else.
    Other,
}

/// An object that is alive.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a> {
    /// Its number.
    pub number: u64,
    /// What it is.
    pub kind: ObjectKind,
    /// What it holds.
    pub bytes: &'a [u8],
    written: &'a [u8],
}

impl ObjectView<'_> {
    /// Whether somebody has written a byte.
    pub fn is_written(&self, offset: usize) -> bool {
        self.written.is_empty() || self.written.get(offset).is_some_and(|&written| written != 0)
    }
}

impl Head<'_, '_> {
    /// Where a pointer of the function or of the program points.
    pub fn pointer(&self, variable: VariableId) -> Option<Pointed> {
        self.slot(variable).map(pointed)
    }

    /// Where a pointer with this address in memory points.
    pub fn at_address(&self, address: u64) -> Pointed {
        pointed(self.execution.memory.resolve(address))
    }

    /// The number of a local object of the function.
    pub fn local(&self, local: LocalId) -> Option<u64> {
        self.frame().locals.get(local.index()).map(|handle| handle.0)
    }

    /// All objects that are alive and hold something.
    pub fn objects(&self) -> impl Iterator<Item = ObjectView<'_>> {
        let objects = &self.execution.memory.objects;
        objects
            .iter()
            .enumerate()
            .filter(|(_, object)| object.is_alive())
            .map(|(index, object)| view(index, object))
    }
}

fn pointed(slot: Slot) -> Pointed {
    match slot.handle() {
        Handle::NONE => Pointed::Address(slot.low),
        handle => Pointed::Object(handle.0, slot.offset()),
    }
}

fn view(index: usize, object: &Object) -> ObjectView<'_> {
    let kind = match object.kind {
        Kind::Global(object) => ObjectKind::Global(object),
        Kind::Local(function, local) => ObjectKind::Local(function, local),
        Kind::Heap(location) => ObjectKind::Heap(location),
        Kind::Alloca(location) => ObjectKind::Alloca(location),
        _ => ObjectKind::Other,
    };
    let number = Handle::new(index, object.generation).0;
    ObjectView { number, kind, bytes: &object.bytes, written: &object.written }
}
