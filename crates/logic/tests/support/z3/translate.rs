//! Terms as Z3's own, for the library.

use ::z3::ast::{Array, Ast, BV, Bool, Dynamic, Int};
use ::z3::{Context, Sort as Z3Sort};
use rustc_hash::FxHashMap;

use super::super::smtlib::Printer;
use loopscope_logic::node::{Binary, Node, Unary};
use loopscope_logic::sort::{Scalar, Sort};
use loopscope_logic::terms::{Term, Terms};
use loopscope_logic::value::Value;

/// Makes Z3's terms of ours, each once.
pub(super) struct Translator<'c> {
    context: &'c Context,
    done: FxHashMap<Term, Dynamic<'c>>,
}

impl<'c> Translator<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self { context, done: FxHashMap::default() }
    }

    /// A boolean term.
    pub(super) fn bool(&mut self, terms: &Terms, term: Term) -> Bool<'c> {
        self.term(terms, term);
        self.as_bool(term)
    }

    /// Any term.
    pub(super) fn term(&mut self, terms: &Terms, term: Term) -> Dynamic<'c> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.node(top).operands().filter(|operand| !self.done.contains_key(operand)));
            if stack.len() == before {
                let made = self.make(terms, top);
                self.done.insert(top, made);
                stack.pop();
            }
        }
        self.done[&term].clone()
    }

    fn as_bool(&self, term: Term) -> Bool<'c> {
        self.done[&term].as_bool().expect("terms are well-sorted")
    }

    fn as_bits(&self, term: Term) -> BV<'c> {
        self.done[&term].as_bv().expect("terms are well-sorted")
    }

    fn as_int(&self, term: Term) -> Int<'c> {
        self.done[&term].as_int().expect("terms are well-sorted")
    }

    fn as_array(&self, term: Term) -> Array<'c> {
        self.done[&term].as_array().expect("terms are well-sorted")
    }

    fn scalar(&self, scalar: Scalar) -> Z3Sort<'c> {
        match scalar {
            Scalar::Bool => Z3Sort::bool(self.context),
            Scalar::BitVector(width) => Z3Sort::bitvector(self.context, width),
            Scalar::Integer => Z3Sort::int(self.context),
        }
    }

    /// The term of a node whose operands are done.
    fn make(&self, terms: &Terms, term: Term) -> Dynamic<'c> {
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let name = Printer::name(terms, symbol);
                match terms.sort(term) {
                    Sort::Bool => Bool::new_const(self.context, name).into(),
                    Sort::BitVector(width) => BV::new_const(self.context, name, width).into(),
                    Sort::Integer => Int::new_const(self.context, name).into(),
                    Sort::Array(index, element) => {
                        Array::new_const(self.context, name, &self.scalar(index), &self.scalar(element))
                            .into()
                    }
                }
            }
            Node::Constant(constant) => self.constant(terms.constant(constant)),
            Node::Unary(op, a) => self.unary(op, a),
            Node::Binary(op, a, b) => self.binary(terms, op, a, b),
            Node::Ite(condition, then, otherwise) => {
                self.as_bool(condition).ite(&self.done[&then], &self.done[&otherwise])
            }
            Node::Store(array, index, element) => {
                self.as_array(array).store(&self.done[&index], &self.done[&element]).into()
            }
            Node::ConstantArray(index, element) => {
                Array::const_array(self.context, &self.scalar(index), &self.done[&element]).into()
            }
        }
    }

    fn constant(&self, value: &Value) -> Dynamic<'c> {
        match value {
            Value::Bool(truth) => Bool::from_bool(self.context, *truth).into(),
            Value::BitVector(bits) => {
                let text = bits.unsigned().to_string();
                BV::from_str(self.context, bits.width(), &text).expect("a number in digits").into()
            }
            Value::Integer(number) => {
                Int::from_str(self.context, &number.to_string()).expect("a number in digits").into()
            }
            Value::Array(_) => unreachable!("constants are scalars"),
        }
    }

    fn unary(&self, op: Unary, a: Term) -> Dynamic<'c> {
        match op {
            Unary::Not => self.as_bool(a).not().into(),
            Unary::BitNot => self.as_bits(a).bvnot().into(),
            Unary::BitNegate => self.as_bits(a).bvneg().into(),
            Unary::Extract { high, low } => self.as_bits(a).extract(high, low).into(),
            Unary::ZeroExtend(by) => self.as_bits(a).zero_ext(by).into(),
            Unary::SignExtend(by) => self.as_bits(a).sign_ext(by).into(),
            Unary::UnsignedToInteger => self.as_bits(a).to_int(false).into(),
            Unary::SignedToInteger => self.as_bits(a).to_int(true).into(),
            Unary::IntegerToBits(width) => BV::from_int(&self.as_int(a), width).into(),
            Unary::Negate => self.as_int(a).unary_minus().into(),
        }
    }

    fn binary(&self, terms: &Terms, op: Binary, a: Term, b: Term) -> Dynamic<'c> {
        match op {
            Binary::And => Bool::and(self.context, &[&self.as_bool(a), &self.as_bool(b)]).into(),
            Binary::Or => Bool::or(self.context, &[&self.as_bool(a), &self.as_bool(b)]).into(),
            Binary::Equal => self.done[&a]._eq(&self.done[&b]).into(),
            Binary::Select => self.as_array(a).select(&self.done[&b]),
            _ if terms.sort(a) == Sort::Integer => self.integer(op, &self.as_int(a), &self.as_int(b)),
            _ => bits(op, &self.as_bits(a), &self.as_bits(b)),
        }
    }

    fn integer(&self, op: Binary, a: &Int<'c>, b: &Int<'c>) -> Dynamic<'c> {
        let zero = Int::from_i64(self.context, 0);
        match op {
            Binary::Add => Int::add(self.context, &[a, b]).into(),
            Binary::Multiply => Int::mul(self.context, &[a, b]).into(),
            Binary::Divide => b._eq(&zero).ite(&zero, &a.div(b)).into(),
            Binary::Modulo => b._eq(&zero).ite(a, &a.modulo(b)).into(),
            Binary::LessEqual => a.le(b).into(),
            Binary::Less => a.lt(b).into(),
            _ => unreachable!("{op:?} is no operation on numbers"),
        }
    }
}

