//! Evidence as terms: numbers of ℤ, computed so wide that nothing wraps.
//!
//! A machine integer is extended by its sign, and every operation is done in as many bits as its result can need, which
//! interval arithmetic tells. A result that needs more than [`WIDEST`] bits is refused. Where a number without limits
//! takes part, the operation is one on integers.

use evidence::{Comparison, Element, Expression, Formula, Integer, Moment, Name, Quantity};
use logic::{Binary, Sort, Term, Terms, Unary, Value};

use crate::answer::{Checked, Refusal};
use crate::relation::{Kind, Relation};

/// Bits that a number of the evidence may need.
pub const WIDEST: u32 = 1024;

/// Nesting of evidence that is followed.
const DEEPEST: u32 = 200;

/// The least and the greatest number that something can be.
pub type Range = (Integer, Integer);

/// A number of ℤ as a term.
#[derive(Clone, Debug)]
pub struct Number {
    /// Bits in two's complement, or an integer.
    term: Term,
    /// What the number is between if the term is bits; the bits are enough for it.
    range: Option<Range>,
}

/// The bits that a number needs in two's complement.
fn bits_for(number: &Integer) -> usize {
    use dashu_int::ops::BitTest;
    let magnitude = if *number < Integer::ZERO { -number - Integer::ONE } else { number.clone() };
    magnitude.bit_len() + 1
}

fn width_for(range: &Range) -> Checked<u32> {
    let bits = bits_for(&range.0).max(bits_for(&range.1));
    match u32::try_from(bits) {
        Ok(bits) if bits <= WIDEST => Ok(bits),
        _ => Err(Refusal::unsupported(format!("a number of the evidence needs {bits} bits"))),
    }
}

/// Making numbers.
impl Number {
    /// A term of a kind as a number.
    pub fn of_kind(terms: &mut Terms, term: Term, kind: Kind) -> Self {
        match kind {
            Kind::Machine { width, signed } => {
                let wide = terms.resize(term, width + u32::from(!signed), signed);
                Self { term: wide, range: kind.range() }
            }
            Kind::Mathematical => Self { term, range: None },
            Kind::Boolean => {
                let (one, zero) = (terms.bits(2, 1), terms.bits(2, 0));
                Self { term: terms.ite(term, one, zero), range: kind.range() }
            }
        }
    }

    /// A known number.
    pub fn constant(terms: &mut Terms, number: &Integer) -> Checked<Self> {
        let range = (number.clone(), number.clone());
        let width = width_for(&range)?;
        let bits = logic::BitVector::wrapping(width, number);
        Ok(Self { term: terms.value(&Value::BitVector(bits)), range: Some(range) })
    }

    /// The term: bits in two's complement, or an integer.
    pub const fn term(&self) -> Term {
        self.term
    }

    /// Its low bits, so many.
    pub fn low_bits(&self, terms: &mut Terms, width: u32) -> Term {
        match self.range {
            Some(_) => terms.resize(self.term, width, true),
            None => terms.unary(Unary::IntegerToBits(width), self.term),
        }
    }

    /// As an integer term.
    pub fn integer(&self, terms: &mut Terms) -> Term {
        match &self.range {
            Some((low, high)) if low == high => terms.integer(low.clone()),
            Some(_) => terms.unary(Unary::SignedToInteger, self.term),
            None => self.term,
        }
    }

    fn at_least_width(&self, terms: &mut Terms, width: u32) -> Term {
        let now = terms.width(self.term);
        terms.resize(self.term, width.max(now), true)
    }
}

/// Two numbers in one form: bits of one width, enough for a result between two numbers, or integers.
fn common(
    terms: &mut Terms,
    left: &Number,
    right: &Number,
    result: impl FnOnce(&Range, &Range) -> Range,
) -> Checked<(Term, Term, Option<Range>)> {
    let (Some(a), Some(b)) = (&left.range, &right.range) else {
        return Ok((left.integer(terms), right.integer(terms), None));
    };
    let range = result(a, b);
    let width = width_for(&range)?.max(terms.width(left.term)).max(terms.width(right.term));
    Ok((left.at_least_width(terms, width), right.at_least_width(terms, width), Some(range)))
}

