//! From terms of numbers to what decides them.
//!
//! A number that is made of bits alone is bits again, as many as it can need: sums, products and divisions of such
//! numbers are circuits, and need no arithmetic. All other numbers are sums of unknowns with coefficients. A comparison
//! of sums is a literal (an atom), and whether the atoms that are true agree is for the linear solver to say.
//!
//! A choice between sums, a quotient by a constant and the bits of a sum are new unknowns under conditions. A product of
//! two sums, or a division by one, is an unknown of which nothing is known at first; see [`super::products`].

use base::{Arena, index_type};
use dashu_int::ops::{Abs, BitTest};
use rustc_hash::FxHashMap;

use super::circuits::{self, Bits};
use super::gates::Literal;
use super::translate::{Origin, Translator};
use crate::node::{Binary, Node, Unary};
use crate::numbers::{Linear, Rational};
use crate::terms::{Term, Terms};
use crate::{Integer, Value};

index_type!(
    /// An unknown number.
    Unknown,
    "n"
);

index_type!(
    /// A comparison: a row of unknowns with coefficients is at most a limit.
    Atom,
    "a"
);

/// A number.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Form {
    /// Bits in two's complement, at least one.
    Bits(Bits),
    /// A sum of unknowns.
    Sum(Sum),
}

impl Default for Form {
    fn default() -> Self {
        Form::Bits(vec![Literal::FALSE])
    }
}

/// A sum of unknowns with integer coefficients, and an integer.
pub(crate) type Sum = Linear<Unknown>;

/// What an unknown is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quantity {
    /// The value of a term: a symbol, or what is read from an array.
    Term(Term),
    /// A product of sums, or a division by a sum.
    Opaque(Term),
    /// One if the literal is true, else zero.
    Bit(Literal),
    /// Only its conditions say what it is.
    Defined,
}

/// A comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Comparison {
    /// The row, by number.
    pub(crate) row: u32,
    /// The most that it is.
    pub(crate) limit: Integer,
    /// Whether it holds.
    pub(crate) literal: Literal,
}

/// Clauses that must hold.
pub(crate) type Conditions = Vec<Vec<Literal>>;

/// Numbers that have been translated.
#[derive(Default)]
pub(crate) struct Numbers {
    forms: FxHashMap<Term, Form>,
    quantities: Arena<Unknown, Quantity>,
    conditions: FxHashMap<Unknown, Conditions>,
    bits: FxHashMap<Literal, Unknown>,
    rows: Vec<Sum>,
    row_ids: FxHashMap<Sum, u32>,
    atoms: Arena<Atom, Comparison>,
    atom_ids: FxHashMap<(u32, Integer), Literal>,
    quotients: FxHashMap<(Sum, Integer), Unknown>,
    low_bits: FxHashMap<Unknown, LowBits>,
    /// How many bits symbols and elements have, if only small ones are looked for.
    small: Option<usize>,
}

/// Low bits of an unknown, as many as anybody wanted.
#[derive(Default)]
struct LowBits {
    bits: Bits,
    conditions: Conditions,
}

/// Numbers of more bits than this are unknowns.
const WIDEST: usize = 1024;
/// A product of a sum and so many bits or fewer is a sum of choices.
const NARROW: usize = 16;

impl Numbers {
    /// The form of a term that was translated.
    pub(crate) fn form(&self, term: Term) -> Option<&Form> {
        self.forms.get(&term)
    }

    pub(crate) fn quantity(&self, unknown: Unknown) -> Quantity {
        self.quantities[unknown]
    }

    /// What must hold if an unknown matters.
    pub(crate) fn conditions(&self, unknown: Unknown) -> &[Vec<Literal>] {
        self.conditions.get(&unknown).map_or(&[], Vec::as_slice)
    }

    /// What must hold if the low bits of an unknown matter.
    pub(crate) fn low_bit_conditions(&self, unknown: Unknown) -> &[Vec<Literal>] {
        self.low_bits.get(&unknown).map_or(&[], |low| &low.conditions)
    }

    pub(crate) fn comparison(&self, atom: Atom) -> &Comparison {
        &self.atoms[atom]
    }

    pub(crate) fn row(&self, row: u32) -> &Sum {
        &self.rows[row as usize]
    }

    /// Looks only for numbers of so many bits: "unsatisfiable" means nothing then.
    pub(crate) fn limit_to(&mut self, width: usize) {
        self.small = Some(width);
    }

    fn unknown(&mut self, quantity: Quantity) -> Unknown {
        self.quantities.push(quantity)
    }
}

/// A number that is known as bits.
fn constant_bits(number: &Integer) -> Bits {
    let width = number.bit_len() + 1;
    (0..width).map(|index| Literal::constant(BitTest::bit(number, index))).collect()
}

