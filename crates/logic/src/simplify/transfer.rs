//! Facts of an operation from the facts of its operands.
//!
//! Sums of known bits are those of LLVM's `KnownBits::computeForAddCarry`: a carry into a bit is known when the smallest and
//! the largest possible sum agree on it. The rest is interval arithmetic; whatever could wrap is given up.

use super::facts::{Facts, mask};
use crate::node::{Binary, Unary};

/// Facts of an operation on one term of bits that gives bits, at most [`Facts::WIDEST`] of them.
pub fn unary(op: Unary, a: &Facts) -> Option<Facts> {
    Some(match op {
        Unary::BitNot => Facts {
            width: a.width,
            zeros: a.ones,
            ones: a.zeros,
            low: !a.high & mask(a.width),
            high: !a.low & mask(a.width),
            signed_low: !a.signed_high,
            signed_high: !a.signed_low,
        },
        Unary::BitNegate => subtract(&Facts::exact(a.width, 0), a),
        Unary::Extract { high, low } => extract(a, high, low),
        Unary::ZeroExtend(by) if a.width + by <= Facts::WIDEST => zero_extend(a, by),
        Unary::SignExtend(by) if a.width + by <= Facts::WIDEST => sign_extend(a, by),
        _ => return None,
    })
}

/// Facts of an operation on two terms of bits that gives bits, at most [`Facts::WIDEST`] of them.
pub fn binary(op: Binary, a: &Facts, b: &Facts) -> Option<Facts> {
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
        Binary::Concat if a.width + b.width <= Facts::WIDEST => concat(a, b),
        _ => return None,
    })
}

/// Facts of a term that is one of two.
pub fn either(a: &Facts, b: &Facts) -> Facts {
    Facts {
        width: a.width,
        zeros: a.zeros & b.zeros,
        ones: a.ones & b.ones,
        low: a.low.min(b.low),
        high: a.high.max(b.high),
        signed_low: a.signed_low.min(b.signed_low),
        signed_high: a.signed_high.max(b.signed_high),
    }
}

fn extract(a: &Facts, high: u32, low: u32) -> Facts {
    let width = high - low + 1;
    let mut facts = Facts::unknown(width);
    facts.zeros = (a.zeros >> low) & mask(width);
    facts.ones = (a.ones >> low) & mask(width);
    let (least, most) = (a.low >> low, a.high >> low);
    if least & !mask(width) == most & !mask(width) {
        (facts.low, facts.high) = (least & mask(width), most & mask(width));
    }
    let (least, most) = (a.signed_low >> low, a.signed_high >> low);
    if least >= facts.signed_low && most <= facts.signed_high {
        (facts.signed_low, facts.signed_high) = (least, most);
    }
    facts.agreed()
}

fn zero_extend(a: &Facts, by: u32) -> Facts {
    let width = a.width + by;
    let mut facts = Facts { low: a.low, high: a.high, ..Facts::unknown(width) };
    facts.zeros = a.zeros | mask(width) & !mask(a.width);
    facts.ones = a.ones;
    facts.agreed()
}

fn sign_extend(a: &Facts, by: u32) -> Facts {
    let width = a.width + by;
    let mut facts = Facts { signed_low: a.signed_low, signed_high: a.signed_high, ..Facts::unknown(width) };
    facts.zeros = Facts::signed(a.width, a.zeros) as u128 & mask(width);
    facts.ones = Facts::signed(a.width, a.ones) as u128 & mask(width);
    facts.agreed()
}

