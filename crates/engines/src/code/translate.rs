//! Expressions of a program as numbers and conditions of evidence.

use std::collections::{BTreeMap, BTreeSet};

use certify::leaps::Named;
use evidence::{Element, Expression, Integer, Moment, Name, Quantity};
use loops::LoopForest;
use program::{
    BinaryOp, BlockId, Body, Callee, ExprId, ExprKind, ObjectRef, OverflowOp, Program, StatementKind, Type,
    UnaryOp, VariableId,
};

use crate::linear::{Condition, Linear};

/// Expressions that are nested deeper are given up.
const DEEPEST: u32 = 24;

/// What the parts of a function's expressions are called. It serves all loops of the function.
pub struct Words<'a> {
    pub(super) program: &'a Program,
    pub(super) body: &'a Body,
    variables: BTreeMap<VariableId, Name>,
    objects: BTreeMap<ObjectRef, Name>,
    /// Whether it matters that numbers stay in the ranges of their types.
    pub(super) overflow: bool,
    /// What each loop assigns, by its head.
    pub(super) assigned: BTreeMap<BlockId, BTreeSet<VariableId>>,
}

/// The values of variables, in terms of those at the head. What is not in here has not changed.
pub(super) type Values = BTreeMap<VariableId, Option<Linear>>;

impl<'a> Words<'a> {
    /// The words of a function. Facts call its variables and objects by these names.
    pub fn new(program: &'a Program, body: &'a Body, names: &BTreeMap<Name, Named>, overflow: bool) -> Self {
        let (mut variables, mut objects) = (BTreeMap::new(), BTreeMap::new());
        for (name, named) in names {
            match *named {
                Named::Variable(variable) => _ = variables.insert(variable, name.clone()),
                Named::Local(local) => _ = objects.insert(ObjectRef::Local(local), name.clone()),
                Named::Global(object) => _ = objects.insert(ObjectRef::Global(object), name.clone()),
            }
        }
        let assigned = BTreeMap::new();
        let mut words = Self { program, body, variables, objects, overflow, assigned };
        let forest = LoopForest::of(body);
        for (id, around) in forest.iter() {
            let assigned = words.assigned_in(forest.blocks(id));
            words.assigned.insert(around.head, assigned);
        }
        words
    }

    /// The variables that some blocks assign.
    fn assigned_in(&self, blocks: &[BlockId]) -> BTreeSet<VariableId> {
        let mut variables = BTreeSet::new();
        for &block in blocks {
            for statement in &self.body.blocks[block].statements {
                variables.extend(statement.kind.target());
                if let StatementKind::Call { callee, .. } = statement.kind
                    && self.calls_code(callee)
                {
                    variables.extend((0..self.program.globals.len()).map(VariableId::global));
                }
            }
        }
        variables
    }

    /// Whether a call may run code of the program.
    pub(super) fn calls_code(&self, callee: Callee) -> bool {
        match callee {
            Callee::Function(function) => self.program.functions[function].body().is_some(),
            Callee::Pointer(_) => true,
        }
    }

    /// The name of a variable.
    pub(super) fn name(&self, variable: VariableId) -> Option<Name> {
        self.variables.get(&variable).cloned()
    }

    /// What a variable holds.
    pub(super) fn variable(&self, values: &Values, variable: VariableId) -> Option<Linear> {
        match values.get(&variable) {
            Some(value) => value.clone(),
            None if self.program.variable(self.body, variable).ty == Type::Pointer => None,
            None => Some(Linear::of(Quantity::value(self.name(variable)?).at(Moment::Now))),
        }
    }

    /// An expression as a number.
    pub(super) fn number(&self, values: &Values, expression: ExprId) -> Option<Linear> {
        self.number_at(values, expression, 0)
    }

