//! Floating point numbers as terms, on their bits.
//!
//! A format of IEEE 754 orders its numbers as their bits are ordered, but for the sign: so every number has a *place*
//! in the order of its type, an integer, and comparisons are exact. Both zeros have place 0. A result that is not known
//! is a symbol; where one operand is a constant it is known in which direction the number goes, and from which size on
//! it surely moves. All these are theorems about rounding to nearest, which is monotone (the proofs are at the axioms):
//!
//! ```text
//! x * c, x / c    towards zero or away from it; surely for factors up to 1/2 or from 2 on, and for normal x otherwise
//! x + c, x - c    up or down; surely while x is so small that c is more than the distance to its neighbour
//! ```
//!
//! Known imprecision: of two operands that are not known nothing is known; neither is anything of the 80 bits of the x87,
//! whose numbers have several forms.

use logic::{Binary, BitVector, Sort, Term, Terms, Unary};
use program::{BinaryOp, FloatFormat, float};

use crate::encoder::Encoder;

/// How many bits the significand has, the hidden one included. None for a format that is not ordered by its bits.
const fn precision(format: FloatFormat) -> Option<u32> {
    match format {
        FloatFormat::Half => Some(11),
        FloatFormat::Single => Some(24),
        FloatFormat::Double => Some(53),
        FloatFormat::Quad => Some(113),
        FloatFormat::Extended => None,
    }
}

/// The bits of positive infinity: those above are no numbers.
const fn infinity(format: FloatFormat, precision: u32) -> u128 {
    let all = (1u128 << (format.bits() - 1)) - 1;
    all & !((1u128 << (precision - 1)) - 1)
}

/// The place of a number in the order of its type: a signed integer as wide as the number. Nothing if the format is not
/// ordered by its bits. What is no number has a place beyond the infinities.
pub fn place(terms: &mut Terms, format: FloatFormat, number: Term) -> Option<Term> {
    precision(format)?;
    let magnitude = magnitude(terms, format, number);
    let negated = terms.unary(Unary::BitNegate, magnitude);
    let sign = terms.extract(format.bits() - 1, format.bits() - 1, number);
    let one = terms.bits(1, 1);
    let negative = terms.equal(sign, one);
    Some(terms.ite(negative, negated, magnitude))
}

/// The number without its sign.
fn magnitude(terms: &mut Terms, format: FloatFormat, number: Term) -> Term {
    let rest = terms.extract(format.bits() - 2, 0, number);
    let zero = terms.bits(1, 0);
    terms.binary(Binary::Concat, zero, rest)
}

