//! From terms of booleans and bits to literals, each term once.
//!
//! Bits that are read from arrays, equalities of arrays and comparisons of numbers become free inputs, which remember
//! where they come from: the procedures for arrays and numbers see to it that they get the right values.

use base::Index;
use rustc_hash::FxHashMap;

use super::circuits::{self, Bits, Direction};
use super::gates::{Gates, Literal};
use super::numbers::{Atom, Numbers, Unknown};
use crate::node::{Binary, Node, Unary};
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::value::Value;

/// What a free input stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The bits of a term: a symbol, a read, an equality of arrays.
    Term(Term),
    /// Low bits of an unknown number.
    LowBits(Unknown),
    /// A comparison of numbers.
    Atom(Atom),
}

/// What has been translated.
pub(crate) struct Translator {
    /// The network of gates.
    pub(crate) gates: Gates,
    /// Numbers and comparisons of them.
    pub(crate) numbers: Numbers,
    origins: Vec<Origin>,
    literals: Vec<Literal>,
    /// Where the literals of a term start, by the term's number.
    starts: Vec<u32>,
    equalities: FxHashMap<(Term, Term), Literal>,
    divisions: FxHashMap<(Term, Term, bool), (Bits, Bits)>,
}

const NOT_YET: u32 = u32::MAX;

impl Translator {
    pub(crate) fn new() -> Self {
        Self {
            gates: Gates::new(),
            numbers: Numbers::default(),
            origins: Vec::new(),
            literals: Vec::new(),
            starts: Vec::new(),
            equalities: FxHashMap::default(),
            divisions: FxHashMap::default(),
        }
    }

    /// What an input stands for.
    pub(crate) fn origin(&self, origin: u32) -> Origin {
        self.origins[origin as usize]
    }

    /// The literal of a boolean term.
    pub(crate) fn literal(&mut self, terms: &Terms, term: Term) -> Literal {
        self.translate(terms, term);
        self.done(terms, term)[0]
    }

    /// The literals of a term of bits, or the one of a boolean.
    pub(crate) fn bits(&mut self, terms: &Terms, term: Term) -> Bits {
        self.translate(terms, term);
        self.done(terms, term).to_vec()
    }

    /// The literals of a term, if it was translated.
    pub(crate) fn known_bits(&self, terms: &Terms, term: Term) -> Option<&[Literal]> {
        self.is_done(term).then(|| self.done(terms, term))
    }

    /// Whether two terms of one sort, not arrays, are equal.
    pub(crate) fn equal(&mut self, terms: &Terms, a: Term, b: Term) -> Literal {
        let key = (a.min(b), a.max(b));
        if let Some(&literal) = self.equalities.get(&key) {
            return literal;
        }
        let literal = if terms.sort(a) == Sort::Integer {
            let (a, b) = (self.number(terms, a), self.number(terms, b));
            self.equal_numbers(&a, &b)
        } else {
            let (a, b) = (self.bits(terms, a), self.bits(terms, b));
            circuits::equal(&mut self.gates, &a, &b)
        };
        self.equalities.insert(key, literal);
        literal
    }

    /// Whether two terms are equal, if somebody has asked before.
    pub(crate) fn known_equal(&self, a: Term, b: Term) -> Option<Literal> {
        self.equalities.get(&(a.min(b), a.max(b))).copied()
    }

    /// New inputs that stand for something.
    pub(crate) fn inputs(&mut self, origin: Origin, width: usize) -> Bits {
        let number = u32::try_from(self.origins.len()).expect("fewer than 2^32 inputs");
        self.origins.push(origin);
        (0..width).map(|_| self.gates.input(number)).collect()
    }

    fn is_done(&self, term: Term) -> bool {
        self.starts.get(term.index()).is_some_and(|start| *start != NOT_YET)
    }

    fn done(&self, terms: &Terms, term: Term) -> &[Literal] {
        let start = self.starts[term.index()] as usize;
        &self.literals[start..start + terms.sort(term).width().unwrap_or(1) as usize]
    }

    fn finish(&mut self, term: Term, bits: &[Literal]) {
        if self.starts.len() <= term.index() {
            self.starts.resize(term.index() + 1, NOT_YET);
        }
        self.starts[term.index()] = u32::try_from(self.literals.len()).expect("fewer than 2^32 literals");
        self.literals.extend_from_slice(bits);
    }

    fn translate(&mut self, terms: &Terms, root: Term) {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.is_finished(terms, term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in translated_operands(terms, term) {
                if !self.is_finished(terms, operand) {
                    stack.push(operand);
                }
            }
            if stack.len() == before {
                self.apply(terms, term);
                stack.pop();
            }
        }
    }

    fn is_finished(&self, terms: &Terms, term: Term) -> bool {
        match terms.sort(term) {
            Sort::Integer => self.numbers.form(term).is_some(),
            Sort::Array(..) => true,
            Sort::Bool | Sort::BitVector(_) => self.is_done(term),
        }
    }

    /// Makes sure that a number has a form, and gives it.
    pub(crate) fn number(&mut self, terms: &Terms, term: Term) -> super::numbers::Form {
        self.translate(terms, term);
        self.numbers.form(term).cloned().unwrap_or_default()
    }

