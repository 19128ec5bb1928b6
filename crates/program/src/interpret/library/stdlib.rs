//! Models of `stdlib.h`, and of the few functions of `time.h` and `unistd.h` that only wait or tell the time.

use super::scan::{parse_float, parse_integer};
use super::{Call, Model, Reply};
use crate::arithmetic;
use crate::interpret::api::Outcome;
use crate::interpret::machine::Step;
use crate::interpret::memory::AS_ANYTHING;
use crate::interpret::value::Slot;
use crate::library::{NONDET_BYTES, NONDET_MEMORY};
use crate::statement::Obligation;
use crate::types::{FloatFormat, IntegerType, Type};

/// `EINVAL` and `ERANGE`.
const INVALID_ARGUMENT: i32 = 22;
const OUT_OF_RANGE: i32 = 34;

pub(super) const MODELS: &[(&str, Model)] = &[
    ("malloc", |call| Ok(Reply::Pointer(call.allocate(call.size(0), 16)?.unwrap_or(Slot::NULL)))),
    ("valloc", |call| Ok(Reply::Pointer(call.allocate(call.size(0), 4096)?.unwrap_or(Slot::NULL)))),
    ("calloc", |call| allocate_zeroed(call, call.size(0), call.size(1))),
    ("realloc", |call| reallocate(call, Some(call.size(1)))),
    ("reallocarray", |call| reallocate(call, product(call, call.size(1), call.size(2)))),
    ("aligned_alloc", |call| allocate_aligned(call, call.size(0), call.size(1)).map(Reply::Pointer)),
    ("memalign", |call| allocate_aligned(call, call.size(0), call.size(1)).map(Reply::Pointer)),
    ("posix_memalign", |call| {
        let alignment = call.size(1);
        if !alignment.is_power_of_two() || alignment % u64::from(call.long_width() / 8) != 0 {
            return Ok(Reply::Integer(INVALID_ARGUMENT.into()));
        }
        let pointer = allocate_aligned(call, alignment, call.size(2))?;
        let place = call.pointer(0);
        call.execution.store(place, pointer, Type::Pointer)?;
        Ok(Reply::Integer(0))
    }),
    ("free", |call| release(call, call.pointer(0)).map(|_| Reply::Nothing)),
    ("cfree", |call| release(call, call.pointer(0)).map(|_| Reply::Nothing)),
    ("abs", |call| absolute(call, 32)),
    ("labs", |call| absolute(call, call.long_width())),
    ("llabs", |call| absolute(call, 64)),
    ("imaxabs", |call| absolute(call, 64)),
    ("div", |call| divide(call, 32)),
    ("ldiv", |call| divide(call, call.long_width())),
    ("lldiv", |call| divide(call, 64)),
    ("atoi", |call| Ok(Reply::Integer(text_to_integer(call, call.long_width(), true, 10, false)?))),
    ("atol", |call| Ok(Reply::Integer(text_to_integer(call, call.long_width(), true, 10, false)?))),
    ("atoll", |call| Ok(Reply::Integer(text_to_integer(call, 64, true, 10, false)?))),
    ("strtol", |call| convert_integer(call, call.long_width(), true)),
    ("strtoul", |call| convert_integer(call, call.long_width(), false)),
    ("strtoll", |call| convert_integer(call, 64, true)),
    ("strtoull", |call| convert_integer(call, 64, false)),
    ("strtoimax", |call| convert_integer(call, 64, true)),
    ("strtoumax", |call| convert_integer(call, 64, false)),
    ("atof", |call| convert_float(call, FloatFormat::Double, false)),
    ("strtod", |call| convert_float(call, FloatFormat::Double, true)),
    ("strtof", |call| convert_float(call, FloatFormat::Single, true)),
    ("strtold", |call| convert_float(call, FloatFormat::Extended, true)),
    (NONDET_MEMORY, nondet_memory),
    ("rand", |call| Ok(Reply::Integer(call.execution.library.random.next().into()))),
    ("random", |call| Ok(Reply::Integer(call.execution.library.random.next().into()))),
    ("srand", |call| seed(call)),
    ("srandom", |call| seed(call)),
    ("rand_r", random_of_seed),
    ("qsort", sort),
    ("bsearch", search),
    ("exit", |call| {
        let status = call.integer(0) as i32;
        Err(call.execution.end_program(status).map_or_else(|outcome| outcome, Box::new))
    }),
    ("_exit", |call| Err(Box::new(Outcome::Exit(call.integer(0) as i32 & 0xff)))),
    ("_Exit", |call| Err(Box::new(Outcome::Exit(call.integer(0) as i32 & 0xff)))),
    ("abort", |_| Err(Box::new(Outcome::Aborted))),
    ("atexit", |call| {
        let handler = call.pointer(0);
        call.execution.library.at_exit.push(handler);
        Ok(Reply::Integer(0))
    }),
    ("getenv", |_| Ok(Reply::Pointer(Slot::NULL))),
    ("secure_getenv", |_| Ok(Reply::Pointer(Slot::NULL))),
    ("system", |call| outside(call, "what a command does")),
    ("time", |call| {
        let reply = moment(call)?;
        let place = call.pointer(0);
        if let (Reply::Integer(time), false) = (reply, place.is_null()) {
            let width = usize::from(call.long_width() / 8);
            call.write(0, place, &time.to_le_bytes()[..width])?;
        }
        Ok(reply)
    }),
    ("clock", moment),
    ("sleep", |_| Ok(Reply::Integer(0))),
    ("usleep", |_| Ok(Reply::Integer(0))),
    ("getpid", |call| outside(call, "the number of the process")),
];

