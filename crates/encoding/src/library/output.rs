//! Models of what writes: `printf` and its kin, to streams and to memory.
//!
//! The format must be known. The length of what is printed is exact for text, integers, characters and strings, and within
//! limits for other numbers; the bytes are exact if there is nothing but text or one string, else arbitrary. A function
//! that takes a list of variable arguments has no model.

use logic::{Binary, Term};
use program::{IntegerType, Type};

use super::format::{Directive, Length, Measure, Piece, pieces};
use super::{ANY_BYTE, Call, INT, NOT_ZERO, NOTHING, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::memory::Start;
use crate::ranges::Filling;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value, known};

/// No directive is taken to be wider.
const WIDEST: u64 = 1 << 20;

/// Texts of up to this many bytes are printed to memory byte by byte.
const SHORT: usize = 64;

pub(super) const MODELS: &[Row] = &[
    ("printf", 1, |encoder, state, call| print(encoder, state, call, 0)),
    ("fprintf", 2, |encoder, state, call| {
        encoder.stream_argument(state, call, 0)?;
        print(encoder, state, call, 1)
    }),
    ("dprintf", 2, |encoder, state, call| print(encoder, state, call, 1)),
    ("sprintf", 2, |encoder, state, call| print_to_memory(encoder, state, call, 1, None)),
    ("snprintf", 3, |encoder, state, call| {
        let room = encoder.size_argument(call, 1);
        print_to_memory(encoder, state, call, 2, Some(room))
    }),
    ("asprintf", 2, print_to_heap),
    ("puts", 1, |encoder, state, call| {
        encoder.string_argument(state, call, 0);
        encoder.returns_anything(call)
    }),
    ("fputs", 2, |encoder, state, call| {
        encoder.stream_argument(state, call, 1)?;
        encoder.string_argument(state, call, 0);
        encoder.returns_anything(call)
    }),
    ("putchar", 1, |encoder, _, call| encoder.returns_anything(call)),
    ("putc", 2, put_byte),
    ("fputc", 2, put_byte),
    ("fwrite", 4, |encoder, state, call| {
        encoder.stream_argument(state, call, 3)?;
        let bytes = encoder.pointer_argument(call, 0);
        let (size, count) = (encoder.size_argument(call, 1), encoder.size_argument(call, 2));
        let total = encoder.saturating_product(size, count);
        encoder.require_access(state, bytes, total, Access::Read);
        let zero = encoder.offset(0);
        let written = encoder.some_offset("elements written", zero, count);
        let nothing = encoder.terms.equal(size, zero);
        let result = encoder.terms.ite(nothing, zero, written);
        encoder.returns_size(result, false)
    }),
    ("write", 3, |encoder, state, call| {
        let (bytes, size) = (encoder.pointer_argument(call, 1), encoder.size_argument(call, 2));
        encoder.require_access(state, bytes, size, Access::Read);
        encoder.disturb_error_number(state);
        encoder.returns_anything(call)
    }),
    ("perror", 1, |encoder, state, call| {
        let text = encoder.pointer_argument(call, 0);
        encoder.unless_null(state, text, |encoder, state| {
            encoder.require_string(state, text);
        });
        NOTHING
    }),
    ("setbuf", 2, |encoder, _, call| has_own_buffer(encoder, call).and(NOTHING)),
    ("setlinebuf", 0, |_, _, _| NOTHING),
    ("setvbuf", 2, |encoder, _, call| {
        has_own_buffer(encoder, call)?;
        encoder.returns_anything(call)
    }),
];

/// That a stream surely gets no buffer of the program, which would change whenever something is read or written.
fn has_own_buffer(encoder: &mut Encoder<'_>, call: &Call<'_>) -> Option<()> {
    let buffer = encoder.pointer_argument(call, 1);
    let is_null = buffer.is_null(&mut encoder.terms);
    encoder.terms.is_true(is_null).then_some(())
}

fn put_byte(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.stream_argument(state, call, 1)?;
    encoder.returns_anything(call)
}

fn print(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, format: usize) -> Reply {
    Printed::of(encoder, state, call, format)?;
    encoder.returns_anything(call)
}

fn print_to_memory(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    format: usize,
    room: Option<Term>,
) -> Reply {
    let printed = Printed::of(encoder, state, call, format)?;
    let to = encoder.pointer_argument(call, 0);
    let (zero, one) = (encoder.offset(0), encoder.offset(1));
    let (fits, kept) = match room {
        None => (encoder.terms.bool(true), printed.length),
        Some(room) => {
            let fits = encoder.less(zero, room);
            let most = encoder.subtract(room, one);
            (fits, encoder.smaller(printed.length, most))
        }
    };
    encoder.when(state, fits, |encoder, state| {
        let size = encoder.add(kept, one);
        encoder.require_access(state, to, size, Access::Write);
        printed.write(encoder, state, to, kept);
    });
    encoder.returns_low(printed.length)
}

