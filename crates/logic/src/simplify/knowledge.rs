//! The facts of all terms of a store.

use base::Index;

use super::bounds::Bounds;
use super::facts::Facts;
use super::transfer;
use crate::node::{Node, Unary};
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::value::Value;

/// What is known of every term besides its sort, and how deep simplification is at this moment.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// For every term the place of its facts or bounds; terms of which nothing is known share their places.
    places: Vec<u32>,
    facts: Vec<Facts>,
    bounds: Vec<Bounds>,
    /// The place of the facts of unknown bits, by width.
    unknown: Vec<u32>,
    /// Facts of the node that no rule could simplify, which will be a term next.
    pub(super) pending: Option<(Node, Facts)>,
    pub(super) depth: u32,
    pub(super) steps: u32,
    /// The most steps that one node has taken so far.
    pub(super) most_steps: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Knowledge {
    fn place_facts(&mut self, facts: Facts) -> u32 {
        if facts != Facts::unknown(facts.width) {
            self.facts.push(facts);
            return (self.facts.len() - 1) as u32;
        }
        let width = facts.width as usize;
        if self.unknown.len() <= width {
            self.unknown.resize(width + 1, NOWHERE);
        }
        if self.unknown[width] == NOWHERE {
            self.unknown[width] = self.facts.len() as u32;
            self.facts.push(facts);
        }
        self.unknown[width]
    }

    fn place_bounds(&mut self, bounds: Bounds) -> u32 {
        if bounds == Bounds::default() {
            return NOWHERE;
        }
        self.bounds.push(bounds);
        (self.bounds.len() - 1) as u32
    }
}

/// Takes note of a new term.
pub fn learn(terms: &mut Terms, term: Term) {
    let node = terms.node(term);
    let place = match terms.sort(term) {
        Sort::BitVector(_) => {
            let facts = match terms.knowledge.pending.take() {
                Some((pending, facts)) if pending == node => Some(facts),
                _ => facts_of_node(terms, node),
            };
            facts.map_or(NOWHERE, |facts| terms.knowledge.place_facts(facts))
        }
        Sort::Integer => {
            let bounds = bounds_of_node(terms, node);
            terms.knowledge.place_bounds(bounds)
        }
        Sort::Bool | Sort::Array(..) => NOWHERE,
    };
    terms.knowledge.places.push(place);
}

/// The facts of a node of bits, unless it is too wide.
pub fn facts_of_node(terms: &Terms, node: Node) -> Option<Facts> {
    let facts = |term: Term| terms.facts(term);
    let unknown = |width: u32| (width <= Facts::WIDEST).then(|| Facts::unknown(width));
    match node {
        Node::Constant(constant) => {
            let Value::BitVector(bits) = terms.constant(constant) else { return None };
            Some(Facts::exact(bits.width(), bits.to_u128()?))
        }
        Node::Symbol(symbol) => unknown(terms.symbol(symbol).sort.width()?),
        Node::Unary(Unary::IntegerToBits(width), a) => {
            unknown(width).map(|facts| low_bits(facts, terms.bounds(a)))
        }
        // A part of something too wide may be narrow enough.
        Node::Unary(Unary::Extract { high, low }, a) if facts(a).is_none() => unknown(high - low + 1),
        Node::Unary(op, a) => transfer::unary(op, facts(a)?),
        Node::Binary(crate::Binary::Select, array, _) => match terms.sort(array) {
            Sort::Array(_, crate::Scalar::BitVector(width)) => unknown(width),
            _ => None,
        },
        Node::Binary(op, a, b) => transfer::binary(op, facts(a)?, facts(b)?),
        Node::Ite(_, then, otherwise) => Some(transfer::either(facts(then)?, facts(otherwise)?)),
        Node::Store(..) | Node::ConstantArray(..) => None,
    }
}

/// Facts of the low bits of a number within bounds.
fn low_bits(mut facts: Facts, bounds: Bounds) -> Facts {
    let (Some(low), Some(high)) = (bounds.low, bounds.high) else { return facts };
    if low >= 0 && high as u128 <= facts.high {
        (facts.low, facts.high) = (low as u128, high as u128);
    }
    if low >= facts.signed_low && high <= facts.signed_high {
        (facts.signed_low, facts.signed_high) = (low, high);
    }
    facts.agreed()
}

fn bounds_of_node(terms: &Terms, node: Node) -> Bounds {
    match node {
        Node::Constant(constant) => match terms.constant(constant) {
            Value::Integer(number) => Bounds::exact(number),
            _ => Bounds::default(),
        },
        Node::Unary(op @ (Unary::UnsignedToInteger | Unary::SignedToInteger), a) => terms
            .facts(a)
            .and_then(|facts| facts.range(op == Unary::SignedToInteger))
            .map(|(low, high)| Bounds::between(low, high))
            .unwrap_or(Bounds { low: (op == Unary::UnsignedToInteger).then_some(0), high: None }),
        Node::Unary(Unary::Negate, a) => terms.bounds(a).negate(),
        Node::Binary(op, a, b) if op != crate::Binary::Select => {
            Bounds::binary(op, terms.bounds(a), terms.bounds(b))
        }
        Node::Ite(_, then, otherwise) => terms.bounds(then).either(terms.bounds(otherwise)),
        _ => Bounds::default(),
    }
}

/// What is known of terms under every model.
impl Terms {
    /// How many of the lowest bits of a term of bits are always zero.
    pub fn trailing_zeros(&self, term: Term) -> u32 {
        self.facts(term).map_or(0, Facts::trailing_zeros)
    }

    /// The least and the most that a term of numbers can be, where a bound is known.
    pub fn integer_range(&self, term: Term) -> (Option<i128>, Option<i128>) {
        let bounds = self.bounds(term);
        (bounds.low, bounds.high)
    }

    /// What is known of a term of at most 128 bits.
    pub(crate) fn facts(&self, term: Term) -> Option<&Facts> {
        match self.sort(term) {
            Sort::BitVector(width) if width <= Facts::WIDEST => {
                self.knowledge.facts.get(self.knowledge.places[term.index()] as usize)
            }
            _ => None,
        }
    }

    /// What is known of a term of numbers.
    pub(crate) fn bounds(&self, term: Term) -> Bounds {
        if self.sort(term) != Sort::Integer {
            return Bounds::default();
        }
        let place = self.knowledge.places[term.index()];
        self.knowledge.bounds.get(place as usize).copied().unwrap_or_default()
    }
}
