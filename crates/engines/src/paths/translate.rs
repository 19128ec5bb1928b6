//! The values of expressions, as expressions over the state where a path starts.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Comparison, Expression, Integer};
use program::{BinaryOp, ExprId, ExprKind, OverflowOp, Type, UnaryOp, VariableId};

use super::rewrite::{is_small as is_small_expression, spoken_in};
use super::{Position, Start, Value};
use crate::linear::{Condition, InEvidence, Linear};

/// Longer sums are not examined.
const WIDEST: usize = 12;

/// The value of an expression after some variables were assigned.
pub fn evaluate(start: &Start<'_>, updates: &BTreeMap<VariableId, Value>, expression: ExprId) -> Value {
    let body = start.body;
    // Operands have lower numbers than what uses them: in rising order every one is there when it is needed.
    let mut needed = BTreeSet::from([expression]);
    let mut stack = vec![expression];
    while let Some(next) = stack.pop() {
        stack.extend(body.expressions[next].operands().filter(|operand| needed.insert(*operand)));
    }
    let mut values: BTreeMap<ExprId, Value> = BTreeMap::new();
    for id in needed {
        let value = match body.expressions[id].kind {
            ExprKind::Variable(variable) => {
                updates.get(&variable).cloned().unwrap_or_else(|| start.variable(variable))
            }
            ExprKind::Object(object) => start.object(object),
            _ => operation(start, id, &values).unwrap_or(Value::Unknown),
        };
        values.insert(id, if is_small(&value) { value } else { Value::Unknown });
    }
    values.remove(&expression).unwrap_or(Value::Unknown)
}

/// Whether a value is small enough: products of products grow without end.
fn is_small(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.terms().len() <= WIDEST && number.terms().iter().all(|(part, _)| is_small_expression(part))
        }
        Value::Pointer(position) => position.offset.terms().len() <= WIDEST,
        Value::Truth(condition) => spoken_in(&condition.formula()).len() <= 4 * WIDEST,
        Value::Unknown => true,
    }
}

fn operation(start: &Start<'_>, id: ExprId, values: &BTreeMap<ExprId, Value>) -> Option<Value> {
    let body = start.body;
    let expression = &body.expressions[id];
    let value = |operand: ExprId| &values[&operand];
    let number = |operand: ExprId| values[&operand].number();
    let truth = |operand: ExprId| values[&operand].truth();
    Some(match expression.kind {
        ExprKind::Integer(known) if expression.ty == Type::Bool => {
            Value::Truth(if known == 0 { Condition::FALSE } else { Condition::TRUE })
        }
        ExprKind::Integer(known) => Value::Number(Linear::constant(known)),
        ExprKind::Unary(UnaryOp::Negate, operand) => Value::Number(-&number(operand)?),
        ExprKind::Unary(UnaryOp::Not, operand) => Value::Truth(truth(operand)?.negated()),
        ExprKind::Binary(BinaryOp::And, left, right) if expression.ty == Type::Bool => {
            Value::Truth(Condition::all(vec![truth(left)?, truth(right)?]))
        }
        ExprKind::Binary(BinaryOp::Or, left, right) if expression.ty == Type::Bool => {
            Value::Truth(Condition::any(vec![truth(left)?, truth(right)?]))
        }
        ExprKind::Binary(op, left, right) => match comparison(op) {
            Some(comparison) => Value::Truth(compare(comparison, value(left), value(right))?),
            None if expression.ty == Type::Bool => return None,
            None => Value::Number(arithmetic(op, &number(left)?, &number(right)?)?),
        },
        ExprKind::Convert(operand) => match (value(operand), expression.ty) {
            (value, Type::Bool) => Value::Truth(value.truth()?),
            (value @ (Value::Number(_) | Value::Truth(_)), Type::Integer(_)) => value.clone(),
            _ => return None,
        },
        ExprKind::Offset(pointer, by) => {
            let Value::Pointer(position) = value(pointer) else { return None };
            let offset = &position.offset + &number(by)?;
            Value::Pointer(Position { base: position.base.clone(), offset })
        }
        ExprKind::Difference(left, right) => match (value(left), value(right)) {
            (Value::Pointer(left), Value::Pointer(right)) if left.base == right.base => {
                Value::Number(&left.offset - &right.offset)
            }
            _ => return None,
        },
        ExprKind::Select(condition, then, otherwise) => {
            Value::Number(select(&truth(condition)?, &number(then)?, &number(otherwise)?))
        }
        ExprKind::Overflows(op, left, right) => {
            let Type::Integer(ty) = body.expressions[left].ty else { return None };
            let (left, right) = (number(left)?, number(right)?);
            let result = match op {
                OverflowOp::Add => &left + &right,
                OverflowOp::Subtract => &left - &right,
                OverflowOp::Multiply => left.product(&right)?,
                OverflowOp::Divide | OverflowOp::ShiftLeft => return None,
            };
            let low = Condition::at_most(&Linear::constant(ty.minimum()), &result);
            let high = Condition::at_most(&result, &Linear::constant(ty.maximum()));
            Value::Truth(Condition::all(vec![low, high]).negated())
        }
        _ => return None,
    })
}