/// Gives bytes any contents. Of many bytes the first ones are inputs, and the rest is zero.
fn nondet_memory(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (pointer, size) = (call.pointer(0), call.size(1));
    call.require_writable(0, pointer, size)?;
    let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
    for byte in bytes.iter_mut().take(NONDET_BYTES) {
        *byte = call.execution.ask_byte(NONDET_MEMORY).unwrap_or_default();
    }
    call.write(0, pointer, &bytes)?;
    Ok(Reply::Nothing)
}

/// The time. Any is possible that is not negative; but it goes on, so that the second one is not any.
fn moment(call: &mut Call<'_, '_>) -> Step<Reply> {
    if std::mem::replace(&mut call.execution.library.knows_time, true) {
        return outside(call, "the time");
    }
    let reply = asked(call);
    if matches!(reply, Reply::Integer(..0)) {
        call.execution.guess(|| String::from("a negative time"));
    }
    Ok(reply)
}

/// A number that only the environment knows.
fn outside(call: &mut Call<'_, '_>, what: &str) -> Step<Reply> {
    call.execution.guess(|| what.to_owned());
    Ok(asked(call))
}

/// A number from the inputs.
fn asked(call: &mut Call<'_, '_>) -> Reply {
    let ty = call.result.unwrap_or(Type::signed(32));
    let value = call.execution.ask(&format!("return of {}", call.name), ty);
    Reply::Integer(call.execution.form.number(ty, value))
}

/// The product of two sizes, if a `size_t` holds it.
fn product(call: &Call<'_, '_>, count: u64, size: u64) -> Option<u64> {
    count.checked_mul(size).filter(|&bytes| call.long_width() == 64 || bytes <= u64::from(u32::MAX))
}

fn allocate_zeroed(call: &mut Call<'_, '_>, count: u64, size: u64) -> Step<Reply> {
    let Some(bytes) = product(call, count, size) else { return Ok(Reply::Pointer(Slot::NULL)) };
    let Some(pointer) = call.allocate(bytes, 16)? else { return Ok(Reply::Pointer(Slot::NULL)) };
    // What was just made has zeros for bytes; they only have to count as written.
    call.execution.memory.objects[pointer.handle().index()].written.fill(AS_ANYTHING);
    Ok(Reply::Pointer(pointer))
}

fn allocate_aligned(call: &mut Call<'_, '_>, alignment: u64, size: u64) -> Step<Slot> {
    if !alignment.is_power_of_two() {
        return Ok(Slot::NULL);
    }
    Ok(call.allocate(size, alignment.max(16))?.unwrap_or(Slot::NULL))
}

/// Frees heap memory.
fn release(call: &mut Call<'_, '_>, pointer: Slot) -> Step<()> {
    if pointer.is_null() {
        return Ok(());
    }
    let before = call.execution.undefined.is_some();
    call.execution.check_freeable(pointer)?;
    let valid =
        call.execution.memory.is_alive(pointer.handle()) && pointer.offset() == 0 && is_heap(call, pointer);
    if !valid {
        debug_assert!(before || call.execution.undefined.is_some());
        return call.execution.unsupported(format!("undefined behaviour: invalid argument of {}", call.name));
    }
    call.execution.memory.release(pointer.handle());
    Ok(())
}

