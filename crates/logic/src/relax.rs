//! Bits as integers: whether terms can be true together, asked of the integers in the place of bits.
//!
//! Sums, comparisons and multiples of machine integers are linear, which a solver for integers sees at once and one that
//! works on bits hardly. Every bit-vector becomes a sum that has its value *modulo* a power of two, together with a range
//! for that sum; only where an operation asks for the number itself (comparisons, extensions, divisions) and the range
//! leaves that open, a new unknown says how often the value wrapped. Products are multiplied out, and each product of
//! unknowns that is left is an unknown of its own. What has no such form is an unknown as well.
//!
//! So all that is true of the terms is true of the integers, but not the other way round: an answer *unsatisfiable* is
//! one for the terms, and no other answer is one.

use std::collections::BTreeMap;

use base::Budget;
use rustc_hash::FxHashMap;

use crate::node::{Binary, Node, Unary};
use crate::numbers::{Polynomial, Rational};
use crate::solver::{Answer, Embedded, Solver};
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::{Integer, Value};

/// Products with more parts are not multiplied out.
const MOST: usize = 40;

/// Products of more unknowns are not examined.
const DEEPEST: u32 = 6;

/// Of unknowns that are as small, products are examined more closely.
const FEW: i64 = 4;

/// Of so many pairs of products is said that they are equal where their factors are.
const PAIRS: usize = 60;

/// More terms are not examined.
const LARGEST: usize = 2_500;

/// How far below a comparison is looked for unknowns that it says to be with or without a sign.
const LEVELS: u32 = 8;

/// Whether it is certain that terms cannot be true together. Work is taken off the budget.
pub fn is_unsatisfiable(terms: &Terms, roots: &[Term], budget: &mut Budget) -> bool {
    let mut relaxation = Relaxation::new(terms, roots);
    for term in terms.reachable(roots) {
        if budget.spend(0).is_err() {
            return false;
        }
        relaxation.term(term);
    }
    relaxation.relate_products();
    let mut solver: Embedded = Embedded::new().refuting();
    let roots: Vec<Term> = roots.iter().map(|root| relaxation.truths[root]).collect();
    let into = &mut relaxation.into;
    for term in roots.into_iter().chain(relaxation.sides) {
        solver.assert(into, term);
    }
    solver.check(into, &[], budget) == Answer::Unsatisfiable
}

/// Whether terms speak of bits, or of products of unknown numbers, and are not too many to be examined in this way.
pub fn is_worthwhile(terms: &Terms, roots: &[Term]) -> bool {
    let all = terms.reachable(roots);
    let is_unknown = |term: Term| terms.known(term).is_none();
    all.len() <= LARGEST
        && all.into_iter().any(|term| match terms.node(term) {
            Node::Binary(Binary::Multiply, left, right) => is_unknown(left) && is_unknown(right),
            _ => matches!(terms.sort(term), Sort::BitVector(_)),
        })
}

/// A number: for bits of some width, one that is theirs modulo a power of two.
#[derive(Clone, Debug)]
struct Number {
    sum: Polynomial<Term>,
    /// The least and the greatest value of the sum, where they are known.
    low: Option<Integer>,
    high: Option<Integer>,
}

struct Relaxation<'a> {
    from: &'a Terms,
    into: Terms,
    numbers: FxHashMap<Term, Number>,
    truths: FxHashMap<Term, Term>,
    /// What holds of the unknowns.
    sides: Vec<Term>,
    /// The ranges of unknowns.
    ranges: FxHashMap<Term, (Option<Integer>, Option<Integer>)>,
    /// Products of unknowns, each an unknown of its own.
    products: BTreeMap<Vec<(Term, u32)>, Term>,
    /// Unknowns that are rather seen without a sign.
    unsigned: FxHashMap<Term, i32>,
}

