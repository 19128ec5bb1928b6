//! Models of the library functions that have a direct encoding. Every other function without a body ends a path.
//!
//! A model agrees with the interpreter's model of the same function, or allows more. To add one, write it in
//! [`Encoder::model`].

use base::{Location, Stop};
use logic::{Binary, Sort, Term};
use program::{FunctionId, Obligation, Type};

use crate::access::Access;
use crate::encoder::{Encoder, LooseEnd};
use crate::memory::{Kind, Start};
use crate::run::Returned;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

/// What a model answers.
enum Reply {
    /// The call returns, with a value of a type if there is one.
    Returns(Option<(Type, Value)>),
    /// The call never returns.
    Ends,
    /// There is no model.
    Unknown,
}

impl Encoder<'_> {
    /// Calls a function that the program does not define.
    pub(crate) fn library(
        &mut self,
        mut state: State,
        function: FunctionId,
        arguments: &[(Type, Value)],
        wanted: Option<Type>,
        location: Location,
    ) -> Result<Returned, Stop> {
        let name = &self.program.functions[function].name;
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        match self.model(&mut state, plain, arguments, location) {
            Reply::Returns(value) => {
                let value = match (value, wanted) {
                    (Some((from, value)), Some(to)) => Some(self.convert(from, to, value)),
                    _ => None,
                };
                Ok(Some((state, value)))
            }
            Reply::Ends => Ok(None),
            Reply::Unknown => {
                let what = format!("call of {name}");
                self.give_up(&mut state, LooseEnd::Unsupported(what), location);
                Ok(None)
            }
        }
    }

    fn model(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &[(Type, Value)],
        location: Location,
    ) -> Reply {
        let size_type = self.program.data_model.size_type();
        match (name, arguments) {
            ("abort" | "trap" | "_exit" | "_Exit", _) => Reply::Ends,
            ("exit", _) => {
                self.end_program(state, location);
                Reply::Ends
            }
            ("__assert_fail" | "__assert", _) => {
                let never = self.terms.bool(false);
                self.demand(state, Obligation::Assertion, never, location);
                Reply::Ends
            }
            ("reach_error" | "__VERIFIER_error", _) => {
                if self.options.checks.is_empty() {
                    // Whether the program ends there is all that is asked, and nobody says so.
                    return Reply::Unknown;
                }
                let never = self.terms.bool(false);
                self.demand(state, Obligation::ReachError, never, location);
                Reply::Ends
            }
            ("__VERIFIER_assume", [(ty, value)]) => {
                let condition = self.convert(*ty, Type::Bool, *value);
                let condition = self.as_term(condition);
                state.assume(&mut self.terms, condition);
                Reply::Returns(None)
            }
            ("malloc" | "valloc", [size]) => {
                let size = self.size_argument(*size, size_type);
                self.allocate(state, size, None, Start::Unwritten, location)
            }
            ("calloc", [count, size]) => {
                let (count, size) =
                    (self.size_argument(*count, size_type), self.size_argument(*size, size_type));
                let lost = self.terms.binary(Binary::UnsignedMultiplyOverflows, count, size);
                let size = self.terms.binary(Binary::BitMultiply, count, size);
                self.allocate(state, size, Some(lost), Start::Zero, location)
            }
            ("free" | "cfree", [(_, pointer)]) => {
                let pointer = self.as_pointer(*pointer);
                let freeable = self.is_freeable(state, pointer);
                self.demand(state, Obligation::InvalidFree, freeable, location);
                self.end_object(state, pointer.object);
                Reply::Returns(None)
            }
            ("memset", [(_, destination), (from, byte), size]) => {
                let destination = self.as_pointer(*destination);
                let byte = self.convert(*from, Type::unsigned(8), *byte);
                let byte = self.as_term(byte);
                let size = self.size_argument(*size, size_type);
                self.demand_access(state, destination, size, Access::Write, location);
                self.fill(state, destination, byte, size);
                Reply::Returns(Some((Type::Pointer, Value::Pointer(destination))))
            }
            ("memcpy" | "memmove", [(_, destination), (_, source), size]) => {
                let (destination, source) = (self.as_pointer(*destination), self.as_pointer(*source));
                let size = self.size_argument(*size, size_type);
                self.demand_access(state, source, size, Access::Touch, location);
                self.demand_access(state, destination, size, Access::Write, location);
                self.copy(state, destination, source, size);
                Reply::Returns(Some((Type::Pointer, Value::Pointer(destination))))
            }
            ("putchar" | "putc" | "fputc" | "fflush", _) => {
                Reply::Returns(Some((Type::signed(32), self.arbitrary(name, Type::signed(32)))))
            }
            ("printf", [(_, format), rest @ ..]) => self.print(state, *format, rest),
            ("rand" | "random", []) => {
                let ty = if name == "rand" { Type::signed(32) } else { Type::signed(64) };
                let value = self.arbitrary(name, ty);
                let term = self.as_term(value);
                let not_negative = self.not_negative(term);
                state.assume(&mut self.terms, not_negative);
                Reply::Returns(Some((ty, value)))
            }
            ("srand" | "srandom" | "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end", _) => {
                Reply::Returns(None)
            }
            _ => Reply::Unknown,
        }
    }

    /// `printf` of numbers alone: strings would have to be looked at.
    fn print(&mut self, state: &State, format: Value, rest: &[(Type, Value)]) -> Reply {
        let format = self.as_pointer(format);
        let literal = self.targets(state, format).iter().all(|target| {
            let object = &self.objects[target.number as usize];
            matches!(object.kind, Kind::Global(_)) && !object.writable
        });
        let is_known = self.terms.known(format.object).is_some();
        if !literal || !is_known || rest.iter().any(|(ty, _)| *ty == Type::Pointer) {
            return Reply::Unknown;
        }
        Reply::Returns(Some((Type::signed(32), self.arbitrary("printf", Type::signed(32)))))
    }

    fn not_negative(&mut self, term: Term) -> Term {
        match self.terms.sort(term) {
            Sort::BitVector(width) => {
                let zero = self.terms.bits(width, 0);
                self.terms.binary(Binary::SignedLessEqual, zero, term)
            }
            _ => {
                let zero = self.terms.integer(0);
                self.terms.binary(Binary::LessEqual, zero, term)
            }
        }
    }

    /// An argument as a size, as wide as an offset.
    fn size_argument(&mut self, (from, value): (Type, Value), size_type: Type) -> Term {
        let value = self.convert(from, size_type, value);
        let term = self.as_term(value);
        self.as_offset(term, false)
    }

    /// New heap memory; null if the size is beyond all machines.
    fn allocate(
        &mut self,
        state: &mut State,
        size: Term,
        too_large: Option<Term>,
        start: Start,
        location: Location,
    ) -> Reply {
        let bits = 8 * self.program.data_model.pointer_bytes() as u32;
        let largest = self.terms.bits(OFFSET_WIDTH, (1u128 << (bits - 1)) - 1);
        let mut refused = self.terms.binary(Binary::UnsignedLess, largest, size);
        if let Some(too_large) = too_large {
            refused = self.terms.or(refused, too_large);
        }
        let number = self.create(state, Kind::Heap(location), "heap memory", size, 16, start);
        let (new, null) = (Pointer::to(&mut self.terms, number, 0), Pointer::null(&mut self.terms));
        if let Some(contents) = state.contents(number) {
            let mut contents = contents.clone();
            contents.alive = self.terms.not(refused);
            state.set_contents(number, contents);
        }
        let pointer = Pointer::choose(&mut self.terms, refused, null, new);
        Reply::Returns(Some((Type::Pointer, Value::Pointer(pointer))))
    }
}
