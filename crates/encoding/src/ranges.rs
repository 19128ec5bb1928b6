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
use crate::memory::{Contents, Range, Start};
use crate::state::State;
use crate::value::{OBJECT_WIDTH, OFFSET_WIDTH, Pointer, Value};

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
                let (width, count) = (contents.bits.index_width(), contents.bits.count());
                contents.bits = CellArray::same(repeated(terms, byte, cell), width, count);
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
                match piece.value {
                    Value::Pointer(pointer) => {
                        encoder.note_targets(number, pointer.object);
                        range.write_pointer(&mut encoder.terms, contents, pointer);
                    }
                    Value::Scalar(bits) => range.write_bits(&mut encoder.terms, contents, bits),
                    Value::Unset => {}
                }
                if let Some(written) = piece.written {
                    let cell_array = written_cells(&mut encoder.terms, contents, cell);
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
        let targets = self.targets(state, place);
        targets
            .iter()
            .any(|target| state.contents(target.number).is_some_and(|contents| contents.owners.is_some()))
    }

    /// Reads some bytes as bits, in every mode of integers.
    pub(crate) fn read_bytes(&mut self, state: &mut State, place: Pointer, size: u64) -> Term {
        let mut result: Option<Term> = None;
        for Target { number, here, offset } in self.targets(state, place) {
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            let range = Range { offset, size, cell: self.objects[number as usize].cell };
            let bits = range.read_bits(&mut self.terms, &mut contents);
            // Reading can bring the contents into another form, which is worth keeping.
            state.set_contents(number, contents);
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
        let targets = self.targets(state, place);
        let tracked = |target: &Target| state.contents(target.number).is_some_and(|c| c.written.is_some());
        if !targets.iter().any(tracked) {
            return None;
        }
        let mut result = ones(&mut self.terms, size);
        for Target { number, here, offset } in targets {
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            if let Some(cell_array) = &mut contents.written {
                let range = Range { offset, size, cell: self.objects[number as usize].cell };
                let bits = range.read(&mut self.terms, cell_array, 1);
                result = self.terms.ite(here, bits, result);
                state.set_contents(number, contents);
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
        let aligned = |terms: &Terms, term: Term| match known(terms, term) {
            Some(number) => number.is_multiple_of(cell),
            None => terms.trailing_zeros(term) >= cell.trailing_zeros(),
        };
        let filling = match filling {
            Filling::Copy(source) if !self.keeps_pointers(before, target, source) => Filling::Unknown,
            filling => filling,
        };
        let few = contents.bits.count().filter(|&count| count <= FEW);
        let whole = aligned(&self.terms, target.offset) && aligned(&self.terms, size);
        let span = Span { number: target.number, start: target.offset, size, cell };
        match (few, whole) {
            (Some(count), true) => self.rewrite_cells(before, contents, span, count, filling),
            (Some(count), false) => self.rewrite_bytes(before, contents, span, count, filling),
            (None, true) => self.rewrite_arrays(before, contents, span, filling),
            (None, false) => self.forget(before, contents, target.number, filling),
        }
    }

    /// Whether a copy takes pointers as a whole, if there are any.
    fn keeps_pointers(&mut self, before: &State, target: Target, source: Pointer) -> bool {
        let width = self.program.data_model.pointer_bytes();
        let targets = self.targets(before, source);
        let mut holders = targets.iter().filter(|target| {
            before.contents(target.number).is_some_and(|contents| contents.owners.is_some())
        });
        let has_width = |target: &Target| self.objects[target.number as usize].cell == width;
        let aligned = |offset: Term| match known(&self.terms, offset) {
            Some(offset) => offset.is_multiple_of(width),
            None => self.terms.trailing_zeros(offset) >= width.trailing_zeros(),
        };
        holders.all(|holder| {
            has_width(holder) && has_width(&target) && aligned(holder.offset) && aligned(target.offset)
        })
    }

    /// Whether an offset lies in a range.
    fn is_in_span(&mut self, span: Span, offset: Term) -> Term {
        let after = self.terms.binary(Binary::BitSubtract, offset, span.start);
        self.terms.binary(Binary::UnsignedLess, after, span.size)
    }

    /// What some bytes at an offset become if they are in the range.
    fn filled(
        &mut self,
        before: &mut State,
        span: Span,
        offset: Term,
        size: u64,
        filling: Filling<'_>,
    ) -> Cell {
        match filling {
            Filling::Byte(byte) => {
                let (bits, written) = (repeated(&mut self.terms, byte, size), ones(&mut self.terms, size));
                Cell { bits: Some(bits), owner: None, written: Some(written) }
            }
            Filling::Copy(source) => {
                let after = self.terms.binary(Binary::BitSubtract, offset, span.start);
                let place = self.terms.binary(Binary::BitAdd, source.offset, after);
                let place = Pointer { offset: place, ..source };
                let written = self.written_bits(before, place, size);
                let written = written.unwrap_or_else(|| ones(&mut self.terms, size));
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
            Filling::Such(_) => Cell { bits: None, owner: None, written: Some(ones(&mut self.terms, size)) },
            Filling::Unknown => Cell { bits: None, owner: None, written: None },
        }
    }

    /// Whether bytes that a filling leaves behind may count as not written.
    fn may_be_unwritten(&mut self, before: &State, filling: Filling<'_>) -> bool {
        match filling {
            Filling::Byte(_) | Filling::Such(_) => false,
            Filling::Unknown => self.options.checks.contains(program::Obligation::Uninitialised),
            Filling::Copy(source) => {
                let targets = self.targets(before, source);
                targets.iter().any(|target| {
                    before.contents(target.number).is_some_and(|contents| contents.written.is_some())
                })
            }
        }
    }

    /// Changes whole cells of an object of few.
    fn rewrite_cells(
        &mut self,
        before: &mut State,
        contents: &mut Contents,
        span: Span,
        count: u64,
        filling: Filling<'_>,
    ) {
        let tracked = contents.written.is_some() || self.may_be_unwritten(before, filling);
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        for index in 0..count {
            let offset = self.terms.bits(OFFSET_WIDTH, u128::from(index * span.cell));
            let inside = self.is_in_span(span, offset);
            if self.terms.is_false(inside) {
                continue;
            }
            let new = self.filled(before, span, offset, span.cell, filling);
            let bits = match new.bits {
                Some(bits) => bits,
                None => self.arbitrary_bytes(offset, span.cell, inside, filling),
            };
            let old = contents.bits.get(&mut self.terms, index);
            contents.bits.set(index, self.terms.ite(inside, bits, old));
            if new.owner.is_some() || contents.owners.is_some() {
                let shape = (contents.bits.index_width(), contents.bits.count());
                let owners = contents.owners.get_or_insert_with(|| CellArray::same(none, shape.0, shape.1));
                let old = owners.get(&mut self.terms, index);
                owners.set(index, self.terms.ite(inside, new.owner.unwrap_or(none), old));
            }
            if tracked {
                let written = self.or_arbitrary(new.written, span.cell as u32);
                let cell_array = written_cells(&mut self.terms, contents, span.cell);
                let old = cell_array.get(&mut self.terms, index);
                cell_array.set(index, self.terms.ite(inside, written, old));
            }
        }
    }

    /// Changes bytes of an object of few cells.
    fn rewrite_bytes(
        &mut self,
        before: &mut State,
        contents: &mut Contents,
        span: Span,
        count: u64,
        filling: Filling<'_>,
    ) {
        let tracked = contents.written.is_some() || self.may_be_unwritten(before, filling);
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        for index in 0..count {
            let old = contents.bits.get(&mut self.terms, index);
            let old_written = tracked
                .then(|| written_cells(&mut self.terms, contents, span.cell).get(&mut self.terms, index));
            let (mut bits, mut written) = (None, None);
            let (mut touched, mut covered) = (Vec::new(), Vec::new());
            for byte in 0..span.cell {
                let offset = self.terms.bits(OFFSET_WIDTH, u128::from(index * span.cell + byte));
                let inside = self.is_in_span(span, offset);
                let new = self.filled(before, span, offset, 1, filling);
                let new_bits = match new.bits {
                    Some(bits) => bits,
                    None => self.arbitrary_bytes(offset, 1, inside, filling),
                };
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
                touched.push(inside);
                covered.push(inside);
            }
            let (touched, covered) = (self.terms.any(&touched), self.terms.all(&covered));
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
    fn rewrite_arrays(
        &mut self,
        before: &mut State,
        contents: &mut Contents,
        span: Span,
        filling: Filling<'_>,
    ) {
        let tracked = contents.written.is_some() || self.may_be_unwritten(before, filling);
        let width = contents.bits.index_width();
        let bound = self.terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let index = self.terms.resize(bound, width, false);
        let shift = self.terms.bits(OFFSET_WIDTH, span.cell.trailing_zeros().into());
        let offset = self.terms.binary(Binary::ShiftLeft, bound, shift);
        let inside = self.is_in_span(span, offset);
        let filling = self.quantifiable(before, span, offset, filling);
        let new = self.filled(before, span, offset, span.cell, filling);
        let place = Place { bound, index, inside };
        let property = match filling {
            Filling::Such(property) if span.cell == 1 => Some((property, offset)),
            _ => None,
        };
        let name = self.objects[span.number as usize].name.clone();
        self.redefine(&mut contents.bits, &name, place, new.bits, property);
        let none = self.terms.bits(OBJECT_WIDTH, 0);
        if new.owner.is_some() || contents.owners.is_some() {
            let shape = (contents.bits.index_width(), contents.bits.count());
            let mut owners =
                contents.owners.take().unwrap_or_else(|| CellArray::same(none, shape.0, shape.1));
            let owner = Some(new.owner.unwrap_or(none));
            self.redefine(&mut owners, &format!("owners of {name}"), place, owner, None);
            contents.owners = Some(owners);
        }
        if tracked {
            let mut cell_array = written_cells(&mut self.terms, contents, span.cell).clone();
            self.redefine(&mut cell_array, &format!("written of {name}"), place, new.written, None);
            contents.written = Some(cell_array);
        }
    }

    /// A filling that has no fresh symbols in it, which would be the same for all cells: those of pointers read in parts.
    fn quantifiable<'a>(
        &mut self,
        before: &State,
        span: Span,
        offset: Term,
        filling: Filling<'a>,
    ) -> Filling<'a> {
        let Filling::Copy(source) = filling else { return filling };
        if !self.holds_pointers(before, source) {
            return filling;
        }
        let after = self.terms.binary(Binary::BitSubtract, offset, span.start);
        let place = self.terms.binary(Binary::BitAdd, source.offset, after);
        let targets = self.targets(before, Pointer { offset: place, ..source });
        let aligned =
            |target: &Target| self.terms.trailing_zeros(target.offset) >= span.cell.trailing_zeros();
        if targets.iter().all(aligned) { filling } else { Filling::Unknown }
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
    fn forget(&mut self, before: &mut State, contents: &mut Contents, number: u32, filling: Filling<'_>) {
        let tracked = contents.written.is_some() || self.may_be_unwritten(before, filling);
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
    pub(crate) fn scatter(&mut self, state: &State, contents: &mut Contents, number: u32) {
        self.forget(&mut state.clone(), contents, number, Filling::Unknown);
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
struct Span {
    number: u32,
    start: Term,
    size: Term,
    cell: u64,
}

/// Any cell: its number as wide as an offset, as an index, and whether it is in the range.
#[derive(Clone, Copy)]
struct Place {
    bound: Term,
    index: Term,
    inside: Term,
}

/// The cell array that says which bytes were written, made if all were so far.
fn written_cells<'a>(terms: &mut Terms, contents: &'a mut Contents, cell: u64) -> &'a mut CellArray {
    let (width, count) = (contents.bits.index_width(), contents.bits.count());
    let all = ones(terms, cell);
    contents.written.get_or_insert_with(|| CellArray::same(all, width, count))
}

/// As many ones as this.
fn ones(terms: &mut Terms, count: u64) -> Term {
    terms.value(&logic::Value::BitVector(logic::BitVector::ones(count as u32)))
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

/// A number that is known.
pub(crate) fn known(terms: &Terms, term: Term) -> Option<u64> {
    terms.known_bits(term).and_then(|bits| bits.to_u128()).and_then(|bits| bits.try_into().ok())
}

fn known_pointer(terms: &Terms, pointer: Pointer) -> bool {
    known(terms, pointer.object).is_some() && known(terms, pointer.offset).is_some()
}

/// How many bytes to take at once, at most so many: a cell where the place is at its start, else a byte.
fn chunk(terms: &Terms, offset: Term, cell: u64, left: u64) -> u64 {
    let aligned = match terms.known_bits(offset).and_then(|bits| bits.to_u128()) {
        Some(offset) => offset % u128::from(cell) == 0,
        None => terms.trailing_zeros(offset) >= cell.trailing_zeros(),
    };
    if aligned && cell <= left { cell } else { 1 }
}
