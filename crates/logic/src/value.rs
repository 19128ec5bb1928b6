//! What a term can be equal to under a model.

use rpds::RedBlackTreeMapSync;

use crate::sort::{Scalar, Sort};
use crate::{BitVector, Integer};

/// A value of any sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// Bits.
    BitVector(BitVector),
    /// A number.
    Integer(Integer),
    /// An array.
    Array(Box<ArrayValue>),
}

/// An array: one element everywhere but at some indices. No entry repeats the element that is everywhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// The sort of the indices.
    pub index: Scalar,
    /// The element wherever there is no entry.
    pub default: Value,
    /// The elements that differ. Arrays that are made of each other by single stores share what they have in common: a
    /// program that fills a table is a chain of thousands of them.
    pub entries: RedBlackTreeMapSync<Value, Value>,
}

impl Value {
    /// Bits as a value.
    pub fn bits(width: u32, bits: u128) -> Self {
        Value::BitVector(BitVector::new(width, bits))
    }

    /// The least surprising value of a sort: false, zero, zeros everywhere.
    pub fn zero(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVector(width) => Value::BitVector(BitVector::zero(width)),
            Sort::Integer => Value::Integer(Integer::ZERO),
            Sort::Array(index, element) => Value::Array(Box::new(ArrayValue {
                index,
                default: Value::zero(element.into()),
                entries: RedBlackTreeMapSync::default(),
            })),
        }
    }

    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::BitVector(bits) => Sort::BitVector(bits.width()),
            Value::Integer(_) => Sort::Integer,
            Value::Array(array) => {
                let element = array.default.sort().scalar().unwrap_or(Scalar::Bool);
                Sort::Array(array.index, element)
            }
        }
    }

    /// The boolean, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The bits, if it is bits.
    pub const fn as_bits(&self) -> Option<&BitVector> {
        match self {
            Value::BitVector(bits) => Some(bits),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub const fn as_integer(&self) -> Option<&Integer> {
        match self {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }
}

impl ArrayValue {
    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes the element at an index.
    pub fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove_mut(&index);
        } else {
            self.entries.insert_mut(index, element);
        }
    }
}