fn bits<'c>(op: Binary, a: &BV<'c>, b: &BV<'c>) -> Dynamic<'c> {
    use Binary::*;
    match op {
        BitAnd => a.bvand(b).into(),
        BitOr => a.bvor(b).into(),
        BitXor => a.bvxor(b).into(),
        BitAdd => a.bvadd(b).into(),
        BitSubtract => a.bvsub(b).into(),
        BitMultiply => a.bvmul(b).into(),
        UnsignedDivide => a.bvudiv(b).into(),
        UnsignedRemainder => a.bvurem(b).into(),
        SignedDivide => a.bvsdiv(b).into(),
        SignedRemainder => a.bvsrem(b).into(),
        ShiftLeft => a.bvshl(b).into(),
        ShiftRight => a.bvlshr(b).into(),
        ShiftRightSigned => a.bvashr(b).into(),
        Concat => a.concat(b).into(),
        UnsignedLess => a.bvult(b).into(),
        UnsignedLessEqual => a.bvule(b).into(),
        SignedLess => a.bvslt(b).into(),
        SignedLessEqual => a.bvsle(b).into(),
        SignedMultiplyOverflows => {
            let width = a.get_size();
            let product = a.sign_ext(width).bvmul(&b.sign_ext(width));
            product._eq(&product.extract(width - 1, 0).sign_ext(width)).not().into()
        }
        UnsignedMultiplyOverflows => {
            let width = a.get_size();
            let product = a.zero_ext(width).bvmul(&b.zero_ext(width));
            product._eq(&product.extract(width - 1, 0).zero_ext(width)).not().into()
        }
        _ => unreachable!("{op:?} is no operation on bits"),
    }
}
