//! Floating point numbers of all formats, on their bits.
//!
//! `float` and `double` use the machine's own arithmetic, which is IEEE 754 with rounding to nearest; the other
//! formats use `rustc_apfloat`. A conversion to an integer type that cannot hold the number gives what the usual
//! x86-64 code gives, so that runs agree with compiled programs even there.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use rustc_apfloat::{Float, FloatConvert, Round};

use crate::arithmetic;
use crate::expression::BinaryOp;
use crate::types::{FloatFormat, IntegerType};

/// Evaluates an expression with the type `F` of a format.
macro_rules! with_format {
    ($format:expr, $name:ident => $body:expr) => {
        match $format {
            FloatFormat::Half => {
                type $name = rustc_apfloat::ieee::Half;
                $body
            }
            FloatFormat::Single => {
                type $name = rustc_apfloat::ieee::Single;
                $body
            }
            FloatFormat::Double => {
                type $name = rustc_apfloat::ieee::Double;
                $body
            }
            FloatFormat::Extended => {
                type $name = rustc_apfloat::ieee::X87DoubleExtended;
                $body
            }
            FloatFormat::Quad => {
                type $name = rustc_apfloat::ieee::Quad;
                $body
            }
        }
    };
}
pub(crate) use with_format;

/// The number with the other sign.
pub fn negate(format: FloatFormat, bits: u128) -> u128 {
    bits ^ 1 << (format.bits() - 1)
}

/// A sum, difference, product or quotient.
pub fn binary(op: BinaryOp, format: FloatFormat, left: u128, right: u128) -> u128 {
    match format {
        FloatFormat::Double => {
            let result = operate(op, f64::from_bits(left as u64), f64::from_bits(right as u64));
            u128::from(result.to_bits())
        }
        FloatFormat::Single => {
            let result = operate(op, f32::from_bits(left as u32), f32::from_bits(right as u32));
            u128::from(result.to_bits())
        }
        _ => with_format!(format, F => {
            let (left, right) = (F::from_bits(left), F::from_bits(right));
            let result = operate(op, left, right);
            // The machine makes a negative number of what is none, unless an operand was none before.
            let new = result.value.is_nan() && !left.is_nan() && !right.is_nan();
            if new { (-result.value).to_bits() } else { result.value.to_bits() }
        }),
    }
}

fn operate<F, R>(op: BinaryOp, left: F, right: F) -> R
where
    F: Add<Output = R> + Sub<Output = R> + Mul<Output = R> + Div<Output = R>,
{
    match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        _ => left / right,
    }
}

/// The order of two numbers; none if one of them is not a number.
pub fn compare(format: FloatFormat, left: u128, right: u128) -> Option<Ordering> {
    match format {
        FloatFormat::Double => f64::from_bits(left as u64).partial_cmp(&f64::from_bits(right as u64)),
        FloatFormat::Single => f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32)),
        _ => with_format!(format, F => F::from_bits(left).partial_cmp(&F::from_bits(right))),
    }
}

/// The number in another format, rounded to nearest.
pub fn convert(from: FloatFormat, to: FloatFormat, bits: u128) -> u128 {
    let mut inexact = false;
    match (from, to) {
        _ if from == to => bits,
        (FloatFormat::Single, FloatFormat::Double) => {
            u128::from(f64::from(f32::from_bits(bits as u32)).to_bits())
        }
        (FloatFormat::Double, FloatFormat::Single) => {
            u128::from((f64::from_bits(bits as u64) as f32).to_bits())
        }
        _ => with_format!(from, F => with_format!(to, T => {
            let result: T = FloatConvert::<T>::convert(F::from_bits(bits), &mut inexact).value;
            result.to_bits()
        })),
    }
}

/// The number nearest to an integer.
pub fn from_integer(format: FloatFormat, ty: IntegerType, value: i128) -> u128 {
    match format {
        _ if !ty.signed && value < 0 => {
            with_format!(format, F => F::from_u128(value as u128).value.to_bits())
        }
        FloatFormat::Double => u128::from((value as f64).to_bits()),
        FloatFormat::Single => u128::from((value as f32).to_bits()),
        _ => with_format!(format, F => F::from_i128(value).value.to_bits()),
    }
}

