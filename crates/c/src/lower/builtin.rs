//! GNU builtins. What asks about the machine itself is a named unknown.

use program::{BinaryOp, ExprId, Obligation, StatementKind, Terminator, Type, UnaryOp, VariadicOp};
use rucc_diag::Span;
use rucc_sema::{self as sema, BitCount, Classify, ExprKind, ExprList, JumpAsk, OverflowOp, Sign};
use rucc_types::TypeId;

use super::body::BodyLowering;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    /// Lowers an expression that only a compiler's builtin makes. Nothing for one without a value.
    pub(super) fn builtin(&mut self, expression: sema::ExprId) -> Lowered<Option<ExprId>> {
        let unit = self.unit;
        let span = unit.tast.expr_span(expression);
        let ty = unit.tast[expression].ty;
        let value = match unit.tast[expression].kind {
            ExprKind::VaStart { list } => return self.variadic(VariadicOp::Start, list).map(|()| None),
            ExprKind::VaEnd { list } => return self.variadic(VariadicOp::End, list).map(|()| None),
            ExprKind::VaCopy { dst, src } => {
                let source = self.list_pointer(src)?;
                return self.variadic(VariadicOp::CopyFrom(source), dst).map(|()| None);
            }
            ExprKind::Classify { op, lhs, rhs } => self.classify(op, lhs, rhs, ty, span)?,
            ExprKind::FpClassify { value, answers } => self.fpclassify(value, answers, span)?,
            ExprKind::Sign { op, lhs, rhs } => self.sign(op, lhs, rhs, span)?,
            ExprKind::Abs { operand } => {
                let value = self.value(operand)?;
                self.absolute(value, span)
            }
            ExprKind::ByteSwap { operand } => {
                let value = self.value(operand)?;
                self.builder.body.unary(UnaryOp::SwapBytes, value)
            }
            ExprKind::BitCount { operand, count } => self.bit_count(operand, count, ty, span)?,
            ExprKind::Overflow { op, at, args, stores } => self.overflow(op, at, args, stores, span)?,
            ExprKind::Atomic { op, args, .. } => return self.atomic(op, args, span),
            ExprKind::Expect { value, .. } => self.value(value)?,
            ExprKind::Prefetch { address, .. } => return self.discard(address).map(|()| None),
            ExprKind::Unreachable | ExprKind::Trap => return self.never_on(expression),
            ExprKind::ObjectSize { address, kind } => {
                // Nobody examines the object: the answer for an unknown size. An optimising compiler may know more.
                self.discard(address)?;
                let size =
                    self.builder.body.integer(self.model.size_type(), if kind & 2 == 0 { -1 } else { 0 });
                self.unspecified(size)
            }
            ExprKind::ConstantP { value } => {
                self.discard(value)?;
                let no = self.builder.body.integer(Type::signed(32), 0);
                self.unspecified(no)
            }
            ExprKind::Alloca { size } => {
                let size = self.value(size)?;
                let size = self.convert_scalar(size, self.model.size_type());
                let size = self.simple(size);
                self.at(span);
                let target = self.temporary(Type::Pointer);
                self.builder.push(StatementKind::Allocate { target, size });
                self.builder.body.read(target)
            }
            ExprKind::Jump { ask, buffer } => {
                self.discard(buffer)?;
                self.at(span);
                match ask {
                    JumpAsk::Save => return Ok(self.unknown("__builtin_setjmp", Some(Type::signed(32)))),
                    JumpAsk::Restore => {
                        self.unknown("__builtin_longjmp", None);
                        self.builder.end(Terminator::Unreachable);
                        return Ok(None);
                    }
                }
            }
            ExprKind::FrameAddress { .. } | ExprKind::ThreadPointer | ExprKind::SpEntry => {
                return Ok(self.unknown("an address of the machine's stack", Some(Type::Pointer)));
            }
            ExprKind::TimeStamp { aux: None }
            | ExprKind::CpuModel { .. }
            | ExprKind::Eflags { value: None } => {
                return Ok(self.unknown("a query to the processor", unit.scalar(ty)));
            }
            ExprKind::Elementwise { .. }
            | ExprKind::Shuffle { .. }
            | ExprKind::ShuffleVector { .. }
            | ExprKind::ConvertVector { .. } => return unsupported("a vector", span),
            ExprKind::Complex { .. } => return unsupported("a complex number", span),
            _ => return unsupported("a builtin of the compiler", span),
        };
        Ok(Some(value))
    }

    /// Ends the path: where control never comes, or the program stops.
    fn never_on(&mut self, expression: sema::ExprId) -> Lowered<Option<ExprId>> {
        let unit = self.unit;
        self.at(unit.tast.expr_span(expression));
        if matches!(unit.tast[expression].kind, ExprKind::Trap) {
            let callee = program::Callee::Function(self.owner.library("abort"));
            self.builder.push(StatementKind::Call { target: None, callee, arguments: Vec::new() });
        } else {
            let never = self.builder.body.boolean(false);
            self.holds(Obligation::Unreachable, never, None);
        }
        self.builder.end(Terminator::Unreachable);
        Ok(None)
    }

    fn classify(
        &mut self,
        op: Classify,
        lhs: sema::ExprId,
        rhs: Option<sema::ExprId>,
        ty: TypeId,
        span: Span,
    ) -> Lowered<ExprId> {
        let value = self.simple_value(lhs)?;
        let other = match rhs {
            Some(rhs) => self.simple_value(rhs)?,
            None => value,
        };
        let Type::Float(format) = self.builder.body.type_of(value) else {
            return unsupported("the classification of this type", span);
        };
        let body = &mut self.builder.body;
        let result = self.unit.scalar(ty).unwrap_or(Type::signed(32));
        let truth = match op {
            Classify::Unordered => {
                let left = body.binary(BinaryOp::NotEqual, value, value);
                let right = body.binary(BinaryOp::NotEqual, other, other);
                body.binary(BinaryOp::Or, left, right)
            }
            Classify::LessGreater => {
                let less = body.binary(BinaryOp::Less, value, other);
                let greater = body.binary(BinaryOp::Less, other, value);
                body.binary(BinaryOp::Or, less, greater)
            }
            Classify::Nan => body.binary(BinaryOp::NotEqual, value, value),
            Classify::SignBit => {
                let bits = body.reinterpret(Type::signed(format.bits() as u8), value);
                let zero = body.integer(Type::signed(format.bits() as u8), 0);
                body.binary(BinaryOp::Less, bits, zero)
            }
            Classify::Infinite | Classify::Finite | Classify::Normal | Classify::InfiniteSign => {
                // The difference of a finite number with itself is zero; that of an infinity is not a number.
                let difference = body.binary(BinaryOp::Subtract, value, value);
                let zero = body.zero(Type::Float(format));
                let finite = body.binary(BinaryOp::Equal, difference, zero);
                let not_finite = body.unary(UnaryOp::Not, finite);
                let number = body.binary(BinaryOp::Equal, value, value);
                let infinite = body.binary(BinaryOp::And, not_finite, number);
                match op {
                    Classify::Finite => finite,
                    Classify::Infinite => infinite,
                    Classify::InfiniteSign => {
                        let (one, minus, none) =
                            (body.integer(result, 1), body.integer(result, -1), body.integer(result, 0));
                        let positive = body.binary(BinaryOp::Less, zero, value);
                        let sign = body.select(positive, one, minus);
                        return Ok(body.select(infinite, sign, none));
                    }
                    _ => {
                        let subnormal = self.below_normal(value, format);
                        let body = &mut self.builder.body;
                        let normal = body.unary(UnaryOp::Not, subnormal);
                        body.binary(BinaryOp::And, finite, normal)
                    }
                }
            }
        };
        Ok(self.builder.body.convert(result, truth))
    }

    /// Whether a magnitude is below the smallest normal number of its format: zero, or subnormal.
    fn below_normal(&mut self, value: ExprId, format: program::FloatFormat) -> ExprId {
        let fraction = format.fraction_bits();
        let body = &mut self.builder.body;
        let unsigned = Type::unsigned(format.bits() as u8);
        let bits = body.reinterpret(unsigned, value);
        let exponent = body.integer(unsigned, ((1i128 << (format.bits() - 1 - fraction)) - 1) << fraction);
        let masked = body.binary(BinaryOp::And, bits, exponent);
        let zero = body.integer(unsigned, 0);
        body.binary(BinaryOp::Equal, masked, zero)
    }

    fn fpclassify(&mut self, value: sema::ExprId, answers: ExprList, span: Span) -> Lowered<ExprId> {
        let value = self.simple_value(value)?;
        let Type::Float(format) = self.builder.body.type_of(value) else {
            return unsupported("the classification of this type", span);
        };
        let mut results = Vec::new();
        for &answer in &self.unit.tast[answers] {
            results.push(self.value(answer)?);
        }
        let &[nan, infinite, normal, subnormal, zero] = results.as_slice() else {
            return unsupported("the classification of this type", span);
        };
        let small = self.below_normal(value, format);
        let body = &mut self.builder.body;
        let nought = body.zero(Type::Float(format));
        let is_zero = body.binary(BinaryOp::Equal, value, nought);
        let difference = body.binary(BinaryOp::Subtract, value, value);
        let is_finite = body.binary(BinaryOp::Equal, difference, nought);
        let is_number = body.binary(BinaryOp::Equal, value, value);
        let when_small = body.select(is_zero, zero, subnormal);
        let when_finite = body.select(small, when_small, normal);
        let when_number = body.select(is_finite, when_finite, infinite);
        Ok(body.select(is_number, when_number, nan))
    }

    fn sign(
        &mut self,
        op: Sign,
        lhs: sema::ExprId,
        rhs: Option<sema::ExprId>,
        span: Span,
    ) -> Lowered<ExprId> {
        let value = self.value(lhs)?;
        let ty = self.builder.body.type_of(value);
        let Type::Float(format) = ty else { return unsupported("the sign of this type", span) };
        let bits_type = Type::unsigned(format.bits() as u8);
        let top = 1i128 << (format.bits() - 1);
        let source = match (op, rhs) {
            (Sign::Of, Some(rhs)) => Some(self.value(rhs)?),
            _ => None,
        };
        let body = &mut self.builder.body;
        let bits = body.reinterpret(bits_type, value);
        let magnitude_mask = body.integer(bits_type, !top);
        let magnitude = body.binary(BinaryOp::And, bits, magnitude_mask);
        let signed = match source {
            None => magnitude,
            Some(source) => {
                let sign_bits = body.reinterpret(bits_type, source);
                let sign_mask = body.integer(bits_type, top);
                let sign = body.binary(BinaryOp::And, sign_bits, sign_mask);
                body.binary(BinaryOp::Or, magnitude, sign)
            }
        };
        Ok(body.reinterpret(ty, signed))
    }

    fn absolute(&mut self, value: ExprId, span: Span) -> ExprId {
        let value = self.simple(value);
        let result = self.temporary(self.builder.body.type_of(value));
        let (negative, positive, next) =
            (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        let zero = self.builder.body.integer(self.builder.body.type_of(value), 0);
        let is_negative = self.builder.body.binary(BinaryOp::Less, value, zero);
        self.builder.branch(is_negative, negative, positive);
        self.builder.switch_to(negative);
        let negated = self.negate(value, span);
        self.builder.push(StatementKind::Assign { target: result, value: negated });
        self.builder.goto(next);
        self.builder.switch_to(positive);
        self.builder.push(StatementKind::Assign { target: result, value });
        self.builder.goto(next);
        self.builder.switch_to(next);
        self.builder.body.read(result)
    }

    fn bit_count(
        &mut self,
        operand: sema::ExprId,
        count: BitCount,
        ty: TypeId,
        span: Span,
    ) -> Lowered<ExprId> {
        let value = self.simple_value(operand)?;
        let Type::Integer(integer) = self.builder.body.type_of(value) else {
            return unsupported("the bits of this type", span);
        };
        let result = self.unit.scalar(ty).unwrap_or(Type::signed(32));
        self.at(span);
        let body = &mut self.builder.body;
        let unsigned = body.convert(Type::Integer(integer.with_sign(false)), value);
        let counted = Type::Integer(integer.with_sign(false));
        let zero = body.integer(counted, 0);
        let answer = match count {
            BitCount::Leading | BitCount::Trailing => {
                let nonzero = body.binary(BinaryOp::NotEqual, unsigned, zero);
                self.holds(Obligation::Shift, nonzero, Some("the count of zero bits of zero is undefined"));
                let op =
                    if count == BitCount::Leading { UnaryOp::LeadingZeros } else { UnaryOp::TrailingZeros };
                self.builder.body.unary(op, unsigned)
            }
            BitCount::Ones => body.unary(UnaryOp::CountOnes, unsigned),
            BitCount::Parity => {
                let ones = body.unary(UnaryOp::CountOnes, unsigned);
                let one = body.integer(counted, 1);
                body.binary(BinaryOp::And, ones, one)
            }
            BitCount::FirstSet => {
                let below = body.unary(UnaryOp::TrailingZeros, unsigned);
                let one = body.integer(counted, 1);
                let position = body.binary(BinaryOp::Add, below, one);
                let nonzero = body.binary(BinaryOp::NotEqual, unsigned, zero);
                body.select(nonzero, position, zero)
            }
            BitCount::RedundantSign => {
                let signed = body.convert(Type::Integer(integer.with_sign(true)), value);
                let flipped = body.unary(UnaryOp::Complement, signed);
                let none = body.integer(Type::Integer(integer.with_sign(true)), 0);
                let negative = body.binary(BinaryOp::Less, signed, none);
                let folded = body.select(negative, flipped, signed);
                let folded = body.convert(counted, folded);
                let zeros = body.unary(UnaryOp::LeadingZeros, folded);
                let one = body.integer(counted, 1);
                body.binary(BinaryOp::Subtract, zeros, one)
            }
        };
        Ok(self.builder.body.convert(result, answer))
    }

    /// `__builtin_add_overflow` and its kin: the exact result, whether it fits, and where it goes.
    fn overflow(
        &mut self,
        op: OverflowOp,
        at: TypeId,
        args: ExprList,
        stores: bool,
        span: Span,
    ) -> Lowered<ExprId> {
        let unit = self.unit;
        let &[lhs, rhs, destination] = &unit.tast[args] else {
            return unsupported("an overflow builtin with other arguments", span);
        };
        let Some(wide) = unit.scalar(at) else { return self.no_scalar(at, span) };
        let left = self.value(lhs)?;
        let left = self.builder.body.convert(wide, left);
        let left = self.simple(left);
        let right = self.value(rhs)?;
        let right = self.builder.body.convert(wide, right);
        let right = self.simple(right);
        let target_type = if stores {
            match unit.kind(unit.tast[destination].ty) {
                rucc_types::TypeKind::Pointer(pointee) => pointee,
                _ => return unsupported("an overflow builtin with other arguments", span),
            }
        } else {
            unit.tast[destination].ty
        };
        let Some(narrow) = unit.scalar(target_type) else { return self.no_scalar(target_type, span) };
        let (op, check) = match op {
            OverflowOp::Add => (BinaryOp::Add, program::OverflowOp::Add),
            OverflowOp::Sub => (BinaryOp::Subtract, program::OverflowOp::Subtract),
            OverflowOp::Mul => (BinaryOp::Multiply, program::OverflowOp::Multiply),
        };
        self.at(span);
        let body = &mut self.builder.body;
        let result = body.binary(op, left, right);
        let wraps = body.overflows(check, left, right);
        let result = self.simple(result);
        let wraps = self.simple(wraps);
        let body = &mut self.builder.body;
        let stored = body.convert(narrow, result);
        let back = body.convert(wide, stored);
        // The wide type represents all values of the narrow one, so a value that comes back unchanged fitted.
        let changed = body.binary(BinaryOp::NotEqual, back, result);
        let failed = body.binary(BinaryOp::Or, wraps, changed);
        let failed = self.simple(failed);
        if stores {
            let pointer = self.simple_value(destination)?;
            self.store(pointer, stored);
        }
        Ok(self.builder.body.convert(Type::unsigned(8), failed))
    }
}
