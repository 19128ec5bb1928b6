//! Where a quantified axiom looks into arrays, and for which number it reads a given index.
//!
//! An index is a sum of the number times a factor and something without it, or bits of such a sum: cells can be wider
//! than what is counted. Solved for the number, it gives the instance that says something of an element: `a[2 * k + 1]`
//! reads index `i` if `k` is half of `i - 1`. Division by an odd factor is a product with its inverse, since all is
//! modulo a power of two; for indices at which the axiom does not look, the number means nothing and the instance is
//! idle.

use logic::{Binary, Node, Scalar, Sort, Term, Terms, Unary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::value::OFFSET_WIDTH;

/// No more places are looked for in one axiom.
const MOST: usize = 8;

/// A place in an axiom that looks into an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The array.
    pub array: Term,
    /// What the number is multiplied with: not zero.
    factor: u64,
    /// What is added to that, as wide as the sum.
    rest: Term,
    /// How many low bits of the sum are left out in the index.
    shift: u32,
}

/// The places in an axiom that look into arrays at an index that depends on the number.
pub fn patterns(terms: &mut Terms, bound: Term, body: Term) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![body];
    while let Some(term) = stack.pop() {
        // What was made before the number was cannot speak of it.
        if term <= bound || !seen.insert(term) {
            continue;
        }
        let node = terms.node(term);
        if let Node::Binary(Binary::Select, array, index) = node
            && let Some(pattern) = pattern(terms, bound, array, index)
            && !patterns.contains(&pattern)
            && patterns.len() < MOST
        {
            patterns.push(pattern);
        }
        stack.extend(node.operands());
    }
    patterns
}

fn pattern(terms: &mut Terms, bound: Term, array: Term, index: Term) -> Option<Pattern> {
    let (sum, shift, width) = match terms.node(index) {
        Node::Unary(Unary::Extract { high, low }, sum) if low > 0 => (sum, low, high + 1),
        _ => (index, 0, terms.width(index)),
    };
    let (factor, rest) = sum_of(terms, bound, sum, width)?;
    // Of several numbers in one cell, the factor says which.
    let fits = shift == 0 || (factor.is_power_of_two() && factor < 1 << shift);
    (factor != 0 && fits).then_some(Pattern { array, factor, rest, shift })
}

/// The low bits of a term, so many, as a sum: the factor of the number and the rest.
fn sum_of(terms: &mut Terms, bound: Term, term: Term, width: u32) -> Option<(u64, Term)> {
    if width > OFFSET_WIDTH {
        return None;
    }
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut factors: Vec<(Term, u64)> = vec![(term, 1)];
    let (mut factor, mut rest) = (0u64, terms.bits(width, 0));
    while let Some((term, times)) = factors.pop() {
        if term == bound {
            factor = factor.wrapping_add(times);
            continue;
        }
        let known = |terms: &Terms, term: Term| {
            terms.known_bits(term).and_then(|bits| bits.to_u128()).map(|bits| bits as u64)
        };
        match terms.node(term) {
            _ if !speaks_of(terms, bound, term) => {
                let low = terms.resize(term, width, false);
                let times = terms.bits(width, (times & mask).into());
                let part = terms.binary(Binary::BitMultiply, low, times);
                rest = terms.binary(Binary::BitAdd, rest, part);
            }
            Node::Binary(Binary::BitAdd, a, b) => factors.extend([(a, times), (b, times)]),
            Node::Binary(Binary::BitSubtract, a, b) => {
                factors.extend([(a, times), (b, times.wrapping_neg())]);
            }
            Node::Unary(Unary::BitNegate, a) => factors.push((a, times.wrapping_neg())),
            Node::Binary(Binary::BitMultiply, a, b) => match (known(terms, a), known(terms, b)) {
                (_, Some(by)) => factors.push((a, times.wrapping_mul(by))),
                (Some(by), _) => factors.push((b, times.wrapping_mul(by))),
                _ => return None,
            },
            Node::Unary(Unary::Extract { high, low: 0 }, a) if high + 1 >= width => factors.push((a, times)),
            Node::Unary(Unary::SignExtend(_) | Unary::ZeroExtend(_), a) if terms.width(a) >= width => {
                factors.push((a, times));
            }
            _ => return None,
        }
    }
    Some((factor & mask, rest))
}

/// Whether a term speaks of a symbol.
fn speaks_of(terms: &Terms, symbol: Term, term: Term) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if term == symbol {
            return true;
        }
        if term > symbol && seen.insert(term) {
            stack.extend(terms.node(term).operands());
        }
    }
    false
}

