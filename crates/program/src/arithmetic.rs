//! What operations on machine integers compute: the one place that both constant folding and the interpreter ask.
//!
//! A value is an `i128` in the normal form of its type: the number itself, and for the unsigned type of 128 bits
//! the number's bit pattern. Every operation is total; where C leaves it undefined, the value is the one that the
//! usual machine gives (it wraps), or zero where the machine traps.

use std::cmp::Ordering;

use crate::expression::{BinaryOp, OverflowOp, UnaryOp};
use crate::types::IntegerType;

/// The value of a type that has the same low bits.
pub const fn wrap(ty: IntegerType, value: i128) -> i128 {
    let unused = 128 - ty.width as u32;
    if ty.signed { (value << unused) >> unused } else { (((value as u128) << unused) >> unused) as i128 }
}

/// Whether a value is in the normal form of its type.
pub const fn is_normal(ty: IntegerType, value: i128) -> bool {
    wrap(ty, value) == value
}

/// The order of two values of a type.
pub fn compare(ty: IntegerType, left: i128, right: i128) -> Ordering {
    if ty.signed { left.cmp(&right) } else { (left as u128).cmp(&(right as u128)) }
}

/// An operation on one value.
pub fn unary(op: UnaryOp, ty: IntegerType, value: i128) -> i128 {
    let bits = wrap(ty.with_sign(false), value) as u128;
    let unused = 128 - u32::from(ty.width);
    match op {
        UnaryOp::Negate => wrap(ty, value.wrapping_neg()),
        UnaryOp::Complement => wrap(ty, !value),
        UnaryOp::Not => i128::from(value == 0),
        UnaryOp::CountOnes => i128::from(bits.count_ones()),
        UnaryOp::LeadingZeros => i128::from(bits.leading_zeros() - unused),
        UnaryOp::TrailingZeros => i128::from(bits.trailing_zeros().min(u32::from(ty.width))),
        UnaryOp::SwapBytes => wrap(ty, (bits << (unused & !7)).swap_bytes() as i128),
    }
}

