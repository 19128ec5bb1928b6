//! Models of library functions in terms. A function without a body and without a model changes whatever it can reach.
//!
//! A model requires what the interpreter's model of the same function checks, and allows at least its results; where it
//! allows more, its file says so. Each file has a table of names, numbers of arguments and functions: to add a model,
//! write the function and its row. Names of fortified, builtin and versioned variants are brought back to the plain
//! ones as in the interpreter ([`program::interpret::spellings`]).

mod allocation;
mod character;
mod format;
mod input;
mod memory;
mod number;
mod options;
mod output;
mod outside;
mod provided;
mod resolver;
mod scan;
mod search;
mod stream;
mod string;
mod system;

use std::collections::HashMap;
use std::sync::LazyLock;

use base::Stop;
use logic::{Binary, Sort, Term, Terms, Unary};
use program::interpret::{is_library_function, only_prints, spellings};
use program::{FunctionId, IntegerType, Obligation, Type};

use crate::access::Access;
use crate::encoder::{Encoder, Incompleteness};
use crate::ranges::{Filling, Property};
use crate::run::Returned;
use crate::state::State;
use crate::value::{OFFSET_WIDTH, Pointer, Value};

pub use input::STANDARD_INPUT;
pub(crate) use stream::STREAM;

/// A model of a function.
type Model = fn(&mut Encoder<'_>, &mut State, &Call<'_>) -> Reply;

/// The name of a function, how many arguments it takes at least, and its model.
type Row = (&'static str, usize, Model);

/// A call of a library function.
struct Call<'a> {
    /// The name under which it was called.
    name: &'a str,
    arguments: &'a [(Type, Value)],
    /// The type of its result, as declared or wanted.
    result: Option<Type>,
}

/// What a model answers. Nothing if there is none for such a call.
type Reply = Option<Outcome>;

/// What comes of a call.
enum Outcome {
    /// The call returns, with a value of a type if there is one.
    Returns(Option<(Type, Value)>),
    /// The call never returns.
    Ends,
}

/// A function that nobody needs to know more of than that it returns.
const NOTHING: Reply = Some(Outcome::Returns(None));

/// C's `int`.
const INT: IntegerType = IntegerType { width: 32, signed: true };

/// A number of a type, as a term of that.
fn returns_number(ty: IntegerType, number: Term) -> Reply {
    Some(Outcome::Returns(Some((Type::Integer(ty), Value::Scalar(number)))))
}

/// What is said of bytes of which nothing is known.
const ANY_BYTE: fn(&mut Terms, Term, Term) -> Term = |terms, _, _| terms.bool(true);

/// What is said of the bytes of a string.
const NOT_ZERO: fn(&mut Terms, Term, Term) -> Term = |terms, _, byte| {
    let zero = terms.bits(8, 0);
    terms.differ(byte, zero)
};

fn lookup(name: &str) -> Option<(usize, Model)> {
    static MODELS: LazyLock<HashMap<&str, (usize, Model)>> = LazyLock::new(|| {
        let tables = [
            allocation::MODELS,
            character::MODELS,
            input::MODELS,
            memory::MODELS,
            number::MODELS,
            options::MODELS,
            output::MODELS,
            provided::MODELS,
            resolver::MODELS,
            scan::MODELS,
            search::MODELS,
            stream::MODELS,
            string::MODELS,
            system::MODELS,
            PROGRAM,
        ];
        tables.into_iter().flatten().map(|&(name, count, model)| (name, (count, model))).collect()
    });
    MODELS.get(name).copied().or_else(|| number::mathematics(name))
}

