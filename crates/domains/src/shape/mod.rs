//! Shapes of linked lists with the lengths of their parts, over any domain of numbers.
//!
//! Symbolic heaps of separation logic (Distefano, O'Hearn and Yang, TACAS 2006; with lengths: Berdine, Cook, Distefano
//! and O'Hearn, CAV 2006). The memory is made of cells with one field, `next`. A symbolic heap has locations, which are
//! different cells, and from each of them one segment: a chain of so many cells, at least one, that ends in a location,
//! in null, or at an unknown place. Lengths are dimensions of the domain of numbers, next to those of ordinary
//! variables.
//!
//! ```text
//!     x ─► (0) ──3──► (1) ──k──► null         x, y point to locations; a ring is a segment that comes back to its start
//!                      ▲
//!                      y
//! ```
//!
//! What lies inside a segment is pointed to by nothing else that is followed. The memory may contain more cells, so that
//! what is lost needs no care; a pointer to what is not followed, or no longer there, is unknown. A write through an unknown
//! pointer makes all unknown. An access through null ends a run.
//!
//! An element is a set of symbolic heaps that differ in their graphs. Each is in normal form ([`Heap::normalise`]): locations
//! that no variable and not two segments lead to are made part of the segment that leads to them. So there are finitely many
//! graphs, and widening is that of the numbers. Too many graphs make the element forget variables.
//!
//! Known imprecision: two unknown pointers are never known to be equal; one field, so that lists have one direction.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Constraint, Domain, Lattice};

mod heap;
mod normal;
#[cfg(test)]
mod tests;

pub use self::heap::Heap;

/// A pointer variable, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointer(pub u32);

impl Pointer {
    /// Its place among the variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a pointer is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The null pointer.
    Null,
    /// A location, by its number.
    Location(usize),
    /// Anything.
    Unknown,
}

/// Where pointers lead: a symbolic heap without its numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shape {
    /// What each variable is.
    pub variables: Vec<Target>,
    /// Where the segment of each location ends.
    pub segments: Vec<Target>,
}

/// A pointer that a command speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The null pointer.
    Null,
    /// The value of a variable.
    Variable(Pointer),
    /// Anything.
    Unknown,
}

/// A step of a program on pointers and cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// The variable points to a new cell that contains this, or is null.
    Allocate(Pointer, Operand),
    /// `x = y`.
    Assign(Pointer, Operand),
    /// `x = y->next`.
    Load(Pointer, Pointer),
    /// `x->next = y`.
    Store(Pointer, Operand),
    /// Something else in the object of a variable is written: no cell changes, unless the variable is unknown.
    Touch(Pointer),
    /// `free(x)`.
    Free(Operand),
    /// Only states in which the two are equal go on.
    Same(Operand, Operand),
    /// Only states in which the two differ go on.
    Different(Operand, Operand),
    /// Any cell is written or freed.
    Havoc,
    /// One of several sequences of steps is taken.
    Either(Vec<Vec<Action>>),
}

/// No element has more graphs.
const SHAPES: usize = 48;

/// A set of symbolic heaps that differ in their graphs.
#[derive(Clone, Debug)]
pub struct Shapes<N> {
    base: usize,
    variables: usize,
    heaps: BTreeMap<Shape, N>,
    /// Variables that this element and all that it is joined with do not follow, so that there are few graphs.
    forgotten: BTreeSet<Pointer>,
}

impl<N: Domain> Shapes<N> {
    /// All states of so many pointer variables and so many numbers.
    pub fn top(variables: usize, numbers: usize) -> Self {
        Self::of(Heap::top(variables, N::top(numbers)))
    }

    /// No state.
    pub fn bottom(variables: usize, numbers: usize) -> Self {
        Self { base: numbers, variables, heaps: BTreeMap::new(), forgotten: BTreeSet::new() }
    }

    /// One symbolic heap.
    pub fn of(heap: Heap<N>) -> Self {
        let mut result = Self::bottom(heap.shape.variables.len(), heap.base);
        result.insert(heap);
        result
    }

    /// The symbolic heaps: graphs with their numbers. The first numbers are those of ordinary variables; then comes the
    /// length of the segment of each location.
    pub fn heaps(&self) -> impl Iterator<Item = Heap<N>> {
        self.heaps.iter().map(|(shape, numbers)| Heap {
            shape: shape.clone(),
            numbers: numbers.clone(),
            base: self.base,
        })
    }

    /// How many ordinary numbers there are.
    pub fn numbers(&self) -> usize {
        self.base
    }

