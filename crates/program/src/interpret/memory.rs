//! Memory: objects of bytes, each at an address of its own.
//!
//! Addresses exist so that a pointer survives being stored, copied byte by byte, or cast to an integer and back.
//! The address space is cut into granules, and a granule belongs to at most one object: finding the object of an
//! address is one table lookup. Objects keep a gap to both sides, so that a pointer a little outside its object is
//! still known as that object's.
//!
//! ```text
//! granules  |        |        |        |        |
//! object       [bytes........]             one object spans two granules, its base stands after the gap
//! ```
//!
//! The place of a dead heap object (with its address) is used again only after many other objects have died.

use std::collections::{BTreeMap, VecDeque};

use base::Location;

use super::value::{Handle, Slot};
use crate::function::LocalId;
use crate::program::{FunctionId, ObjectId};
use crate::types::{DataModel, Type};

/// How many dead objects keep their place before it is used again.
const QUARANTINE: usize = 1 << 16;

/// What a heap object costs besides its bytes: a program that allocates single bytes meets the memory limit, too.
const OVERHEAD: u64 = 64;

/// What an object is, for messages and for `free`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The place that no object has.
    None,
    /// An object of the program.
    Global(ObjectId),
    /// An object of a function.
    Local(FunctionId, LocalId),
    /// From `malloc` and its kin, at this place.
    Heap(Location),
    /// From `alloca`, at this place.
    Alloca(Location),
    /// What the interpreter itself provides, by a name.
    Provided(&'static str),
    /// A function: it has an address but no bytes.
    Function(FunctionId),
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// Its handle while it is alive, else a handle that nothing has.
    live: Handle,
    pub generation: u32,
    pub kind: Kind,
    pub writable: bool,
    /// Whether bytes that were never written are unknown rather than uninitialised: it is defined elsewhere.
    pub unknown: bool,
    pub base: u64,
    pub size: u64,
    pub bytes: Vec<u8>,
    /// For every byte whether it was written, and as what ([`written_as`]); empty if all were, as anything.
    pub written: Vec<u8>,
}

/// A byte that was written and may be read as a part of any value: as a character, by the library, from outside.
pub(super) const AS_ANYTHING: u8 = 1;

/// How a byte is marked that was written as a part of a value of a type, the effective type of ISO C 6.5. Zero stands
/// for uninitialised bytes. Types that only differ in their sign are one.
pub(super) fn written_as(ty: Type) -> u8 {
    match ty {
        Type::Bool => AS_ANYTHING,
        Type::Integer(integer) => match integer.width {
            0..=8 => AS_ANYTHING,
            width => width,
        },
        Type::Float(format) => 129 + format.bits() as u8 / 16,
        Type::Pointer => 2,
    }
}

/// Why an access is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    Null,
    /// The pointer points to no object.
    Wild,
    Dangling,
    OutOfBounds,
    ReadOnly,
    /// It is a function.
    NotData,
}

/// Why there is no room for an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoRoom {
    MemoryLimit,
    AddressSpace,
}

/// All objects of a run.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub objects: Vec<Object>,
    /// For each granule from the start the number of its object; zero if it has none.
    granules: Vec<u32>,
    model: DataModel,
    in_use: u64,
    limit: u64,
    /// How many objects were made on the heap or by `alloca`: two states with other counts are not the same.
    pub allocations: u64,
    quarantine: VecDeque<u32>,
    /// Places to use again, by the number of their granules.
    free: BTreeMap<u64, Vec<u32>>,
}

/// A handle that no object ever has.
const DEAD: Handle = Handle(u64::MAX);

impl Memory {
    pub fn new(model: DataModel, limit: u64) -> Self {
        let mut memory = Self {
            objects: Vec::new(),
            granules: Vec::new(),
            model,
            in_use: 0,
            limit,
            allocations: 0,
            quarantine: VecDeque::new(),
            free: BTreeMap::new(),
        };
        memory.objects.push(Object { writable: false, ..Object::new(Kind::None, 0, 0) });
        memory
    }

    /// How many bytes live objects take.
    pub fn in_use(&self) -> u64 {
        self.in_use
    }

