//! Arithmetic with the checks that C asks for, and conversions between scalar types.

use program::{BinaryOp, ExprId, IntegerType, Obligation, OverflowOp, Type, UnaryOp};
use rucc_ast::BinaryOp as Operator;
use rucc_diag::Span;
use rucc_types::TypeId;

use super::body::BodyLowering;
use super::{Lowered, unsupported};

impl BodyLowering<'_, '_> {
    /// An arithmetic operation on two scalars of one type (shifts: of two integer types).
    pub(super) fn arithmetic(
        &mut self,
        op: Operator,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let op = match op {
            Operator::Mul => BinaryOp::Multiply,
            Operator::Div => BinaryOp::Divide,
            Operator::Rem => BinaryOp::Remainder,
            Operator::Add => BinaryOp::Add,
            Operator::Sub => BinaryOp::Subtract,
            Operator::Shl => BinaryOp::ShiftLeft,
            Operator::Shr => BinaryOp::ShiftRight,
            Operator::BitAnd => BinaryOp::And,
            Operator::BitXor => BinaryOp::Xor,
            Operator::BitOr => BinaryOp::Or,
            _ => return unsupported("this operator on numbers", span),
        };
        let Type::Integer(integer) = self.builder.body.type_of(left) else {
            return Ok(self.builder.body.binary(op, left, right));
        };
        let (left, right) = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => (left, right),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply if !integer.signed => (left, right),
            _ => (self.simple(left), self.simple(right)),
        };
        self.at(span);
        match op {
            BinaryOp::Add => self.check_overflow(OverflowOp::Add, integer, left, right),
            BinaryOp::Subtract => self.check_overflow(OverflowOp::Subtract, integer, left, right),
            BinaryOp::Multiply => self.check_overflow(OverflowOp::Multiply, integer, left, right),
            BinaryOp::Divide | BinaryOp::Remainder => self.check_division(integer, left, right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.check_shift(op, integer, left, right),
            _ => {}
        }
        Ok(self.builder.body.binary(op, left, right))
    }

    /// The negation of a number.
    pub(super) fn negate(&mut self, operand: ExprId, span: Span) -> ExprId {
        if let Type::Integer(integer) = self.builder.body.type_of(operand) {
            let operand = self.simple(operand);
            self.at(span);
            let zero = self.builder.body.integer(Type::Integer(integer), 0);
            self.check_overflow(OverflowOp::Subtract, integer, zero, operand);
            return self.builder.body.unary(UnaryOp::Negate, operand);
        }
        self.builder.body.unary(UnaryOp::Negate, operand)
    }

    fn check_overflow(&mut self, op: OverflowOp, ty: IntegerType, left: ExprId, right: ExprId) {
        if ty.signed {
            let body = &mut self.builder.body;
            let overflows = body.overflows(op, left, right);
            let fits = body.unary(UnaryOp::Not, overflows);
            self.holds(Obligation::SignedOverflow, fits, None);
        }
    }

    fn check_division(&mut self, ty: IntegerType, left: ExprId, right: ExprId) {
        let body = &mut self.builder.body;
        let zero = body.integer(Type::Integer(ty), 0);
        let nonzero = body.binary(BinaryOp::NotEqual, right, zero);
        let divisor = body.constant(right);
        self.holds(Obligation::Division, nonzero, None);
        if divisor.is_none_or(|divisor| divisor == -1) {
            self.check_overflow(OverflowOp::Divide, ty, left, right);
        }
    }

    fn check_shift(&mut self, op: BinaryOp, ty: IntegerType, left: ExprId, right: ExprId) {
        let body = &mut self.builder.body;
        let by = body.type_of(right);
        let width = body.integer(by, i128::from(ty.width));
        let mut defined = body.binary(BinaryOp::Less, right, width);
        if by.integer().is_some_and(|by| by.signed) {
            let zero = body.integer(by, 0);
            let not_negative = body.binary(BinaryOp::LessEqual, zero, right);
            defined = match (body.constant(defined), body.constant(not_negative)) {
                (Some(a), Some(b)) => body.boolean(a != 0 && b != 0),
                _ => body.binary(BinaryOp::And, not_negative, defined),
            };
        }
        self.holds(Obligation::Shift, defined, None);
        if op == BinaryOp::ShiftLeft && ty.signed {
            let body = &mut self.builder.body;
            let overflows = body.overflows(OverflowOp::ShiftLeft, left, right);
            let fits = body.unary(UnaryOp::Not, overflows);
            self.holds(Obligation::Shift, fits, None);
        }
    }

    /// A comparison of two scalars of one type, as a `bool`.
    pub(super) fn comparison(&mut self, op: Operator, left: ExprId, right: ExprId) -> Option<ExprId> {
        let (op, left, right) = match op {
            Operator::Lt => (BinaryOp::Less, left, right),
            Operator::Gt => (BinaryOp::Less, right, left),
            Operator::Le => (BinaryOp::LessEqual, left, right),
            Operator::Ge => (BinaryOp::LessEqual, right, left),
            Operator::Eq => (BinaryOp::Equal, left, right),
            Operator::Ne => (BinaryOp::NotEqual, left, right),
            _ => return None,
        };
        Some(self.builder.body.binary(op, left, right))
    }

    /// The value of one C type as another.
    pub(super) fn convert(&mut self, value: ExprId, to: TypeId, span: Span) -> Lowered<ExprId> {
        let Some(ty) = self.unit.scalar(to) else { return self.no_scalar(to, span) };
        if self.unit.is_bool(to) {
            let truth = self.builder.body.nonzero(value);
            return Ok(self.builder.body.convert(ty, truth));
        }
        Ok(self.convert_scalar(value, ty))
    }

    /// The value as another type: pointers and integers meet in the integer of their width.
    pub(super) fn convert_scalar(&mut self, value: ExprId, ty: Type) -> ExprId {
        let body = &mut self.builder.body;
        let address = self.model.size_type();
        match (body.type_of(value), ty) {
            (Type::Pointer, Type::Integer(_)) => {
                let number = body.convert(address, value);
                body.convert(ty, number)
            }
            (Type::Integer(_), Type::Pointer) => {
                let number = body.convert(address, value);
                body.convert(Type::Pointer, number)
            }
            _ => body.convert(ty, value),
        }
    }
}