const fn comparison(op: BinaryOp) -> Option<Comparison> {
    match op {
        BinaryOp::Equal => Some(Comparison::Equal),
        BinaryOp::NotEqual => Some(Comparison::Differ),
        BinaryOp::Less => Some(Comparison::Less),
        BinaryOp::LessEqual => Some(Comparison::LessEqual),
        _ => None,
    }
}

fn arithmetic(op: BinaryOp, left: &Linear, right: &Linear) -> Option<Linear> {
    let positive = right.as_constant().and_then(|known| known.to_integer());
    let positive = positive.filter(|known| *known > Integer::ZERO);
    let power = |bits: Integer| {
        usize::try_from(&bits).ok().filter(|bits| *bits < 128).map(|bits| Integer::ONE << bits)
    };
    let quotient = |divisor: Integer| {
        left.over(&divisor).unwrap_or_else(|| Linear::variable(left.expression().quotient(divisor)))
    };
    Some(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => {
            left.product(right).unwrap_or_else(|| Linear::variable(left.expression() * right.expression()))
        }
        BinaryOp::ShiftLeft => left.scaled(&power(positive?)?.into()),
        BinaryOp::Divide => quotient(positive?),
        BinaryOp::ShiftRight => quotient(power(positive?)?),
        BinaryOp::Remainder => Linear::variable(left.expression().remainder(positive?)),
        BinaryOp::And => {
            // A mask of low bits.
            let modulus = positive? + Integer::ONE;
            let power = modulus.trailing_zeros().is_some_and(|bits| Integer::ONE << bits == modulus);
            power.then(|| Linear::variable(left.expression().remainder(modulus)))?
        }
        _ => return None,
    })
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Option<Condition> {
    // A truth that was made a number is compared with zero to make it a truth again.
    if let (Value::Truth(condition), Value::Number(zero)) = (left, right)
        && zero.is_zero()
    {
        match comparison {
            Comparison::Differ => return Some(condition.clone()),
            Comparison::Equal => return Some(condition.negated()),
            _ => {}
        }
    }
    if let (Value::Pointer(left), Value::Pointer(right)) = (left, right) {
        let same = left.base == right.base;
        return same.then(|| Condition::compare(&left.offset, comparison, &right.offset));
    }
    Some(Condition::compare(&left.number()?, comparison, &right.number()?))
}

/// One of two numbers.
pub(super) fn select(condition: &Condition, then: &Linear, otherwise: &Linear) -> Linear {
    match condition {
        Condition::All(parts) if parts.is_empty() => then.clone(),
        Condition::Any(parts) if parts.is_empty() => otherwise.clone(),
        _ if then == otherwise => then.clone(),
        _ => Linear::variable(Expression::select(
            condition.formula(),
            then.expression(),
            otherwise.expression(),
        )),
    }
}