fn is_heap(call: &Call<'_, '_>, pointer: Slot) -> bool {
    let object = call.execution.memory.object(pointer.handle());
    object.is_some_and(|object| matches!(object.kind, crate::interpret::memory::Kind::Heap(_)))
}

fn reallocate(call: &mut Call<'_, '_>, size: Option<u64>) -> Step<Reply> {
    let old = call.pointer(0);
    let Some(size) = size else { return Ok(Reply::Pointer(Slot::NULL)) };
    if old.is_null() {
        return Ok(Reply::Pointer(call.allocate(size, 16)?.unwrap_or(Slot::NULL)));
    }
    if size == 0 {
        return release(call, old).map(|()| Reply::Pointer(Slot::NULL));
    }
    call.execution.check_freeable(old)?;
    let kept = match call.execution.memory.locate(old, 0) {
        Ok((index, _)) => call.execution.memory.objects[index].size.min(size),
        Err(_) => 0,
    };
    let Some(new) = call.allocate(size, 16)? else { return Ok(Reply::Pointer(Slot::NULL)) };
    call.execution.copy(new, old, kept)?;
    release(call, old)?;
    Ok(Reply::Pointer(new))
}

fn absolute(call: &mut Call<'_, '_>, width: u8) -> Step<Reply> {
    let ty = IntegerType { width, signed: true };
    let value = call.integer(0);
    if value == ty.minimum() && !call.execution.form.mathematical {
        let message = format!("{} of {value} overflows", call.name);
        call.execution.fail(Obligation::SignedOverflow, message)?;
        return Ok(Reply::Integer(value));
    }
    Ok(Reply::Integer(value.abs()))
}

/// `div` and its kin write quotient and remainder through a pointer that comes first.
fn divide(call: &mut Call<'_, '_>, width: u8) -> Step<Reply> {
    let ty = IntegerType { width, signed: true };
    let (place, left, right) = (call.pointer(0), call.integer(1), call.integer(2));
    if right == 0 {
        return call.undefined(Obligation::Division, "division by zero");
    }
    let size = usize::from(width / 8);
    let mut bytes = arithmetic::wrap(ty, left / right).to_le_bytes()[..size].to_vec();
    bytes.extend_from_slice(&(left % right).to_le_bytes()[..size]);
    call.write(0, place, &bytes)?;
    Ok(Reply::Nothing)
}

fn text_to_integer(
    call: &mut Call<'_, '_>,
    width: u8,
    signed: bool,
    base: u32,
    store_end: bool,
) -> Step<i128> {
    let text = call.string(0)?;
    let ty = IntegerType { width, signed };
    let (value, used) = match parse_integer(&text, base) {
        Some((negative, magnitude, used)) => {
            let value = if negative { -magnitude } else { magnitude };
            let fits = if signed { arithmetic::is_normal(ty, value) } else { magnitude <= ty.maximum() };
            if fits {
                (arithmetic::wrap(ty, value), used)
            } else {
                call.set_error_number(OUT_OF_RANGE)?;
                (if signed && negative { ty.minimum() } else { ty.maximum() }, used)
            }
        }
        None => (0, 0),
    };
    if store_end {
        store_end_of_text(call, used)?;
    }
    Ok(value)
}

fn store_end_of_text(call: &mut Call<'_, '_>, used: usize) -> Step<()> {
    let (end, place) = (call.pointer(0).moved(used as i64), call.pointer(1));
    if place.is_null() { Ok(()) } else { call.execution.store(place, end, Type::Pointer) }
}

fn convert_integer(call: &mut Call<'_, '_>, width: u8, signed: bool) -> Step<Reply> {
    match u32::try_from(call.integer(2)) {
        Ok(base @ (0 | 2..=36)) => Ok(Reply::Integer(text_to_integer(call, width, signed, base, true)?)),
        _ => {
            call.set_error_number(INVALID_ARGUMENT)?;
            Ok(Reply::Integer(0))
        }
    }
}

fn convert_float(call: &mut Call<'_, '_>, format: FloatFormat, store_end: bool) -> Step<Reply> {
    let text = call.string(0)?;
    let (bits, used, in_range) = parse_float(&text, format);
    if !in_range {
        call.set_error_number(OUT_OF_RANGE)?;
    }
    if store_end {
        store_end_of_text(call, used)?;
    }
    Ok(Reply::Float(format, bits))
}

/// glibc's default generator: additive feedback over 31 words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Random {
    words: [u32; 31],
    front: usize,
}

impl Default for Random {
    fn default() -> Self {
        Self::seeded(1)
    }
}

