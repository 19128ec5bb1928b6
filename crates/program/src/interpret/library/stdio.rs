//! Models of `stdio.h` for the three standard streams and for files. What is written is passed on at once.

use super::files::{self, StreamNumber};
use super::format::format;
use super::string::error_text;
use super::{Call, Model, Reply, Values, listed, passed};
use crate::interpret::machine::Step;
use crate::interpret::output::Stream;
use crate::interpret::value::Slot;
use crate::types::Type;

/// What is left of standard input, and what the program knows of its end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StandardInput {
    /// Bytes that were given back, the next one last.
    given_back: Vec<u8>,
    /// How many bytes were taken.
    taken: u64,
    /// Whether there is nothing more to take.
    exhausted: bool,
    /// Whether the program has met the end.
    end_seen: bool,
}

/// A stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Channel {
    Input,
    Write(Stream),
    File(StreamNumber),
}

/// Where bytes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Standard,
    File(StreamNumber),
}

/// Where bytes go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Standard(Stream),
    File(StreamNumber),
}

/// Standard output.
const OUTPUT: Goal = Goal::Standard(Stream::Output);

/// The size of the first buffer of `getline`.
const LINE: u64 = 120;

/// `EOF`.
const END: Reply = Reply::Integer(-1);

pub(super) const MODELS: &[(&str, Model)] = &[
    ("printf", |call| print(call, OUTPUT, 0, passed)),
    ("fprintf", |call| print_to_stream(call, passed)),
    ("dprintf", |call| {
        let stream = descriptor(call, 0)?;
        print(call, stream, 1, passed)
    }),
    ("vprintf", |call| print(call, OUTPUT, 0, listed)),
    ("vfprintf", |call| print_to_stream(call, listed)),
    ("sprintf", |call| print_to_memory(call, u64::MAX, 1, passed)),
    ("vsprintf", |call| print_to_memory(call, u64::MAX, 1, listed)),
    ("snprintf", |call| print_to_memory(call, call.size(1), 2, passed)),
    ("vsnprintf", |call| print_to_memory(call, call.size(1), 2, listed)),
    ("asprintf", |call| print_to_heap(call, passed)),
    ("vasprintf", |call| print_to_heap(call, listed)),
    ("puts", |call| {
        let mut text = call.string(0)?;
        text.push(b'\n');
        put(call, OUTPUT, &text);
        Ok(Reply::Integer(text.len() as i128))
    }),
    ("putchar", |call| put_byte(call, OUTPUT)),
    ("putc", put_byte_to_stream),
    ("fputc", put_byte_to_stream),
    ("fputs", |call| {
        let stream = writable(call, 1)?;
        let text = call.string(0)?;
        Ok(if put(call, stream, &text) { Reply::Integer(1) } else { END })
    }),
    ("fwrite", |call| {
        let stream = writable(call, 3)?;
        let (pointer, size, count) = (call.pointer(0), call.size(1), call.size(2));
        let bytes = call.read(0, pointer, size.saturating_mul(count))?;
        let written = put(call, stream, &bytes);
        Ok(Reply::Integer(if size == 0 || !written { 0 } else { count.into() }))
    }),
    ("write", |call| {
        let stream = descriptor(call, 0)?;
        let (pointer, size) = (call.pointer(1), call.size(2));
        let bytes = call.read(1, pointer, size)?;
        put(call, stream, &bytes);
        Ok(Reply::Integer(size.into()))
    }),
    ("perror", |call| {
        let pointer = call.error_number()?;
        let number = call.execution.memory.read_small(pointer, 4).unwrap_or(0) as i32;
        let mut text = if call.pointer(0).is_null() { Vec::new() } else { call.string(0)? };
        if !text.is_empty() {
            text.extend_from_slice(b": ");
        }
        text.extend_from_slice(error_text(number).as_bytes());
        text.push(b'\n');
        put(call, Goal::Standard(Stream::Error), &text);
        Ok(Reply::Nothing)
    }),
    ("getchar", |call| Ok(get(call, Origin::Standard).map_or(END, |byte| Reply::Integer(byte.into())))),
    ("getc", get_byte),
    ("fgetc", get_byte),
    ("ungetc", |call| {
        let origin = readable(call, 1)?;
        let byte = call.integer(0);
        if byte == -1 {
            return Ok(END);
        }
        let byte = byte as u8;
        give_back(call, origin, byte);
        match origin {
            Origin::Standard => call.execution.library.input.end_seen = false,
            Origin::File(stream) => call.stream(stream).end_seen = false,
        }
        Ok(Reply::Integer(byte.into()))
    }),
    ("fgets", |call| {
        let origin = readable(call, 2)?;
        get_line_into(call, origin, (call.integer(1) - 1).max(0) as usize, true)
    }),
    ("gets", |call| get_line_into(call, Origin::Standard, usize::MAX, false)),
    ("getline", |call| {
        let origin = readable(call, 2)?;
        get_delimited(call, origin, b'\n')
    }),
    ("getdelim", |call| {
        let origin = readable(call, 3)?;
        get_delimited(call, origin, call.integer(2) as u8)
    }),
    ("fread", |call| {
        let origin = readable(call, 3)?;
        let (pointer, size, count) = (call.pointer(0), call.size(1), call.size(2));
        let bytes = get_bytes(call, origin, size.saturating_mul(count))?;
        call.write(0, pointer, &bytes)?;
        Ok(Reply::Integer((bytes.len() as u64).checked_div(size).unwrap_or(0).into()))
    }),
    ("read", |call| {
        if call.integer(0) != 0 {
            return call.execution.unsupported("read of a file other than standard input");
        }
        let (pointer, size) = (call.pointer(1), call.size(2));
        call.require_writable(1, pointer, size)?;
        let bytes = get_bytes(call, Origin::Standard, size)?;
        call.write(1, pointer, &bytes)?;
        Ok(Reply::Integer(bytes.len() as i128))
    }),
    ("feof", |call| {
        let end_seen = match channel(call, 0)? {
            Channel::Input => call.execution.library.input.end_seen,
            Channel::Write(_) => false,
            Channel::File(stream) => call.stream(stream).end_seen,
        };
        Ok(Reply::Integer(end_seen.into()))
    }),
    ("ferror", |call| {
        Ok(Reply::Integer(match channel(call, 0)? {
            Channel::File(stream) => call.stream(stream).failed.into(),
            _ => 0,
        }))
    }),
    ("clearerr", |call| {
        match channel(call, 0)? {
            Channel::Input => call.execution.library.input.end_seen = false,
            Channel::Write(_) => {}
            Channel::File(stream) => {
                let stream = call.stream(stream);
                (stream.end_seen, stream.failed) = (false, false);
            }
        }
        Ok(Reply::Nothing)
    }),
    ("fflush", |call| {
        if !call.pointer(0).is_null() {
            channel(call, 0)?;
        }
        Ok(Reply::Integer(0))
    }),
    ("fclose", |call| {
        if let Channel::File(stream) = channel(call, 0)? {
            files::close(call, stream);
        }
        Ok(Reply::Integer(0))
    }),
    ("setbuf", |call| {
        note_buffer(call);
        Ok(Reply::Nothing)
    }),
    ("setlinebuf", |_| Ok(Reply::Nothing)),
    ("setvbuf", |call| {
        note_buffer(call);
        Ok(Reply::Integer(0))
    }),
    ("fileno", |call| {
        Ok(Reply::Integer(match channel(call, 0)? {
            Channel::Input => 0,
            Channel::Write(Stream::Output) => 1,
            Channel::Write(Stream::Error) => 2,
            Channel::File(_) => return call.execution.unsupported("the number of an open file"),
        }))
    }),
];

