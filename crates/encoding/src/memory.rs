//! Objects, and reads and writes of their bytes.
//!
//! An object is cut into cells of one width, which its alignment suggests: any access works on any cells, but whole
//! cells are cheap. A pointer in memory is its offset in the cell's bits and its object's number in a cell array beside
//! them (the owners). What is read of a pointer as a number, or of parts of pointers, is arbitrary: real addresses are
//! not known. Which bytes were written is a third cell array, one bit for each byte, kept only if somebody asks.

use std::collections::BTreeSet;

use base::Location;
use logic::{Binary, Sort, Term, Terms};
use program::{FunctionId, LocalId, ObjectId};

use crate::cell_array::CellArray;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, known};

/// The widest cell, in bytes.
const WIDEST: u64 = 8;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The place that no object has.
    None,
    /// An object of the program.
    Global(ObjectId),
    /// An object of a call of a function.
    Local(FunctionId, LocalId),
    /// From `malloc` and its kin, at this place.
    Heap(Location),
    /// From `alloca`, at this place.
    Alloca(Location),
    /// What the library itself provides, by a name.
    Provided(&'static str),
    /// A function: it has an address but no bytes.
    Function(FunctionId),
}

/// What never changes about an object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// What to call it.
    pub name: String,
    /// Its size in bytes.
    pub size: Term,
    /// Whether it may be written.
    pub writable: bool,
    /// How many bytes a cell has: a power of two.
    pub cell: u64,
    /// The objects that pointers in it can point to.
    pub targets: BTreeSet<u32>,
}

/// What changes about an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Contents {
    /// Whether it is alive.
    pub alive: Term,
    /// The cells.
    pub bits: CellArray,
    /// The objects that the cells point to; nothing if no pointer was ever stored.
    pub owners: Option<CellArray>,
    /// Which bytes were written; nothing if all were, or if nobody asks.
    pub written: Option<CellArray>,
}

/// How the bytes of an object start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// All zero.
    Zero,
    /// Anything, but somebody wrote it.
    Unknown,
    /// They were never written.
    Unwritten,
}

/// The cell width for an object with this alignment and, if it is known, this size.
pub fn cell_width(alignment: u64, size: Option<u64>) -> u64 {
    let mut cell = if alignment.is_power_of_two() { alignment.min(WIDEST) } else { 1 };
    while size.is_some_and(|size| !size.is_multiple_of(cell)) {
        cell /= 2;
    }
    cell
}

/// How wide an index must be for the cells of an object, and for one cell after them.
pub fn index_width(size: Option<u64>, cell: u64) -> u32 {
    match size {
        Some(size) => (u64::BITS - (size / cell + 1).leading_zeros()).max(1),
        None => OFFSET_WIDTH,
    }
}

impl Contents {
    /// The contents of a new object.
    pub fn new(terms: &mut Terms, object: &Object, size: Option<u64>, start: Start, track: bool) -> Self {
        let width = index_width(size, object.cell);
        let count = size.map(|size| size / object.cell);
        let cell_bits = 8 * object.cell as u32;
        let bits = match start {
            Start::Zero => {
                let zero = terms.bits(cell_bits, 0);
                CellArray::same(zero, width, count)
            }
            Start::Unknown | Start::Unwritten => {
                CellArray::unknown(terms, &object.name, Sort::BitVector(cell_bits), width, count)
            }
        };
        let written = (track && start == Start::Unwritten).then(|| {
            let none = terms.bits(object.cell as u32, 0);
            CellArray::same(none, width, count)
        });
        Self { alive: terms.bool(true), bits, owners: None, written }
    }

    /// One of two contents of the same object.
    pub fn merge(terms: &mut Terms, condition: Term, then: &Self, otherwise: &Self) -> Self {
        let alive = terms.ite(condition, then.alive, otherwise.alive);
        let bits = CellArray::merge(terms, condition, then.bits.clone(), otherwise.bits.clone());
        let owners =
            merged(terms, condition, [&then.owners, &otherwise.owners], |terms, width| terms.bits(width, 0));
        let written = merged(terms, condition, [&then.written, &otherwise.written], ones);
        Self { alive, bits, owners, written }
    }