fn hull(a: &Range, b: &Range) -> Range {
    (a.0.clone().min(b.0.clone()), a.1.clone().max(b.1.clone()))
}

/// The sum of two numbers.
pub fn add(terms: &mut Terms, left: &Number, right: &Number) -> Checked<Number> {
    let (a, b, range) = common(terms, left, right, |a, b| (&a.0 + &b.0, &a.1 + &b.1))?;
    let op = if range.is_some() { Binary::BitAdd } else { Binary::Add };
    Ok(Number { term: terms.binary(op, a, b), range })
}

/// The product of two numbers.
pub fn multiply(terms: &mut Terms, left: &Number, right: &Number) -> Checked<Number> {
    let (a, b, range) = common(terms, left, right, |a, b| {
        let corners = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
        let low = corners.iter().min().cloned().unwrap_or_default();
        let high = corners.into_iter().max().unwrap_or_default();
        (low, high)
    })?;
    let op = if range.is_some() { Binary::BitMultiply } else { Binary::Multiply };
    Ok(Number { term: terms.binary(op, a, b), range })
}

/// Whether two numbers compare so.
pub fn compare(terms: &mut Terms, left: &Number, comparison: Comparison, right: &Number) -> Checked<Term> {
    let (a, b, range) = common(terms, left, right, hull)?;
    let (less, less_equal) = match range {
        Some(_) => (Binary::SignedLess, Binary::SignedLessEqual),
        None => (Binary::Less, Binary::LessEqual),
    };
    Ok(match comparison {
        Comparison::Equal => terms.equal(a, b),
        Comparison::Differ => terms.differ(a, b),
        Comparison::Less => terms.binary(less, a, b),
        Comparison::LessEqual => terms.binary(less_equal, a, b),
        Comparison::Greater => terms.binary(less, b, a),
        Comparison::GreaterEqual => terms.binary(less_equal, b, a),
    })
}

/// One of two numbers.
fn choose(terms: &mut Terms, condition: Term, then: &Number, otherwise: &Number) -> Checked<Number> {
    let (a, b, range) = common(terms, then, otherwise, hull)?;
    Ok(Number { term: terms.ite(condition, a, b), range })
}

fn floor(number: &Integer, divisor: &Integer) -> Integer {
    // The divisor is positive: Euclid's quotient is the floor.
    dashu_int::ops::DivEuclid::div_euclid(number, divisor)
}

/// Which power of two a positive number is, if it is one.
fn power_of_two(number: &Integer) -> Option<u32> {
    use dashu_int::ops::BitTest;
    let bits = number.bit_len().checked_sub(1)?;
    (Integer::ONE << bits == *number).then(|| bits.try_into().ok())?
}

/// The quotient rounded down and the remainder from zero up, by a positive number.
fn divide(terms: &mut Terms, dividend: &Number, divisor: &Integer) -> Checked<(Number, Number)> {
    if *divisor <= Integer::ZERO {
        return Err(Refusal::unsupported(format!("a division by {divisor}")));
    }
    let by = Number::constant(terms, divisor)?;
    // The hull keeps both operands, and the quotient and the remainder lie between zero and one of those.
    let (a, b, range) = common(terms, dividend, &by, hull)?;
    let Some((low, high)) = dividend.range.as_ref().filter(|_| range.is_some()) else {
        let quotient = Number { term: terms.binary(Binary::Divide, a, b), range: None };
        let remainder = Number { term: terms.binary(Binary::Modulo, a, b), range: None };
        return Ok((quotient, remainder));
    };
    let width = terms.width(a);
    let (quotient, remainder) = if let Some(bits) = power_of_two(divisor) {
        // In two's complement the low bits are the remainder from zero up, and the others are the quotient rounded down.
        let by = terms.bits(width, bits.into());
        let quotient = terms.binary(Binary::ShiftRightSigned, a, by);
        let remainder = if bits == 0 {
            terms.bits(width, 0)
        } else {
            let part = terms.extract(bits - 1, 0, a);
            terms.resize(part, width, false)
        };
        (quotient, remainder)
    } else if *low >= Integer::ZERO {
        (terms.binary(Binary::UnsignedDivide, a, b), terms.binary(Binary::UnsignedRemainder, a, b))
    } else {
        // The machine rounds towards zero: below zero that is one too much unless nothing remains.
        let (zero, one) = (terms.bits(width, 0), terms.bits(width, 1));
        let (quotient, remainder) =
            (terms.binary(Binary::SignedDivide, a, b), terms.binary(Binary::SignedRemainder, a, b));
        let below = terms.binary(Binary::SignedLess, remainder, zero);
        let (less, more) =
            (terms.binary(Binary::BitSubtract, quotient, one), terms.binary(Binary::BitAdd, remainder, b));
        (terms.ite(below, less, quotient), terms.ite(below, more, remainder))
    };
    let quotient = Number { term: quotient, range: Some((floor(low, divisor), floor(high, divisor))) };
    let remainder = Number { term: remainder, range: Some((Integer::ZERO, divisor - Integer::ONE)) };
    Ok((quotient, remainder))
}