    /// What steps on pointers make of it.
    pub fn act(&mut self, actions: &[Action]) {
        if actions.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.heaps);
        for (shape, numbers) in old {
            let heap = Heap { shape, numbers, base: self.base };
            heap.run(actions).into_iter().for_each(|heap| self.insert(heap));
        }
        self.remember(actions);
        self.bound();
    }

    /// Changes the numbers. The change must leave the lengths alone.
    pub fn change(&mut self, mut change: impl FnMut(&mut N)) {
        self.heaps.values_mut().for_each(&mut change);
        self.heaps.retain(|_, numbers| !numbers.is_bottom());
    }

    /// Variables that are set are followed again.
    fn remember(&mut self, actions: &[Action]) {
        for action in actions {
            match action {
                Action::Allocate(target, _) | Action::Assign(target, _) | Action::Load(target, _) => {
                    self.forgotten.remove(target);
                }
                Action::Either(ways) => ways.iter().for_each(|way| self.remember(way)),
                _ => {}
            }
        }
    }

    /// Adds a symbolic heap, in normal form.
    fn insert(&mut self, mut heap: Heap<N>) {
        if heap.numbers.is_bottom() {
            return;
        }
        heap.normalise();
        match self.heaps.entry(heap.shape) {
            std::collections::btree_map::Entry::Vacant(free) => _ = free.insert(heap.numbers),
            std::collections::btree_map::Entry::Occupied(mut old) => {
                let sum = old.get().join(&heap.numbers);
                old.insert(sum);
            }
        }
    }

    /// Forgets variables until there are few graphs: each time the one that leaves the fewest.
    fn bound(&mut self) {
        while self.heaps.len() > SHAPES {
            let left = |pointer: &Pointer| {
                let graph = |shape: &Shape| {
                    let mut shape = shape.clone();
                    shape.variables[pointer.index()] = Target::Unknown;
                    shape.normalised().0
                };
                self.heaps.keys().map(graph).collect::<BTreeSet<_>>().len()
            };
            let pointers = (0..self.variables as u32).map(Pointer);
            let open = pointers.filter(|pointer| !self.forgotten.contains(pointer));
            let Some(chosen) = open.min_by_key(left) else { return };
            self.forget(&BTreeSet::from([chosen]));
        }
    }

    /// Lets variables be anything, now and in all elements that this one is joined with.
    fn forget(&mut self, pointers: &BTreeSet<Pointer>) {
        if pointers.is_subset(&self.forgotten) {
            return;
        }
        self.forgotten.extend(pointers);
        for (shape, numbers) in std::mem::take(&mut self.heaps) {
            let mut heap = Heap { shape, numbers, base: self.base };
            pointers.iter().for_each(|pointer| heap.shape.variables[pointer.index()] = Target::Unknown);
            self.insert(heap);
        }
    }

    /// Both elements, with the same variables forgotten.
    fn aligned(&self, other: &Self) -> (Self, Self) {
        let (mut left, mut right) = (self.clone(), other.clone());
        left.forget(&other.forgotten);
        right.forget(&self.forgotten);
        (left, right)
    }

    fn combined(&self, other: &Self, combine: impl Fn(&N, &N) -> N) -> Self {
        let (mut left, right) = self.aligned(other);
        for (shape, numbers) in right.heaps {
            match left.heaps.get_mut(&shape) {
                Some(old) => *old = combine(old, &numbers),
                None => _ = left.heaps.insert(shape, numbers),
            }
        }
        left.bound();
        left
    }
}

impl<N: Domain> Lattice for Shapes<N> {
    fn is_bottom(&self) -> bool {
        self.heaps.is_empty()
    }

    fn is_included(&self, other: &Self) -> bool {
        let is_in = |(shape, numbers): (&Shape, &N)| {
            if other.heaps.get(shape).is_some_and(|around| numbers.is_included(around)) {
                return true;
            }
            let heap = Heap { shape: shape.clone(), numbers: numbers.clone(), base: self.base };
            other.heaps.iter().any(|(shape, around)| {
                heap.weakened(shape).is_some_and(|numbers| numbers.is_included(around))
            })
        };
        self.heaps.iter().all(is_in)
    }

    fn join(&self, other: &Self) -> Self {
        self.combined(other, N::join)
    }

    /// The first of the two, which is always sound.
    fn meet(&self, _other: &Self) -> Self {
        self.clone()
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        self.combined(next, |old, next| old.widen(&old.join(next), limits))
    }

    fn narrow(&self, next: &Self) -> Self {
        if next.heaps.keys().any(|shape| !self.heaps.contains_key(shape)) {
            return self.clone();
        }
        let mut result = self.clone();
        result.heaps.retain(|shape, _| next.heaps.contains_key(shape));
        for (shape, numbers) in &mut result.heaps {
            *numbers = numbers.narrow(&next.heaps[shape]);
        }
        result
    }
}