/// A buffer of the program that a stream gets is not changed by what is read and written.
fn note_buffer(call: &mut Call<'_, '_>) {
    if !call.pointer(1).is_null() {
        call.execution.guess(|| String::from("what a stream does to its buffer"));
    }
}

/// The stream that an argument points to.
fn channel(call: &mut Call<'_, '_>, argument: usize) -> Step<Channel> {
    let pointer = call.pointer(argument);
    let [input, output, error] = call.execution.library.streams;
    if pointer == input {
        Ok(Channel::Input)
    } else if pointer == output {
        Ok(Channel::Write(Stream::Output))
    } else if pointer == error {
        Ok(Channel::Write(Stream::Error))
    } else {
        files::stream(call, argument).map(Channel::File)
    }
}

fn writable(call: &mut Call<'_, '_>, argument: usize) -> Step<Goal> {
    match channel(call, argument)? {
        Channel::Write(stream) => Ok(Goal::Standard(stream)),
        Channel::File(stream) => Ok(Goal::File(stream)),
        Channel::Input => call.execution.unsupported(format!("{} to standard input", call.name)),
    }
}

/// The stream that an argument points to, to read from it.
pub(super) fn readable(call: &mut Call<'_, '_>, argument: usize) -> Step<Origin> {
    match channel(call, argument)? {
        Channel::Input => Ok(Origin::Standard),
        Channel::File(stream) => Ok(Origin::File(stream)),
        Channel::Write(_) => call.execution.unsupported(format!("{} from standard output", call.name)),
    }
}

