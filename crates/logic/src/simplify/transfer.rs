//! Abstract value of an operation from the abstract values of its operands.
//!
//! Sums of known bits are those of LLVM's `KnownBits::computeForAddCarry`: a carry into a bit is known when the smallest and
//! the largest possible sum agree on it. The rest is interval arithmetic; whatever could wrap is given up.

use super::abstract_value::{AbstractValue, mask};
use crate::node::{Binary, Unary};

/// Abstract value of an operation on one term of bits that gives bits, at most [`AbstractValue::WIDEST`] of them.
pub fn unary(op: Unary, a: &AbstractValue) -> Option<AbstractValue> {
    Some(match op {
        Unary::BitNot => AbstractValue {
            width: a.width,
            zeros: a.ones,
            ones: a.zeros,
            low: !a.high & mask(a.width),
            high: !a.low & mask(a.width),
            signed_low: !a.signed_high,
            signed_high: !a.signed_low,
        },
        Unary::BitNegate => subtract(&AbstractValue::exact(a.width, 0), a),
        Unary::Extract { high, low } => extract(a, high, low),
        Unary::ZeroExtend(by) if a.width + by <= AbstractValue::WIDEST => zero_extend(a, by),
        Unary::SignExtend(by) if a.width + by <= AbstractValue::WIDEST => sign_extend(a, by),
        _ => return None,
    })
}

/// Abstract value of an operation on two terms of bits that gives bits, at most [`AbstractValue::WIDEST`] of them.
pub fn binary(op: Binary, a: &AbstractValue, b: &AbstractValue) -> Option<AbstractValue> {
    Some(match op {
        Binary::BitAnd => and(a, b),
        Binary::BitOr => or(a, b),
        Binary::BitXor => xor(a, b),
        Binary::BitAdd => add(a, b),
        Binary::BitSubtract => subtract(a, b),
        Binary::BitMultiply => multiply(a, b),
        Binary::UnsignedDivide => unsigned_divide(a, b),
        Binary::UnsignedRemainder => unsigned_remainder(a, b),
        Binary::SignedDivide => signed_divide(a, b),
        Binary::SignedRemainder => signed_remainder(a, b),
        Binary::ShiftLeft => shift_left(a, b),
        Binary::ShiftRight => shift_right(a, b),
        Binary::ShiftRightSigned => shift_right_signed(a, b),
        Binary::Concat if a.width + b.width <= AbstractValue::WIDEST => concat(a, b),
        _ => return None,
    })
}

/// Abstract value of a term that is one of two.
pub fn either(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    AbstractValue {
        width: a.width,
        zeros: a.zeros & b.zeros,
        ones: a.ones & b.ones,
        low: a.low.min(b.low),
        high: a.high.max(b.high),
        signed_low: a.signed_low.min(b.signed_low),
        signed_high: a.signed_high.max(b.signed_high),
    }
}

fn extract(a: &AbstractValue, high: u32, low: u32) -> AbstractValue {
    let width = high - low + 1;
    let mut abstract_value = AbstractValue::unknown(width);
    abstract_value.zeros = (a.zeros >> low) & mask(width);
    abstract_value.ones = (a.ones >> low) & mask(width);
    let (least, most) = (a.low >> low, a.high >> low);
    if least & !mask(width) == most & !mask(width) {
        (abstract_value.low, abstract_value.high) = (least & mask(width), most & mask(width));
    }
    let (least, most) = (a.signed_low >> low, a.signed_high >> low);
    if least >= abstract_value.signed_low && most <= abstract_value.signed_high {
        (abstract_value.signed_low, abstract_value.signed_high) = (least, most);
    }
    abstract_value.agreed()
}

fn zero_extend(a: &AbstractValue, by: u32) -> AbstractValue {
    let width = a.width + by;
    let mut abstract_value = AbstractValue { low: a.low, high: a.high, ..AbstractValue::unknown(width) };
    abstract_value.zeros = a.zeros | mask(width) & !mask(a.width);
    abstract_value.ones = a.ones;
    abstract_value.agreed()
}

