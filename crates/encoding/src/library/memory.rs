//! Models of the functions on memory of `string.h` and `strings.h`.
//!
//! Ranges that overlap are copied as by `memmove`, as in the interpreter.

use logic::Term;
use program::Obligation;

use super::search::{Sought, last_byte};
use super::string::Pair;
use super::{Call, INT, NOTHING, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::value::Pointer;

pub(super) const MODELS: &[Row] = &[
    ("memcpy", 3, copy_to_first),
    ("memmove", 3, copy_to_first),
    ("mempcpy", 3, |encoder, state, call| {
        let destination = copy(encoder, state, call, 0, 1);
        let size = encoder.size_argument(call, 2);
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

fn copy_to_first(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let destination = copy(encoder, state, call, 0, 1);
    encoder.returns_pointer(destination)
}

/// Copies from one argument to another one, and gives the latter.
fn copy(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, to: usize, from: usize) -> Pointer {
    let (destination, source) = (encoder.pointer_argument(call, to), encoder.pointer_argument(call, from));
    let size = encoder.size_argument(call, 2);
    encoder.require_access(state, source, size, Access::Touch);
    encoder.require_access(state, destination, size, Access::Write);
    encoder.copy(state, destination, source, size);
    destination
}

/// Fills as many bytes as an argument says.
fn fill(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, byte: Term, size: usize) -> Pointer {
    let (destination, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, size));
    encoder.require_access(state, destination, size, Access::Write);
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
    let pair = Pair::of(encoder, call, false);
    let size = encoder.size_argument(call, 2);
    encoder.require_access(state, pair.left, size, Access::Read);
    encoder.require_access(state, pair.right, size, Access::Read);
    let limit = encoder.add(pair.left.offset, size);
    let first =
        pair.first(encoder, state, "first difference", limit, |encoder, [a, b]| encoder.terms.differ(a, b));
    let difference = pair.difference(encoder, state, first);
    let (same, zero) = (encoder.terms.equal(first, limit), encoder.terms.bits(32, 0));
    let result = encoder.terms.ite(same, zero, difference);
    encoder.returns_bits(INT, result)
}

/// The bytes after the one that is found need not exist.
fn find(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 2));
    let wanted = encoder.byte_argument(call, 1);
    let sought = Sought::first(encoder, state, start, Some(size), &mut |encoder, byte| {
        encoder.terms.equal(byte, wanted)
    });
    let room = encoder.room(state, start);
    let enough = encoder.at_most(size, room);
    let possible = encoder.terms.or(sought.found, enough);
    encoder.check_condition(state, Obligation::OutOfBounds, possible);
    encoder.returns_pointer_if(sought.found, sought.place)
}

fn find_without_limit(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, wanted) = (encoder.pointer_argument(call, 0), encoder.byte_argument(call, 1));
    let sought =
        Sought::first(encoder, state, start, None, &mut |encoder, byte| encoder.terms.equal(byte, wanted));
    encoder.check_condition(state, Obligation::OutOfBounds, sought.found);
    encoder.returns_pointer(sought.place)
}

/// Looks from the end: here all bytes must exist, which asks for more than the interpreter does.
fn find_last(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 2));
    encoder.require_access(state, start, size, Access::Read);
    let limit = encoder.add(start.offset, size);
    last_byte(encoder, state, call, start, limit)
}
