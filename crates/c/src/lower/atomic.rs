//! Atomic accesses: plain accesses here, because a program is analysed as one thread.

use program::{BinaryOp, ExprId, Type, UnaryOp};
use rucc_diag::Span;
use rucc_sema::{AtomicOp, ExprList, Rmw};

use super::body::BodyLowering;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    pub(super) fn atomic(&mut self, op: AtomicOp, args: ExprList, span: Span) -> Lowered<Option<ExprId>> {
        let unit = self.unit;
        let args = &unit.tast[args];
        if matches!(op, AtomicOp::Fence | AtomicOp::SignalFence) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for &argument in args {
            values.push(self.simple_value(argument)?);
        }
        let Some(&pointer) = values.first() else {
            return unsupported("an atomic access without an object", span);
        };
        let pointee = match unit.kind(unit.tast[args[0]].ty) {
            rucc_types::TypeKind::Pointer(pointee) => pointee,
            _ => return unsupported("an atomic access without an object", span),
        };
        self.at(span);
        if op == AtomicOp::TestAndSet {
            let old = self.load(pointer, Type::unsigned(8));
            let one = self.builder.body.integer(Type::unsigned(8), 1);
            self.store(pointer, one);
            let was_set = self.builder.body.nonzero(old);
            return Ok(Some(self.builder.body.convert(Type::unsigned(8), was_set)));
        }
        let Some(scalar) = unit.scalar(pointee) else { return self.no_scalar(pointee, span) };
        match (op, values.as_slice()) {
            (AtomicOp::Load, _) => Ok(Some(self.load(pointer, scalar))),
            (AtomicOp::LoadInto, &[_, into, ..]) => {
                let value = self.load(pointer, scalar);
                self.store(into, value);
                Ok(None)
            }
            (AtomicOp::Store, &[_, value, ..]) => {
                let value = self.convert_scalar(value, scalar);
                self.store(pointer, value);
                Ok(None)
            }
            (AtomicOp::Exchange, &[_, value, ..]) => {
                let old = self.load(pointer, scalar);
                let value = self.convert_scalar(value, scalar);
                self.store(pointer, value);
                Ok(Some(old))
            }
            (AtomicOp::ExchangeInto, &[_, from, into, ..]) => {
                let value = self.load(from, scalar);
                let old = self.load(pointer, scalar);
                self.store(pointer, value);
                self.store(into, old);
                Ok(None)
            }
            (AtomicOp::CompareExchange, &[_, expected, desired, ..]) => {
                let wanted = self.load(expected, scalar);
                let (old, truth) = self.swap(pointer, wanted, desired, scalar);
                let (yes, no) = (self.builder.new_block(), self.builder.new_block());
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
            _ => unsupported("an atomic access with other arguments", span),
        }
    }

    /// Compares an object with a value and replaces it if they are equal: what was there, and whether it was equal.
    fn swap(&mut self, pointer: ExprId, expected: ExprId, desired: ExprId, ty: Type) -> (ExprId, ExprId) {
        let old = self.load(pointer, ty);
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
        let old = self.load(pointer, ty);
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
}
