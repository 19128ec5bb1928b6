//! Models of the functions of `stdlib.h`, `math.h` and `time.h` on numbers.
//!
//! Numbers in texts are exact if the text is known, else arbitrary. Random numbers are arbitrary, and so are the results of
//! functions on floating point numbers.

use logic::{Binary, Sort, Term, Unary};
use program::{IntegerType, Obligation, Type};

use super::{Call, INT, Model, NOTHING, Outcome, Reply, Row, returns_number};
use crate::access::Access;
use crate::encoder::Encoder;
use crate::state::State;
use crate::value::{Pointer, Value, known};

pub(super) const MODELS: &[Row] = &[
    ("abs", 1, |encoder, state, call| absolute(encoder, state, call, 32)),
    ("labs", 1, |encoder, state, call| absolute(encoder, state, call, encoder.long_width())),
    ("llabs", 1, |encoder, state, call| absolute(encoder, state, call, 64)),
    ("imaxabs", 1, |encoder, state, call| absolute(encoder, state, call, 64)),
    ("div", 3, |encoder, state, call| divide(encoder, state, call, 32)),
    ("ldiv", 3, |encoder, state, call| divide(encoder, state, call, encoder.long_width())),
    ("lldiv", 3, |encoder, state, call| divide(encoder, state, call, 64)),
    ("atoi", 1, |encoder, state, call| text_to_integer(encoder, state, call, encoder.long_width())),
    ("atol", 1, |encoder, state, call| text_to_integer(encoder, state, call, encoder.long_width())),
    ("atoll", 1, |encoder, state, call| text_to_integer(encoder, state, call, 64)),
    ("strtol", 3, convert_integer),
    ("strtoul", 3, convert_integer),
    ("strtoll", 3, convert_integer),
    ("strtoull", 3, convert_integer),
    ("strtoimax", 3, convert_integer),
    ("strtoumax", 3, convert_integer),
    ("atof", 1, |encoder, state, call| {
        encoder.string_argument(state, call, 0);
        encoder.disturb_error_number(state);
        encoder.returns_anything(call)
    }),
    ("strtod", 2, convert),
    ("strtof", 2, convert),
    ("strtold", 2, convert),
    ("rand", 0, |encoder, _, call| encoder.returns_between(call, 0, i32::MAX)),
    ("random", 0, |encoder, _, call| encoder.returns_between(call, 0, i32::MAX)),
    ("srand", 0, |_, _, _| NOTHING),
    ("srandom", 0, |_, _, _| NOTHING),
    ("rand_r", 1, |encoder, state, call| {
        let (place, size) = (encoder.pointer_argument(call, 0), encoder.offset(4));
        encoder.require_access(state, place, size, Access::Read);
        encoder.store_arbitrary(state, place, 4, call);
        encoder.returns_between(call, 0, i32::MAX)
    }),
    ("time", 1, time),
    ("clock", 0, outside),
    ("getpid", 0, outside),
    ("system", 0, outside),
    ("sleep", 0, |encoder, _, _| encoder.returns_int(0)),
    ("usleep", 0, |encoder, _, _| encoder.returns_int(0)),
    ("fabs", 1, magnitude),
    ("fabsf", 1, magnitude),
    ("fabsl", 1, magnitude),
];

/// The model of a function of `math.h`, for `double`, `float` or `long double`.
pub(super) fn mathematics(name: &str) -> Option<(usize, Model)> {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    mathematics_plain(name).or_else(|| mathematics_plain(plain))
}

/// The functions of `math.h` on floating point numbers alone: their results are arbitrary.
fn mathematics_plain(name: &str) -> Option<(usize, Model)> {
    match name {
        "sqrt" | "cbrt" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh"
        | "exp" | "exp2" | "log" | "log2" | "log10" | "pow" | "atan2" | "hypot" | "floor" | "ceil"
        | "trunc" | "round" | "rint" | "nearbyint" | "lround" | "llround" | "lrint" | "llrint" | "fmod"
        | "fmin" | "fmax" | "copysign" | "ldexp" | "scalbn" | "isnan" | "isinf" | "finite" | "signbit" => {
            Some((1, |encoder, _, call| encoder.returns_anything(call)))
        }
        _ => None,
    }
}

impl Encoder<'_> {
    /// The width of `long` in bits.
    pub(super) fn long_width(&self) -> u8 {
        8 * self.program.data_model.pointer_bytes() as u8
    }

    /// Writes an arbitrary number of so many bytes.
    pub(super) fn store_arbitrary(&mut self, state: &mut State, place: Pointer, size: u64, call: &Call<'_>) {
        let bytes = self.offset(size);
        self.require_access(state, place, bytes, Access::Write);
        let value = self.terms.fresh(call.name, Sort::BitVector(8 * size as u32));
        let ty = Type::unsigned(8 * size as u8);
        self.store(state, place, Value::Scalar(value), ty);
    }
}

