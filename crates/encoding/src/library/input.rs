//! Models of what reads from outside: standard input and the environment.
//!
//! Bytes from standard input are inputs by the name of [`STANDARD_INPUT`], in the order in which they are taken: an `int`
//! that is a byte, or -1 for the end. Of a long read only the first bytes are listed. Known imprecision: input may go on
//! after its end, and bytes that were given back are forgotten.

use logic::{Binary, Node, Sort, Term};
use program::Type;

use super::provided::outside_text;
use super::{Call, INT, NOTHING, Reply, Row};
use crate::access::Access;
use crate::encoder::{Encoder, Input};
use crate::ranges::{Filling, known};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

/// Who asks for a byte of standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// So many bytes of one read are listed as inputs.
const LISTED: u64 = 64;

const NEWLINE: u8 = b'\n';

pub(super) const MODELS: &[Row] =
    &[
        ("getchar", 0, |encoder, state, call| get_byte(encoder, state, call)),
        ("getc", 1, get_from_stream),
        ("fgetc", 1, get_from_stream),
        ("ungetc", 2, |encoder, _, call| {
            if !encoder.is_stream(call, 1) {
                return Reply::Unknown;
            }
            let bits = encoder.bits_argument(call, 0, 32);
            let end = encoder.terms.signed_bits(32, -1);
            let is_end = encoder.terms.equal(bits, end);
            let byte = encoder.terms.extract(7, 0, bits);
            let byte = encoder.terms.resize(byte, 32, false);
            let result = encoder.terms.ite(is_end, end, byte);
            encoder.returns_bits(INT, result)
        }),
        ("fgets", 3, |encoder, state, call| {
            if encoder.is_stream(call, 2) { get_line(encoder, state, call) } else { Reply::Unknown }
        }),
        ("gets", 1, get_whole_line),
        ("fread", 4, |encoder, state, call| {
            if encoder.is_stream(call, 3) { read_elements(encoder, state, call) } else { Reply::Unknown }
        }),
        ("read", 3, read),
        ("feof", 1, |encoder, _, call| stream_state(encoder, call)),
        ("ferror", 1, |encoder, _, call| stream_state(encoder, call)),
        ("clearerr", 1, |encoder, _, call| if encoder.is_stream(call, 0) { NOTHING } else { Reply::Unknown }),
        ("fileno", 1, |encoder, _, call| {
            if encoder.is_stream(call, 0) { encoder.returns_between(call, 0, 2) } else { Reply::Unknown }
        }),
        ("getenv", 1, environment),
        ("secure_getenv", 1, environment),
    ];

impl Encoder<'_> {
    /// Whether an argument is surely one of the standard streams: the initial value of a variable of their names.
    pub(super) fn is_stream(&mut self, call: &Call<'_>, argument: usize) -> bool {
        let pointer = self.pointer_argument(call, argument);
        self.leaves(pointer.offset).into_iter().all(|leaf| {
            let symbol = match self.terms.node(leaf) {
                Node::Binary(Binary::Select, array, _) => array,
                _ => leaf,
            };
            let name = self.terms.as_symbol(symbol).map(|symbol| self.terms.symbol(symbol).name.as_str());
            let name = name.map(|name| name.strip_prefix("initial ").unwrap_or(name));
            matches!(name, Some("stdin" | "stdout" | "stderr"))
        })
    }

    /// Takes note of a byte of standard input that is asked for under a condition.
    fn note_byte(&mut self, asked: Term, bits: Term, call: &Call<'_>) {
        let value = self.bits_value(INT, bits);
        let name = STANDARD_INPUT.to_owned();
        let ty = Type::Integer(INT);
        self.findings.inputs.push(Input { asked, name, location: call.location, ty, value });
    }

    /// Takes note of the first bytes of a read, and of what comes after them: the end, unless something says otherwise.
    fn note_bytes(&mut self, state: &mut State, read: &Reading, call: &Call<'_>) {
        let mut view = state.clone();
        let guard = state.guard.term();
        for number in 0..read.most.unwrap_or(LISTED).min(LISTED) {
            let by = self.offset(number);
            let inside = self.less(by, read.length);
            let asked = self.terms.all(&[guard, read.happens, inside]);
            let place = self.moved(read.to, by);
            let byte = self.read_bytes(&mut view, place, 1);
            let byte = self.terms.resize(byte, 32, false);
            self.note_byte(asked, byte, call);
        }
        let asked = self.terms.and(guard, read.stops);
        let after = read.after.unwrap_or_else(|| self.terms.signed_bits(32, -1));
        self.note_byte(asked, after, call);
    }

    /// Writes arbitrary bytes.
    fn take_bytes(
        &mut self,
        state: &mut State,
        to: Pointer,
        length: Term,
        property: &dyn Fn(&mut logic::Terms, Term, Term) -> Term,
    ) {
        self.change(state, to, length, Filling::Such(property));
    }
}

/// A read of some bytes.
struct Reading {
    /// Where they go.
    to: Pointer,
    length: Term,
    /// No more than this.
    most: Option<u64>,
    /// When bytes are read.
    happens: Term,
    /// When something is looked at after them.
    stops: Term,
    /// What that is, if not the end.
    after: Option<Term>,
}

fn get_byte(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let bits = encoder.int_between(STANDARD_INPUT, -1, 255);
    encoder.note_byte(state.guard.term(), bits, call);
    encoder.returns_bits(INT, bits)
}

fn get_from_stream(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    if encoder.is_stream(call, 0) { get_byte(encoder, state, call) } else { Reply::Unknown }
}

