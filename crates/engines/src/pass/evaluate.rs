//! The values of expressions, as expressions over the state at the head of a loop.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Comparison, Expression, Formula, Integer};
use program::{BinaryOp, ExprId, ExprKind, ObjectRef, Type, UnaryOp, VariableId};

use super::rewrite;
use super::{Base, Linear, Position, Value, at_head};
use crate::view::View;

/// Longer sums are not looked at.
const WIDEST: usize = 8;

/// The value of an expression after some variables were assigned.
pub fn evaluate(view: &View<'_>, assigned: &BTreeMap<VariableId, Value>, expression: ExprId) -> Value {
    // Operands have lower numbers than what uses them: in rising order every one is there when it is needed.
    let mut needed = BTreeSet::from([expression]);
    let mut stack = vec![expression];
    while let Some(next) = stack.pop() {
        stack.extend(view.body.expressions[next].operands().filter(|operand| needed.insert(*operand)));
    }
    let mut values: BTreeMap<ExprId, Value> = BTreeMap::new();
    for id in needed {
        let value = one(view, assigned, id, &values);
        values.insert(id, if is_small(&value) { value } else { Value::Unknown });
    }
    values.remove(&expression).unwrap_or(Value::Unknown)
}

/// Whether a value is small enough: products of products grow without end.
fn is_small(value: &Value) -> bool {
    match value {
        Value::Number(linear) => linear.parts.keys().all(rewrite::is_small) && linear.parts.len() <= WIDEST,
        Value::Pointer(position) => position.offset.parts.len() <= WIDEST,
        Value::Truth(Formula::Compare { left, right, .. }) => {
            rewrite::is_small(left) && rewrite::is_small(right)
        }
        Value::Truth(formula) => rewrite::spoken_in(formula).len() <= 4 * WIDEST,
        Value::Unknown => true,
    }
}

/// The opposite of a condition.
pub fn opposite(formula: Formula) -> Formula {
    match formula {
        Formula::Compare { left, comparison, right } => {
            let comparison = match comparison {
                Comparison::Equal => Comparison::Differ,
                Comparison::Differ => Comparison::Equal,
                Comparison::Less => Comparison::GreaterEqual,
                Comparison::LessEqual => Comparison::Greater,
                Comparison::Greater => Comparison::LessEqual,
                Comparison::GreaterEqual => Comparison::Less,
            };
            Formula::Compare { left, comparison, right }
        }
        Formula::Not(inner) => *inner,
        other => !other,
    }
}

/// Whether a condition is true, if constants say so.
pub fn decided(formula: &Formula) -> Option<bool> {
    let Formula::Compare { left: Expression::Constant(left), comparison, right: Expression::Constant(right) } =
        formula
    else {
        return None;
    };
    Some(match comparison {
        Comparison::Equal => left == right,
        Comparison::Differ => left != right,
        Comparison::Less => left < right,
        Comparison::LessEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterEqual => left >= right,
    })
}

/// The number that a value is.
pub fn number(value: &Value) -> Option<Linear> {
    match value {
        Value::Number(linear) => Some(linear.clone()),
        Value::Truth(formula) => Some(Linear::atom(Expression::Select {
            condition: Box::new(formula.clone()),
            then: Box::new(1.into()),
            otherwise: Box::new(0.into()),
        })),
        _ => None,
    }
}

/// Whether a value is true.
pub fn truth(value: &Value) -> Option<Formula> {
    match value {
        Value::Truth(formula) => Some(formula.clone()),
        Value::Number(linear) => Some(linear.expression().compare(Comparison::Differ, 0)),
        _ => None,
    }
}

fn one(
    view: &View<'_>,
    assigned: &BTreeMap<VariableId, Value>,
    id: ExprId,
    values: &BTreeMap<ExprId, Value>,
) -> Value {
    let expression = &view.body.expressions[id];
    let value = |operand: ExprId| values.get(&operand).unwrap_or(&Value::Unknown);
    match expression.kind {
        ExprKind::Integer(0 | 1) if expression.ty == Type::Bool => Value::Unknown,
        ExprKind::Integer(known) => Value::Number(Linear::constant(known)),
        ExprKind::Variable(variable) => {
            assigned.get(&variable).cloned().unwrap_or_else(|| at_head(view, variable))
        }
        ExprKind::Object(reference) => object(view, reference),
        ExprKind::Unary(UnaryOp::Negate, operand) => match number(value(operand)) {
            Some(linear) => Value::Number(linear.times(&Integer::from(-1))),
            None => Value::Unknown,
        },
        ExprKind::Unary(UnaryOp::Not, operand) => match truth(value(operand)) {
            Some(formula) => Value::Truth(opposite(formula)),
            None => Value::Unknown,
        },
        ExprKind::Binary(operation, left, right) => binary(operation, value(left), value(right)),
        ExprKind::Convert(operand) => match (value(operand), expression.ty) {
            (Value::Number(linear), Type::Bool) => {
                Value::Truth(linear.expression().compare(Comparison::Differ, 0))
            }
            (value @ (Value::Number(_) | Value::Truth(_)), Type::Integer(_) | Type::Bool) => value.clone(),
            _ => Value::Unknown,
        },
        ExprKind::Offset(pointer, by) => match (value(pointer), number(value(by))) {
            (Value::Pointer(position), Some(by)) => {
                Value::Pointer(Position { base: position.base.clone(), offset: position.offset.plus(&by) })
            }
            _ => Value::Unknown,
        },
        ExprKind::Difference(left, right) => match (value(left), value(right)) {
            (Value::Pointer(left), Value::Pointer(right)) if left.base == right.base => {
                Value::Number(left.offset.minus(&right.offset))
            }
            _ => Value::Unknown,
        },
        ExprKind::Select(condition, then, otherwise) => {
            match (truth(value(condition)), number(value(then)), number(value(otherwise))) {
                (Some(condition), Some(then), Some(otherwise)) => {
                    Value::Number(Linear::atom(Expression::Select {
                        condition: Box::new(condition),
                        then: Box::new(then.expression()),
                        otherwise: Box::new(otherwise.expression()),
                    }))
                }
                _ => Value::Unknown,
            }
        }
        _ => Value::Unknown,
    }
}

