//! Accesses through pointers: which objects they can reach, what they require, and what they read and write.

use logic::substitute::Substitution;
use logic::{Binary, Node, Sort, Term, Terms, Unary};
use program::{Obligation, Type};
use rustc_hash::FxHashMap;

use crate::encoder::{Encoder, Incompleteness};
use crate::memory::{Contents, Kind, Range};
use crate::state::{State, merge_values};
use crate::value::{OFFSET_WIDTH, Pointer, Value, known};

/// Addresses below this one are null pointers to which an offset was added.
const NULL_PAGE: u128 = 4096;

/// How many choices of a pointer are followed to take its cases apart.
const CHOICES: usize = 60;

/// No term is restricted that has more parts.
const LARGE: usize = 300;

/// An object that a pointer can point to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The object.
    pub number: u32,
    /// When the pointer points to it.
    pub here: Term,
    /// The pointer's offset, for the case that it does.
    pub offset: Term,
}

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

/// The offset of a pointer for the case that its object is a certain one. Pointers to different objects that were
/// merged have their offsets merged by the same conditions: this takes them apart again.
struct Restriction {
    number: u32,
    done: FxHashMap<Pointer, Option<Term>>,
}

impl Restriction {
    /// The offset, or nothing if the object cannot be that one.
    fn offset(&mut self, terms: &mut Terms, pointer: Pointer) -> Option<Term> {
        if let Some(done) = self.done.get(&pointer) {
            return *done;
        }
        let offset = match terms.node(pointer.object) {
            Node::Ite(condition, then, otherwise) if self.done.len() < CHOICES => {
                let (x, y) = match terms.node(pointer.offset) {
                    Node::Constant(_) => (pointer.offset, pointer.offset),
                    Node::Ite(same, x, y) if same == condition => (x, y),
                    _ => assuming(terms, pointer.offset, condition),
                };
                let x = self.offset(terms, Pointer { object: then, offset: x });
                let y = self.offset(terms, Pointer { object: otherwise, offset: y });
                match (x, y) {
                    (Some(x), Some(y)) => Some(terms.ite(condition, x, y)),
                    (x, y) => x.or(y),
                }
            }
            Node::Constant(_) => {
                (known(terms, pointer.object) == Some(self.number.into())).then_some(pointer.offset)
            }
            _ => Some(pointer.offset),
        };
        self.done.insert(pointer, offset);
        offset
    }
}

/// A term for the case that a condition holds, and for the case that it does not.
fn assuming(terms: &mut Terms, term: Term, condition: Term) -> (Term, Term) {
    if terms.reachable(&[term]).len() > LARGE {
        return (term, term);
    }
    let when = Substitution::new(consequences(terms, condition, true)).apply(terms, term);
    let unless = Substitution::new(consequences(terms, condition, false)).apply(terms, term);
    (when, unless)
}

/// What is true and what is false if a condition has this truth.
fn consequences(terms: &mut Terms, condition: Term, truth: bool) -> Vec<(Term, Term)> {
    let mut known = Vec::new();
    let mut stack = vec![(condition, truth)];
    while let Some((condition, truth)) = stack.pop() {
        known.push((condition, terms.bool(truth)));
        match (terms.node(condition), truth) {
            (Node::Unary(Unary::Not, inner), _) => stack.push((inner, !truth)),
            (Node::Binary(Binary::And, a, b), true) | (Node::Binary(Binary::Or, a, b), false) => {
                stack.extend([(a, truth), (b, truth)]);
            }
            _ => {}
        }
    }
    known
}

