//! Normal forms of symbolic heaps: what cannot be reached is dropped, what only its predecessor leads to is made part of
//! it, and locations are numbered in the order in which the variables lead to them.

use super::{Heap, Shape, Target};
use crate::{Domain, Expression};

impl Shape {
    /// The normal form, and for each of its locations the old ones that its segment consists of.
    pub(super) fn normalised(&self) -> (Self, Vec<Vec<usize>>) {
        let kept = self.kept();
        let mut numbers: Vec<Option<usize>> = vec![None; self.segments.len()];
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut ends: Vec<Target> = Vec::new();
        for target in &self.variables {
            let mut next = *target;
            while let Target::Location(start) = next
                && numbers[start].is_none()
            {
                numbers[start] = Some(parts.len());
                let mut chain = vec![start];
                next = self.segments[start];
                while let Target::Location(inner) = next
                    && !kept[inner]
                {
                    chain.push(inner);
                    next = self.segments[inner];
                }
                parts.push(chain);
                ends.push(next);
            }
        }
        let renumbered = |target: &Target| match target {
            Target::Location(location) => numbers[*location].map_or(Target::Unknown, Target::Location),
            other => *other,
        };
        let shape = Self {
            variables: self.variables.iter().map(renumbered).collect(),
            segments: ends.iter().map(renumbered).collect(),
        };
        (shape, parts)
    }

    /// Which locations stay: those that variables point to, and those that two segments lead to.
    fn kept(&self) -> Vec<bool> {
        let mut is_reached = vec![false; self.segments.len()];
        let mut count = vec![0; self.segments.len()];
        let mut kept = vec![false; self.segments.len()];
        for target in &self.variables {
            let mut next = *target;
            if let Target::Location(location) = next {
                kept[location] = true;
            }
            while let Target::Location(location) = next
                && !is_reached[location]
            {
                is_reached[location] = true;
                next = self.segments[location];
                if let Target::Location(end) = next {
                    count[end] += 1;
                }
            }
        }
        kept.iter().zip(count).map(|(kept, count)| *kept || count > 1).collect()
    }
}

impl<N: Domain> Heap<N> {
    /// Brings it into normal form.
    pub fn normalise(&mut self) {
        let (shape, parts) = self.shape.normalised();
        let (old, new) = (self.shape.segments.len(), parts.len());
        let is_same = old == new && parts.iter().enumerate().all(|(at, part)| part[..] == [at]);
        if !is_same {
            self.rearrange(old, &parts);
        }
        self.shape = shape;
        self.numbers.resize(self.base + new);
    }

    /// Gives every new location the sum of the lengths of its parts.
    fn rearrange(&mut self, old: usize, parts: &[Vec<usize>]) {
        // If no location moves up, no length is overwritten before it is needed; otherwise all are put aside first.
        let is_in_order =
            parts.iter().enumerate().all(|(at, part)| part.iter().all(|location| *location >= at));
        let aside = if is_in_order { 0 } else { old };
        self.numbers.resize(self.base + if is_in_order { old } else { old + parts.len() });
        for (at, part) in parts.iter().enumerate() {
            let lengths = part.iter().map(|location| Expression::variable(self.length(*location)));
            let sum = lengths.fold(Expression::zero(), |sum, length| &sum + &length);
            self.numbers.assign(self.length(aside + at), &sum);
        }
        if !is_in_order {
            for at in 0..parts.len() {
                let value = Expression::variable(self.length(old + at));
                self.numbers.assign(self.length(at), &value);
            }
        }
    }

    /// The numbers of the same states seen as states of another graph, if that differs only by unknown variables.
    pub fn weakened(&self, shape: &Shape) -> Option<N> {
        if self.shape == *shape {
            return Some(self.numbers.clone());
        }
        let mut heap = self.clone();
        for (mine, other) in heap.shape.variables.iter_mut().zip(&shape.variables) {
            if *other == Target::Unknown {
                *mine = Target::Unknown;
            }
        }
        heap.normalise();
        (heap.shape == *shape).then_some(heap.numbers)
    }
}