/// Functions that end or check the program.
const PROGRAM: &[Row] = &[
    ("abort", 0, |_, _, _| Some(Outcome::Ends)),
    ("trap", 0, |_, _, _| Some(Outcome::Ends)),
    ("_exit", 0, |_, _, _| Some(Outcome::Ends)),
    ("_Exit", 0, |_, _, _| Some(Outcome::Ends)),
    ("exit", 0, |encoder, state, _| {
        encoder.end_program(state);
        Some(Outcome::Ends)
    }),
    ("__assert_fail", 0, |encoder, state, _| fail(encoder, state, Obligation::Assertion)),
    ("__assert", 0, |encoder, state, _| fail(encoder, state, Obligation::Assertion)),
    ("reach_error", 0, reach_error),
    ("__VERIFIER_error", 0, reach_error),
    ("__VERIFIER_assume", 1, |encoder, state, call| {
        let (ty, value) = call.arguments[0];
        let condition = encoder.convert(ty, Type::Bool, value);
        let condition = encoder.as_term(condition);
        state.assume(&mut encoder.terms, condition);
        NOTHING
    }),
    ("__VERIFIER_atomic_begin", 0, |_, _, _| NOTHING),
    ("__VERIFIER_atomic_end", 0, |_, _, _| NOTHING),
];

/// An obligation that nothing fulfils.
fn fail(encoder: &mut Encoder<'_>, state: &mut State, obligation: Obligation) -> Reply {
    let never = encoder.terms.bool(false);
    encoder.check_condition(state, obligation, never);
    Some(Outcome::Ends)
}

fn reach_error(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    if encoder.options.checks.is_empty() {
        // Whether the program ends there is all that is asked. By the rules of verifiers it does; a function that the program
        // does not even declare need not be theirs.
        return call.result.is_none().then_some(Outcome::Ends);
    }
    fail(encoder, state, Obligation::ReachError)
}

impl Encoder<'_> {
    /// Calls a function that the program does not define.
    pub(crate) fn library(
        &mut self,
        mut state: State,
        function: FunctionId,
        arguments: &[(Type, Value)],
        wanted: Option<Type>,
    ) -> Result<Returned, Stop> {
        let signature = &self.program.functions[function];
        let name = signature.name.as_str();
        let (names, dropped) = spellings(name);
        let kept: Vec<(Type, Value)> = arguments
            .iter()
            .enumerate()
            .filter(|(number, _)| !dropped.contains(number))
            .map(|(_, &argument)| argument)
            .collect();
        let result = signature.result.or(wanted);
        let call = Call { name, arguments: &kept, result };
        let model = names.into_iter().flatten().find_map(lookup);
        let reply = match model {
            Some((count, model)) if kept.len() >= count => {
                let reply = model(self, &mut state, &call);
                // ISO C 7.5: every function of the library may set it, unless its description says otherwise.
                if name != "__errno_location" && is_library_function(name) {
                    self.disturb_error_number(&mut state);
                }
                reply
            }
            _ if name.starts_with("__VERIFIER_nondet") => {
                Some(Outcome::Returns(result.map(|ty| (ty, self.input(&state, name, ty, self.location())))))
            }
            // A function of the library does more than any other undefined function, though it has no model here.
            None if !is_library_function(name) && signature.no_return => Some(Outcome::Ends),
            None if !is_library_function(name)
                && (self.options.outside_returns || only_prints(signature)) =>
            {
                self.outside(&mut state, &call)
            }
            _ => None,
        };
        let value = match reply {
            Some(Outcome::Ends) => return Ok(None),
            Some(Outcome::Returns(value)) => value.map(|value| self.typed(value, [result, wanted])),
            None => Some(None),
        };
        let value = match (value, wanted) {
            (Some(None), _) => {
                let what = format!("call of {name}");
                self.give_up(&mut state, Incompleteness::Unsupported(what));
                return Ok(None);
            }
            (Some(value), Some(_)) => value,
            (None, Some(ty)) => Some(self.input(&state, &format!("return of {name}"), ty, self.location())),
            (_, None) => None,
        };
        Ok(Some((state, value)))
    }

    /// A value as one type after the other; nothing if no machine would make sense of that.
    fn typed(&mut self, (mut from, mut value): (Type, Value), types: [Option<Type>; 2]) -> Option<Value> {
        for to in types.into_iter().flatten() {
            if matches!(from, Type::Float(_)) != matches!(to, Type::Float(_)) {
                return None;
            }
            value = self.convert(from, to, value);
            from = to;
        }
        Some(value)
    }
}

