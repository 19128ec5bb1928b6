//! One form for terms that differ in the order of their operands alone.
//!
//! Sums, and bitwise and, or, exclusive or of many operands become one sorted list, so that two programs that add up
//! the same numbers in another order give one term. Terms are simplified as they are made, but only a few operands
//! deep: a chain of n sums would cost n² there. Here it is done once, for a whole query.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::bit_vector::BitVector;
use crate::node::{Binary, Node, Unary};
use crate::terms::{Term, Terms};
use crate::value::Value;

/// Lists with more operands are left as they are.
const LONGEST: usize = 300;

/// Queries with more terms are left as they are.
const LARGEST: usize = 60_000;

/// Sums that are nested deeper through low bits are left as they are.
const DEEPEST: usize = 300;

/// How many operands all lists together may have.
const EFFORT: usize = 2_000_000;

/// The term in normal form, or the term itself if it is too large.
pub fn normal(terms: &mut Terms, term: Term) -> Term {
    if terms.reachable(&[term]).len() > LARGEST {
        return term;
    }
    let mut work =
        Normalizer { terms, done: FxHashMap::default(), lists: FxHashMap::default(), left: EFFORT, depth: 0 };
    work.term(term)
}

/// The operands of a chain, each with how often it occurs, and what is known of the rest.
#[derive(Clone)]
struct List {
    operands: BTreeMap<Term, BitVector>,
    known: BitVector,
}

struct Normalizer<'a> {
    terms: &'a mut Terms,
    done: FxHashMap<Term, Term>,
    /// What normal terms that are chains consist of.
    lists: FxHashMap<Term, (Binary, List)>,
    left: usize,
    /// How many sums in sums are being examined.
    depth: usize,
}

