//! What expressions are in a symbolic state.
//!
//! Integers are numbers of ℤ within the range of their type. A sum, a difference or a multiple that leaves the range of
//! a signed type is any number of the type: an overflow is undefined, and nothing may hang on what it gives. One of
//! an unsigned type wraps. All that is not linear is any number of its type.

use logic::{Binary, Sort, Term, Unary};
use program::interpret::Integers;
use program::{BinaryOp, ExprId, ExprKind, IntegerType, ObjectRef, Type, UnaryOp};

use super::Walk;
use super::state::{Home, Pointer, State, Value};

impl<'p> Walk<'p, '_> {
    /// The value of an expression of the running function.
    pub(super) fn value(&mut self, state: &mut State<'p>, expression: ExprId) -> Value {
        let Some(body) = state.frames.last().map(|frame| frame.body) else { return Value::Other };
        let expr = body.expressions[expression];
        match expr.kind {
            ExprKind::Integer(number) => match expr.ty {
                Type::Bool => Value::Truth(self.terms.bool(number != 0)),
                Type::Integer(IntegerType { width: 128, signed: false }) => self.anything(state, expr.ty),
                _ => Value::Number(self.terms.integer(number)),
            },
            ExprKind::Null => Value::Pointer(Pointer::Null),
            ExprKind::Object(object) => {
                let home = match object {
                    ObjectRef::Global(object) => Home::Program(object),
                    ObjectRef::Local(object) => Home::Call(state.frames.len() - 1, object),
                };
                Value::Pointer(Pointer::Object(home, 0))
            }
            ExprKind::Variable(variable) => {
                if let Some(value) = state.variable(variable) {
                    return value;
                }
                let value = self.anything(state, expr.ty);
                state.set(variable, value);
                value
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.truth(state, operand);
                Value::Truth(self.terms.not(operand))
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                match (expr.ty.integer(), self.value(state, operand)) {
                    (Some(ty), Value::Number(number)) => {
                        let negated = self.terms.unary(Unary::Negate, number);
                        self.result(state, ty, negated)
                    }
                    _ => self.anything(state, expr.ty),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(state, expr.ty, op, [left, right]),
            ExprKind::Convert(operand) => {
                let from = body.expressions[operand].ty;
                let value = self.value(state, operand);
                self.convert(state, from, expr.ty, value)
            }
            ExprKind::Offset(base, bytes) => {
                let (base, bytes) = (self.value(state, base), self.value(state, bytes));
                let bytes = match bytes {
                    Value::Number(bytes) => self.constant(bytes),
                    _ => None,
                };
                Value::Pointer(moved(base, bytes).unwrap_or(Pointer::Unknown))
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = self.truth(state, condition);
                match (self.value(state, then), self.value(state, otherwise)) {
                    (a, b) if a == b => a,
                    (Value::Number(a), Value::Number(b)) => Value::Number(self.terms.ite(condition, a, b)),
                    (Value::Truth(a), Value::Truth(b)) => Value::Truth(self.terms.ite(condition, a, b)),
                    _ => self.anything(state, expr.ty),
                }
            }
            _ => self.anything(state, expr.ty),
        }
    }

    /// A number that is known.
    pub(super) fn constant(&self, number: Term) -> Option<i128> {
        self.terms.known_integer(number).and_then(|number| i128::try_from(number.clone()).ok())
    }

    /// The truth of an expression.
    pub(super) fn truth(&mut self, state: &mut State<'p>, expression: ExprId) -> Term {
        match self.value(state, expression) {
            Value::Truth(truth) => truth,
            _ => self.terms.fresh("truth", Sort::Bool),
        }
    }

    /// Any value of a type.
    pub(super) fn anything(&mut self, state: &mut State<'p>, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Truth(self.terms.fresh("any truth", Sort::Bool)),
            Type::Pointer => Value::Pointer(Pointer::Unknown),
            Type::Float(_) => Value::Other,
            Type::Integer(ty) => {
                let number = self.terms.fresh("any number", Sort::Integer);
                let fits = self.fits(ty, number);
                state.conditions.push(fits);
                Value::Number(number)
            }
        }
    }

    /// That a number is one of a type.
    fn fits(&mut self, ty: IntegerType, number: Term) -> Term {
        if self.integers == Integers::Mathematical || ty.width >= 128 {
            return self.terms.bool(true);
        }
        self.between(number, ty.minimum(), ty.maximum())
    }

    /// What an operation of a type gives whose result in ℤ is this: any number of the type where it does not fit.
    fn result(&mut self, state: &mut State<'p>, ty: IntegerType, number: Term) -> Value {
        let fits = self.fits(ty, number);
        if self.integers == Integers::Mathematical || self.terms.is_true(fits) {
            return Value::Number(number);
        }
        if ty.width >= 128 {
            return self.anything(state, Type::Integer(ty));
        }
        match self.anything(state, Type::Integer(ty)) {
            Value::Number(any) => Value::Number(self.terms.ite(fits, number, any)),
            other => other,
        }
    }

    /// The same for an unsigned type, where the number leaves the range at most once: it wraps.
    fn wrapped(&mut self, ty: IntegerType, number: Term) -> Term {
        let size = ty.maximum() + 1;
        let (zero, most) = (self.terms.integer(0), self.terms.integer(ty.maximum()));
        let (up, down) = (self.terms.integer(size), self.terms.integer(-size));
        let (up, down) =
            (self.terms.binary(Binary::Add, number, up), self.terms.binary(Binary::Add, number, down));
        let (below, above) =
            (self.terms.binary(Binary::Less, number, zero), self.terms.binary(Binary::Less, most, number));
        let high = self.terms.ite(above, down, number);
        self.terms.ite(below, up, high)
    }

    fn binary(&mut self, state: &mut State<'p>, ty: Type, op: BinaryOp, operands: [ExprId; 2]) -> Value {
        let [left, right] = operands.map(|operand| self.value(state, operand));
        match (left, right, ty) {
            (Value::Number(a), Value::Number(b), Type::Integer(ty)) => self.arithmetic(state, ty, op, [a, b]),
            (Value::Number(a), Value::Number(b), _) => Value::Truth(match op {
                BinaryOp::Equal => self.terms.equal(a, b),
                BinaryOp::NotEqual => self.terms.differ(a, b),
                BinaryOp::Less => self.terms.binary(Binary::Less, a, b),
                BinaryOp::LessEqual => self.terms.binary(Binary::LessEqual, a, b),
                _ => self.terms.fresh("comparison", Sort::Bool),
            }),
            (Value::Truth(a), Value::Truth(b), _) => Value::Truth(match op {
                BinaryOp::And => self.terms.and(a, b),
                BinaryOp::Or => self.terms.or(a, b),
                BinaryOp::Equal => self.terms.equal(a, b),
                BinaryOp::NotEqual | BinaryOp::Xor => self.terms.differ(a, b),
                _ => self.terms.fresh("truths", Sort::Bool),
            }),
            (Value::Pointer(a), Value::Pointer(b), Type::Bool) => {
                let same = self.same(state, a, b);
                Value::Truth(match (op, same) {
                    (BinaryOp::Equal, Some(same)) => self.terms.bool(same),
                    (BinaryOp::NotEqual, Some(same)) => self.terms.bool(!same),
                    _ => self.terms.fresh("pointers", Sort::Bool),
                })
            }
            _ => self.anything(state, ty),
        }
    }

    fn arithmetic(
        &mut self,
        state: &mut State<'p>,
        ty: IntegerType,
        op: BinaryOp,
        [a, b]: [Term; 2],
    ) -> Value {
        let number = match op {
            BinaryOp::Add => self.terms.binary(Binary::Add, a, b),
            BinaryOp::Subtract => {
                let b = self.terms.unary(Unary::Negate, b);
                self.terms.binary(Binary::Add, a, b)
            }
            BinaryOp::Multiply if self.constant(a).or(self.constant(b)).is_some() => {
                let product = self.terms.binary(Binary::Multiply, a, b);
                return self.result(state, ty, product);
            }
            BinaryOp::Remainder | BinaryOp::Divide => return self.division(state, ty, op, [a, b]),
            _ => return self.anything(state, Type::Integer(ty)),
        };
        let wraps = !ty.signed && ty.width < 120 && self.integers == Integers::Machine;
        if wraps { Value::Number(self.wrapped(ty, number)) } else { self.result(state, ty, number) }
    }

    /// A quotient or a remainder of a number that is not negative by a positive one is between zero and that number, and a
    /// remainder is less than the divisor.
    fn division(&mut self, state: &mut State<'p>, ty: IntegerType, op: BinaryOp, [a, b]: [Term; 2]) -> Value {
        let any = self.anything(state, Type::Integer(ty));
        let Value::Number(result) = any else { return any };
        let zero = self.terms.integer(0);
        let terms = &mut self.terms;
        let positive = terms.binary(Binary::Less, zero, b);
        let not_negative = terms.binary(Binary::LessEqual, zero, a);
        let (low, high) =
            (terms.binary(Binary::LessEqual, zero, result), terms.binary(Binary::LessEqual, result, a));
        let mut claims = vec![low, high];
        if op == BinaryOp::Remainder {
            claims.push(terms.binary(Binary::Less, result, b));
        }
        let claims = terms.all(&claims);
        let both = terms.and(positive, not_negative);
        let known = terms.implies(both, claims);
        state.conditions.push(known);
        any
    }

    fn convert(&mut self, state: &mut State<'p>, from: Type, to: Type, value: Value) -> Value {
        match (from, to, value) {
            (Type::Pointer, Type::Pointer, _) => value,
            (Type::Pointer, Type::Bool, Value::Pointer(pointer)) => {
                match self.same(state, pointer, Pointer::Null) {
                    Some(null) => Value::Truth(self.terms.bool(!null)),
                    None => self.anything(state, to),
                }
            }
            (Type::Bool, Type::Integer(_), Value::Truth(truth)) => {
                let (one, zero) = (self.terms.integer(1), self.terms.integer(0));
                Value::Number(self.terms.ite(truth, one, zero))
            }
            (Type::Integer(_), Type::Bool, Value::Number(number)) => {
                let zero = self.terms.integer(0);
                Value::Truth(self.terms.differ(number, zero))
            }
            (Type::Integer(_), Type::Integer(ty), Value::Number(number)) => self.result(state, ty, number),
            (Type::Integer(_), Type::Pointer, Value::Number(number)) if self.constant(number) == Some(0) => {
                Value::Pointer(Pointer::Null)
            }
            _ => self.anything(state, to),
        }
    }

    /// Whether two pointers are equal, if that is known: different live objects have no byte in common.
    fn same(&self, state: &State<'p>, left: Pointer, right: Pointer) -> Option<bool> {
        let is_inside = |pointer: Pointer| match pointer {
            Pointer::Cell(_, offset) => (0..i128::from(self.claim.size)).contains(&offset),
            Pointer::Object(home, offset) => {
                let size = self.size_of(state, home);
                state.lives(home) && (0..i128::from(size)).contains(&offset)
            }
            Pointer::Null | Pointer::Unknown => true,
        };
        match (left, right) {
            (Pointer::Unknown, _) | (_, Pointer::Unknown) => None,
            (Pointer::Cell(a, x), Pointer::Cell(b, y)) if a == b => Some(x == y),
            (Pointer::Object(a, x), Pointer::Object(b, y)) if a == b => Some(x == y),
            // Literals may share their bytes.
            (Pointer::Object(..), Pointer::Object(..)) => None,
            (Pointer::Null, Pointer::Null) => Some(true),
            _ => (is_inside(left) && is_inside(right)).then_some(false),
        }
    }
}

/// A pointer moved by so many bytes, if that is known.
fn moved(base: Value, bytes: Option<i128>) -> Option<Pointer> {
    let Value::Pointer(base) = base else { return None };
    match base {
        Pointer::Cell(location, offset) => Some(Pointer::Cell(location, offset.checked_add(bytes?)?)),
        Pointer::Object(object, offset) => Some(Pointer::Object(object, offset.checked_add(bytes?)?)),
        Pointer::Null if bytes == Some(0) => Some(Pointer::Null),
        Pointer::Null | Pointer::Unknown => None,
    }
}