impl<'a> Relaxation<'a> {
    fn new(from: &'a Terms, roots: &[Term]) -> Self {
        let mut unsigned = FxHashMap::default();
        for term in from.reachable(roots) {
            match from.node(term) {
                Node::Unary(Unary::ZeroExtend(_), operand) => vote(from, operand, 1, LEVELS, &mut unsigned),
                Node::Unary(Unary::SignExtend(_), operand) => vote(from, operand, -1, LEVELS, &mut unsigned),
                Node::Binary(operation, left, right) => {
                    let weight = match operation {
                        Binary::UnsignedLess | Binary::UnsignedLessEqual => 1,
                        Binary::UnsignedDivide | Binary::UnsignedRemainder | Binary::ShiftRight => 1,
                        Binary::SignedLess | Binary::SignedLessEqual => -1,
                        _ => continue,
                    };
                    vote(from, left, weight, LEVELS, &mut unsigned);
                    vote(from, right, weight, LEVELS, &mut unsigned);
                }
                _ => {}
            }
        }
        Self {
            from,
            into: Terms::new(),
            numbers: FxHashMap::default(),
            truths: FxHashMap::default(),
            sides: Vec::new(),
            ranges: FxHashMap::default(),
            products: BTreeMap::new(),
            unsigned,
        }
    }

    /// Translates a term whose operands are translated.
    fn term(&mut self, term: Term) {
        match self.from.sort(term) {
            Sort::Bool => {
                let truth = self.truth(term);
                self.truths.insert(term, truth);
            }
            Sort::BitVector(width) => {
                let number = self.bits(term, width).unwrap_or_else(|| self.unknown_bits(term, width));
                self.numbers.insert(term, number);
            }
            Sort::Integer => {
                let number = self.integer(term).unwrap_or_else(|| self.unknown(None, None));
                self.numbers.insert(term, number);
            }
            Sort::Array(..) => {}
        }
    }

    fn truth(&mut self, term: Term) -> Term {
        match self.from.node(term) {
            Node::Constant(_) => {
                let known = self.from.known_bool(term) == Some(true);
                self.into.bool(known)
            }
            Node::Unary(Unary::Not, operand) => {
                let operand = self.truths[&operand];
                self.into.not(operand)
            }
            Node::Ite(condition, then, otherwise) => {
                let (condition, then, otherwise) =
                    (self.truths[&condition], self.truths[&then], self.truths[&otherwise]);
                self.into.ite(condition, then, otherwise)
            }
            Node::Binary(operation, left, right) => self.test(operation, left, right),
            _ => self.into.fresh("truth", Sort::Bool),
        }
    }

    fn test(&mut self, operation: Binary, left: Term, right: Term) -> Term {
        let sort = self.from.sort(left);
        let width = sort.width().unwrap_or(0);
        match (operation, sort) {
            (Binary::And, Sort::Bool) => self.into.and(self.truths[&left], self.truths[&right]),
            (Binary::Or, Sort::Bool) => self.into.or(self.truths[&left], self.truths[&right]),
            (Binary::Equal, Sort::Bool) => self.into.equal(self.truths[&left], self.truths[&right]),
            (Binary::Equal | Binary::Less | Binary::LessEqual, Sort::Integer) => {
                let (left, right) = (self.numbers[&left].clone(), self.numbers[&right].clone());
                self.compare(operation, &left, &right)
            }
            (Binary::Equal, Sort::BitVector(_)) => {
                let (left, right) = (self.numbers[&left].clone(), self.numbers[&right].clone());
                let modulus = Integer::ONE << width as usize;
                let apart = |low: &Option<Integer>, high: &Option<Integer>| match (low, high) {
                    (Some(low), Some(high)) => high - low < modulus,
                    _ => false,
                };
                if apart(&left.low, &right.high) && apart(&right.low, &left.high) {
                    return self.compare(Binary::Equal, &left, &right);
                }
                let signed = is_negative(&left) || is_negative(&right);
                let (left, right) =
                    (self.canonical(&left, width, signed), self.canonical(&right, width, signed));
                self.compare(Binary::Equal, &left, &right)
            }
            (
                Binary::UnsignedLess
                | Binary::UnsignedLessEqual
                | Binary::SignedLess
                | Binary::SignedLessEqual,
                Sort::BitVector(_),
            ) => {
                let signed = matches!(operation, Binary::SignedLess | Binary::SignedLessEqual);
                let strict = matches!(operation, Binary::SignedLess | Binary::UnsignedLess);
                let (left, right) = (self.numbers[&left].clone(), self.numbers[&right].clone());
                let (left, right) =
                    (self.canonical(&left, width, signed), self.canonical(&right, width, signed));
                self.compare(if strict { Binary::Less } else { Binary::LessEqual }, &left, &right)
            }
            _ => self.into.fresh("test", Sort::Bool),
        }
    }