/// Arguments and results.
impl Encoder<'_> {
    fn pointer_argument(&mut self, call: &Call<'_>, number: usize) -> Pointer {
        let (from, value) = call.arguments[number];
        let value = match from {
            Type::Pointer => value,
            Type::Float(_) => self.arbitrary("no pointer", Type::Pointer),
            _ => self.convert(from, Type::Pointer, value),
        };
        self.as_pointer(value)
    }

    /// Requires that an argument is a string, and gives it and the offset of its end.
    fn string_argument(&mut self, state: &mut State, call: &Call<'_>, number: usize) -> (Pointer, Term) {
        let text = self.pointer_argument(call, number);
        (text, self.require_string(state, text))
    }

    /// An argument as an integer of a type.
    fn integer_argument(&mut self, call: &Call<'_>, number: usize, ty: IntegerType) -> Term {
        let (from, value) = call.arguments[number];
        let value = self.convert(from, Type::Integer(ty), value);
        self.as_term(value)
    }

    /// An argument as a size, as wide as an offset.
    fn size_argument(&mut self, call: &Call<'_>, number: usize) -> Term {
        let (from, value) = call.arguments[number];
        let value = self.convert(from, self.program.data_model.size_type(), value);
        let term = self.as_term(value);
        self.as_offset(term, false)
    }

    /// The low bits of an argument that is a number.
    fn bits_argument(&mut self, call: &Call<'_>, number: usize, width: u8) -> Term {
        let (from, value) = call.arguments[number];
        let value = self.convert(from, Type::signed(width), value);
        let term = self.as_term(value);
        match self.terms.sort(term) {
            Sort::Integer => self.terms.unary(Unary::IntegerToBits(width.into()), term),
            _ => term,
        }
    }

    fn byte_argument(&mut self, call: &Call<'_>, number: usize) -> Term {
        self.bits_argument(call, number, 8)
    }

    fn offset(&mut self, number: u64) -> Term {
        self.terms.bits(OFFSET_WIDTH, number.into())
    }

    fn moved(&mut self, pointer: Pointer, by: Term) -> Pointer {
        Pointer { offset: self.terms.binary(Binary::BitAdd, pointer.offset, by), ..pointer }
    }

    fn add(&mut self, left: Term, right: Term) -> Term {
        self.terms.binary(Binary::BitAdd, left, right)
    }

    fn subtract(&mut self, left: Term, right: Term) -> Term {
        self.terms.binary(Binary::BitSubtract, left, right)
    }

    fn less(&mut self, left: Term, right: Term) -> Term {
        self.terms.binary(Binary::UnsignedLess, left, right)
    }

    fn at_most(&mut self, left: Term, right: Term) -> Term {
        self.terms.binary(Binary::UnsignedLessEqual, left, right)
    }

    fn smaller(&mut self, left: Term, right: Term) -> Term {
        let less = self.less(left, right);
        self.terms.ite(less, left, right)
    }

    /// A fresh number as wide as an offset, within limits.
    fn some_offset(&mut self, name: &str, low: Term, high: Term) -> Term {
        let symbol = self.terms.fresh(name, Sort::BitVector(OFFSET_WIDTH));
        // Where the limits contradict each other there must be such a number all the same.
        let within = self.within(Binary::UnsignedLessEqual, low, symbol, high);
        let possible = self.at_most(low, high);
        let invariant = self.terms.implies(possible, within);
        self.axioms.add(symbol, invariant);
        symbol
    }

    /// A number as wide as an offset and one.
    fn after(&mut self, number: Term) -> Term {
        let one = self.offset(1);
        self.add(number, one)
    }

    /// Writes bytes of which nothing is known, behind the verification condition that there is room.
    fn put_anything(&mut self, state: &mut State, to: Pointer, size: Term) {
        self.require_access(state, to, size, Access::Write);
        self.change(state, to, size, Filling::Such(&ANY_BYTE));
    }

    /// Writes bytes with a property and a terminator, behind the verification condition that there is room.
    fn put_bytes(&mut self, state: &mut State, to: Pointer, length: Term, property: Property<'_>) {
        let bytes = self.after(length);
        self.require_access(state, to, bytes, Access::Write);
        self.change(state, to, length, Filling::Such(property));
        let end = self.moved(to, length);
        self.terminate(state, end);
    }

    /// Writes some string of a length, behind the verification condition that there is room.
    fn put_text(&mut self, state: &mut State, to: Pointer, length: Term) {
        self.put_bytes(state, to, length, &NOT_ZERO);
        let end = self.add(to.offset, length);
        self.assume_end(state, to, end);
    }

    fn returns_bits(&mut self, ty: IntegerType, bits: Term) -> Reply {
        Some(Outcome::Returns(Some((Type::Integer(ty), self.bits_value(ty, bits)))))
    }

    fn returns_int(&mut self, number: i128) -> Reply {
        let number = self.constant(INT, number);
        returns_number(INT, number)
    }

    /// The low bits of a number as wide as an offset, as an `int`.
    fn returns_low(&mut self, number: Term) -> Reply {
        let bits = self.terms.resize(number, 32, false);
        self.returns_bits(INT, bits)
    }

    /// A number as wide as an offset as a `size_t`, or as what is as wide and signed.
    fn returns_size(&mut self, size: Term, signed: bool) -> Reply {
        let width = self.long_width();
        let bits = self.terms.resize(size, width.into(), false);
        self.returns_bits(IntegerType { width, signed }, bits)
    }

    fn returns_pointer(&mut self, pointer: Pointer) -> Reply {
        Some(Outcome::Returns(Some((Type::Pointer, Value::Pointer(pointer)))))
    }

    /// A pointer, or null if a condition does not hold.
    fn returns_pointer_if(&mut self, condition: Term, pointer: Pointer) -> Reply {
        let null = Pointer::null(&mut self.terms);
        let pointer = Pointer::choose(&mut self.terms, condition, pointer, null);
        self.returns_pointer(pointer)
    }

    /// Any value of the declared type.
    fn returns_anything(&mut self, call: &Call<'_>) -> Reply {
        let ty = call.result.unwrap_or(Type::Integer(INT));
        Some(Outcome::Returns(Some((ty, self.arbitrary(call.name, ty)))))
    }

    /// An `int` from one number to another.
    fn returns_between(&mut self, call: &Call<'_>, low: i32, high: i32) -> Reply {
        let bits = self.int_between(call.name, low, high);
        self.returns_bits(INT, bits)
    }

    fn int_between(&mut self, name: &str, low: i32, high: i32) -> Term {
        let symbol = self.terms.fresh(name, Sort::BitVector(32));
        let (least, most) = (self.terms.signed_bits(32, low.into()), self.terms.signed_bits(32, high.into()));
        let invariant = self.within(Binary::SignedLessEqual, least, symbol, most);
        self.axioms.add(symbol, invariant);
        symbol
    }

    /// Does something to a state where a pointer is not null.
    fn unless_null(&mut self, state: &mut State, pointer: Pointer, act: impl FnOnce(&mut Self, &mut State)) {
        let is_null = pointer.is_null(&mut self.terms);
        let given = self.terms.not(is_null);
        self.when(state, given, act);
    }

    /// Does something to a state where a condition holds.
    fn when(&mut self, state: &mut State, condition: Term, act: impl FnOnce(&mut Self, &mut State)) {
        if self.terms.is_true(condition) {
            return act(self, state);
        }
        let mut then = state.clone();
        then.assume(&mut self.terms, condition);
        if then.is_impossible(&self.terms) {
            return;
        }
        act(self, &mut then);
        let not = self.terms.not(condition);
        let mut otherwise = state.clone();
        otherwise.assume(&mut self.terms, not);
        *state = self.either(then, otherwise);
    }
}
