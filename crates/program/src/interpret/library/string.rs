//! Models of `string.h` and `strings.h`.

use super::{Call, Model, Reply};
use crate::interpret::machine::Step;
use crate::interpret::value::Slot;

pub(super) const MODELS: &[(&str, Model)] = &[
    ("strlen", |call| {
        let pointer = call.pointer(0);
        Ok(Reply::Integer(call.length(0, pointer, u64::MAX)?.into()))
    }),
    ("strnlen", |call| {
        let (pointer, limit) = (call.pointer(0), call.size(1));
        Ok(Reply::Integer(call.length(0, pointer, limit)?.into()))
    }),
    ("strcpy", |call| copy_string(call, u64::MAX, false).map(|_| Reply::Pointer(call.pointer(0)))),
    ("stpcpy", |call| {
        copy_string(call, u64::MAX, false).map(|end| Reply::Pointer(call.pointer(0).moved(end)))
    }),
    ("strncpy", |call| copy_string(call, call.size(2), true).map(|_| Reply::Pointer(call.pointer(0)))),
    ("stpncpy", |call| {
        copy_string(call, call.size(2), true).map(|end| Reply::Pointer(call.pointer(0).moved(end)))
    }),
    ("strcat", |call| append(call, u64::MAX)),
    ("strncat", |call| append(call, call.size(2))),
    ("strlcpy", |call| copy_within(call, false)),
    ("strlcat", |call| copy_within(call, true)),
    ("strcmp", |call| compare_strings(call, u64::MAX, exact)),
    ("strcoll", |call| compare_strings(call, u64::MAX, exact)),
    ("strncmp", |call| compare_strings(call, call.size(2), exact)),
    ("strcasecmp", |call| compare_strings(call, u64::MAX, folded)),
    ("stricmp", |call| compare_strings(call, u64::MAX, folded)),
    ("strncasecmp", |call| compare_strings(call, call.size(2), folded)),
    ("strchr", |call| find_byte(call, false, false)),
    ("index", |call| find_byte(call, false, false)),
    ("strrchr", |call| find_byte(call, true, false)),
    ("rindex", |call| find_byte(call, true, false)),
    ("strchrnul", |call| find_byte(call, false, true)),
    ("strstr", |call| find_string(call, exact)),
    ("strcasestr", |call| find_string(call, folded)),
    ("strspn", |call| Ok(Reply::Integer(span(call, 0, true)?.0 as i128))),
    ("strcspn", |call| Ok(Reply::Integer(span(call, 0, false)?.0 as i128))),
    ("strpbrk", |call| {
        let (length, whole) = span(call, 0, false)?;
        Ok(Reply::Pointer(if length < whole { call.pointer(0).moved(length as i64) } else { Slot::NULL }))
    }),
    ("strtok", |call| {
        let start = if call.pointer(0).is_null() { call.execution.library.token } else { call.pointer(0) };
        let (token, next) = next_token(call, start, 1)?;
        call.execution.library.token = next;
        Ok(Reply::Pointer(token))
    }),
    ("strtok_r", |call| {
        let place = call.pointer(2);
        let start = if call.pointer(0).is_null() { load_pointer(call, place)? } else { call.pointer(0) };
        let (token, next) = next_token(call, start, 1)?;
        call.execution.store(place, next, crate::Type::Pointer)?;
        Ok(Reply::Pointer(token))
    }),
    ("strsep", separate),
    ("strdup", |call| duplicate(call, u64::MAX)),
    ("strndup", |call| duplicate(call, call.size(1))),
    ("memcpy", |call| copy_memory(call, 0, 1, true).map(|_| Reply::Pointer(call.pointer(0)))),
    ("memmove", |call| copy_memory(call, 0, 1, false).map(|_| Reply::Pointer(call.pointer(0)))),
    ("mempcpy", |call| copy_memory(call, 0, 1, true).map(|size| Reply::Pointer(call.pointer(0).moved(size)))),
    ("bcopy", |call| copy_memory(call, 1, 0, false).map(|_| Reply::Nothing)),
    ("memset", |call| {
        fill(call, call.integer(1) as u8, call.size(2)).map(|_| Reply::Pointer(call.pointer(0)))
    }),
    ("bzero", |call| fill(call, 0, call.size(1)).map(|_| Reply::Nothing)),
    ("explicit_bzero", |call| fill(call, 0, call.size(1)).map(|_| Reply::Nothing)),
    ("memcmp", compare_memory),
    ("bcmp", compare_memory),
    ("memchr", |call| find_in_memory(call, false)),
    ("memrchr", |call| find_in_memory(call, true)),
    ("rawmemchr", |call| {
        let pointer = call.pointer(0);
        let byte = call.integer(1) as u8;
        let mut place = pointer;
        while call.read(0, place, 1)?[0] != byte {
            place = place.moved(1);
        }
        Ok(Reply::Pointer(place))
    }),
    ("strerror", |call| {
        let text = error_text(call.integer(0) as i32);
        call.execution.provide("strerror", &[text.as_bytes(), &[0]].concat()).map(Reply::Pointer)
    }),
];