/// Without high bits that repeat the sign.
fn trimmed(mut bits: Bits) -> Bits {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

/// Two numbers with as many bits, so many more than the wider one needs.
fn aligned(a: &[Literal], b: &[Literal], more: usize) -> [Bits; 2] {
    let width = a.len().max(b.len()) + more;
    [a, b].map(|bits| circuits::sign_extend(bits, width))
}

fn power(exponent: usize) -> Integer {
    Integer::ONE << exponent
}

/// The bits of a number, each with what it counts: the last one is the sign.
fn weighted(bits: &[Literal]) -> impl Iterator<Item = (Integer, Literal)> {
    bits.iter().enumerate().map(|(index, bit)| {
        let weight = if index + 1 == bits.len() { -power(index) } else { power(index) };
        (weight, *bit)
    })
}

impl Form {
    /// The number, if it is known.
    fn known(&self) -> Option<Integer> {
        match self {
            Form::Sum(sum) => sum.as_constant()?.to_integer(),
            Form::Bits(bits) => {
                let mut number = Integer::ZERO;
                for (weight, bit) in weighted(bits) {
                    if bit.known()? {
                        number += weight;
                    }
                }
                Some(number)
            }
        }
    }
}

/// Numbers and comparisons.
impl Translator {
    pub(super) fn apply_number(&mut self, terms: &Terms, term: Term) {
        let form = match terms.node(term) {
            Node::Constant(constant) => match terms.constant(constant) {
                Value::Integer(number) => Form::Bits(constant_bits(number)),
                value => unreachable!("a constant of numbers is a number, not {value:?}"),
            },
            Node::Unary(Unary::UnsignedToInteger, a) => {
                Form::Bits(trimmed(self.bits(terms, a).into_iter().chain([Literal::FALSE]).collect()))
            }
            Node::Unary(Unary::SignedToInteger, a) => Form::Bits(trimmed(self.bits(terms, a))),
            Node::Unary(Unary::Negate, a) => {
                let a = self.number(terms, a);
                self.product(terms, term, &Form::Bits(constant_bits(&Integer::NEG_ONE)), &a)
            }
            Node::Binary(op, a, b) if op != Binary::Select => {
                let (a, b) = (self.number(terms, a), self.number(terms, b));
                match op {
                    Binary::Add => self.plus(&a, &b),
                    Binary::Multiply => self.product(terms, term, &a, &b),
                    Binary::Divide | Binary::Modulo => self.euclidean(term, &a, &b, op == Binary::Divide),
                    _ => unreachable!("{op:?} is not about numbers"),
                }
            }
            Node::Ite(condition, a, b) => {
                let condition = self.literal(terms, condition);
                let (a, b) = (self.number(terms, a), self.number(terms, b));
                self.choice(condition, &a, &b)
            }
            _ => match self.numbers.small {
                Some(width) => Form::Bits(self.inputs(Origin::Term(term), width)),
                None => Form::Sum(Sum::variable(self.numbers.unknown(Quantity::Term(term)))),
            },
        };
        self.numbers.forms.insert(term, form);
    }

    /// A number as a sum.
    pub(crate) fn sum(&mut self, form: &Form) -> Sum {
        let bits = match form {
            Form::Sum(sum) => return sum.clone(),
            Form::Bits(bits) => bits,
        };
        let mut sum = Sum::zero();
        for (weight, bit) in weighted(bits) {
            sum = sum.plus_scaled(&weight.into(), &self.bit(bit));
        }
        sum
    }

    /// One if the literal is true, else zero.
    fn bit(&mut self, literal: Literal) -> Sum {
        if let Some(truth) = literal.known() {
            return Sum::constant(i64::from(truth));
        }
        let positive = literal.negate_if(literal.is_negated());
        let numbers = &mut self.numbers;
        let unknown =
            *numbers.bits.entry(positive).or_insert_with(|| numbers.quantities.push(Quantity::Bit(positive)));
        if literal.is_negated() {
            &Sum::constant(1) - &Sum::variable(unknown)
        } else {
            Sum::variable(unknown)
        }
    }

    fn plus(&mut self, a: &Form, b: &Form) -> Form {
        if let (Form::Bits(a), Form::Bits(b)) = (a, b)
            && a.len().max(b.len()) < WIDEST
        {
            let [a, b] = aligned(a, b, 1);
            return Form::Bits(trimmed(circuits::add(&mut self.gates, &a, &b)));
        }
        let (a, b) = (self.sum(a), self.sum(b));
        Form::Sum(&a + &b)
    }

    fn product(&mut self, terms: &Terms, term: Term, a: &Form, b: &Form) -> Form {
        let (a, b) = if b.known().is_some() { (b, a) } else { (a, b) };
        match (a, b) {
            (Form::Bits(x), Form::Bits(y)) if x.len() + y.len() <= WIDEST => {
                let width = x.len() + y.len();
                let (x, y) = (circuits::sign_extend(x, width), circuits::sign_extend(y, width));
                Form::Bits(trimmed(circuits::multiply(&mut self.gates, &x, &y)))
            }
            _ if a.known().is_some() => Form::Sum(self.sum(b).scaled(&a.known().unwrap_or_default().into())),
            (Form::Bits(bits), other) | (other, Form::Bits(bits)) if bits.len() <= NARROW => {
                let mut sum = Sum::zero();
                for (weight, bit) in weighted(bits) {
                    let part = self.choice(bit, other, &Form::default());
                    sum = sum.plus_scaled(&weight.into(), &self.sum(&part));
                }
                Form::Sum(sum)
            }
            _ => {
                debug_assert_eq!(terms.sort(term), crate::Sort::Integer);
                Form::Sum(Sum::variable(self.numbers.unknown(Quantity::Opaque(term))))
            }
        }
    }

    fn choice(&mut self, condition: Literal, a: &Form, b: &Form) -> Form {
        if let Some(truth) = condition.known() {
            return if truth { a.clone() } else { b.clone() };
        }
        if let (Form::Bits(a), Form::Bits(b)) = (a, b) {
            let [a, b] = aligned(a, b, 0);
            return Form::Bits(trimmed(circuits::ite(&mut self.gates, condition, &a, &b)));
        }
        if a == b {
            return a.clone();
        }
        let unknown = self.numbers.unknown(Quantity::Defined);
        let chosen = Form::Sum(Sum::variable(unknown));
        let (is_a, is_b) = (self.equal_numbers(&chosen, a), self.equal_numbers(&chosen, b));
        self.numbers.conditions.insert(unknown, vec![vec![!condition, is_a], vec![condition, is_b]]);
        chosen
    }

    /// The quotient with a remainder from zero up, or that remainder.
    pub(crate) fn euclidean(&mut self, term: Term, a: &Form, b: &Form, quotient: bool) -> Form {
        if let (Form::Bits(a), Form::Bits(b)) = (a, b) {
            return Form::Bits(self.euclidean_bits(a, b, quotient));
        }
        let Some(divisor) = b.known() else {
            return Form::Sum(Sum::variable(self.numbers.unknown(Quantity::Opaque(term))));
        };
        if divisor.is_zero() {
            return if quotient { Form::default() } else { a.clone() };
        }
        let dividend = self.sum(a);
        let unknown = self.quotient(&dividend, &divisor);
        let result = Sum::variable(unknown);
        Form::Sum(if quotient { result } else { dividend.plus_scaled(&-Rational::from(divisor), &result) })
    }

    fn quotient(&mut self, dividend: &Sum, divisor: &Integer) -> Unknown {
        let key = (dividend.clone(), divisor.clone());
        if let Some(&unknown) = self.numbers.quotients.get(&key) {
            return unknown;
        }
        let unknown = self.numbers.unknown(Quantity::Defined);
        self.numbers.quotients.insert(key, unknown);
        let remainder = dividend.plus_scaled(&-Rational::from(divisor), &Sum::variable(unknown));
        let greatest = Sum::constant(divisor.clone().abs() - Integer::ONE);
        let from_zero = self.not_positive(&-&remainder);
        let below = self.not_positive(&(&remainder - &greatest));
        self.numbers.conditions.insert(unknown, vec![vec![from_zero], vec![below]]);
        unknown
    }

    fn euclidean_bits(&mut self, a: &[Literal], b: &[Literal], quotient: bool) -> Bits {
        let [a, b] = aligned(a, b, 1);
        let width = a.len();
        let gates = &mut self.gates;
        let by_zero = {
            let any = gates.any(b.iter().copied());
            !any
        };
        let (towards_zero, remainder) = circuits::signed_divide(gates, &a, &b);
        let (minus, below) = (b[width - 1], remainder[width - 1]);
        let one: Bits = (0..width).map(|index| Literal::constant(index == 0)).collect();
        let result = if quotient {
            // A negative remainder becomes positive by one step more away from zero.
            let up = circuits::add(gates, &towards_zero, &one);
            let down = circuits::subtract(gates, &towards_zero, &one);
            let step = circuits::ite(gates, minus, &up, &down);
            let result = circuits::ite(gates, below, &step, &towards_zero);
            let zero = vec![Literal::FALSE; width];
            circuits::ite(gates, by_zero, &zero, &result)
        } else {
            let negated = circuits::negate(gates, &b);
            let magnitude = circuits::ite(gates, minus, &negated, &b);
            let up = circuits::add(gates, &remainder, &magnitude);
            let result = circuits::ite(gates, below, &up, &remainder);
            circuits::ite(gates, by_zero, &a, &result)
        };
        trimmed(result)
    }

    /// The low bits of a number: sums of low bits are low bits of sums.
    pub(super) fn low_bits(&mut self, terms: &Terms, number: Term, width: usize) -> Bits {
        let sum = match self.number(terms, number) {
            Form::Bits(bits) => return circuits::sign_extend(&bits, width),
            Form::Sum(sum) => sum,
        };
        let constant = |number: &Integer| circuits::sign_extend(&constant_bits(number), width);
        let mut total = constant(&sum.constant_part().numerator());
        for (unknown, coefficient) in sum.terms() {
            let bits = self.low_bits_of(*unknown, width);
            let product = circuits::multiply(&mut self.gates, &bits, &constant(&coefficient.numerator()));
            total = circuits::add(&mut self.gates, &total, &product);
        }
        total
    }

    /// The low bits of an unknown: free, under the condition that they are the remainder by a power of two.
    fn low_bits_of(&mut self, unknown: Unknown, width: usize) -> Bits {
        if let Quantity::Bit(literal) = self.numbers.quantities[unknown] {
            return (0..width).map(|index| if index == 0 { literal } else { Literal::FALSE }).collect();
        }
        let mut bits = self.numbers.low_bits.get(&unknown).map(|low| low.bits.clone()).unwrap_or_default();
        if bits.len() < width {
            bits.extend(self.inputs(Origin::LowBits(unknown), width - bits.len()));
            let number = Sum::variable(unknown);
            let quotient = self.quotient(&number, &power(width));
            let remainder = number.plus_scaled(&(-power(width)).into(), &Sum::variable(quotient));
            let unsigned: Bits = bits.iter().copied().chain([Literal::FALSE]).collect();
            let same = self.equal_numbers(&Form::Sum(remainder), &Form::Bits(unsigned));
            let low = self.numbers.low_bits.entry(unknown).or_default();
            low.bits.clone_from(&bits);
            low.conditions.push(vec![same]);
        }
        bits.truncate(width);
        bits
    }

    /// Whether two numbers are equal.
    pub(crate) fn equal_numbers(&mut self, a: &Form, b: &Form) -> Literal {
        if let (Form::Bits(a), Form::Bits(b)) = (a, b) {
            let [a, b] = aligned(a, b, 0);
            return circuits::equal(&mut self.gates, &a, &b);
        }
        let (a, b) = (self.sum(a), self.sum(b));
        let difference = &a - &b;
        if !(difference.constant_part() * difference.primitive_factor()).is_integer() {
            return Literal::FALSE;
        }
        let (at_most, at_least) = (self.not_positive(&difference), self.not_positive(&-&difference));
        self.gates.and(at_most, at_least)
    }

    /// Whether the first number is at most the second.
    pub(crate) fn at_most(&mut self, a: &Form, b: &Form) -> Literal {
        if let (Form::Bits(a), Form::Bits(b)) = (a, b) {
            let [a, b] = aligned(a, b, 0);
            return !circuits::signed_less(&mut self.gates, &b, &a);
        }
        let (a, b) = (self.sum(a), self.sum(b));
        self.not_positive(&(&a - &b))
    }

    /// Whether a sum is zero or less.
    fn not_positive(&mut self, sum: &Sum) -> Literal {
        let Some((first, _)) = sum.terms().first() else {
            return Literal::constant(!sum.constant_part().is_positive());
        };
        let factor = sum.canonical_factor();
        let limit = (-(sum.constant_part() * factor.absolute())).floor();
        // The first coefficient of a row is positive: `-x <= k` is `not (x <= -k - 1)`.
        let negate = factor.is_negative();
        let limit = if negate { -limit - Integer::ONE } else { limit };
        if let ([_], Quantity::Bit(literal)) = (sum.terms(), self.numbers.quantities[*first]) {
            let truth = match limit {
                limit if limit < Integer::ZERO => Literal::FALSE,
                limit if limit.is_zero() => !literal,
                _ => Literal::TRUE,
            };
            return truth.negate_if(negate);
        }
        let row = sum.clone().without_constant().scaled(&factor);
        self.atom(row, limit).negate_if(negate)
    }

    fn atom(&mut self, row: Sum, limit: Integer) -> Literal {
        let numbers = &mut self.numbers;
        let id = match numbers.row_ids.get(&row) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(numbers.rows.len()).expect("fewer than 2^32 rows");
                numbers.rows.push(row.clone());
                numbers.row_ids.insert(row, id);
                id
            }
        };
        let key = (id, limit);
        if let Some(&literal) = numbers.atom_ids.get(&key) {
            return literal;
        }
        let limit = key.1.clone();
        let atom = numbers.atoms.push(Comparison { row: id, limit, literal: Literal::FALSE });
        let literal = self.inputs(Origin::Atom(atom), 1)[0];
        self.numbers.atoms[atom].literal = literal;
        self.numbers.atom_ids.insert(key, literal);
        literal
    }
}