/// A known number to a power that has limits.
fn power(terms: &mut Terms, base: &Integer, exponent: &Number) -> Checked<Number> {
    let Some((low, high)) = &exponent.range else {
        return Err(Refusal::unsupported("a power by a number without limits"));
    };
    if *low < Integer::ZERO {
        return Err(Refusal::unsupported("a power by a number that may be negative"));
    }
    let most = usize::try_from(high).ok().filter(|most| *most <= WIDEST as usize);
    let Some(most) = most else {
        return Err(Refusal::unsupported(format!("a power by a number up to {high}")));
    };
    // A table: the last entry first, so that the first stands outermost.
    let mut result = Number::constant(terms, &base.pow(most))?;
    for at in (0..most).rev() {
        let entry = Number::constant(terms, &base.pow(at))?;
        let index = Number::constant(terms, &Integer::from(at))?;
        let here = compare(terms, exponent, Comparison::Equal, &index)?;
        result = choose(terms, here, &entry, &result)?;
    }
    Ok(result)
}

/// What the words of evidence stand for, and the terms in which it is said.
pub(crate) trait Vocabulary {
    /// The terms.
    fn terms(&mut self) -> &mut Terms;

    /// A quantity.
    fn quantity(&mut self, quantity: &Quantity, moment: Moment) -> Checked<Number>;

    /// A number in memory, and how many lie side by side there if these are few; else zero.
    fn element(&mut self, element: &Element, index: &Number) -> Checked<(Number, u64)> {
        let _ = index;
        Err(Refusal::unsupported(format!("{element} is not in the state of the loop")))
    }

    /// The symbol of which something is to be shown that is said of all numbers: the first such number of a formula, the
    /// second, and so on. Formulas of which none is known may share them, if they are to be shown one or the other.
    fn any_number(&mut self, place: usize, name: &Name) -> Term {
        let _ = place;
        self.terms().fresh(name.as_str(), Sort::BitVector(64))
    }

    /// Takes note that something is true of all numbers if a symbol is. If it says something of few places alone, it is
    /// told how many.
    fn note_every(&mut self, symbol: Term, bound: Term, body: Term, places: u64) -> Checked<()> {
        let _ = (symbol, bound, body, places);
        Err(Refusal::unsupported("a quantified invariant"))
    }
}

/// What is done with a formula: a quantified invariant is used differently where it is known and where it is to be
/// shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// It is known to hold.
    Known,
    /// It is to be shown.
    Shown,
}

/// The state of a relation now, and no other.
struct StateNow<'a> {
    terms: &'a mut Terms,
    relation: &'a Relation,
    now: &'a [Term],
}

impl Vocabulary for StateNow<'_> {
    fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    fn quantity(&mut self, quantity: &Quantity, moment: Moment) -> Checked<Number> {
        let Some(at) = self.relation.position(quantity) else {
            return Err(Refusal::unsupported(format!("{quantity} is not in the state of the loop")));
        };
        if moment != Moment::Now {
            let text = quantity.at(moment);
            return Err(Refusal::unsupported(format!("{text} has no meaning in this place of the evidence")));
        }
        Ok(Number::of_kind(self.terms, self.now[at], self.relation.state()[at].kind))
    }
}

