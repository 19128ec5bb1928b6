//! Expressions of a program as linear expressions and commands.
//!
//! Every integer is a number of ℤ. In machine mode an operation whose value can leave its type is followed by a command that
//! says so: a signed one does not overflow (a proof of termination needs that anyway), an unsigned one and a conversion
//! wraps. What is not linear is a number of its own (`scratch`) of which only limits are known: quotients and remainders by
//! known numbers, low bits, and choices.
//!
//! A pointer is its offset. Known imprecision: that two pointers differ says nothing, since their objects may differ;
//! memory and floating point numbers are anything.

use std::collections::BTreeMap;

use domains::{Constraint, Dimension, Expression};
use logic::Integer;
use logic::numbers::Rational;
use program::{BinaryOp, Body, Expr, ExprId, ExprKind, IntegerType, Type, UnaryOp, VariableId};

use super::command::{Command, Limits};

/// Expressions that are nested deeper are given up.
const DEEPEST: u32 = 40;

/// Translates the expressions of one statement.
pub(super) struct Translator<'a> {
    /// The function that they are in.
    pub body: &'a Body,
    /// The numbers of its variables.
    pub dimensions: &'a BTreeMap<VariableId, Dimension>,
    /// Whether integers have the limits of their types.
    pub machine: bool,
    /// Numbers for what is not linear, shared by all statements.
    pub scratch: &'a mut Scratch,
    /// What comes before the statement's own effect.
    pub commands: Vec<Command>,
}

/// Numbers that live for one statement.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// All that were ever needed at once.
    pub all: Vec<Dimension>,
    /// How many the current statement uses.
    used: usize,
    /// The next number that is free.
    pub next: u32,
}

impl Scratch {
    fn take(&mut self) -> Dimension {
        if self.used == self.all.len() {
            self.all.push(Dimension(self.next));
            self.next += 1;
        }
        self.used += 1;
        self.all[self.used - 1]
    }
}

/// The limits of a type, if it has some.
pub(super) fn limits(ty: Type, machine: bool) -> Option<Limits> {
    match ty {
        Type::Bool => Some(Limits { least: Rational::ZERO, greatest: Rational::ONE }),
        Type::Integer(ty) if machine && (ty.width < 128 || ty.signed) => Some(Limits {
            least: Rational::from(Integer::from(ty.minimum())),
            greatest: Rational::from(Integer::from(ty.maximum())),
        }),
        _ => None,
    }
}

/// Lets a number be anything that its type allows.
pub(super) fn anything(target: Dimension, ty: Type, machine: bool, commands: &mut Vec<Command>) {
    commands.push(Command::Forget(target));
    if let Some(limits) = limits(ty, machine) {
        let value = Expression::variable(target);
        commands.extend(limits.constraints(&value).into_iter().map(Command::Assume));
    }
}

fn constant(value: i128) -> Expression {
    Expression::constant(Rational::from(Integer::from(value)))
}

fn at_most(left: &Expression, right: &Expression) -> Command {
    Command::Assume(Constraint::at_most(left, right))
}

fn less(left: &Expression, right: &Expression) -> Command {
    Command::Assume(Constraint::less(left, right))
}