fn descriptor(call: &mut Call<'_, '_>, argument: usize) -> Step<Goal> {
    match call.integer(argument) {
        1 => Ok(OUTPUT),
        2 => Ok(Goal::Standard(Stream::Error)),
        _ => call.execution.unsupported(format!("{} to a file other than the standard streams", call.name)),
    }
}

/// Writes, and says whether that was possible.
fn put(call: &mut Call<'_, '_>, goal: Goal, bytes: &[u8]) -> bool {
    call.execution.fuel -= (bytes.len() / 8) as i64;
    match goal {
        Goal::Standard(stream) => {
            call.execution.output.write(stream, bytes);
            true
        }
        Goal::File(stream) => files::put(call, stream, bytes),
    }
}

fn put_byte(call: &mut Call<'_, '_>, goal: Goal) -> Step<Reply> {
    let byte = call.integer(0) as u8;
    Ok(if put(call, goal, &[byte]) { Reply::Integer(byte.into()) } else { END })
}

fn put_byte_to_stream(call: &mut Call<'_, '_>) -> Step<Reply> {
    let stream = writable(call, 1)?;
    put_byte(call, stream)
}

/// The text of a format argument and the values after it.
fn formatted(call: &mut Call<'_, '_>, argument: usize, values: Values) -> Step<Vec<u8>> {
    let text = call.string(argument)?;
    let values = values(call, argument + 1)?;
    format(call, &text, &values)
}

fn print(call: &mut Call<'_, '_>, goal: Goal, argument: usize, values: Values) -> Step<Reply> {
    let text = formatted(call, argument, values)?;
    Ok(if put(call, goal, &text) { Reply::Integer(text.len() as i128) } else { END })
}

fn print_to_stream(call: &mut Call<'_, '_>, values: Values) -> Step<Reply> {
    let stream = writable(call, 0)?;
    print(call, stream, 1, values)
}

fn print_to_memory(call: &mut Call<'_, '_>, room: u64, argument: usize, values: Values) -> Step<Reply> {
    let mut text = formatted(call, argument, values)?;
    let length = text.len();
    if room > 0 {
        text.truncate((room - 1).min(length as u64) as usize);
        text.push(0);
        let pointer = call.pointer(0);
        call.write(0, pointer, &text)?;
    }
    Ok(Reply::Integer(length as i128))
}

fn print_to_heap(call: &mut Call<'_, '_>, values: Values) -> Step<Reply> {
    let mut text = formatted(call, 1, values)?;
    text.push(0);
    let place = call.pointer(0);
    let copy = call.allocate(text.len() as u64, 16)?.unwrap_or(Slot::NULL);
    call.write(0, copy, &text)?;
    call.execution.store(place, copy, Type::Pointer)?;
    Ok(Reply::Integer(text.len() as i128 - 1))
}

/// The next byte of a stream.
pub(super) fn get(call: &mut Call<'_, '_>, origin: Origin) -> Option<u8> {
    if let Origin::File(stream) = origin {
        return files::get(call, stream);
    }
    let input = &mut call.execution.library.input;
    if let Some(byte) = input.given_back.pop() {
        return Some(byte);
    }
    let byte = if input.exhausted { None } else { call.execution.inputs.byte() };
    let input = &mut call.execution.library.input;
    match byte {
        Some(_) => input.taken += 1,
        None => (input.exhausted, input.end_seen) = (true, true),
    }
    byte
}

