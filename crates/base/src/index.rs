//! Typed indices and the arenas they index, so that a block number can never be used as a variable number.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index as IndexOperator, IndexMut};

/// A typed index: a number that knows what it numbers.
pub trait Index: Copy + Eq + Ord + Hash + fmt::Debug + 'static {
    /// The index with this number.
    ///
    /// # Panics
    /// If the number does not fit in 32 bits: no arena of ours grows that far.
    fn new(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// Declares a typed index. The prefix is how it is printed: `b12`.
#[macro_export]
macro_rules! index_type {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::index::Index for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 items"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector that is indexed by a typed index.
#[derive(Clone, PartialEq, Eq)]
pub struct Arena<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: Index, T> Arena<I, T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new(), index: PhantomData }
    }

    /// Adds an item and says where it is.
    pub fn push(&mut self, item: T) -> I {
        let index = I::new(self.items.len());
        self.items.push(item);
        index
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at an index that may be out of range.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// All indices, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items with their indices, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }

    /// All items with their indices, in order, to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.items.iter_mut().enumerate().map(|(index, item)| (I::new(index), item))
    }

    /// All items, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items without their arena.
    pub fn into_values(self) -> Vec<T> {
        self.items
    }
}

impl<I: Index, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Index, T: fmt::Debug> fmt::Debug for Arena<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<I: Index, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), index: PhantomData }
    }
}

impl<I: Index, T> IndexOperator<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Index, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    index_type!(
        /// A number for this test.
        ThingId,
        "thing"
    );

    #[test]
    fn items_come_back_by_their_index() {
        let mut arena: Arena<ThingId, &str> = Arena::new();
        let first = arena.push("a");
        let second = arena.push("b");
        assert_eq!((arena[first], arena[second]), ("a", "b"));
        assert_eq!(arena.ids().collect::<Vec<_>>(), [first, second]);
        assert_eq!(second.to_string(), "thing1");
        assert!(arena.get(ThingId::new(2)).is_none());
    }
}
