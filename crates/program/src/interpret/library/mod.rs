//! Models of the C library functions that real loops call.
//!
//! Each header has a file with a table of names and functions: to add one, write the function and its row. A
//! function that the program itself defines is never looked up here. What a model reads or writes outside an
//! object is a violation at the place of the call. Names of fortified, builtin and versioned variants are brought
//! back to the plain ones in [`resolve`].

mod access;
mod ctype;
mod decimal;
mod files;
mod format;
mod math;
mod scan;
mod stdio;
mod stdlib;
mod string;

pub use files::FILE_BYTE;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::api::Outcome;
use super::machine::{Execution, Step};
use super::memory::{AS_ANYTHING, Kind};
use super::value::Slot;
use crate::arithmetic;
use crate::float;
use crate::function::{Definition, Function};
use crate::program::FunctionId;
use crate::types::{DataModel, FloatFormat, IntegerType, Type};

/// A model of a library function.
pub(super) type Model = fn(&mut Call<'_, '_>) -> Step<Reply>;

/// The values that a format is about: [`passed`] or [`listed`], from the argument with this number on.
type Values = fn(&mut Call<'_, '_>, usize) -> Step<Vec<(Type, Slot)>>;

/// What the library knows of a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resolved {
    /// It has a model; some of its arguments only serve its own checks and are dropped.
    Model((Model, &'static [usize])),
    /// It gives an arbitrary value.
    Input,
    /// The interpreter cannot go on after it.
    Refused,
    /// Nothing is known.
    Unknown,
}

/// What a model answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Reply {
    Nothing,
    Integer(i128),
    Pointer(Slot),
    Float(FloatFormat, u128),
}

/// A call of a library function.
pub(super) struct Call<'a, 'm> {
    pub execution: &'a mut Execution<'m>,
    /// The name under which it was called.
    pub name: &'m str,
    pub arguments: &'a [(Type, Slot)],
    /// The type of its result, as declared.
    pub result: Option<Type>,
}

/// The state of the library in a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Library {
    /// The `FILE` objects of standard input, output and error.
    streams: [Slot; 3],
    input: stdio::StandardInput,
    files: files::Files,
    random: stdlib::Random,
    /// Whether the run has asked for the time.
    knows_time: bool,
    /// Where `strtok` goes on.
    token: Slot,
    /// Functions to call at the end, the last one first.
    pub at_exit: Vec<Slot>,
    error_number: Option<Slot>,
    /// Whether a function has been called that may have set `errno`.
    error_is_open: bool,
    /// The tables of `ctype.h`, once something has asked for them: pointers to the pointers to entry zero.
    tables: [Option<Slot>; 3],
}

const STREAM_NAMES: [&str; 3] = ["stdin", "stdout", "stderr"];

impl Library {
    /// The library at the start of a run: its streams exist and stand where the program looks for them.
    pub fn new(execution: &mut Execution<'_>) -> Step<Self> {
        let mut library = Self::default();
        let width = execution.program.data_model.pointer_bytes() as usize;
        for (number, name) in STREAM_NAMES.into_iter().enumerate() {
            let stream = execution.provide(name, &[0; 64])?;
            library.streams[number] = stream;
            let address = execution.memory.address(stream).to_le_bytes();
            for (id, object) in execution.program.objects.iter() {
                if object.name == name && object.size as usize == width {
                    let index = super::compile::object_handle(id).index();
                    execution.memory.objects[index].write(0, &address[..width]);
                }
            }
        }
        Ok(library)
    }

    /// The stream with this name.
    pub fn stream(&self, name: &str) -> Option<Slot> {
        STREAM_NAMES.iter().position(|stream| *stream == name).map(|number| self.streams[number])
    }
}