    fn compare(&mut self, operation: Binary, left: &Number, right: &Number) -> Term {
        let difference = &right.sum - &left.sum;
        let number = self.linear(&difference);
        let zero = self.into.integer(0);
        match operation {
            Binary::Equal => self.into.equal(zero, number),
            _ => self.into.binary(operation, zero, number),
        }
    }

    fn bits(&mut self, term: Term, width: u32) -> Option<Number> {
        Some(match self.from.node(term) {
            Node::Constant(_) => {
                let bits = self.from.known_bits(term)?;
                let unsigned = Integer::from(bits.unsigned());
                // Numbers close to zero are more likely to be meant.
                let half = Integer::ONE << (width as usize - 1);
                constant(if unsigned >= half && width > 1 { unsigned - (half << 1) } else { unsigned })
            }
            Node::Unary(operation, operand) => self.unary_bits(operation, operand)?,
            Node::Binary(operation, left, right) => self.binary_bits(operation, left, right)?,
            Node::Ite(condition, then, otherwise) => self.choice(condition, then, otherwise),
            _ => return None,
        })
    }

    fn unary_bits(&mut self, operation: Unary, operand: Term) -> Option<Number> {
        let number = self.numbers.get(&operand)?.clone();
        let width = self.from.sort(operand).width().unwrap_or(0);
        Some(match operation {
            Unary::BitNot => constant(Integer::NEG_ONE).plus(&number, &Integer::NEG_ONE),
            Unary::BitNegate => constant(Integer::ZERO).plus(&number, &Integer::NEG_ONE),
            Unary::Extract { low: 0, .. } | Unary::IntegerToBits(_) => number,
            Unary::Extract { low, .. } => {
                let whole = self.canonical(&number, width, false);
                self.divided(&whole, Integer::ONE << low as usize)
            }
            Unary::ZeroExtend(_) => self.canonical(&number, width, false),
            Unary::SignExtend(_) => self.canonical(&number, width, true),
            _ => return None,
        })
    }

