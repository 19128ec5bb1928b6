//! Models of `scanf` and its kin. The format must be known.
//!
//! How many directives are fulfilled is arbitrary; those that are store arbitrary numbers, and strings of any length that
//! the directive, and for `sscanf` the text, allow. Bytes of standard input that are taken are not listed as inputs.

use logic::{Binary, Term};
use program::FloatFormat;

use super::format::Length;
use super::{ANY_BYTE, Call, INT, Reply, Row};
use crate::encoder::Encoder;
use crate::state::State;
use crate::value::Pointer;

/// No text is longer.
const LONGEST: u64 = 1 << 40;

pub(super) const MODELS: &[Row] = &[
    ("scanf", 1, |encoder, state, call| scan(encoder, state, call, 0, None)),
    ("fscanf", 2, |encoder, state, call| {
        encoder.stream_argument(state, call, 0)?;
        scan(encoder, state, call, 1, None)
    }),
    ("sscanf", 2, |encoder, state, call| {
        let (text, end) = encoder.string_argument(state, call, 0);
        let length = encoder.subtract(end, text.offset);
        scan(encoder, state, call, 1, Some(length))
    }),
];

/// What a directive stores.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Stored {
    /// A number of so many bytes.
    Number(u64),
    /// A string of at most so many bytes.
    String(Option<u64>),
    /// At most so many bytes.
    Bytes(u64),
}

/// What the directives of a format store that store something; nothing if one is not understood.
fn directives(format: &[u8], encoder: &Encoder<'_>) -> Option<Vec<Stored>> {
    let mut all = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[percent + 1..];
        if let [b'%', after @ ..] = rest {
            rest = after;
            continue;
        }
        let suppressed = rest.first() == Some(&b'*');
        rest = &rest[usize::from(suppressed)..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let width =
            rest[..digits].iter().fold(0u64, |all, digit| (all * 10 + u64::from(digit - b'0')).min(1 << 30));
        let width = (digits > 0).then_some(width.max(1));
        let (length, after) = Length::parse(&rest[digits..], encoder.long_width());
        let (&conversion, after) = after.split_first()?;
        rest = after;
        let stored = match conversion {
            b'd' | b'u' | b'i' | b'o' | b'x' | b'X' => {
                Stored::Number(u64::from(length.bits(encoder.long_width()) / 8))
            }
            b'p' => Stored::Number(u64::from(encoder.long_width() / 8)),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let format = match length {
                    Length::LongDouble => FloatFormat::Extended,
                    Length::Long => FloatFormat::Double,
                    _ => FloatFormat::Single,
                };
                Stored::Number(format.bytes(encoder.program.data_model))
            }
            b'c' if length == Length::Int => Stored::Bytes(width.unwrap_or(1)),
            b's' if length == Length::Int => Stored::String(width),
            b'[' if length == Length::Int => {
                let first = usize::from(rest.first() == Some(&b'^'));
                let end = rest.iter().skip(first + 1).position(|&byte| byte == b']')?;
                rest = &rest[first + 1 + end + 1..];
                Stored::String(width)
            }
            _ => return None,
        };
        if !suppressed {
            all.push(stored);
        }
    }
    Some(all)
}

fn scan(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    format: usize,
    text: Option<Term>,
) -> Reply {
    let place = encoder.pointer_argument(call, format);
    let directives = directives(&encoder.constant_text(state, place)?, encoder)?;
    let given = call.arguments.len() - format - 1;
    if directives.len() > given {
        return None;
    }
    let result = encoder.int_between(call.name, -1, directives.len() as i32);
    for (number, stored) in directives.into_iter().enumerate() {
        let place = encoder.pointer_argument(call, format + 1 + number);
        let count = encoder.terms.bits(32, number as u128);
        let fulfilled = encoder.terms.binary(Binary::SignedLess, count, result);
        encoder.when(state, fulfilled, |encoder, state| store(encoder, state, call, place, stored, text));
    }
    encoder.returns_bits(INT, result)
}

fn store(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    place: Pointer,
    stored: Stored,
    text: Option<Term>,
) {
    let one = encoder.offset(1);
    let limited = |encoder: &mut Encoder<'_>, width: Option<u64>| {
        let width = encoder.offset(width.unwrap_or(LONGEST));
        text.map_or(width, |text| encoder.smaller(width, text))
    };
    match stored {
        Stored::Number(size @ (1 | 2 | 4 | 8)) => encoder.store_arbitrary(state, place, size, call),
        Stored::Number(size) => {
            let size = encoder.offset(size);
            encoder.put_anything(state, place, size);
        }
        Stored::Bytes(width) => {
            let most = limited(encoder, Some(width));
            let least = encoder.smaller(one, most);
            let length = encoder.some_offset("length of what is read", least, most);
            encoder.put_anything(state, place, length);
        }
        Stored::String(width) => {
            let most = limited(encoder, width);
            let least = encoder.smaller(one, most);
            let length = encoder.some_offset("length of a word", least, most);
            match text {
                Some(_) => encoder.put_text(state, place, length),
                None => encoder.put_bytes(state, place, length, &ANY_BYTE),
            }
        }
    }
}
