//! GNU vectors: objects in memory whose operators work lane by lane.
//!
//! Lanes wrap, as the vector instructions do: no overflow is asked about. A call of a machine's own vector builtin is a
//! call of an undefined function.

use program::{BinaryOp, ExprId, StatementKind, Type, UnaryOp};
use rucc_ast::{BinaryOp as Operator, UnaryOp as Prefix};
use rucc_diag::Span;
use rucc_sema::{self as sema, Conversion, Elementwise, ExprKind};
use rucc_types::{TypeId, TypeKind};

use super::body::BodyLowering;
use super::{Lowered, unsupported};

/// The lanes of a vector.
#[derive(Clone, Copy)]
struct Lanes {
    element: Type,
    bytes: u64,
    count: u64,
}

impl BodyLowering<'_, '_> {
    /// Whether values of the type are vectors.
    pub(super) fn is_vector(&self, ty: TypeId) -> bool {
        matches!(self.unit.kind(ty), TypeKind::Vector { .. })
    }

    fn lanes(&self, ty: TypeId, span: Span) -> Lowered<Lanes> {
        let TypeKind::Vector { elem, len } = self.unit.kind(ty) else { return unsupported("a vector", span) };
        match (self.unit.scalar(elem), self.unit.size(elem)) {
            (Some(element), Some(bytes)) => Ok(Lanes { element, bytes, count: u64::from(len) }),
            _ => unsupported("a vector of this type", span),
        }
    }

    /// The object that an operator on vectors gives.
    pub(super) fn vector(&mut self, expression: sema::ExprId) -> Lowered<ExprId> {
        let unit = self.unit;
        let (ty, span) = (unit.tast[expression].ty, unit.tast.expr_span(expression));
        let result = self.scratch(ty, span)?;
        self.vector_into(expression, result, ty, span)?;
        Ok(result)
    }

    fn vector_into(
        &mut self,
        expression: sema::ExprId,
        result: ExprId,
        ty: TypeId,
        span: Span,
    ) -> Lowered<()> {
        let unit = self.unit;
        let lanes = self.lanes(ty, span)?;
        match unit.tast[expression].kind {
            ExprKind::Unary { op, operand } => {
                let source = self.simple_address(operand)?;
                self.each_lane(lanes, result, |lowering, lane| {
                    let value = lowering.lane(source, lanes, lane);
                    lowering.lane_prefix(op, value, span)
                })
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let operands = self.lanes(unit.tast[lhs].ty, span)?;
                let (left, right) = (self.simple_address(lhs)?, self.simple_address(rhs)?);
                self.each_pair(operands, (left, right), lanes, result, |lowering, a, b| {
                    lowering.lane_operator(op, a, b, lanes.element, span)
                })
            }
            ExprKind::Assign { op: Some(op), lhs, rhs, .. } => {
                let (target, right) = (self.simple_address(lhs)?, self.simple_address(rhs)?);
                self.each_pair(lanes, (target, right), lanes, target, |lowering, a, b| {
                    lowering.lane_operator(op, a, b, lanes.element, span)
                })?;
                let size = self.size_of(ty, span)?;
                self.builder.push(StatementKind::Copy { destination: result, source: target, size });
                Ok(())
            }
            ExprKind::Convert { kind: Conversion::Broadcast, operand } => {
                let value = self.simple_value(operand)?;
                self.each_lane(lanes, result, |lowering, _| Ok(lowering.convert_scalar(value, lanes.element)))
            }
            ExprKind::ConvertVector { operand } => {
                let from = self.lanes(unit.tast[operand].ty, span)?;
                let source = self.simple_address(operand)?;
                self.each_lane(lanes, result, |lowering, lane| {
                    let value = lowering.lane(source, from, lane);
                    Ok(lowering.convert_scalar(value, lanes.element))
                })
            }
            ExprKind::Shuffle { lhs, rhs, mask } => self.shuffle(lhs, rhs, mask, lanes, result, span),
            ExprKind::ShuffleVector { operands } => {
                self.shuffle_known(&unit.tast[operands], lanes, result, span)
            }
            ExprKind::Elementwise { op, lhs, rhs: Some(rhs) }
                if matches!(op, Elementwise::Min | Elementwise::Max) =>
            {
                let (left, right) = (self.simple_address(lhs)?, self.simple_address(rhs)?);
                self.each_pair(lanes, (left, right), lanes, result, |lowering, a, b| {
                    let body = &mut lowering.builder.body;
                    let less = body.binary(BinaryOp::Less, a, b);
                    Ok(if op == Elementwise::Min { body.select(less, a, b) } else { body.select(less, b, a) })
                })
            }
            // A value of the same size, read as lanes.
            ExprKind::Cast(operand) | ExprKind::Convert { operand, .. }
                if unit.scalar(unit.tast[operand].ty).is_some() =>
            {
                let value = self.value(operand)?;
                self.builder.push(StatementKind::Store { pointer: result, value });
                Ok(())
            }
            _ => unsupported("this operation on vectors", span),
        }
    }