fn object(view: &View<'_>, reference: ObjectRef) -> Value {
    match view.buffers.iter().find(|buffer| buffer.reference == Some(reference)) {
        Some(buffer) => {
            let base = Base::Buffer(buffer.name.clone());
            Value::Pointer(Position { base, offset: Linear::default() })
        }
        None => Value::Unknown,
    }
}

fn binary(operation: BinaryOp, left: &Value, right: &Value) -> Value {
    let comparison = match operation {
        BinaryOp::Equal => Some(Comparison::Equal),
        BinaryOp::NotEqual => Some(Comparison::Differ),
        BinaryOp::Less => Some(Comparison::Less),
        BinaryOp::LessEqual => Some(Comparison::LessEqual),
        _ => None,
    };
    if let Some(comparison) = comparison {
        return compare(comparison, left, right).map_or(Value::Unknown, Value::Truth);
    }
    if let (Value::Truth(left), Value::Truth(right)) = (left, right) {
        return match operation {
            BinaryOp::And => Value::Truth(left.clone().and(right.clone())),
            BinaryOp::Or => Value::Truth(left.clone().or(right.clone())),
            _ => Value::Unknown,
        };
    }
    let (Some(left), Some(right)) = (number(left), number(right)) else { return Value::Unknown };
    arithmetic(operation, &left, &right).map_or(Value::Unknown, Value::Number)
}

fn arithmetic(operation: BinaryOp, left: &Linear, right: &Linear) -> Option<Linear> {
    let positive = right.known().filter(|known| **known > Integer::ZERO);
    Some(match operation {
        BinaryOp::Add => left.plus(right),
        BinaryOp::Subtract => left.minus(right),
        BinaryOp::Multiply => match (left.known(), right.known()) {
            (_, Some(known)) => left.times(known),
            (Some(known), _) => right.times(known),
            _ => Linear::atom(left.expression() * right.expression()),
        },
        BinaryOp::ShiftLeft => {
            let bits: usize = positive?.try_into().ok().filter(|bits| *bits < 64)?;
            left.times(&(Integer::ONE << bits))
        }
        BinaryOp::Divide => match left.over(positive?) {
            Some(whole) => whole,
            None => Linear::atom(left.expression().quotient(positive?.clone())),
        },
        BinaryOp::ShiftRight => {
            let bits: usize = positive?.try_into().ok().filter(|bits| *bits < 64)?;
            Linear::atom(left.expression().quotient(Integer::ONE << bits))
        }
        BinaryOp::Remainder => Linear::atom(left.expression().remainder(positive?.clone())),
        BinaryOp::And => {
            // A mask of low bits.
            let modulus = positive? + Integer::ONE;
            let power = modulus.trailing_zeros().is_some_and(|bits| Integer::ONE << bits == modulus);
            power.then(|| Linear::atom(left.expression().remainder(modulus)))?
        }
        _ => return None,
    })
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Option<Formula> {
    // A truth that was made a number is compared with zero to make it a truth again.
    if let (Value::Truth(formula), Value::Number(zero)) = (left, right)
        && zero.known() == Some(&Integer::ZERO)
    {
        match comparison {
            Comparison::Differ => return Some(formula.clone()),
            Comparison::Equal => return Some(opposite(formula.clone())),
            _ => {}
        }
    }
    if let (Value::Pointer(left), Value::Pointer(right)) = (left, right) {
        let same = left.base == right.base;
        return same.then(|| left.offset.expression().compare(comparison, right.offset.expression()));
    }
    let (left, right) = (number(left)?, number(right)?);
    Some(left.expression().compare(comparison, right.expression()))
}
