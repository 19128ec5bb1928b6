//! Files that a program opens: `fopen`, what `fseek` and its kin do, and `fclose`.
//!
//! Whether a file can be opened is an input by the name of `fopen`, and what stands in it are inputs by the name of
//! [`FILE_BYTE`] and the number of the file: a byte, or -1 for the end. A byte is asked for when it is first needed. Files
//! are known by the path under which they were opened: who opens the same one again finds what was read or written
//! before. What is written changes the bytes at once; that two streams of one file, one of them writing, see each other's
//! buffers only later is a guess that is said.

use super::{Call, Model, Reply};
use crate::interpret::machine::Step;
use crate::interpret::memory::Kind;
use crate::interpret::value::Slot;
use crate::statement::Obligation;
use crate::types::{DataModel, Type};

/// Who asks for a byte of a file; the number of the file follows.
pub const FILE_BYTE: &str = "byte of file ";

/// What an object is called that stands for an open stream.
pub(super) const STREAM: &str = "stream";

/// No more bytes are asked for: a file that was longer is cut there, so that every run comes to its end.
const LARGEST: usize = 1 << 16;

/// `ENOENT`, `EINVAL`.
const NO_SUCH_FILE: i32 = 2;
const INVALID_ARGUMENT: i32 = 22;

/// All files that a run has opened.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Files {
    files: Vec<File>,
    streams: Vec<OpenStream>,
}

/// A file, open or not.
#[derive(Clone, PartialEq, Eq, Debug)]
struct File {
    path: Vec<u8>,
    /// The first bytes.
    bytes: Vec<u8>,
    /// Whether these are all.
    complete: bool,
}

/// An open stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OpenStream {
    /// The object that stands for it.
    object: u64,
    file: usize,
    position: usize,
    mode: Mode,
    /// Bytes that were given back, the next one last.
    pub given_back: Vec<u8>,
    /// Whether the program has met the end.
    pub end_seen: bool,
    /// Whether something was asked of it that it does not allow.
    pub failed: bool,
}

/// What may be done with a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mode {
    readable: bool,
    writable: bool,
    appends: bool,
    truncates: bool,
}

/// The place of an open stream in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StreamNumber(usize);

pub(super) const MODELS: &[(&str, Model)] = &[
    ("fopen", open),
    ("fopen64", open),
    ("fseek", |call| {
        let (offset, origin) = (call.integer(1), call.integer(2));
        on_file(call, |call, stream| {
            let start = match origin {
                0 => 0,
                1 => call.stream(stream).told() as i128,
                2 => read_all(call, stream) as i128,
                _ => return Ok(Reply::Integer(-1)),
            };
            Ok(Reply::Integer(match usize::try_from(start + offset) {
                Ok(position) if position <= call.most_bytes() => {
                    call.stream(stream).go(position);
                    0
                }
                _ => -1,
            }))
        })
    }),
    ("ftell", |call| on_file(call, |call, stream| Ok(Reply::Integer(call.stream(stream).told() as i128)))),
    ("rewind", |call| {
        on_file(call, |call, stream| {
            let stream = call.stream(stream);
            stream.go(0);
            stream.failed = false;
            Ok(Reply::Nothing)
        })
    }),
];

impl Mode {
    /// What the second argument of `fopen` means.
    fn parse(text: &[u8]) -> Option<Self> {
        let both = text.contains(&b'+');
        let (readable, writable) = match text.first()? {
            b'r' => (true, both),
            b'w' | b'a' => (both, true),
            _ => return None,
        };
        Some(Self { readable, writable, appends: text[0] == b'a', truncates: text[0] == b'w' })
    }
}

impl OpenStream {
    fn go(&mut self, position: usize) {
        self.position = position;
        self.given_back.clear();
        self.end_seen = false;
    }

    fn told(&self) -> usize {
        self.position.saturating_sub(self.given_back.len())
    }
}

impl Call<'_, '_> {
    /// An open stream.
    pub(super) fn stream(&mut self, number: StreamNumber) -> &mut OpenStream {
        &mut self.execution.library.files.streams[number.0]
    }
}

