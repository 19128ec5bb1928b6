//! Models of streams that the program opens, and of what the standard streams have in common with them.
//!
//! An open stream is an object that nobody needs to look into. A function that is given a stream requires that it is
//! not null and not closed; a pointer that is something else ends the path. What is read from a file is arbitrary,
//! whatever was read or written before. Unlike in the interpreter the end of a file may come back and go away at any
//! time.

use logic::{Binary, Node, Sort, Term};
use program::interpret::FILE_BYTE;
use program::{Obligation, Type};

use super::input::STANDARD_INPUT;
use super::{Call, INT, NOTHING, Reply, Row};
use crate::encoder::Encoder;
use crate::memory::{Kind, Start};
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer};

/// What an open stream is called.
pub(crate) const STREAM: &str = "stream";

/// Who asks whether a file can be opened.
const OPENS: &str = "fopen";

pub(super) const MODELS: &[Row] = &[
    ("fopen", 2, |encoder, state, call| open(encoder, state, call, &[0, 1])),
    ("fopen64", 2, |encoder, state, call| open(encoder, state, call, &[0, 1])),
    ("popen", 2, |encoder, state, call| open(encoder, state, call, &[0, 1])),
    ("fdopen", 2, |encoder, state, call| open(encoder, state, call, &[1])),
    ("tmpfile", 0, |encoder, state, call| open(encoder, state, call, &[])),
    ("tmpfile64", 0, |encoder, state, call| open(encoder, state, call, &[])),
    ("fclose", 1, close),
    ("pclose", 1, close),
    ("feof", 1, |encoder, state, call| answers(encoder, state, call, 0, 1)),
    ("ferror", 1, |encoder, state, call| answers(encoder, state, call, 0, 1)),
    ("fileno", 1, |encoder, state, call| answers(encoder, state, call, -1, i32::MAX)),
    ("fseek", 3, |encoder, state, call| answers(encoder, state, call, -1, 0)),
    ("fseeko", 3, |encoder, state, call| answers(encoder, state, call, -1, 0)),
    ("ftell", 1, tell),
    ("ftello", 1, tell),
    ("clearerr", 1, |encoder, state, call| encoder.stream_argument(state, call, 0).and(NOTHING)),
    ("rewind", 1, |encoder, state, call| encoder.stream_argument(state, call, 0).and(NOTHING)),
    ("fflush", 1, |encoder, state, call| {
        let pointer = encoder.pointer_argument(call, 0);
        let mut understood = true;
        encoder.unless_null(state, pointer, |encoder, state| {
            understood = encoder.stream_argument(state, call, 0).is_some();
        });
        if understood { encoder.returns_anything(call) } else { None }
    }),
];

/// A stream that an argument points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Whether it is one of the standard ones.
    standard: Term,
}

impl Source {
    /// Standard input.
    pub(super) fn standard(encoder: &mut Encoder<'_>) -> Self {
        Self { standard: encoder.terms.bool(true) }
    }
}

impl Encoder<'_> {
    /// Requires that an argument is an open stream. Nothing if it surely is something else.
    pub(super) fn stream_argument(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        argument: usize,
    ) -> Option<Source> {
        let pointer = self.pointer_argument(call, argument);
        let (none, zero) = (self.number_term(0), self.offset(0));
        let no_object = self.terms.equal(pointer.object, none);
        let start = self.terms.equal(pointer.offset, zero);
        let standard = self.is_standard(pointer);
        let standard = self.terms.and(no_object, standard);
        let (mut opened, mut alive) = (vec![standard], vec![standard]);
        for number in self.candidates(pointer.object) {
            if self.objects[number as usize].kind != Kind::Provided(STREAM) {
                continue;
            }
            let term = self.number_term(number);
            let here = self.terms.equal(pointer.object, term);
            let here = self.terms.and(here, start);
            opened.push(here);
            if let Some(contents) = state.contents(number) {
                let lives = contents.alive;
                alive.push(self.terms.and(here, lives));
            }
        }
        let nothing = self.terms.and(no_object, start);
        let other = self.terms.not(standard);
        let null = self.terms.and(nothing, other);
        opened.push(null);
        let known = self.terms.any(&opened);
        if self.terms.is_false(known) {
            return None;
        }
        if !self.terms.is_true(known) {
            let what = format!("{} of an unknown stream", call.name);
            self.give_up_unless(state, known, what);
        }
        if !self.terms.is_true(standard) {
            let (given, alive) = (self.terms.not(null), self.terms.any(&alive));
            self.check_condition(state, Obligation::Null, given);
            self.check_condition(state, Obligation::Dangling, alive);
        }
        Some(Source { standard })
    }

    /// Whether an offset is that of a standard stream: the initial value of a variable of their names.
    fn is_standard(&mut self, pointer: Pointer) -> Term {
        let mut all = Vec::new();
        for leaf in self.leaves(pointer.offset) {
            let symbol = match self.terms.node(leaf) {
                Node::Binary(Binary::Select, array, _) => array,
                _ => leaf,
            };
            let name = self.terms.as_symbol(symbol).map(|symbol| self.terms.symbol(symbol).name.as_str());
            let name = name.map(|name| name.strip_prefix("initial ").unwrap_or(name));
            if matches!(name, Some("stdin" | "stdout" | "stderr")) {
                all.push(self.terms.equal(pointer.offset, leaf));
            }
        }
        self.terms.any(&all)
    }

    /// Takes note of a byte of a stream that is asked for under a condition: an `int` that is a byte, or -1 for the end.
    pub(super) fn note_byte(&mut self, source: Source, asked: Term, bits: Term) {
        let other = self.terms.not(source.standard);
        for (condition, name) in [(source.standard, STANDARD_INPUT), (other, FILE_BYTE)] {
            let asked = self.terms.and(asked, condition);
            if !self.terms.is_false(asked) {
                let value = (Type::Integer(INT), self.bits_value(INT, bits));
                self.note_input(asked, name, self.location(), value);
            }
        }
    }
}

/// A new stream, or null. Some arguments are strings.
fn open(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, strings: &[usize]) -> Reply {
    for &argument in strings {
        encoder.string_argument(state, call, argument);
    }
    let symbol = encoder.terms.fresh(OPENS, Sort::BitVector(32));
    let value = (Type::Integer(INT), encoder.bits_value(INT, symbol));
    encoder.note_input(state.guard.term(), OPENS, encoder.location(), value);
    let zero = encoder.terms.bits(32, 0);
    let opened = encoder.terms.differ(symbol, zero);
    // As large as in glibc; what a program finds in it is unknown.
    let size = if encoder.program.data_model.pointer_bytes() == 8 { 216 } else { 148 };
    let size = encoder.terms.bits(OFFSET_WIDTH, size);
    let number = encoder.create(state, Kind::Provided(STREAM), STREAM, size, 4, Start::Unknown);
    if let Some(contents) = state.contents_mut(number) {
        contents.alive = opened;
    }
    encoder.disturb_error_number(state);
    let stream = Pointer::to(&mut encoder.terms, number, 0);
    encoder.returns_pointer_if(opened, stream)
}

fn close(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.stream_argument(state, call, 0)?;
    let pointer = encoder.pointer_argument(call, 0);
    encoder.end_object(state, pointer.object);
    encoder.disturb_error_number(state);
    encoder.returns_anything(call)
}

fn answers(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, low: i32, high: i32) -> Reply {
    encoder.stream_argument(state, call, 0)?;
    encoder.returns_between(call, low, high)
}

fn tell(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.stream_argument(state, call, 0)?;
    encoder.returns_anything(call)
}