fn sign_extend(a: &AbstractValue, by: u32) -> AbstractValue {
    let width = a.width + by;
    let mut abstract_value = AbstractValue {
        signed_low: a.signed_low,
        signed_high: a.signed_high,
        ..AbstractValue::unknown(width)
    };
    abstract_value.zeros = AbstractValue::signed(a.width, a.zeros) as u128 & mask(width);
    abstract_value.ones = AbstractValue::signed(a.width, a.ones) as u128 & mask(width);
    abstract_value.agreed()
}

fn concat(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let join = |high: u128, low: u128| high << b.width | low;
    AbstractValue {
        width: a.width + b.width,
        zeros: join(a.zeros, b.zeros),
        ones: join(a.ones, b.ones),
        low: join(a.low, b.low),
        high: join(a.high, b.high),
        signed_low: join(a.signed_low as u128, b.low) as i128,
        signed_high: join(a.signed_high as u128, b.high) as i128,
    }
    .agreed()
}

fn and(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    abstract_value.zeros = a.zeros | b.zeros;
    abstract_value.ones = a.ones & b.ones;
    abstract_value.high = a.high.min(b.high);
    abstract_value.agreed()
}

fn or(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    abstract_value.zeros = a.zeros & b.zeros;
    abstract_value.ones = a.ones | b.ones;
    abstract_value.low = a.low.max(b.low);
    abstract_value.agreed()
}

fn xor(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    abstract_value.zeros = a.zeros & b.zeros | a.ones & b.ones;
    abstract_value.ones = a.zeros & b.ones | a.ones & b.zeros;
    abstract_value.agreed()
}

/// The known bits of a sum with a carry into the lowest bit.
fn sum_bits(a: &AbstractValue, zeros: u128, ones: u128, carry: u128) -> (u128, u128) {
    let all = mask(a.width);
    let largest = (!a.zeros & all).wrapping_add(!zeros & all).wrapping_add(carry);
    let smallest = a.ones.wrapping_add(ones).wrapping_add(carry);
    let carry_is_zero = !(largest ^ a.zeros ^ zeros);
    let carry_is_one = smallest ^ a.ones ^ ones;
    let known = (a.zeros | a.ones) & (zeros | ones) & (carry_is_zero | carry_is_one) & all;
    (!largest & known, smallest & known)
}

/// A range of numbers brought into the width, if all of it wraps the same way.
fn set_signed(abstract_value: &mut AbstractValue, low: Option<i128>, high: Option<i128>) {
    if let (Some(low), Some(high)) = (low, high)
        && low >= abstract_value.signed_low
        && high <= abstract_value.signed_high
    {
        (abstract_value.signed_low, abstract_value.signed_high) = (low, high);
    }
}

fn add(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    let all = mask(a.width);
    (abstract_value.zeros, abstract_value.ones) = sum_bits(a, b.zeros, b.ones, 0);
    let wraps = |x: u128, y: u128| x > all - y;
    if wraps(a.low, b.low) == wraps(a.high, b.high) {
        abstract_value.low = a.low.wrapping_add(b.low) & all;
        abstract_value.high = a.high.wrapping_add(b.high) & all;
    }
    let (low, high) = (a.signed_low.checked_add(b.signed_low), a.signed_high.checked_add(b.signed_high));
    set_signed(&mut abstract_value, low, high);
    abstract_value.agreed()
}

fn subtract(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    (abstract_value.zeros, abstract_value.ones) = sum_bits(a, b.ones, b.zeros, 1);
    if (a.low < b.high) == (a.high < b.low) {
        abstract_value.low = a.low.wrapping_sub(b.high) & mask(a.width);
        abstract_value.high = a.high.wrapping_sub(b.low) & mask(a.width);
    }
    let (low, high) = (a.signed_low.checked_sub(b.signed_high), a.signed_high.checked_sub(b.signed_low));
    set_signed(&mut abstract_value, low, high);
    abstract_value.agreed()
}

