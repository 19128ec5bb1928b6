//! Formats of `printf` and `scanf` that are known, taken apart.

use crate::encoder::Encoder;
use crate::state::State;
use crate::value::{Pointer, known};

/// No text that is longer is taken for known.
const LONGEST: u64 = 4096;

/// A part of a format of `printf`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    Directive(Directive),
}

/// A directive of `printf`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Directive {
    /// Whether a sign or a space stands in front of numbers that are not negative.
    pub signed: bool,
    pub alternate: bool,
    pub width: Measure,
    pub precision: Option<Measure>,
    pub length: Length,
    pub conversion: u8,
}

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Measure {
    Number(u64),
    /// The next argument says it.
    Argument,
}

/// How wide the argument of a directive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    LongDouble,
}

impl Length {
    /// Reads the length modifier at the start of a text, and gives what follows it.
    pub fn parse(text: &[u8], long_width: u8) -> (Self, &[u8]) {
        let (length, used) = match text {
            [b'h', b'h', ..] => (Length::Char, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::LongLong, 2),
            [b'l', ..] => (Length::Long, 1),
            [b'q' | b'j', ..] => (Length::LongLong, 1),
            [b'z' | b't' | b'Z', ..] if long_width == 64 => (Length::Long, 1),
            [b'z' | b't' | b'Z', ..] => (Length::Int, 1),
            [b'L', ..] => (Length::LongDouble, 1),
            _ => (Length::Int, 0),
        };
        (length, &text[used..])
    }

    /// How many bits an integer has.
    pub fn bits(self, long_width: u8) -> u8 {
        match self {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => long_width,
            Length::LongLong | Length::LongDouble => 64,
        }
    }
}

/// The parts of a format of `printf`; nothing if it ends in the middle of a directive.
pub(super) fn pieces(format: &[u8], long_width: u8) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        if percent > 0 {
            pieces.push(Piece::Text(rest[..percent].to_vec()));
        }
        let (directive, after) = directive(&rest[percent + 1..], long_width)?;
        pieces.push(Piece::Directive(directive));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_vec()));
    }
    Some(pieces)
}

fn directive(text: &[u8], long_width: u8) -> Option<(Directive, &[u8])> {
    let flags = text.iter().take_while(|byte| b"-+ #0'".contains(byte)).count();
    let (signed, alternate) =
        (text[..flags].iter().any(|flag| b"+ ".contains(flag)), text[..flags].contains(&b'#'));
    let (width, mut rest) = measure(&text[flags..]);
    let mut precision = None;
    if let [b'.', after @ ..] = rest {
        let (value, after) = measure(after);
        (precision, rest) = (Some(value), after);
    }
    let (length, rest) = Length::parse(rest, long_width);
    let (&conversion, rest) = rest.split_first()?;
    Some((Directive { signed, alternate, width, precision, length, conversion }, rest))
}

fn measure(text: &[u8]) -> (Measure, &[u8]) {
    if let [b'*', rest @ ..] = text {
        return (Measure::Argument, rest);
    }
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value =
        text[..count].iter().fold(0, |all: u64, digit| (all * 10 + u64::from(digit - b'0')).min(1 << 20));
    (Measure::Number(value), &text[count..])
}

impl Encoder<'_> {
    /// The bytes of a string without its terminator, if all are known.
    pub(super) fn constant_text(&mut self, state: &State, text: Pointer) -> Option<Vec<u8>> {
        known(&self.terms, text.object)?;
        let start = known(&self.terms, text.offset)?;
        let mut view = state.clone();
        let mut bytes = Vec::new();
        for place in 0..LONGEST {
            let offset = self.offset(start + place);
            let byte = self.read_bytes(&mut view, Pointer { offset, ..text }, 1);
            match known(&self.terms, byte)? as u8 {
                0 => return Some(bytes),
                byte => bytes.push(byte),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let pieces = pieces(b"a%-5.*ld%%b", 64).expect("the format is complete");
        let [Piece::Text(a), Piece::Directive(number), Piece::Directive(percent), Piece::Text(b)] =
            &pieces[..]
        else {
            panic!("{pieces:?}")
        };
        assert_eq!((a.as_slice(), b.as_slice(), percent.conversion), (&b"a"[..], &b"b"[..], b'%'));
        assert_eq!((number.width, number.precision), (Measure::Number(5), Some(Measure::Argument)));
        assert_eq!((number.length, number.conversion), (Length::Long, b'd'));
        assert!(super::pieces(b"%l", 64).is_none());
    }
}
