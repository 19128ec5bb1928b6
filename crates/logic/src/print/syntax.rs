//! How each operation is written, and how strongly it binds.

use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};
use crate::value::Value;
use crate::{BitVector, Integer, Natural};

/// A part of a text.
pub enum Piece {
    /// As it is.
    Word(&'static str),
    /// As it is.
    Text(String),
    /// A term in a place that needs this binding at least, and how constants are read there.
    Term(Term, u8, Constants),
}

/// How bits that are constants are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Constants {
    /// As numbers with a sign.
    Signed,
    /// As numbers without.
    Unsigned,
    /// In hexadecimal, if they are not small.
    Hexadecimal,
}

/// How strongly operations bind, as in C; joining bits binds stronger than all others of two operands.
mod binding {
    pub const CHOICE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const BIT_OR: u8 = 4;
    pub const BIT_XOR: u8 = 5;
    pub const BIT_AND: u8 = 6;
    pub const EQUAL: u8 = 7;
    pub const LESS: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const JOIN: u8 = 12;
    pub const PREFIX: u8 = 13;
    pub const POSTFIX: u8 = 14;
}

/// Pushes what a term is written as, last part first, with parentheses if the place needs a stronger binding.
pub fn pieces(terms: &Terms, term: Term, needed: u8, constants: Constants, stack: &mut Vec<Piece>) {
    let node = terms.node(term);
    let (own, parts) = match node {
        Node::Symbol(symbol) => (binding::POSTFIX, vec![Piece::Text(terms.symbol(symbol).name.clone())]),
        Node::Constant(constant) => {
            let text = constant_text(terms.constant(constant), constants);
            (if text.starts_with('-') { binding::PREFIX } else { binding::POSTFIX }, vec![Piece::Text(text)])
        }
        Node::Unary(op, a) => unary(terms, op, a),
        Node::Binary(op, a, b) => binary(terms, op, a, b),
        Node::Ite(condition, then, otherwise) => (
            binding::CHOICE,
            vec![
                Piece::Term(condition, binding::CHOICE + 1, Constants::Signed),
                Piece::Word(" ? "),
                Piece::Term(then, binding::CHOICE, constants),
                Piece::Word(" : "),
                Piece::Term(otherwise, binding::CHOICE, constants),
            ],
        ),
        Node::Store(array, index, element) => (
            binding::POSTFIX,
            vec![
                Piece::Term(array, binding::POSTFIX, Constants::Signed),
                Piece::Word("["),
                Piece::Term(index, 0, Constants::Signed),
                Piece::Word(" := "),
                Piece::Term(element, 0, Constants::Signed),
                Piece::Word("]"),
            ],
        ),
        Node::ConstantArray(_, element) => call("all", element, None),
    };
    let parenthesised = own < needed;
    if parenthesised {
        stack.push(Piece::Word(")"));
    }
    stack.extend(parts.into_iter().rev());
    if parenthesised {
        stack.push(Piece::Word("("));
    }
}

fn call(name: &str, first: Term, second: Option<Term>) -> (u8, Vec<Piece>) {
    let mut parts = vec![Piece::Text(format!("{name}(")), Piece::Term(first, 0, Constants::Signed)];
    if let Some(second) = second {
        parts.extend([Piece::Word(", "), Piece::Term(second, 0, Constants::Signed)]);
    }
    parts.push(Piece::Word(")"));
    (binding::POSTFIX, parts)
}

fn unary(terms: &Terms, op: Unary, a: Term) -> (u8, Vec<Piece>) {
    let prefix =
        |word: Piece| (binding::PREFIX, vec![word, Piece::Term(a, binding::PREFIX, Constants::Signed)]);
    let cast = |letter: char, width: u32| prefix(Piece::Text(format!("({letter}{width})")));
    match op {
        Unary::Not => match terms.node(a) {
            Node::Binary(Binary::Equal, x, y) => {
                infix(" != ", x, y, binding::EQUAL, false, Constants::Signed)
            }
            _ => prefix(Piece::Word("!")),
        },
        Unary::BitNot => prefix(Piece::Word("~")),
        Unary::BitNegate | Unary::Negate => (
            binding::PREFIX,
            // A space would be needed between two signs: parentheses are easier to read.
            vec![Piece::Word("-"), Piece::Term(a, binding::POSTFIX, Constants::Signed)],
        ),
        Unary::Extract { high, low: 0 } => cast('u', high + 1),
        Unary::Extract { high, low } => (
            binding::POSTFIX,
            vec![Piece::Term(a, binding::POSTFIX, Constants::Signed), Piece::Text(format!("[{high}:{low}]"))],
        ),
        Unary::ZeroExtend(by) => cast('u', terms.width(a) + by),
        Unary::SignExtend(by) => cast('s', terms.width(a) + by),
        Unary::UnsignedToInteger => call("unsigned", a, None),
        Unary::SignedToInteger => call("signed", a, None),
        Unary::IntegerToBits(width) => call(&format!("bits{width}"), a, None),
    }
}

/// An operation between its operands. Those that associate need no parentheses on the right.
fn infix(
    word: &'static str,
    a: Term,
    b: Term,
    own: u8,
    associates: bool,
    constants: Constants,
) -> (u8, Vec<Piece>) {
    let right = if associates { own } else { own + 1 };
    (own, vec![Piece::Term(a, own, constants), Piece::Word(word), Piece::Term(b, right, constants)])
}