impl Translator<'_> {
    /// The commands, with an end to the scratch numbers.
    pub fn finish(mut self) -> Vec<Command> {
        let used = std::mem::take(&mut self.scratch.used);
        self.commands.extend(self.scratch.all[..used].iter().map(|scratch| Command::Forget(*scratch)));
        self.commands
    }

    /// Gives a variable the value of an expression.
    pub fn assign(&mut self, target: Dimension, ty: Type, value: ExprId) {
        let from = self.body.expressions[value].ty;
        let number = if from == ty { self.value(value) } else { None };
        match number {
            Some(number) => self.commands.push(Command::Assign(target, number)),
            None => anything(target, ty, self.machine, &mut self.commands),
        }
    }

    /// An expression of any type as a number: a pointer's is its offset.
    pub fn value(&mut self, expression: ExprId) -> Option<Expression> {
        match self.body.expressions[expression].ty {
            Type::Pointer => self.offset(expression, 0),
            Type::Bool | Type::Integer(_) => self.number(expression, 0),
            Type::Float(_) => None,
        }
    }

    fn variable(&self, variable: VariableId) -> Option<Expression> {
        self.dimensions.get(&variable).copied().map(Expression::variable)
    }

    fn offset(&mut self, expression: ExprId, depth: u32) -> Option<Expression> {
        if depth > DEEPEST {
            return None;
        }
        match self.body.expressions[expression].kind {
            ExprKind::Variable(variable) => self.variable(variable),
            ExprKind::Object(_) | ExprKind::Null => Some(Expression::zero()),
            ExprKind::Offset(base, bytes) => {
                let base = self.offset(base, depth + 1)?;
                Some(&base + &self.number(bytes, depth + 1)?)
            }
            _ => None,
        }
    }

    /// A number of which nothing is known but its type.
    fn unknown(&mut self, ty: Type) -> Expression {
        let scratch = self.scratch.take();
        anything(scratch, ty, self.machine, &mut self.commands);
        Expression::variable(scratch)
    }

    fn number(&mut self, expression: ExprId, depth: u32) -> Option<Expression> {
        let Expr { kind, ty } = self.body.expressions[expression];
        if depth > DEEPEST {
            return Some(self.unknown(ty));
        }
        match (kind, ty) {
            (ExprKind::Integer(value), _) => Some(constant(value)),
            (ExprKind::Variable(variable), _) => self.variable(variable).or_else(|| Some(self.unknown(ty))),
            (ExprKind::Select(condition, then, otherwise), _) => {
                self.choice(ty, condition, Some((then, otherwise)), depth)
            }
            (_, Type::Bool) => self.choice(ty, expression, None, depth),
            (ExprKind::Convert(operand), Type::Integer(to)) => self.convert(operand, to, depth),
            (ExprKind::Unary(op, operand), Type::Integer(to)) => {
                let operand = self.number(operand, depth + 1)?;
                let value = match op {
                    UnaryOp::Negate => -&operand,
                    UnaryOp::Complement => -&(&operand + &constant(1)),
                    _ => return Some(self.unknown(ty)),
                };
                Some(self.fit(value, to))
            }
            (ExprKind::Binary(op, left, right), Type::Integer(to)) => {
                let left = self.number(left, depth + 1)?;
                let right = self.number(right, depth + 1)?;
                Some(self.operation(op, &left, &right, to))
            }
            (ExprKind::Difference(left, right), Type::Integer(_)) => {
                let left = self.offset(left, depth + 1);
                let right = self.offset(right, depth + 1);
                left.zip(right).map(|(left, right)| &left - &right).or_else(|| Some(self.unknown(ty)))
            }
            _ => Some(self.unknown(ty)),
        }
    }

    /// A number that an operation of a type gives.
    fn fit(&mut self, value: Expression, ty: IntegerType) -> Expression {
        let Some(limits) = limits(Type::Integer(ty), self.machine) else { return value };
        if ty.signed {
            self.commands.push(Command::Fit(value.clone(), limits));
            return value;
        }
        self.wrapped(value, limits)
    }

    fn wrapped(&mut self, value: Expression, limits: Limits) -> Expression {
        let is_inside = |value: &Rational| limits.least <= *value && *value <= limits.greatest;
        if value.as_constant().is_some_and(is_inside) {
            return value;
        }
        let scratch = self.scratch.take();
        self.commands.push(Command::Assign(scratch, value));
        self.commands.push(Command::Wrap(scratch, limits));
        Expression::variable(scratch)
    }

    fn convert(&mut self, operand: ExprId, to: IntegerType, depth: u32) -> Option<Expression> {
        match self.body.expressions[operand].ty {
            Type::Bool => self.number(operand, depth + 1),
            Type::Integer(from) => {
                let value = self.number(operand, depth + 1)?;
                let is_kept = to.minimum() <= from.minimum() && from.maximum() <= to.maximum();
                match limits(Type::Integer(to), self.machine) {
                    Some(limits) if !is_kept => Some(self.wrapped(value, limits)),
                    _ => Some(value),
                }
            }
            Type::Float(_) | Type::Pointer => Some(self.unknown(Type::Integer(to))),
        }
    }

    fn operation(
        &mut self,
        op: BinaryOp,
        left: &Expression,
        right: &Expression,
        ty: IntegerType,
    ) -> Expression {
        let known = |value: &Expression| value.as_constant().and_then(Rational::to_integer);
        let positive = known(right).filter(|value| *value > Integer::ZERO);
        match op {
            BinaryOp::Add => self.fit(left + right, ty),
            BinaryOp::Subtract => self.fit(left - right, ty),
            BinaryOp::Multiply => match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => self.fit(right.scaled(factor), ty),
                (_, Some(factor)) => self.fit(left.scaled(factor), ty),
                _ if ty.signed || !self.machine => self.product(left, right, ty),
                _ => self.unknown(Type::Integer(ty)),
            },
            BinaryOp::ShiftLeft => match power(positive.as_ref()) {
                Some(factor) => self.fit(left.scaled(&factor), ty),
                None if known(right) == Some(Integer::ZERO) => left.clone(),
                None => self.unknown(Type::Integer(ty)),
            },
            BinaryOp::Divide | BinaryOp::Remainder => {
                let is_remainder = op == BinaryOp::Remainder;
                match positive {
                    Some(divisor) => {
                        let divisor = Rational::from(divisor);
                        let quotient = self.quotient(left, &divisor, ty.signed);
                        if is_remainder { left - &quotient.scaled(&divisor) } else { quotient }
                    }
                    None => self.division(left, right, is_remainder, ty),
                }
            }
            BinaryOp::ShiftRight => match power(positive.as_ref()) {
                Some(divisor) => self.quotient(left, &divisor, false),
                None => self.unknown(Type::Integer(ty)),
            },
            BinaryOp::And => self.low_bits(left, right, ty),
            _ => self.unknown(Type::Integer(ty)),
        }
    }

    /// The quotient by a positive number, rounded down or, as C does, towards zero.
    fn quotient(&mut self, dividend: &Expression, divisor: &Rational, towards_zero: bool) -> Expression {
        let scratch = self.scratch.take();
        let quotient = Expression::variable(scratch);
        let multiple = quotient.scaled(divisor);
        let rest = Expression::constant(divisor - &Rational::ONE);
        let down = vec![at_most(&multiple, dividend), at_most(dividend, &(&multiple + &rest))];
        self.commands.push(Command::Forget(scratch));
        if !towards_zero {
            self.commands.extend(down);
            return quotient;
        }
        let mut positive = vec![at_most(&Expression::zero(), dividend)];
        positive.extend(down);
        let negative = vec![
            less(dividend, &Expression::zero()),
            at_most(dividend, &multiple),
            at_most(&(&multiple - &rest), dividend),
        ];
        self.commands.push(Command::Either(vec![positive, negative]));
        quotient
    }

    /// A quotient or a remainder by a number that is not known: limits where both numbers are positive.
    fn division(
        &mut self,
        left: &Expression,
        right: &Expression,
        remainder: bool,
        ty: IntegerType,
    ) -> Expression {
        let result = self.unknown(Type::Integer(ty));
        let (zero, one) = (Expression::zero(), constant(1));
        let mut positive = vec![at_most(&zero, left), at_most(&one, right), at_most(&zero, &result)];
        positive.push(at_most(&result, left));
        if remainder {
            positive.push(less(&result, right));
        }
        let others = vec![vec![less(left, &zero)], vec![less(right, &one)]];
        let ways = std::iter::once(positive).chain(others).collect();
        self.commands.push(Command::Either(ways));
        result
    }

    /// A product of two numbers that are not known, and that does not wrap: its sign.
    fn product(&mut self, left: &Expression, right: &Expression, ty: IntegerType) -> Expression {
        let result = self.unknown(Type::Integer(ty));
        let zero = Expression::zero();
        if left == right {
            self.commands.push(at_most(&zero, &result));
            self.commands.push(at_most(left, &result));
            return result;
        }
        let mut ways = Vec::new();
        for (first, second) in [(left, right), (&-left, &-right), (left, &-right), (&-left, right)] {
            let is_positive = ways.len() < 2;
            let mut way = vec![at_most(&zero, first), at_most(&zero, second)];
            way.push(if is_positive { at_most(&zero, &result) } else { at_most(&result, &zero) });
            ways.push(way);
        }
        self.commands.push(Command::Either(ways));
        result
    }

    /// The bits that two numbers share.
    fn low_bits(&mut self, left: &Expression, right: &Expression, ty: IntegerType) -> Expression {
        let result = self.unknown(Type::Integer(ty));
        for mask in [left, right] {
            if mask.as_constant().is_some_and(|mask| !mask.is_negative()) || !ty.signed {
                self.commands.push(at_most(&Expression::zero(), &result));
                self.commands.push(at_most(&result, mask));
            }
        }
        result
    }

    /// One of two numbers, or whether a condition holds as a number.
    fn choice(
        &mut self,
        ty: Type,
        condition: ExprId,
        values: Option<(ExprId, ExprId)>,
        depth: u32,
    ) -> Option<Expression> {
        if !matches!(ty, Type::Bool | Type::Integer(_)) {
            return None;
        }
        let scratch = self.scratch.take();
        let before = std::mem::take(&mut self.commands);
        let mut ways = Vec::new();
        for holds in [true, false] {
            self.condition_at(condition, holds, depth + 1);
            let value = match values {
                None => Some(constant(i128::from(holds))),
                Some((then, otherwise)) => self.number(if holds { then } else { otherwise }, depth + 1),
            };
            match value {
                Some(value) => self.commands.push(Command::Assign(scratch, value)),
                None => anything(scratch, ty, self.machine, &mut self.commands),
            }
            ways.push(std::mem::take(&mut self.commands));
        }
        self.commands = before;
        self.commands.push(Command::Either(ways));
        Some(Expression::variable(scratch))
    }

    /// Lets only states go on in which a condition holds, or does not.
    pub fn condition(&mut self, expression: ExprId, holds: bool) {
        self.condition_at(expression, holds, 0);
    }

    fn condition_at(&mut self, expression: ExprId, holds: bool, depth: u32) {
        if depth > DEEPEST {
            return;
        }
        let Expr { kind, ty } = self.body.expressions[expression];
        match kind {
            ExprKind::Integer(value) if (value != 0) != holds => {
                self.commands.push(at_most(&constant(1), &Expression::zero()));
            }
            ExprKind::Variable(variable) if ty == Type::Bool => {
                if let Some(value) = self.variable(variable) {
                    let number = constant(i128::from(holds));
                    self.commands.push(Command::Assume(Constraint::equal(&value, &number)));
                }
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition_at(operand, !holds, depth + 1),
            ExprKind::Convert(operand) => match self.body.expressions[operand].ty {
                Type::Bool => self.condition_at(operand, holds, depth + 1),
                Type::Integer(_) => {
                    if let Some(value) = self.number(operand, depth + 1) {
                        self.compare(BinaryOp::NotEqual, &value, &Expression::zero(), holds);
                    }
                }
                Type::Float(_) | Type::Pointer => {}
            },
            ExprKind::Binary(BinaryOp::And, left, right) if ty == Type::Bool => {
                self.both(left, right, holds, holds, depth);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if ty == Type::Bool => {
                self.both(left, right, !holds, holds, depth);
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                self.comparison(op, left, right, holds, depth);
            }
            _ => {}
        }
    }

    /// That two conditions hold (or not) together, or that one of them does.
    fn both(&mut self, left: ExprId, right: ExprId, together: bool, holds: bool, depth: u32) {
        if together {
            self.condition_at(left, holds, depth + 1);
            self.condition_at(right, holds, depth + 1);
            return;
        }
        let before = std::mem::take(&mut self.commands);
        self.condition_at(left, holds, depth + 1);
        let first = std::mem::take(&mut self.commands);
        self.condition_at(left, !holds, depth + 1);
        self.condition_at(right, holds, depth + 1);
        let second = std::mem::replace(&mut self.commands, before);
        self.commands.push(Command::Either(vec![first, second]));
    }

    fn comparison(&mut self, op: BinaryOp, left: ExprId, right: ExprId, holds: bool, depth: u32) {
        let expressions = &self.body.expressions;
        let (first, second) = (expressions[left], expressions[right]);
        // A condition that was stored as a number and is tested again.
        if let (ExprKind::Convert(inner), ExprKind::Integer(0), BinaryOp::Equal | BinaryOp::NotEqual) =
            (first.kind, second.kind, op)
            && expressions[inner].ty == Type::Bool
        {
            return self.condition_at(inner, holds == (op == BinaryOp::NotEqual), depth + 1);
        }
        let (left, right) = match first.ty {
            Type::Pointer => {
                if (op == BinaryOp::NotEqual) == holds && matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                    return;
                }
                (self.offset(left, depth + 1), self.offset(right, depth + 1))
            }
            Type::Bool | Type::Integer(_) => (self.number(left, depth + 1), self.number(right, depth + 1)),
            Type::Float(_) => (None, None),
        };
        if let (Some(left), Some(right)) = (left, right) {
            self.compare(op, &left, &right, holds);
        }
    }

    fn compare(&mut self, op: BinaryOp, left: &Expression, right: &Expression, holds: bool) {
        let command = match (op, holds) {
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
                Command::Assume(Constraint::equal(left, right))
            }
            (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => {
                Command::Either(vec![vec![less(left, right)], vec![less(right, left)]])
            }
            (BinaryOp::Less, true) => less(left, right),
            (BinaryOp::Less, false) => at_most(right, left),
            (BinaryOp::LessEqual, true) => at_most(left, right),
            (BinaryOp::LessEqual, false) => less(right, left),
            _ => return,
        };
        self.commands.push(command);
    }
}

/// Two to the power of a small positive number.
fn power(exponent: Option<&Integer>) -> Option<Rational> {
    let exponent = u32::try_from(exponent?).ok().filter(|exponent| *exponent < 120)?;
    Some(Rational::from(Integer::from(1i128 << exponent)))
}
