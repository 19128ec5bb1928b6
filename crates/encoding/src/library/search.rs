//! Models of the functions of `string.h` that search in strings.
//!
//! Results are exact where what is searched for is a byte or a set that is known. An unknown set of bytes is any set, and
//! an unknown string may be found anywhere or not at all.

use logic::{Scalar, Sort, Term};
use program::Type;

use super::string::lower;
use super::{Call, Reply, Row, provided};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::strings::Stretch;
use crate::value::{Pointer, Value};

/// Strings of up to this many bytes are searched for exactly.
const SHORT: usize = 8;

/// Sets of up to this many bytes are kept as such.
const SMALL: usize = 16;

pub(super) const MODELS: &[Row] = &[
    ("strchr", 2, |encoder, state, call| find_byte(encoder, state, call, false)),
    ("index", 2, |encoder, state, call| find_byte(encoder, state, call, false)),
    ("strchrnul", 2, |encoder, state, call| find_byte(encoder, state, call, true)),
    ("strrchr", 2, find_last_byte),
    ("rindex", 2, find_last_byte),
    ("strstr", 2, |encoder, state, call| find_string(encoder, state, call, false)),
    ("strcasestr", 2, |encoder, state, call| find_string(encoder, state, call, true)),
    ("strspn", 2, |encoder, state, call| {
        let span = span(encoder, state, call, true);
        encoder.returns_size(span.length, false)
    }),
    ("strcspn", 2, |encoder, state, call| {
        let span = span(encoder, state, call, false);
        encoder.returns_size(span.length, false)
    }),
    ("strpbrk", 2, |encoder, state, call| {
        let start = encoder.pointer_argument(call, 0);
        let span = span(encoder, state, call, false);
        let place = encoder.moved(start, span.length);
        let found = encoder.less(place.offset, span.end);
        encoder.returns_pointer_if(found, place)
    }),
    ("strtok", 2, |encoder, state, call| {
        let place = provided::token_place(encoder, state)?;
        next_token(encoder, state, call, place)
    }),
    ("strtok_r", 3, |encoder, state, call| {
        let place = encoder.pointer_argument(call, 2);
        require_pointer(encoder, state, place);
        next_token(encoder, state, call, place)
    }),
    ("strsep", 2, separate),
];