    fn number_at(&self, values: &Values, expression: ExprId, depth: u32) -> Option<Linear> {
        if depth > DEEPEST {
            return None;
        }
        let expression = &self.body.expressions[expression];
        let number = |operand| self.number_at(values, operand, depth + 1);
        match expression.kind {
            ExprKind::Integer(value) => Some(Linear::constant(value)),
            ExprKind::Variable(variable) => self.variable(values, variable),
            ExprKind::Convert(operand) => match self.body.expressions[operand].ty {
                Type::Integer(_) => number(operand),
                Type::Bool => self.truth(values, operand, depth),
                Type::Float(_) | Type::Pointer => None,
            },
            ExprKind::Unary(UnaryOp::Negate, operand) => number(operand)?.times(-1),
            ExprKind::Binary(op, left, right) if matches!(expression.ty, Type::Integer(_)) => {
                self.operation(op, number(left)?, number(right)?)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.condition_at(values, condition, depth + 1)?;
                let (then, otherwise) = (number(then)?, number(otherwise)?);
                Some(select(&condition, &then, &otherwise))
            }
            _ if expression.ty == Type::Bool => self.truth_of(values, expression.kind, depth),
            _ => None,
        }
    }

    fn operation(&self, op: BinaryOp, left: Linear, right: Linear) -> Option<Linear> {
        let positive = right.known().filter(|known| *known > 0);
        match op {
            BinaryOp::Add => left.plus(&right, 1),
            BinaryOp::Subtract => left.minus(&right),
            BinaryOp::Multiply => left.product(&right),
            BinaryOp::ShiftLeft => left.times(1i128.checked_shl(u32::try_from(positive?).ok()?)?),
            BinaryOp::Divide => Some(Linear::of(left.expression().quotient(Integer::from(positive?)))),
            BinaryOp::Remainder => Some(Linear::of(left.expression().remainder(Integer::from(positive?)))),
            BinaryOp::ShiftRight => {
                let divisor = 1i128.checked_shl(u32::try_from(positive?).ok()?)?;
                Some(Linear::of(left.expression().quotient(Integer::from(divisor))))
            }
            // A mask of low bits.
            BinaryOp::And if (positive? + 1) & positive? == 0 => {
                Some(Linear::of(left.expression().remainder(Integer::from(positive? + 1))))
            }
            _ => None,
        }
    }

    fn truth(&self, values: &Values, expression: ExprId, depth: u32) -> Option<Linear> {
        if let ExprKind::Variable(variable) = self.body.expressions[expression].kind {
            return self.variable(values, variable);
        }
        let condition = self.condition_at(values, expression, depth + 1)?;
        Some(select(&condition, &Linear::constant(1), &Linear::constant(0)))
    }

    fn truth_of(&self, values: &Values, kind: ExprKind, depth: u32) -> Option<Linear> {
        let condition = self.condition_of(values, kind, depth + 1)?;
        Some(select(&condition, &Linear::constant(1), &Linear::constant(0)))
    }

    /// An expression as a condition: an integer stands for not being zero.
    pub(super) fn condition(&self, values: &Values, expression: ExprId) -> Option<Condition> {
        self.condition_at(values, expression, 0)
    }