    /// Makes an object that is not alive yet.
    pub fn reserve(&mut self, kind: Kind, size: u64, alignment: u64) -> Result<Handle, NoRoom> {
        if size > self.limit {
            return Err(NoRoom::MemoryLimit);
        }
        let alignment = alignment.max(1);
        let needed = self.granules_for(size, alignment);
        if alignment <= self.granule().1
            && let Some(index) = self.free.get_mut(&needed).and_then(Vec::pop)
        {
            let object = &mut self.objects[index as usize];
            object.generation = object.generation.wrapping_add(1);
            (object.kind, object.size) = (kind, size);
            (object.writable, object.unknown) = (true, false);
            return Ok(Handle::new(index as usize, object.generation));
        }
        let base = match self.place(size, alignment) {
            Ok(base) => base,
            Err(no_room) if self.quarantine.is_empty() => return Err(no_room),
            Err(_) => {
                self.recycle(0);
                self.place(size, alignment)?
            }
        };
        let index = self.objects.len();
        if u32::try_from(index).is_err() {
            return Err(NoRoom::AddressSpace);
        }
        self.objects.push(Object::new(kind, base, size));
        Ok(Handle::new(index, 0))
    }

    /// Starts the life of an object, with uninitialised bytes.
    pub fn begin(&mut self, handle: Handle) -> Result<(), NoRoom> {
        let object = &mut self.objects[handle.index()];
        if object.live == DEAD {
            let cost = object.cost();
            if self.in_use + cost > self.limit {
                return Err(NoRoom::MemoryLimit);
            }
            self.in_use += cost;
            object.live = handle;
        }
        let size = object.size as usize;
        if object.bytes.len() != size {
            object.bytes = vec![0; size];
        }
        if object.written.len() == size {
            object.written.fill(0);
        } else {
            object.written = vec![0; size];
        }
        Ok(())
    }

    /// Makes an object that is alive, with uninitialised bytes.
    pub fn create(&mut self, kind: Kind, size: u64, alignment: u64) -> Result<Handle, NoRoom> {
        let handle = self.reserve(kind, size, alignment)?;
        self.begin(handle)?;
        if matches!(kind, Kind::Heap(_) | Kind::Alloca(_)) {
            self.allocations += 1;
        }
        Ok(handle)
    }

    /// Ends the life of an object; its place is kept for it.
    pub fn end(&mut self, handle: Handle) {
        let object = &mut self.objects[handle.index()];
        if object.live == handle {
            object.live = DEAD;
            self.in_use -= object.cost();
        }
    }

    /// Ends the life of an object for good: its place goes to another one, but not soon.
    pub fn release(&mut self, handle: Handle) {
        if self.object(handle).is_none() {
            return;
        }
        self.end(handle);
        let object = &mut self.objects[handle.index()];
        object.bytes = Vec::new();
        object.written = Vec::new();
        self.quarantine.push_back(handle.index() as u32);
        if self.quarantine.len() > QUARANTINE {
            self.recycle(QUARANTINE);
        }
    }

    fn recycle(&mut self, keep: usize) {
        while self.quarantine.len() > keep {
            if let Some(index) = self.quarantine.pop_front() {
                let size = self.objects[index as usize].size;
                let granules = self.granules_for(size, 1);
                self.free.entry(granules).or_default().push(index);
            }
        }
    }

    /// Whether the object is alive.
    #[inline]
    pub fn is_alive(&self, handle: Handle) -> bool {
        self.objects[handle.index()].live == handle
    }

    /// The object of a handle, if its place still belongs to it, alive or dead.
    pub fn object(&self, handle: Handle) -> Option<&Object> {
        let object = &self.objects[handle.index()];
        (!handle.is_none() && handle == Handle::new(handle.index(), object.generation)).then_some(object)
    }

    /// The object and the offset of an access of some bytes.
    #[inline]
    pub fn locate(&self, pointer: Slot, size: u64) -> Result<(usize, usize), Fault> {
        let index = pointer.handle().index();
        let object = &self.objects[index];
        if object.live == pointer.handle() && pointer.low <= object.size && size <= object.size - pointer.low
        {
            return Ok((index, pointer.low as usize));
        }
        Err(self.fault(pointer))
    }

    /// Like [`Memory::locate`], for an access that writes.
    #[inline]
    pub fn locate_to_write(&self, pointer: Slot, size: u64) -> Result<(usize, usize), Fault> {
        let (index, offset) = self.locate(pointer, size)?;
        if self.objects[index].writable { Ok((index, offset)) } else { Err(Fault::ReadOnly) }
    }

    /// Reads 1, 2, 4 or 8 bytes; nothing if they cannot be read or were not written.
    pub fn read_small(&self, pointer: Slot, size: u8) -> Option<u64> {
        self.read_small_as(pointer, size, AS_ANYTHING)
    }

    /// The same for bytes that were written as a kind of value.
    #[inline]
    pub fn read_small_as(&self, pointer: Slot, size: u8, kind: u8) -> Option<u64> {
        let (index, offset) = self.locate(pointer, u64::from(size)).ok()?;
        let object = &self.objects[index];
        if !object.is_written_as(offset, usize::from(size), kind) {
            return None;
        }
        let bytes = &object.bytes[offset..];
        Some(match size {
            1 => u64::from(*bytes.first()?),
            2 => u64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
            4 => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
            _ => u64::from_le_bytes(*bytes.first_chunk()?),
        })
    }