/// Gives a byte back to a stream.
pub(super) fn give_back(call: &mut Call<'_, '_>, origin: Origin, byte: u8) {
    match origin {
        Origin::Standard => call.execution.library.input.given_back.push(byte),
        Origin::File(stream) => call.stream(stream).given_back.push(byte),
    }
}

fn get_byte(call: &mut Call<'_, '_>) -> Step<Reply> {
    let origin = readable(call, 0)?;
    Ok(get(call, origin).map_or(END, |byte| Reply::Integer(byte.into())))
}

fn get_bytes(call: &mut Call<'_, '_>, origin: Origin, count: u64) -> Step<Vec<u8>> {
    let count = count.min(call.most_bytes() as u64);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < count {
        match get(call, origin) {
            Some(byte) => bytes.push(byte),
            None => break,
        }
    }
    call.execution.fuel -= (bytes.len() / 8) as i64;
    Ok(bytes)
}

/// A line, with its end, of at most so many bytes.
fn get_line(call: &mut Call<'_, '_>, origin: Origin, limit: usize, delimiter: u8) -> Vec<u8> {
    let limit = limit.min(call.most_bytes());
    let mut line = Vec::new();
    while line.len() < limit {
        match get(call, origin) {
            Some(byte) => line.push(byte),
            None => break,
        }
        if line.last() == Some(&delimiter) {
            break;
        }
    }
    call.execution.fuel -= (line.len() / 8) as i64;
    line
}

/// `fgets` and `gets`.
fn get_line_into(call: &mut Call<'_, '_>, origin: Origin, limit: usize, keep_end: bool) -> Step<Reply> {
    let pointer = call.pointer(0);
    let mut line = get_line(call, origin, limit, b'\n');
    if line.is_empty() && limit > 0 {
        return Ok(Reply::Pointer(Slot::NULL));
    }
    if !keep_end && line.last() == Some(&b'\n') {
        line.pop();
    }
    line.push(0);
    call.write(0, pointer, &line)?;
    Ok(Reply::Pointer(pointer))
}

/// `getline`: the buffer grows as in glibc, which makes one even if there is no line.
fn get_delimited(call: &mut Call<'_, '_>, origin: Origin, delimiter: u8) -> Step<Reply> {
    let (buffer_place, size_place) = (call.pointer(0), call.pointer(1));
    let size_type = call.execution.program.data_model.size_type();
    let mut buffer = call.execution.load(buffer_place, Type::Pointer)?;
    let size = call.execution.load(size_place, size_type)?;
    let mut size = call.execution.form.number(size_type, size) as u64;
    let mut line = get_line(call, origin, usize::MAX, delimiter);
    if line.is_empty() {
        if buffer.is_null() || size == 0 {
            let new = call.allocate(LINE, 16)?.unwrap_or(Slot::NULL);
            replace_buffer(call, buffer, new, LINE)?;
        }
        return Ok(END);
    }
    line.push(0);
    let needed = line.len() as u64;
    if buffer.is_null() || size < needed {
        let start = if buffer.is_null() || size == 0 { LINE } else { size };
        size = if start >= needed { start } else { needed.max(2 * start) };
        let new = call.allocate(size, 16)?.unwrap_or(Slot::NULL);
        replace_buffer(call, buffer, new, size)?;
        buffer = new;
    }
    call.write(0, buffer, &line)?;
    Ok(Reply::Integer(line.len() as i128 - 1))
}

/// Gives the caller of `getline` another buffer.
fn replace_buffer(call: &mut Call<'_, '_>, old: Slot, new: Slot, size: u64) -> Step<()> {
    let (buffer_place, size_place) = (call.pointer(0), call.pointer(1));
    if !old.is_null() {
        call.execution.check_freeable(old)?;
        call.execution.memory.release(old.handle());
    }
    call.execution.store(buffer_place, new, Type::Pointer)?;
    let bytes = size.to_le_bytes();
    let width = usize::from(call.long_width() / 8);
    call.write(1, size_place, &bytes[..width])
}
