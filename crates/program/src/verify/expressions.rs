//! The types of expressions: invariants 9 to 17.

use base::Index;

use super::objects::{is_float_of, is_integer_of};
use super::{Context, Place, Verifier};
use crate::expression::{BinaryOp, Expr, ExprId, ExprKind, ObjectRef, OverflowOp, UnaryOp};
use crate::types::Type;

impl Verifier<'_> {
    /// What holds for one expression. Types are examined only if all that it names exists.
    pub(super) fn expression(&mut self, context: Context<'_>, id: ExprId, expr: &Expr) {
        let place = Place::Expression(id);
        self.type_exists(place, expr.ty);
        if !names_exist(context, id, expr) {
            self.require(false, 9, place, || {
                String::from("it names something that does not exist or stands behind it")
            });
            return;
        }
        let of = |operand: ExprId| context.body.expressions[operand].ty;
        let ty = expr.ty;
        let (invariant, holds) = match expr.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Variable(_)
            | ExprKind::Object(_)
            | ExprKind::Function(_) => (10, leaf(context, expr)),
            ExprKind::Unary(op, a) => (11, unary(op, of(a), ty)),
            ExprKind::Binary(op, a, b) => (12, binary(op, of(a), of(b), ty)),
            ExprKind::Overflows(op, a, b) => (13, overflows(op, of(a), of(b), ty)),
            ExprKind::Convert(a) => (14, converts(of(a), ty)),
            ExprKind::Reinterpret(a) => (15, reinterprets(of(a), ty)),
            ExprKind::Offset(a, b) => (16, moves(context, of(a), of(b), ty)),
            ExprKind::Difference(a, b) => (16, differs(context, of(a), of(b), ty)),
            ExprKind::Select(c, a, b) => (17, of(c) == Type::Bool && of(a) == ty && of(b) == ty),
        };
        self.require(holds, invariant, place, || {
            let operands: Vec<String> = expr.operands().map(|operand| of(operand).to_string()).collect();
            match expr.kind {
                ExprKind::Integer(value) => format!("{value} is not in the normal form of {ty}"),
                _ => format!("the operands have the types ({}), and the result {ty}", operands.join(", ")),
            }
        });
    }
}

/// Invariant 9.
fn names_exist(context: Context<'_>, id: ExprId, expr: &Expr) -> bool {
    let named = match expr.kind {
        ExprKind::Variable(variable) => context.variable(variable).is_some(),
        ExprKind::Object(ObjectRef::Local(local)) => context.body.locals.get(local).is_some(),
        ExprKind::Object(ObjectRef::Global(object)) => context.program.objects.get(object).is_some(),
        ExprKind::Function(function) => context.program.functions.get(function).is_some(),
        _ => true,
    };
    named && expr.operands().all(|operand| operand.index() < id.index())
}

/// Invariant 10.
fn leaf(context: Context<'_>, expr: &Expr) -> bool {
    match expr.kind {
        ExprKind::Integer(value) => is_integer_of(expr.ty, value),
        ExprKind::Float(bits) => is_float_of(expr.ty, bits),
        ExprKind::Variable(variable) => context.variable(variable) == Some(expr.ty),
        _ => expr.ty == Type::Pointer,
    }
}

/// Invariant 11.
fn unary(op: UnaryOp, operand: Type, result: Type) -> bool {
    let is_integer = operand.integer().is_some();
    match op {
        UnaryOp::Negate => operand == result && (is_integer || matches!(operand, Type::Float(_))),
        UnaryOp::Complement => operand == result && is_integer,
        UnaryOp::SwapBytes => {
            operand == result && operand.integer().is_some_and(|integer| integer.width % 8 == 0)
        }
        UnaryOp::Not => operand == result && operand == Type::Bool,
        UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => {
            is_integer && result.integer().is_some()
        }
    }
}

/// Invariant 12.
fn binary(op: BinaryOp, left: Type, right: Type, result: Type) -> bool {
    let is_integer = left.integer().is_some();
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
            left == right && left == result && (is_integer || matches!(left, Type::Float(_)))
        }
        BinaryOp::Remainder => left == right && left == result && is_integer,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            left == right && left == result && (is_integer || left == Type::Bool)
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            is_integer && right.integer().is_some() && left == result
        }
        BinaryOp::Equal | BinaryOp::NotEqual => left == right && result == Type::Bool,
        BinaryOp::Less | BinaryOp::LessEqual => left == right && left != Type::Bool && result == Type::Bool,
    }
}

/// Invariant 13.
fn overflows(op: OverflowOp, left: Type, right: Type, result: Type) -> bool {
    let operands = match op {
        OverflowOp::ShiftLeft => right.integer().is_some(),
        _ => left == right,
    };
    operands && left.integer().is_some() && result == Type::Bool
}

/// Invariant 14.
fn converts(from: Type, to: Type) -> bool {
    !matches!((from, to), (Type::Float(_) | Type::Bool, Type::Pointer) | (Type::Pointer, Type::Float(_)))
}

/// Invariant 15.
fn reinterprets(from: Type, to: Type) -> bool {
    let bits = |ty: Type| match ty {
        Type::Integer(integer) => Some(u32::from(integer.width)),
        Type::Float(format) => Some(format.bits()),
        Type::Bool | Type::Pointer => None,
    };
    bits(from).is_some() && bits(from) == bits(to)
}

/// Invariant 16 for moved pointers.
fn moves(context: Context<'_>, pointer: Type, bytes: Type, result: Type) -> bool {
    pointer == Type::Pointer && result == Type::Pointer && bytes == context.program.data_model.offset_type()
}

/// Invariant 16 for differences.
fn differs(context: Context<'_>, left: Type, right: Type, result: Type) -> bool {
    left == Type::Pointer && right == Type::Pointer && result == context.program.data_model.offset_type()
}