impl Pattern {
    /// The numbers for which it reads an index.
    pub fn numbers(&self, terms: &mut Terms, index: Term) -> Vec<Term> {
        let width = terms.width(self.rest);
        if self.shift == 0 {
            let distance = terms.binary(Binary::BitSubtract, index, self.rest);
            return vec![divided(terms, distance, self.factor)];
        }
        let wide = terms.resize(index, width, false);
        let by = terms.bits(width, 1 << self.shift);
        let start = terms.binary(Binary::BitMultiply, wide, by);
        let start = terms.binary(Binary::BitSubtract, start, self.rest);
        let inside = (0..(1u64 << self.shift) / self.factor).map(|place| place * self.factor);
        inside
            .map(|offset| {
                let offset = terms.bits(width, offset.into());
                let place = terms.binary(Binary::BitAdd, start, offset);
                divided(terms, place, self.factor)
            })
            .collect()
    }
}

/// The quotient by a factor that leaves no remainder, as wide as an offset.
fn divided(terms: &mut Terms, number: Term, factor: u64) -> Term {
    let zeros = factor.trailing_zeros();
    let width = terms.width(number) - zeros;
    let high = terms.width(number) - 1;
    let number = if zeros == 0 { number } else { terms.extract(high, zeros, number) };
    let odd = factor >> zeros;
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let inverse = terms.bits(width, (inverse & mask).into());
    let quotient = terms.binary(Binary::BitMultiply, number, inverse);
    terms.resize(quotient, OFFSET_WIDTH, false)
}

/// The arrays that arrays are made from by writing and choosing.
#[derive(Default)]
pub struct Origins {
    known: FxHashMap<Term, Vec<Term>>,
}

impl Origins {
    /// The arrays that an array is made from.
    pub fn of(&mut self, terms: &Terms, array: Term) -> &[Term] {
        let mut stack = vec![array];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let parts: Vec<Term> = match terms.node(top) {
                Node::Store(array, _, _) => vec![array],
                Node::Ite(_, then, otherwise) => vec![then, otherwise],
                _ => Vec::new(),
            };
            let missing: Vec<Term> =
                parts.iter().copied().filter(|part| !self.known.contains_key(part)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let mut origins: Vec<Term> = parts.iter().flat_map(|part| &self.known[part]).copied().collect();
            if parts.is_empty() {
                origins.push(top);
            }
            origins.sort_unstable();
            origins.dedup();
            self.known.insert(top, origins);
            stack.pop();
        }
        &self.known[&array]
    }
}

/// Whether an array is one of bits with an index of bits.
pub fn is_of_bits(terms: &Terms, array: Term) -> bool {
    matches!(terms.sort(array), Sort::Array(Scalar::BitVector(_), Scalar::BitVector(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::evaluate::evaluate;
    use logic::{Model, Value};

    /// For which numbers an axiom about `a[factor * k + rest]` reads an index, in arrays of cells so wide.
    fn numbers(factor: u64, rest: u64, cell: u64, index: u64) -> Vec<u64> {
        let mut terms = Terms::new();
        let array = terms.fresh("a", Sort::Array(Scalar::BitVector(12), Scalar::BitVector(8)));
        let bound = terms.fresh("k", Sort::BitVector(OFFSET_WIDTH));
        let times = terms.bits(OFFSET_WIDTH, factor.into());
        let product = terms.binary(Binary::BitMultiply, bound, times);
        let more = terms.bits(OFFSET_WIDTH, rest.into());
        let sum = terms.binary(Binary::BitAdd, product, more);
        let low = cell.trailing_zeros();
        let place = terms.extract(low + 11, low, sum);
        let (element, zero) = (terms.select(array, place), terms.bits(8, 0));
        let body = terms.equal(element, zero);
        let found = patterns(&mut terms, bound, body);
        assert_eq!(found.len(), 1);
        let index = terms.bits(12, index.into());
        let numbers = found[0].numbers(&mut terms, index);
        numbers
            .into_iter()
            .map(|number| match evaluate(&terms, &Model::new(), number) {
                Value::BitVector(bits) => bits.to_u128().expect("it is narrow") as u64,
                _ => panic!("a number is bits"),
            })
            .collect()
    }

    #[test]
    fn an_index_is_solved_for_the_number() {
        assert_eq!(numbers(1, 0, 1, 17), [17]);
        assert_eq!(numbers(1, 3, 1, 17), [14]);
        assert_eq!(numbers(3, 1, 1, 16), [5]);
        assert_eq!(numbers(6, 2, 1, 26), [4]);
    }

    #[test]
    fn a_wide_cell_holds_several_numbers() {
        assert_eq!(numbers(1, 0, 4, 2), [8, 9, 10, 11]);
        assert_eq!(numbers(2, 0, 4, 2), [4, 5]);
        assert_eq!(numbers(4, 0, 4, 2), [2]);
    }
}
