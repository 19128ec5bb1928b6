//! Models of the functions of `string.h` that measure, copy and compare strings.
//!
//! Lengths and results are exact. A copy knows where its string ends; strings that overlap are copied as if they did not,
//! as in the interpreter.

use logic::{Binary, Term};

use super::{Call, INT, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::memory::Start;
use crate::state::State;
use crate::strings::Stretch;
use crate::value::Pointer;

pub(super) const MODELS: &[Row] = &[
    ("strlen", 1, |encoder, state, call| {
        let text = encoder.pointer_argument(call, 0);
        let length = encoder.require_length(state, text, None);
        encoder.returns_size(length, false)
    }),
    ("strnlen", 2, |encoder, state, call| {
        let (text, limit) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 1));
        let length = encoder.require_length(state, text, Some(limit));
        encoder.returns_size(length, false)
    }),
    ("strcpy", 2, |encoder, state, call| {
        let (to, _) = copy(encoder, state, call);
        encoder.returns_pointer(to)
    }),
    ("stpcpy", 2, |encoder, state, call| {
        let (to, length) = copy(encoder, state, call);
        let end = encoder.moved(to, length);
        encoder.returns_pointer(end)
    }),
    ("strncpy", 3, |encoder, state, call| {
        let (to, _) = copy_padded(encoder, state, call);
        encoder.returns_pointer(to)
    }),
    ("stpncpy", 3, |encoder, state, call| {
        let (to, length) = copy_padded(encoder, state, call);
        let end = encoder.moved(to, length);
        encoder.returns_pointer(end)
    }),
    ("strcat", 2, |encoder, state, call| append(encoder, state, call, None)),
    ("strncat", 3, |encoder, state, call| {
        let limit = encoder.size_argument(call, 2);
        append(encoder, state, call, Some(limit))
    }),
    ("strlcpy", 3, |encoder, state, call| copy_within(encoder, state, call, false)),
    ("strlcat", 3, |encoder, state, call| copy_within(encoder, state, call, true)),
    ("strcmp", 2, |encoder, state, call| compare(encoder, state, call, None, false)),
    ("strcoll", 2, |encoder, state, call| compare(encoder, state, call, None, false)),
    ("strcasecmp", 2, |encoder, state, call| compare(encoder, state, call, None, true)),
    ("stricmp", 2, |encoder, state, call| compare(encoder, state, call, None, true)),
    ("strncmp", 3, |encoder, state, call| {
        let limit = encoder.size_argument(call, 2);
        compare(encoder, state, call, Some(limit), false)
    }),
    ("strncasecmp", 3, |encoder, state, call| {
        let limit = encoder.size_argument(call, 2);
        compare(encoder, state, call, Some(limit), true)
    }),
    ("strdup", 1, |encoder, state, call| duplicate(encoder, state, call, None)),
    ("strndup", 2, |encoder, state, call| {
        let limit = encoder.size_argument(call, 1);
        duplicate(encoder, state, call, Some(limit))
    }),
];

impl Encoder<'_> {
    /// Whether a search has ended at a place before its limit, how many bytes come before that, and how many were
    /// examined.
    pub(super) fn looked_at(&mut self, start: Pointer, place: Term, limit: Term) -> (Term, Term, Term) {
        let found = self.less(place, limit);
        let before = self.subtract(place, start.offset);
        let with_it = self.after(before);
        (found, before, self.terms.ite(found, with_it, before))
    }

    /// Requires that bytes can be read up to a terminator or a limit, and says how many come before it.
    pub(super) fn require_length(&mut self, state: &mut State, text: Pointer, limit: Option<Term>) -> Term {
        match limit {
            Some(limit) => self.require_bounded(state, text, limit),
            None => {
                let end = self.require_string(state, text);
                self.subtract(end, text.offset)
            }
        }
    }

    /// Writes a terminator where it is known to be possible.
    pub(super) fn terminate(&mut self, state: &mut State, place: Pointer) {
        let (zero, one) = (self.terms.bits(8, 0), self.offset(1));
        self.fill(state, place, zero, one);
    }
}

