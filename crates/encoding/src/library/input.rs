//! Models of what reads from outside: standard input, files and the environment.
//!
//! Bytes from standard input are inputs by the name of [`STANDARD_INPUT`], those of files by that of
//! [`program::interpret::FILE_BYTE`], in the order in which they are taken: an `int` that is a byte, or -1 for the end. Of a
//! long read only the first bytes are listed. Known imprecision: input may go on after its end, and bytes that were given
//! back are forgotten.

use logic::{Binary, Sort, Term};
use program::library::{NONDET_BYTES, NONDET_MEMORY};
use program::{IntegerType, Obligation, Type};

use super::provided::outside_text;
use super::stream::Source;
use super::{Call, INT, NOTHING, Reply, Row};
use crate::access::Access;
use crate::arguments::LONGEST;
use crate::encoder::Encoder;
use crate::memory::Start;
use crate::ranges::Property;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value, known};

/// Who asks for a byte of standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// So many bytes of one read are listed as inputs.
const LISTED: u64 = 64;

const NEWLINE: u8 = b'\n';

pub(super) const MODELS: &[Row] = &[
    ("getchar", 0, |encoder, state, call| {
        let source = Source::standard(encoder);
        get_byte(encoder, state, call, source)
    }),
    ("getc", 1, |encoder, state, call| from_stream(encoder, state, call, 0, get_byte)),
    ("fgetc", 1, |encoder, state, call| from_stream(encoder, state, call, 0, get_byte)),
    ("ungetc", 2, |encoder, state, call| {
        from_stream(encoder, state, call, 1, |encoder, _, call, _| {
            let bits = encoder.bits_argument(call, 0, 32);
            let end = encoder.terms.signed_bits(32, -1);
            let is_end = encoder.terms.equal(bits, end);
            let byte = encoder.terms.extract(7, 0, bits);
            let byte = encoder.terms.resize(byte, 32, false);
            let result = encoder.terms.ite(is_end, end, byte);
            encoder.returns_bits(INT, result)
        })
    }),
    ("fgets", 3, |encoder, state, call| from_stream(encoder, state, call, 2, get_line)),
    ("gets", 1, get_whole_line),
    ("fread", 4, |encoder, state, call| from_stream(encoder, state, call, 3, read_elements)),
    ("getline", 3, |encoder, state, call| {
        from_stream(encoder, state, call, 2, |encoder, state, call, source| {
            let newline = encoder.terms.bits(8, NEWLINE.into());
            get_delimited(encoder, state, call, newline, source)
        })
    }),
    ("getdelim", 4, |encoder, state, call| {
        from_stream(encoder, state, call, 3, |encoder, state, call, source| {
            let delimiter = encoder.byte_argument(call, 2);
            get_delimited(encoder, state, call, delimiter, source)
        })
    }),
    ("read", 3, read),
    (NONDET_MEMORY, 2, nondet_memory),
    ("getenv", 1, environment),
    ("secure_getenv", 1, environment),
];

/// What reads from a stream.
type FromStream = fn(&mut Encoder<'_>, &mut State, &Call<'_>, Source) -> Reply;

/// Reads from the stream that an argument points to.
fn from_stream(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    argument: usize,
    read: FromStream,
) -> Reply {
    let source = encoder.stream_argument(state, call, argument)?;
    read(encoder, state, call, source)
}

impl Encoder<'_> {
    /// Takes note of the first bytes of a read, and of what comes after them: the end, unless something says otherwise.
    fn note_bytes(&mut self, state: &mut State, read: &Reading) {
        let mut view = state.clone();
        let guard = state.guard.term();
        for number in 0..read.most.unwrap_or(LISTED).min(LISTED) {
            let by = self.offset(number);
            let inside = self.less(by, read.length);
            let asked = self.terms.all(&[guard, read.happens, inside]);
            let place = self.moved(read.to, by);
            let byte = self.read_bytes(&mut view, place, 1);
            let byte = self.terms.resize(byte, 32, false);
            self.note_byte(read.source, asked, byte);
        }
        let asked = self.terms.and(guard, read.stops);
        let after = read.after.unwrap_or_else(|| self.terms.signed_bits(32, -1));
        self.note_byte(read.source, asked, after);
    }
}

/// A read of some bytes.
struct Reading {
    source: Source,
    /// Where they go.
    to: Pointer,
    length: Term,
    /// No more than this.
    most: Option<u64>,
    /// When bytes are read.
    happens: Term,
    /// When something is examined after them.
    stops: Term,
    /// What that is, if not the end.
    after: Option<Term>,
}

fn get_byte(encoder: &mut Encoder<'_>, state: &mut State, _: &Call<'_>, source: Source) -> Reply {
    let bits = encoder.int_between(STANDARD_INPUT, -1, 255);
    encoder.note_byte(source, state.guard.term(), bits);
    encoder.returns_bits(INT, bits)
}