impl Encoder<'_> {
    pub(crate) fn float_binary(&mut self, op: BinaryOp, format: FloatFormat, a: Term, b: Term) -> Term {
        let known = |terms: &Terms, term| terms.known_bits(term).and_then(BitVector::to_u128);
        let (left, right) = (known(&self.terms, a), known(&self.terms, b));
        if op.is_comparison() {
            return match (left, right) {
                (Some(left), Some(right)) => {
                    let truth = compares(op, format, left, right);
                    self.terms.bool(truth)
                }
                _ => self.float_comparison(op, format, a, b),
            };
        }
        if self.program.world.rounding {
            return self.terms.fresh("floating point result", Sort::BitVector(format.bits()));
        }
        if let (Some(left), Some(right)) = (left, right) {
            return self.terms.bits(format.bits(), float::binary(op, format, left, right));
        }
        let result = self.terms.fresh("floating point result", Sort::BitVector(format.bits()));
        let (number, constant) = match (left, right) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) if matches!(op, BinaryOp::Multiply | BinaryOp::Add) => (b, constant),
            _ => return result,
        };
        let change = match op {
            BinaryOp::Multiply => Change::of_product(format, constant),
            BinaryOp::Divide => Change::of_quotient(format, constant),
            BinaryOp::Add => Change::of_sum(format, constant),
            BinaryOp::Subtract => Change::of_sum(format, float::negate(format, constant)),
            _ => None,
        };
        if let Some(change) = change {
            self.know_change(format, number, result, change);
        }
        result
    }

    fn float_comparison(&mut self, op: BinaryOp, format: FloatFormat, a: Term, b: Term) -> Term {
        let Some(precision) = precision(format) else {
            return self.terms.fresh("floating point comparison", Sort::Bool);
        };
        let terms = &mut self.terms;
        let infinity = terms.bits(format.bits(), infinity(format, precision));
        let mut are_numbers = terms.bool(true);
        for one in [a, b] {
            let magnitude = magnitude(terms, format, one);
            let is_number = terms.binary(Binary::UnsignedLessEqual, magnitude, infinity);
            are_numbers = terms.and(are_numbers, is_number);
        }
        let (Some(a), Some(b)) = (place(terms, format, a), place(terms, format, b)) else {
            return terms.fresh("floating point comparison", Sort::Bool);
        };
        let holds = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => terms.equal(a, b),
            BinaryOp::Less => terms.binary(Binary::SignedLess, a, b),
            _ => terms.binary(Binary::SignedLessEqual, a, b),
        };
        let holds = terms.and(are_numbers, holds);
        if op == BinaryOp::NotEqual { terms.not(holds) } else { holds }
    }

    /// Adds what is known of a result to the axioms about its symbol.
    fn know_change(&mut self, format: FloatFormat, number: Term, result: Term, change: Change) {
        let Some(precision) = precision(format) else { return };
        let width = format.bits();
        let infinity = infinity(format, precision);
        let terms = &mut self.terms;
        let (Some(before), Some(after)) = (place(terms, format, number), place(terms, format, result)) else {
            return;
        };
        let magnitude = magnitude(terms, format, number);
        let infinity = terms.bits(width, infinity);
        let finite = terms.binary(Binary::UnsignedLess, magnitude, infinity);
        let from = terms.bits(width, change.from);
        let below = terms.bits(width, change.below);
        let large = terms.binary(Binary::UnsignedLessEqual, from, magnitude);
        let small = terms.binary(Binary::UnsignedLess, magnitude, below);
        let sure = terms.and(large, small);
        let sure = terms.and(finite, sure);
        let zero = terms.bits(width, 0);
        let (positive, negative) =
            (terms.binary(Binary::SignedLess, zero, before), terms.binary(Binary::SignedLess, before, zero));
        let always = terms.bool(true);
        let mut invariants = Vec::new();
        // Each: when, which is not greater, which is not less.
        let directions: &[(Term, Term, Term)] = match change.direction {
            Direction::Up => &[(always, before, after)],
            Direction::Down => &[(always, after, before)],
            Direction::Inwards => &[(positive, after, before), (negative, before, after)],
            Direction::Outwards => &[(positive, before, after), (negative, after, before)],
        };
        for &(when, less, more) in directions {
            let not_more = terms.binary(Binary::SignedLessEqual, less, more);
            let strictly = terms.binary(Binary::SignedLess, less, more);
            let in_general = terms.and(when, finite);
            let surely = terms.and(when, sure);
            invariants.extend([terms.implies(in_general, not_more), terms.implies(surely, strictly)]);
        }
        if matches!(change.direction, Direction::Inwards | Direction::Outwards) {
            // A positive factor keeps the sign.
            let not_negative = terms.binary(Binary::SignedLessEqual, zero, after);
            let not_positive = terms.binary(Binary::SignedLessEqual, after, zero);
            let is_zero = terms.equal(before, zero);
            let up = terms.and(positive, finite);
            let down = terms.and(negative, finite);
            let both = terms.and(not_negative, not_positive);
            invariants.extend([
                terms.implies(up, not_negative),
                terms.implies(down, not_positive),
                terms.implies(is_zero, both),
            ]);
        }
        if let (Direction::Inwards, Some((from, by))) = (change.direction, change.far) {
            let (from, by) = (terms.bits(width, from), terms.bits(width, by));
            let large = terms.binary(Binary::UnsignedLessEqual, from, magnitude);
            let large = terms.and(large, finite);
            let (up, down) = (terms.and(positive, large), terms.and(negative, large));
            let (less, more) =
                (terms.binary(Binary::BitSubtract, before, by), terms.binary(Binary::BitAdd, before, by));
            let less = terms.binary(Binary::SignedLessEqual, after, less);
            let more = terms.binary(Binary::SignedLessEqual, more, after);
            invariants.extend([terms.implies(up, less), terms.implies(down, more)]);
        }
        // What is a number stays one.
        let result_magnitude = self::magnitude(terms, format, result);
        let was = terms.binary(Binary::UnsignedLessEqual, magnitude, infinity);
        let is = terms.binary(Binary::UnsignedLessEqual, result_magnitude, infinity);
        invariants.push(terms.implies(was, is));
        // The infinities stay what they are.
        let infinite = terms.equal(magnitude, infinity);
        let same = terms.equal(before, after);
        invariants.push(terms.implies(infinite, same));
        invariants.into_iter().for_each(|invariant| self.axioms.add(result, invariant));
    }
}