    /// The objects that the cells point to, made if no pointer was stored so far.
    pub fn owners_mut(&mut self, terms: &mut Terms) -> &mut CellArray {
        let none = terms.bits(OBJECT_WIDTH, 0);
        self.owners.get_or_insert_with(|| self.bits.like(none))
    }

    /// Which bytes were written, made if all were so far. A cell has so many bytes.
    pub fn written_mut(&mut self, terms: &mut Terms, cell: u64) -> &mut CellArray {
        let all = ones(terms, cell as u32);
        self.written.get_or_insert_with(|| self.bits.like(all))
    }
}

/// One of two cell arrays that need not be there: their cells hold this, as wide as they are, if only one is.
fn merged(
    terms: &mut Terms,
    condition: Term,
    both: [&Option<CellArray>; 2],
    absent: fn(&mut Terms, u32) -> Term,
) -> Option<CellArray> {
    let like = both[0].as_ref().or(both[1].as_ref())?;
    let cell = like.get(terms, 0);
    let width = terms.width(cell);
    let absent = absent(terms, width);
    let [then, otherwise] = both.map(|one| one.clone().unwrap_or_else(|| like.like(absent)));
    Some(CellArray::merge(terms, condition, then, otherwise))
}

/// As many ones as this.
pub(crate) fn ones(terms: &mut Terms, count: u32) -> Term {
    terms.value(&logic::Value::BitVector(logic::BitVector::ones(count)))
}

/// A range of bytes of an object, cut into cells.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Where it starts, in bytes from the object's start.
    pub offset: Term,
    /// How many bytes it has.
    pub size: u64,
    /// How many bytes a cell has.
    pub cell: u64,
}

impl Range {
    /// The index of the cell so many after the first one.
    fn index(&self, terms: &mut Terms, cell_array: &CellArray, after: u64) -> Term {
        let shift = self.cell.trailing_zeros();
        let index =
            if shift == 0 { self.offset } else { terms.extract(OFFSET_WIDTH - 1, shift, self.offset) };
        let width = cell_array.index_width();
        let index = terms.resize(index, width, false);
        let after = terms.bits(width, after.into());
        terms.binary(Binary::BitAdd, index, after)
    }

    /// Whether it starts and ends at borders of cells.
    fn is_whole(&self, terms: &Terms) -> bool {
        self.size.is_multiple_of(self.cell) && alignment(terms, self.offset) >= self.cell.trailing_zeros()
    }

    /// How many cells it can touch.
    fn cells(&self, terms: &Terms) -> u64 {
        let aligned = alignment(terms, self.offset);
        let step = 1u64 << aligned.min(self.cell.trailing_zeros());
        // The latest start within a cell that the alignment allows.
        let latest = match known(terms, self.offset) {
            Some(offset) => offset & (self.cell - 1),
            None => self.cell - step,
        };
        (latest + self.size).div_ceil(self.cell)
    }

    /// How many bits lie before it in its first cell, as bits of this width, if a byte is one unit.
    fn skipped(&self, terms: &mut Terms, unit: u32, width: u32) -> Term {
        let mask = terms.bits(OFFSET_WIDTH, u128::from(self.cell - 1));
        let within = terms.binary(Binary::BitAnd, self.offset, mask);
        let unit = terms.bits(OFFSET_WIDTH, unit.into());
        let skipped = terms.binary(Binary::BitMultiply, within, unit);
        terms.resize(skipped, width, false)
    }

    /// All cells that it can touch, as one.
    fn wide(&self, terms: &mut Terms, cell_array: &mut CellArray) -> Term {
        let first = self.index(terms, cell_array, 0);
        let mut wide = cell_array.read(terms, first);
        for after in 1..self.cells(terms) {
            let index = self.index(terms, cell_array, after);
            let cell = cell_array.read(terms, index);
            wide = terms.binary(Binary::Concat, cell, wide);
        }
        wide
    }