impl Encoder<'_> {
    /// The objects that a pointer can point to.
    pub(crate) fn targets(&mut self, state: &State, pointer: Pointer) -> Vec<Target> {
        let candidates = self.candidates(pointer.object);
        // A pointer that may point nowhere has an offset of its own for that case.
        let several = candidates.len() > 1 || self.known_number(pointer.object).is_none();
        let mut targets = Vec::new();
        for number in candidates {
            let known = state.contents(number).is_some();
            let is_function = matches!(self.objects[number as usize].kind, Kind::Function(_));
            if !known && !is_function {
                continue;
            }
            let term = self.number_term(number);
            let here = self.terms.equal(pointer.object, term);
            if self.terms.is_false(here) {
                continue;
            }
            let own = several.then(|| self.offset_in(pointer, number)).flatten();
            let offset = own.unwrap_or(pointer.offset);
            targets.push(Target { number, here, offset });
        }
        targets
    }

    /// The offset of a pointer for the case that it points to a certain object, or nothing if it cannot.
    pub(crate) fn offset_in(&mut self, pointer: Pointer, number: u32) -> Option<Term> {
        Restriction { number, done: FxHashMap::default() }.offset(&mut self.terms, pointer)
    }

    /// Whether a pointer points to no object that is known, and whether it is at an address where none is.
    pub(crate) fn place(&mut self, pointer: Pointer) -> (Term, Term) {
        let none = self.number_term(0);
        let no_object = self.terms.equal(pointer.object, none);
        let page = self.terms.bits(OFFSET_WIDTH, NULL_PAGE);
        (no_object, self.terms.binary(Binary::UnsignedLess, pointer.offset, page))
    }

    /// When a pointer may point to an object that an undefined function gave: the encoding takes an access to it for a
    /// violation, and does not go on. Nothing if no such function is called.
    pub fn may_be_outside(&mut self, pointer: Pointer) -> Option<Term> {
        if !self.calls_outside {
            return None;
        }
        let (no_object, low) = self.place(pointer);
        let high = self.terms.not(low);
        Some(self.terms.and(no_object, high))
    }

    /// Requires that an access of some bytes is possible. Nothing is asked for zero bytes.
    pub(crate) fn require_access(&mut self, state: &mut State, pointer: Pointer, size: Term, access: Access) {
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let nothing = self.terms.equal(size, zero);
        if self.terms.is_true(nothing) {
            for obligation in [Obligation::Null, Obligation::Dangling, Obligation::OutOfBounds] {
                self.note_required(obligation, true);
            }
            return;
        }
        self.checked.push((pointer, size));
        let (no_object, low) = self.place(pointer);
        let null = self.terms.and(no_object, low);
        self.end_unknown(state, [no_object, low, nothing]);
        let targets = self.targets(state, pointer);
        if access == Access::Write {
            self.end_shared(state, &targets);
        }
        let (mut alive, mut inside) = (Vec::new(), Vec::new());
        for &Target { number, here, offset } in &targets {
            let object = &self.objects[number as usize];
            let (object_size, writable) = (object.size, object.writable);
            let data = !matches!(object.kind, Kind::Function(_));
            let lives = state.contents(number).map(|contents| contents.alive);
            let lives = lives.unwrap_or_else(|| self.terms.bool(!data));
            alive.push(self.terms.and(here, lives));
            if data && (writable || access != Access::Write) {
                let fits = self.fits(offset, size, object_size);
                inside.push(self.terms.and(here, fits));
            }
        }
        let (alive, inside) = (self.terms.any(&alive), self.terms.any(&inside));
        let terms = &mut self.terms;
        // An address that is no object's is outside all of them.
        let known = terms.or(no_object, alive);
        let vcs = [
            (Obligation::Null, terms.not(null)),
            (Obligation::Dangling, known),
            (Obligation::OutOfBounds, inside),
        ];
        self.access = Some((pointer, size));
        for (obligation, condition) in vcs {
            let condition = self.terms.or(nothing, condition);
            self.check_condition(state, obligation, condition);
        }
        self.access = None;
        if access == Access::Read {
            self.require_written(state, pointer, size);
        }
    }

    /// Ends the paths on which an address belongs to no object that is known here. It may be one of the world outside:
    /// so the verification condition that follows is not met, but a run may well go on.
    pub(crate) fn end_unknown(&mut self, state: &State, [no_object, low, nothing]: [Term; 3]) {
        let terms = &mut self.terms;
        let (not_low, something) = (terms.not(low), terms.not(nothing));
        let unknown = terms.all(&[no_object, not_low, something]);
        if self.terms.is_false(unknown) {
            return;
        }
        let mut lost = state.clone();
        lost.assume(&mut self.terms, unknown);
        let what = String::from("an access through an address of which nothing is known");
        self.give_up(&mut lost, Incompleteness::Unsupported(what));
    }

    /// Requires that bytes that are there were written.
    pub(crate) fn require_written(&mut self, state: &mut State, pointer: Pointer, size: Term) {
        if !self.options.checks.contains(Obligation::Uninitialised) {
            return;
        }
        let zero = self.terms.bits(OFFSET_WIDTH, 0);
        let nothing = self.terms.equal(size, zero);
        if self.terms.is_true(nothing) {
            return;
        }
        let targets = self.targets(state, pointer);
        let written = self.is_written(state, &targets, size);
        let condition = self.terms.or(nothing, written);
        self.check_condition(state, Obligation::Uninitialised, condition);
    }

    /// Requires that an access is possible, unless a check in front of it has done so: an access that nobody checks
    /// must not go by unseen.
    pub(crate) fn ensure_access(&mut self, state: &mut State, pointer: Pointer, ty: Type, access: Access) {
        let size = ty.bytes(self.program.data_model);
        let covers = |&(checked, known): &(Pointer, Term)| {
            checked == pointer && self::known(&self.terms, known).is_some_and(|bytes| bytes >= size)
        };
        if !self.checked.iter().any(covers) {
            let size = self.terms.bits(OFFSET_WIDTH, size.into());
            self.require_access(state, pointer, size, access);
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

    /// Whether bytes were written. Of a range that is long, or whose size is not known, it is whether an arbitrary byte
    /// was: if one was not, the verification condition is violated for that one.
    fn is_written(&mut self, state: &mut State, targets: &[Target], size: Term) -> Term {
        let known = known(&self.terms, size);
        let any = self.terms.fresh("any byte", Sort::BitVector(OFFSET_WIDTH));
        let mut conditions = Vec::new();
        for &Target { number, here, offset } in targets {
            let cell = self.objects[number as usize].cell;
            let Some(contents) = state.contents_mut(number) else { continue };
            let written = match (known, &contents.written) {
                (_, None) => self.terms.bool(true),
                (Some(size), Some(_)) if size <= 64 => {
                    Range { offset, size, cell }.is_written(&mut self.terms, contents)
                }
                _ => {
                    let at = self.terms.binary(Binary::BitAdd, offset, any);
                    let inside = self.terms.binary(Binary::UnsignedLess, any, size);
                    let range = Range { offset: at, size: 1, cell };
                    let written = range.is_written(&mut self.terms, contents);
                    self.terms.implies(inside, written)
                }
            };
            conditions.push(self.terms.and(here, written));
        }
        self.terms.any(&conditions)
    }

    /// Reads a value. The access is known to be possible.
    pub(crate) fn load(&mut self, state: &mut State, pointer: Pointer, ty: Type) -> Value {
        let size = ty.bytes(self.program.data_model);
        let mut result: Option<Value> = None;
        for Target { number, here, offset } in self.targets(state, pointer) {
            // Reading can bring the contents into another form, which is worth keeping.
            let Some(contents) = state.contents_mut(number) else { continue };
            let value = if ty == Type::Pointer && self.holds_words(number) {
                self.word(state, number, offset)
            } else {
                let range = Range { offset, size, cell: self.objects[number as usize].cell };
                self.load_from(number, contents, range, ty)
            };
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
                let targets: Vec<u32> = self.objects[number as usize].targets.iter().copied().collect();
                self.note_possible(pointer.object, &targets);
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
                self.bits_value(integer, bits)
            }
            Type::Float(format) => {
                let bits = range.read_bits(terms, contents);
                Value::Scalar(terms.resize(bits, format.bits(), false))
            }
        }
    }

    /// Writes a value. The access is known to be possible.
    pub(crate) fn store(&mut self, state: &mut State, pointer: Pointer, value: Value, ty: Type) {
        let size = ty.bytes(self.program.data_model);
        let value = match value {
            Value::Pointer(pointer) => Value::Pointer(pointer),
            _ => {
                let term = self.as_term(value);
                Value::Scalar(self.stored_bits(state, term, ty))
            }
        };
        self.update(state, pointer, |encoder, Target { number, offset, .. }, contents| {
            let range = Range { offset, size, cell: encoder.objects[number as usize].cell };
            encoder.write(number, contents, range, value);
        });
    }

    /// Writes a pointer or bits to a range of an object.
    pub(crate) fn write(&mut self, number: u32, contents: &mut Contents, range: Range, value: Value) {
        match value {
            Value::Pointer(stored) => {
                self.note_targets(number, stored.object);
                range.write_pointer(&mut self.terms, contents, stored);
            }
            Value::Scalar(bits) => range.write_bits(&mut self.terms, contents, bits),
            Value::Unset => {}
        }
    }

    /// The bits of a value in memory, as many as its type takes there.
    fn stored_bits(&mut self, state: &mut State, term: Term, ty: Type) -> Term {
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
                    let what = format!("a number that does not fit the {integer} in memory");
                    self.give_up_unless(state, fits, what);
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
        mut change: impl FnMut(&mut Self, Target, &mut Contents),
    ) {
        let targets = self.targets(state, pointer);
        let certain = targets.len() == 1;
        for target in targets {
            let Target { number, here, .. } = target;
            let Some(old) = state.contents(number).cloned() else { continue };
            let mut new = old.clone();
            change(self, target, &mut new);
            // With one object only, the verification conditions made sure that it is the one.
            let contents = if certain { new } else { Contents::merge(&mut self.terms, here, &new, &old) };
            state.set_contents(number, contents);
        }
    }
}