fn exact(byte: u8) -> u8 {
    byte
}

fn folded(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

/// The text of an error number.
pub(super) fn error_text(number: i32) -> String {
    String::from(match number {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        4 => "Interrupted system call",
        5 => "Input/output error",
        9 => "Bad file descriptor",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        17 => "File exists",
        22 => "Invalid argument",
        28 => "No space left on device",
        32 => "Broken pipe",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        _ => return format!("Unknown error {number}"),
    })
}

fn note_overlap(call: &mut Call<'_, '_>, to: Slot, to_size: u64, from: Slot, from_size: u64) {
    if to_size > 0 && to != from && call.overlap(to, to_size, from, from_size) {
        let name = call.name;
        call.execution.guess(|| format!("{name} of ranges that overlap"));
    }
}

/// Copies a string and says where its terminator (or the end of what was copied) stands in the copy.
fn copy_string(call: &mut Call<'_, '_>, limit: u64, pad: bool) -> Step<i64> {
    let (to, from) = (call.pointer(0), call.pointer(1));
    let mut bytes = call.bytes_until(1, from, limit)?;
    let length = bytes.len() as u64;
    if pad {
        call.require_writable(0, to, limit)?;
        bytes.resize(limit as usize, 0);
    } else {
        bytes.push(0);
    }
    note_overlap(call, to, bytes.len() as u64, from, length + 1);
    call.write(0, to, &bytes)?;
    Ok(length as i64)
}

fn append(call: &mut Call<'_, '_>, limit: u64) -> Step<Reply> {
    let (to, from) = (call.pointer(0), call.pointer(1));
    let length = call.length(0, to, u64::MAX)?;
    let mut bytes = call.bytes_until(1, from, limit)?;
    bytes.push(0);
    let end = to.moved(length as i64);
    note_overlap(call, end, bytes.len() as u64, from, bytes.len() as u64);
    call.write(0, end, &bytes)?;
    Ok(Reply::Pointer(to))
}

/// `strlcpy` and `strlcat`: the result is how long the string wants to be.
fn copy_within(call: &mut Call<'_, '_>, append: bool) -> Step<Reply> {
    let (to, room) = (call.pointer(0), call.size(2));
    let bytes = call.string(1)?;
    let before = if append { call.length(0, to, room)? } else { 0 };
    if before < room {
        let kept = bytes.len().min((room - before - 1) as usize);
        let mut copied = bytes[..kept].to_vec();
        copied.push(0);
        call.write(0, to.moved(before as i64), &copied)?;
    }
    Ok(Reply::Integer(i128::from(before) + bytes.len() as i128))
}

/// The first difference decides; only the bytes up to it are examined.
fn compare_strings(call: &mut Call<'_, '_>, limit: u64, fold: fn(u8) -> u8) -> Step<Reply> {
    let (left, right) = (call.pointer(0), call.pointer(1));
    let mut place = 0;
    while place < limit {
        let a = string_byte(call, 0, left, place)?;
        let b = string_byte(call, 1, right, place)?;
        let (a, b) = (fold(a), fold(b));
        if a != b || a == 0 {
            call.execution.fuel -= (place / 8) as i64;
            return Ok(Reply::Integer(i128::from(a) - i128::from(b)));
        }
        place += 1;
    }
    Ok(Reply::Integer(0))
}

/// One byte of a string; its end must come before the end of the object.
fn string_byte(call: &mut Call<'_, '_>, argument: usize, start: Slot, place: u64) -> Step<u8> {
    let pointer = start.moved(place as i64);
    if let Some(byte) = call.execution.memory.read_small(pointer, 1) {
        return Ok(byte as u8);
    }
    if place > 0 {
        // Reports a string without an end, or an uninitialised byte.
        call.length(argument, start, place + 1)?;
    }
    Ok(call.read(argument, pointer, 1)?[0])
}

fn find_byte(call: &mut Call<'_, '_>, last: bool, or_end: bool) -> Step<Reply> {
    let (start, wanted) = (call.pointer(0), call.integer(1) as u8);
    let mut found = None;
    let mut place = 0;
    loop {
        let byte = string_byte(call, 0, start, place)?;
        if byte == wanted {
            found = Some(start.moved(place as i64));
            if !last {
                break;
            }
        }
        if byte == 0 {
            break;
        }
        place += 1;
    }
    call.execution.fuel -= (place / 8) as i64;
    let end = if or_end { start.moved(place as i64) } else { Slot::NULL };
    Ok(Reply::Pointer(found.unwrap_or(end)))
}

fn find_string(call: &mut Call<'_, '_>, fold: fn(u8) -> u8) -> Step<Reply> {
    let folded = |bytes: Vec<u8>| bytes.into_iter().map(fold).collect::<Vec<u8>>();
    let (text, wanted) = (folded(call.string(0)?), folded(call.string(1)?));
    let place = if wanted.is_empty() {
        Some(0)
    } else {
        text.windows(wanted.len()).position(|window| window == wanted.as_slice())
    };
    Ok(Reply::Pointer(place.map_or(Slot::NULL, |place| call.pointer(0).moved(place as i64))))
}

/// How many bytes of a string are (or are not) in the set that the second argument names, and how many it has.
fn span(call: &mut Call<'_, '_>, argument: usize, inside: bool) -> Step<(usize, usize)> {
    let (text, set) = (call.string(argument)?, call.string(1)?);
    let length = text.iter().position(|byte| set.contains(byte) != inside).unwrap_or(text.len());
    Ok((length, text.len()))
}

/// The next token from a place, and where to go on.
fn next_token(call: &mut Call<'_, '_>, start: Slot, separators: usize) -> Step<(Slot, Slot)> {
    if start.is_null() {
        return Ok((Slot::NULL, Slot::NULL));
    }
    let text = call.string_at(0, start)?;
    let set = call.string(separators)?;
    let Some(first) = text.iter().position(|byte| !set.contains(byte)) else {
        return Ok((Slot::NULL, start.moved(text.len() as i64)));
    };
    let token = start.moved(first as i64);
    match text[first..].iter().position(|byte| set.contains(byte)) {
        Some(length) => {
            let end = token.moved(length as i64);
            call.write(0, end, &[0])?;
            Ok((token, end.moved(1)))
        }
        None => Ok((token, start.moved(text.len() as i64))),
    }
}

fn load_pointer(call: &mut Call<'_, '_>, place: Slot) -> Step<Slot> {
    call.execution.load(place, crate::Type::Pointer)
}

fn separate(call: &mut Call<'_, '_>) -> Step<Reply> {
    let place = call.pointer(0);
    let start = load_pointer(call, place)?;
    if start.is_null() {
        return Ok(Reply::Pointer(Slot::NULL));
    }
    let text = call.string_at(0, start)?;
    let set = call.string(1)?;
    let next = match text.iter().position(|byte| set.contains(byte)) {
        Some(length) => {
            let end = start.moved(length as i64);
            call.write(0, end, &[0])?;
            end.moved(1)
        }
        None => Slot::NULL,
    };
    call.execution.store(place, next, crate::Type::Pointer)?;
    Ok(Reply::Pointer(start))
}

fn duplicate(call: &mut Call<'_, '_>, limit: u64) -> Step<Reply> {
    let from = call.pointer(0);
    let mut bytes = call.bytes_until(0, from, limit)?;
    bytes.push(0);
    let Some(copy) = call.allocate(bytes.len() as u64, 16)? else { return Ok(Reply::Pointer(Slot::NULL)) };
    call.write(0, copy, &bytes)?;
    Ok(Reply::Pointer(copy))
}

fn copy_memory(call: &mut Call<'_, '_>, to: usize, from: usize, disjoint: bool) -> Step<i64> {
    let (target, source, size) = (call.pointer(to), call.pointer(from), call.size(2));
    call.require_readable(from, source, size)?;
    call.require_writable(to, target, size)?;
    if disjoint {
        note_overlap(call, target, size, source, size);
    }
    call.execution.copy(target, source, size)?;
    Ok(size as i64)
}

fn fill(call: &mut Call<'_, '_>, byte: u8, size: u64) -> Step<()> {
    let target = call.pointer(0);
    call.require_writable(0, target, size)?;
    call.execution.fill_bytes(target, byte, size)
}

fn compare_memory(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (left, right, size) = (call.pointer(0), call.pointer(1), call.size(2));
    let (left, right) = (call.read(0, left, size)?, call.read(1, right, size)?);
    let difference = left.iter().zip(&right).find(|(a, b)| a != b);
    Ok(Reply::Integer(difference.map_or(0, |(&a, &b)| i128::from(a) - i128::from(b))))
}

fn find_in_memory(call: &mut Call<'_, '_>, last: bool) -> Step<Reply> {
    let (start, wanted, size) = (call.pointer(0), call.integer(1) as u8, call.size(2));
    // The bytes after the one that is found need not exist.
    let mut found = None;
    for place in 0..size {
        let at = if last { size - 1 - place } else { place };
        let pointer = start.moved(at as i64);
        let byte = match call.execution.memory.read_small(pointer, 1) {
            Some(byte) => byte as u8,
            None => call.read(0, pointer, 1)?[0],
        };
        if byte == wanted {
            found = Some(pointer);
            break;
        }
    }
    Ok(Reply::Pointer(found.unwrap_or(Slot::NULL)))
}