/// The number without its fraction, as a value of an integer type.
pub fn to_integer(format: FloatFormat, bits: u128, ty: IntegerType) -> i128 {
    match exact_integer(format, bits) {
        Some(value) if arithmetic::is_normal(ty, value) => value,
        // The machine converts to 32 bits signed, or to 64 bits for wider types and for `unsigned`, gives the
        // smallest number of that type if the value does not fit, and takes the low bits.
        value => {
            let through = if ty.width < 32 || (ty.width == 32 && ty.signed) { 32 } else { ty.width.max(64) };
            let through = IntegerType { width: through, signed: true };
            let value =
                value.filter(|&value| arithmetic::is_normal(through, value)).unwrap_or(through.minimum());
            arithmetic::wrap(ty, value)
        }
    }
}

/// The number without its fraction, if 128 bits hold it.
pub fn exact_integer(format: FloatFormat, bits: u128) -> Option<i128> {
    if matches!(format, FloatFormat::Single | FloatFormat::Double) {
        let number = to_double(format, bits);
        return (number.abs() < 2f64.powi(127)).then_some(number as i128);
    }
    with_format!(format, F => {
        let number = F::from_bits(bits);
        if !number.is_finite() {
            return None;
        }
        let mut exact = false;
        let result = number.to_i128_r(128, Round::TowardZero, &mut exact);
        (!result.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result.value)
    })
}

/// Whether the number is zero.
pub fn is_zero(format: FloatFormat, bits: u128) -> bool {
    bits & !(1 << (format.bits() - 1)) & mask(format) == 0
}

fn mask(format: FloatFormat) -> u128 {
    u128::MAX >> (128 - format.bits())
}

/// The number as a `double`, rounded to nearest.
pub fn to_double(format: FloatFormat, bits: u128) -> f64 {
    f64::from_bits(convert(format, FloatFormat::Double, bits) as u64)
}

/// A `double` in another format, rounded to nearest.
pub fn from_double(format: FloatFormat, value: f64) -> u128 {
    convert(FloatFormat::Double, format, u128::from(value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const I32: IntegerType = IntegerType { width: 32, signed: true };
    const U8: IntegerType = IntegerType { width: 8, signed: false };

    #[test]
    fn formats_convert_exactly_where_they_can() {
        for value in [0.0, -0.0, 1.5, -1e300, f64::INFINITY, 5e-324] {
            for format in [FloatFormat::Extended, FloatFormat::Quad] {
                let there = from_double(format, value);
                assert_eq!(to_double(format, there).to_bits(), value.to_bits(), "{value}");
            }
        }
        assert!(to_double(FloatFormat::Quad, from_double(FloatFormat::Quad, f64::NAN)).is_nan());
        assert_eq!(to_double(FloatFormat::Half, from_double(FloatFormat::Half, 0.1)), 0.0999755859375);
    }

    #[test]
    fn integers_and_floats_convert_like_the_machine() {
        let double = |value: f64| u128::from(value.to_bits());
        assert_eq!(to_integer(FloatFormat::Double, double(-2.9), I32), -2);
        assert_eq!(to_integer(FloatFormat::Double, double(1e10), I32), i128::from(i32::MIN));
        assert_eq!(to_integer(FloatFormat::Double, double(f64::NAN), I32), i128::from(i32::MIN));
        assert_eq!(to_integer(FloatFormat::Double, double(300.0), U8), 44);
        assert_eq!(f64::from_bits(from_integer(FloatFormat::Double, I32, -7) as u64), -7.0);
        let u128_type = IntegerType { width: 128, signed: false };
        assert_eq!(f64::from_bits(from_integer(FloatFormat::Double, u128_type, -1) as u64), 2f64.powi(128));
    }

    #[test]
    fn extended_arithmetic_has_its_own_precision() {
        let one = from_double(FloatFormat::Extended, 1.0);
        let tiny = from_double(FloatFormat::Extended, 2f64.powi(-60));
        let sum = binary(BinaryOp::Add, FloatFormat::Extended, one, tiny);
        assert_eq!(compare(FloatFormat::Extended, one, sum), Some(Ordering::Less));
        assert!(is_zero(FloatFormat::Extended, negate(FloatFormat::Extended, 0)));
    }
}