/// Conversions between `float` and `double`.
impl Encoder<'_> {
    /// A `float` as a `double`: exactly, but for what is less than any normal `float`.
    pub(crate) fn widened(&mut self, number: Term) -> Term {
        let tiny = self.terms.fresh("tiny floating point number", Sort::BitVector(63));
        let terms = &mut self.terms;
        let (least, normal) = (2f64.powi(-149).to_bits(), f64::from(f32::MIN_POSITIVE).to_bits());
        let (least, normal) = (terms.bits(63, least.into()), terms.bits(63, normal.into()));
        let not_less = terms.binary(Binary::UnsignedLessEqual, least, tiny);
        let not_normal = terms.binary(Binary::UnsignedLess, tiny, normal);
        let (sign, exponent) = (terms.extract(31, 31, number), terms.extract(30, 23, number));
        let fraction = terms.extract(22, 0, number);
        let low = terms.bits(29, 0);
        let wide = terms.binary(Binary::Concat, fraction, low);
        // 1023 - 127: the zero of exponents.
        let (bias, shifted) = (terms.bits(11, 896), terms.resize(exponent, 11, false));
        let shifted = terms.binary(Binary::BitAdd, shifted, bias);
        let usual = terms.binary(Binary::Concat, shifted, wide);
        let (none, zero) = (terms.bits(23, 0), terms.bits(63, 0));
        let is_even = terms.equal(fraction, none);
        let small = terms.ite(is_even, zero, tiny);
        // What is no number becomes a quiet one.
        let (quiet, top) = (terms.bits(52, 1 << 51), terms.bits(11, 2047));
        let quiet = terms.binary(Binary::BitOr, wide, quiet);
        let last = terms.ite(is_even, wide, quiet);
        let last = terms.binary(Binary::Concat, top, last);
        let (lowest, highest) = (terms.bits(8, 0), terms.bits(8, 255));
        let is_small = terms.equal(exponent, lowest);
        let is_last = terms.equal(exponent, highest);
        let magnitude = terms.ite(is_last, last, usual);
        let magnitude = terms.ite(is_small, small, magnitude);
        let result = terms.binary(Binary::Concat, sign, magnitude);
        [not_less, not_normal].into_iter().for_each(|invariant| self.axioms.add(tiny, invariant));
        result
    }

    /// A `double` as a `float`: a symbol. Rounding keeps the sign, and a normal result is within half the distance of two
    /// `float` numbers, which is `2^28` places of a `double`; that is so across powers of two as well, for they are
    /// numbers of both. What is no larger than the largest `float` stays finite.
    pub(crate) fn narrowed(&mut self, number: Term) -> Term {
        let (double, single) = (FloatFormat::Double, FloatFormat::Single);
        let result = self.terms.fresh("floating point conversion", Sort::BitVector(32));
        let back = self.widened(result);
        let terms = &mut self.terms;
        let (Some(before), Some(after)) = (place(terms, double, number), place(terms, double, back)) else {
            return result;
        };
        let magnitude = magnitude(terms, single, result);
        let (smallest, infinity) = (terms.bits(32, 1 << 23), terms.bits(32, infinity(single, 24)));
        let above = terms.binary(Binary::UnsignedLess, smallest, magnitude);
        let finite = terms.binary(Binary::UnsignedLess, magnitude, infinity);
        let normal = terms.and(above, finite);
        let half = terms.bits(64, 1 << 28);
        let (low, high) =
            (terms.binary(Binary::BitSubtract, before, half), terms.binary(Binary::BitAdd, before, half));
        let not_less = terms.binary(Binary::SignedLessEqual, low, after);
        let not_more = terms.binary(Binary::SignedLessEqual, after, high);
        let near = terms.and(not_less, not_more);
        let zero = terms.bits(64, 0);
        let mut invariants = vec![terms.implies(normal, near)];
        let number_magnitude = self::magnitude(terms, double, number);
        let limit = terms.bits(64, self::infinity(double, 53));
        let is_number = terms.binary(Binary::UnsignedLessEqual, number_magnitude, limit);
        let largest = terms.bits(64, f64::from(f32::MAX).to_bits().into());
        let fits = terms.binary(Binary::UnsignedLessEqual, number_magnitude, largest);
        invariants.push(terms.implies(fits, finite));
        for (low, high) in [(zero, before), (before, zero)] {
            // Not negative stays not negative, and the other way round.
            let sign = terms.binary(Binary::SignedLessEqual, low, high);
            let sign = terms.and(is_number, sign);
            let (low, high) = if low == zero { (zero, after) } else { (after, zero) };
            let kept = terms.binary(Binary::SignedLessEqual, low, high);
            invariants.push(terms.implies(sign, kept));
        }
        invariants.into_iter().for_each(|invariant| self.axioms.add(result, invariant));
        result
    }
}