fn print_to_heap(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let printed = Printed::of(encoder, state, call, 1)?;
    let (place, size) = (encoder.pointer_argument(call, 0), encoder.after(printed.length));
    let new = encoder.allocate(state, size, None, Start::Unwritten);
    printed.write(encoder, state, new, printed.length);
    let width = encoder.offset(encoder.program.data_model.pointer_bytes());
    encoder.require_access(state, place, width, Access::Write);
    encoder.store(state, place, Value::Pointer(new), Type::Pointer);
    encoder.returns_low(printed.length)
}

/// What a format and its arguments make.
struct Printed {
    length: Term,
    /// Whether no zero byte is in it.
    no_zeros: bool,
    bytes: Bytes,
}

/// What is known of the bytes.
enum Bytes {
    Text(Vec<u8>),
    /// They are those of a string.
    String(Pointer),
    Any,
}

/// The arguments after a format.
struct Arguments<'a> {
    rest: &'a [(Type, Value)],
}

impl Printed {
    /// Requires what printing needs. Nothing if the format or an argument is not understood.
    fn of(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, format: usize) -> Option<Self> {
        let place = encoder.pointer_argument(call, format);
        let text = encoder.constant_text(state, place)?;
        let pieces = pieces(&text, encoder.long_width())?;
        let mut arguments = Arguments { rest: call.arguments.get(format + 1..).unwrap_or_default() };
        let mut printed = Self { length: encoder.offset(0), no_zeros: true, bytes: Bytes::Text(Vec::new()) };
        for piece in &pieces {
            let (length, bytes) = match piece {
                Piece::Text(text) => (encoder.offset(text.len() as u64), Bytes::Text(text.clone())),
                Piece::Directive(directive) => {
                    printed.no_zeros &= directive.conversion != b'c';
                    arguments.directive(encoder, state, directive)?
                }
            };
            printed.length = encoder.add(printed.length, length);
            printed.bytes = match (printed.bytes, bytes) {
                (Bytes::Text(mut text), Bytes::Text(more)) => {
                    text.extend(more);
                    Bytes::Text(text)
                }
                (Bytes::Text(text), bytes) if text.is_empty() => bytes,
                _ => Bytes::Any,
            };
        }
        Some(printed)
    }

    /// Writes the first bytes and a terminator.
    fn write(&self, encoder: &mut Encoder<'_>, state: &mut State, to: Pointer, kept: Term) {
        match &self.bytes {
            Bytes::Text(text) if text.len() <= SHORT && known(&encoder.terms, kept).is_some() => {
                let kept = known(&encoder.terms, kept).unwrap_or(0);
                let one = encoder.offset(1);
                for (number, &byte) in text.iter().enumerate().take(kept as usize) {
                    let (by, byte) = (encoder.offset(number as u64), encoder.terms.bits(8, byte.into()));
                    let place = encoder.moved(to, by);
                    encoder.fill(state, place, byte, one);
                }
            }
            Bytes::String(from) => encoder.copy(state, to, *from, kept),
            _ if self.no_zeros => encoder.change(state, to, kept, Filling::Such(&NOT_ZERO)),
            _ => encoder.change(state, to, kept, Filling::Such(&ANY_BYTE)),
        }
        let last = encoder.moved(to, kept);
        encoder.terminate(state, last);
        if self.no_zeros {
            encoder.assume_end(state, to, last.offset);
        }
    }
}