    /// Writes 1, 2, 4 or 8 bytes and says whether that was possible.
    #[inline]
    pub fn write_small(&mut self, pointer: Slot, size: u8, kind: u8, value: u64) -> bool {
        let Ok((index, offset)) = self.locate_to_write(pointer, u64::from(size)) else { return false };
        let object = &mut self.objects[index];
        let bytes = value.to_le_bytes();
        // Slices of constant length become single moves.
        match size {
            1 => object.write_as(offset, &bytes[..1], kind),
            2 => object.write_as(offset, &bytes[..2], kind),
            4 => object.write_as(offset, &bytes[..4], kind),
            _ => object.write_as(offset, &bytes, kind),
        }
        true
    }

    /// Whether some bytes can be read and were written.
    #[inline]
    pub fn is_readable(&self, pointer: Slot, size: u64) -> bool {
        match self.locate(pointer, size) {
            Ok((index, offset)) => {
                let object = &self.objects[index];
                object.unknown || object.is_written(offset, size as usize)
            }
            Err(_) => size == 0,
        }
    }

    /// Why an access is not possible.
    #[cold]
    fn fault(&self, pointer: Slot) -> Fault {
        if pointer.high == 0 {
            // A member of a null pointer's target has a small address.
            return if pointer.low < 4096 { Fault::Null } else { Fault::Wild };
        }
        let object = &self.objects[pointer.handle().index()];
        if object.live != pointer.handle() {
            Fault::Dangling
        } else if matches!(object.kind, Kind::Function(_)) {
            Fault::NotData
        } else {
            Fault::OutOfBounds
        }
    }

    /// The address that a pointer stands for.
    pub fn address(&self, pointer: Slot) -> u64 {
        let address = self.objects[pointer.handle().index()].base.wrapping_add(pointer.low);
        match self.model {
            DataModel::Lp64 => address,
            DataModel::Ilp32 => u64::from(address as u32),
        }
    }

    /// The pointer that an address stands for.
    pub fn resolve(&self, address: u64) -> Slot {
        let (bits, _) = self.granule();
        let granule = address.checked_sub(self.start()).map(|distance| distance >> bits);
        let index = granule.and_then(|granule| self.granules.get(granule as usize)).copied().unwrap_or(0);
        if index == 0 {
            return Slot::small(address);
        }
        let object = &self.objects[index as usize];
        Slot::pointer(
            Handle::new(index as usize, object.generation),
            address.wrapping_sub(object.base) as i64,
        )
    }

    /// The width of a granule as a power of two, and the gap to the side of each object.
    fn granule(&self) -> (u32, u64) {
        match self.model {
            DataModel::Lp64 => (16, 1 << 14),
            DataModel::Ilp32 => (8, 64),
        }
    }

    fn start(&self) -> u64 {
        match self.model {
            DataModel::Lp64 => 1 << 32,
            DataModel::Ilp32 => 1 << 20,
        }
    }

    fn granules_for(&self, size: u64, alignment: u64) -> u64 {
        let (bits, gap) = self.granule();
        (gap.max(alignment) + size + gap).div_ceil(1 << bits)
    }

    /// Finds room for one more object and says where it stands.
    fn place(&mut self, size: u64, alignment: u64) -> Result<u64, NoRoom> {
        let (bits, gap) = self.granule();
        let end: u64 = match self.model {
            DataModel::Lp64 => 0x7fff_0000_0000,
            DataModel::Ilp32 => 0xf000_0000,
        };
        if !alignment.is_power_of_two() || alignment > 1 << 30 {
            return Err(NoRoom::AddressSpace);
        }
        let first = self.start() + ((self.granules.len() as u64) << bits);
        let first = first.next_multiple_of(alignment.max(1 << bits));
        let count = self.granules_for(size, alignment);
        if first + (count << bits) > end {
            return Err(NoRoom::AddressSpace);
        }
        self.granules.resize(((first - self.start()) >> bits) as usize, 0);
        self.granules.resize(self.granules.len() + count as usize, self.objects.len() as u32);
        Ok(first + gap.max(alignment))
    }
}

impl Object {
    /// An object whose life has not begun.
    fn new(kind: Kind, base: u64, size: u64) -> Self {
        let (bytes, written) = (Vec::new(), Vec::new());
        Self { live: DEAD, generation: 0, kind, writable: true, unknown: false, base, size, bytes, written }
    }

    /// Whether some bytes were all written.
    #[inline]
    pub fn is_written(&self, offset: usize, size: usize) -> bool {
        self.written.is_empty() || self.written[offset..offset + size].iter().all(|&written| written != 0)
    }