fn compares(op: BinaryOp, format: FloatFormat, left: u128, right: u128) -> bool {
    let order = float::compare(format, left, right);
    match op {
        BinaryOp::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOp::NotEqual => order.is_none_or(std::cmp::Ordering::is_ne),
        BinaryOp::Less => order.is_some_and(std::cmp::Ordering::is_lt),
        _ => order.is_some_and(std::cmp::Ordering::is_le),
    }
}

/// Where a number goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Up,
    Down,
    /// Towards zero, and not across it.
    Inwards,
    /// Away from zero.
    Outwards,
}

/// In which direction an operation moves a number, if at all, and of which finite numbers it is sure that it does: those
/// whose bits without the sign are in a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    direction: Direction,
    from: u128,
    below: u128,
    /// From which bits on a number moves by how many places at least, towards zero.
    far: Option<(u128, u128)>,
}

/// A margin for factors: numbers are much closer to each other than this share of them, if they are normal.
const MARGIN: f64 = 1.0 / 1024.0;

impl Change {
    /// By a product with a constant. Let `x > 0` be finite (for the others the signs are changed) and `p` its
    /// predecessor, `s` its successor.
    /// - A factor of up to 1/2: the product is at most `x / 2`, and that rounds to less than `x`: it is a number if `x` has
    ///   two more bits than the smallest one, and halves are rounded to even, so that 1/2 becomes 0, 3/2 becomes 2.
    /// - A factor of up to `1 - 2^-10`, and `x` normal: the product is at most `x - 2^-10 x`, which is at most `p`, for
    ///   neighbours are no further apart than `2^-10 x` in any format. Rounding is monotone, and `p` is a number.
    /// - From 2 on, and from `1 + 2^-10` on for normal `x`: the same upwards; twice a number is one, or infinite.
    fn of_product(format: FloatFormat, constant: u128) -> Option<Self> {
        Self::of_factor(format, number(format, constant)?)
    }

    /// By a quotient with a constant: a factor of one by the constant. If the constant is at least `1 + 2^-9`, the factor
    /// is at most `1 - 2^-10`.
    fn of_quotient(format: FloatFormat, constant: u128) -> Option<Self> {
        let divisor = number(format, constant)?;
        // What is known is the same for all factors between the margins.
        let factor = match divisor {
            _ if divisor >= 2.0 => 0.5,
            _ if divisor >= 1.0 + 2.0 * MARGIN => 1.0 - MARGIN,
            _ if divisor >= 1.0 => 1.0,
            _ if divisor > 1.0 - MARGIN => 1.0 + MARGIN / 2.0,
            _ if divisor > 0.5 => 1.0 + MARGIN,
            _ => 2.0,
        };
        Self::of_factor(format, factor)
    }