    /// Reads a cell array in which each byte is `unit` bits.
    pub fn read(&self, terms: &mut Terms, cell_array: &mut CellArray, unit: u32) -> Term {
        let wide = self.wide(terms, cell_array);
        let width = terms.width(wide);
        let wanted = self.size as u32 * unit;
        if width == wanted && self.is_whole(terms) {
            return wide;
        }
        let skipped = self.skipped(terms, unit, width.max(OFFSET_WIDTH));
        let wide = terms.resize(wide, width.max(OFFSET_WIDTH), false);
        let shifted = terms.binary(Binary::ShiftRight, wide, skipped);
        terms.extract(wanted - 1, 0, shifted)
    }

    /// Writes a cell array in which each byte is `unit` bits.
    pub fn write(&self, terms: &mut Terms, cell_array: &mut CellArray, unit: u32, value: Term) {
        let cell = self.cell as u32 * unit;
        let new = if self.is_whole(terms) {
            value
        } else {
            let wide = self.wide(terms, cell_array);
            self.overlay(terms, wide, unit, value)
        };
        self.put(terms, cell_array, cell, new);
    }

    /// Writes all cells that it can touch, each of so many bits.
    fn put(&self, terms: &mut Terms, cell_array: &mut CellArray, cell: u32, new: Term) {
        for after in 0..self.cells(terms) {
            let low = after as u32 * cell;
            let part = terms.extract(low + cell - 1, low, new);
            let index = self.index(terms, cell_array, after);
            cell_array.write(terms, index, part);
        }
    }

    /// The bits of some cells with a value over them.
    fn overlay(&self, terms: &mut Terms, wide: Term, unit: u32, value: Term) -> Term {
        let width = terms.width(wide);
        let wanted = self.size as u32 * unit;
        if let Some(offset) = known(terms, self.offset) {
            let low = (offset & (self.cell - 1)) as u32 * unit;
            let mut new = value;
            if low > 0 {
                let below = terms.extract(low - 1, 0, wide);
                new = terms.binary(Binary::Concat, new, below);
            }
            if low + wanted < width {
                let above = terms.extract(width - 1, low + wanted, wide);
                new = terms.binary(Binary::Concat, above, new);
            }
            return new;
        }
        let room = width.max(OFFSET_WIDTH);
        let skipped = self.skipped(terms, unit, room);
        let ones = ones(terms, wanted);
        let (ones, value) = (terms.resize(ones, room, false), terms.resize(value, room, false));
        let mask = terms.binary(Binary::ShiftLeft, ones, skipped);
        let value = terms.binary(Binary::ShiftLeft, value, skipped);
        let keep = terms.unary(logic::Unary::BitNot, mask);
        let wide = terms.resize(wide, room, false);
        let kept = terms.binary(Binary::BitAnd, wide, keep);
        let new = terms.binary(Binary::BitOr, kept, value);
        terms.extract(width - 1, 0, new)
    }

    /// Whether none of the cells that it can touch is a pointer.
    fn no_pointers(&self, terms: &mut Terms, contents: &mut Contents) -> Term {
        let Some(owners) = &mut contents.owners else { return terms.bool(true) };
        let none = terms.bits(OBJECT_WIDTH, 0);
        let mut conditions = Vec::new();
        for after in 0..self.cells(terms) {
            let index = self.index(terms, owners, after);
            let owner = owners.read(terms, index);
            conditions.push(terms.equal(owner, none));
        }
        terms.all(&conditions)
    }

    /// Reads bits: those of pointers are arbitrary.
    pub fn read_bits(&self, terms: &mut Terms, contents: &mut Contents) -> Term {
        let bits = self.read(terms, &mut contents.bits, 8);
        let plain = self.no_pointers(terms, contents);
        if terms.is_true(plain) {
            return bits;
        }
        let address = terms.fresh("address", Sort::BitVector(8 * self.size as u32));
        terms.ite(plain, bits, address)
    }

