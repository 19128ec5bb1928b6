//! Ranges of bytes: copied, filled, and made arbitrary.
//!
//! A range whose place and size are known is changed cell by cell. One that is not, in an object of few cells, changes
//! each cell by a choice: inside the range it is new, outside it is old. In a larger object the cells become a fresh
//! array, and a quantified axiom about its indices says the same ([`Universal`]): the axiom defines the array, so it is
//! true in every run.
//!
//! ```text
//! old   . . . . . . . . .          for all k:  new[k] = value(k)  if  start ≤ k < start + size
//! new   . . [ values ] . .                     new[k] = old[k]    otherwise
//! ```
//!
//! Where the borders of a range are not known to be borders of cells, and the cells are many, the whole object becomes
//! arbitrary. Pointers are copied whole or not at all: what is left of them otherwise is an arbitrary number. Which bytes
//! were written goes along with the bytes; of bytes that became arbitrary for want of something better it is arbitrary,
//! too.

use logic::substitute::Substitution;
use logic::{Binary, Scalar, Sort, Term, Terms};
use program::Type;

use crate::access::Target;
use crate::axioms::Universal;
use crate::cell_array::CellArray;
use crate::encoder::Encoder;
use crate::memory::{Contents, Range, Start, ones};
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value, is_multiple, known};

/// Ranges of up to this many bytes at known places are copied and filled cell by cell.
const LONG: u64 = 4096;

/// So are ranges of up to this many bytes at any place.
const SHORT: u64 = 64;

/// Objects of up to this many cells are changed cell by cell.
const FEW: u64 = 32;

/// What is said of every byte that becomes arbitrary, given its offset.
pub(crate) type Property<'a> = &'a dyn Fn(&mut Terms, Term, Term) -> Term;

/// What the bytes of a range become.
#[derive(Clone, Copy)]
pub(crate) enum Filling<'a> {
    /// All the same.
    Byte(Term),
    /// Those from a place, in the state before.
    Copy(Pointer),
    /// Anything with a property; somebody wrote it.
    Such(Property<'a>),
    /// Anything, written or not.
    Unknown,
}

/// What a cell becomes.
struct Cell {
    bits: Option<Term>,
    owner: Option<Term>,
    written: Option<Term>,
}

