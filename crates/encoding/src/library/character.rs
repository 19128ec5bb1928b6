//! Models of `ctype.h`, exact in the C locale.

use logic::{Binary, Term};

use super::{Call, INT, Reply, Row, returns_number};
use crate::encoder::Encoder;

/// What a class of characters is: ranges of bytes.
type Ranges = &'static [(u8, u8)];

const ALPHA: Ranges = &[(b'A', b'Z'), (b'a', b'z')];
const DIGIT: Ranges = &[(b'0', b'9')];
const ALNUM: Ranges = &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')];
const HEXADECIMAL: Ranges = &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')];
const UPPER: Ranges = &[(b'A', b'Z')];
const LOWER: Ranges = &[(b'a', b'z')];
const SPACE: Ranges = &[(b' ', b' '), (9, 13)];
const BLANK: Ranges = &[(b' ', b' '), (b'\t', b'\t')];
const PUNCTUATION: Ranges = &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')];
const PRINTABLE: Ranges = &[(b' ', b'~')];
const GRAPHIC: Ranges = &[(b'!', b'~')];
const CONTROL: Ranges = &[(0, 31), (127, 127)];

/// The classes with their bits in glibc's tables.
const CLASSES: &[(Ranges, u32)] = &[
    (UPPER, 8),
    (LOWER, 9),
    (ALPHA, 10),
    (DIGIT, 11),
    (HEXADECIMAL, 12),
    (SPACE, 13),
    (PRINTABLE, 14),
    (GRAPHIC, 15),
    (BLANK, 0),
    (CONTROL, 1),
    (PUNCTUATION, 2),
    (ALNUM, 3),
];

pub(super) const MODELS: &[Row] = &[
    ("isalpha", 1, |encoder, _, call| class(encoder, call, ALPHA, 1024)),
    ("isdigit", 1, |encoder, _, call| class(encoder, call, DIGIT, 2048)),
    ("isalnum", 1, |encoder, _, call| class(encoder, call, ALNUM, 8)),
    ("isxdigit", 1, |encoder, _, call| class(encoder, call, HEXADECIMAL, 4096)),
    ("isupper", 1, |encoder, _, call| class(encoder, call, UPPER, 256)),
    ("islower", 1, |encoder, _, call| class(encoder, call, LOWER, 512)),
    ("isspace", 1, |encoder, _, call| class(encoder, call, SPACE, 8192)),
    ("isblank", 1, |encoder, _, call| class(encoder, call, BLANK, 1)),
    ("ispunct", 1, |encoder, _, call| class(encoder, call, PUNCTUATION, 4)),
    ("isprint", 1, |encoder, _, call| class(encoder, call, PRINTABLE, 16384)),
    ("isgraph", 1, |encoder, _, call| class(encoder, call, GRAPHIC, 32768)),
    ("iscntrl", 1, |encoder, _, call| class(encoder, call, CONTROL, 2)),
    ("isascii", 1, |encoder, _, call| class(encoder, call, &[(0, 127)], 1)),
    ("toascii", 1, |encoder, _, call| {
        let bits = encoder.bits_argument(call, 0, 32);
        let mask = encoder.terms.bits(32, 127);
        let result = encoder.terms.binary(Binary::BitAnd, bits, mask);
        encoder.returns_bits(INT, result)
    }),
    ("tolower", 1, |encoder, _, call| mapped(encoder, call, UPPER, 32)),
    ("toupper", 1, |encoder, _, call| mapped(encoder, call, LOWER, -32)),
];

/// Whether an `int` is in a range.
fn is_in(encoder: &mut Encoder<'_>, value: Term, low: i128, high: i128) -> Term {
    let (least, most) = (encoder.constant(INT, low), encoder.constant(INT, high));
    let op = if encoder.is_mathematical() { Binary::LessEqual } else { Binary::SignedLessEqual };
    encoder.within(op, least, value, most)
}

fn is_in_any(encoder: &mut Encoder<'_>, value: Term, ranges: Ranges) -> Term {
    let conditions: Vec<Term> =
        ranges.iter().map(|&(low, high)| is_in(encoder, value, low.into(), high.into())).collect();
    encoder.terms.any(&conditions)
}

/// glibc answers with the bit of the class, not with one.
fn class(encoder: &mut Encoder<'_>, call: &Call<'_>, ranges: Ranges, bit: i128) -> Reply {
    let value = encoder.integer_argument(call, 0, INT);
    let inside = is_in_any(encoder, value, ranges);
    let (yes, no) = (encoder.constant(INT, bit), encoder.constant(INT, 0));
    let result = encoder.terms.ite(inside, yes, no);
    returns_number(INT, result)
}

/// Moves the bytes of a class; a negative number stands for the byte of a signed `char`, except for `EOF`.
fn mapped(encoder: &mut Encoder<'_>, call: &Call<'_>, ranges: Ranges, by: i128) -> Reply {
    let value = encoder.integer_argument(call, 0, INT);
    let changes = is_in_any(encoder, value, ranges);
    let negative = is_in(encoder, value, -128, -2);
    let op = if encoder.is_mathematical() { Binary::Add } else { Binary::BitAdd };
    let (by, byte) = (encoder.constant(INT, by), encoder.constant(INT, 256));
    let changed = encoder.terms.binary(op, value, by);
    let positive = encoder.terms.binary(op, value, byte);
    let result = encoder.terms.ite(negative, positive, value);
    let result = encoder.terms.ite(changes, changed, result);
    returns_number(INT, result)
}

/// An entry of glibc's table of classes.
pub(super) fn classes(entry: i32) -> u16 {
    let Some(byte) = u8::try_from(entry).ok().filter(u8::is_ascii) else { return 0 };
    let is_in = |ranges: Ranges| ranges.iter().any(|&(low, high)| (low..=high).contains(&byte));
    CLASSES.iter().filter(|(ranges, _)| is_in(ranges)).fold(0, |all, (_, bit)| all | 1 << bit)
}

/// An entry of glibc's table of a case.
pub(super) fn case(entry: i32, map: fn(&u8) -> u8) -> i32 {
    match u8::try_from(entry) {
        Ok(byte) => i32::from(map(&byte)),
        Err(_) if entry == -1 => -1,
        Err(_) => entry + 256,
    }
}
