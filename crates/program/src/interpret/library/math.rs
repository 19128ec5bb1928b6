//! Models of `math.h`.
//!
//! What is exact by its definition is computed exactly in every format. The transcendental functions are those of
//! the machine's own mathematical library, in `double` or `float`; for `long double` they are computed in `double`
//! and the run is said to be imprecise.

use rustc_apfloat::{Float, Round};

use super::{Call, Model, Reply};
use crate::float::{self, with_format};
use crate::interpret::machine::Step;
use crate::types::{FloatFormat, Type};

/// Declares the three variants of a function of one number: for `double`, `float` and `long double`.
macro_rules! functions {
    ($($double:literal $single:literal $extended:literal => $body:expr;)*) => {
        &[$(($double, $body), ($single, $body), ($extended, $body),)*]
    };
}

pub(super) const MODELS: &[(&str, Model)] = functions! {
    "sqrt" "sqrtf" "sqrtl" => |call| unary(call, f64::sqrt, f32::sqrt);
    "cbrt" "cbrtf" "cbrtl" => |call| unary(call, f64::cbrt, f32::cbrt);
    "sin" "sinf" "sinl" => |call| unary(call, f64::sin, f32::sin);
    "cos" "cosf" "cosl" => |call| unary(call, f64::cos, f32::cos);
    "tan" "tanf" "tanl" => |call| unary(call, f64::tan, f32::tan);
    "asin" "asinf" "asinl" => |call| unary(call, f64::asin, f32::asin);
    "acos" "acosf" "acosl" => |call| unary(call, f64::acos, f32::acos);
    "atan" "atanf" "atanl" => |call| unary(call, f64::atan, f32::atan);
    "sinh" "sinhf" "sinhl" => |call| unary(call, f64::sinh, f32::sinh);
    "cosh" "coshf" "coshl" => |call| unary(call, f64::cosh, f32::cosh);
    "tanh" "tanhf" "tanhl" => |call| unary(call, f64::tanh, f32::tanh);
    "exp" "expf" "expl" => |call| unary(call, f64::exp, f32::exp);
    "exp2" "exp2f" "exp2l" => |call| unary(call, f64::exp2, f32::exp2);
    "log" "logf" "logl" => |call| unary(call, f64::ln, f32::ln);
    "log2" "log2f" "log2l" => |call| unary(call, f64::log2, f32::log2);
    "log10" "log10f" "log10l" => |call| unary(call, f64::log10, f32::log10);
    "pow" "powf" "powl" => |call| binary(call, f64::powf, f32::powf);
    "atan2" "atan2f" "atan2l" => |call| binary(call, f64::atan2, f32::atan2);
    "hypot" "hypotf" "hypotl" => |call| binary(call, f64::hypot, f32::hypot);
    "fabs" "fabsf" "fabsl" => |call| {
        let (format, bits) = call.float(0);
        Ok(Reply::Float(format, bits & !(1 << (format.bits() - 1))))
    };
    "floor" "floorf" "floorl" => |call| round(call, Round::TowardNegative);
    "ceil" "ceilf" "ceill" => |call| round(call, Round::TowardPositive);
    "trunc" "truncf" "truncl" => |call| round(call, Round::TowardZero);
    "round" "roundf" "roundl" => |call| round(call, Round::NearestTiesToAway);
    "rint" "rintf" "rintl" => |call| round(call, Round::NearestTiesToEven);
    "nearbyint" "nearbyintf" "nearbyintl" => |call| round(call, Round::NearestTiesToEven);
    "lround" "lroundf" "lroundl" => |call| round_to_integer(call, Round::NearestTiesToAway);
    "llround" "llroundf" "llroundl" => |call| round_to_integer(call, Round::NearestTiesToAway);
    "lrint" "lrintf" "lrintl" => |call| round_to_integer(call, Round::NearestTiesToEven);
    "llrint" "llrintf" "llrintl" => |call| round_to_integer(call, Round::NearestTiesToEven);
    "fmod" "fmodf" "fmodl" => |call| {
        let ((format, left), (_, right)) = (call.float(0), call.float(1));
        Ok(Reply::Float(format, with_format!(format, F => {
            F::from_bits(left).c_fmod(F::from_bits(right)).value.to_bits()
        })))
    };
    "fmin" "fminf" "fminl" => |call| smaller(call, true);
    "fmax" "fmaxf" "fmaxl" => |call| smaller(call, false);
    "copysign" "copysignf" "copysignl" => |call| {
        let ((format, left), (_, right)) = (call.float(0), call.float(1));
        let sign = 1 << (format.bits() - 1);
        Ok(Reply::Float(format, left & !sign | right & sign))
    };
    "ldexp" "ldexpf" "ldexpl" => scale;
    "scalbn" "scalbnf" "scalbnl" => scale;
    "frexp" "frexpf" "frexpl" => take_apart;
    "modf" "modff" "modfl" => split;
    "isnan" "isnanf" "isnanl" => |call| {
        let (format, bits) = call.float(0);
        Ok(Reply::Integer(with_format!(format, F => F::from_bits(bits).is_nan()).into()))
    };
    "isinf" "isinff" "isinfl" => |call| {
        let (format, bits) = call.float(0);
        let (infinite, negative) =
            with_format!(format, F => (F::from_bits(bits).is_infinite(), F::from_bits(bits).is_negative()));
        Ok(Reply::Integer(if infinite { if negative { -1 } else { 1 } } else { 0 }))
    };
    "finite" "finitef" "finitel" => |call| {
        let (format, bits) = call.float(0);
        Ok(Reply::Integer(with_format!(format, F => F::from_bits(bits).is_finite()).into()))
    };
    "signbit" "__signbitf" "__signbitl" => |call| {
        let (format, bits) = call.float(0);
        Ok(Reply::Integer((bits >> (format.bits() - 1) & 1) as i128))
    };
};