fn absolute(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, width: u8) -> Reply {
    let ty = IntegerType { width, signed: true };
    let value = encoder.integer_argument(call, 0, ty);
    let zero = encoder.constant(ty, 0);
    let (less, negated) = if encoder.is_mathematical() {
        (Binary::Less, encoder.terms.unary(Unary::Negate, value))
    } else {
        let least = encoder.constant(ty, ty.minimum());
        let fits = encoder.terms.differ(value, least);
        encoder.check_condition(state, Obligation::SignedOverflow, fits);
        (Binary::SignedLess, encoder.terms.unary(Unary::BitNegate, value))
    };
    let negative = encoder.terms.binary(less, value, zero);
    let result = encoder.terms.ite(negative, negated, value);
    returns_number(ty, result)
}

/// `div` and its kin write quotient and remainder through a pointer that comes first.
fn divide(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, width: u8) -> Reply {
    let place = encoder.pointer_argument(call, 0);
    let (left, right) = (encoder.bits_argument(call, 1, width), encoder.bits_argument(call, 2, width));
    let zero = encoder.terms.bits(width.into(), 0);
    let not_zero = encoder.terms.differ(right, zero);
    encoder.check_condition(state, Obligation::Division, not_zero);
    let each = u64::from(width / 8);
    let size = encoder.offset(2 * each);
    encoder.require_access(state, place, size, Access::Write);
    let (mut quotient, mut rest) = (
        encoder.terms.binary(Binary::SignedDivide, left, right),
        encoder.terms.binary(Binary::SignedRemainder, left, right),
    );
    if encoder.is_mathematical() {
        // The numbers may be wider than their types.
        let sort = Sort::BitVector(width.into());
        (quotient, rest) = (encoder.terms.fresh("quotient", sort), encoder.terms.fresh("remainder", sort));
    }
    let by = encoder.offset(each);
    let second = encoder.moved(place, by);
    let ty = Type::unsigned(width);
    encoder.store(state, place, Value::Scalar(quotient), ty);
    encoder.store(state, second, Value::Scalar(rest), ty);
    NOTHING
}

fn text_to_integer(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, width: u8) -> Reply {
    let (text, _) = encoder.string_argument(state, call, 0);
    encoder.disturb_error_number(state);
    let ty = IntegerType { width, signed: true };
    match encoder.constant_text(state, text) {
        Some(bytes) => {
            let value = decimal(&bytes).clamp(ty.minimum(), ty.maximum());
            let declared = call.result.and_then(Type::integer).unwrap_or(ty);
            let value = encoder.constant(declared, program::arithmetic::wrap(declared, value));
            returns_number(declared, value)
        }
        None => encoder.returns_anything(call),
    }
}

/// The decimal number at the start of a text, cut where no type holds it.
fn decimal(text: &[u8]) -> i128 {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"\x0b").unwrap_or(text);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let magnitude = digits.fold(0, |all: i128, digit| (all * 10 + i128::from(digit - b'0')).min(1 << 100));
    if negative { -magnitude } else { magnitude }
}

/// Stores the place after a number in a text: anywhere in it.
fn store_end(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>, text: Pointer, end: Term) {
    let place = encoder.pointer_argument(call, 1);
    encoder.unless_null(state, place, |encoder, state| {
        let size = encoder.offset(encoder.program.data_model.pointer_bytes());
        encoder.require_access(state, place, size, Access::Write);
        let after = encoder.some_offset("end of a number", text.offset, end);
        let value = Value::Pointer(Pointer { offset: after, ..text });
        encoder.store(state, place, value, Type::Pointer);
    });
}

fn convert_integer(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let base = encoder.bits_argument(call, 2, 32);
    if !matches!(known(&encoder.terms, base), Some(0 | 2..=36)) {
        return None;
    }
    convert(encoder, state, call)
}

/// A number at the start of a text.
fn convert(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let (text, end) = encoder.string_argument(state, call, 0);
    encoder.disturb_error_number(state);
    store_end(encoder, state, call, text, end);
    encoder.returns_anything(call)
}

/// A number that only the environment knows.
fn outside(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let ty = call.result.unwrap_or(Type::Integer(INT));
    let value = encoder.input(state, &format!("return of {}", call.name), ty, encoder.location());
    Some(Outcome::Returns(Some((ty, value))))
}

fn time(encoder: &mut Encoder<'_>, state: &mut State, call: &Call<'_>) -> Reply {
    let reply = outside(encoder, state, call);
    let place = encoder.pointer_argument(call, 0);
    let width = encoder.long_width();
    if let Some(Outcome::Returns(Some((ty, value)))) = reply {
        encoder.unless_null(state, place, |encoder, state| {
            let bytes = encoder.offset(u64::from(width / 8));
            encoder.require_access(state, place, bytes, Access::Write);
            let stored = Type::signed(width);
            let value = encoder.convert(ty, stored, value);
            encoder.store(state, place, value, stored);
        });
    }
    reply
}

fn magnitude(encoder: &mut Encoder<'_>, _: &mut State, call: &Call<'_>) -> Reply {
    let (Type::Float(format), value) = call.arguments[0] else { return encoder.returns_anything(call) };
    let bits = encoder.as_term(value);
    let width = format.bits();
    let mask = encoder.terms.bits(width, (1u128 << (width - 1)) - 1);
    let result = encoder.terms.binary(Binary::BitAnd, bits, mask);
    Some(Outcome::Returns(Some((Type::Float(format), Value::Scalar(result)))))
}