/// Copies a string with its terminator.
fn copy(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> (Pointer, Term) {
    let (to, from) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let length = encoder.require_length(state, from, None);
    let size = encoder.after(length);
    encoder.require_access(state, to, size, Access::Write);
    encoder.copy(state, to, from, size);
    let end = encoder.add(to.offset, length);
    encoder.assume_end(state, to, end);
    (to, length)
}

/// `strncpy`: what is left of the destination is filled with zeros.
fn copy_padded(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> (Pointer, Term) {
    let (to, from) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let size = encoder.size_argument(call, 2);
    let length = encoder.require_length(state, from, Some(size));
    encoder.require_access(state, to, size, Access::Write);
    encoder.copy(state, to, from, length);
    let (rest, left) = (encoder.moved(to, length), encoder.subtract(size, length));
    let zero = encoder.terms.bits(8, 0);
    encoder.fill(state, rest, zero, left);
    let end = encoder.add(to.offset, length);
    let ends = encoder.less(length, size);
    encoder.assume_end_if(state, to, end, ends);
    (to, length)
}

fn append(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, limit: Option<Term>) -> Reply {
    let (to, from) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let before = encoder.require_length(state, to, None);
    let length = encoder.require_length(state, from, limit);
    let (end, size) = (encoder.moved(to, before), encoder.after(length));
    encoder.require_access(state, end, size, Access::Write);
    encoder.copy(state, end, from, length);
    let last = encoder.moved(end, length);
    encoder.terminate(state, last);
    encoder.assume_end(state, to, last.offset);
    encoder.returns_pointer(to)
}

/// `strlcpy` and `strlcat`: the result is how long the string wants to be.
fn copy_within(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, append: bool) -> Reply {
    let (to, from) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let room = encoder.size_argument(call, 2);
    let length = encoder.require_length(state, from, None);
    let (zero, one) = (encoder.offset(0), encoder.offset(1));
    let before = if append { encoder.require_length(state, to, Some(room)) } else { zero };
    let fits = encoder.less(before, room);
    encoder.when(state, fits, |encoder, state| {
        let left = encoder.subtract(room, before);
        let left = encoder.subtract(left, one);
        let kept = encoder.smaller(length, left);
        let (place, size) = (encoder.moved(to, before), encoder.add(kept, one));
        encoder.require_access(state, place, size, Access::Write);
        encoder.copy(state, place, from, kept);
        let last = encoder.moved(place, kept);
        encoder.terminate(state, last);
        encoder.assume_end(state, to, last.offset);
    });
    let wanted = encoder.add(before, length);
    encoder.returns_size(wanted, false)
}

/// Two places whose bytes are compared, the second argument's with those of the first.
pub(super) struct Pair {
    pub left: Pointer,
    pub right: Pointer,
    /// What to add to an offset on the left for that on the right.
    shift: Term,
    folded: bool,
}

impl Pair {
    /// The first two arguments.
    pub fn of(encoder: &mut Encoder<'_>, call: &Call<'_>, folded: bool) -> Self {
        let (left, right) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
        let shift = encoder.subtract(right.offset, left.offset);
        Self { left, right, shift, folded }
    }

    /// The bytes at an offset on the left and at the one on the right that corresponds to it.
    fn bytes(&self, encoder: &mut Encoder<'_>, view: &mut State, offset: Term) -> [Term; 2] {
        let other = encoder.add(offset, self.shift);
        let places = [Pointer { offset, ..self.left }, Pointer { offset: other, ..self.right }];
        let bytes = places.map(|place| encoder.read_bytes(view, place, 1));
        if self.folded { bytes.map(|byte| lower(encoder, byte)) } else { bytes }
    }

    /// The first offset on the left, up to a limit, where the bytes have a property.
    pub fn first(
        &self,
        encoder: &mut Encoder<'_>,
        state: &State,
        name: &str,
        limit: Term,
        property: fn(&mut Encoder<'_>, [Term; 2]) -> Term,
    ) -> Term {
        let ((most, wide), (_, other)) =
            (encoder.extent(state, self.left), encoder.extent(state, self.right));
        let (start, shifts, wide) = (self.left.offset, &[self.shift], wide || other);
        let mut view = state.clone();
        encoder.first_offset(Stretch { name, start, limit, most, shifts, wide }, &mut |encoder, offset| {
            let bytes = self.bytes(encoder, &mut view, offset);
            property(encoder, bytes)
        })
    }

    /// The difference of the bytes at an offset, as an `int`.
    pub fn difference(&self, encoder: &mut Encoder<'_>, state: &State, offset: Term) -> Term {
        let bytes = self.bytes(encoder, &mut state.clone(), offset);
        let [a, b] = bytes.map(|byte| encoder.terms.resize(byte, 32, false));
        encoder.terms.binary(Binary::BitSubtract, a, b)
    }
}

/// The first difference decides; only the bytes up to it need exist.
fn compare(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    limit: Option<Term>,
    folded: bool,
) -> Reply {
    let pair = Pair::of(encoder, call, folded);
    let one = encoder.offset(1);
    let first = limit.map_or(one, |limit| encoder.smaller(limit, one));
    encoder.require_access(state, pair.left, first, Access::Touch);
    encoder.require_access(state, pair.right, first, Access::Touch);
    let rooms = (encoder.room(state, pair.left), encoder.room(state, pair.right));
    let mut most = encoder.smaller(rooms.0, rooms.1);
    if let Some(limit) = limit {
        most = encoder.smaller(limit, most);
    }
    let end = encoder.add(pair.left.offset, most);
    let place = pair.first(encoder, state, "end of a comparison", end, |encoder, [a, b]| {
        let (differ, ends) = (encoder.terms.differ(a, b), encoder.is_byte(a, 0));
        encoder.terms.or(differ, ends)
    });
    let (decided, after, read) = encoder.looked_at(pair.left, place, end);
    encoder.require_written(state, pair.left, read);
    encoder.require_written(state, pair.right, read);
    let complete = match limit {
        Some(limit) => encoder.terms.equal(after, limit),
        None => encoder.terms.bool(false),
    };
    let possible = encoder.terms.or(decided, complete);
    encoder.require_termination(state, possible);
    let (difference, same) = (pair.difference(encoder, state, place), encoder.terms.bits(32, 0));
    let result = encoder.terms.ite(decided, difference, same);
    encoder.returns_bits(INT, result)
}

/// A byte in lower case.
pub(super) fn lower(encoder: &mut Encoder<'_>, byte: Term) -> Term {
    let (a, z) = (encoder.terms.bits(8, b'A'.into()), encoder.terms.bits(8, b'Z'.into()));
    let (from, to) = (encoder.at_most(a, byte), encoder.at_most(byte, z));
    let upper = encoder.terms.and(from, to);
    let distance = encoder.terms.bits(8, 32);
    let lower = encoder.terms.binary(Binary::BitAdd, byte, distance);
    encoder.terms.ite(upper, lower, byte)
}

fn duplicate(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, limit: Option<Term>) -> Reply {
    let from = encoder.pointer_argument(call, 0);
    let length = encoder.require_length(state, from, limit);
    let size = encoder.after(length);
    let new = encoder.allocate(state, size, None, Start::Unwritten);
    encoder.copy(state, new, from, length);
    let last = encoder.moved(new, length);
    encoder.terminate(state, last);
    encoder.assume_end(state, new, last.offset);
    encoder.returns_pointer(new)
}