    /// Whether some bytes were all written, and can be read as a value of a kind.
    #[inline]
    pub fn is_written_as(&self, offset: usize, size: usize, kind: u8) -> bool {
        if kind == AS_ANYTHING || self.written.is_empty() {
            return self.is_written(offset, size);
        }
        self.written[offset..offset + size].iter().all(|&written| written == kind || written == AS_ANYTHING)
    }

    /// Notes as what some bytes were written.
    #[inline]
    pub fn set_written(&mut self, offset: usize, size: usize, kind: u8) {
        if !self.written.is_empty() {
            self.written[offset..offset + size].fill(kind);
        }
    }

    /// Writes bytes that may be read as anything.
    #[inline]
    pub fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.write_as(offset, bytes, AS_ANYTHING);
    }

    /// Writes a value of a kind.
    #[inline]
    pub fn write_as(&mut self, offset: usize, bytes: &[u8], kind: u8) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        self.set_written(offset, bytes.len(), kind);
    }

    /// How much of the memory limit it takes while it is alive.
    fn cost(&self) -> u64 {
        self.size + if matches!(self.kind, Kind::Heap(_) | Kind::Alloca(_)) { OVERHEAD } else { 0 }
    }

    /// Whether it is alive.
    pub fn is_alive(&self) -> bool {
        self.live != DEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAP: fn() -> Kind = || Kind::Heap(Location::unknown());

    #[test]
    fn pointers_survive_their_addresses() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let mut memory = Memory::new(model, 1 << 20);
            let handles: Vec<Handle> = [0, 1, 100, 70_000, 8]
                .into_iter()
                .map(|size| memory.create(HEAP(), size, 16).expect("room"))
                .collect();
            for &handle in &handles {
                let size = memory.object(handle).expect("an object").size as i64;
                for offset in [-8, -1, 0, 1, size, size + 1, size + 16] {
                    let pointer = Slot::pointer(handle, offset);
                    assert_eq!(memory.resolve(memory.address(pointer)), pointer, "{model} {size} {offset}");
                }
            }
            assert_eq!(memory.resolve(0), Slot::NULL);
            assert_eq!(memory.resolve(17), Slot::small(17));
            assert_eq!(memory.address(Slot::pointer(handles[0], 0)) % 16, 0);
        }
    }

    #[test]
    fn accesses_outside_and_after_life_are_faults() {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 20);
        let handle = memory.create(HEAP(), 10, 1).expect("room");
        let at = |offset| Slot::pointer(handle, offset);
        assert_eq!(memory.locate(at(6), 4), Ok((handle.index(), 6)));
        assert_eq!(memory.locate(at(7), 4), Err(Fault::OutOfBounds));
        assert_eq!(memory.locate(at(-1), 1), Err(Fault::OutOfBounds));
        assert_eq!(memory.locate(at(i64::MAX), 8), Err(Fault::OutOfBounds));
        assert_eq!(memory.locate(at(10), 0), Ok((handle.index(), 10)));
        assert_eq!(memory.locate(Slot::NULL, 1), Err(Fault::Null));
        assert_eq!(memory.locate(Slot::small(8), 1), Err(Fault::Null));
        assert_eq!(memory.locate(Slot::small(1 << 20), 1), Err(Fault::Wild));
        memory.release(handle);
        assert_eq!(memory.locate(at(0), 1), Err(Fault::Dangling));
        assert_eq!(memory.in_use(), 0);
    }

    #[test]
    fn places_are_used_again_after_a_while_and_old_handles_stay_dead() {
        let mut memory = Memory::new(DataModel::Ilp32, 1 << 20);
        let first = memory.create(HEAP(), 10, 1).expect("room");
        memory.release(first);
        for _ in 0..3 * QUARANTINE {
            let handle = memory.create(HEAP(), 10, 1).expect("room");
            memory.release(handle);
        }
        assert!(memory.objects.len() <= QUARANTINE + 3);
        assert_eq!(memory.locate(Slot::pointer(first, 0), 1), Err(Fault::Dangling));
        assert!(memory.object(first).is_none());
    }

    #[test]
    fn limits_are_kept() {
        let mut memory = Memory::new(DataModel::Lp64, 200);
        assert!(memory.create(HEAP(), 60, 1).is_ok());
        assert_eq!(memory.create(HEAP(), 60, 1), Err(NoRoom::MemoryLimit));
        let mut memory = Memory::new(DataModel::Ilp32, 1 << 40);
        let large = 1 << 30;
        let results: Vec<bool> = (0..5).map(|_| memory.reserve(HEAP(), large, 1).is_ok()).collect();
        assert_eq!(results, [true, true, true, false, false]);
    }
}
