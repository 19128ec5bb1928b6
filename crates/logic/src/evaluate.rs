//! What terms mean: their value under a model. All else in this crate is tested against it.

use rustc_hash::FxHashMap;

use crate::model::Model;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};
use crate::value::{ArrayValue, Value};
use crate::{BitVector, Integer};

/// Values of terms under one model; each term is evaluated once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    model: &'a Model,
    values: FxHashMap<Term, Value>,
}

impl<'a> Evaluation<'a> {
    /// An evaluation under a model.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Self { terms, model, values: FxHashMap::default() }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> &Value {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.values.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = self.terms.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| !self.values.contains_key(operand)));
            if stack.len() == before {
                let value = self.apply(node);
                self.values.insert(top, value);
                stack.pop();
            }
        }
        &self.values[&term]
    }

    /// Whether a boolean term is true.
    pub fn is_true(&mut self, term: Term) -> bool {
        self.value(term).as_bool() == Some(true)
    }

    fn apply(&self, node: Node) -> Value {
        let value = |term: Term| &self.values[&term];
        match node {
            Node::Symbol(symbol) => self.model.get(self.terms, symbol),
            Node::Constant(constant) => self.terms.constant(constant).clone(),
            Node::Unary(op, a) => unary(op, value(a)),
            Node::Binary(op, a, b) => binary(op, value(a), value(b)),
            Node::Ite(condition, then, otherwise) => {
                value(if value(condition).as_bool() == Some(true) { then } else { otherwise }).clone()
            }
            Node::Store(array, index, element) => {
                let mut result = value(array).clone();
                if let Value::Array(array) = &mut result {
                    array.set(value(index).clone(), value(element).clone());
                }
                result
            }
            Node::ConstantArray(index, element) => Value::Array(Box::new(ArrayValue {
                index,
                default: value(element).clone(),
                entries: Default::default(),
            })),
        }
    }
}

/// The value of a term under a model.
pub fn evaluate(terms: &Terms, model: &Model, term: Term) -> Value {
    Evaluation::new(terms, model).value(term).clone()
}

/// An operation on one value of the right sort.
pub fn unary(op: Unary, value: &Value) -> Value {
    match (op, value) {
        (Unary::Not, Value::Bool(truth)) => Value::Bool(!truth),
        (Unary::BitNot, Value::BitVector(bits)) => Value::BitVector(bits.not()),
        (Unary::BitNegate, Value::BitVector(bits)) => Value::BitVector(bits.negate()),
        (Unary::Extract { high, low }, Value::BitVector(bits)) => Value::BitVector(bits.extract(high, low)),
        (Unary::ZeroExtend(by), Value::BitVector(bits)) => Value::BitVector(bits.zero_extend(by)),
        (Unary::SignExtend(by), Value::BitVector(bits)) => Value::BitVector(bits.sign_extend(by)),
        (Unary::UnsignedToInteger, Value::BitVector(bits)) => Value::Integer(bits.unsigned().into()),
        (Unary::SignedToInteger, Value::BitVector(bits)) => Value::Integer(bits.signed()),
        (Unary::IntegerToBits(width), Value::Integer(number)) => {
            Value::BitVector(BitVector::wrapping(width, number))
        }
        (Unary::Negate, Value::Integer(number)) => Value::Integer(-number),
        _ => unreachable!("terms are well-sorted: {op:?} of {value:?}"),
    }
}

/// An operation on two values of the right sorts.
pub fn binary(op: Binary, left: &Value, right: &Value) -> Value {
    match (op, left, right) {
        (Binary::Equal, _, _) => Value::Bool(equal(left, right)),
        (Binary::And, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a && *b),
        (Binary::Or, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a || *b),
        (Binary::Select, Value::Array(array), index) => array.get(index).clone(),
        (_, Value::BitVector(a), Value::BitVector(b)) => bits(op, a, b),
        (_, Value::Integer(a), Value::Integer(b)) => integer(op, a, b),
        _ => unreachable!("terms are well-sorted: {op:?} of {left:?} and {right:?}"),
    }
}

/// Equality. Two arrays over few indices can be equal though one has an entry for each of them.
fn equal(left: &Value, right: &Value) -> bool {
    let (Value::Array(a), Value::Array(b)) = (left, right) else { return left == right };
    let differs = |index: &Value| a.get(index) != b.get(index);
    if a.entries.keys().chain(b.entries.keys()).any(differs) {
        return false;
    }
    if a.default == b.default {
        return true;
    }
    // The defaults differ: the arrays are equal only if no index is left to the defaults.
    let mentioned: std::collections::BTreeSet<&Value> = a.entries.keys().chain(b.entries.keys()).collect();
    match a.index {
        crate::Scalar::Bool => mentioned.len() == 2,
        crate::Scalar::BitVector(width) => width < 64 && mentioned.len() as u64 == 1 << width,
        crate::Scalar::Integer => false,
    }
}

fn bits(op: Binary, a: &BitVector, b: &BitVector) -> Value {
    use Binary::*;
    Value::BitVector(match op {
        BitAnd => a.and(b),
        BitOr => a.or(b),
        BitXor => a.xor(b),
        BitAdd => a.add(b),
        BitSubtract => a.subtract(b),
        BitMultiply => a.multiply(b),
        UnsignedDivide => a.unsigned_divide(b),
        UnsignedRemainder => a.unsigned_remainder(b),
        SignedDivide => a.signed_divide(b),
        SignedRemainder => a.signed_remainder(b),
        ShiftLeft => a.shift_left(b),
        ShiftRight => a.shift_right(b),
        ShiftRightSigned => a.shift_right_signed(b),
        Concat => a.concat(b),
        UnsignedLess => return Value::Bool(a.unsigned_less(b)),
        UnsignedLessEqual => return Value::Bool(!b.unsigned_less(a)),
        SignedLess => return Value::Bool(a.signed_less(b)),
        SignedLessEqual => return Value::Bool(!b.signed_less(a)),
        SignedMultiplyOverflows => return Value::Bool(a.signed_multiply_overflows(b)),
        UnsignedMultiplyOverflows => return Value::Bool(a.unsigned_multiply_overflows(b)),
        _ => unreachable!("{op:?} is no operation on bits"),
    })
}

fn integer(op: Binary, a: &Integer, b: &Integer) -> Value {
    use dashu_int::ops::{DivEuclid, RemEuclid};
    Value::Integer(match op {
        Binary::Add => a + b,
        Binary::Multiply => a * b,
        Binary::Divide if b.is_zero() => Integer::ZERO,
        Binary::Divide => DivEuclid::div_euclid(a, b),
        Binary::Modulo if b.is_zero() => a.clone(),
        Binary::Modulo => Integer::from(RemEuclid::rem_euclid(a, b)),
        Binary::LessEqual => return Value::Bool(a <= b),
        Binary::Less => return Value::Bool(a < b),
        _ => unreachable!("{op:?} is no operation on numbers"),
    })
}