fn open(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (path, mode) = (call.string(0)?, call.string(1)?);
    let Some(mode) = Mode::parse(&mode) else {
        call.set_error_number(INVALID_ARGUMENT)?;
        return Ok(Reply::Pointer(Slot::NULL));
    };
    let opened = call.execution.ask("fopen", Type::signed(32));
    if call.execution.form.number(Type::signed(32), opened) == 0 {
        call.set_error_number(NO_SUCH_FILE)?;
        return Ok(Reply::Pointer(Slot::NULL));
    }
    let files = &mut call.execution.library.files;
    let file = files.files.iter().position(|file| file.path == path).unwrap_or_else(|| {
        files.files.push(File { path, bytes: Vec::new(), complete: false });
        files.files.len() - 1
    });
    if files.streams.iter().any(|other| other.file == file && (other.mode.writable || mode.writable)) {
        call.execution.guess(|| String::from("a file that is open twice, once to be written"));
    }
    if mode.truncates {
        let file = &mut call.execution.library.files.files[file];
        file.bytes.clear();
        file.complete = true;
    }
    // As large as in glibc; what a program finds in it is unknown.
    let size = if call.execution.program.data_model == DataModel::Lp64 { 216 } else { 148 };
    let created = call.execution.memory.create(Kind::Provided(STREAM), size, 16);
    let handle = call.execution.room(created)?;
    call.execution.memory.objects[handle.index()].unknown = true;
    call.execution.library.files.streams.push(OpenStream {
        object: handle.0,
        file,
        position: 0,
        mode,
        given_back: Vec::new(),
        end_seen: false,
        failed: false,
    });
    Ok(Reply::Pointer(Slot::pointer(handle, 0)))
}

/// The open stream that an argument points to, which is none of the standard ones.
pub(super) fn stream(call: &mut Call<'_, '_>, argument: usize) -> Step<StreamNumber> {
    let pointer = call.pointer(argument);
    if pointer.is_null() {
        return call.undefined(Obligation::Null, "the stream is a null pointer");
    }
    call.require_readable(argument, pointer, 1)?;
    let streams = &call.execution.library.files.streams;
    match streams.iter().position(|stream| stream.object == pointer.high && pointer.offset() == 0) {
        Some(number) => Ok(StreamNumber(number)),
        None => call.execution.unsupported(format!("{} of what is no open stream", call.name)),
    }
}

fn on_file(
    call: &mut Call<'_, '_>,
    act: impl FnOnce(&mut Call<'_, '_>, StreamNumber) -> Step<Reply>,
) -> Step<Reply> {
    if call.execution.library.streams.contains(&call.pointer(0)) {
        return call.execution.unsupported(format!("{} of a standard stream", call.name));
    }
    let number = stream(call, 0)?;
    act(call, number)
}

/// Closes a stream.
pub(super) fn close(call: &mut Call<'_, '_>, number: StreamNumber) {
    call.execution.library.files.streams.swap_remove(number.0);
    let handle = call.pointer(0).handle();
    call.execution.memory.release(handle);
}

/// The next byte of a stream.
pub(super) fn get(call: &mut Call<'_, '_>, number: StreamNumber) -> Option<u8> {
    let stream = call.stream(number);
    if !stream.mode.readable {
        stream.failed = true;
        return None;
    }
    if let Some(byte) = stream.given_back.pop() {
        return Some(byte);
    }
    let (file, position) = (stream.file, stream.position);
    let byte = byte_at(call, file, position);
    let stream = call.stream(number);
    stream.position += usize::from(byte.is_some());
    stream.end_seen |= byte.is_none();
    byte
}

/// The byte of a file at a position; those before it are asked for, too, if they are not known.
fn byte_at(call: &mut Call<'_, '_>, number: usize, position: usize) -> Option<u8> {
    loop {
        let file = &call.execution.library.files.files[number];
        if file.complete || position < file.bytes.len() {
            return file.bytes.get(position).copied();
        }
        let ends = file.bytes.len() >= LARGEST;
        let name = format!("{FILE_BYTE}{}", number + 1);
        let byte = if ends { None } else { call.execution.ask_byte(&name) };
        let file = &mut call.execution.library.files.files[number];
        match byte {
            Some(byte) => file.bytes.push(byte),
            None => file.complete = true,
        }
    }
}

/// How many bytes the file of a stream has.
fn read_all(call: &mut Call<'_, '_>, number: StreamNumber) -> usize {
    let file = call.stream(number).file;
    byte_at(call, file, usize::MAX);
    call.execution.library.files.files[file].bytes.len()
}

/// Writes bytes to a stream, and says whether that was possible.
pub(super) fn put(call: &mut Call<'_, '_>, number: StreamNumber, bytes: &[u8]) -> bool {
    let mode = call.stream(number).mode;
    if !mode.writable {
        call.stream(number).failed = true;
        return false;
    }
    let position = if mode.appends { read_all(call, number) } else { call.stream(number).told() };
    let file = call.stream(number).file;
    if position > 0 {
        byte_at(call, file, position - 1);
    }
    let written = &mut call.execution.library.files.files[file].bytes;
    let end = position + bytes.len();
    // What lies between the end of a file and what is written behind it is zero.
    written.resize(written.len().max(end), 0);
    written[position..end].copy_from_slice(bytes);
    call.stream(number).go(end);
    true
}