impl Normalizer<'_> {
    fn term(&mut self, root: Term) -> Term {
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = self.terms.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| !self.done.contains_key(operand)));
            if stack.len() == before {
                let result = self.node(top, node);
                self.done.insert(top, result);
                stack.pop();
            }
        }
        self.done[&root]
    }

    fn node(&mut self, term: Term, node: Node) -> Term {
        if let Some((op, list)) = self.chain(term, node) {
            return self.build(op, list);
        }
        if let Node::Binary(Binary::Equal, a, b) = node
            && let Some(truth) = self.known_equality(self.done[&a], self.done[&b])
        {
            return self.terms.bool(truth);
        }
        let changed = node.with_operands(|operand| self.done[&operand]);
        if changed == node { term } else { self.terms.make(changed) }
    }

    /// Whether two normal terms are equal, if what they differ in is known: operands may be on either side.
    fn known_equality(&mut self, a: Term, b: Term) -> Option<bool> {
        let crate::Sort::BitVector(width) = self.terms.sort(a) else { return None };
        for (op, times) in
            [(Binary::BitAdd, BitVector::ones(width)), (Binary::BitXor, BitVector::new(width, 1))]
        {
            let mut list = self.list(op, a, width);
            let other = self.list(op, b, width);
            if list.operands.len().abs_diff(other.operands.len()) > LONGEST {
                continue;
            }
            if self.join(op, &mut list, &other, &times).is_some() && list.operands.is_empty() {
                return Some(list.known.is_zero());
            }
        }
        None
    }

    /// The list of a term whose operands are normal, if it is a chain.
    fn chain(&mut self, term: Term, node: Node) -> Option<(Binary, List)> {
        let width = match self.terms.sort(term) {
            crate::Sort::BitVector(width) => width,
            _ => return None,
        };
        let one = BitVector::new(width, 1);
        let minus = BitVector::ones(width);
        match node {
            Node::Binary(op @ (Binary::BitAnd | Binary::BitOr | Binary::BitXor | Binary::BitAdd), a, b) => {
                let (a, b) = (self.done[&a], self.done[&b]);
                let mut list = self.list(op, a, width);
                let other = self.list(op, b, width);
                self.join(op, &mut list, &other, &one)?;
                Some((op, list))
            }
            Node::Binary(Binary::BitSubtract, a, b) => {
                let (a, b) = (self.done[&a], self.done[&b]);
                let mut list = self.list(Binary::BitAdd, a, width);
                let other = self.list(Binary::BitAdd, b, width);
                self.join(Binary::BitAdd, &mut list, &other, &minus)?;
                Some((Binary::BitAdd, list))
            }
            Node::Unary(Unary::BitNegate, a) => {
                let a = self.done[&a];
                let other = self.list(Binary::BitAdd, a, width);
                let mut list = List { operands: BTreeMap::new(), known: BitVector::new(width, 0) };
                self.join(Binary::BitAdd, &mut list, &other, &minus)?;
                Some((Binary::BitAdd, list))
            }
            Node::Unary(Unary::Extract { high, low: 0 }, a) => self.low_bits(self.done[&a], high),
            _ => None,
        }
    }

    /// The list of the low bits of a chain: those of its operands.
    fn low_bits(&mut self, term: Term, high: u32) -> Option<(Binary, List)> {
        let (op, whole) = self.lists.get(&term)?.clone();
        self.left = self.left.checked_sub(whole.operands.len())?;
        let mut list = List { operands: BTreeMap::new(), known: whole.known.extract(high, 0) };
        let one = BitVector::new(high + 1, 1);
        for (operand, count) in whole.operands {
            let low = self.terms.extract(high, 0, operand);
            // A sum in an operand may have become narrower than the whole.
            if self.depth >= DEEPEST {
                return None;
            }
            self.depth += 1;
            let low = self.term(low);
            self.depth -= 1;
            let mut part = self.list(op, low, high + 1);
            if op == Binary::BitAdd {
                let count = count.extract(high, 0);
                part.known = part.known.multiply(&count);
                part.operands.values_mut().for_each(|own| *own = own.multiply(&count));
                part.operands.retain(|_, own| !own.is_zero());
            }
            self.join(op, &mut list, &part, &one)?;
        }
        Some((op, list))
    }

    /// What a normal term consists of as an operand of a chain.
    fn list(&self, op: Binary, term: Term, width: u32) -> List {
        if let Some((of, list)) = self.lists.get(&term)
            && *of == op
        {
            return list.clone();
        }
        let neutral = if op == Binary::BitAnd { BitVector::ones(width) } else { BitVector::new(width, 0) };
        if let Some(Value::BitVector(bits)) = self.terms.known(term) {
            return List { operands: BTreeMap::new(), known: bits.clone() };
        }
        List { operands: BTreeMap::from([(term, BitVector::new(width, 1))]), known: neutral }
    }

    /// Adds a list, so often. Nothing if it becomes too long.
    fn join(&mut self, op: Binary, list: &mut List, other: &List, times: &BitVector) -> Option<()> {
        let cost = list.operands.len() + other.operands.len();
        self.left = self.left.checked_sub(cost)?;
        if cost > LONGEST {
            return None;
        }
        let known = &other.known;
        list.known = match op {
            Binary::BitAnd => list.known.and(known),
            Binary::BitOr => list.known.or(known),
            Binary::BitXor => list.known.xor(known),
            _ => list.known.add(&known.multiply(times)),
        };
        for (&operand, count) in &other.operands {
            let zero = BitVector::new(count.width(), 0);
            let old = list.operands.get(&operand).cloned().unwrap_or(zero);
            let new = match op {
                Binary::BitAnd | Binary::BitOr => count.clone(),
                Binary::BitXor => old.xor(count),
                _ => old.add(&count.multiply(times)),
            };
            if new.is_zero() {
                list.operands.remove(&operand);
            } else {
                list.operands.insert(operand, new);
            }
        }
        Some(())
    }

    /// The term of a list: the operands in order, the known part last.
    fn build(&mut self, op: Binary, list: List) -> Term {
        let mut level: Vec<Term> = Vec::new();
        for (&operand, count) in &list.operands {
            let is_one = count.to_u128() == Some(1);
            level.push(if is_one || op != Binary::BitAdd {
                operand
            } else {
                let factor = self.terms.value(&Value::BitVector(count.clone()));
                self.terms.binary(Binary::BitMultiply, operand, factor)
            });
        }
        level.push(self.terms.value(&Value::BitVector(list.known.clone())));
        while level.len() > 1 {
            let pairs: Vec<Vec<Term>> = level.chunks(2).map(<[Term]>::to_vec).collect();
            level = pairs
                .into_iter()
                .map(|pair| match pair[..] {
                    [a, b] => self.terms.binary(op, a, b),
                    _ => pair[0],
                })
                .collect();
        }
        self.lists.insert(level[0], (op, list));
        level[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;
    use crate::evaluate::evaluate;
    use crate::random::{Generator, Shape};

    #[test]
    fn the_order_of_operands_does_not_matter() {
        for op in [Binary::BitAdd, Binary::BitAnd, Binary::BitOr, Binary::BitXor] {
            let mut terms = Terms::new();
            let names: Vec<Term> =
                (0..50).map(|number| terms.fresh(format!("x{number}"), Sort::BitVector(32))).collect();
            let mut sum = |order: &mut dyn Iterator<Item = Term>| {
                let first = order.next().expect("there are operands");
                order.fold(first, |sum, next| terms.binary(op, sum, next))
            };
            let forward = sum(&mut names.iter().copied());
            let backward = sum(&mut names.iter().rev().copied());
            assert_ne!(forward, backward);
            let differ = terms.differ(forward, backward);
            let normal = normal(&mut terms, differ);
            assert!(terms.is_false(normal), "{op:?}");
        }
    }

    #[test]
    fn what_cancels_is_gone() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::BitVector(8)));
        let sum = terms.binary(Binary::BitAdd, x, y);
        let sum = terms.binary(Binary::BitAdd, sum, z);
        let less = terms.binary(Binary::BitSubtract, sum, y);
        let other = terms.binary(Binary::BitAdd, z, x);
        let equal = terms.equal(less, other);
        let equal = normal(&mut terms, equal);
        assert!(terms.is_true(equal));
        let [left, right] = [[x, y], [z, x]].map(|[a, b]| terms.binary(Binary::BitXor, a, b));
        let left = terms.binary(Binary::BitXor, left, z);
        let right = terms.binary(Binary::BitXor, right, y);
        let equal = terms.intern(Node::Binary(Binary::Equal, left, right));
        let equal = normal(&mut terms, equal);
        assert!(terms.is_true(equal));
    }

    #[test]
    fn low_bits_of_a_sum_are_the_sum_of_low_bits() {
        let mut terms = Terms::new();
        let names: Vec<Term> =
            (0..20).map(|number| terms.fresh(format!("x{number}"), Sort::BitVector(8))).collect();
        let wide: Vec<Term> = names.iter().map(|&name| terms.resize(name, 16, true)).collect();
        let sum = |terms: &mut Terms, parts: &[Term]| {
            parts[1..].iter().fold(parts[0], |sum, &next| terms.binary(Binary::BitAdd, sum, next))
        };
        let total = sum(&mut terms, &wide);
        let low = terms.extract(7, 0, total);
        let backward: Vec<Term> = names.iter().rev().copied().collect();
        let narrow = sum(&mut terms, &backward);
        let equal = terms.equal(low, narrow);
        let equal = normal(&mut terms, equal);
        assert!(terms.is_true(equal));
    }

    #[test]
    fn the_value_stays_the_same() {
        for seed in 0..300 {
            let mut random = Generator::with_shape(seed, Shape::bits(&[8, 32]).sized(4, 6));
            let mut terms = Terms::new();
            let term = random.formula(&mut terms);
            let normal = normal(&mut terms, term);
            for _ in 0..10 {
                let model = random.model(&terms);
                assert_eq!(evaluate(&terms, &model, term), evaluate(&terms, &model, normal));
            }
        }
    }
}