    fn binary_bits(&mut self, operation: Binary, left: Term, right: Term) -> Option<Number> {
        let (one, other) = (self.numbers.get(&left)?.clone(), self.numbers.get(&right)?.clone());
        let width = self.from.sort(left).width().unwrap_or(0);
        let known = self.from.known_bits(right).map(|bits| Integer::from(bits.unsigned()));
        let power = |known: &Integer| usize::try_from(known).ok().filter(|bits| *bits < width as usize);
        Some(match (operation, known) {
            (Binary::BitAdd, _) => one.plus(&other, &Integer::ONE),
            (Binary::BitSubtract, _) => one.plus(&other, &Integer::NEG_ONE),
            (Binary::BitMultiply, _) => one.times(&other)?,
            (Binary::ShiftLeft, Some(known)) => one.times(&constant(Integer::ONE << power(&known)?))?,
            (Binary::ShiftRight, Some(known)) => {
                let whole = self.canonical(&one, width, false);
                self.divided(&whole, Integer::ONE << power(&known)?)
            }
            (Binary::ShiftRightSigned, Some(known)) => {
                let whole = self.canonical(&one, width, true);
                self.divided(&whole, Integer::ONE << power(&known)?)
            }
            (Binary::UnsignedDivide, Some(known)) if known > Integer::ZERO => {
                let whole = self.canonical(&one, width, false);
                self.divided(&whole, known)
            }
            (Binary::UnsignedRemainder, Some(known)) if known > Integer::ZERO => {
                let whole = self.canonical(&one, width, false);
                self.remainder(&whole, known)
            }
            (Binary::SignedDivide, Some(known)) if is_positive(&known, width) => {
                let whole = self.canonical(&one, width, true);
                self.truncated(&whole, &known)
            }
            (Binary::SignedRemainder, Some(known)) if is_positive(&known, width) => {
                let whole = self.canonical(&one, width, true);
                let quotient = self.truncated(&whole, &known);
                whole.plus(&quotient, &-known)
            }
            (Binary::UnsignedRemainder | Binary::SignedRemainder, None) => {
                let signed = operation == Binary::SignedRemainder;
                let whole = self.canonical(&one, width, signed);
                let divisor = self.canonical(&other, width, signed);
                self.some_remainder(&whole, &divisor)
            }
            (Binary::BitAnd, Some(mask)) if (&mask & (&mask + Integer::ONE)) == Integer::ZERO => {
                let modulus = mask + Integer::ONE;
                self.remainder(&one, modulus)
            }
            (Binary::Concat, _) => {
                let low = self.from.sort(right).width().unwrap_or(0);
                let other = self.canonical(&other, low, false);
                one.times(&constant(Integer::ONE << low as usize))?.plus(&other, &Integer::ONE)
            }
            _ => return None,
        })
    }

    fn integer(&mut self, term: Term) -> Option<Number> {
        Some(match self.from.node(term) {
            Node::Constant(_) => match self.from.known(term)? {
                Value::Integer(known) => constant(known.clone()),
                _ => return None,
            },
            Node::Unary(operation, operand) => {
                let number = self.numbers.get(&operand)?.clone();
                let width = self.from.sort(operand).width().unwrap_or(0);
                match operation {
                    Unary::Negate => constant(Integer::ZERO).plus(&number, &Integer::NEG_ONE),
                    Unary::UnsignedToInteger => self.canonical(&number, width, false),
                    Unary::SignedToInteger => self.canonical(&number, width, true),
                    _ => return None,
                }
            }
            Node::Binary(operation, left, right) => {
                let (one, other) = (self.numbers.get(&left)?.clone(), self.numbers.get(&right)?.clone());
                let divisor = self.from.known_integer(right).filter(|known| **known > Integer::ZERO).cloned();
                match (operation, divisor) {
                    (Binary::Add, _) => one.plus(&other, &Integer::ONE),
                    (Binary::Multiply, _) => one.times(&other)?,
                    (Binary::Divide, Some(divisor)) => self.divided(&one, divisor),
                    (Binary::Modulo, Some(divisor)) => self.remainder(&one, divisor),
                    _ => return None,
                }
            }
            Node::Ite(condition, then, otherwise) => self.choice(condition, then, otherwise),
            _ => return None,
        })
    }

    /// One of two numbers.
    fn choice(&mut self, condition: Term, then: Term, otherwise: Term) -> Number {
        let condition = self.truths[&condition];
        let (then, otherwise) = (self.numbers[&then].clone(), self.numbers[&otherwise].clone());
        if then.sum == otherwise.sum {
            return then;
        }
        let low = then.low.clone().zip(otherwise.low.clone()).map(|(one, other)| one.min(other));
        let high = then.high.clone().zip(otherwise.high.clone()).map(|(one, other)| one.max(other));
        let number = self.unknown(low, high);
        let is_then = self.compare(Binary::Equal, &number, &then);
        let is_otherwise = self.compare(Binary::Equal, &number, &otherwise);
        let first = self.into.implies(condition, is_then);
        let not = self.into.not(condition);
        let second = self.into.implies(not, is_otherwise);
        self.sides.extend([first, second]);
        number
    }