    fn of_factor(format: FloatFormat, factor: f64) -> Option<Self> {
        let precision = precision(format)?;
        let (all, normal) = (infinity(format, precision), 1u128 << (precision - 1));
        let direction = if factor <= 1.0 { Direction::Inwards } else { Direction::Outwards };
        let is_far = factor <= 1.0 - MARGIN || factor >= 1.0 + MARGIN;
        let from = match factor {
            _ if factor <= 0.5 || factor >= 2.0 => 1,
            _ if is_far => normal,
            _ => all,
        };
        // A share of 2^-10 is 2^(precision - 11) neighbours, but for the rounding.
        let far = is_far.then(|| (normal, 1u128 << (precision - 12)));
        Some(Self { direction, from, below: all, far })
    }

    /// By a sum with a constant `c`, a normal number of which `2^k` is the largest power of two that is not greater. The sum
    /// of `x` and a positive `c` is more than `x`, and does not round to less. If `x` is less than `2^(k + precision - 1)`
    /// in size, its neighbours are at most `2^(k - 1)` away, or as close as numbers get, which `c` is no less than: then
    /// the sum is at least the successor of `x`, and does not round to less than that.
    fn of_sum(format: FloatFormat, constant: u128) -> Option<Self> {
        let precision = precision(format)?;
        let sign = 1u128 << (format.bits() - 1);
        let size = constant & !sign;
        number(format, size)?;
        let direction = if constant & sign == 0 { Direction::Up } else { Direction::Down };
        let exponent = size >> (precision - 1);
        if exponent == 0 {
            return None;
        }
        // A power of two has no bits but those of its exponent.
        let below = (exponent + u128::from(precision) - 1) << (precision - 1);
        Some(Self { direction, from: 0, below: below.min(infinity(format, precision)), far: None })
    }
}

