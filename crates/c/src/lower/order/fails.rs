//! Which expressions may do something undefined by themselves, apart from their operands.
//!
//! Generous on purpose: an expression that cannot fail and is listed costs a temporary, one that can fail and is not listed
//! costs an order of evaluation.

use program::Type;
use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{Const, Conversion, ExprId, ExprKind};

use super::effects::{Location, Names};
use crate::frontend::Unit;

/// Whether working out the operator at the root of an expression may go wrong.
pub(super) fn may_fail(unit: &Unit, expression: ExprId) -> bool {
    let ty = unit.tast[expression].ty;
    match unit.tast[expression].kind {
        ExprKind::Binary { op, rhs, .. } => operation(unit, op, ty, rhs),
        ExprKind::Assign { op: Some(op), computation, rhs, .. } => operation(unit, op, computation, rhs),
        ExprKind::Unary {
            op: UnaryOp::Minus | UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
            ..
        } => is_signed(unit, ty),
        ExprKind::Convert { kind: Conversion::Arithmetic, operand } | ExprKind::Cast(operand) => {
            let from_float = matches!(unit.scalar(unit.tast[operand].ty), Some(Type::Float(_)));
            from_float && matches!(unit.scalar(ty), Some(Type::Integer(_)))
        }
        ExprKind::Unreachable | ExprKind::BitCount { .. } | ExprKind::Abs { .. } => true,
        _ => false,
    }
}

/// Whether an access to an lvalue may go wrong.
pub(super) fn access_may_fail(names: &Names<'_>, lvalue: ExprId) -> bool {
    let tast = &names.unit.tast;
    match tast[lvalue].kind {
        ExprKind::Member { base, .. } => access_may_fail(names, base),
        ExprKind::Subscript { index, .. } => {
            names.location(lvalue) == Location::Memory || constant(names.unit, index).is_none()
        }
        ExprKind::Unary { op: UnaryOp::Deref, .. } => true,
        _ => false,
    }
}

fn operation(unit: &Unit, op: BinaryOp, ty: rucc_types::TypeId, rhs: ExprId) -> bool {
    let right = constant(unit, rhs);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => is_signed(unit, ty),
        BinaryOp::Div | BinaryOp::Rem => {
            matches!(unit.scalar(ty), Some(Type::Integer(_))) && right.is_none_or(|right| right <= 0)
        }
        BinaryOp::Shl => is_signed(unit, ty) || right.is_none(),
        BinaryOp::Shr => right.is_none(),
        _ => false,
    }
}

fn is_signed(unit: &Unit, ty: rucc_types::TypeId) -> bool {
    matches!(unit.scalar(ty), Some(Type::Integer(integer)) if integer.signed)
}

fn constant(unit: &Unit, expression: ExprId) -> Option<i128> {
    let mut inside = expression;
    while let ExprKind::Convert { kind: Conversion::Arithmetic, operand } = unit.tast[inside].kind {
        inside = operand;
    }
    match unit.tast[inside].kind {
        ExprKind::Const(constant) => match unit.tast[constant] {
            Const::Int(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}
