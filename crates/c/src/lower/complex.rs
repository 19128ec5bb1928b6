//! Complex numbers: objects in memory of two parts, whose operators work on the parts.
//!
//! Deviation: a product of infinities that the plain formula turns into no number at all stays so, where Annex G of
//! the standard recovers an infinity. Division, which compilers leave to a library of theirs, is not supported.

use program::{BinaryOp, ExprId, ExprKind as Node, Type, UnaryOp};
use rucc_ast::{BinaryOp as Operator, UnaryOp as Prefix};
use rucc_diag::Span;
use rucc_sema::{self as sema, Const, ExprKind};
use rucc_types::{TypeId, TypeKind};

use super::body::BodyLowering;
use super::place::Place;
use super::{Lowered, unsupported};

/// The real and the imaginary part of a number, in one type.
#[derive(Clone, Copy)]
struct Parts {
    real: ExprId,
    imaginary: ExprId,
}

impl BodyLowering<'_, '_> {
    /// Whether values of the type are complex numbers.
    pub(super) fn is_complex(&self, ty: TypeId) -> bool {
        matches!(self.unit.kind(ty), TypeKind::Complex(_))
    }

    /// The object that holds the value of an expression on complex numbers.
    pub(super) fn complex(&mut self, expression: sema::ExprId) -> Lowered<ExprId> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[expression].ty, unit.tast.expr_span(expression));
        let parts = self.computed_parts(expression)?;
        let object = self.scratch(ty, span)?;
        self.store_parts(object, ty, parts, span)?;
        Ok(object)
    }

    /// Whether two numbers are equal, or not, one of which is complex.
    pub(super) fn complex_comparison(
        &mut self,
        op: Operator,
        lhs: sema::ExprId,
        rhs: sema::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let (a, b) = (self.parts(lhs)?, self.parts(rhs)?);
        let body = &mut self.builder.body;
        let real = body.binary(BinaryOp::Equal, a.real, b.real);
        let imaginary = body.binary(BinaryOp::Equal, a.imaginary, b.imaginary);
        let equal = body.binary(BinaryOp::And, real, imaginary);
        match op {
            Operator::Eq => Ok(equal),
            Operator::Ne => Ok(body.unary(UnaryOp::Not, equal)),
            _ => unsupported("an order of complex numbers", span),
        }
    }

    /// The real part of a complex number as a scalar of another type; for `_Bool`, whether the number is not zero.
    pub(super) fn complex_to_scalar(
        &mut self,
        operand: sema::ExprId,
        ty: TypeId,
        span: Span,
    ) -> Lowered<ExprId> {
        let parts = self.parts(operand)?;
        if self.unit.is_bool(ty) {
            let body = &mut self.builder.body;
            let (real, imaginary) = (body.nonzero(parts.real), body.nonzero(parts.imaginary));
            let either = body.binary(BinaryOp::Or, real, imaginary);
            return Ok(body.convert(Type::unsigned(8), either));
        }
        self.convert(parts.real, ty, span)
    }

    /// `__real__` or `__imag__` of a number.
    pub(super) fn part_of(&mut self, op: Prefix, operand: sema::ExprId) -> Lowered<ExprId> {
        let parts = self.parts(operand)?;
        Ok(if op == Prefix::Real { parts.real } else { parts.imaginary })
    }

    /// The place of `__real__ z` or `__imag__ z`.
    pub(super) fn part_place(&mut self, op: Prefix, operand: sema::ExprId, span: Span) -> Lowered<Place> {
        let TypeKind::Complex(part) = self.unit.kind(self.unit.tast[operand].ty) else {
            return self.place(operand);
        };
        let place = self.place(operand)?;
        let Some(size) = self.unit.size(part) else { return self.no_scalar(part, span) };
        let offset = if op == Prefix::Imag { size } else { 0 };
        Ok(Place { pointer: self.displace(place.pointer, offset), ty: part, bits: None, ..place })
    }

    /// `z op= w` for complex `z`.
    pub(super) fn complex_assign(
        &mut self,
        op: Operator,
        lhs: sema::ExprId,
        rhs: sema::ExprId,
        span: Span,
    ) -> Lowered<Place> {
        let ty = self.unit.tast[lhs].ty;
        let right = self.parts(rhs)?;
        let place = self.place(lhs)?;
        let pointer = self.simple(place.pointer);
        let left = self.load_parts(pointer, ty, span)?;
        let result = self.complex_operation(op, left, right, span)?;
        self.store_parts(pointer, ty, result, span)?;
        Ok(Place { pointer, ..place })
    }

    fn part_type(&self, ty: TypeId, span: Span) -> Lowered<(TypeId, Type, u64)> {
        let TypeKind::Complex(part) = self.unit.kind(ty) else {
            return unsupported("a complex number", span);
        };
        match (self.unit.scalar(part), self.unit.size(part)) {
            (Some(scalar), Some(size)) => Ok((part, scalar, size)),
            _ => unsupported("a complex number of this type", span),
        }
    }

    fn load_parts(&mut self, pointer: ExprId, ty: TypeId, span: Span) -> Lowered<Parts> {
        let (_, scalar, size) = self.part_type(ty, span)?;
        let real = self.load(pointer, scalar);
        let second = self.displace(pointer, size);
        let imaginary = self.load(second, scalar);
        Ok(Parts { real, imaginary })
    }

    fn store_parts(&mut self, pointer: ExprId, ty: TypeId, parts: Parts, span: Span) -> Lowered<()> {
        let (_, scalar, size) = self.part_type(ty, span)?;
        let (real, imaginary) =
            (self.convert_scalar(parts.real, scalar), self.convert_scalar(parts.imaginary, scalar));
        self.store(pointer, real);
        let second = self.displace(pointer, size);
        self.store(second, imaginary);
        Ok(())
    }

    /// The parts of a number, complex or real, in the type that it has.
    fn parts(&mut self, expression: sema::ExprId) -> Lowered<Parts> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[expression].ty, unit.tast.expr_span(expression));
        if !self.is_complex(ty) {
            let real = self.simple_value(expression)?;
            return Ok(Parts { real, imaginary: self.zero_like(real) });
        }
        match unit.tast[expression].kind {
            ExprKind::Const(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Complex { .. } => self.computed_parts(expression),
            ExprKind::Cast(operand) | ExprKind::Convert { operand, .. }
                if !matches!(unit.tast[operand].category, sema::Category::Lvalue) =>
            {
                self.computed_parts(expression)
            }
            _ => {
                let pointer = self.simple_address(expression)?;
                self.load_parts(pointer, ty, span)
            }
        }
    }

    /// The parts of a number that an operator, a constant or a conversion makes.
    fn computed_parts(&mut self, expression: sema::ExprId) -> Lowered<Parts> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[expression].ty, unit.tast.expr_span(expression));
        let (part, scalar, _) = self.part_type(ty, span)?;
        match unit.tast[expression].kind {
            ExprKind::Const(constant) => match unit.tast[constant] {
                Const::Complex { real, imag } => Ok(Parts {
                    real: self.builder.body.expression(Node::Float(real.to_bits()), scalar),
                    imaginary: self.builder.body.expression(Node::Float(imag.to_bits()), scalar),
                }),
                Const::ComplexInt { real, imag } => Ok(Parts {
                    real: self.builder.body.integer(scalar, real),
                    imaginary: self.builder.body.integer(scalar, imag),
                }),
                constant => {
                    let real = self.constant(constant, part, span)?;
                    Ok(Parts { real, imaginary: self.zero_like(real) })
                }
            },
            ExprKind::Complex { real, imag } => {
                let (real, imaginary) = (self.value(real)?, self.value(imag)?);
                Ok(Parts { real, imaginary })
            }
            ExprKind::Unary { op, operand } => {
                let parts = self.parts(operand)?;
                let negated = self.builder.body.unary(UnaryOp::Negate, parts.imaginary);
                match op {
                    Prefix::Plus => Ok(parts),
                    Prefix::BitNot => Ok(Parts { imaginary: negated, ..parts }),
                    Prefix::Minus => {
                        let real = self.builder.body.unary(UnaryOp::Negate, parts.real);
                        Ok(Parts { real, imaginary: negated })
                    }
                    _ => unsupported("this operation on complex numbers", span),
                }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (left, right) = (self.parts(lhs)?, self.parts(rhs)?);
                self.complex_operation(op, left, right, span)
            }
            ExprKind::Cast(operand) | ExprKind::Convert { operand, .. } => {
                let parts = self.parts(operand)?;
                let real = self.convert_scalar(parts.real, scalar);
                let imaginary = self.convert_scalar(parts.imaginary, scalar);
                Ok(Parts { real, imaginary })
            }
            _ => unsupported("this operation on complex numbers", span),
        }
    }

    fn complex_operation(&mut self, op: Operator, a: Parts, b: Parts, span: Span) -> Lowered<Parts> {
        let mut each = |op, x: ExprId, y: ExprId| {
            let value = self.builder.body.binary(op, x, y);
            self.simple(value)
        };
        match op {
            Operator::Add | Operator::Sub => {
                let op = if op == Operator::Add { BinaryOp::Add } else { BinaryOp::Subtract };
                Ok(Parts { real: each(op, a.real, b.real), imaginary: each(op, a.imaginary, b.imaginary) })
            }
            Operator::Mul => {
                let (rr, ii) = (
                    each(BinaryOp::Multiply, a.real, b.real),
                    each(BinaryOp::Multiply, a.imaginary, b.imaginary),
                );
                let (ri, ir) = (
                    each(BinaryOp::Multiply, a.real, b.imaginary),
                    each(BinaryOp::Multiply, a.imaginary, b.real),
                );
                Ok(Parts { real: each(BinaryOp::Subtract, rr, ii), imaginary: each(BinaryOp::Add, ri, ir) })
            }
            _ => unsupported("this operation on complex numbers", span),
        }
    }

    fn zero_like(&mut self, value: ExprId) -> ExprId {
        let ty = self.builder.body.type_of(value);
        self.builder.body.zero(ty)
    }
}