impl Encoder<'_> {
    /// Sets bytes to one value.
    pub(crate) fn fill(&mut self, state: &mut State, destination: Pointer, byte: Term, size: Term) {
        let byte = match self.terms.sort(byte) {
            Sort::Integer => self.terms.unary(logic::Unary::IntegerToBits(8), byte),
            _ => byte,
        };
        self.change(state, destination, size, Filling::Byte(byte));
    }

    /// Copies bytes; the ranges may overlap.
    pub(crate) fn copy(&mut self, state: &mut State, destination: Pointer, source: Pointer, size: Term) {
        self.change(state, destination, size, Filling::Copy(source));
    }

    /// Changes a range of bytes. The access is known to be possible.
    pub(crate) fn change(
        &mut self,
        state: &mut State,
        destination: Pointer,
        size: Term,
        filling: Filling<'_>,
    ) {
        let known = known(&self.terms, size);
        if known == Some(0) {
            return;
        }
        let is_short = |encoder: &Self, size: u64| {
            let at_known_places = |pointer: Pointer| known_pointer(&encoder.terms, pointer);
            let places = at_known_places(destination)
                && match filling {
                    Filling::Copy(source) => at_known_places(source),
                    _ => true,
                };
            size <= SHORT || (places && size <= LONG)
        };
        let whole = known.is_some() && self.is_whole(state, destination, size);
        match (filling, known) {
            (Filling::Byte(byte), Some(size)) if whole || is_short(self, size) => {
                self.fill_cells(state, destination, byte, size);
            }
            (Filling::Copy(source), Some(size)) if is_short(self, size) => {
                self.copy_cells(state, destination, source, size);
            }
            _ => {
                let mut before = state.clone();
                self.update(state, destination, |encoder, target, contents| {
                    encoder.rewrite(&mut before, contents, target, size, filling);
                });
            }
        }
    }

    /// Whether a range is all of the one object that a pointer points to.
    fn is_whole(&mut self, state: &State, pointer: Pointer, size: Term) -> bool {
        let targets = self.targets(state, pointer);
        known(&self.terms, pointer.offset) == Some(0)
            && matches!(targets.as_slice(), [target] if self.objects[target.number as usize].size == size)
    }

    fn fill_cells(&mut self, state: &mut State, destination: Pointer, byte: Term, size: u64) {
        self.update(state, destination, |encoder, Target { number, offset: start, .. }, contents| {
            let object = &encoder.objects[number as usize];
            let (cell, whole) = (object.cell, known(&encoder.terms, object.size) == Some(size));
            let terms = &mut encoder.terms;
            if whole && known(terms, start) == Some(0) {
                contents.bits = contents.bits.like(repeated(terms, byte, cell));
                (contents.owners, contents.written) = (None, None);
                return;
            }
            let mut done = 0;
            while done < size {
                let at = terms.bits(OFFSET_WIDTH, done.into());
                let offset = terms.binary(Binary::BitAdd, start, at);
                let step = chunk(terms, offset, cell, size - done);
                let value = repeated(terms, byte, step);
                Range { offset, size: step, cell }.write_bits(terms, contents, value);
                done += step;
            }
        });
    }

    fn copy_cells(&mut self, state: &mut State, destination: Pointer, source: Pointer, size: u64) {
        let pieces = self.read_pieces(state, source, size);
        self.update(state, destination, |encoder, Target { number, offset: start, .. }, contents| {
            let cell = encoder.objects[number as usize].cell;
            for piece in &pieces {
                let at = encoder.terms.bits(OFFSET_WIDTH, piece.at.into());
                let offset = encoder.terms.binary(Binary::BitAdd, start, at);
                let range = Range { offset, size: piece.size, cell };
                encoder.write(number, contents, range, piece.value);
                if let Some(written) = piece.written {
                    let cell_array = contents.written_mut(&mut encoder.terms, cell);
                    range.write(&mut encoder.terms, cell_array, 1, written);
                }
            }
        });
    }

    /// Reads a range of bytes in pieces that keep pointers whole.
    fn read_pieces(&mut self, state: &mut State, source: Pointer, size: u64) -> Vec<Piece> {
        let targets = self.targets(state, source);
        let cell = targets.iter().map(|target| self.objects[target.number as usize].cell).min().unwrap_or(1);
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < size {
            let at = self.terms.bits(OFFSET_WIDTH, done.into());
            let offset = self.terms.binary(Binary::BitAdd, source.offset, at);
            let step = chunk(&self.terms, offset, cell, size - done);
            let place = Pointer { offset, ..source };
            let value = self.read_piece(state, place, step);
            let written = self.written_bits(state, place, step);
            pieces.push(Piece { at: done, size: step, value, written });
            done += step;
        }
        pieces
    }

    /// Reads a piece of memory: a pointer where one may stand, else bits.
    fn read_piece(&mut self, state: &mut State, place: Pointer, size: u64) -> Value {
        let whole = size == self.program.data_model.pointer_bytes();
        if whole && self.holds_pointers(state, place) {
            return self.load(state, place, Type::Pointer);
        }
        Value::Scalar(self.read_bytes(state, place, size))
    }

    fn holds_pointers(&mut self, state: &State, place: Pointer) -> bool {
        let has_owners = |target: &Target| state.contents(target.number).is_some_and(|c| c.owners.is_some());
        self.targets(state, place).iter().any(has_owners)
    }

    /// Whether it may be that some bytes at a place count as not written.
    fn is_tracked(&mut self, state: &State, place: Pointer) -> bool {
        let has_written =
            |target: &Target| state.contents(target.number).is_some_and(|c| c.written.is_some());
        self.targets(state, place).iter().any(has_written)
    }

    /// Reads some bytes as bits, in every mode of integers.
    pub(crate) fn read_bytes(&mut self, state: &mut State, place: Pointer, size: u64) -> Term {
        let mut result: Option<Term> = None;
        for Target { number, here, offset } in self.targets(state, place) {
            // Reading can bring the contents into another form, which is worth keeping.
            let Some(contents) = state.contents_mut(number) else { continue };
            let range = Range { offset, size, cell: self.objects[number as usize].cell };
            let bits = range.read_bits(&mut self.terms, contents);
            result = Some(match result {
                None => bits,
                Some(other) => self.terms.ite(here, bits, other),
            });
        }
        let sort = Sort::BitVector(8 * size as u32);
        result.unwrap_or_else(|| self.terms.fresh("value of no object", sort))
    }

    /// For each byte of a range whether it was written; nothing if all were.
    fn written_bits(&mut self, state: &mut State, place: Pointer, size: u64) -> Option<Term> {
        if !self.is_tracked(state, place) {
            return None;
        }
        let mut result = ones(&mut self.terms, size as u32);
        for Target { number, here, offset } in self.targets(state, place) {
            if let Some(contents) = state.contents_mut(number)
                && let Some(cell_array) = &mut contents.written
            {
                let range = Range { offset, size, cell: self.objects[number as usize].cell };
                let bits = range.read(&mut self.terms, cell_array, 1);
                result = self.terms.ite(here, bits, result);
            }
        }
        Some(result)
    }

    /// Changes a range of an object.
    fn rewrite(
        &mut self,
        before: &mut State,
        contents: &mut Contents,
        target: Target,
        size: Term,
        filling: Filling<'_>,
    ) {
        let cell = self.objects[target.number as usize].cell;
        let filling = match filling {
            Filling::Copy(source) if !self.keeps_pointers(before, target, source) => Filling::Unknown,
            filling => filling,
        };
        let tracked = contents.written.is_some() || self.may_be_unwritten(before, filling);
        let few = contents.bits.count().filter(|&count| count <= FEW);
        let whole = is_multiple(&self.terms, target.offset, cell) && is_multiple(&self.terms, size, cell);
        let span = Span { number: target.number, start: target.offset, size, cell, filling, tracked };
        match (few, whole) {
            (Some(count), true) => self.rewrite_cells(before, contents, span, count),
            (Some(count), false) => self.rewrite_bytes(before, contents, span, count),
            (None, true) => self.rewrite_arrays(before, contents, span),
            (None, false) => self.forget(contents, target.number, tracked),
        }
    }

    /// Whether a copy takes pointers as a whole, if there are any.
    fn keeps_pointers(&mut self, before: &State, target: Target, source: Pointer) -> bool {
        let width = self.program.data_model.pointer_bytes();
        let mut targets = self.targets(before, source);
        targets.retain(|target| before.contents(target.number).is_some_and(|c| c.owners.is_some()));
        let is_whole = |target: &Target| {
            self.objects[target.number as usize].cell == width
                && is_multiple(&self.terms, target.offset, width)
        };
        targets.iter().all(|holder| is_whole(holder) && is_whole(&target))
    }

    /// Whether an offset lies in a range.
    fn is_in_span(&mut self, span: Span<'_>, offset: Term) -> Term {
        let after = self.terms.binary(Binary::BitSubtract, offset, span.start);
        self.terms.binary(Binary::UnsignedLess, after, span.size)
    }

    /// From where the bytes at an offset are copied.
    fn copied_from(&mut self, span: Span<'_>, source: Pointer, offset: Term) -> Pointer {
        let after = self.terms.binary(Binary::BitSubtract, offset, span.start);
        Pointer { offset: self.terms.binary(Binary::BitAdd, source.offset, after), ..source }
    }

    /// What some bytes at an offset become if they are in the range.
    fn filled(&mut self, before: &mut State, span: Span<'_>, offset: Term, size: u64) -> Cell {
        let all = ones(&mut self.terms, size as u32);
        match span.filling {
            Filling::Byte(byte) => {
                let bits = repeated(&mut self.terms, byte, size);
                Cell { bits: Some(bits), owner: None, written: Some(all) }
            }
            Filling::Copy(source) => {
                let place = self.copied_from(span, source, offset);
                let written = self.written_bits(before, place, size).unwrap_or(all);
                let (bits, owner) = match self.read_piece(before, place, size) {
                    Value::Pointer(pointer) => {
                        self.note_targets(span.number, pointer.object);
                        let bits = self.terms.resize(pointer.offset, 8 * size as u32, false);
                        (bits, Some(pointer.object))
                    }
                    value => (self.as_term(value), None),
                };
                Cell { bits: Some(bits), owner, written: Some(written) }
            }
            Filling::Such(_) => Cell { bits: None, owner: None, written: Some(all) },
            Filling::Unknown => Cell { bits: None, owner: None, written: None },
        }
    }

    /// Whether bytes that a filling leaves behind may count as not written.
    fn may_be_unwritten(&mut self, before: &State, filling: Filling<'_>) -> bool {
        match filling {
            Filling::Byte(_) | Filling::Such(_) => false,
            Filling::Unknown => self.options.checks.contains(program::Obligation::Uninitialised),
            Filling::Copy(source) => self.is_tracked(before, source),
        }
    }

    /// Changes whole cells of an object of few.
    fn rewrite_cells(&mut self, before: &mut State, contents: &mut Contents, span: Span<'_>, count: u64) {
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        for index in 0..count {
            let offset = self.terms.bits(OFFSET_WIDTH, u128::from(index * span.cell));
            let inside = self.is_in_span(span, offset);
            if self.terms.is_false(inside) {
                continue;
            }
            let new = self.filled(before, span, offset, span.cell);
            let bits =
                new.bits.unwrap_or_else(|| self.arbitrary_bytes(offset, span.cell, inside, span.filling));
            let old = contents.bits.get(&mut self.terms, index);
            contents.bits.set(index, self.terms.ite(inside, bits, old));
            if new.owner.is_some() || contents.owners.is_some() {
                let owners = contents.owners_mut(&mut self.terms);
                let old = owners.get(&mut self.terms, index);
                owners.set(index, self.terms.ite(inside, new.owner.unwrap_or(none), old));
            }
            if span.tracked {
                let written = self.or_arbitrary(new.written, span.cell as u32);
                let cell_array = contents.written_mut(&mut self.terms, span.cell);
                let old = cell_array.get(&mut self.terms, index);
                cell_array.set(index, self.terms.ite(inside, written, old));
            }
        }
    }

    /// Changes bytes of an object of few cells.
    fn rewrite_bytes(&mut self, before: &mut State, contents: &mut Contents, span: Span<'_>, count: u64) {
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        for index in 0..count {
            let old = contents.bits.get(&mut self.terms, index);
            let old_written = span
                .tracked
                .then(|| contents.written_mut(&mut self.terms, span.cell).get(&mut self.terms, index));
            let (mut bits, mut written, mut insides) = (None, None, Vec::new());
            for byte in 0..span.cell {
                let offset = self.terms.bits(OFFSET_WIDTH, u128::from(index * span.cell + byte));
                let inside = self.is_in_span(span, offset);
                let new = self.filled(before, span, offset, 1);
                let new_bits =
                    new.bits.unwrap_or_else(|| self.arbitrary_bytes(offset, 1, inside, span.filling));
                let low = 8 * byte as u32;
                let old_byte = self.terms.extract(low + 7, low, old);
                let part = self.terms.ite(inside, new_bits, old_byte);
                bits = Some(concatenated(&mut self.terms, part, bits));
                if let Some(old) = old_written {
                    let new = self.or_arbitrary(new.written, 1);
                    let old = self.terms.extract(byte as u32, byte as u32, old);
                    let part = self.terms.ite(inside, new, old);
                    written = Some(concatenated(&mut self.terms, part, written));
                }
                insides.push(inside);
            }
            let (touched, covered) = (self.terms.any(&insides), self.terms.all(&insides));
            let mut bits = bits.unwrap_or(old);
            if let Some(owners) = &mut contents.owners {
                // What is left of a pointer is no longer known.
                let owner = owners.get(&mut self.terms, index);
                let is_pointer = self.terms.differ(owner, none);
                let partly = self.terms.not(covered);
                let broken = self.terms.all(&[touched, partly, is_pointer]);
                if !self.terms.is_false(broken) {
                    let sort = self.terms.sort(bits);
                    let unknown = self.terms.fresh("address", sort);
                    bits = self.terms.ite(broken, unknown, bits);
                }
                owners.set(index, self.terms.ite(touched, none, owner));
            }
            contents.bits.set(index, bits);
            if let (Some(written), Some(cell_array)) = (written, &mut contents.written) {
                cell_array.set(index, written);
            }
        }
    }

    /// Changes whole cells of an object of many: fresh arrays, and what is known of them.
    fn rewrite_arrays(&mut self, before: &mut State, contents: &mut Contents, span: Span<'_>) {
        let width = contents.bits.index_width();
        let bound = self.terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let index = self.terms.resize(bound, width, false);
        let shift = self.terms.bits(OFFSET_WIDTH, span.cell.trailing_zeros().into());
        let offset = self.terms.binary(Binary::ShiftLeft, bound, shift);
        let inside = self.is_in_span(span, offset);
        let span = Span { filling: self.quantifiable(before, span, offset), ..span };
        let new = self.filled(before, span, offset, span.cell);
        let place = Place { bound, index, inside };
        let property = match span.filling {
            Filling::Such(property) if span.cell == 1 => Some((property, offset)),
            _ => None,
        };
        let name = self.objects[span.number as usize].name.clone();
        self.redefine(&mut contents.bits, &name, place, new.bits, property);
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        if new.owner.is_some() || contents.owners.is_some() {
            let owners = contents.owners_mut(&mut self.terms);
            let owner = Some(new.owner.unwrap_or(none));
            self.redefine(owners, &format!("owners of {name}"), place, owner, None);
        }
        if span.tracked {
            let cell_array = contents.written_mut(&mut self.terms, span.cell);
            self.redefine(cell_array, &format!("written of {name}"), place, new.written, None);
        }
    }

    /// A filling that has no fresh symbols in it, which would be the same for all cells: those of pointers read in parts.
    fn quantifiable<'a>(&mut self, before: &State, span: Span<'a>, offset: Term) -> Filling<'a> {
        let Filling::Copy(source) = span.filling else { return span.filling };
        if !self.holds_pointers(before, source) {
            return span.filling;
        }
        let place = self.copied_from(span, source, offset);
        let targets = self.targets(before, place);
        let aligned =
            |target: &Target| self.terms.trailing_zeros(target.offset) >= span.cell.trailing_zeros();
        if targets.iter().all(aligned) { span.filling } else { Filling::Unknown }
    }

    /// Gives a cell array fresh cells: inside the range they have a value, or a property, or are arbitrary, and outside
    /// they are as before.
    fn redefine(
        &mut self,
        cell_array: &mut CellArray,
        name: &str,
        place: Place,
        value: Option<Term>,
        property: Option<(Property<'_>, Term)>,
    ) {
        let Place { bound, index, inside } = place;
        let element = cell_array.get(&mut self.terms, 0);
        let element = self.terms.sort(element).scalar().unwrap_or(Scalar::Bool);
        let (width, count) = (cell_array.index_width(), cell_array.count());
        let old = cell_array.flatten(&mut self.terms);
        let terms = &mut self.terms;
        let array = terms.fresh(name, Sort::Array(Scalar::BitVector(width), element));
        let (old_cell, new_cell) = (terms.select(old, index), terms.select(array, index));
        let same = terms.equal(new_cell, old_cell);
        let mut body = match (value, property) {
            (Some(value), _) => {
                let filled = terms.equal(new_cell, value);
                terms.ite(inside, filled, same)
            }
            (None, Some((property, offset))) => {
                let such = property(terms, offset, new_cell);
                terms.ite(inside, such, same)
            }
            (None, None) => terms.or(inside, same),
        };
        if width < OFFSET_WIDTH {
            // Larger numbers are no indices: cut to the width they would be others.
            let limit = terms.bits(OFFSET_WIDTH, 1 << width);
            let is_index = terms.binary(Binary::UnsignedLess, bound, limit);
            body = terms.implies(is_index, body);
        }
        // Every axiom has a symbol of its own for the number.
        let own = terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let body = Substitution::new([(bound, own)]).apply(terms, body);
        self.axioms.add_universal(array, Universal { bound: own, body, places: 0 });
        *cell_array = CellArray::of_array(array, width, count);
    }

    /// Lets all cells of an object be anything.
    fn forget(&mut self, contents: &mut Contents, number: u32, tracked: bool) {
        let object = self.objects[number as usize].clone();
        let known = contents.bits.count().map(|count| count * object.cell);
        let fresh = Contents::new(&mut self.terms, &object, known, Start::Unknown, false);
        contents.bits = fresh.bits;
        contents.owners = None;
        contents.written = tracked.then(|| {
            let sort = Sort::BitVector(object.cell as u32);
            let (width, count) = (contents.bits.index_width(), contents.bits.count());
            CellArray::unknown(&mut self.terms, &format!("written of {}", object.name), sort, width, count)
        });
    }

    /// Lets an object hold anything, written or not.
    pub(crate) fn scatter(&mut self, contents: &mut Contents, number: u32) {
        let tracked =
            contents.written.is_some() || self.options.checks.contains(program::Obligation::Uninitialised);
        self.forget(contents, number, tracked);
    }

    /// Fresh bytes with the property of a filling, where they are in the range.
    fn arbitrary_bytes(&mut self, offset: Term, size: u64, inside: Term, filling: Filling<'_>) -> Term {
        let bits = self.terms.fresh("byte", Sort::BitVector(8 * size as u32));
        if let (Filling::Such(property), 1) = (filling, size) {
            let such = property(&mut self.terms, offset, bits);
            let invariant = self.terms.implies(inside, such);
            self.axioms.add(bits, invariant);
        }
        bits
    }

    fn or_arbitrary(&mut self, term: Option<Term>, width: u32) -> Term {
        term.unwrap_or_else(|| self.terms.fresh("written", Sort::BitVector(width)))
    }

    /// Two states that exclude each other and differ in memory alone, as one.
    pub(crate) fn either(&mut self, first: State, second: State) -> State {
        State::merge(&mut self.terms, first, second, &mut |_, _| Value::Unset)
    }
}