    /// The quotient by a positive number, rounded down.
    fn divided(&mut self, number: &Number, divisor: Integer) -> Number {
        if divisor == Integer::ONE {
            return number.clone();
        }
        let down = |bound: &Option<Integer>| bound.as_ref().map(|bound| floor(bound, &divisor));
        let quotient = self.unknown(down(&number.low), down(&number.high));
        // 0 <= number - divisor * quotient < divisor
        let rest = number.plus(&quotient, &-&divisor);
        self.bound(&rest, &Integer::ZERO, &(&divisor - Integer::ONE));
        quotient
    }

    fn remainder(&mut self, number: &Number, divisor: Integer) -> Number {
        let most = &divisor - Integer::ONE;
        if number.low.as_ref().is_some_and(|low| *low >= Integer::ZERO)
            && number.high.as_ref().is_some_and(|high| *high <= most)
        {
            return number.clone();
        }
        let quotient = self.divided(number, divisor.clone());
        let rest = number.plus(&quotient, &-&divisor);
        Number { low: Some(Integer::ZERO), high: Some(most), ..rest }
    }

    /// The remainder by a number that is not known: between zero and the whole, and nearer to zero than the divisor
    /// unless that is zero.
    fn some_remainder(&mut self, whole: &Number, divisor: &Number) -> Number {
        let (zero, one) = (constant(Integer::ZERO), constant(Integer::ONE));
        let low = whole.low.clone().map(|low| low.min(Integer::ZERO));
        let high = whole.high.clone().map(|high| high.max(Integer::ZERO));
        let rest = self.unknown(low, high);
        let opposite = zero.plus(divisor, &Integer::NEG_ONE);
        let mut says = |when: [&Number; 2], at_least: &Number, at_most: &Number| {
            let condition = self.compare(Binary::LessEqual, when[0], when[1]);
            for (small, large) in [(at_least, &rest), (&rest, at_most)] {
                let holds = self.compare(Binary::LessEqual, small, large);
                let side = self.into.implies(condition, holds);
                self.sides.push(side);
            }
        };
        says([&zero, whole], &zero, whole);
        says([whole, &zero], whole, &zero);
        let (inside, outside) = (divisor.plus(&one, &Integer::NEG_ONE), opposite.plus(&one, &Integer::ONE));
        says([&one, divisor], &outside, &inside);
        let (inside, outside) = (opposite.plus(&one, &Integer::NEG_ONE), divisor.plus(&one, &Integer::ONE));
        says([&one, &opposite], &outside, &inside);
        rest
    }

    /// The number that bits mean, with or without a sign.
    fn canonical(&mut self, number: &Number, width: u32, signed: bool) -> Number {
        let modulus = Integer::ONE << width as usize;
        let low = if signed { -(&modulus >> 1) } else { Integer::ZERO };
        let high = &low + &modulus - Integer::ONE;
        let (Some(least), Some(most)) = (&number.low, &number.high) else {
            return self.unknown(Some(low), Some(high));
        };
        if *least >= low && *most <= high {
            return number.clone();
        }
        let (first, last) = (floor(&(least - &low), &modulus), floor(&(most - &low), &modulus));
        if first == last {
            let moved = number.plus(&constant(first), &-&modulus);
            return Number {
                low: moved.low.map(|least| least.max(low)),
                high: moved.high.map(|most| most.min(high)),
                ..moved
            };
        }
        let wraps = self.unknown(Some(first), Some(last));
        let rest = number.plus(&wraps, &-&modulus);
        self.bound(&rest, &low, &high);
        Number { low: Some(low), high: Some(high), ..rest }
    }

    /// Says that a number is in a range.
    fn bound(&mut self, number: &Number, low: &Integer, high: &Integer) {
        let above = self.compare(Binary::LessEqual, &constant(low.clone()), number);
        let below = self.compare(Binary::LessEqual, number, &constant(high.clone()));
        self.sides.extend([above, below]);
    }