/// `fgets`: up to a line with its end, or as much as fits.
fn get_line(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, source: Source) -> Reply {
    let (to, size) = (encoder.pointer_argument(call, 0), encoder.bits_argument(call, 1, 32));
    let (zero, one) = (encoder.offset(0), encoder.offset(1));
    let none = encoder.terms.bits(32, 0);
    let positive = encoder.terms.binary(Binary::SignedLess, none, size);
    let wide = encoder.terms.resize(size, OFFSET_WIDTH, true);
    let limit = encoder.subtract(wide, one);
    let limit = encoder.terms.ite(positive, limit, zero);
    let empty = encoder.terms.equal(limit, zero);
    let line = encoder.terms.fresh("there is a line", Sort::Bool);
    let got = encoder.terms.or(empty, line);
    let least = encoder.smaller(limit, one);
    let length = encoder.some_offset("length of a line", least, limit);
    let newline = encoder.terms.bits(8, NEWLINE.into());
    encoder.when(state, got, |encoder, state| {
        encoder.put_line(state, to, length, newline);
    });
    let is_line = encoder.ends_with(state, to, length, newline);
    let not_line = encoder.terms.not(is_line);
    let short = encoder.less(length, limit);
    let cut = encoder.terms.all(&[got, short, not_line]);
    let nothing = encoder.terms.not(got);
    let stops = encoder.terms.or(nothing, cut);
    let most = known(&encoder.terms, limit);
    let read = Reading { source, to, length, most, happens: got, stops, after: None };
    encoder.note_bytes(state, &read);
    encoder.returns_pointer_if(got, to)
}

/// `gets`: a line of any length without its end.
fn get_whole_line(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let to = encoder.pointer_argument(call, 0);
    let (zero, most) = (encoder.offset(0), encoder.offset(1 << 40));
    let got = encoder.terms.fresh("there is a line", Sort::Bool);
    let length = encoder.some_offset("length of a line", zero, most);
    encoder.when(state, got, |encoder, state| {
        let no_newline: Property<'_> = &|terms, _, byte| {
            let newline = terms.bits(8, NEWLINE.into());
            terms.differ(byte, newline)
        };
        encoder.put_bytes(state, to, length, no_newline);
    });
    let (newline, end) = (encoder.terms.bits(32, NEWLINE.into()), encoder.terms.signed_bits(32, -1));
    let after = encoder.terms.ite(got, newline, end);
    let always = encoder.terms.bool(true);
    let source = Source::standard(encoder);
    let read = Reading { source, to, length, most: None, happens: got, stops: always, after: Some(after) };
    encoder.note_bytes(state, &read);
    encoder.returns_pointer_if(got, to)
}

fn read_elements(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, source: Source) -> Reply {
    let to = encoder.pointer_argument(call, 0);
    let (size, count) = (encoder.size_argument(call, 1), encoder.size_argument(call, 2));
    let zero = encoder.offset(0);
    let total = encoder.saturating_product(size, count);
    let length = read_some(encoder, state, to, total, Some(source));
    let elements = encoder.terms.binary(Binary::UnsignedDivide, length, size);
    let nothing = encoder.terms.equal(size, zero);
    let result = encoder.terms.ite(nothing, zero, elements);
    encoder.returns_size(result, false)
}

impl Encoder<'_> {
    /// Writes a line: only its last byte, if any, is its delimiter.
    fn put_line(&mut self, state: &mut State, to: Pointer, length: Term, delimiter: Term) {
        let last = self.last_offset_of(to, length);
        let property: Property<'_> = &|terms, offset, byte| {
            let (at_end, other) = (terms.equal(offset, last), terms.differ(byte, delimiter));
            terms.or(at_end, other)
        };
        self.put_bytes(state, to, length, property);
    }

    /// Whether the last of so many bytes is this one.
    fn ends_with(&mut self, state: &State, start: Pointer, length: Term, wanted: Term) -> Term {
        let place = Pointer { offset: self.last_offset_of(start, length), ..start };
        let byte = self.read_bytes(&mut state.clone(), place, 1);
        self.terms.equal(byte, wanted)
    }

    fn last_offset_of(&mut self, start: Pointer, length: Term) -> Term {
        let one = self.offset(1);
        let last = self.subtract(length, one);
        self.add(start.offset, last)
    }

    /// The product of two sizes, or the largest one if it is larger.
    pub(super) fn saturating_product(&mut self, left: Term, right: Term) -> Term {
        let product = self.terms.binary(Binary::BitMultiply, left, right);
        let lost = self.terms.binary(Binary::UnsignedMultiplyOverflows, left, right);
        let largest = self.offset(u64::MAX);
        self.terms.ite(lost, largest, product)
    }
}

