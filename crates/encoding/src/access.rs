//! Accesses through pointers: which objects they can reach, what they demand, and what they read and write.

use base::Location;
use logic::{Binary, Sort, Term, Unary};
use program::{Obligation, Type};

use crate::encoder::{Encoder, LooseEnd};
use crate::memory::{Contents, Kind, Range};
use crate::state::{State, merge_values};
use crate::value::{OFFSET_WIDTH, Pointer, Value};

/// Addresses below this one are null pointers to which an offset was added.
const NULL_PAGE: u128 = 4096;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// The bytes must be there.
    Touch,
    /// They must have been written.
    Read,
    /// They must be writable.
    Write,
}

impl Encoder<'_> {
    /// The objects that a pointer can point to, each with the condition that it does.
    pub(crate) fn targets(&mut self, state: &State, pointer: Pointer) -> Vec<(u32, Term)> {
        let mut targets = Vec::new();
        for number in self.candidates(pointer.object) {
            let known = state.contents(number).is_some();
            let is_function = matches!(self.objects[number as usize].kind, Kind::Function(_));
            if known || is_function {
                let term = self.number_term(number);
                let here = self.terms.equal(pointer.object, term);
                if !self.terms.is_false(here) {
                    targets.push((number, here));
                }
            }
        }
        targets
    }

    /// Demands that an access of some bytes is possible. Nothing is asked for zero bytes.
    pub(crate) fn demand_access(
        &mut self,
        state: &mut State,
        pointer: Pointer,
        size: Term,
        access: Access,
        location: Location,
    ) {
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let nothing = self.terms.equal(size, zero);
        if self.terms.is_true(nothing) {
            return;
        }
        let none = self.number_term(0);
        let no_object = self.terms.equal(pointer.object, none);
        let page = self.terms.bits(OFFSET_WIDTH, NULL_PAGE);
        let low = self.terms.binary(Binary::UnsignedLess, pointer.offset, page);
        let null = self.terms.and(no_object, low);
        let targets = self.targets(state, pointer);
        let (mut alive, mut inside) = (Vec::new(), Vec::new());
        for &(number, here) in &targets {
            let object = &self.objects[number as usize];
            let (object_size, writable) = (object.size, object.writable);
            let data = !matches!(object.kind, Kind::Function(_));
            let lives = state.contents(number).map(|contents| contents.alive);
            let lives = lives.unwrap_or_else(|| self.terms.bool(!data));
            alive.push(self.terms.and(here, lives));
            if data && (writable || access != Access::Write) {
                let fits = self.fits(pointer.offset, size, object_size);
                inside.push(self.terms.and(here, fits));
            }
        }
        let (alive, inside) = (self.terms.any(&alive), self.terms.any(&inside));
        let terms = &mut self.terms;
        // An address that is no object's is outside all of them.
        let known = terms.or(no_object, alive);
        let demands = [
            (Obligation::Null, terms.not(null)),
            (Obligation::Dangling, known),
            (Obligation::OutOfBounds, inside),
        ];
        for (obligation, condition) in demands {
            let condition = self.terms.or(nothing, condition);
            self.demand(state, obligation, condition, location);
        }
        if access == Access::Read && self.options.checks.contains(Obligation::Uninitialised) {
            let written = self.is_written(state, &targets, pointer.offset, size);
            let condition = self.terms.or(nothing, written);
            self.demand(state, Obligation::Uninitialised, condition, location);
        }
    }

    /// Whether a range starts and ends in an object of a size.
    pub(crate) fn fits(&mut self, offset: Term, size: Term, object_size: Term) -> Term {
        let terms = &mut self.terms;
        let starts = terms.binary(Binary::UnsignedLessEqual, offset, object_size);
        let left = terms.binary(Binary::BitSubtract, object_size, offset);
        let ends = terms.binary(Binary::UnsignedLessEqual, size, left);
        terms.and(starts, ends)
    }

    /// Whether bytes were written. A range without a known size is taken not to be.
    fn is_written(&mut self, state: &mut State, targets: &[(u32, Term)], offset: Term, size: Term) -> Term {
        let known = self.terms.known_bits(size).and_then(|bits| bits.to_u128()).map(|bits| bits as u64);
        let mut conditions = Vec::new();
        for &(number, here) in targets {
            let cell = self.objects[number as usize].cell;
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            let written = match (known, &contents.written) {
                (_, None) => self.terms.bool(true),
                (Some(size), Some(_)) if size <= 64 => {
                    Range { offset, size, cell }.is_written(&mut self.terms, &mut contents)
                }
                _ => self.terms.fresh("written", Sort::Bool),
            };
            state.set_contents(number, contents);
            conditions.push(self.terms.and(here, written));
        }
        self.terms.any(&conditions)
    }

    /// Reads a value. The access is known to be possible.
    pub(crate) fn load(&mut self, state: &mut State, pointer: Pointer, ty: Type) -> Value {
        let size = ty.bytes(self.program.data_model);
        let mut result: Option<Value> = None;
        for (number, here) in self.targets(state, pointer) {
            let Some(contents) = state.contents(number) else { continue };
            let mut contents = contents.clone();
            let range = Range { offset: pointer.offset, size, cell: self.objects[number as usize].cell };
            let value = self.load_from(number, &mut contents, range, ty);
            // Reading can bring the contents into another form, which is worth keeping.
            state.set_contents(number, contents);
            result = Some(match result {
                None => value,
                Some(other) => merge_values(&mut self.terms, here, value, other),
            });
        }
        match result {
            Some(value) => value,
            None => self.arbitrary("value of no object", ty),
        }
    }

    fn load_from(&mut self, number: u32, contents: &mut Contents, range: Range, ty: Type) -> Value {
        let terms = &mut self.terms;
        match ty {
            Type::Pointer => {
                let pointer = range.read_pointer(terms, contents);
                if self.terms.known(pointer.object).is_none() {
                    let targets: Vec<u32> = self.objects[number as usize].targets.iter().copied().collect();
                    self.possible.insert(pointer.object, targets.into());
                }
                Value::Pointer(pointer)
            }
            Type::Bool => {
                let bits = range.read_bits(terms, contents);
                let zero = terms.bits(terms.width(bits), 0);
                Value::Scalar(terms.differ(bits, zero))
            }
            Type::Integer(integer) => {
                let bits = range.read_bits(terms, contents);
                let bits = terms.resize(bits, integer.width.into(), false);
                if !self.is_mathematical() {
                    return Value::Scalar(bits);
                }
                let op = if integer.signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                Value::Scalar(self.terms.unary(op, bits))
            }
            Type::Float(format) => {
                let bits = range.read_bits(terms, contents);
                Value::Scalar(terms.resize(bits, format.bits(), false))
            }
        }
    }

    /// Writes a value. The access is known to be possible.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        pointer: Pointer,
        value: Value,
        ty: Type,
        location: Location,
    ) {
        let size = ty.bytes(self.program.data_model);
        let value = match value {
            Value::Pointer(pointer) => Value::Pointer(pointer),
            _ => {
                let term = self.as_term(value);
                Value::Scalar(self.stored_bits(state, term, ty, location))
            }
        };
        self.update(state, pointer, |encoder, number, contents| {
            let range = Range { offset: pointer.offset, size, cell: encoder.objects[number as usize].cell };
            match value {
                Value::Pointer(stored) => {
                    encoder.note_targets(number, stored.object);
                    range.write_pointer(&mut encoder.terms, contents, stored);
                }
                Value::Scalar(bits) => range.write_bits(&mut encoder.terms, contents, bits),
                Value::Unset => {}
            }
        });
    }

    /// The bits of a value in memory, as many as its type takes there.
    fn stored_bits(&mut self, state: &mut State, term: Term, ty: Type, location: Location) -> Term {
        let width = 8 * ty.bytes(self.program.data_model) as u32;
        let terms = &mut self.terms;
        match (ty, terms.sort(term)) {
            (_, Sort::Bool) => {
                let (one, zero) = (terms.bits(width, 1), terms.bits(width, 0));
                terms.ite(term, one, zero)
            }
            (Type::Integer(integer), Sort::Integer) => {
                let bits = terms.unary(Unary::IntegerToBits(integer.width.into()), term);
                let op = if integer.signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                let back = terms.unary(op, bits);
                let fits = terms.equal(back, term);
                let stored = terms.resize(bits, width, integer.signed);
                if !self.terms.is_true(fits) {
                    let mut lost = state.clone();
                    let not = self.terms.not(fits);
                    lost.assume(&mut self.terms, not);
                    let what = format!("a number that does not fit the {integer} in memory");
                    self.give_up(&mut lost, LooseEnd::Unsupported(what), location);
                    state.assume(&mut self.terms, fits);
                }
                stored
            }
            (Type::Integer(integer), _) => terms.resize(term, width, integer.signed),
            _ => terms.resize(term, width, false),
        }
    }

    /// Changes the object that a pointer points to, whichever it is.
    pub(crate) fn update(
        &mut self,
        state: &mut State,
        pointer: Pointer,
        mut change: impl FnMut(&mut Self, u32, &mut Contents),
    ) {
        let targets = self.targets(state, pointer);
        let certain = targets.len() == 1;
        for (number, here) in targets {
            let Some(old) = state.contents(number).cloned() else { continue };
            let mut new = old.clone();
            change(self, number, &mut new);
            // With one object only, the demands made sure that it is the one.
            let contents =
                if certain { new } else { Contents::merge(&mut self.terms, here, &new, &old) };
            state.set_contents(number, contents);
        }
    }

    /// Lets the object that a pointer points to hold anything.
    pub(crate) fn scramble(&mut self, state: &mut State, pointer: Pointer) {
        self.update(state, pointer, |encoder, number, contents| {
            let object = encoder.objects[number as usize].clone();
            let known = contents.bits.count().map(|count| count * object.cell);
            let alive = contents.alive;
            let start = crate::memory::Start::Unknown;
            *contents = Contents::new(&mut encoder.terms, &object, known, start, false);
            contents.alive = alive;
        });
    }
}