/// What the library knows of a function of this name.
pub(super) fn resolve(name: &str) -> Resolved {
    let (names, dropped) = spellings(name);
    if let Some(model) = names.into_iter().flatten().find_map(lookup) {
        return Resolved::Model((model, dropped));
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if plain.starts_with("__VERIFIER_nondet") {
        return Resolved::Input;
    }
    if REFUSED.contains(&plain) || REFUSED_PREFIXES.iter().any(|prefix| plain.starts_with(prefix)) {
        return Resolved::Refused;
    }
    Resolved::Unknown
}

/// Whether the interpreter knows what a function of this name does, or that it cannot go on after it: it is not just
/// any undefined function.
pub fn is_library_function(name: &str) -> bool {
    matches!(resolve(name), Resolved::Model(_) | Resolved::Refused)
}

/// Whether an object of this name belongs to the C library, which does with it what its functions say.
pub fn is_library_object(name: &str) -> bool {
    const OTHERS: [&str; 5] = ["optarg", "optind", "opterr", "optopt", "environ"];
    STREAM_NAMES.contains(&name) || OTHERS.contains(&name)
}

/// The names by which a library function may be known whose name comes with fortification, a version or a lock: the first
/// that is known is meant. Some of its arguments may only serve its own checks and are to be dropped.
pub fn spellings(name: &str) -> ([Option<&str>; 3], &'static [usize]) {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some((plain, dropped)) = unfortified(plain) {
        return ([Some(plain), None, None], dropped);
    }
    let unversioned =
        ["__isoc99_", "__isoc23_", "_IO_", "__"].iter().find_map(|prefix| plain.strip_prefix(prefix));
    ([Some(plain), plain.strip_suffix("_unlocked"), unversioned], &[])
}

/// The models of all headers.
const TABLES: [&[(&str, Model)]; 8] = [
    string::MODELS,
    ctype::MODELS,
    stdlib::MODELS,
    stdio::MODELS,
    files::MODELS,
    math::MODELS,
    scan::MODELS,
    CHECKING,
];

/// The model of a function.
fn lookup(name: &str) -> Option<Model> {
    static MODELS: OnceLock<HashMap<&'static str, Model>> = OnceLock::new();
    let models = MODELS.get_or_init(|| TABLES.into_iter().flatten().copied().collect());
    models.get(name).copied()
}

/// Functions that check programs.
const CHECKING: &[(&str, Model)] = &[
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail),
    ("__VERIFIER_error", reach_error),
    ("reach_error", reach_error),
    ("__VERIFIER_assume", |call| {
        let holds = call.integer(0) != 0;
        call.execution.assume(holds)?;
        Ok(Reply::Nothing)
    }),
    ("__VERIFIER_atomic_begin", |_| Ok(Reply::Nothing)),
    ("__VERIFIER_atomic_end", |_| Ok(Reply::Nothing)),
    ("trap", |_| Err(Box::new(Outcome::Aborted))),
    ("__errno_location", |call| call.error_number().map(Reply::Pointer)),
];

fn assert_fail(call: &mut Call<'_, '_>) -> Step<Reply> {
    let text = if call.arguments.is_empty() { Vec::new() } else { call.string(0)? };
    let message = format!("the assertion `{}` fails", String::from_utf8_lossy(&text));
    if call.execution.machine.options.checks.contains(crate::Obligation::Assertion) {
        call.execution.fail(crate::Obligation::Assertion, message)?;
    }
    Err(Box::new(Outcome::Aborted))
}

fn reach_error(call: &mut Call<'_, '_>) -> Step<Reply> {
    if call.execution.machine.options.checks.contains(crate::Obligation::ReachError) {
        call.execution.fail(crate::Obligation::ReachError, String::from("an error function is called"))?;
    }
    // By the rules of verifiers it ends the program; one that is not even declared need not be theirs.
    if call.result.is_none() {
        return Err(Box::new(Outcome::Aborted));
    }
    Ok(Reply::Nothing)
}

/// The arguments from a number on.
fn passed(call: &mut Call<'_, '_>, number: usize) -> Step<Vec<(Type, Slot)>> {
    Ok(call.arguments.get(number..).unwrap_or_default().to_vec())
}

/// The variable arguments that a `va_list` argument has left.
fn listed(call: &mut Call<'_, '_>, number: usize) -> Step<Vec<(Type, Slot)>> {
    let list = call.pointer(number);
    call.execution.rest_of_list(list)
}

/// Whether an undefined function is taken to print something and return: its name says so, and it gives nothing back.
/// There must be nothing that it could change, too.
pub fn only_prints(function: &Function) -> bool {
    matches!(function.definition, Definition::External)
        && function.result.is_none()
        && !function.no_return
        && function.name.to_ascii_lowercase().starts_with("print")
}

