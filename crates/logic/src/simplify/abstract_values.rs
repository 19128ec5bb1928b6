//! The abstract values of all terms of a store.

use base::Index;

use super::abstract_value::AbstractValue;
use super::bounds::Bounds;
use super::transfer;
use crate::node::{Node, Unary};
use crate::sort::Sort;
use crate::terms::{Term, Terms};
use crate::value::Value;

/// What is known of every term besides its sort, and how deep simplification is at this moment.
#[derive(Clone, Debug, Default)]
pub struct AbstractValues {
    /// For every term the place of its abstract values or bounds; terms of which nothing is known share their places.
    places: Vec<u32>,
    abstract_value: Vec<AbstractValue>,
    bounds: Vec<Bounds>,
    /// The place of the abstract value of unknown bits, by width.
    unknown: Vec<u32>,
    /// Abstract value of the node that no rule could simplify, which will be a term next.
    pub(super) pending: Option<(Node, AbstractValue)>,
    pub(super) depth: u32,
    pub(super) steps: u32,
    /// The most steps that one node has taken so far.
    pub(super) most_steps: u32,
}

const NOWHERE: u32 = u32::MAX;

impl AbstractValues {
    fn place_abstract_value(&mut self, abstract_value: AbstractValue) -> u32 {
        if abstract_value != AbstractValue::unknown(abstract_value.width) {
            self.abstract_value.push(abstract_value);
            return (self.abstract_value.len() - 1) as u32;
        }
        let width = abstract_value.width as usize;
        if self.unknown.len() <= width {
            self.unknown.resize(width + 1, NOWHERE);
        }
        if self.unknown[width] == NOWHERE {
            self.unknown[width] = self.abstract_value.len() as u32;
            self.abstract_value.push(abstract_value);
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
            let abstract_value = match terms.abstract_values.pending.take() {
                Some((pending, abstract_value)) if pending == node => Some(abstract_value),
                _ => abstract_value_of_node(terms, node),
            };
            abstract_value
                .map_or(NOWHERE, |abstract_value| terms.abstract_values.place_abstract_value(abstract_value))
        }
        Sort::Integer => {
            let bounds = bounds_of_node(terms, node);
            terms.abstract_values.place_bounds(bounds)
        }
        Sort::Bool | Sort::Array(..) => NOWHERE,
    };
    terms.abstract_values.places.push(place);
}

/// The abstract value of a node of bits, unless it is too wide.
pub fn abstract_value_of_node(terms: &Terms, node: Node) -> Option<AbstractValue> {
    let abstract_value = |term: Term| terms.abstract_value(term);
    let unknown = |width: u32| (width <= AbstractValue::WIDEST).then(|| AbstractValue::unknown(width));
    match node {
        Node::Constant(constant) => {
            let Value::BitVector(bits) = terms.constant(constant) else { return None };
            Some(AbstractValue::exact(bits.width(), bits.to_u128()?))
        }
        Node::Symbol(symbol) => unknown(terms.symbol(symbol).sort.width()?),
        Node::Unary(Unary::IntegerToBits(width), a) => {
            unknown(width).map(|abstract_value| low_bits(abstract_value, terms.bounds(a)))
        }
        // A part of something too wide may be narrow enough.
        Node::Unary(Unary::Extract { high, low }, a) if abstract_value(a).is_none() => {
            unknown(high - low + 1)
        }
        Node::Unary(op, a) => transfer::unary(op, abstract_value(a)?),
        Node::Binary(crate::Binary::Select, array, _) => match terms.sort(array) {
            Sort::Array(_, crate::Scalar::BitVector(width)) => unknown(width),
            _ => None,
        },
        Node::Binary(op, a, b) => transfer::binary(op, abstract_value(a)?, abstract_value(b)?),
        Node::Ite(_, then, otherwise) => {
            Some(transfer::either(abstract_value(then)?, abstract_value(otherwise)?))
        }
        Node::Store(..) | Node::ConstantArray(..) => None,
    }
}

/// Abstract values of the low bits of a number within bounds.
fn low_bits(mut abstract_value: AbstractValue, bounds: Bounds) -> AbstractValue {
    let (Some(low), Some(high)) = (bounds.low, bounds.high) else { return abstract_value };
    if low >= 0 && high as u128 <= abstract_value.high {
        (abstract_value.low, abstract_value.high) = (low as u128, high as u128);
    }
    if low >= abstract_value.signed_low && high <= abstract_value.signed_high {
        (abstract_value.signed_low, abstract_value.signed_high) = (low, high);
    }
    abstract_value.agreed()
}

fn bounds_of_node(terms: &Terms, node: Node) -> Bounds {
    match node {
        Node::Constant(constant) => match terms.constant(constant) {
            Value::Integer(number) => Bounds::exact(number),
            _ => Bounds::default(),
        },
        Node::Unary(op @ (Unary::UnsignedToInteger | Unary::SignedToInteger), a) => terms
            .abstract_value(a)
            .and_then(|abstract_value| abstract_value.range(op == Unary::SignedToInteger))
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
        self.abstract_value(term).map_or(0, AbstractValue::trailing_zeros)
    }

    /// What is known of a term of at most 128 bits.
    pub(crate) fn abstract_value(&self, term: Term) -> Option<&AbstractValue> {
        match self.sort(term) {
            Sort::BitVector(width) if width <= AbstractValue::WIDEST => {
                self.abstract_values.abstract_value.get(self.abstract_values.places[term.index()] as usize)
            }
            _ => None,
        }
    }

    /// What is known of a term of numbers.
    pub(crate) fn bounds(&self, term: Term) -> Bounds {
        if self.sort(term) != Sort::Integer {
            return Bounds::default();
        }
        let place = self.abstract_values.places[term.index()];
        self.abstract_values.bounds.get(place as usize).copied().unwrap_or_default()
    }
}