/// `getline`: the buffer that the caller has is used if the line fits into it; otherwise it is freed, and the line is in
/// another one. As in glibc there is a buffer even if there is no line.
fn get_delimited(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    delimiter: Term,
    source: Source,
) -> Reply {
    let (place, size_place) = (encoder.pointer_argument(call, 0), encoder.pointer_argument(call, 1));
    let (pointer_bytes, size_type) =
        (encoder.program.data_model.pointer_bytes(), encoder.program.data_model.size_type());
    let width = encoder.offset(pointer_bytes);
    encoder.require_access(state, place, width, Access::Write);
    encoder.require_access(state, size_place, width, Access::Write);
    let old = encoder.load(state, place, Type::Pointer);
    let old = encoder.as_pointer(old);
    let size = encoder.load(state, size_place, size_type);
    let size = encoder.as_term(size);
    let size = encoder.as_offset(size, false);
    let (one, most) = (encoder.offset(1), encoder.offset(LONGEST));
    let got = encoder.terms.fresh("there is a line", Sort::Bool);
    let length = encoder.some_offset("length of a line", one, most);
    let needed = encoder.add(length, one);
    let needed = encoder.terms.ite(got, needed, one);
    let (missing, small) = (old.is_null(&mut encoder.terms), encoder.less(size, needed));
    let replaced = encoder.terms.or(missing, small);
    let mut buffer = old;
    encoder.when(state, replaced, |encoder, state| {
        let freeable = encoder.is_freeable(state, old);
        encoder.check_condition(state, Obligation::InvalidFree, freeable);
        encoder.end_object(state, old.object);
        let largest = encoder.offset(2 * LONGEST);
        let room = encoder.some_offset("size of a buffer", needed, largest);
        buffer = encoder.allocate(state, room, None, Start::Unwritten);
        encoder.store(state, place, Value::Pointer(buffer), Type::Pointer);
        let width = encoder.long_width();
        let bits = encoder.terms.resize(room, width.into(), false);
        let room = encoder.bits_value(IntegerType { width, signed: false }, bits);
        encoder.store(state, size_place, room, size_type);
    });
    let to = Pointer::choose(&mut encoder.terms, replaced, buffer, old);
    encoder.when(state, got, |encoder, state| {
        encoder.put_line(state, to, length, delimiter);
    });
    let is_line = encoder.ends_with(state, to, length, delimiter);
    let stops = encoder.terms.and(got, is_line);
    let stops = encoder.terms.not(stops);
    let read = Reading { source, to, length, most: None, happens: got, stops, after: None };
    encoder.note_bytes(state, &read);
    let end = encoder.offset(u64::MAX);
    let result = encoder.terms.ite(got, length, end);
    encoder.returns_size(result, true)
}

/// Reads up to so many bytes and says how many.
fn read_some(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    to: Pointer,
    limit: Term,
    source: Option<Source>,
) -> Term {
    let zero = encoder.offset(0);
    let length = encoder.some_offset("length of what is read", zero, limit);
    encoder.put_anything(state, to, length);
    if let Some(source) = source {
        let stops = encoder.less(length, limit);
        let happens = encoder.terms.bool(true);
        let most = known(&encoder.terms, limit);
        encoder.note_bytes(state, &Reading { source, to, length, most, happens, stops, after: None });
    }
    length
}

/// `read` of any file. Unlike in the interpreter it may also fail. Only bytes of standard input are listed.
fn read(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let descriptor = encoder.bits_argument(call, 0, 32);
    let source = (known(&encoder.terms, descriptor) == Some(0)).then(|| Source::standard(encoder));
    let (to, size) = (encoder.pointer_argument(call, 1), encoder.size_argument(call, 2));
    encoder.require_access(state, to, size, Access::Write);
    let length = read_some(encoder, state, to, size, source);
    let (failed, error) = (encoder.terms.fresh("read fails", Sort::Bool), encoder.offset(u64::MAX));
    let result = encoder.terms.ite(failed, error, length);
    encoder.disturb_error_number(state);
    encoder.returns_size(result, true)
}

/// Gives bytes any contents. The first ones are listed as inputs.
fn nondet_memory(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (to, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 1));
    encoder.put_anything(state, to, size);
    // Whoever gave the bytes knows where they are: what comes from outside later may change them again.
    let known_outside = encoder.candidates(to.object);
    encoder.escaped.extend(known_outside);
    let most = known(&encoder.terms, size).unwrap_or(u64::MAX).min(NONDET_BYTES as u64);
    let mut view = state.clone();
    for number in 0..most {
        let by = encoder.offset(number);
        let inside = encoder.less(by, size);
        let asked = encoder.terms.and(state.guard.term(), inside);
        let place = encoder.moved(to, by);
        let bits = encoder.read_bytes(&mut view, place, 1);
        let bits = encoder.terms.resize(bits, 32, false);
        let value = (Type::Integer(INT), encoder.bits_value(INT, bits));
        encoder.note_input(asked, NONDET_MEMORY, encoder.location(), value);
    }
    NOTHING
}

/// A text of the environment, or null. The interpreter's environment is empty.
fn environment(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.string_argument(state, call, 0);
    let text = outside_text(encoder, state, call);
    let found = encoder.terms.fresh("is in the environment", Sort::Bool);
    encoder.returns_pointer_if(found, text)
}
