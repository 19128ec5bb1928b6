//! Models of the functions on memory of `string.h` and `strings.h`.
//!
//! Ranges that overlap are copied as by `memmove`, as in the interpreter.

use logic::Binary;

use super::{Call, INT, NOTHING, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::strings::Stretch;
use crate::value::Pointer;

pub(super) const MODELS: &[Row] = &[
    ("memcpy", 3, |encoder, state, call| {
        copy(encoder, state, call, 0, 1);
        let destination = encoder.pointer_argument(call, 0);
        encoder.returns_pointer(destination)
    }),
    ("memmove", 3, |encoder, state, call| {
        copy(encoder, state, call, 0, 1);
        let destination = encoder.pointer_argument(call, 0);
        encoder.returns_pointer(destination)
    }),
    ("mempcpy", 3, |encoder, state, call| {
        copy(encoder, state, call, 0, 1);
        let (destination, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 2));
        let end = encoder.moved(destination, size);
        encoder.returns_pointer(end)
    }),
    ("bcopy", 3, |encoder, state, call| {
        copy(encoder, state, call, 1, 0);
        NOTHING
    }),
    ("memset", 3, |encoder, state, call| {
        let byte = encoder.byte_argument(call, 1);
        let destination = fill(encoder, state, call, byte, 2);
        encoder.returns_pointer(destination)
    }),
    ("bzero", 2, clear),
    ("explicit_bzero", 2, clear),
    ("memcmp", 3, compare),
    ("bcmp", 3, compare),
    ("memchr", 3, find),
    ("memrchr", 3, find_last),
    ("rawmemchr", 2, find_without_limit),
];

fn copy(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, to: usize, from: usize) {
    let (destination, source) = (encoder.pointer_argument(call, to), encoder.pointer_argument(call, from));
    let size = encoder.size_argument(call, 2);
    encoder.require_access(state, source, size, Access::Touch, call.location);
    encoder.require_access(state, destination, size, Access::Write, call.location);
    encoder.copy(state, destination, source, size);
}

fn fill(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    byte: logic::Term,
    size: usize,
) -> Pointer {
    let (destination, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, size));
    encoder.require_access(state, destination, size, Access::Write, call.location);
    encoder.fill(state, destination, byte, size);
    destination
}

fn clear(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let zero = encoder.terms.bits(8, 0);
    fill(encoder, state, call, zero, 1);
    NOTHING
}

/// The difference of the first bytes that differ.
fn compare(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (left, right) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let size = encoder.size_argument(call, 2);
    encoder.require_access(state, left, size, Access::Read, call.location);
    encoder.require_access(state, right, size, Access::Read, call.location);
    let mut view = state.clone();
    let limit = encoder.add(left.offset, size);
    let shift = encoder.subtract(right.offset, left.offset);
    let ((most, wide), (_, other)) = (encoder.extent(state, left), encoder.extent(state, right));
    let stretch = Stretch {
        name: "first difference",
        start: left.offset,
        limit,
        most,
        shifts: &[shift],
        wide: wide || other,
    };
    let first = encoder.first_offset(stretch, &mut |encoder, offset| {
        let a = encoder.read_bytes(&mut view, Pointer { offset, ..left }, 1);
        let place = encoder.add(offset, shift);
        let b = encoder.read_bytes(&mut view, Pointer { offset: place, ..right }, 1);
        encoder.terms.differ(a, b)
    });
    let a = encoder.read_bytes(&mut view, Pointer { offset: first, ..left }, 1);
    let place = encoder.add(first, shift);
    let b = encoder.read_bytes(&mut view, Pointer { offset: place, ..right }, 1);
    let (a, b) = (encoder.terms.resize(a, 32, false), encoder.terms.resize(b, 32, false));
    let difference = encoder.terms.binary(Binary::BitSubtract, a, b);
    let same = encoder.terms.equal(first, limit);
    let zero = encoder.terms.bits(32, 0);
    let result = encoder.terms.ite(same, zero, difference);
    encoder.returns_bits(INT, result)
}

/// The bytes after the one that is found need not exist.
fn find(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 2));
    let one = encoder.offset(1);
    let first = encoder.smaller(size, one);
    encoder.require_access(state, start, first, Access::Touch, call.location);
    let room = encoder.room(state, start);
    let looked_at = encoder.smaller(size, room);
    let limit = encoder.add(start.offset, looked_at);
    let place = search(encoder, state, call, start, limit);
    let found = encoder.less(place, limit);
    let after = encoder.subtract(place, start.offset);
    let with_it = encoder.add(after, one);
    let read = encoder.terms.ite(found, with_it, after);
    encoder.require_written(state, start, read, call.location);
    let enough = encoder.at_most(size, room);
    let possible = encoder.terms.or(found, enough);
    encoder.check_condition(state, program::Obligation::OutOfBounds, possible, call.location);
    encoder.returns_pointer_if(found, Pointer { offset: place, ..start })
}

fn find_without_limit(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let start = encoder.pointer_argument(call, 0);
    let one = encoder.offset(1);
    encoder.require_access(state, start, one, Access::Touch, call.location);
    let room = encoder.room(state, start);
    let limit = encoder.add(start.offset, room);
    let place = search(encoder, state, call, start, limit);
    let found = encoder.less(place, limit);
    let after = encoder.subtract(place, start.offset);
    let with_it = encoder.add(after, one);
    let read = encoder.terms.ite(found, with_it, after);
    encoder.require_written(state, start, read, call.location);
    encoder.check_condition(state, program::Obligation::OutOfBounds, found, call.location);
    encoder.returns_pointer(Pointer { offset: place, ..start })
}

/// The first offset of the byte that the second argument names.
fn search(
    encoder: &mut Encoder<'_>,
    state: &State,
    call: &Call<'_>,
    start: Pointer,
    limit: logic::Term,
) -> logic::Term {
    let wanted = encoder.byte_argument(call, 1);
    let mut view = state.clone();
    let (most, wide) = encoder.extent(state, start);
    let stretch = Stretch { name: "place of a byte", start: start.offset, limit, most, shifts: &[], wide };
    encoder.first_offset(stretch, &mut |encoder, offset| {
        let byte = encoder.read_bytes(&mut view, Pointer { offset, ..start }, 1);
        encoder.terms.equal(byte, wanted)
    })
}

/// Looks from the end: here all bytes must exist, which asks for more than the interpreter does.
fn find_last(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 2));
    let wanted = encoder.byte_argument(call, 1);
    encoder.require_access(state, start, size, Access::Read, call.location);
    let limit = encoder.add(start.offset, size);
    let mut view = state.clone();
    let (most, wide) = encoder.extent(state, start);
    let stretch =
        Stretch { name: "last place of a byte", start: start.offset, limit, most, shifts: &[], wide };
    let after = encoder.last_offset(stretch, &mut |encoder, offset| {
        let byte = encoder.read_bytes(&mut view, Pointer { offset, ..start }, 1);
        encoder.terms.equal(byte, wanted)
    });
    let found = encoder.terms.differ(after, start.offset);
    let one = encoder.offset(1);
    let place = encoder.subtract(after, one);
    encoder.returns_pointer_if(found, Pointer { offset: place, ..start })
}
