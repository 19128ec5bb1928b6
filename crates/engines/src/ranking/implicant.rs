//! The linear part of an iteration: constraints that a model satisfies, and from which the conditions of the iteration
//! follow.
//!
//! Given conditions and a model of them, the way that the model takes through their disjunctions and choices is a
//! conjunction of comparisons, and each number in it a sum of unknowns: machine arithmetic wraps as often as it does in
//! the model, which is one constraint more. What is not linear becomes an unknown of its own. So an iteration with a
//! thousand paths is read path by path, and only as many paths as it takes.
//!
//! Known imprecision: terms that are nested very deeply, and what is not linear, are unknowns of which little is said. Nothing
//! here is trusted: the kernel checks what is made of it.

use std::collections::BTreeMap;

use logic::evaluate::Evaluation;
use logic::numbers::linear::Constraint;
use logic::numbers::{Linear, Rational};
use logic::{Binary, Integer, Model, Node, Sort, Term, Terms, Unary, Value};
use rustc_hash::FxHashSet;

/// No term is read that is nested deeper.
const DEEPEST: usize = 400;

/// A number as a sum of unknowns. An unknown is a term: bits mean a number with or without a sign.
pub type Number = Linear<Term>;

/// Reads terms along a model.
pub struct Reader<'a> {
    terms: &'a Terms,
    values: Evaluation<'a>,
    /// What holds of the unknowns.
    constraints: Vec<Constraint<Term>>,
    /// Whether the bits of an unknown have a sign.
    signs: BTreeMap<Term, bool>,
    numbers: BTreeMap<(Term, bool), Number>,
    read: FxHashSet<Term>,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader along a model.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Self {
            terms,
            values: Evaluation::new(terms, model),
            constraints: Vec::new(),
            signs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            read: FxHashSet::default(),
            depth: 0,
        }
    }

    /// The constraints so far, each of them once.
    pub fn into_constraints(self) -> Vec<Constraint<Term>> {
        let mut ranges = Vec::new();
        for (&unknown, &signed) in &self.signs {
            if let Sort::BitVector(width) = self.terms.sort(unknown) {
                let (low, high) = limits(width, signed);
                let number = Number::variable(unknown);
                ranges.push(Constraint::at_most(&Number::constant(Rational::from(low)), &number));
                ranges.push(Constraint::at_most(&number, &Number::constant(Rational::from(high))));
            }
        }
        let mut all: Vec<Constraint<Term>> =
            self.constraints.into_iter().chain(ranges).map(|constraint| constraint.tightened()).collect();
        all.retain(|constraint| constraint.known() != Some(true));
        all.sort();
        all.dedup();
        all
    }

    /// Whether a condition is true in the model.
    pub fn is_true(&mut self, condition: Term) -> bool {
        self.values.is_true(condition)
    }

    /// Takes a condition as true or false, as it is in the model.
    pub fn condition(&mut self, term: Term) {
        if !self.read.insert(term) || self.depth > DEEPEST {
            return;
        }
        self.depth += 1;
        let truth = self.values.is_true(term);
        match self.terms.node(term) {
            Node::Unary(Unary::Not, operand) => self.condition(operand),
            Node::Binary(Binary::And, a, b) => self.connective(a, b, truth, truth),
            Node::Binary(Binary::Or, a, b) => self.connective(a, b, !truth, truth),
            Node::Binary(Binary::Equal, a, b) => self.equality(a, b),
            Node::Ite(choice, a, b) => {
                self.condition(choice);
                let taken = if self.values.is_true(choice) { a } else { b };
                self.condition(taken);
            }
            Node::Binary(op, a, b) => {
                let (strict, signed) = match op {
                    Binary::UnsignedLess => (true, false),
                    Binary::UnsignedLessEqual => (false, false),
                    Binary::SignedLess => (true, true),
                    Binary::SignedLessEqual => (false, true),
                    Binary::Less => (true, true),
                    Binary::LessEqual => (false, true),
                    _ => {
                        self.depth -= 1;
                        return;
                    }
                };
                let (a, b) = (self.number(a, signed), self.number(b, signed));
                self.constraints.push(match (truth, strict) {
                    (true, true) => Constraint::less(&a, &b),
                    (true, false) => Constraint::at_most(&a, &b),
                    (false, true) => Constraint::at_most(&b, &a),
                    (false, false) => Constraint::less(&b, &a),
                });
            }
            _ => {}
        }
        self.depth -= 1;
    }

    /// Two conditions: both are needed, or one of them that is as the whole is.
    fn connective(&mut self, a: Term, b: Term, both: bool, truth: bool) {
        if both {
            self.condition(a);
            self.condition(b);
        } else {
            // What was read already says nothing new.
            let is_enough = |reader: &mut Self, term| reader.values.is_true(term) == truth;
            let second = is_enough(self, b) && (self.read.contains(&b) || !is_enough(self, a));
            self.condition(if second { b } else { a });
        }
    }

    fn equality(&mut self, a: Term, b: Term) {
        match self.terms.sort(a) {
            Sort::Bool => {
                self.condition(a);
                self.condition(b);
            }
            Sort::Array(..) => {}
            Sort::BitVector(_) | Sort::Integer => {
                let signed = !(self.signs.get(&a) == Some(&false) || self.signs.get(&b) == Some(&false));
                let (a, b) = (self.number(a, signed), self.number(b, signed));
                let difference = self.evaluate(&(&a - &b));
                self.constraints.push(if difference.is_zero() {
                    Constraint::equal(&a, &b)
                } else if difference.is_negative() {
                    Constraint::less(&a, &b)
                } else {
                    Constraint::less(&b, &a)
                });
            }
        }
    }

    /// The number that a term means, bits with or without a sign.
    pub fn number(&mut self, term: Term, signed: bool) -> Number {
        if let Some(number) = self.numbers.get(&(term, signed)) {
            return number.clone();
        }
        self.depth += 1;
        let number = if self.depth > DEEPEST { None } else { self.read_number(term, signed) };
        self.depth -= 1;
        let number = match number {
            Some(number) => number,
            None => self.unknown(term, signed),
        };
        self.numbers.insert((term, signed), number.clone());
        number
    }

    fn read_number(&mut self, term: Term, signed: bool) -> Option<Number> {
        let raw = match self.terms.node(term) {
            Node::Constant(constant) => return Some(constant_number(self.terms.constant(constant), signed)),
            Node::Ite(choice, a, b) => {
                self.condition(choice);
                let taken = if self.values.is_true(choice) { a } else { b };
                return Some(self.number(taken, signed));
            }
            Node::Unary(op, operand) => match op {
                Unary::Negate | Unary::BitNegate => -&self.number(operand, signed),
                // All bits flipped is one less than the negation.
                Unary::BitNot => &-&self.number(operand, signed) - &Number::constant(1),
                Unary::SignExtend(_) => self.number(operand, true),
                Unary::ZeroExtend(_) => return Some(self.number(operand, false)),
                Unary::Extract { low: 0, .. } => self.number(operand, signed),
                Unary::Extract { high, low } if !signed && high + 1 == self.terms.width(operand) => {
                    // The high bits of a number are its quotient.
                    let number = self.number(operand, false);
                    return Some(self.quotient(term, &number, &(Integer::ONE << low as usize), false));
                }
                Unary::Extract { .. } | Unary::Not => return None,
                Unary::UnsignedToInteger => return Some(self.number(operand, false)),
                Unary::SignedToInteger => return Some(self.number(operand, true)),
                Unary::IntegerToBits(_) => self.number(operand, true),
            },
            Node::Binary(op, a, b) => self.binary(term, op, a, b, signed)?,
            _ => return None,
        };
        Some(self.wrapped(raw, term, signed))
    }

    fn binary(&mut self, term: Term, op: Binary, a: Term, b: Term, signed: bool) -> Option<Number> {
        Some(match op {
            Binary::Add | Binary::BitAdd => &self.number(a, signed) + &self.number(b, signed),
            Binary::BitSubtract => &self.number(a, signed) - &self.number(b, signed),
            Binary::Multiply | Binary::BitMultiply => {
                let (a, b) = (self.number(a, signed), self.number(b, signed));
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => b.scaled(factor),
                    (_, Some(factor)) => a.scaled(factor),
                    _ => return None,
                }
            }
            Binary::ShiftLeft => {
                let factor = self.power(b)?;
                self.number(a, signed).scaled(&Rational::from(factor))
            }
            Binary::Divide | Binary::ShiftRight | Binary::ShiftRightSigned | Binary::UnsignedDivide => {
                let operand_signed = matches!(op, Binary::Divide | Binary::ShiftRightSigned);
                let divisor = match op {
                    Binary::Divide | Binary::UnsignedDivide => self.divisor(b)?,
                    _ => self.power(b)?,
                };
                let number = self.number(a, operand_signed);
                return Some(self.quotient(term, &number, &divisor, false));
            }
            Binary::SignedDivide => {
                let divisor = self.divisor(b)?;
                let number = self.number(a, true);
                let negative = self.evaluate(&number).is_negative();
                let zero = Number::zero();
                self.constraints.push(if negative {
                    Constraint::less(&number, &zero)
                } else {
                    Constraint::at_most(&zero, &number)
                });
                return Some(self.quotient(term, &number, &divisor, negative));
            }
            Binary::Modulo | Binary::UnsignedRemainder => {
                let divisor = self.divisor(b)?;
                let number = self.number(a, op == Binary::Modulo);
                let rest = self.unknown(term, false);
                let most = Number::constant(Rational::from(divisor - Integer::ONE));
                self.constraints.push(Constraint::at_most(&Number::zero(), &rest));
                self.constraints.push(Constraint::at_most(&rest, &most));
                if !self.evaluate(&number).is_negative() {
                    self.constraints.push(Constraint::at_most(&Number::zero(), &number));
                    self.constraints.push(Constraint::at_most(&rest, &number));
                }
                return Some(rest);
            }
            Binary::BitAnd => {
                let rest = self.unknown(term, false);
                for operand in [a, b] {
                    let number = self.number(operand, false);
                    self.constraints.push(Constraint::at_most(&rest, &number));
                }
                return Some(if signed { self.wrapped(rest, term, true) } else { rest });
            }
            _ => return None,
        })
    }

    /// A quotient by a positive number as an unknown, rounded down, or up if asked.
    fn quotient(&mut self, term: Term, number: &Number, divisor: &Integer, up: bool) -> Number {
        let signed = self.values.value(term).as_bits().is_some_and(|bits| bits.signed() < Integer::ZERO);
        let quotient = self.unknown(term, signed || self.terms.sort(term) == Sort::Integer);
        let whole = quotient.scaled(&Rational::from(divisor.clone()));
        let rest = Number::constant(Rational::from(divisor - Integer::ONE));
        let (least, most) = if up { (&whole - &rest, whole) } else { (whole.clone(), &whole + &rest) };
        self.constraints.push(Constraint::at_most(&least, number));
        self.constraints.push(Constraint::at_most(number, &most));
        quotient
    }

    fn divisor(&self, term: Term) -> Option<Integer> {
        let number = match self.terms.known(term)? {
            Value::BitVector(bits) => bits.signed(),
            Value::Integer(number) => number.clone(),
            _ => return None,
        };
        (number > Integer::ZERO).then_some(number)
    }

    fn power(&self, term: Term) -> Option<Integer> {
        let by = usize::try_from(self.terms.known_bits(term)?.unsigned()).ok()?;
        (by < self.terms.width(term) as usize).then(|| Integer::ONE << by)
    }

    /// A sum of a machine, which wraps as often as in the model.
    fn wrapped(&mut self, raw: Number, term: Term, signed: bool) -> Number {
        let Sort::BitVector(width) = self.terms.sort(term) else { return raw };
        let (low, high) = limits(width, signed);
        let (low, high) = (Rational::from(low), Rational::from(high));
        if self.lies_within(&raw, &low, &high) {
            return raw;
        }
        let value = constant_number(self.values.value(term), signed);
        let excess = &Number::constant(self.evaluate(&raw)) - &value;
        let number = &raw - &excess;
        self.constraints.push(Constraint::at_most(&Number::constant(low), &number));
        self.constraints.push(Constraint::at_most(&number, &Number::constant(high)));
        number
    }

    /// Whether a sum is within limits whatever its unknowns are.
    fn lies_within(&self, number: &Number, low: &Rational, high: &Rational) -> bool {
        let (mut least, mut most) = (number.constant_part().clone(), number.constant_part().clone());
        for (unknown, coefficient) in number.terms() {
            let Sort::BitVector(width) = self.terms.sort(*unknown) else { return false };
            let (low, high) = limits(width, self.signs.get(unknown) != Some(&false));
            let (low, high) = (Rational::from(low), Rational::from(high));
            let (at_least, at_most) = if coefficient.is_negative() { (high, low) } else { (low, high) };
            least.add_product(coefficient, &at_least);
            most.add_product(coefficient, &at_most);
        }
        least >= *low && most <= *high
    }

    /// A term as an unknown. The first reading decides about its sign.
    fn unknown(&mut self, term: Term, signed: bool) -> Number {
        let own = *self.signs.entry(term).or_insert(signed);
        let number = Number::variable(term);
        if own == signed { number } else { self.wrapped(number, term, signed) }
    }

    /// The value of a sum in the model.
    fn evaluate(&mut self, number: &Number) -> Rational {
        let (values, signs) = (&mut self.values, &self.signs);
        number.evaluate(|unknown| {
            let signed = signs.get(&unknown) != Some(&false);
            constant_number(values.value(unknown), signed).constant_part().clone()
        })
    }
}

/// The least and the greatest number of some bits.
fn limits(width: u32, signed: bool) -> (Integer, Integer) {
    if signed {
        let half = Integer::ONE << (width as usize - 1);
        (-half.clone(), half - Integer::ONE)
    } else {
        (Integer::ZERO, (Integer::ONE << width as usize) - Integer::ONE)
    }
}

fn constant_number(value: &Value, signed: bool) -> Number {
    let number = match value {
        Value::BitVector(bits) if signed => bits.signed(),
        Value::BitVector(bits) => Integer::from(bits.unsigned()),
        Value::Integer(number) => number.clone(),
        Value::Bool(truth) => Integer::from(u8::from(*truth)),
        Value::Array(_) => Integer::ZERO,
    };
    Number::constant(Rational::from(number))
}