impl Arguments<'_> {
    fn next(&mut self) -> Option<(Type, Value)> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The length of what a directive prints, and what is known of the bytes.
    fn directive(
        &mut self,
        encoder: &mut Encoder<'_>,
        state: &mut State,
        directive: &Directive,
    ) -> Option<(Term, Bytes)> {
        let width = match directive.width {
            Measure::Number(width) => encoder.offset(width),
            Measure::Argument => self.width(encoder)?,
        };
        let precision = match directive.precision {
            None => None,
            Some(Measure::Number(precision)) => Some(encoder.offset(precision)),
            Some(Measure::Argument) => Some(self.precision(encoder)?),
        };
        let (length, bytes) = match directive.conversion {
            b'%' => return Some((encoder.offset(1), Bytes::Text(b"%".to_vec()))),
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                (self.integer(encoder, directive, precision)?, Bytes::Any)
            }
            b'c' if directive.length != Length::Long => {
                let (ty, _) = self.next()?;
                if matches!(ty, Type::Float(_)) {
                    return None;
                }
                (encoder.offset(1), Bytes::Any)
            }
            b's' if directive.length != Length::Long => self.string(encoder, state, precision)?,
            b'p' => {
                self.next()?;
                (within(encoder, 1, 18), Bytes::Any)
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (Type::Float(_), _) = self.next()? else { return None };
                // The largest number of all formats has fewer than five thousand digits.
                let most = encoder.offset(5100);
                let most = precision.map_or(most, |precision| encoder.add(most, precision));
                let one = encoder.offset(1);
                (encoder.some_offset("length of a number", one, most), Bytes::Any)
            }
            _ => return None,
        };
        if known(&encoder.terms, width) == Some(0) {
            return Some((length, bytes));
        }
        let padded = encoder.less(length, width);
        Some((encoder.terms.ite(padded, width, length), Bytes::Any))
    }

    fn int(&mut self, encoder: &mut Encoder<'_>) -> Option<Term> {
        let (from, value) = self.next()?;
        if matches!(from, Type::Float(_) | Type::Pointer) || encoder.is_mathematical() {
            return None;
        }
        let value = encoder.convert(from, Type::Integer(INT), value);
        let bits = encoder.as_term(value);
        Some(encoder.terms.resize(bits, OFFSET_WIDTH, true))
    }

    fn width(&mut self, encoder: &mut Encoder<'_>) -> Option<Term> {
        let value = self.int(encoder)?;
        let (zero, widest) = (encoder.offset(0), encoder.offset(WIDEST));
        let negative = encoder.terms.binary(Binary::SignedLess, value, zero);
        let negated = encoder.terms.unary(logic::Unary::BitNegate, value);
        let width = encoder.terms.ite(negative, negated, value);
        Some(encoder.smaller(width, widest))
    }

    /// A negative precision is none, which no precision is larger than.
    fn precision(&mut self, encoder: &mut Encoder<'_>) -> Option<Term> {
        let value = self.int(encoder)?;
        let (zero, widest) = (encoder.offset(0), encoder.offset(WIDEST));
        let negative = encoder.terms.binary(Binary::SignedLess, value, zero);
        let limited = encoder.smaller(value, widest);
        let none = encoder.offset(u64::MAX >> 8);
        Some(encoder.terms.ite(negative, none, limited))
    }

    /// The length of an integer: exact in the plain cases.
    fn integer(
        &mut self,
        encoder: &mut Encoder<'_>,
        directive: &Directive,
        precision: Option<Term>,
    ) -> Option<Term> {
        let (from, value) = self.next()?;
        let bits = directive.length.bits(encoder.long_width());
        let signed = matches!(directive.conversion, b'd' | b'i');
        let exact = precision.is_none() && !directive.alternate && !encoder.is_mathematical();
        if matches!(from, Type::Float(_)) {
            return None;
        }
        if !exact || from == Type::Pointer {
            // 128 bits in octal, a sign and a prefix.
            let (zero, most) = (encoder.offset(0), encoder.offset(48));
            let most = match precision {
                Some(precision) if known(&encoder.terms, precision).is_some() => encoder.add(most, precision),
                Some(_) => encoder.offset(WIDEST + 48),
                None => most,
            };
            return Some(encoder.some_offset("length of a number", zero, most));
        }
        let ty = IntegerType { width: bits, signed };
        let value = encoder.convert(from, Type::Integer(ty), value);
        let value = encoder.as_term(value);
        let wide = encoder.terms.resize(value, OFFSET_WIDTH, signed);
        let zero = encoder.offset(0);
        let negative = match signed {
            true => encoder.terms.binary(Binary::SignedLess, wide, zero),
            false => encoder.terms.bool(false),
        };
        let negated = encoder.terms.unary(logic::Unary::BitNegate, wide);
        let magnitude = encoder.terms.ite(negative, negated, wide);
        let base: u128 = match directive.conversion {
            b'o' => 8,
            b'x' | b'X' => 16,
            _ => 10,
        };
        let mut digits = encoder.offset(1);
        let (mut least, mut count) = (base, 2);
        while least < 1 << bits {
            let limit = encoder.terms.bits(OFFSET_WIDTH, least);
            let longer = encoder.at_most(limit, magnitude);
            let more = encoder.offset(count);
            digits = encoder.terms.ite(longer, more, digits);
            (least, count) = (least * base, count + 1);
        }
        let sign = match directive.signed && signed {
            true => encoder.terms.bool(true),
            false => negative,
        };
        let one = encoder.offset(1);
        let with_sign = encoder.add(digits, one);
        Some(encoder.terms.ite(sign, with_sign, digits))
    }

    /// A string, up to the precision; a null pointer is printed as a text.
    fn string(
        &mut self,
        encoder: &mut Encoder<'_>,
        state: &mut State,
        precision: Option<Term>,
    ) -> Option<(Term, Bytes)> {
        let (from, value) = self.next()?;
        if matches!(from, Type::Float(_)) {
            return None;
        }
        let value = encoder.convert(from, Type::Pointer, value);
        let text = encoder.as_pointer(value);
        let is_null = text.is_null(&mut encoder.terms);
        let given = encoder.terms.not(is_null);
        let mut length = encoder.offset(0);
        encoder.when(state, given, |encoder, state| {
            length = encoder.require_length(state, text, precision);
        });
        if encoder.terms.is_false(is_null) {
            return Some((length, Bytes::String(text)));
        }
        let instead = within(encoder, 0, 6);
        Some((encoder.terms.ite(is_null, instead, length), Bytes::Any))
    }
}

/// A length within limits.
fn within(encoder: &mut Encoder<'_>, least: u64, most: u64) -> Term {
    let (least, most) = (encoder.offset(least), encoder.offset(most));
    encoder.some_offset("length of what is printed", least, most)
}