/// An operation on two values of one type; the right side of a shift is a value of its own type, as a number.
/// A comparison gives 0 or 1.
pub fn binary(op: BinaryOp, ty: IntegerType, left: i128, right: i128) -> i128 {
    match op {
        BinaryOp::Add => wrap(ty, left.wrapping_add(right)),
        BinaryOp::Subtract => wrap(ty, left.wrapping_sub(right)),
        BinaryOp::Multiply => wrap(ty, left.wrapping_mul(right)),
        BinaryOp::Divide if right == 0 => 0,
        BinaryOp::Divide if ty.signed => wrap(ty, left.wrapping_div(right)),
        BinaryOp::Divide => (left as u128 / right as u128) as i128,
        BinaryOp::Remainder if right == 0 => 0,
        BinaryOp::Remainder if ty.signed => left.wrapping_rem(right),
        BinaryOp::Remainder => (left as u128 % right as u128) as i128,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::ShiftLeft if shift_is_defined(ty, right) => wrap(ty, left << right),
        BinaryOp::ShiftRight if shift_is_defined(ty, right) => {
            if ty.signed {
                left >> right
            } else {
                (left as u128 >> right) as i128
            }
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 0,
        BinaryOp::Equal => i128::from(left == right),
        BinaryOp::NotEqual => i128::from(left != right),
        BinaryOp::Less => i128::from(compare(ty, left, right).is_lt()),
        BinaryOp::LessEqual => i128::from(compare(ty, left, right).is_le()),
    }
}

/// Whether a shift by this number is defined: neither negative nor the width or more.
pub const fn shift_is_defined(ty: IntegerType, by: i128) -> bool {
    0 <= by && by < ty.width as i128
}

/// Whether an operation on two values of a signed type leaves the type's range. For an unsigned type: whether the
/// number that is meant differs from the one that [`binary`] gives.
pub fn overflows(op: OverflowOp, ty: IntegerType, left: i128, right: i128) -> bool {
    if !ty.signed && ty.width == 128 {
        let (left, right) = (left as u128, right as u128);
        return match op {
            OverflowOp::Add => left.checked_add(right).is_none(),
            OverflowOp::Subtract => left.checked_sub(right).is_none(),
            OverflowOp::Multiply => left.checked_mul(right).is_none(),
            OverflowOp::Divide => false,
            OverflowOp::ShiftLeft => right < 128 && left.leading_zeros() < right as u32,
        };
    }
    let exact = match op {
        OverflowOp::Add => left.checked_add(right),
        OverflowOp::Subtract => left.checked_sub(right),
        OverflowOp::Multiply => left.checked_mul(right),
        OverflowOp::Divide if right == 0 => return false,
        OverflowOp::Divide => left.checked_div(right),
        OverflowOp::ShiftLeft if !shift_is_defined(ty, right) => return false,
        OverflowOp::ShiftLeft if left < 0 => return true,
        OverflowOp::ShiftLeft => (i128::from(left.leading_zeros()) > right).then(|| left << right),
    };
    exact.is_none_or(|exact| !is_normal(ty, exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: IntegerType = IntegerType { width: 8, signed: true };
    const U8: IntegerType = IntegerType { width: 8, signed: false };

    #[test]
    fn eight_bit_operations_agree_with_rust() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (x, y) = (i128::from(a), i128::from(b));
                assert_eq!(binary(BinaryOp::Add, I8, x, y), i128::from(a.wrapping_add(b)));
                assert_eq!(binary(BinaryOp::Multiply, I8, x, y), i128::from(a.wrapping_mul(b)));
                assert_eq!(overflows(OverflowOp::Add, I8, x, y), a.checked_add(b).is_none());
                assert_eq!(overflows(OverflowOp::Subtract, I8, x, y), a.checked_sub(b).is_none());
                assert_eq!(overflows(OverflowOp::Multiply, I8, x, y), a.checked_mul(b).is_none());
                let (ua, ub) = (a as u8, b as u8);
                let (ux, uy) = (i128::from(ua), i128::from(ub));
                assert_eq!(binary(BinaryOp::Subtract, U8, ux, uy), i128::from(ua.wrapping_sub(ub)));
                assert_eq!(binary(BinaryOp::Less, U8, ux, uy), i128::from(ua < ub));
                if b != 0 {
                    assert_eq!(binary(BinaryOp::Divide, I8, x, y), i128::from(a.wrapping_div(b)));
                    assert_eq!(binary(BinaryOp::Remainder, I8, x, y), i128::from(a.wrapping_rem(b)));
                    assert_eq!(overflows(OverflowOp::Divide, I8, x, y), a.checked_div(b).is_none());
                    assert_eq!(binary(BinaryOp::Divide, U8, ux, uy), i128::from(ua / ub));
                }
            }
            let x = i128::from(a);
            assert_eq!(unary(UnaryOp::LeadingZeros, I8, x), i128::from(a.leading_zeros()));
            assert_eq!(unary(UnaryOp::TrailingZeros, I8, x), i128::from(a.trailing_zeros()));
            assert_eq!(unary(UnaryOp::Complement, I8, x), i128::from(!a));
            for shift in 0..8 {
                assert_eq!(binary(BinaryOp::ShiftRight, I8, x, shift), i128::from(a >> shift));
                let fits = a >= 0 && x << shift <= i128::from(i8::MAX);
                assert_eq!(overflows(OverflowOp::ShiftLeft, I8, x, shift), !fits);
            }
        }
    }

    #[test]
    fn the_widest_types_keep_their_limits() {
        let i128_type = IntegerType { width: 128, signed: true };
        let u128_type = IntegerType { width: 128, signed: false };
        assert!(overflows(OverflowOp::Add, i128_type, i128::MAX, 1));
        assert!(!overflows(OverflowOp::Add, u128_type, i128::MAX, 1));
        assert!(overflows(OverflowOp::Add, u128_type, -1, 1));
        assert!(overflows(OverflowOp::ShiftLeft, i128_type, 1, 127));
        assert!(!overflows(OverflowOp::ShiftLeft, i128_type, 1, 126));
        assert_eq!(compare(u128_type, -1, 1), Ordering::Greater);
        let u32_type = IntegerType { width: 32, signed: false };
        assert_eq!(unary(UnaryOp::SwapBytes, u32_type, 0x0102_0304), 0x0403_0201);
    }
}