/// A part of a range that is read.
struct Piece {
    at: u64,
    size: u64,
    value: Value,
    written: Option<Term>,
}

/// A range of an object.
#[derive(Clone, Copy)]
struct Span<'a> {
    number: u32,
    start: Term,
    size: Term,
    cell: u64,
    /// What the bytes become.
    filling: Filling<'a>,
    /// Whether it is kept which bytes were written.
    tracked: bool,
}

/// Any cell: its number as wide as an offset, as an index, and whether it is in the range.
#[derive(Clone, Copy)]
struct Place {
    bound: Term,
    index: Term,
    inside: Term,
}

fn repeated(terms: &mut Terms, byte: Term, count: u64) -> Term {
    (1..count).fold(byte, |value, _| terms.binary(Binary::Concat, value, byte))
}

/// A part before the parts so far, which are the lower ones.
fn concatenated(terms: &mut Terms, part: Term, lower: Option<Term>) -> Term {
    match lower {
        Some(lower) => terms.binary(Binary::Concat, part, lower),
        None => part,
    }
}

fn known_pointer(terms: &Terms, pointer: Pointer) -> bool {
    known(terms, pointer.object).is_some() && known(terms, pointer.offset).is_some()
}

/// How many bytes to take at once, at most so many: a cell where the place is at its start, else a byte.
fn chunk(terms: &Terms, offset: Term, cell: u64, left: u64) -> u64 {
    if is_multiple(terms, offset, cell) && cell <= left { cell } else { 1 }
}