/// An expression of the evidence about a state of a loop as a number.
///
/// # Errors
/// If it speaks of what has no meaning here, or needs too many bits.
pub fn expression(
    terms: &mut Terms,
    relation: &Relation,
    now: &[Term],
    expression: &Expression,
) -> Checked<Number> {
    expression_in(&mut StateNow { terms, relation, now }, expression)
}

/// A formula of the evidence about a state of a loop as a boolean term.
///
/// # Errors
/// If it speaks of what has no meaning here, or needs too many bits.
pub fn formula(terms: &mut Terms, relation: &Relation, now: &[Term], formula: &Formula) -> Checked<Term> {
    if speaks_of_all(formula) {
        return Err(Refusal::unsupported("a quantified invariant"));
    }
    formula_in(&mut StateNow { terms, relation, now }, Use::Known, formula)
}

/// An expression in other words.
pub(crate) fn expression_in(interpretation: &mut dyn Vocabulary, expression: &Expression) -> Checked<Number> {
    Translation::new(interpretation, Use::Known).expression(expression)
}

/// A formula in other words.
pub(crate) fn formula_in(interpretation: &mut dyn Vocabulary, used: Use, formula: &Formula) -> Checked<Term> {
    Translation::new(interpretation, used).formula(formula)
}

struct Translation<'a> {
    interpretation: &'a mut dyn Vocabulary,
    used: Use,
    /// Whether the whole is to be shown.
    goal: bool,
    /// How many numbers there are of which something is to be shown.
    shown: usize,
    depth: u32,
    /// The numbers that stand for all numbers, by name.
    bound: Vec<(Name, Number)>,
    /// How many numbers lie side by side where some in memory were met.
    places: Vec<u64>,
}

impl<'a> Translation<'a> {
    fn new(interpretation: &'a mut dyn Vocabulary, used: Use) -> Self {
        let goal = used == Use::Shown;
        Self { interpretation, used, goal, shown: 0, depth: 0, bound: Vec::new(), places: Vec::new() }
    }