fn stretch(encoder: &mut Encoder<'_>, state: &State, start: Pointer, limit: Term) -> Stretch<'static> {
    let (most, wide) = encoder.extent(state, start);
    Stretch { name: "place in a string", start: start.offset, limit, most, shifts: &[], wide }
}

/// What a search has found that needs no more bytes than it examines.
pub(super) struct Sought {
    /// Where it has ended.
    pub place: Pointer,
    /// Whether there is what it looked for.
    pub found: Term,
}

impl Sought {
    /// Looks for a byte with a property, among so many at most. Those that are examined must be written, and there must be
    /// one if so many are not none; what must be so if no byte is found is for the caller to require.
    pub fn first(
        encoder: &mut Encoder<'_>,
        state: &mut State,
        start: Pointer,
        size: Option<Term>,
        property: &mut dyn FnMut(&mut Encoder<'_>, Term) -> Term,
    ) -> Self {
        let one = encoder.offset(1);
        let first = size.map_or(one, |size| encoder.smaller(size, one));
        encoder.require_access(state, start, first, Access::Touch);
        let room = encoder.room(state, start);
        let most = size.map_or(room, |size| encoder.smaller(size, room));
        let limit = encoder.add(start.offset, most);
        let mut view = state.clone();
        let stretch = stretch(encoder, state, start, limit);
        let place = encoder.first_offset(stretch, &mut |encoder, offset| {
            let byte = encoder.read_bytes(&mut view, Pointer { offset, ..start }, 1);
            property(encoder, byte)
        });
        let (found, _, read) = encoder.looked_at(start, place, limit);
        encoder.require_written(state, start, read);
        Self { place: Pointer { offset: place, ..start }, found }
    }
}

/// The first place of a byte; the string need not go on after it.
fn find_byte(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, or_end: bool) -> Reply {
    let (start, wanted) = (encoder.pointer_argument(call, 0), encoder.byte_argument(call, 1));
    let sought = Sought::first(encoder, state, start, None, &mut |encoder, byte| {
        let (found, ends) = (encoder.terms.equal(byte, wanted), encoder.is_byte(byte, 0));
        encoder.terms.or(found, ends)
    });
    encoder.require_termination(state, sought.found);
    if or_end {
        return encoder.returns_pointer(sought.place);
    }
    let byte = encoder.read_bytes(&mut state.clone(), sought.place, 1);
    let found = encoder.terms.equal(byte, wanted);
    encoder.returns_pointer_if(found, sought.place)
}

fn find_last_byte(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (start, end) = encoder.string_argument(state, call, 0);
    let limit = encoder.after(end);
    last_byte(encoder, state, call, start, limit)
}

/// The last place before a limit of the byte that the second argument says.
pub(super) fn last_byte(
    encoder: &mut Encoder<'_>,
    state: &State,
    call: &Call<'_>,
    start: Pointer,
    limit: Term,
) -> Reply {
    let wanted = encoder.byte_argument(call, 1);
    let mut view = state.clone();
    let stretch = stretch(encoder, state, start, limit);
    let after = encoder.last_offset(stretch, &mut |encoder, offset| {
        let byte = encoder.read_bytes(&mut view, Pointer { offset, ..start }, 1);
        encoder.terms.equal(byte, wanted)
    });
    let (found, one) = (encoder.terms.differ(after, start.offset), encoder.offset(1));
    let place = encoder.subtract(after, one);
    encoder.returns_pointer_if(found, Pointer { offset: place, ..start })
}

fn find_string(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, folded: bool) -> Reply {
    let (start, end) = encoder.string_argument(state, call, 0);
    let (wanted, end_of_wanted) = encoder.string_argument(state, call, 1);
    let length = encoder.subtract(end_of_wanted, wanted.offset);
    let whole = encoder.subtract(end, start.offset);
    let possible = encoder.at_most(length, whole);
    let last = encoder.subtract(end, length);
    match encoder.constant_text(state, wanted) {
        Some(bytes) if bytes.len() <= SHORT => {
            let after = encoder.after(last);
            let limit = encoder.terms.ite(possible, after, start.offset);
            let mut view = state.clone();
            let stretch = stretch(encoder, state, start, limit);
            let place = encoder.first_offset(stretch, &mut |encoder, offset| {
                let matches = bytes.iter().enumerate().map(|(number, &wanted)| {
                    let by = encoder.offset(number as u64);
                    let place = encoder.add(offset, by);
                    let mut byte = encoder.read_bytes(&mut view, Pointer { offset: place, ..start }, 1);
                    if folded {
                        byte = lower(encoder, byte);
                    }
                    let wanted = if folded { wanted.to_ascii_lowercase() } else { wanted };
                    encoder.is_byte(byte, wanted)
                });
                let matches: Vec<Term> = matches.collect();
                encoder.terms.all(&matches)
            });
            let found = encoder.less(place, limit);
            encoder.returns_pointer_if(found, Pointer { offset: place, ..start })
        }
        _ => {
            let place = encoder.some_offset("place of a string", start.offset, last);
            let (zero, found) = (encoder.offset(0), encoder.terms.fresh("found", Sort::Bool));
            let empty = encoder.terms.equal(length, zero);
            let somewhere = encoder.terms.and(possible, found);
            let place = encoder.terms.ite(empty, start.offset, place);
            let found = encoder.terms.or(empty, somewhere);
            encoder.returns_pointer_if(found, Pointer { offset: place, ..start })
        }
    }
}

/// A set of bytes.
enum Set {
    Known(Vec<u8>),
    /// An array of truths.
    Any(Term),
}

impl Set {
    /// The bytes of the string that the second argument is.
    fn of(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Self {
        let (text, _) = encoder.string_argument(state, call, 1);
        match encoder.constant_text(state, text) {
            Some(bytes) if bytes.len() <= SMALL => Set::Known(bytes),
            _ => {
                let sort = Sort::Array(Scalar::BitVector(8), Scalar::Bool);
                Set::Any(encoder.terms.fresh("set of bytes", sort))
            }
        }
    }

    /// Whether a byte that is no terminator is in the set.
    fn contains(&self, encoder: &mut Encoder<'_>, byte: Term) -> Term {
        match self {
            Set::Known(bytes) => {
                let members: Vec<Term> = bytes.iter().map(|&member| encoder.is_byte(byte, member)).collect();
                encoder.terms.any(&members)
            }
            Set::Any(array) => encoder.terms.select(*array, byte),
        }
    }

    /// The first offset from a start to the end of a string with a byte that is, or is not, in the set.
    fn first(
        &self,
        encoder: &mut Encoder<'_>,
        state: &State,
        start: Pointer,
        end: Term,
        inside: bool,
    ) -> Term {
        let mut view = state.clone();
        let stretch = stretch(encoder, state, start, end);
        encoder.first_offset(stretch, &mut |encoder, offset| {
            let byte = encoder.read_bytes(&mut view, Pointer { offset, ..start }, 1);
            let member = self.contains(encoder, byte);
            if inside { member } else { encoder.terms.not(member) }
        })
    }
}

/// A part at the start of a string.
struct Span {
    length: Term,
    end: Term,
}

/// How many bytes of a string are (or are not) in the set that the second argument names.
fn span(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, inside: bool) -> Span {
    let (start, end) = encoder.string_argument(state, call, 0);
    let set = Set::of(encoder, state, call);
    let first = set.first(encoder, state, start, end, !inside);
    Span { length: encoder.subtract(first, start.offset), end }
}

fn require_pointer(encoder: &mut Encoder<'_>, state: &mut State, place: Pointer) {
    let size = encoder.offset(encoder.program.data_model.pointer_bytes());
    encoder.require_access(state, place, size, Access::Write);
}

/// Ends a string at a place.
fn cut(encoder: &mut Encoder<'_>, state: &mut State, place: Pointer) {
    let one = encoder.offset(1);
    encoder.require_access(state, place, one, Access::Write);
    encoder.terminate(state, place);
}

/// `strtok_r`: the next token, and where to go on.
fn next_token(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, place: Pointer) -> Reply {
    let given = encoder.pointer_argument(call, 0);
    let is_null = given.is_null(&mut encoder.terms);
    let mut start = given;
    if !encoder.terms.is_false(is_null) {
        let stored = encoder.load(state, place, Type::Pointer);
        let stored = encoder.as_pointer(stored);
        start = Pointer::choose(&mut encoder.terms, is_null, stored, given);
    }
    let null = Pointer::null(&mut encoder.terms);
    let nothing = start.is_null(&mut encoder.terms);
    let something = encoder.terms.not(nothing);
    let (mut token, mut next) = (null, null);
    encoder.when(state, something, |encoder, state| {
        let end = encoder.require_string(state, start);
        let set = Set::of(encoder, state, call);
        let first = set.first(encoder, state, start, end, false);
        let begin = Pointer { offset: first, ..start };
        let stop = set.first(encoder, state, begin, end, true);
        let found = encoder.less(first, end);
        let is_cut = encoder.less(stop, end);
        let is_cut = encoder.terms.and(found, is_cut);
        let place = Pointer { offset: stop, ..start };
        encoder.when(state, is_cut, |encoder, state| cut(encoder, state, place));
        let after = encoder.after(stop);
        let next_offset = encoder.terms.ite(is_cut, after, end);
        token = Pointer::choose(&mut encoder.terms, found, begin, null);
        next = Pointer { offset: next_offset, ..start };
    });
    let next = Pointer::choose(&mut encoder.terms, something, next, null);
    encoder.store(state, place, Value::Pointer(next), Type::Pointer);
    encoder.returns_pointer_if(something, token)
}

fn separate(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let place = encoder.pointer_argument(call, 0);
    require_pointer(encoder, state, place);
    let start = encoder.load(state, place, Type::Pointer);
    let start = encoder.as_pointer(start);
    encoder.unless_null(state, start, |encoder, state| {
        let end = encoder.require_string(state, start);
        let set = Set::of(encoder, state, call);
        let stop = set.first(encoder, state, start, end, true);
        let (is_cut, last) = (encoder.less(stop, end), Pointer { offset: stop, ..start });
        encoder.when(state, is_cut, |encoder, state| cut(encoder, state, last));
        let after = Pointer { offset: encoder.after(stop), ..start };
        let null = Pointer::null(&mut encoder.terms);
        let next = Pointer::choose(&mut encoder.terms, is_cut, after, null);
        encoder.store(state, place, Value::Pointer(next), Type::Pointer);
    });
    encoder.returns_pointer(start)
}
