//! Models of functions of the operating system that read paths, numbers and buffers and answer with a number. What they
//! do outside the program is arbitrary, and so is `errno` after them.

use logic::Sort;

use super::{Call, INT, Reply, Row};
use crate::encoder::Encoder;
use crate::state::State;

/// The size of `struct stat` on 64-bit Linux.
const STATUS: u64 = 144;

pub(super) const MODELS: &[Row] = &[
    ("open", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], i32::MAX)),
    ("open64", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], i32::MAX)),
    ("creat", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], i32::MAX)),
    ("close", 1, |encoder, state, call| on_paths(encoder, state, call, &[], 0)),
    ("chdir", 1, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("fchdir", 1, |encoder, state, call| on_paths(encoder, state, call, &[], 0)),
    ("rmdir", 1, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("mkdir", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("unlink", 1, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("remove", 1, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("rename", 2, |encoder, state, call| on_paths(encoder, state, call, &[0, 1], 0)),
    ("link", 2, |encoder, state, call| on_paths(encoder, state, call, &[0, 1], 0)),
    ("symlink", 2, |encoder, state, call| on_paths(encoder, state, call, &[0, 1], 0)),
    ("access", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("chmod", 2, |encoder, state, call| on_paths(encoder, state, call, &[0], 0)),
    ("isatty", 1, |encoder, state, call| on_paths(encoder, state, call, &[], 1)),
    ("stat", 2, |encoder, state, call| status(encoder, state, call, &[0])),
    ("lstat", 2, |encoder, state, call| status(encoder, state, call, &[0])),
    ("fstat", 2, |encoder, state, call| status(encoder, state, call, &[])),
    ("getcwd", 2, current_directory),
    ("readlink", 3, read_link),
    ("getpid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("getppid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("getuid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("geteuid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("getgid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("getegid", 0, |encoder, _, call| encoder.returns_anything(call)),
    ("umask", 1, |encoder, _, call| encoder.returns_anything(call)),
];

/// Some arguments are strings; the answer is -1 or a number up to a limit.
fn on_paths(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: &Call<'_>,
    strings: &[usize],
    most: i32,
) -> Reply {
    for &argument in strings {
        encoder.string_argument(state, call, argument);
    }
    encoder.disturb_error_number(state);
    encoder.returns_between(call, -1, most)
}

fn status(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, strings: &[usize]) -> Reply {
    if encoder.long_width() != 64 {
        return None;
    }
    for &argument in strings {
        encoder.string_argument(state, call, argument);
    }
    encoder.disturb_error_number(state);
    let result = encoder.int_between(call.name, -1, 0);
    let zero = encoder.terms.bits(32, 0);
    let found = encoder.terms.equal(result, zero);
    encoder.when(state, found, |encoder, state| {
        let (to, size) = (encoder.pointer_argument(call, 1), encoder.offset(STATUS));
        encoder.put_anything(state, to, size);
    });
    encoder.returns_bits(INT, result)
}

/// `getcwd`: a path that fits, or null. That it may also make a buffer for it has no model.
fn current_directory(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (to, size) = (encoder.pointer_argument(call, 0), encoder.size_argument(call, 1));
    let is_null = to.is_null(&mut encoder.terms);
    if !encoder.terms.is_false(is_null) {
        return None;
    }
    let (one, two) = (encoder.offset(1), encoder.offset(2));
    let fits = encoder.at_most(two, size);
    let found = encoder.terms.fresh("there is a path", Sort::Bool);
    let found = encoder.terms.and(found, fits);
    let most = encoder.subtract(size, one);
    let length = encoder.some_offset("length of a path", one, most);
    encoder.when(state, found, |encoder, state| encoder.put_text(state, to, length));
    encoder.disturb_error_number(state);
    encoder.returns_pointer_if(found, to)
}

/// `readlink`: as many bytes as there is room for, and no terminator.
fn read_link(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    encoder.string_argument(state, call, 0);
    let (to, size) = (encoder.pointer_argument(call, 1), encoder.size_argument(call, 2));
    let zero = encoder.offset(0);
    let length = encoder.some_offset("length of a link", zero, size);
    let (found, error) = (encoder.terms.fresh("there is a link", Sort::Bool), encoder.offset(u64::MAX));
    encoder.when(state, found, |encoder, state| encoder.put_anything(state, to, length));
    let result = encoder.terms.ite(found, length, error);
    encoder.disturb_error_number(state);
    encoder.returns_size(result, true)
}