impl Random {
    fn seeded(seed: u32) -> Self {
        let mut words = [0; 31];
        let mut word = if seed == 0 { 1 } else { i64::from(seed as i32) };
        for place in &mut words {
            *place = word as u32;
            // Lewis, Goodman and Miller's generator, as glibc computes it without overflow.
            word = 16807 * (word % 127_773) - 2836 * (word / 127_773);
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut random = Self { words, front: 3 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u32 {
        let rear = (self.front + 28) % 31;
        self.words[self.front] = self.words[self.front].wrapping_add(self.words[rear]);
        let result = self.words[self.front] >> 1;
        self.front = (self.front + 1) % 31;
        result
    }
}

fn seed(call: &mut Call<'_, '_>) -> Step<Reply> {
    call.execution.library.random = Random::seeded(call.integer(0) as u32);
    Ok(Reply::Nothing)
}

fn random_of_seed(call: &mut Call<'_, '_>) -> Step<Reply> {
    let place = call.pointer(0);
    let bytes = call.read(0, place, 4)?;
    let mut next = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let mut result = 0u32;
    for (shift, range) in [(0, 2048), (10, 1024), (10, 1024)] {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        result = (result << shift) ^ (next / 65536 % range);
    }
    call.write(0, place, &next.to_le_bytes())?;
    Ok(Reply::Integer(result.into()))
}

/// Compares two elements by the program's function.
fn compare(call: &mut Call<'_, '_>, function: Slot, left: Slot, right: Slot) -> Step<i128> {
    let arguments = [(Type::Pointer, left), (Type::Pointer, right)];
    let result = call.execution.call_back(function, &arguments)?;
    Ok(result.map_or(0, |(ty, value)| call.execution.form.number(ty, value)))
}

/// The merge sort of glibc, with the comparisons in its order. Elements are compared in a copy, as there.
fn sort(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (base, count, size, function) = (call.pointer(0), call.size(1), call.size(2), call.pointer(3));
    if count < 2 || size == 0 {
        return Ok(Reply::Nothing);
    }
    let Some(bytes) = count.checked_mul(size) else {
        return call.undefined(Obligation::OutOfBounds, "more elements than memory");
    };
    call.require_readable(0, base, bytes)?;
    call.require_writable(0, base, bytes)?;
    if count > 1 << 26 {
        return call.execution.unsupported("qsort of too many elements");
    }
    let mut order: Vec<u64> = (0..count).collect();
    merge_sort(call, function, base, size, &mut order)?;
    let original = call.read(0, base, bytes)?;
    let sorted: Vec<u8> = order
        .iter()
        .flat_map(|&element| &original[(element * size) as usize..((element + 1) * size) as usize])
        .copied()
        .collect();
    call.write(0, base, &sorted)?;
    Ok(Reply::Nothing)
}

/// Sorts the numbers of elements; the elements themselves stay where they are until all is known.
fn merge_sort(call: &mut Call<'_, '_>, function: Slot, base: Slot, size: u64, order: &mut [u64]) -> Step<()> {
    if order.len() < 2 {
        return Ok(());
    }
    let (left, right) = order.split_at_mut(order.len() / 2);
    merge_sort(call, function, base, size, left)?;
    merge_sort(call, function, base, size, right)?;
    let at = |element: u64| base.moved((element * size) as i64);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        if compare(call, function, at(left[a]), at(right[b]))? <= 0 {
            merged.push(left[a]);
            a += 1;
        } else {
            merged.push(right[b]);
            b += 1;
        }
    }
    merged.extend_from_slice(&left[a..]);
    merged.extend_from_slice(&right[b..]);
    order.copy_from_slice(&merged);
    Ok(())
}

fn search(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (key, base, size, function) = (call.pointer(0), call.pointer(1), call.size(3), call.pointer(4));
    let (mut low, mut high) = (0, call.size(2));
    while low < high {
        let middle = low + (high - low) / 2;
        let element = base.moved(middle.wrapping_mul(size) as i64);
        let order = compare(call, function, key, element)?;
        if order == 0 {
            return Ok(Reply::Pointer(element));
        }
        if order < 0 { high = middle } else { low = middle + 1 }
    }
    Ok(Reply::Pointer(Slot::NULL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_glibc() {
        let mut random = Random::default();
        let first: Vec<u32> = (0..5).map(|_| random.next()).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793]);
        let mut random = Random::seeded(42);
        assert_eq!((random.next(), random.next()), (71_876_166, 708_592_740));
    }
}