fn concat(a: &Facts, b: &Facts) -> Facts {
    let join = |high: u128, low: u128| high << b.width | low;
    Facts {
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

fn and(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    facts.zeros = a.zeros | b.zeros;
    facts.ones = a.ones & b.ones;
    facts.high = a.high.min(b.high);
    facts.agreed()
}

fn or(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    facts.zeros = a.zeros & b.zeros;
    facts.ones = a.ones | b.ones;
    facts.low = a.low.max(b.low);
    facts.agreed()
}

fn xor(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    facts.zeros = a.zeros & b.zeros | a.ones & b.ones;
    facts.ones = a.zeros & b.ones | a.ones & b.zeros;
    facts.agreed()
}

/// The known bits of a sum with a carry into the lowest bit.
fn sum_bits(a: &Facts, zeros: u128, ones: u128, carry: u128) -> (u128, u128) {
    let all = mask(a.width);
    let largest = (!a.zeros & all).wrapping_add(!zeros & all).wrapping_add(carry);
    let smallest = a.ones.wrapping_add(ones).wrapping_add(carry);
    let carry_is_zero = !(largest ^ a.zeros ^ zeros);
    let carry_is_one = smallest ^ a.ones ^ ones;
    let known = (a.zeros | a.ones) & (zeros | ones) & (carry_is_zero | carry_is_one) & all;
    (!largest & known, smallest & known)
}

/// A range of numbers brought into the width, if all of it wraps the same way.
fn set_signed(facts: &mut Facts, low: Option<i128>, high: Option<i128>) {
    if let (Some(low), Some(high)) = (low, high)
        && low >= facts.signed_low
        && high <= facts.signed_high
    {
        (facts.signed_low, facts.signed_high) = (low, high);
    }
}

fn add(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    let all = mask(a.width);
    (facts.zeros, facts.ones) = sum_bits(a, b.zeros, b.ones, 0);
    let wraps = |x: u128, y: u128| x > all - y;
    if wraps(a.low, b.low) == wraps(a.high, b.high) {
        facts.low = a.low.wrapping_add(b.low) & all;
        facts.high = a.high.wrapping_add(b.high) & all;
    }
    let (low, high) = (a.signed_low.checked_add(b.signed_low), a.signed_high.checked_add(b.signed_high));
    set_signed(&mut facts, low, high);
    facts.agreed()
}

fn subtract(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    (facts.zeros, facts.ones) = sum_bits(a, b.ones, b.zeros, 1);
    if (a.low < b.high) == (a.high < b.low) {
        facts.low = a.low.wrapping_sub(b.high) & mask(a.width);
        facts.high = a.high.wrapping_sub(b.low) & mask(a.width);
    }
    let (low, high) = (a.signed_low.checked_sub(b.signed_high), a.signed_high.checked_sub(b.signed_low));
    set_signed(&mut facts, low, high);
    facts.agreed()
}

fn multiply(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    facts.zeros = mask(a.trailing_zeros() + b.trailing_zeros()) & mask(a.width);
    if let Some(high) = a.high.checked_mul(b.high)
        && high <= mask(a.width)
    {
        (facts.low, facts.high) = (a.low * b.low, high);
    }
    let ends = [(a.signed_low, b.signed_low), (a.signed_low, b.signed_high), (a.signed_high, b.signed_low)];
    let mut low = a.signed_high.checked_mul(b.signed_high);
    let mut high = low;
    for (x, y) in ends {
        let product = x.checked_mul(y);
        low = low.zip(product).map(|(low, product)| low.min(product));
        high = high.zip(product).map(|(high, product)| high.max(product));
    }
    set_signed(&mut facts, low, high);
    facts.agreed()
}

fn unsigned_divide(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    // Division by zero gives all ones, which only the lower end survives.
    facts.low = a.low.checked_div(b.high).unwrap_or(facts.high);
    facts.high = a.high.checked_div(b.low).unwrap_or(facts.high);
    facts.agreed()
}

fn unsigned_remainder(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    facts.high = a.high;
    if b.low > 0 {
        facts.high = facts.high.min(b.high - 1);
        if a.high < b.low {
            facts.low = a.low;
        }
    }
    facts.agreed()
}

fn signed_divide(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    if b.signed_low > 0 {
        let (least, most) = (b.signed_low, b.signed_high);
        facts.signed_low = if a.signed_low < 0 { a.signed_low / least } else { a.signed_low / most };
        facts.signed_high = if a.signed_high < 0 { a.signed_high / most } else { a.signed_high / least };
    }
    facts.agreed()
}

fn signed_remainder(a: &Facts, b: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    (facts.signed_low, facts.signed_high) = (a.signed_low.min(0), a.signed_high.max(0));
    if b.signed_low > 0 {
        facts.signed_low = facts.signed_low.max(1 - b.signed_high);
        facts.signed_high = facts.signed_high.min(b.signed_high - 1);
    }
    facts.agreed()
}

/// The least and the most that a shift goes, at most the width.
fn distances(a: &Facts, by: &Facts) -> (u32, u32) {
    let within = |distance: u128| distance.min(a.width.into()) as u32;
    (within(by.low), within(by.high))
}

fn shift_left(a: &Facts, by: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    let (least, most) = distances(a, by);
    facts.zeros = mask(a.trailing_zeros() + least) & mask(a.width);
    if most < 128 && a.high.leading_zeros() >= most && a.high << most <= mask(a.width) {
        (facts.low, facts.high) = (a.low << least, a.high << most);
    }
    facts.agreed()
}

fn shift_right(a: &Facts, by: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    let (least, most) = distances(a, by);
    facts.low = a.low.checked_shr(most).unwrap_or(0);
    facts.high = a.high.checked_shr(least).unwrap_or(0);
    facts.agreed()
}

fn shift_right_signed(a: &Facts, by: &Facts) -> Facts {
    let mut facts = Facts::unknown(a.width);
    let (least, most) = distances(a, by);
    let (least, most) = (least.min(127), most.min(127));
    facts.signed_low = a.signed_low >> if a.signed_low < 0 { least } else { most };
    facts.signed_high = a.signed_high >> if a.signed_high < 0 { most } else { least };
    facts.agreed()
}