/// A function of one number, in the precision of its argument.
fn unary(call: &mut Call<'_, '_>, double: fn(f64) -> f64, single: fn(f32) -> f32) -> Step<Reply> {
    let (format, bits) = call.float(0);
    if let FloatFormat::Single = format {
        let result = single(f32::from_bits(bits as u32));
        note_error(call, f64::from(result));
        return Ok(Reply::Float(format, u128::from(result.to_bits())));
    }
    note_precision(call, format);
    let result = double(float::to_double(format, bits));
    note_error(call, result);
    Ok(Reply::Float(format, float::from_double(format, result)))
}

fn binary(call: &mut Call<'_, '_>, double: fn(f64, f64) -> f64, single: fn(f32, f32) -> f32) -> Step<Reply> {
    let ((format, left), (_, right)) = (call.float(0), call.float(1));
    if let FloatFormat::Single = format {
        let result = single(f32::from_bits(left as u32), f32::from_bits(right as u32));
        note_error(call, f64::from(result));
        return Ok(Reply::Float(format, u128::from(result.to_bits())));
    }
    note_precision(call, format);
    let result = double(float::to_double(format, left), float::to_double(format, right));
    note_error(call, result);
    Ok(Reply::Float(format, float::from_double(format, result)))
}

/// A result that is no ordinary number may have set `errno`.
fn note_error(call: &mut Call<'_, '_>, result: f64) {
    if !result.is_normal() {
        call.open_error_number();
    }
}

fn note_precision(call: &mut Call<'_, '_>, format: FloatFormat) {
    if matches!(format, FloatFormat::Extended | FloatFormat::Quad) {
        let name = call.name;
        call.execution.guess(|| format!("{name} is computed in double"));
    }
}

fn round(call: &mut Call<'_, '_>, mode: Round) -> Step<Reply> {
    let (format, bits) = call.float(0);
    Ok(Reply::Float(format, rounded(format, bits, mode)))
}

fn rounded(format: FloatFormat, bits: u128, mode: Round) -> u128 {
    with_format!(format, F => F::from_bits(bits).round_to_integral(mode).value.to_bits())
}

fn round_to_integer(call: &mut Call<'_, '_>, mode: Round) -> Step<Reply> {
    let (format, bits) = call.float(0);
    let whole = rounded(format, bits, mode);
    let ty = call.result.and_then(Type::integer).unwrap_or(crate::IntegerType { width: 64, signed: true });
    Ok(Reply::Integer(float::to_integer(format, whole, ty)))
}

/// The smaller or the larger of two numbers; one that is not a number does not count.
fn smaller(call: &mut Call<'_, '_>, smaller: bool) -> Step<Reply> {
    let ((format, left), (_, right)) = (call.float(0), call.float(1));
    let bits = match float::compare(format, left, right) {
        Some(order) if order.is_le() == smaller || order.is_eq() => left,
        Some(_) => right,
        None if float::compare(format, left, left).is_some() => left,
        None => right,
    };
    Ok(Reply::Float(format, bits))
}

fn scale(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (format, bits) = call.float(0);
    let by = call.integer(1).clamp(-100_000, 100_000) as i32;
    Ok(Reply::Float(format, with_format!(format, F => F::from_bits(bits).scalbn(by).to_bits())))
}

fn take_apart(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (format, bits) = call.float(0);
    let (fraction, exponent) = with_format!(format, F => {
        let number = F::from_bits(bits);
        if number.is_finite_non_zero() {
            let mut exponent = 0;
            let fraction = number.frexp(&mut exponent);
            (fraction.to_bits(), exponent)
        } else {
            (bits, 0)
        }
    });
    let place = call.pointer(1);
    call.write(1, place, &exponent.to_le_bytes())?;
    Ok(Reply::Float(format, fraction))
}

fn split(call: &mut Call<'_, '_>) -> Step<Reply> {
    let (format, bits) = call.float(0);
    let whole = rounded(format, bits, Round::TowardZero);
    let fraction = with_format!(format, F => {
        let (number, whole) = (F::from_bits(bits), F::from_bits(whole));
        let rest = if number.is_infinite() { F::ZERO } else { (number - whole).value };
        rest.copy_sign(number).to_bits()
    });
    let place = call.pointer(1);
    let size = format.bytes(call.execution.program.data_model) as usize;
    call.write(1, place, &whole.to_le_bytes()[..size])?;
    Ok(Reply::Float(format, fraction))
}