/// Which arguments of fortified functions only serve the fortification, and the plain names of the functions.
const FORTIFIED: &[(&[usize], &[&str])] = &[
    (&[0], &["printf", "vprintf"]),
    (&[1], &["fprintf", "vfprintf", "dprintf", "asprintf", "fgets", "gets", "fread"]),
    (&[1, 2], &["sprintf", "vsprintf"]),
    (&[2, 3], &["snprintf", "vsnprintf"]),
    (&[2], &["strcpy", "stpcpy", "strcat"]),
    (&[3], &["memcpy", "memmove", "mempcpy", "memset"]),
    (&[3], &["strncpy", "stpncpy", "strncat", "strlcpy", "strlcat"]),
];

/// The plain name of a fortified function (`__printf_chk`), and which of its arguments a plain call does not have.
fn unfortified(name: &str) -> Option<(&str, &'static [usize])> {
    let plain = name.strip_prefix("___").or_else(|| name.strip_prefix("__"))?.strip_suffix("_chk")?;
    let (dropped, _) = FORTIFIED.iter().find(|(_, names)| names.contains(&plain))?;
    Some((plain, dropped))
}

/// Functions after which the interpreter cannot go on.
const REFUSED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "getcontext",
    "setcontext",
    "makecontext",
    "swapcontext",
    "fork",
    "vfork",
    "clone",
    "execve",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "execle",
    "wait",
    "waitpid",
    "kill",
    "raise",
    "signal",
    "sigaction",
    "alarm",
    "pause",
    "pipe",
    "socket",
    "select",
    "poll",
    "fdopen",
    "freopen",
    "tmpfile",
    "popen",
    "open",
    "open64",
    "creat",
    "openat",
    "opendir",
    "mmap",
    "munmap",
    "dlopen",
    "dlsym",
    "thrd_create",
    "ioctl",
];

/// Where `errno` stands.
pub(super) const ERROR_NUMBER: &str = "errno";

/// Whether a function may set `errno` in a way that its model does not tell.
fn may_set_errno(name: &str) -> bool {
    stdio::MODELS.iter().any(|(known, _)| *known == name)
}

const REFUSED_PREFIXES: &[&str] = &["pthread_", "sem_"];

impl<'m> Execution<'m> {
    /// Calls a model; the result has the declared type.
    pub fn call_model(
        &mut self,
        (model, dropped): (Model, &'static [usize]),
        function: FunctionId,
        arguments: &[(Type, Slot)],
        result: Option<Type>,
    ) -> Step<Option<(Type, Slot)>> {
        let kept: Vec<(Type, Slot)>;
        let arguments = if dropped.is_empty() {
            arguments
        } else {
            let numbered = arguments.iter().enumerate().filter(|(number, _)| !dropped.contains(number));
            kept = numbered.map(|(_, &argument)| argument).collect();
            &kept
        };
        let name = self.program.functions[function].name.as_str();
        let mut call = Call { execution: self, name, arguments, result };
        let reply = model(&mut call)?;
        if may_set_errno(name) {
            call.open_error_number();
        }
        let Some(ty) = result else { return Ok(None) };
        let value = match (reply, ty) {
            (Reply::Nothing, _) => return Ok(None),
            (Reply::Integer(number), Type::Integer(integer)) => {
                self.form.write(integer, arithmetic::wrap(integer, number))
            }
            (Reply::Integer(number), Type::Bool) => Slot::truth(number != 0),
            (Reply::Integer(number), Type::Pointer) => self.memory.resolve(number as u64),
            (Reply::Integer(number), Type::Float(format)) => {
                Slot::wide(float::from_integer(format, IntegerType { width: 128, signed: true }, number))
            }
            (Reply::Pointer(pointer), ty) => self.iteration(Type::Pointer, ty, pointer)?,
            (Reply::Float(from, bits), Type::Float(format)) => Slot::wide(float::convert(from, format, bits)),
            (Reply::Float(..), _) => return self.unsupported(format!("{name} declared as {ty}")),
        };
        Ok(Some((ty, value)))
    }
}

/// Arguments.
impl<'m> Call<'_, 'm> {
    fn argument(&self, number: usize) -> (Type, Slot) {
        self.arguments.get(number).copied().unwrap_or((Type::signed(32), Slot::NULL))
    }

    /// An argument as a number.
    pub fn integer(&self, number: usize) -> i128 {
        match self.argument(number) {
            (Type::Pointer, value) => i128::from(self.execution.memory.address(value)),
            (ty, value) => self.execution.form.number(ty, value),
        }
    }

    /// An argument that is a `size_t`.
    pub fn size(&self, number: usize) -> u64 {
        match self.execution.program.data_model {
            DataModel::Lp64 => self.integer(number) as u64,
            DataModel::Ilp32 => u64::from(self.integer(number) as u32),
        }
    }