/// A constant as a positive finite number, if it is one and has the format of `float` or `double`.
fn number(format: FloatFormat, bits: u128) -> Option<f64> {
    let number = match format {
        FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
        FloatFormat::Double => f64::from_bits(bits as u64),
        _ => return None,
    };
    (number.is_finite() && number > 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: FloatFormat = FloatFormat::Single;
    const DOUBLE: FloatFormat = FloatFormat::Double;

    /// The place of a number, computed without terms.
    fn known_place(format: FloatFormat, bits: u128) -> i128 {
        let sign = 1u128 << (format.bits() - 1);
        let magnitude = (bits & !sign) as i128;
        if bits & sign == 0 { magnitude } else { -magnitude }
    }

    /// Numbers of all sizes, the borders between them, and random ones.
    fn numbers(format: FloatFormat, count: usize) -> Vec<u128> {
        let precision = precision(format).expect("a format of IEEE");
        let borders =
            [0, 1, 2, 3, 4, 5, 1 << (precision - 1), 3 << (precision - 2), infinity(format, precision)];
        let near = borders.iter().flat_map(|&border: &u128| [border.saturating_sub(1), border, border + 1]);
        let mut all: Vec<u128> = near.collect();
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = u128::from(state ^ (state >> 29)) & ((1u128 << (format.bits() - 1)) - 1);
            all.extend([bits, bits & !((1 << (precision / 2)) - 1)]);
        }
        let negative: Vec<u128> = all.iter().map(|bits| bits | 1 << (format.bits() - 1)).collect();
        all.extend(negative);
        all
    }

    fn constants(format: FloatFormat) -> Vec<u128> {
        let some = [1e-30, 0.1, 0.3, 0.5, 0.50001, 0.75, 0.9, 0.998, 0.9991, 0.99999, 1.0];
        let more = [1.0001, 1.001, 1.0015, 1.002, 1.5, 2.0, 3.0, 10.0, 1e9, 1e30];
        let bits = |number: &f64| match format {
            FloatFormat::Single => u128::from((*number as f32).to_bits()),
            _ => u128::from(number.to_bits()),
        };
        some.iter().chain(&more).map(bits).collect()
    }

    /// What a change claims, of one number and its result.
    fn is_so(format: FloatFormat, change: Change, number: u128, result: u128) -> bool {
        let all = infinity(format, precision(format).expect("a format of IEEE")) as i128;
        let (before, after) = (known_place(format, number), known_place(format, result));
        if before.abs() > all {
            return true;
        }
        if before.abs() == all {
            return before == after;
        }
        if after.abs() > all {
            return false;
        }
        let size = before.unsigned_abs();
        let is_sure = (change.from..change.below).contains(&size);
        let (less, more) = match change.direction {
            Direction::Up => (before, after),
            Direction::Down => (after, before),
            Direction::Inwards => (after.abs(), before.abs()),
            Direction::Outwards => (before.abs(), after.abs()),
        };
        let is_factor = matches!(change.direction, Direction::Inwards | Direction::Outwards);
        let keeps_sign = !is_factor || after.signum() * before.signum() >= 0 && (before != 0 || after == 0);
        let is_far = match change.far {
            Some((from, by)) if change.direction == Direction::Inwards && size >= from => {
                more - less >= by as i128
            }
            _ => true,
        };
        less <= more && (less < more || !is_sure || (is_factor && before == 0)) && keeps_sign && is_far
    }

    #[test]
    fn changes_are_as_arithmetic_has_them() {
        for format in [SINGLE, DOUBLE] {
            for number in numbers(format, 1000) {
                for constant in constants(format) {
                    let negative = float::negate(format, constant);
                    let cases = [
                        (BinaryOp::Multiply, constant, Change::of_product(format, constant)),
                        (BinaryOp::Divide, constant, Change::of_quotient(format, constant)),
                        (BinaryOp::Add, constant, Change::of_sum(format, constant)),
                        (BinaryOp::Add, negative, Change::of_sum(format, negative)),
                    ];
                    for (op, constant, change) in cases {
                        let result = float::binary(op, format, number, constant);
                        let change = change.expect("the constant is a normal number");
                        let text =
                            format!("{op:?} {format:?} {number:#x} {constant:#x} {result:#x} {change:?}");
                        assert!(is_so(format, change, number, result), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn some_numbers_surely_move_and_some_do_not() {
        let sure = |change: Option<Change>, number: f32| {
            let change = change.expect("the constant is a normal number");
            (change.from..change.below).contains(&u128::from(number.abs().to_bits()))
        };
        let bits = |number: f32| u128::from(number.to_bits());
        assert!(sure(Change::of_sum(SINGLE, bits(1.0)), 8_000_000.0));
        assert!(!sure(Change::of_sum(SINGLE, bits(1.0)), 16_777_216.0));
        assert!(sure(Change::of_product(SINGLE, bits(0.1)), 1e-45));
        assert!(!sure(Change::of_product(SINGLE, bits(0.8)), 1e-45), "it stays the least number");
        assert!(sure(Change::of_product(SINGLE, bits(0.8)), 1e-30));
    }

    #[test]
    fn a_narrowed_number_is_near() {
        for number in numbers(DOUBLE, 20_000) {
            // More of them in the range of `float`.
            for number in
                [number, (number & ((1 << 60) - 1)) | 0x38 << 56, (number & ((1 << 60) - 1)) | 0x3f << 56]
            {
                let narrow = float::convert(DOUBLE, SINGLE, number);
                let size = narrow & 0x7fff_ffff;
                let back = float::convert(SINGLE, DOUBLE, narrow);
                let distance = (known_place(DOUBLE, number) - known_place(DOUBLE, back)).abs();
                let is_normal = size > 1 << 23 && size < infinity(SINGLE, 24);
                assert!(!is_normal || distance <= 1 << 28, "{number:#x} {narrow:#x} {distance}");
                let fits = number & !(1 << 63) <= u128::from(f64::from(f32::MAX).to_bits());
                assert!(!fits || size < infinity(SINGLE, 24), "{number:#x} {narrow:#x}");
            }
        }
    }
}
