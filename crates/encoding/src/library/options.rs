//! A model of `getopt`: some word of the table holds an option, and its argument, if it has one, is the end of some word.
//!
//! Which word it is, and how far the work has come, is arbitrary. The words of the table may have another order after a call,
//! as in glibc, so that a table of the program's own holds anything then. The words of the command line cannot be put into
//! another order ([`crate::arguments`]): for them there is no model.

use logic::{Binary, Sort, Term};
use program::{Initial, Type};

use super::{Call, INT, Reply, Row};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

pub(super) const MODELS: &[Row] = &[("getopt", 3, next_option)];

/// The letters of a list of options: each with whether it has an argument always, or sometimes.
struct Letters(Vec<(u8, bool, bool)>);

impl Letters {
    /// Reads a list of options; nothing if it asks for more than letters.
    fn read(text: &[u8]) -> Option<Self> {
        let text = text.strip_prefix(b"+").unwrap_or(text);
        let text = text.strip_prefix(b":").unwrap_or(text);
        if text.starts_with(b"-") || text.windows(2).any(|pair| pair == b"W;") {
            return None;
        }
        let colons = |place: usize| text[place..].iter().take_while(|&&byte| byte == b':').count();
        let letters = text.iter().enumerate().filter(|(_, byte)| **byte != b':');
        Some(Self(
            letters.map(|(place, &byte)| (byte, colons(place + 1) == 1, colons(place + 1) > 1)).collect(),
        ))
    }
}

fn next_option(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let table = encoder.pointer_argument(call, 1);
    let tables = encoder.candidates(table.object);
    if tables.is_empty() || tables.iter().any(|&number| encoder.holds_words(number)) {
        return None;
    }
    let (list, _) = encoder.string_argument(state, call, 2);
    let letters = encoder.constant_text(state, list).and_then(|text| Letters::read(&text));
    let (result, argument) = answer(encoder, letters);
    let count = encoder.bits_argument(call, 0, 32);
    let one = encoder.terms.bits(32, 1);
    let some = encoder.terms.binary(Binary::SignedLess, one, count);
    let found = encoder.terms.fresh("there is an option", Sort::Bool);
    let found = encoder.terms.and(found, some);
    let null = Pointer::null(&mut encoder.terms);
    forget_argument(encoder, state);
    encoder.when(state, found, |encoder, state| {
        let place = word(encoder, state, table, count);
        let place = Pointer::choose(&mut encoder.terms, argument, place, null);
        set_outside(encoder, state, "optarg", Type::Pointer, Value::Pointer(place));
        for &number in &tables {
            if let Some(contents) = state.contents_mut(number) {
                encoder.scatter(contents, number);
            }
        }
    });
    for name in ["optind", "optopt"] {
        let value = encoder.arbitrary(name, Type::Integer(INT));
        set_outside(encoder, state, name, Type::Integer(INT), value);
    }
    let none = encoder.terms.signed_bits(32, -1);
    let result = encoder.terms.ite(found, result, none);
    encoder.returns_bits(INT, result)
}

/// What a call that finds an option returns, and whether there is an argument then.
fn answer(encoder: &mut Encoder<'_>, letters: Option<Letters>) -> (Term, Term) {
    let result = encoder.int_between("option", 0, 255);
    let sometimes = encoder.terms.fresh("the option has an argument", Sort::Bool);
    let Some(Letters(letters)) = letters else { return (result, sometimes) };
    let mut cases = Vec::new();
    let mut argument = Vec::new();
    // Mistakes are answered with one of two characters that are no letters.
    for (letter, always, optional) in letters.into_iter().chain([(b'?', false, false), (b':', false, false)])
    {
        let number = encoder.terms.bits(32, letter.into());
        let is_it = encoder.terms.equal(result, number);
        cases.push(is_it);
        if always {
            argument.push(is_it);
        } else if optional {
            argument.push(encoder.terms.and(is_it, sometimes));
        }
    }
    let one = encoder.terms.any(&cases);
    encoder.axioms.add(result, one);
    (result, encoder.terms.any(&argument))
}

/// Some place in some word after the first one, up to its end. All words must be strings.
fn word(encoder: &mut Encoder<'_>, state: &mut State, table: Pointer, count: Term) -> Pointer {
    let count = encoder.terms.resize(count, OFFSET_WIDTH, true);
    let (zero, one) = (encoder.offset(0), encoder.offset(1));
    let last = encoder.subtract(count, one);
    let index = encoder.some_offset("place of a word", one, last);
    let width = encoder.offset(encoder.program.data_model.pointer_bytes());
    let bytes = encoder.terms.binary(Binary::BitMultiply, index, width);
    let place = encoder.moved(table, bytes);
    encoder.require_access(state, place, width, Access::Read);
    let word = encoder.load(state, place, Type::Pointer);
    let word = encoder.as_pointer(word);
    let end = encoder.require_string(state, word);
    let length = encoder.subtract(end, word.offset);
    let by = encoder.some_offset("start of an argument", zero, length);
    encoder.moved(word, by)
}

/// Where there is no option, the argument of the last one may still be there.
fn forget_argument(encoder: &mut Encoder<'_>, state: &mut State) {
    let Some(place) = outside_place(encoder, "optarg", Type::Pointer) else { return };
    let old = encoder.load(state, place, Type::Pointer);
    let old = encoder.as_pointer(old);
    let null = Pointer::null(&mut encoder.terms);
    let kept = encoder.terms.fresh("the last argument is still there", Sort::Bool);
    let value = Pointer::choose(&mut encoder.terms, kept, old, null);
    encoder.store(state, place, Value::Pointer(value), Type::Pointer);
}

/// Changes a variable of the library that the program declares.
fn set_outside(encoder: &mut Encoder<'_>, state: &mut State, name: &str, ty: Type, value: Value) {
    if let Some(place) = outside_place(encoder, name, ty) {
        encoder.store(state, place, value, ty);
    }
}

/// The variable of the library with this name, if the program declares it.
fn outside_place(encoder: &mut Encoder<'_>, name: &str, ty: Type) -> Option<Pointer> {
    let bytes = ty.bytes(encoder.program.data_model);
    let (id, _) = encoder.program.objects.iter().find(|(_, object)| {
        object.name == name && object.initial == Initial::Unknown && object.size >= bytes
    })?;
    let number = encoder.global_number(id);
    Some(Pointer::to(&mut encoder.terms, number, 0))
}