    /// An argument as a pointer.
    pub fn pointer(&self, number: usize) -> Slot {
        match self.argument(number) {
            (Type::Pointer, value) => value,
            (ty, value) => self.execution.memory.resolve(self.execution.form.number(ty, value) as u64),
        }
    }

    /// An argument as a `double`.
    pub fn double(&self, number: usize) -> f64 {
        match self.argument(number) {
            (Type::Float(format), value) => float::to_double(format, value.bits()),
            (ty, value) => self.execution.form.number(ty, value) as f64,
        }
    }

    /// The format and the bits of a floating point argument.
    pub fn float(&self, number: usize) -> (FloatFormat, u128) {
        match self.argument(number) {
            (Type::Float(format), value) => (format, value.bits()),
            _ => (FloatFormat::Double, u128::from(self.double(number).to_bits())),
        }
    }

    /// The width of `long` in bits.
    pub fn long_width(&self) -> u8 {
        self.execution.program.data_model.pointer_bytes() as u8 * 8
    }

    /// No text that is read can be longer: standard input may have no end, but memory has.
    pub fn most_bytes(&self) -> usize {
        usize::try_from(self.execution.machine.options.memory).unwrap_or(usize::MAX)
    }

    /// The object of `errno`.
    pub fn error_number(&mut self) -> Step<Slot> {
        match self.execution.library.error_number {
            Some(pointer) => Ok(pointer),
            None => {
                let pointer = self.execution.provide(ERROR_NUMBER, &[0; 4])?;
                self.execution.library.error_number = Some(pointer);
                if self.execution.library.error_is_open {
                    self.open_error_number();
                }
                Ok(pointer)
            }
        }
    }

    /// Lets nobody know what is in `errno`: the function may have set it.
    pub fn open_error_number(&mut self) {
        let library = &mut self.execution.library;
        library.error_is_open = true;
        if let Some(pointer) = library.error_number {
            self.execution.memory.objects[pointer.handle().index()].written = vec![0; 4];
        }
    }

    /// Sets `errno`.
    pub fn set_error_number(&mut self, value: i32) -> Step<()> {
        let pointer = self.error_number()?;
        self.execution.memory.write_small(pointer, 4, AS_ANYTHING, value as u32 as u64);
        Ok(())
    }

    /// New uninitialised heap memory; none if the size is beyond all machines.
    pub fn allocate(&mut self, size: u64, alignment: u64) -> Step<Option<Slot>> {
        let largest = match self.execution.program.data_model {
            DataModel::Lp64 => i64::MAX as u64,
            DataModel::Ilp32 => i32::MAX as u64,
        };
        if size > largest {
            return Ok(None);
        }
        if self.execution.program.world.failing_allocation
            && self.execution.ask("allocation fails", Type::unsigned(8)).low != 0
        {
            return Ok(None);
        }
        let kind = Kind::Heap(self.execution.location());
        let created = self.execution.memory.create(kind, size, alignment);
        let handle = self.execution.room(created)?;
        Ok(Some(Slot::pointer(handle, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_model(name: &str) -> bool {
        matches!(resolve(name), Resolved::Model(_))
    }

    #[test]
    fn all_spellings_of_a_name_lead_to_its_model() {
        for name in
            ["strlen", "__builtin_strlen", "__memcpy_chk", "__builtin___memcpy_chk", "__isoc99_sscanf"]
        {
            assert!(is_model(name), "{name}");
        }
        for name in
            ["_IO_getc", "putchar_unlocked", "__strdup", "__isoc23_strtol", "__builtin_abort", "sqrtf"]
        {
            assert!(is_model(name), "{name}");
        }
        assert!(matches!(resolve("__VERIFIER_nondet_int"), Resolved::Input));
        assert!(matches!(resolve("pthread_create"), Resolved::Refused));
        assert!(matches!(resolve("longjmp"), Resolved::Refused));
        assert!(matches!(resolve("frobnicate"), Resolved::Unknown));
    }

    #[test]
    fn no_name_has_two_models() {
        let mut names: Vec<&str> = TABLES.into_iter().flatten().map(|(name, _)| *name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for plain in FORTIFIED.iter().flat_map(|(_, names)| *names) {
            assert!(lookup(plain).is_some(), "{plain}");
        }
    }
}