fn multiply(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    abstract_value.zeros = mask(a.trailing_zeros() + b.trailing_zeros()) & mask(a.width);
    if let Some(high) = a.high.checked_mul(b.high)
        && high <= mask(a.width)
    {
        (abstract_value.low, abstract_value.high) = (a.low * b.low, high);
    }
    let ends = [(a.signed_low, b.signed_low), (a.signed_low, b.signed_high), (a.signed_high, b.signed_low)];
    let mut low = a.signed_high.checked_mul(b.signed_high);
    let mut high = low;
    for (x, y) in ends {
        let product = x.checked_mul(y);
        low = low.zip(product).map(|(low, product)| low.min(product));
        high = high.zip(product).map(|(high, product)| high.max(product));
    }
    set_signed(&mut abstract_value, low, high);
    abstract_value.agreed()
}

fn unsigned_divide(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    // Division by zero gives all ones, which only the lower end survives.
    abstract_value.low = a.low.checked_div(b.high).unwrap_or(abstract_value.high);
    abstract_value.high = a.high.checked_div(b.low).unwrap_or(abstract_value.high);
    abstract_value.agreed()
}

fn unsigned_remainder(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    abstract_value.high = a.high;
    if b.low > 0 {
        abstract_value.high = abstract_value.high.min(b.high - 1);
        if a.high < b.low {
            abstract_value.low = a.low;
        }
    }
    abstract_value.agreed()
}

fn signed_divide(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    if b.signed_low > 0 {
        let (least, most) = (b.signed_low, b.signed_high);
        abstract_value.signed_low = if a.signed_low < 0 { a.signed_low / least } else { a.signed_low / most };
        abstract_value.signed_high =
            if a.signed_high < 0 { a.signed_high / most } else { a.signed_high / least };
    }
    abstract_value.agreed()
}

fn signed_remainder(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    (abstract_value.signed_low, abstract_value.signed_high) = (a.signed_low.min(0), a.signed_high.max(0));
    if b.signed_low > 0 {
        abstract_value.signed_low = abstract_value.signed_low.max(1 - b.signed_high);
        abstract_value.signed_high = abstract_value.signed_high.min(b.signed_high - 1);
    }
    abstract_value.agreed()
}

/// The least and the most that a shift goes, at most the width.
fn distances(a: &AbstractValue, by: &AbstractValue) -> (u32, u32) {
    let within = |distance: u128| distance.min(a.width.into()) as u32;
    (within(by.low), within(by.high))
}

fn shift_left(a: &AbstractValue, by: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    let (least, most) = distances(a, by);
    abstract_value.zeros = mask(a.trailing_zeros() + least) & mask(a.width);
    if most < 128 && a.high.leading_zeros() >= most && a.high << most <= mask(a.width) {
        (abstract_value.low, abstract_value.high) = (a.low << least, a.high << most);
    }
    abstract_value.agreed()
}

fn shift_right(a: &AbstractValue, by: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    let (least, most) = distances(a, by);
    abstract_value.low = a.low.checked_shr(most).unwrap_or(0);
    abstract_value.high = a.high.checked_shr(least).unwrap_or(0);
    abstract_value.agreed()
}

fn shift_right_signed(a: &AbstractValue, by: &AbstractValue) -> AbstractValue {
    let mut abstract_value = AbstractValue::unknown(a.width);
    let (least, most) = distances(a, by);
    let (least, most) = (least.min(127), most.min(127));
    abstract_value.signed_low = a.signed_low >> if a.signed_low < 0 { least } else { most };
    abstract_value.signed_high = a.signed_high >> if a.signed_high < 0 { most } else { least };
    abstract_value.agreed()
}
