//! Expressions as terms, with the meaning that [`program::arithmetic`] gives them.
//!
//! What has no exact term is a fresh symbol, which can only make more runs possible: floating point operations on
//! unknown operands, bitwise operations on mathematical integers, addresses as numbers, and comparisons of pointers to
//! different objects that C does not define.

use logic::{Binary, Sort, Term, Unary};
use program::interpret::Integers;
use program::{BinaryOp, Body, Expr, ExprId, ExprKind, IntegerType, ObjectRef, Type, UnaryOp};
use rustc_hash::FxHashMap;

use crate::encoder::Encoder;
use crate::state::{State, merge_values};
use crate::value::{OFFSET_WIDTH, Pointer, Value, anything};

impl Encoder<'_> {
    /// The value of an expression of a body in a state.
    pub(crate) fn expression(&mut self, body: &Body, state: &mut State, id: ExprId) -> Value {
        let expr = &body.expressions[id];
        if expr.operands().next().is_none() {
            return self.leaf(body, state, expr);
        }
        let mut done: FxHashMap<ExprId, Value> = FxHashMap::default();
        let mut stack = vec![id];
        while let Some(&top) = stack.last() {
            if done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let expr = &body.expressions[top];
            let before = stack.len();
            stack.extend(expr.operands().filter(|operand| !done.contains_key(operand)));
            if stack.len() == before {
                let mut operands = [Value::Unset; 3];
                let mut types = [Type::Bool; 3];
                for (place, operand) in expr.operands().enumerate() {
                    operands[place] = done[&operand];
                    types[place] = body.expressions[operand].ty;
                }
                let value = if expr.operands().next().is_none() {
                    self.leaf(body, state, expr)
                } else {
                    self.operation(state, expr, operands, types)
                };
                done.insert(top, value);
                stack.pop();
            }
        }
        done[&id]
    }

    /// The term of an expression that is no pointer.
    pub(crate) fn scalar(&mut self, body: &Body, state: &mut State, id: ExprId) -> Term {
        let value = self.expression(body, state, id);
        self.as_term(value)
    }

    /// The pointer of an expression that is one.
    pub(crate) fn pointer(&mut self, body: &Body, state: &mut State, id: ExprId) -> Pointer {
        let value = self.expression(body, state, id);
        self.as_pointer(value)
    }

    /// An expression of the size type as bits as wide as an offset.
    pub(crate) fn size(&mut self, body: &Body, state: &mut State, id: ExprId) -> Term {
        let term = self.scalar(body, state, id);
        self.as_offset(term, false)
    }

    pub(crate) fn as_offset(&mut self, term: Term, signed: bool) -> Term {
        match self.terms.sort(term) {
            Sort::Integer => {
                let bits = self.terms.unary(Unary::IntegerToBits(OFFSET_WIDTH), term);
                let op = if signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
                let back = self.terms.unary(op, bits);
                let fits = self.terms.equal(back, term);
                if self.terms.is_true(fits) {
                    return bits;
                }
                // No offset and no size is so large: nothing is known of what it does.
                let unknown = self.terms.fresh("beyond all addresses", Sort::BitVector(OFFSET_WIDTH));
                self.terms.ite(fits, bits, unknown)
            }
            _ => self.terms.resize(term, OFFSET_WIDTH, signed),
        }
    }

    pub(crate) fn as_term(&mut self, value: Value) -> Term {
        match value {
            Value::Scalar(term) => term,
            // A verified program never takes a pointer for a number.
            Value::Pointer(pointer) => pointer.offset,
            Value::Unset => self.terms.fresh("unset", Sort::Bool),
        }
    }

    pub(crate) fn as_pointer(&mut self, value: Value) -> Pointer {
        match value {
            Value::Pointer(pointer) => pointer,
            _ => Pointer::null(&mut self.terms),
        }
    }

    /// An arbitrary value of a type.
    pub(crate) fn arbitrary(&mut self, name: &str, ty: Type) -> Value {
        anything(&mut self.terms, name, ty, self.options.integers)
    }

    pub(crate) fn integer_sort(&self, integer: IntegerType) -> Sort {
        match self.options.integers {
            Integers::Machine => Sort::BitVector(integer.width.into()),
            Integers::Mathematical => Sort::Integer,
        }
    }

    pub(crate) fn is_mathematical(&self) -> bool {
        self.options.integers == Integers::Mathematical
    }

    /// Bits as a value of a type as wide.
    pub(crate) fn bits_value(&mut self, ty: IntegerType, bits: Term) -> Value {
        if !self.is_mathematical() {
            return Value::Scalar(bits);
        }
        let op = if ty.signed { Unary::SignedToInteger } else { Unary::UnsignedToInteger };
        Value::Scalar(self.terms.unary(op, bits))
    }

    /// Whether a number is within limits.
    pub(crate) fn within(&mut self, at_most: Binary, low: Term, number: Term, high: Term) -> Term {
        let above = self.terms.binary(at_most, low, number);
        let below = self.terms.binary(at_most, number, high);
        self.terms.and(above, below)
    }

    /// An integer constant of a type.
    pub(crate) fn constant(&mut self, integer: IntegerType, number: i128) -> Term {
        match self.options.integers {
            Integers::Machine => self.terms.signed_bits(integer.width.into(), number),
            Integers::Mathematical if !integer.signed && integer.width == 128 => {
                self.terms.integer(number as u128)
            }
            Integers::Mathematical => self.terms.integer(number),
        }
    }

    fn leaf(&mut self, body: &Body, state: &mut State, expr: &Expr) -> Value {
        match (expr.kind, expr.ty) {
            (ExprKind::Integer(number), Type::Integer(integer)) => {
                Value::Scalar(self.constant(integer, number))
            }
            (ExprKind::Integer(number), _) => Value::Scalar(self.terms.bool(number != 0)),
            (ExprKind::Float(bits), Type::Float(format)) => {
                Value::Scalar(self.terms.bits(format.bits(), bits))
            }
            (ExprKind::Variable(variable), _) => self.read_variable(body, state, variable),
            (ExprKind::Object(ObjectRef::Global(object)), _) => {
                let number = self.global_number(object);
                Value::Pointer(Pointer::to(&mut self.terms, number, 0))
            }
            (ExprKind::Object(ObjectRef::Local(local)), _) => Value::Pointer(Pointer {
                object: state.objects[base::Index::index(local)],
                offset: self.terms.bits(OFFSET_WIDTH, 0),
            }),
            (ExprKind::Function(function), _) => {
                let number = self.function_number(function);
                Value::Pointer(Pointer::to(&mut self.terms, number, 0))
            }
            _ => Value::Pointer(Pointer::null(&mut self.terms)),
        }
    }

    fn operation(&mut self, state: &State, expr: &Expr, operands: [Value; 3], types: [Type; 3]) -> Value {
        let [a, b, c] = operands;
        match expr.kind {
            ExprKind::Unary(op, _) => {
                let operand = self.as_term(a);
                let value = self.unary(op, types[0], expr.ty, operand);
                Value::Scalar(match (op, types[0]) {
                    (UnaryOp::Negate, Type::Integer(ty)) => {
                        let zero = self.constant(ty, 0);
                        self.unless_overflow(BinaryOp::Subtract, ty, types[0], [zero, operand], value)
                    }
                    _ => value,
                })
            }
            ExprKind::Binary(op, ..) => Value::Scalar(match types[0] {
                Type::Bool => {
                    let (a, b) = (self.as_term(a), self.as_term(b));
                    self.boolean_binary(op, a, b)
                }
                Type::Integer(ty) => {
                    let numbers = [self.as_term(a), self.as_term(b)];
                    let value = self.integer_binary(op, ty, types[1], numbers);
                    self.unless_overflow(op, ty, types[1], numbers, value)
                }
                Type::Float(format) => {
                    let (a, b) = (self.as_term(a), self.as_term(b));
                    self.float_binary(op, format, a, b)
                }
                Type::Pointer => {
                    let (a, b) = (self.as_pointer(a), self.as_pointer(b));
                    self.pointer_binary(state, op, a, b)
                }
            }),
            ExprKind::Overflows(op, ..) => {
                let numbers = [self.as_term(a), self.as_term(b)];
                Value::Scalar(match types[0] {
                    Type::Integer(ty) if !self.is_mathematical() => self.overflows(op, ty, types[1], numbers),
                    _ => self.terms.bool(false),
                })
            }
            ExprKind::Convert(_) => self.convert(types[0], expr.ty, a),
            ExprKind::Reinterpret(_) => self.reinterpret(types[0], expr.ty, a),
            ExprKind::Offset(..) => {
                let (pointer, by) = (self.as_pointer(a), self.as_term(b));
                let by = self.as_offset(by, true);
                let offset = self.terms.binary(Binary::BitAdd, pointer.offset, by);
                Value::Pointer(Pointer { offset, ..pointer })
            }
            ExprKind::Difference(..) => {
                let (a, b) = (self.as_pointer(a), self.as_pointer(b));
                self.difference(expr.ty, a, b)
            }
            ExprKind::Select(..) => {
                let condition = self.as_term(a);
                merge_values(&mut self.terms, condition, b, c)
            }
            _ => Value::Unset,
        }
    }
}