    fn unknown_bits(&mut self, term: Term, width: u32) -> Number {
        let signed = self.unsigned.get(&term).copied().unwrap_or(0) <= 0;
        let low = if signed { -(Integer::ONE << (width as usize - 1)) } else { Integer::ZERO };
        let high = &low + (Integer::ONE << width as usize) - Integer::ONE;
        self.unknown(Some(low), Some(high))
    }

    fn unknown(&mut self, low: Option<Integer>, high: Option<Integer>) -> Number {
        let symbol = self.into.fresh("n", Sort::Integer);
        let number = Number { sum: Polynomial::variable(symbol), low, high };
        self.ranges.insert(symbol, (number.low.clone(), number.high.clone()));
        if let Some(low) = &number.low {
            let above = self.compare(Binary::LessEqual, &constant(low.clone()), &number);
            self.sides.push(above);
        }
        if let Some(high) = &number.high {
            let below = self.compare(Binary::LessEqual, &number, &constant(high.clone()));
            self.sides.push(below);
        }
        number
    }

    /// A sum as a term, with an unknown for each product.
    fn linear(&mut self, sum: &Polynomial<Term>) -> Term {
        let mut linear = Polynomial::zero();
        for (monomial, factor) in sum.monomials() {
            let part = match monomial.powers() {
                [] => Polynomial::constant(1),
                [(symbol, 1)] => Polynomial::variable(*symbol),
                powers => Polynomial::variable(self.product(powers)),
            };
            linear = linear.plus_scaled(factor, &part);
        }
        linear.to_term(&mut self.into).0
    }

    fn product(&mut self, powers: &[(Term, u32)]) -> Term {
        if let Some(known) = self.products.get(powers) {
            return *known;
        }
        let mut range = Some((Integer::ONE, Integer::ONE));
        for (symbol, exponent) in powers {
            let one = self.ranges.get(symbol).cloned().and_then(|(low, high)| low.zip(high));
            for _ in 0..*exponent {
                range = range.zip(one.clone()).map(|(range, one)| ends(&range, &one));
            }
        }
        let square = powers.iter().all(|(_, exponent)| exponent % 2 == 0);
        let (mut low, high) = range.map_or((None, None), |(low, high)| (Some(low), Some(high)));
        if square {
            low = Some(low.map_or(Integer::ZERO, |low| low.max(Integer::ZERO)));
        }
        let number = self.unknown(low, high);
        let symbol = number.sum.variables()[0];
        self.products.insert(powers.to_vec(), symbol);
        // Most numbers do not wrap: a product with how often they do is zero then.
        let few = Integer::from(FEW);
        for (factor, _) in powers {
            let Some((Some(low), Some(high))) = self.ranges.get(factor).cloned() else { continue };
            if low >= -&few && high <= few {
                let zero = self.into.integer(0);
                let (factor, product) = (self.into.equal(*factor, zero), self.into.equal(symbol, zero));
                let lemma = self.into.implies(factor, product);
                self.sides.push(lemma);
            }
        }
        symbol
    }
}

impl Relaxation<'_> {
    /// Products of equal numbers are equal.
    fn relate_products(&mut self) {
        let all: Vec<(Vec<Term>, Term)> = self
            .products
            .iter()
            .map(|(powers, product)| {
                let factors = powers.iter().flat_map(|(factor, times)| (0..*times).map(|_| *factor));
                (factors.collect(), *product)
            })
            .collect();
        let mut left = PAIRS;
        for (place, (one, first)) in all.iter().enumerate() {
            for (other, second) in all[..place].iter().filter(|(other, _)| other.len() == one.len()) {
                if left == 0 {
                    return;
                }
                left -= 1;
                let mut rest = other.clone();
                let mut alone = Vec::new();
                for factor in one {
                    match rest.iter().position(|known| known == factor) {
                        Some(place) => drop(rest.remove(place)),
                        None => alone.push(*factor),
                    }
                }
                let same: Vec<Term> =
                    alone.iter().zip(&rest).map(|(one, other)| self.into.equal(*one, *other)).collect();
                let (same, equal) = (self.into.all(&same), self.into.equal(*first, *second));
                let lemma = self.into.implies(same, equal);
                self.sides.push(lemma);
            }
        }
    }

    /// The quotient by a positive number, rounded towards zero.
    fn truncated(&mut self, number: &Number, divisor: &Integer) -> Number {
        let down = self.divided(number, divisor.clone());
        if !is_negative(number) {
            return down;
        }
        let rest = number.plus(&down, &-divisor);
        let up = self.unknown(Some(Integer::ZERO), Some(Integer::ONE));
        let (zero, one) = (constant(Integer::ZERO), constant(Integer::ONE));
        let negative = self.compare(Binary::Less, number, &zero);
        let uneven = self.compare(Binary::Less, &zero, &rest);
        let both = self.into.and(negative, uneven);
        let is_up = self.compare(Binary::Equal, &up, &one);
        let same = self.into.equal(both, is_up);
        self.sides.push(same);
        down.plus(&up, &Integer::ONE)
    }
}

