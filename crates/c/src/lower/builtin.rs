//! GNU builtins, atomic accesses and inline assembler.
//!
//! Atomic accesses are plain accesses here: a program is looked at as one thread. Assembler and what asks about the
//! machine itself are named unknowns.

use program::{BinaryOp, Check, ExprId, ExprKind as Node, Obligation, StatementKind, Terminator, Type, UnaryOp, VariadicOp};
use rucc_diag::Span;
use rucc_sema::{self as sema, AtomicOp, BitCount, Classify, ExprKind, ExprList, JumpAsk, OverflowOp, Rmw, Sign};
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
            ExprKind::Atomic { op, args, .. } => return self.atomic(op, args, ty, span),
            ExprKind::Expect { value, .. } => self.value(value)?,
            ExprKind::Prefetch { address, .. } => return self.discard(address).map(|()| None),
            ExprKind::Unreachable => {
                let never = self.builder.body.boolean(false);
                self.at(span);
                self.holds(Obligation::Unreachable, never, None);
                self.builder.end(Terminator::Unreachable);
                return Ok(None);
            }
            ExprKind::Trap => {
                let abort = self.owner.library("abort");
                let callee = program::Callee::Function(abort);
                self.at(span);
                self.builder.push(StatementKind::Call { target: None, callee, arguments: Vec::new() });
                self.builder.end(Terminator::Unreachable);
                return Ok(None);
            }
            ExprKind::ObjectSize { address, kind } => {
                // Nobody looks at the object: the answer for an unknown size.
                self.discard(address)?;
                self.builder.body.integer(self.model.size_type(), if kind & 2 == 0 { -1 } else { 0 })
            }
            ExprKind::ConstantP { value } => {
                self.discard(value)?;
                self.builder.body.integer(Type::signed(32), 0)
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
            ExprKind::TimeStamp { aux: None } | ExprKind::CpuModel { .. } | ExprKind::Eflags { value: None } => {
                return Ok(self.unknown("a question to the processor", unit.scalar(ty)));
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

    fn classify(
        &mut self,
        op: Classify,
        lhs: sema::ExprId,
        rhs: Option<sema::ExprId>,
        ty: TypeId,
        span: Span,
    ) -> Lowered<ExprId> {
        let value = self.value(lhs)?;
        let value = self.simple(value);
        let other = match rhs {
            Some(rhs) => {
                let other = self.value(rhs)?;
                self.simple(other)
            }
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
                let zero = body.expression(Node::Float(0), Type::Float(format));
                let finite = body.binary(BinaryOp::Equal, difference, zero);
                let not_finite = body.unary(UnaryOp::Not, finite);
                let number = body.binary(BinaryOp::Equal, value, value);
                let infinite = body.binary(BinaryOp::And, not_finite, number);
                match op {
                    Classify::Finite => finite,
                    Classify::Infinite => infinite,
                    Classify::InfiniteSign => {
                        let (one, minus, none) = (body.integer(result, 1), body.integer(result, -1), body.integer(result, 0));
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
        let fraction = match format {
            program::FloatFormat::Half => 10,
            program::FloatFormat::Single => 23,
            program::FloatFormat::Double => 52,
            program::FloatFormat::Extended => 64,
            program::FloatFormat::Quad => 112,
        };
        let body = &mut self.builder.body;
        let unsigned = Type::unsigned(format.bits() as u8);
        let bits = body.reinterpret(unsigned, value);
        let exponent = body.integer(unsigned, ((1i128 << (format.bits() - 1 - fraction)) - 1) << fraction);
        let masked = body.binary(BinaryOp::And, bits, exponent);
        let zero = body.integer(unsigned, 0);
        body.binary(BinaryOp::Equal, masked, zero)
    }

    fn fpclassify(&mut self, value: sema::ExprId, answers: ExprList, span: Span) -> Lowered<ExprId> {
        let value = self.value(value)?;
        let value = self.simple(value);
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
        let nought = body.expression(Node::Float(0), Type::Float(format));
        let is_zero = body.binary(BinaryOp::Equal, value, nought);
        let difference = body.binary(BinaryOp::Subtract, value, value);
        let is_finite = body.binary(BinaryOp::Equal, difference, nought);
        let is_number = body.binary(BinaryOp::Equal, value, value);
        let when_small = body.select(is_zero, zero, subnormal);
        let when_finite = body.select(small, when_small, normal);
        let when_number = body.select(is_finite, when_finite, infinite);
        Ok(body.select(is_number, when_number, nan))
    }

    fn sign(&mut self, op: Sign, lhs: sema::ExprId, rhs: Option<sema::ExprId>, span: Span) -> Lowered<ExprId> {
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

    fn bit_count(&mut self, operand: sema::ExprId, count: BitCount, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let value = self.value(operand)?;
        let value = self.simple(value);
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
                let op = if count == BitCount::Leading { UnaryOp::LeadingZeros } else { UnaryOp::TrailingZeros };
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
    fn overflow(&mut self, op: OverflowOp, at: TypeId, args: ExprList, stores: bool, span: Span) -> Lowered<ExprId> {
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
            let pointer = self.value(destination)?;
            let pointer = self.simple(pointer);
            self.store(pointer, stored);
        }
        Ok(self.builder.body.convert(Type::unsigned(8), failed))
    }

    fn atomic(&mut self, op: AtomicOp, args: ExprList, ty: TypeId, span: Span) -> Lowered<Option<ExprId>> {
        let unit = self.unit;
        let args = &unit.tast[args];
        if matches!(op, AtomicOp::Fence | AtomicOp::SignalFence) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for &argument in args {
            let value = self.value(argument)?;
            values.push(self.simple(value));
        }
        let Some(&pointer) = values.first() else { return unsupported("an atomic access without an object", span) };
        let pointee = match unit.kind(unit.tast[args[0]].ty) {
            rucc_types::TypeKind::Pointer(pointee) => pointee,
            _ => return unsupported("an atomic access without an object", span),
        };
        self.at(span);
        if op == AtomicOp::TestAndSet {
            let old = self.load(pointer, Type::unsigned(8), true);
            let one = self.builder.body.integer(Type::unsigned(8), 1);
            self.store(pointer, one);
            let was_set = self.is_nonzero(old);
            return Ok(Some(self.builder.body.convert(Type::unsigned(8), was_set)));
        }
        let Some(scalar) = unit.scalar(pointee) else { return self.no_scalar(pointee, span) };
        match (op, values.as_slice()) {
            (AtomicOp::Load, _) => Ok(Some(self.load(pointer, scalar, true))),
            (AtomicOp::LoadInto, &[_, into, ..]) => {
                let value = self.load(pointer, scalar, true);
                self.store(into, value);
                Ok(None)
            }
            (AtomicOp::Store, &[_, value, ..]) => {
                let value = self.convert_scalar(value, scalar);
                self.store(pointer, value);
                Ok(None)
            }
            (AtomicOp::Exchange, &[_, value, ..]) => {
                let old = self.load(pointer, scalar, true);
                let value = self.convert_scalar(value, scalar);
                self.store(pointer, value);
                Ok(Some(old))
            }
            (AtomicOp::ExchangeInto, &[_, from, into, ..]) => {
                let value = self.load(from, scalar, true);
                let old = self.load(pointer, scalar, true);
                self.store(pointer, value);
                self.store(into, old);
                Ok(None)
            }
            (AtomicOp::CompareExchange, &[_, expected, desired, ..]) => {
                let wanted = self.load(expected, scalar, true);
                let matched = self.swap(pointer, wanted, desired, scalar);
                let (yes, no) = (self.builder.new_block(), self.builder.new_block());
                let (old, truth) = matched;
                self.builder.branch(truth, yes, no);
                self.builder.switch_to(no);
                self.store(expected, old);
                self.builder.goto(yes);
                self.builder.switch_to(yes);
                Ok(Some(self.builder.body.convert(Type::unsigned(8), truth)))
            }
            (AtomicOp::SwapBool, &[_, expected, desired, ..]) => {
                let (_, truth) = self.swap(pointer, expected, desired, scalar);
                Ok(Some(self.builder.body.convert(Type::unsigned(8), truth)))
            }
            (AtomicOp::SwapValue, &[_, expected, desired, ..]) => {
                Ok(Some(self.swap(pointer, expected, desired, scalar).0))
            }
            (AtomicOp::Fetch(operation), &[_, operand, ..]) => {
                Ok(Some(self.read_modify_write(operation, pointer, operand, scalar).0))
            }
            (AtomicOp::Update(operation), &[_, operand, ..]) => {
                Ok(Some(self.read_modify_write(operation, pointer, operand, scalar).1))
            }
            _ => {
                let _ = ty;
                unsupported("an atomic access with other arguments", span)
            }
        }
    }

    /// Compares an object with a value and replaces it if they are equal: what was there, and whether it was equal.
    fn swap(&mut self, pointer: ExprId, expected: ExprId, desired: ExprId, ty: Type) -> (ExprId, ExprId) {
        let old = self.load(pointer, ty, true);
        let expected = self.convert_scalar(expected, ty);
        let desired = self.convert_scalar(desired, ty);
        let equal = self.builder.body.binary(BinaryOp::Equal, old, expected);
        let equal = self.simple(equal);
        let new = self.builder.body.select(equal, desired, old);
        let new = self.simple(new);
        self.store(pointer, new);
        (old, equal)
    }

    /// Atomic arithmetic wraps: what was there before, and what is there now.
    fn read_modify_write(&mut self, op: Rmw, pointer: ExprId, operand: ExprId, ty: Type) -> (ExprId, ExprId) {
        let old = self.load(pointer, ty, true);
        if ty == Type::Pointer {
            let by = self.convert_scalar(operand, self.model.offset_type());
            let by = if op == Rmw::Sub { self.builder.body.unary(UnaryOp::Negate, by) } else { by };
            let new = self.builder.body.offset(old, by);
            let new = self.simple(new);
            self.store(pointer, new);
            return (old, new);
        }
        let operand = self.convert_scalar(operand, ty);
        let body = &mut self.builder.body;
        let new = match op {
            Rmw::Add => body.binary(BinaryOp::Add, old, operand),
            Rmw::Sub => body.binary(BinaryOp::Subtract, old, operand),
            Rmw::And => body.binary(BinaryOp::And, old, operand),
            Rmw::Or => body.binary(BinaryOp::Or, old, operand),
            Rmw::Xor => body.binary(BinaryOp::Xor, old, operand),
            Rmw::Nand => {
                let both = body.binary(BinaryOp::And, old, operand);
                body.unary(UnaryOp::Complement, both)
            }
        };
        let new = self.simple(new);
        self.store(pointer, new);
        (old, new)
    }

    /// Inline assembler: an empty template that only binds operands does nothing; any other is unknown, and its
    /// outputs get arbitrary values.
    pub(super) fn inline_assembler(&mut self, asm: sema::AsmId, span: Span) -> Lowered<()> {
        let unit = self.unit;
        let asm = &unit.tast[asm];
        let template = unit.tast[asm.template].elements.iter().all(|&unit| unit == 32 || unit == 9 || unit == 10);
        let outputs = &unit.tast[asm.outputs];
        let reads_its_outputs = |operand: &sema::AsmOperand| {
            unit.tast[operand.constraint].elements.first() == Some(&u32::from(b'+'))
        };
        if template && asm.labels.is_empty() && outputs.iter().all(reads_its_outputs) {
            return Ok(());
        }
        self.at(span);
        self.unknown("inline assembler", None);
        for output in outputs {
            let place = self.place(output.value)?;
            match unit.scalar(unit.tast[output.value].ty) {
                Some(ty) => {
                    if let Some(value) = self.unknown("inline assembler", Some(ty)) {
                        self.write(place, value, span)?;
                    }
                }
                None => {
                    let size = self.size_of(unit.tast[output.value].ty, span)?;
                    let pointer = self.simple(place.pointer);
                    self.builder.push(StatementKind::Check(Check::Writable { pointer, size }));
                }
            }
        }
        if !asm.labels.is_empty() {
            let labels: Vec<_> = unit.tast[asm.labels].to_vec();
            let next = self.builder.new_block();
            let choice = self.unknown("inline assembler", Some(Type::signed(32)));
            let mut cases = Vec::new();
            for (index, label) in labels.into_iter().enumerate() {
                let target = self.label(label);
                cases.push(program::Case { low: index as i128 + 1, high: index as i128 + 1, target });
            }
            if let Some(value) = choice {
                self.builder.end(Terminator::Switch { value, cases, default: next });
            }
            self.builder.switch_to(next);
        }
        Ok(())
    }
}