    fn condition_at(&self, values: &Values, expression: ExprId, depth: u32) -> Option<Condition> {
        if depth > DEEPEST {
            return None;
        }
        let expression = &self.body.expressions[expression];
        match expression.ty {
            Type::Bool => self.condition_of(values, expression.kind, depth),
            Type::Integer(_) => match expression.kind {
                ExprKind::Convert(operand) if self.body.expressions[operand].ty == Type::Bool => {
                    self.condition_at(values, operand, depth + 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn condition_of(&self, values: &Values, kind: ExprKind, depth: u32) -> Option<Condition> {
        let number = |operand| self.number_at(values, operand, depth + 1);
        let condition = |operand| self.condition_at(values, operand, depth + 1);
        match kind {
            ExprKind::Integer(value) => Some(if value != 0 { Condition::TRUE } else { Condition::FALSE }),
            ExprKind::Variable(variable) => is_true(&self.variable(values, variable)?),
            ExprKind::Unary(UnaryOp::Not, operand) => Some(condition(operand)?.negated()),
            ExprKind::Convert(operand) => is_true(&number(operand)?),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                Some(Condition::all(vec![condition(left)?, condition(right)?]))
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                Some(Condition::any(vec![condition(left)?, condition(right)?]))
            }
            ExprKind::Binary(op, left, right) => {
                if let (BinaryOp::Equal | BinaryOp::NotEqual, Some(0)) =
                    (op, number(right).and_then(|right| right.known()))
                {
                    let truth = is_true(&number(left)?)?;
                    return Some(if op == BinaryOp::Equal { truth.negated() } else { truth });
                }
                let (left, right) = (number(left)?, number(right)?);
                match op {
                    BinaryOp::Equal => Condition::equal(&left, &right),
                    BinaryOp::NotEqual => Some(Condition::equal(&left, &right)?.negated()),
                    BinaryOp::Less => Condition::below(&left, &right),
                    BinaryOp::LessEqual => Condition::at_most(&left, &right),
                    _ => None,
                }
            }
            ExprKind::Overflows(op, left, right) => {
                let Type::Integer(ty) = self.body.expressions[left].ty else { return None };
                let (left, right) = (number(left)?, number(right)?);
                let result = match op {
                    OverflowOp::Add => left.plus(&right, 1)?,
                    OverflowOp::Subtract => left.minus(&right)?,
                    OverflowOp::Multiply => left.product(&right)?,
                    OverflowOp::Divide | OverflowOp::ShiftLeft => return None,
                };
                let low = Condition::at_most(&Linear::constant(ty.minimum()), &result)?;
                let high = Condition::at_most(&result, &Linear::constant(ty.maximum()))?;
                Some(Condition::all(vec![low, high]).negated())
            }
            _ => None,
        }
    }

    /// What a load reads, if it is from a place in an object that has a name.
    pub(super) fn element(&self, values: &Values, pointer: ExprId, ty: Type) -> Option<Linear> {
        let Type::Integer(integer) = ty else { return None };
        let (base, bytes) = match self.body.expressions[pointer].kind {
            ExprKind::Offset(base, offset) => (base, self.number(values, offset)?),
            _ => (pointer, Linear::constant(0)),
        };
        let ExprKind::Object(object) = self.body.expressions[base].kind else { return None };
        let size = i128::from(integer.width / 8);
        let mut index = Linear::constant(divided(bytes.offset(), size)?);
        for (part, factor) in bytes.parts() {
            index = index.plus(&Linear::of(part.clone()), divided(factor, size)?)?;
        }
        Some(Linear::of(Expression::Element(Element {
            buffer: self.objects.get(&object)?.clone(),
            index: Box::new(index.expression()),
            bytes: u8::try_from(size).ok()?,
            signed: integer.signed,
            moment: Moment::Now,
        })))
    }
}

fn divided(number: i128, by: i128) -> Option<i128> {
    (by > 0 && number % by == 0).then(|| number / by)
}

/// One of two numbers.
fn select(condition: &Condition, then: &Linear, otherwise: &Linear) -> Linear {
    match condition {
        Condition::All(parts) if parts.is_empty() => return then.clone(),
        Condition::Any(parts) if parts.is_empty() => return otherwise.clone(),
        _ if then == otherwise => return then.clone(),
        _ => {}
    }
    Linear::of(Expression::Select {
        condition: Box::new(condition.formula()),
        then: Box::new(then.expression()),
        otherwise: Box::new(otherwise.expression()),
    })
}

/// That a number is not zero. One that stands for a condition is that condition.
fn is_true(number: &Linear) -> Option<Condition> {
    if let (Some((Expression::Select { condition, then, otherwise }, 1)), 0) =
        (number.parts().next(), number.offset())
        && number.parts().count() == 1
        && **then == Expression::from(1)
        && **otherwise == Expression::from(0)
    {
        return Condition::parse(condition);
    }
    Some(Condition::equal(number, &Linear::constant(0))?.negated())
}