    /// Writes bits.
    pub fn write_bits(&self, terms: &mut Terms, contents: &mut Contents, value: Term) {
        if contents.owners.is_some() && !self.is_whole(terms) {
            // A part of a pointer is changed: what is left of it is no longer known.
            let plain = self.no_pointers(terms, contents);
            let mut old = contents.bits.clone();
            let old = self.wide(terms, &mut old);
            let unknown = terms.fresh("address", terms.sort(old));
            let old = terms.ite(plain, old, unknown);
            let new = self.overlay(terms, old, 8, value);
            self.put(terms, &mut contents.bits, 8 * self.cell as u32, new);
        } else {
            self.write(terms, &mut contents.bits, 8, value);
        }
        self.disown(terms, contents);
        self.mark_written(terms, contents);
    }

    /// Lets the touched cells be no pointers.
    fn disown(&self, terms: &mut Terms, contents: &mut Contents) {
        let Some(owners) = &mut contents.owners else { return };
        let none = terms.bits(OBJECT_WIDTH, 0);
        for after in 0..self.cells(terms) {
            let index = self.index(terms, owners, after);
            owners.write(terms, index, none);
        }
    }

    fn mark_written(&self, terms: &mut Terms, contents: &mut Contents) {
        if let Some(written) = &mut contents.written {
            let all = ones(terms, self.size as u32);
            self.write(terms, written, 1, all);
        }
    }

    /// Whether all bytes were written.
    pub fn is_written(&self, terms: &mut Terms, contents: &mut Contents) -> Term {
        let Some(written) = &mut contents.written else { return terms.bool(true) };
        let bits = self.read(terms, written, 1);
        let all = ones(terms, self.size as u32);
        terms.equal(bits, all)
    }

    /// Reads a pointer.
    pub fn read_pointer(&self, terms: &mut Terms, contents: &mut Contents) -> Pointer {
        let none = terms.bits(OBJECT_WIDTH, 0);
        if contents.owners.is_none() || !self.is_whole(terms) || self.size != self.cell {
            let bits = self.read_bits(terms, contents);
            return Pointer { object: none, offset: terms.resize(bits, OFFSET_WIDTH, false) };
        }
        let bits = self.read(terms, &mut contents.bits, 8);
        let Some(owners) = &mut contents.owners else { return Pointer::null(terms) };
        let index = self.index(terms, owners, 0);
        let object = owners.read(terms, index);
        let (address, offset) =
            (terms.resize(bits, OFFSET_WIDTH, false), terms.resize(bits, OFFSET_WIDTH, true));
        let plain = terms.equal(object, none);
        Pointer { object, offset: terms.ite(plain, address, offset) }
    }

    /// Writes a pointer.
    pub fn write_pointer(&self, terms: &mut Terms, contents: &mut Contents, pointer: Pointer) {
        let none = terms.bits(OBJECT_WIDTH, 0);
        let width = 8 * self.size as u32;
        let offset = terms.resize(pointer.offset, width, false);
        if pointer.object == none {
            return self.write_bits(terms, contents, offset);
        }
        if !self.is_whole(terms) || self.size != self.cell {
            // There is no cell for its object: the pointer becomes an unspecified address.
            let plain = terms.equal(pointer.object, none);
            let unknown = terms.fresh("address", Sort::BitVector(width));
            let value = terms.ite(plain, offset, unknown);
            return self.write_bits(terms, contents, value);
        }
        self.write(terms, &mut contents.bits, 8, offset);
        let owners = contents.owners_mut(terms);
        let index = self.index(terms, owners, 0);
        owners.write(terms, index, pointer.object);
        self.mark_written(terms, contents);
    }
}

/// How many low bits of an offset are known to be zero.
fn alignment(terms: &Terms, offset: Term) -> u32 {
    match known(terms, offset) {
        Some(0) => OFFSET_WIDTH,
        Some(offset) => offset.trailing_zeros(),
        None => terms.trailing_zeros(offset),
    }
}