fn binary(terms: &Terms, op: Binary, a: Term, b: Term) -> (u8, Vec<Piece>) {
    use Binary::*;
    use Constants::{Hexadecimal, Signed, Unsigned};
    match op {
        And => infix(" && ", a, b, binding::AND, true, Signed),
        Or => infix(" || ", a, b, binding::OR, true, Signed),
        Equal => infix(" == ", a, b, binding::EQUAL, false, Signed),
        BitAnd => infix(" & ", a, b, binding::BIT_AND, true, Hexadecimal),
        BitOr => infix(" | ", a, b, binding::BIT_OR, true, Hexadecimal),
        BitXor => infix(" ^ ", a, b, binding::BIT_XOR, true, Hexadecimal),
        BitAdd | Add => sum(terms, a, b),
        BitSubtract => infix(" - ", a, b, binding::SUM, false, Signed),
        BitMultiply | Multiply => infix(" * ", a, b, binding::PRODUCT, true, Signed),
        UnsignedDivide => infix(" /u ", a, b, binding::PRODUCT, false, Unsigned),
        UnsignedRemainder => infix(" %u ", a, b, binding::PRODUCT, false, Unsigned),
        SignedDivide => infix(" / ", a, b, binding::PRODUCT, false, Signed),
        SignedRemainder => infix(" % ", a, b, binding::PRODUCT, false, Signed),
        ShiftLeft => infix(" << ", a, b, binding::SHIFT, false, Unsigned),
        ShiftRight => infix(" >>u ", a, b, binding::SHIFT, false, Unsigned),
        ShiftRightSigned => infix(" >> ", a, b, binding::SHIFT, false, Unsigned),
        Concat => infix(" ## ", a, b, binding::JOIN, true, Hexadecimal),
        UnsignedLess => less(terms, [" <u ", " >u "], a, b, Unsigned),
        UnsignedLessEqual => less(terms, [" <=u ", " >=u "], a, b, Unsigned),
        SignedLess | Less => less(terms, [" < ", " > "], a, b, Signed),
        SignedLessEqual | LessEqual => less(terms, [" <= ", " >= "], a, b, Signed),
        SignedMultiplyOverflows => overflow("signed_overflow(", a, b, Signed),
        UnsignedMultiplyOverflows => overflow("unsigned_overflow(", a, b, Unsigned),
        Divide => call("div", a, Some(b)),
        Modulo => call("mod", a, Some(b)),
        Select => (
            binding::POSTFIX,
            vec![
                Piece::Term(a, binding::POSTFIX, Signed),
                Piece::Word("["),
                Piece::Term(b, 0, Signed),
                Piece::Word("]"),
            ],
        ),
    }
}

/// A comparison, with a constant on the right where there is one.
fn less(
    terms: &Terms,
    [word, turned]: [&'static str; 2],
    a: Term,
    b: Term,
    constants: Constants,
) -> (u8, Vec<Piece>) {
    if terms.known(a).is_some() {
        infix(turned, b, a, binding::LESS, false, constants)
    } else {
        infix(word, a, b, binding::LESS, false, constants)
    }
}

fn overflow(word: &'static str, a: Term, b: Term, constants: Constants) -> (u8, Vec<Piece>) {
    let (_, mut parts) = infix(" * ", a, b, binding::PRODUCT, false, constants);
    parts.insert(0, Piece::Word(word));
    parts.push(Piece::Word(")"));
    (binding::POSTFIX, parts)
}

/// A sum; what is added negatively is subtracted.
fn sum(terms: &Terms, a: Term, b: Term) -> (u8, Vec<Piece>) {
    if let Node::Unary(Unary::Negate, y) = terms.node(b) {
        return infix(" - ", a, y, binding::SUM, false, Constants::Signed);
    }
    if let Node::Unary(Unary::Negate, x) = terms.node(a)
        && terms.known(b).is_none()
    {
        return infix(" - ", b, x, binding::SUM, false, Constants::Signed);
    }
    let negative = match terms.known(b) {
        Some(Value::BitVector(bits)) => Some(bits.signed()),
        Some(Value::Integer(number)) => Some(number.clone()),
        _ => None,
    };
    match negative.filter(|number| *number < Integer::ZERO) {
        Some(number) => (
            binding::SUM,
            vec![
                Piece::Term(a, binding::SUM, Constants::Signed),
                Piece::Word(" - "),
                Piece::Text((-number).to_string()),
            ],
        ),
        None => infix(" + ", a, b, binding::SUM, true, Constants::Signed),
    }
}

fn constant_text(value: &Value, constants: Constants) -> String {
    match value {
        Value::Bool(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::BitVector(bits) => bits_text(bits, constants),
        Value::Array(_) => "array".to_owned(),
    }
}

fn bits_text(bits: &BitVector, constants: Constants) -> String {
    match constants {
        Constants::Signed => bits.signed().to_string(),
        Constants::Hexadecimal if bits.unsigned() >= Natural::from(10u8) => {
            format!("{:#x}", bits.unsigned())
        }
        Constants::Unsigned | Constants::Hexadecimal => bits.unsigned().to_string(),
    }
}