impl Number {
    /// The sum with a multiple of another one.
    fn plus(&self, other: &Self, factor: &Integer) -> Self {
        let scaled = |bound: &Option<Integer>| bound.as_ref().map(|bound| bound * factor);
        let (low, high) = if *factor < Integer::ZERO {
            (scaled(&other.high), scaled(&other.low))
        } else {
            (scaled(&other.low), scaled(&other.high))
        };
        let add = |one: &Option<Integer>, other: Option<Integer>| {
            one.clone().zip(other).map(|(one, other)| one + other)
        };
        Self {
            sum: self.sum.plus_scaled(&Rational::from(factor), &other.sum),
            low: add(&self.low, low),
            high: add(&self.high, high),
        }
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let parts = self.sum.monomials().len() * other.sum.monomials().len();
        if parts > MOST || self.sum.degree() + other.sum.degree() > DEEPEST {
            return None;
        }
        let one = self.low.clone().zip(self.high.clone());
        let two = other.low.clone().zip(other.high.clone());
        let (low, high) = match one.zip(two) {
            Some((one, two)) => {
                let (low, high) = ends(&one, &two);
                (Some(low), Some(high))
            }
            None => (None, None),
        };
        Some(Self { sum: &self.sum * &other.sum, low, high })
    }
}

/// The least and the greatest product of numbers of two ranges.
fn ends(one: &(Integer, Integer), other: &(Integer, Integer)) -> (Integer, Integer) {
    let all = [&one.0 * &other.0, &one.0 * &other.1, &one.1 * &other.0, &one.1 * &other.1];
    let low = all.iter().min().cloned().unwrap_or_default();
    let high = all.into_iter().max().unwrap_or_default();
    (low, high)
}

fn constant(number: Integer) -> Number {
    Number { sum: Polynomial::constant(number.clone()), low: Some(number.clone()), high: Some(number) }
}

fn is_negative(number: &Number) -> bool {
    number.low.as_ref().is_some_and(|low| *low < Integer::ZERO)
}

/// Whether bits mean a number above zero, with a sign.
fn is_positive(number: &Integer, width: u32) -> bool {
    *number > Integer::ZERO && *number < Integer::ONE << (width as usize - 1)
}

fn floor(number: &Integer, divisor: &Integer) -> Integer {
    (Rational::from(number) / Rational::from(divisor)).floor()
}