    /// Lanes of two vectors, chosen by constants.
    fn shuffle_known(
        &mut self,
        operands: &[sema::ExprId],
        lanes: Lanes,
        result: ExprId,
        span: Span,
    ) -> Lowered<()> {
        let [lhs, rhs, indices @ ..] = operands else { return unsupported("a vector", span) };
        let from = self.lanes(self.unit.tast[*lhs].ty, span)?;
        let (left, right) = (self.simple_address(*lhs)?, self.simple_address(*rhs)?);
        for (lane, &index) in indices.iter().enumerate() {
            let index = self.value(index)?;
            let index = self.builder.body.constant(index).and_then(|index| u64::try_from(index).ok());
            let value = match index {
                Some(index) if index < from.count => self.lane(left, from, index),
                Some(index) => self.lane(right, from, index - from.count),
                None => self.builder.body.integer(Type::signed(32), 0),
            };
            let value = self.convert_scalar(value, lanes.element);
            self.set_lane(result, lanes, lane as u64, value);
        }
        Ok(())
    }

    /// Computes each lane of the result from the same lanes of two vectors.
    fn each_pair(
        &mut self,
        operands: Lanes,
        (left, right): (ExprId, ExprId),
        lanes: Lanes,
        result: ExprId,
        mut value: impl FnMut(&mut Self, ExprId, ExprId) -> Lowered<ExprId>,
    ) -> Lowered<()> {
        self.each_lane(lanes, result, |lowering, lane| {
            let a = lowering.lane(left, operands, lane);
            let b = lowering.lane(right, operands, lane);
            value(lowering, a, b)
        })
    }

    fn each_lane(
        &mut self,
        lanes: Lanes,
        result: ExprId,
        mut value: impl FnMut(&mut Self, u64) -> Lowered<ExprId>,
    ) -> Lowered<()> {
        for lane in 0..lanes.count {
            let value = value(self, lane)?;
            self.set_lane(result, lanes, lane, value);
        }
        Ok(())
    }

    fn lane(&mut self, vector: ExprId, lanes: Lanes, lane: u64) -> ExprId {
        let pointer = self.displace(vector, lane * lanes.bytes);
        self.load_from(pointer, lanes.element, true)
    }

    fn set_lane(&mut self, vector: ExprId, lanes: Lanes, lane: u64, value: ExprId) {
        let pointer = self.displace(vector, lane * lanes.bytes);
        self.store(pointer, value);
    }

    fn lane_prefix(&mut self, op: Prefix, value: ExprId, span: Span) -> Lowered<ExprId> {
        let body = &mut self.builder.body;
        match op {
            Prefix::Plus => Ok(value),
            Prefix::Minus => Ok(body.unary(UnaryOp::Negate, value)),
            Prefix::BitNot => Ok(body.unary(UnaryOp::Complement, value)),
            _ => unsupported("this operation on vectors", span),
        }
    }

    fn lane_operator(
        &mut self,
        op: Operator,
        a: ExprId,
        b: ExprId,
        element: Type,
        span: Span,
    ) -> Lowered<ExprId> {
        if let Some(truth) = self.comparison(op, a, b) {
            let (all, none) = (self.builder.body.integer(element, -1), self.builder.body.integer(element, 0));
            return Ok(self.builder.body.select(truth, all, none));
        }
        let op = match op {
            Operator::Add => BinaryOp::Add,
            Operator::Sub => BinaryOp::Subtract,
            Operator::Mul => BinaryOp::Multiply,
            Operator::BitAnd => BinaryOp::And,
            Operator::BitOr => BinaryOp::Or,
            Operator::BitXor => BinaryOp::Xor,
            // These trap or are undefined lane by lane just as they are on scalars.
            _ => return self.arithmetic(op, a, b, span),
        };
        Ok(self.builder.body.binary(op, a, b))
    }

    fn shuffle(
        &mut self,
        lhs: sema::ExprId,
        rhs: Option<sema::ExprId>,
        mask: sema::ExprId,
        lanes: Lanes,
        result: ExprId,
        span: Span,
    ) -> Lowered<()> {
        let indices = self.lanes(self.unit.tast[mask].ty, span)?;
        let left = self.simple_address(lhs)?;
        let right = match rhs {
            Some(rhs) => self.simple_address(rhs)?,
            None => left,
        };
        let total = if rhs.is_some() { 2 * lanes.count } else { lanes.count };
        let mask = self.simple_address(mask)?;
        self.each_lane(lanes, result, |lowering, lane| {
            let index = lowering.lane(mask, indices, lane);
            let limit = lowering.builder.body.integer(indices.element, i128::from(total) - 1);
            let index = lowering.builder.body.binary(BinaryOp::And, index, limit);
            let index = lowering.simple(index);
            // One lane after another: the index is not known before the program runs.
            let mut value = lowering.lane(left, lanes, 0);
            for candidate in 1..total {
                let source = if candidate < lanes.count { left } else { right };
                let other = lowering.lane(source, lanes, candidate % lanes.count);
                let number = lowering.builder.body.integer(indices.element, i128::from(candidate));
                let chosen = lowering.builder.body.binary(BinaryOp::Equal, index, number);
                let selected = lowering.builder.body.select(chosen, other, value);
                value = lowering.simple(selected);
            }
            Ok(value)
        })
    }
}