    fn apply(&mut self, terms: &Terms, term: Term) {
        if terms.sort(term) == Sort::Integer {
            self.apply_number(terms, term);
            return;
        }
        let width = terms.sort(term).width().unwrap_or(1) as usize;
        let result = match terms.node(term) {
            Node::Symbol(_) | Node::Binary(Binary::Select, ..) => self.inputs(Origin::Term(term), width),
            Node::Constant(constant) => match terms.constant(constant) {
                Value::Bool(truth) => vec![Literal::constant(*truth)],
                Value::BitVector(bits) => {
                    (0..bits.width()).map(|index| Literal::constant(bits.bit(index))).collect()
                }
                value => unreachable!("a constant of bits is bits, not {value:?}"),
            },
            Node::Unary(Unary::IntegerToBits(_), a) => self.low_bits(terms, a, width),
            Node::Unary(op, a) => self.unary(terms, op, a),
            Node::Binary(op, a, b) => self.binary(terms, term, op, a, b),
            Node::Ite(condition, then, otherwise) => {
                let condition = self.done(terms, condition)[0];
                let (then, otherwise) =
                    (self.done(terms, then).to_vec(), self.done(terms, otherwise).to_vec());
                circuits::ite(&mut self.gates, condition, &then, &otherwise)
            }
            Node::Store(..) | Node::ConstantArray(..) => unreachable!("arrays are not translated"),
        };
        debug_assert_eq!(result.len(), width);
        self.finish(term, &result);
    }

    fn unary(&mut self, terms: &Terms, op: Unary, a: Term) -> Bits {
        let a = self.done(terms, a);
        match op {
            Unary::Not | Unary::BitNot => circuits::not(a),
            Unary::BitNegate => {
                let a = a.to_vec();
                circuits::negate(&mut self.gates, &a)
            }
            Unary::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
            Unary::ZeroExtend(by) => {
                a.iter().copied().chain(std::iter::repeat_n(Literal::FALSE, by as usize)).collect()
            }
            Unary::SignExtend(by) => circuits::sign_extend(a, a.len() + by as usize),
            Unary::UnsignedToInteger | Unary::SignedToInteger | Unary::IntegerToBits(_) | Unary::Negate => {
                unreachable!("{op:?} is about numbers")
            }
        }
    }

    fn binary(&mut self, terms: &Terms, term: Term, op: Binary, a: Term, b: Term) -> Bits {
        use Binary::*;
        match (op, terms.sort(a)) {
            (Equal, Sort::Array(..)) => return self.inputs(Origin::Term(term), 1),
            (Equal, _) => return vec![self.equal(terms, a, b)],
            (LessEqual | Less, _) => {
                let (a, b) = (self.number(terms, a), self.number(terms, b));
                return vec![if op == Less { !self.at_most(&b, &a) } else { self.at_most(&a, &b) }];
            }
            (UnsignedDivide | UnsignedRemainder | SignedDivide | SignedRemainder, _) => {
                let signed = matches!(op, SignedDivide | SignedRemainder);
                let (quotient, remainder) = self.division(terms, a, b, signed);
                return if matches!(op, UnsignedDivide | SignedDivide) { quotient } else { remainder };
            }
            _ => {}
        }
        let (a, b) = (self.done(terms, a).to_vec(), self.done(terms, b).to_vec());
        let gates = &mut self.gates;
        match op {
            And | BitAnd => circuits::zip(gates, &a, &b, Gates::and),
            Or | BitOr => circuits::zip(gates, &a, &b, Gates::or),
            BitXor => circuits::zip(gates, &a, &b, Gates::xor),
            BitAdd => circuits::add(gates, &a, &b),
            BitSubtract => circuits::subtract(gates, &a, &b),
            BitMultiply => circuits::multiply(gates, &a, &b),
            ShiftLeft => circuits::shift(gates, &a, &b, Direction::Left, Literal::FALSE),
            ShiftRight => circuits::shift(gates, &a, &b, Direction::Right, Literal::FALSE),
            ShiftRightSigned => circuits::shift(gates, &a, &b, Direction::Right, a[a.len() - 1]),
            Concat => b.into_iter().chain(a).collect(),
            UnsignedLess => vec![circuits::unsigned_less(gates, &a, &b)],
            UnsignedLessEqual => vec![!circuits::unsigned_less(gates, &b, &a)],
            SignedLess => vec![circuits::signed_less(gates, &a, &b)],
            SignedLessEqual => vec![!circuits::signed_less(gates, &b, &a)],
            SignedMultiplyOverflows => vec![circuits::signed_multiply_overflows(gates, &a, &b)],
            UnsignedMultiplyOverflows => vec![circuits::unsigned_multiply_overflows(gates, &a, &b)],
            _ => unreachable!("{op:?} is not about bits"),
        }
    }

    /// The quotient and the remainder, which are made together: whoever asks for one often asks for the other.
    fn division(&mut self, terms: &Terms, a: Term, b: Term, signed: bool) -> (Bits, Bits) {
        if let Some(done) = self.divisions.get(&(a, b, signed)) {
            return done.clone();
        }
        let (dividend, divisor) = (self.done(terms, a).to_vec(), self.done(terms, b).to_vec());
        let divide = if signed { circuits::signed_divide } else { circuits::unsigned_divide };
        let done = divide(&mut self.gates, &dividend, &divisor);
        self.divisions.insert((a, b, signed), done.clone());
        done
    }
}

/// The operands whose translation a term's translation needs. What is read from an array is free, and so is whether
/// arrays are equal.
fn translated_operands(terms: &Terms, term: Term) -> impl Iterator<Item = Term> + use<'_> {
    let node = terms.node(term);
    let free = match node {
        Node::Binary(Binary::Select, ..) => true,
        Node::Binary(Binary::Equal, a, _) => matches!(terms.sort(a), Sort::Array(..)),
        _ => false,
    };
    node.operands().filter(move |_| !free)
}