/// Notes that unknowns in a term are rather seen with or without a sign.
fn vote(terms: &Terms, term: Term, weight: i32, levels: u32, votes: &mut FxHashMap<Term, i32>) {
    *votes.entry(term).or_insert(0) += weight;
    if levels == 0 {
        return;
    }
    match terms.node(term) {
        Node::Binary(Binary::BitAdd | Binary::BitSubtract | Binary::BitMultiply, left, right) => {
            vote(terms, left, weight, levels - 1, votes);
            vote(terms, right, weight, levels - 1, votes);
        }
        Node::Ite(_, then, otherwise) => {
            vote(terms, then, weight, levels - 1, votes);
            vote(terms, otherwise, weight, levels - 1, votes);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(terms: &mut Terms, name: &str, width: u32) -> (Term, Term) {
        let symbol = terms.fresh(name, Sort::BitVector(width));
        (symbol, terms.unary(Unary::SignExtend(32), symbol))
    }

    #[test]
    fn sums_and_multiples_are_seen() {
        let terms = &mut Terms::new();
        let (_, x) = signed(terms, "x", 16);
        let (_, y) = signed(terms, "y", 16);
        let three = terms.bits(48, 3);
        let product = terms.binary(Binary::BitMultiply, three, x);
        let left = terms.binary(Binary::BitAdd, product, y);
        let one = terms.bits(48, 1);
        let next = terms.binary(Binary::BitAdd, x, one);
        let right = terms.binary(Binary::BitMultiply, three, next);
        let right = terms.binary(Binary::BitAdd, right, y);
        // 3 * x + y >= 3 * (x + 1) + y
        let less = terms.binary(Binary::SignedLess, left, right);
        let not = terms.not(less);
        assert!(is_unsatisfiable(terms, &[not], &mut Budget::steps(10_000)));
        assert!(!is_unsatisfiable(terms, &[less], &mut Budget::steps(10_000)));
    }

    #[test]
    fn machine_numbers_wrap() {
        let terms = &mut Terms::new();
        let x = terms.fresh("x", Sort::BitVector(8));
        let one = terms.bits(8, 1);
        let next = terms.binary(Binary::BitAdd, x, one);
        // x + 1 <= x is so for the greatest x, and never if x is below another number.
        let less = terms.binary(Binary::SignedLessEqual, next, x);
        assert!(!is_unsatisfiable(terms, &[less], &mut Budget::steps(10_000)));
        let y = terms.fresh("y", Sort::BitVector(8));
        let below = terms.binary(Binary::SignedLess, x, y);
        assert!(is_unsatisfiable(terms, &[less, below], &mut Budget::steps(10_000)));
    }

    #[test]
    fn remainders_are_below_their_divisors() {
        let terms = &mut Terms::new();
        let (a, b) = (terms.fresh("a", Sort::BitVector(32)), terms.fresh("b", Sort::BitVector(32)));
        let zero = terms.bits(32, 0);
        let operations = [
            (Binary::UnsignedRemainder, Binary::UnsignedLess, Binary::UnsignedLessEqual),
            (Binary::SignedRemainder, Binary::SignedLess, Binary::SignedLessEqual),
        ];
        for (remainder, less, less_equal) in operations {
            let rest = terms.binary(remainder, a, b);
            let positive = terms.binary(less, zero, b);
            let not_below = terms.binary(less_equal, b, rest);
            assert!(is_unsatisfiable(terms, &[positive, not_below], &mut Budget::steps(10_000)));
            // By zero it is the whole.
            assert!(!is_unsatisfiable(terms, &[not_below], &mut Budget::steps(10_000)));
        }
        let rest = terms.binary(Binary::SignedRemainder, a, b);
        let negative = terms.binary(Binary::SignedLess, b, zero);
        let not_above = terms.binary(Binary::SignedLessEqual, rest, b);
        assert!(is_unsatisfiable(terms, &[negative, not_above], &mut Budget::steps(10_000)));
    }

    #[test]
    fn products_are_multiplied_out() {
        let terms = &mut Terms::new();
        let (_, x) = signed(terms, "x", 32);
        let one = terms.bits(64, 1);
        let next = terms.binary(Binary::BitAdd, x, one);
        let square = terms.binary(Binary::BitMultiply, next, next);
        let old = terms.binary(Binary::BitMultiply, x, x);
        let sum = terms.binary(Binary::BitAdd, old, x);
        let sum = terms.binary(Binary::BitAdd, sum, next);
        let differ = terms.differ(square, sum);
        assert!(is_unsatisfiable(terms, &[differ], &mut Budget::steps(10_000)));
    }
}
