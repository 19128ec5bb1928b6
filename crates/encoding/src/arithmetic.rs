//! Operations on numbers as terms: machine integers, mathematical ones, and the bits of floating point numbers.

use logic::{Binary, BitVector, Sort, Term, Unary};
use program::{BinaryOp, IntegerType, OverflowOp, Type, UnaryOp, arithmetic};

use crate::encoder::Encoder;

impl Encoder<'_> {
    pub(crate) fn boolean_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            BinaryOp::And => terms.and(a, b),
            BinaryOp::Or => terms.or(a, b),
            BinaryOp::Xor | BinaryOp::NotEqual => terms.differ(a, b),
            BinaryOp::Equal => terms.equal(a, b),
            BinaryOp::Less => {
                let not = terms.not(a);
                terms.and(not, b)
            }
            BinaryOp::LessEqual => terms.implies(a, b),
            _ => terms.fresh("boolean arithmetic", Sort::Bool),
        }
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, from: Type, to: Type, operand: Term) -> Term {
        let mathematical = self.is_mathematical();
        let terms = &mut self.terms;
        match (op, from) {
            (UnaryOp::Not, _) => terms.not(operand),
            (UnaryOp::Negate, Type::Float(format)) => {
                let sign = terms.value(&logic::Value::BitVector(BitVector::minimum(format.bits())));
                terms.binary(Binary::BitXor, operand, sign)
            }
            (_, Type::Integer(ty)) if mathematical => self.mathematical_unary(op, ty, operand),
            (UnaryOp::Negate, _) => terms.unary(Unary::BitNegate, operand),
            (UnaryOp::Complement, _) => terms.unary(Unary::BitNot, operand),
            (UnaryOp::SwapBytes, _) => {
                let width = terms.width(operand);
                let mut result = terms.extract(7, 0, operand);
                for byte in 1..width / 8 {
                    let part = terms.extract(8 * byte + 7, 8 * byte, operand);
                    result = terms.binary(Binary::Concat, result, part);
                }
                result
            }
            (UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros, _) => {
                let width = match to {
                    Type::Integer(ty) => ty.width.into(),
                    _ => terms.width(operand),
                };
                self.count_bits(op, operand, width)
            }
        }
    }

    pub(crate) fn count_bits(&mut self, op: UnaryOp, operand: Term, result: u32) -> Term {
        let terms = &mut self.terms;
        let width = terms.width(operand);
        let mut count = terms.bits(result, if op == UnaryOp::CountOnes { 0 } else { width.into() });
        let one = terms.bits(1, 1);
        for step in 0..width {
            // The last bit that is examined is the one that decides.
            let place = if op == UnaryOp::LeadingZeros { step } else { width - 1 - step };
            let bit = terms.extract(place, place, operand);
            count = if op == UnaryOp::CountOnes {
                let bit = terms.resize(bit, result.max(1), false);
                terms.binary(Binary::BitAdd, count, bit)
            } else {
                let zeros = if op == UnaryOp::LeadingZeros { width - 1 - place } else { place };
                let (set, zeros) = (terms.equal(bit, one), terms.bits(result, zeros.into()));
                terms.ite(set, zeros, count)
            };
        }
        if op != UnaryOp::CountOnes {
            // Where no bit is set, compilers give whatever the machine gives.
            let zero = terms.bits(width, 0);
            let (empty, anything) =
                (terms.equal(operand, zero), terms.fresh("no bit is set", Sort::BitVector(result)));
            count = terms.ite(empty, anything, count);
        }
        count
    }

    pub(crate) fn mathematical_unary(&mut self, op: UnaryOp, ty: IntegerType, operand: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            UnaryOp::Negate => terms.unary(Unary::Negate, operand),
            UnaryOp::Complement if ty.signed => {
                let negative = terms.unary(Unary::Negate, operand);
                let one = terms.integer(-1);
                terms.binary(Binary::Add, negative, one)
            }
            _ => terms.fresh("bits of a number", Sort::Integer),
        }
    }

    pub(crate) fn integer_binary(
        &mut self,
        op: BinaryOp,
        ty: IntegerType,
        right: Type,
        [a, b]: [Term; 2],
    ) -> Term {
        if self.is_mathematical() {
            return self.mathematical_binary(op, ty, a, b);
        }
        let terms = &mut self.terms;
        let signed = ty.signed;
        let by_sign = |when_signed, otherwise| if signed { when_signed } else { otherwise };
        let plain = match op {
            BinaryOp::Add => Binary::BitAdd,
            BinaryOp::Subtract => Binary::BitSubtract,
            BinaryOp::Multiply => Binary::BitMultiply,
            BinaryOp::And => Binary::BitAnd,
            BinaryOp::Or => Binary::BitOr,
            BinaryOp::Xor => Binary::BitXor,
            BinaryOp::Equal => Binary::Equal,
            BinaryOp::NotEqual => return terms.differ(a, b),
            BinaryOp::Less => by_sign(Binary::SignedLess, Binary::UnsignedLess),
            BinaryOp::LessEqual => by_sign(Binary::SignedLessEqual, Binary::UnsignedLessEqual),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let op = match op {
                    BinaryOp::Divide => by_sign(Binary::SignedDivide, Binary::UnsignedDivide),
                    _ => by_sign(Binary::SignedRemainder, Binary::UnsignedRemainder),
                };
                let zero = terms.bits(ty.width.into(), 0);
                let by_zero = terms.equal(b, zero);
                let result = terms.binary(op, a, b);
                return terms.ite(by_zero, zero, result);
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let (defined, by) = self.shift_distance(ty, right, b);
                let op = match op {
                    BinaryOp::ShiftLeft => Binary::ShiftLeft,
                    _ => by_sign(Binary::ShiftRightSigned, Binary::ShiftRight),
                };
                let zero = self.terms.bits(ty.width.into(), 0);
                let shifted = self.terms.binary(op, a, by);
                return self.terms.ite(defined, shifted, zero);
            }
        };
        terms.binary(plain, a, b)
    }

    /// Whether a shift is defined, and how far it goes in the width of the shifted type.
    pub(crate) fn shift_distance(&mut self, ty: IntegerType, right: Type, by: Term) -> (Term, Term) {
        let terms = &mut self.terms;
        let by = match right {
            // Wide enough for the width itself, so that a negative distance is a large one.
            Type::Integer(right) => terms.resize(by, u32::from(right.width).max(16), right.signed),
            _ => by,
        };
        let limit = terms.bits(terms.width(by), ty.width.into());
        let defined = terms.binary(Binary::UnsignedLess, by, limit);
        (defined, terms.resize(by, ty.width.into(), false))
    }

    pub(crate) fn mathematical_binary(&mut self, op: BinaryOp, ty: IntegerType, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            BinaryOp::Add => terms.binary(Binary::Add, a, b),
            BinaryOp::Subtract => {
                let b = terms.unary(Unary::Negate, b);
                terms.binary(Binary::Add, a, b)
            }
            BinaryOp::Multiply => terms.binary(Binary::Multiply, a, b),
            BinaryOp::Equal => terms.equal(a, b),
            BinaryOp::NotEqual => terms.differ(a, b),
            BinaryOp::Less => terms.binary(Binary::Less, a, b),
            BinaryOp::LessEqual => terms.binary(Binary::LessEqual, a, b),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let zero = terms.integer(0);
                let negative = terms.binary(Binary::Less, a, zero);
                let minus_a = terms.unary(Unary::Negate, a);
                let magnitude = terms.ite(negative, minus_a, a);
                let op = if op == BinaryOp::Divide { Binary::Divide } else { Binary::Modulo };
                let result = terms.binary(op, magnitude, b);
                let minus = terms.unary(Unary::Negate, result);
                let result = terms.ite(negative, minus, result);
                let by_zero = terms.equal(b, zero);
                terms.ite(by_zero, zero, result)
            }
            _ => self.mathematical_bits(op, ty, a, b),
        }
    }

    /// Bitwise operations on numbers: exact where one operand is known and of the right form.
    pub(crate) fn mathematical_bits(&mut self, op: BinaryOp, ty: IntegerType, a: Term, b: Term) -> Term {
        let terms = &mut self.terms;
        let number = |terms: &logic::Terms, term| {
            terms.known_integer(term).and_then(|number| i128::try_from(number).ok())
        };
        let (left, right) = (number(terms, a), number(terms, b));
        match (op, left, right) {
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _, Some(by))
                if !arithmetic::shift_is_defined(ty, by) =>
            {
                terms.integer(0)
            }
            (BinaryOp::ShiftLeft, _, Some(by)) if by < 127 => {
                let factor = terms.integer(1i128 << by);
                terms.binary(Binary::Multiply, a, factor)
            }
            (BinaryOp::ShiftRight, _, Some(by)) if by < 127 => {
                let divisor = terms.integer(1i128 << by);
                terms.binary(Binary::Divide, a, divisor)
            }
            (BinaryOp::And, Some(x), Some(y)) => terms.integer(x & y),
            (BinaryOp::Or, Some(x), Some(y)) => terms.integer(x | y),
            (BinaryOp::Xor, Some(x), Some(y)) => terms.integer(x ^ y),
            (BinaryOp::And, _, Some(mask)) if mask >= 0 && (mask & (mask + 1)) == 0 && mask < i128::MAX => {
                let modulus = terms.integer(mask + 1);
                terms.binary(Binary::Modulo, a, modulus)
            }
            (BinaryOp::And, Some(mask), _) if mask >= 0 && (mask & (mask + 1)) == 0 && mask < i128::MAX => {
                let modulus = terms.integer(mask + 1);
                terms.binary(Binary::Modulo, b, modulus)
            }
            _ => terms.fresh("bits of a number", Sort::Integer),
        }
    }

    /// A value, or any value if the operation overflows and it is not known what it gives then.
    pub(crate) fn unless_overflow(
        &mut self,
        op: BinaryOp,
        ty: IntegerType,
        right: Type,
        [a, b]: [Term; 2],
        value: Term,
    ) -> Term {
        if !self.options.any_overflow || !ty.signed || self.is_mathematical() {
            return value;
        }
        let op = match op {
            BinaryOp::Add => OverflowOp::Add,
            BinaryOp::Subtract => OverflowOp::Subtract,
            BinaryOp::Multiply => OverflowOp::Multiply,
            BinaryOp::Divide | BinaryOp::Remainder => OverflowOp::Divide,
            BinaryOp::ShiftLeft => OverflowOp::ShiftLeft,
            _ => return value,
        };
        let overflows = self.overflows(op, ty, right, [a, b]);
        if self.terms.is_false(overflows) {
            return value;
        }
        let any = self.terms.fresh("result of an overflow", Sort::BitVector(ty.width.into()));
        self.terms.ite(overflows, any, value)
    }

    pub(crate) fn overflows(
        &mut self,
        op: OverflowOp,
        ty: IntegerType,
        right: Type,
        [a, b]: [Term; 2],
    ) -> Term {
        let width = u32::from(ty.width);
        match op {
            OverflowOp::Add | OverflowOp::Subtract => {
                let op = if op == OverflowOp::Add { Binary::BitAdd } else { Binary::BitSubtract };
                // Two more bits hold every sum and difference, with its sign, of signed and unsigned numbers.
                let terms = &mut self.terms;
                let (a, b) = (terms.resize(a, width + 2, ty.signed), terms.resize(b, width + 2, ty.signed));
                let exact = terms.binary(op, a, b);
                let (low, high) = limits(ty);
                let (low, high) =
                    (terms.value(&logic::Value::BitVector(low)), terms.value(&logic::Value::BitVector(high)));
                let below = terms.binary(Binary::SignedLess, exact, low);
                let above = terms.binary(Binary::SignedLess, high, exact);
                terms.or(below, above)
            }
            OverflowOp::Multiply if ty.signed => self.terms.binary(Binary::SignedMultiplyOverflows, a, b),
            OverflowOp::Multiply => self.terms.binary(Binary::UnsignedMultiplyOverflows, a, b),
            OverflowOp::Divide if ty.signed => {
                let terms = &mut self.terms;
                let least = terms.value(&logic::Value::BitVector(BitVector::minimum(width)));
                let minus_one = terms.value(&logic::Value::BitVector(BitVector::ones(width)));
                let (a, b) = (terms.equal(a, least), terms.equal(b, minus_one));
                terms.and(a, b)
            }
            OverflowOp::Divide => self.terms.bool(false),
            OverflowOp::ShiftLeft => {
                let (defined, by) = self.shift_distance(ty, right, b);
                let terms = &mut self.terms;
                let back = if ty.signed { Binary::ShiftRightSigned } else { Binary::ShiftRight };
                let shifted = terms.binary(Binary::ShiftLeft, a, by);
                let back = terms.binary(back, shifted, by);
                let mut lost = terms.differ(back, a);
                if ty.signed {
                    let zero = terms.bits(width, 0);
                    let negative = terms.binary(Binary::SignedLess, a, zero);
                    lost = terms.or(negative, lost);
                }
                terms.and(defined, lost)
            }
        }
    }
}

/// The limits of a type in two more bits.
fn limits(ty: IntegerType) -> (BitVector, BitVector) {
    let width = u32::from(ty.width);
    if ty.signed {
        let low = BitVector::minimum(width);
        (low.sign_extend(2), low.not().sign_extend(2))
    } else {
        (BitVector::zero(width + 2), BitVector::ones(width).zero_extend(2))
    }
}
