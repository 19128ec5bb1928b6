//! Models of `ctype.h`, and the tables that glibc's macros read.
//!
//! glibc's macros index tables of 384 entries from -128 to 255. The bits of `__ctype_b_loc` are those of a little
//! endian machine.

use super::{Call, Model, Reply};
use crate::interpret::machine::Step;

pub(super) const MODELS: &[(&str, Model)] = &[
    ("isalpha", |call| class(call, |byte| byte.is_ascii_alphabetic(), 1024)),
    ("isdigit", |call| class(call, |byte| byte.is_ascii_digit(), 2048)),
    ("isalnum", |call| class(call, |byte| byte.is_ascii_alphanumeric(), 8)),
    ("isxdigit", |call| class(call, |byte| byte.is_ascii_hexdigit(), 4096)),
    ("isupper", |call| class(call, |byte| byte.is_ascii_uppercase(), 256)),
    ("islower", |call| class(call, |byte| byte.is_ascii_lowercase(), 512)),
    ("isspace", |call| class(call, is_space, 8192)),
    ("isblank", |call| class(call, |byte| matches!(byte, b' ' | b'\t'), 1)),
    ("ispunct", |call| class(call, |byte| byte.is_ascii_punctuation(), 4)),
    ("isprint", |call| class(call, |byte| matches!(byte, b' '..=b'~'), 16384)),
    ("isgraph", |call| class(call, |byte| byte.is_ascii_graphic(), 32768)),
    ("iscntrl", |call| class(call, |byte| byte.is_ascii_control(), 2)),
    ("isascii", |call| Ok(Reply::Integer((0..128).contains(&call.integer(0)).into()))),
    ("toascii", |call| Ok(Reply::Integer(call.integer(0) & 127))),
    ("tolower", |call| Ok(Reply::Integer(mapped(call.integer(0), |byte| byte.to_ascii_lowercase())))),
    ("toupper", |call| Ok(Reply::Integer(mapped(call.integer(0), |byte| byte.to_ascii_uppercase())))),
    ("__ctype_b_loc", |call| table(call, 0, |entry| classes(entry).to_le_bytes().to_vec())),
    ("__ctype_tolower_loc", |call| {
        table(call, 1, |entry| case(entry, |byte| byte.to_ascii_lowercase()).to_le_bytes().to_vec())
    }),
    ("__ctype_toupper_loc", |call| {
        table(call, 2, |entry| case(entry, |byte| byte.to_ascii_uppercase()).to_le_bytes().to_vec())
    }),
    ("__ctype_get_mb_cur_max", |_| Ok(Reply::Integer(1))),
];

/// Whether a byte is white space in the C locale.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// glibc answers with the bit of the class, not with one.
fn class(call: &mut Call<'_, '_>, holds: fn(u8) -> bool, bit: i128) -> Step<Reply> {
    let byte = u8::try_from(call.integer(0)).ok();
    Ok(Reply::Integer(if byte.is_some_and(holds) { bit } else { 0 }))
}

fn mapped(value: i128, map: fn(u8) -> u8) -> i128 {
    if (-128..256).contains(&value) { i128::from(case(value as i32, map)) } else { value }
}

/// An entry of the table of classes. Only bytes from 0 to 127 are in any class.
fn classes(entry: i32) -> u16 {
    let Some(byte) = u8::try_from(entry).ok().filter(u8::is_ascii) else { return 0 };
    let bits = [
        (byte.is_ascii_uppercase(), 8),
        (byte.is_ascii_lowercase(), 9),
        (byte.is_ascii_alphabetic(), 10),
        (byte.is_ascii_digit(), 11),
        (byte.is_ascii_hexdigit(), 12),
        (is_space(byte), 13),
        (matches!(byte, b' '..=b'~'), 14),
        (byte.is_ascii_graphic(), 15),
        (matches!(byte, b' ' | b'\t'), 0),
        (byte.is_ascii_control(), 1),
        (byte.is_ascii_punctuation(), 2),
        (byte.is_ascii_alphanumeric(), 3),
    ];
    bits.into_iter().filter(|(holds, _)| *holds).fold(0, |all, (_, bit)| all | 1 << bit)
}

/// An entry of a table that maps cases. A negative entry stands for the byte of a signed `char`.
fn case(entry: i32, map: fn(u8) -> u8) -> i32 {
    match u8::try_from(entry) {
        Ok(byte) => i32::from(map(byte)),
        Err(_) if entry == -1 => -1,
        Err(_) => entry + 256,
    }
}

/// A pointer to a pointer to the entry zero of a table, which is made once.
fn table(call: &mut Call<'_, '_>, number: usize, entry: fn(i32) -> Vec<u8>) -> Step<Reply> {
    if let Some(pointer) = call.execution.library.tables[number] {
        return Ok(Reply::Pointer(pointer));
    }
    let entries: Vec<u8> = (-128..256).flat_map(entry).collect();
    // A third of the entries stands before the entry zero.
    let zero = call.execution.provide("ctype table", &entries)?.moved(entries.len() as i64 / 3);
    let width = call.execution.program.data_model.pointer_bytes() as usize;
    let address = call.execution.memory.address(zero).to_le_bytes();
    let pointer = call.execution.provide("ctype table pointer", &address[..width])?;
    call.execution.library.tables[number] = Some(pointer);
    Ok(Reply::Pointer(pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_the_bits_of_glibc() {
        assert_eq!(classes(i32::from(b'A')), 0xd508);
        assert_eq!(classes(i32::from(b'a')), 0xd608);
        assert_eq!(classes(i32::from(b'g')), 0xc608);
        assert_eq!(classes(i32::from(b'0')), 0xd808);
        assert_eq!(classes(i32::from(b' ')), 0x6001);
        assert_eq!(classes(i32::from(b'\t')), 0x2003);
        assert_eq!(classes(i32::from(b'\n')), 0x2002);
        assert_eq!(classes(i32::from(b'!')), 0xc004);
        assert_eq!((classes(-1), classes(200), classes(-56)), (0, 0, 0));
        assert_eq!(case(i32::from(b'Q'), |byte| byte.to_ascii_lowercase()), i32::from(b'q'));
        assert_eq!((case(-1, |byte| byte), case(-56, |byte| byte)), (-1, 200));
    }
}