fn stream_state(encoder: &mut Encoder<'_>, call: &Call<'_>) -> Reply {
    if encoder.is_stream(call, 0) { encoder.returns_between(call, 0, 1) } else { Reply::Unknown }
}

/// `fgets`: up to a line with its end, or as much as fits.
fn get_line(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
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
    let last = encoder.subtract(length, one);
    let last = encoder.add(to.offset, last);
    encoder.when(state, got, |encoder, state| {
        let bytes = encoder.add(length, one);
        encoder.demand_access(state, to, bytes, Access::Write, call.location);
        encoder.take_bytes(state, to, length, &|terms, offset, byte| {
            let newline = terms.bits(8, NEWLINE.into());
            let (at_end, other) = (terms.equal(offset, last), terms.differ(byte, newline));
            terms.or(at_end, other)
        });
        let end = encoder.moved(to, length);
        encoder.terminate(state, end);
    });
    let final_byte = encoder.read_bytes(&mut state.clone(), Pointer { offset: last, ..to }, 1);
    let is_line = encoder.is_byte(final_byte, NEWLINE);
    let not_line = encoder.terms.not(is_line);
    let short = encoder.less(length, limit);
    let cut = encoder.terms.all(&[got, short, not_line]);
    let nothing = encoder.terms.not(got);
    let stops = encoder.terms.or(nothing, cut);
    let most = known(&encoder.terms, limit);
    let read = Reading { to, length, most, happens: got, stops, after: None };
    encoder.note_bytes(state, &read, call);
    encoder.returns_pointer_if(got, to)
}

/// `gets`: a line of any length without its end.
fn get_whole_line(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let to = encoder.pointer_argument(call, 0);
    let (zero, one, most) = (encoder.offset(0), encoder.offset(1), encoder.offset(1 << 40));
    let got = encoder.terms.fresh("there is a line", Sort::Bool);
    let length = encoder.some_offset("length of a line", zero, most);
    encoder.when(state, got, |encoder, state| {
        let bytes = encoder.add(length, one);
        encoder.demand_access(state, to, bytes, Access::Write, call.location);
        encoder.take_bytes(state, to, length, &|terms, _, byte| {
            let newline = terms.bits(8, NEWLINE.into());
            terms.differ(byte, newline)
        });
        let end = encoder.moved(to, length);
        encoder.terminate(state, end);
    });
    let (newline, end) = (encoder.terms.bits(32, NEWLINE.into()), encoder.terms.signed_bits(32, -1));
    let after = encoder.terms.ite(got, newline, end);
    let always = encoder.terms.bool(true);
    let read = Reading { to, length, most: None, happens: got, stops: always, after: Some(after) };
    encoder.note_bytes(state, &read, call);
    encoder.returns_pointer_if(got, to)
}

fn read_elements(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let to = encoder.pointer_argument(call, 0);
    let (size, count) = (encoder.size_argument(call, 1), encoder.size_argument(call, 2));
    let zero = encoder.offset(0);
    let total = encoder.saturating_product(size, count);
    let length = read_some(encoder, state, call, to, total);
    let elements = encoder.terms.binary(Binary::UnsignedDivide, length, size);
    let nothing = encoder.terms.equal(size, zero);
    let result = encoder.terms.ite(nothing, zero, elements);
    encoder.returns_size(result)
}

impl Encoder<'_> {
    /// The product of two sizes, or the largest one if it is larger.
    pub(super) fn saturating_product(&mut self, left: Term, right: Term) -> Term {
        let product = self.terms.binary(Binary::BitMultiply, left, right);
        let lost = self.terms.binary(Binary::UnsignedMultiplyOverflows, left, right);
        let largest = self.offset(u64::MAX);
        self.terms.ite(lost, largest, product)
    }
}

/// Reads up to so many bytes and says how many.
fn read_some(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    to: Pointer,
    limit: Term,
) -> Term {
    let zero = encoder.offset(0);
    let length = encoder.some_offset("length of what is read", zero, limit);
    encoder.demand_access(state, to, length, Access::Write, call.location);
    encoder.take_bytes(state, to, length, &|terms, _, _| terms.bool(true));
    let stops = encoder.less(length, limit);
    let happens = encoder.terms.bool(true);
    let most = known(&encoder.terms, limit);
    encoder.note_bytes(state, &Reading { to, length, most, happens, stops, after: None }, call);
    length
}

/// `read` of standard input. Unlike in the interpreter it may also fail.
fn read(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let descriptor = encoder.bits_argument(call, 0, 32);
    if known(&encoder.terms, descriptor) != Some(0) {
        return Reply::Unknown;
    }
    let (to, size) = (encoder.pointer_argument(call, 1), encoder.size_argument(call, 2));
    encoder.demand_access(state, to, size, Access::Write, call.location);
    let length = read_some(encoder, state, call, to, size);
    let (failed, error) = (encoder.terms.fresh("read fails", Sort::Bool), encoder.offset(u64::MAX));
    let result = encoder.terms.ite(failed, error, length);
    encoder.disturb_error_number(state);
    let width = encoder.long_width();
    let bits = encoder.terms.resize(result, width.into(), false);
    encoder.returns_bits(program::IntegerType { width, signed: true }, bits)
}

/// A text of the environment, or null. The interpreter's environment is empty.
fn environment(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let name = encoder.pointer_argument(call, 0);
    encoder.demand_string(state, name, call.location);
    let Reply::Returns(Some((ty, Value::Pointer(text)))) = outside_text(encoder, state, call) else {
        return Reply::Unknown;
    };
    debug_assert_eq!(ty, Type::Pointer);
    let found = encoder.terms.fresh("is in the environment", Sort::Bool);
    encoder.returns_pointer_if(found, text)
}
