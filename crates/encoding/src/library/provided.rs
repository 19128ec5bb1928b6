//! Objects that the library itself provides: `errno`, where `strtok` goes on, the state of the resolver, the buffer of
//! `inet_ntoa`, and the tables behind glibc's macros of `ctype.h`. They exist from the start of a run if the program names
//! the functions that need them.

use program::Type;

use super::character::{case, classes};
use super::{ANY_BYTE, Call, Reply, Row};
use crate::arguments::TEXT;
use crate::encoder::Encoder;
use crate::memory::{Kind, Start};
use crate::ranges::Filling;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

const ERROR_NUMBER: &str = "errno";
const TOKEN: &str = "place of strtok";
const RESOLVER: &str = "state of the resolver";
const ADDRESS: &str = "text of inet_ntoa";
const CLASSES: &str = "pointer to classes of characters";
const LOWER: &str = "pointer to lower case";
const UPPER: &str = "pointer to upper case";

/// The size of `struct __res_state` on 64-bit Linux.
const RESOLVER_BYTES: u64 = 568;

/// The size of the buffer of `inet_ntoa`, and the lengths of the texts in it.
const ADDRESS_BYTES: u64 = 18;
const SHORTEST_ADDRESS: u64 = 7;
const LONGEST_ADDRESS: u64 = 15;

pub(super) const MODELS: &[Row] = &[
    ("__errno_location", 0, |encoder, state, _| whole(encoder, state, ERROR_NUMBER)),
    ("__ctype_b_loc", 0, |encoder, state, _| whole(encoder, state, CLASSES)),
    ("__ctype_tolower_loc", 0, |encoder, state, _| whole(encoder, state, LOWER)),
    ("__ctype_toupper_loc", 0, |encoder, state, _| whole(encoder, state, UPPER)),
    ("__ctype_get_mb_cur_max", 0, |encoder, _, _| {
        let one = encoder.offset(1);
        encoder.returns_size(one, false)
    }),
    ("__res_state", 0, |encoder, state, _| whole(encoder, state, RESOLVER)),
    ("inet_ntoa", 0, address_text),
    ("strerror", 1, |encoder, state, call| {
        let text = outside_text(encoder, state, call);
        encoder.returns_pointer(text)
    }),
];

impl Encoder<'_> {
    /// Makes the objects that the library provides.
    pub(crate) fn provide(&mut self, state: &mut State) {
        let names: Vec<&str> =
            self.program.functions.values().map(|function| function.name.as_str()).collect();
        let width = self.program.data_model.pointer_bytes();
        if names.contains(&"__errno_location") {
            self.provide_zeros(state, ERROR_NUMBER, 4);
        }
        if names.contains(&"strtok") {
            self.provide_zeros(state, TOKEN, width);
        }
        if names.contains(&"__res_state") && width == 8 {
            self.provide_zeros(state, RESOLVER, RESOLVER_BYTES);
            self.disturb_resolver(state);
        }
        if names.contains(&"inet_ntoa") {
            self.provide_zeros(state, ADDRESS, ADDRESS_BYTES);
        }
        let entries = -128i32..256;
        if names.contains(&"__ctype_b_loc") {
            let table: Vec<u8> = entries.clone().flat_map(|entry| classes(entry).to_le_bytes()).collect();
            self.provide_table(state, CLASSES, &table, 256);
        }
        for (function, name) in [("__ctype_tolower_loc", LOWER), ("__ctype_toupper_loc", UPPER)] {
            if names.contains(&function) {
                let is_lower = name == LOWER;
                let map = if is_lower { u8::to_ascii_lowercase } else { u8::to_ascii_uppercase };
                let table: Vec<u8> =
                    entries.clone().flat_map(|entry| case(entry, map).to_le_bytes()).collect();
                self.provide_table(state, name, &table, 512);
            }
        }
    }

    fn provide_zeros(&mut self, state: &mut State, name: &'static str, size: u64) -> Pointer {
        let bytes = self.terms.bits(OFFSET_WIDTH, size.into());
        let number = self.create(state, Kind::Provided(name), name, bytes, size.min(8), Start::Zero);
        Pointer::to(&mut self.terms, number, 0)
    }

    /// A table of numbers, and a pointer to its entry zero.
    fn provide_table(&mut self, state: &mut State, name: &'static str, table: &[u8], zero: i64) {
        let cell = zero as u64 / 128;
        let size = self.terms.bits(OFFSET_WIDTH, table.len() as u128);
        let number = self.create(state, Kind::Provided("table"), "table", size, cell, Start::Zero);
        if let Some(contents) = state.contents_mut(number) {
            for (index, entry) in table.chunks(cell as usize).enumerate() {
                let bits = entry.iter().rev().fold(0, |bits: u128, &byte| bits << 8 | u128::from(byte));
                let term = self.terms.bits(8 * cell as u32, bits);
                contents.bits.set(index as u64, term);
            }
        }
        let place = self.provide_zeros(state, name, self.program.data_model.pointer_bytes());
        let entry = Pointer::to(&mut self.terms, number, zero);
        self.store(state, place, Value::Pointer(entry), Type::Pointer);
    }

    /// The provided object of a name, if it exists.
    fn provided(&mut self, state: &State, name: &'static str) -> Option<Pointer> {
        let number = self.objects.iter().position(|object| object.kind == Kind::Provided(name))? as u32;
        state.contents(number)?;
        Some(Pointer::to(&mut self.terms, number, 0))
    }

    /// Lets `errno` be anything: some function may have set it.
    pub(super) fn disturb_error_number(&mut self, state: &mut State) {
        self.disturb(state, ERROR_NUMBER, 4);
    }

    /// Lets the state of the resolver be anything.
    pub(super) fn disturb_resolver(&mut self, state: &mut State) {
        self.disturb(state, RESOLVER, RESOLVER_BYTES);
    }

    fn disturb(&mut self, state: &mut State, name: &'static str, size: u64) {
        if let Some(place) = self.provided(state, name) {
            let size = self.offset(size);
            self.change(state, place, size, Filling::Such(&ANY_BYTE));
        }
    }
}

fn whole(encoder: &mut Encoder<'_>, state: &State, name: &'static str) -> Reply {
    let place = encoder.provided(state, name)?;
    encoder.returns_pointer(place)
}

/// Where `strtok` keeps its place.
pub(super) fn token_place(encoder: &mut Encoder<'_>, state: &State) -> Option<Pointer> {
    encoder.provided(state, TOKEN)
}

/// A string that comes from outside, of any length. Nobody may write to it: the next call may give the same one.
pub(super) fn outside_text(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Pointer {
    let number = encoder.outside_string(state, Kind::Provided(TEXT), call.name);
    let text = Pointer::to(&mut encoder.terms, number, 0);
    let end = encoder.last_byte(number);
    encoder.assume_end(state, text, end);
    text
}

/// `inet_ntoa`: an address as text, always in the same buffer.
fn address_text(encoder: &mut Encoder<'_>, state: &mut State, _: &Call<'_>) -> Reply {
    let text = encoder.provided(state, ADDRESS)?;
    let (least, most) = (encoder.offset(SHORTEST_ADDRESS), encoder.offset(LONGEST_ADDRESS));
    let length = encoder.some_offset("length of an address", least, most);
    encoder.put_text(state, text, length);
    encoder.returns_pointer(text)
}
