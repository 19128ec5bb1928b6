//! Models of the functions of the resolver that take messages apart: what they read is arbitrary within the message.

use logic::{Binary, Sort, Term};
use program::IntegerType;

use super::{Call, INT, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::value::OFFSET_WIDTH;

pub(super) const MODELS: &[Row] = &[
    ("res_init", 0, |encoder, state, call| {
        encoder.disturb_resolver(state);
        encoder.disturb_error_number(state);
        encoder.returns_between(call, -1, 0)
    }),
    ("res_query", 5, query),
    ("res_search", 5, query),
    ("res_hnok", 1, is_name),
    ("res_ownok", 1, is_name),
    ("res_mailok", 1, is_name),
    ("res_dnok", 1, is_name),
    ("dn_skipname", 2, |encoder, state, call| {
        let (found, taken) = taken(encoder, call, 0, 1);
        encoder.disturb_error_number(state);
        returns_taken(encoder, found, taken)
    }),
    ("dn_expand", 5, expand),
    ("ns_get16", 1, |encoder, state, call| number(encoder, state, call, 2)),
    ("ns_get32", 1, |encoder, state, call| number(encoder, state, call, 4)),
    ("_getshort", 1, |encoder, state, call| number(encoder, state, call, 2)),
    ("_getlong", 1, |encoder, state, call| number(encoder, state, call, 4)),
];

fn is_name(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.string_argument(state, call, 0);
    encoder.returns_between(call, 0, 1)
}

/// `res_query` and `res_search`: as much of an answer as there is room for. The length that is returned is that of the
/// whole answer.
fn query(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.string_argument(state, call, 0);
    let (to, size) = (encoder.pointer_argument(call, 3), encoder.bits_argument(call, 4, 32));
    let none = encoder.terms.bits(32, 0);
    let positive = encoder.terms.binary(Binary::SignedLess, none, size);
    let size = encoder.terms.resize(size, OFFSET_WIDTH, true);
    encoder.when(state, positive, |encoder, state| encoder.put_anything(state, to, size));
    encoder.disturb_resolver(state);
    encoder.disturb_error_number(state);
    encoder.returns_between(call, -1, i32::MAX)
}

/// Whether a name is found between two arguments, and how many bytes it takes there.
fn taken(encoder: &mut Encoder<'_>, call: &Call<'_>, start: usize, end: usize) -> (Term, Term) {
    let (start, end) = (encoder.pointer_argument(call, start), encoder.pointer_argument(call, end));
    let same = encoder.terms.equal(start.object, end.object);
    let distance = encoder.subtract(end.offset, start.offset);
    let (none, most) = (encoder.offset(0), encoder.offset(i32::MAX as u64));
    // A name is no longer than this, and the distance of pointers to different objects means nothing.
    let limit = encoder.terms.ite(same, distance, most);
    let limit = encoder.smaller(limit, most);
    let found = encoder.terms.fresh("there is a name", Sort::Bool);
    (found, encoder.some_offset("length of a name", none, limit))
}

fn returns_taken(encoder: &mut Encoder<'_>, found: Term, taken: Term) -> Reply {
    let (taken, error) = (encoder.terms.resize(taken, 32, false), encoder.terms.signed_bits(32, -1));
    let result = encoder.terms.ite(found, taken, error);
    encoder.returns_bits(INT, result)
}

/// `dn_expand`: a string that fits, or nothing.
fn expand(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (found, taken) = taken(encoder, call, 2, 1);
    let (to, size) = (encoder.pointer_argument(call, 3), encoder.bits_argument(call, 4, 32));
    let none = encoder.terms.bits(32, 0);
    let positive = encoder.terms.binary(Binary::SignedLess, none, size);
    let found = encoder.terms.and(found, positive);
    let (zero, one) = (encoder.offset(0), encoder.offset(1));
    let size = encoder.terms.resize(size, OFFSET_WIDTH, true);
    let most = encoder.subtract(size, one);
    let length = encoder.some_offset("length of a name", zero, most);
    encoder.when(state, found, |encoder, state| encoder.put_text(state, to, length));
    encoder.disturb_error_number(state);
    returns_taken(encoder, found, taken)
}

/// A number of so many bytes in a message.
fn number(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, size: u8) -> Reply {
    let (place, bytes) = (encoder.pointer_argument(call, 0), encoder.offset(size.into()));
    encoder.require_access(state, place, bytes, Access::Read);
    let number = encoder.terms.fresh(call.name, Sort::BitVector(8 * u32::from(size)));
    let bits = encoder.terms.resize(number, 32, false);
    encoder.returns_bits(IntegerType { width: 32, signed: false }, bits)
}