    fn deeper(&mut self) -> Checked<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            Err(Refusal::unsupported("evidence that is nested too deeply"))
        } else {
            Ok(())
        }
    }

    fn expression(&mut self, expression: &Expression) -> Checked<Number> {
        self.deeper()?;
        let number = match expression {
            Expression::Constant(number) => Number::constant(self.interpretation.terms(), number)?,
            Expression::Quantity { quantity, moment } => self.quantity(quantity, *moment)?,
            Expression::Counter => {
                return Err(Refusal::unsupported("the number of iterations has no meaning in this place"));
            }
            Expression::Element(element) => {
                let index = self.expression(&element.index)?;
                let (number, place) = self.interpretation.element(element, &index)?;
                self.places.push(place);
                number
            }
            Expression::Sum(parts) => self.fold(parts, 0, add)?,
            Expression::Product(parts) => self.fold(parts, 1, multiply)?,
            Expression::Minimum(parts) => self.extreme(parts, Comparison::LessEqual)?,
            Expression::Maximum(parts) => self.extreme(parts, Comparison::GreaterEqual)?,
            Expression::Quotient { dividend, divisor } => {
                let dividend = self.expression(dividend)?;
                divide(self.interpretation.terms(), &dividend, divisor)?.0
            }
            Expression::Remainder { dividend, divisor } => {
                let dividend = self.expression(dividend)?;
                divide(self.interpretation.terms(), &dividend, divisor)?.1
            }
            Expression::Power { base, exponent } => {
                let exponent = self.expression(exponent)?;
                power(self.interpretation.terms(), base, &exponent)?
            }
            Expression::Select { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                let (then, otherwise) = (self.expression(then)?, self.expression(otherwise)?);
                choose(self.interpretation.terms(), condition, &then, &otherwise)?
            }
        };
        self.depth -= 1;
        Ok(number)
    }

    fn quantity(&mut self, quantity: &Quantity, moment: Moment) -> Checked<Number> {
        let bound = self.bound.iter().rev().find(|(name, _)| *name == quantity.variable);
        match bound {
            Some((_, number)) if quantity.aspect == evidence::Aspect::Value => Ok(number.clone()),
            _ => self.interpretation.quantity(quantity, moment),
        }
    }

    /// A formula that may be true or false without changing what the whole is used for.
    fn condition(&mut self, formula: &Formula) -> Checked<Term> {
        if speaks_of_all(formula) {
            return Err(Refusal::unsupported("a quantified invariant as a condition"));
        }
        self.formula(formula)
    }

    fn turn(&mut self) {
        self.used = match self.used {
            Use::Known => Use::Shown,
            Use::Shown => Use::Known,
        };
    }

    /// For all numbers from one to another. What is to be shown is shown of one number of which nothing is known.
    fn every(&mut self, name: &Name, from: &Expression, to: &Expression, body: &Formula) -> Checked<Term> {
        let (from, to) = (self.expression(from)?, self.expression(to)?);
        let symbol = if self.goal && self.used == Use::Shown {
            self.shown += 1;
            self.interpretation.any_number(self.shown - 1, name)
        } else {
            self.interpretation.terms().fresh(name.as_str(), Sort::BitVector(64))
        };
        let terms = self.interpretation.terms();
        let range = Kind::Machine { width: 64, signed: true }.range();
        let number = Number { term: symbol, range };
        let after = compare(terms, &from, Comparison::LessEqual, &number)?;
        let before = compare(terms, &number, Comparison::Less, &to)?;
        self.bound.push((name.clone(), number));
        let outside = std::mem::take(&mut self.places);
        let body = self.formula(body)?;
        let places = std::mem::replace(&mut self.places, outside);
        self.bound.pop();
        let terms = self.interpretation.terms();
        let inside = terms.and(after, before);
        let body = terms.implies(inside, body);
        if self.used == Use::Shown {
            return Ok(body);
        }
        let all = terms.fresh("every", Sort::Bool);
        let body = terms.implies(all, body);
        // If all places are few, the largest number of them covers all.
        let few = if places.contains(&0) { 0 } else { places.into_iter().max().unwrap_or(0) };
        self.interpretation.note_every(all, symbol, body, few)?;
        Ok(all)
    }

    fn fold(
        &mut self,
        parts: &[Expression],
        empty: i64,
        combine: fn(&mut Terms, &Number, &Number) -> Checked<Number>,
    ) -> Checked<Number> {
        let Some((first, rest)) = parts.split_first() else {
            return Number::constant(self.interpretation.terms(), &Integer::from(empty));
        };
        let mut result = self.expression(first)?;
        for part in rest {
            let part = self.expression(part)?;
            result = combine(self.interpretation.terms(), &result, &part)?;
        }
        Ok(result)
    }

    fn extreme(&mut self, parts: &[Expression], keeps: Comparison) -> Checked<Number> {
        let Some((first, rest)) = parts.split_first() else {
            return Err(Refusal::unsupported("the least or greatest of no numbers"));
        };
        let mut result = self.expression(first)?;
        for part in rest {
            let part = self.expression(part)?;
            let keep = compare(self.interpretation.terms(), &result, keeps, &part)?;
            result = choose(self.interpretation.terms(), keep, &result, &part)?;
        }
        Ok(result)
    }

    fn formula(&mut self, formula: &Formula) -> Checked<Term> {
        self.deeper()?;
        let term = match formula {
            Formula::True => self.interpretation.terms().bool(true),
            Formula::False => self.interpretation.terms().bool(false),
            Formula::Compare { left, comparison, right } => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                compare(self.interpretation.terms(), &left, *comparison, &right)?
            }
            Formula::Not(inner) => {
                self.turn();
                let inner = self.formula(inner)?;
                self.turn();
                self.interpretation.terms().not(inner)
            }
            Formula::Every { name, from, to, body } => self.every(name, from, to, body)?,
            Formula::All(parts) | Formula::Any(parts) => {
                let terms = parts.iter().map(|part| self.formula(part)).collect::<Result<Vec<Term>, _>>()?;
                match formula {
                    Formula::All(_) => self.interpretation.terms().all(&terms),
                    _ => self.interpretation.terms().any(&terms),
                }
            }
        };
        self.depth -= 1;
        Ok(term)
    }
}

/// Whether a formula says something of all numbers.
fn speaks_of_all(formula: &Formula) -> bool {
    match formula {
        Formula::Every { .. } => true,
        Formula::Not(inner) => speaks_of_all(inner),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().any(speaks_of_all),
        Formula::True | Formula::False | Formula::Compare { .. } => false,
    }
}
