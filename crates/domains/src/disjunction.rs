//! Bounded disjunctions: a few elements of any domain, of which a point is in one, kept apart by where they come from.
//!
//! Every disjunct has a key. Disjuncts of different keys are never merged, which is trace partitioning (Mauborgne and Rival,
//! Trace partitioning in abstract interpretation based static analyzers, 2005): whoever walks over a program gives the keys.
//! Of one key there are at most so many; a join that gives more merges those that lose least by it.
//!
//! Widening never adds a disjunct to a key that has some: every new one goes into the old one that is closest, which is
//! widened. The old ones are chains of the domain below, so that their growth ends if the keys are finitely many.
//! Known imprecision: a disjunct is compared with single disjuncts, not with unions; a meet can have more than the limit.

use crate::lattice::Loss;
use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

/// Disjuncts with keys, at most so many for each key.
#[derive(Clone, Debug)]
pub struct Disjunction<D, K = (), const LIMIT: usize = 4> {
    dimensions: usize,
    /// Sorted by key; none of them is empty.
    disjuncts: Vec<(K, D)>,
}

impl<D: Domain, K: Ord + Clone + Default, const LIMIT: usize> Disjunction<D, K, LIMIT> {
    /// One disjunct.
    pub fn new(key: K, element: D) -> Self {
        let dimensions = element.dimensions();
        Self::of(dimensions, vec![(key, element)])
    }

    /// The disjuncts with their keys, sorted by key.
    pub fn disjuncts(&self) -> &[(K, D)] {
        &self.disjuncts
    }

    /// Gives every disjunct a new key. What comes to the same key is kept apart as far as the limit allows.
    pub fn rekey(&mut self, mut key: impl FnMut(&K) -> K) {
        let renamed =
            std::mem::take(&mut self.disjuncts).into_iter().map(|(old, element)| (key(&old), element));
        self.disjuncts = renamed.collect();
        self.disjuncts.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.absorb();
        self.bound();
    }

    /// One element that contains all disjuncts.
    pub fn merged(&self) -> D {
        let all = self.disjuncts.iter().map(|(_, element)| element.clone());
        all.reduce(|a, b| a.join(&b)).unwrap_or_else(|| D::bottom(self.dimensions))
    }

    /// The disjuncts that are left of a sorted list without those that are empty or in others.
    fn of(dimensions: usize, disjuncts: Vec<(K, D)>) -> Self {
        let mut result = Self { dimensions, disjuncts };
        result.absorb();
        result
    }

    fn absorb(&mut self) {
        let mut kept: Vec<(K, D)> = Vec::with_capacity(self.disjuncts.len());
        for (key, element) in std::mem::take(&mut self.disjuncts) {
            if element.is_bottom()
                || kept.iter().any(|(old, other)| *old == key && element.is_included(other))
            {
                continue;
            }
            kept.retain(|(old, other)| *old != key || !other.is_included(&element));
            kept.push((key, element));
        }
        self.disjuncts = kept;
    }

    /// Merges disjuncts until no key has too many.
    fn bound(&mut self) {
        let mut from = 0;
        while from < self.disjuncts.len() {
            let count =
                self.disjuncts[from..].iter().take_while(|(key, _)| *key == self.disjuncts[from].0).count();
            if count <= LIMIT.max(1) {
                from += count;
                continue;
            }
            let (one, two) = self.closest(from, count);
            let (_, second) = self.disjuncts.remove(two);
            let merged = self.disjuncts[one].1.join(&second);
            self.disjuncts[one].1 = merged;
            self.absorb();
        }
    }

    /// The two of some neighbouring disjuncts that lose least if they are merged.
    fn closest(&self, from: usize, count: usize) -> (usize, usize) {
        let pairs = (0..count).flat_map(|two| (0..two).map(move |one| (one, two)));
        let cost =
            |&(one, two): &(usize, usize)| loss(&self.disjuncts[from + one].1, &self.disjuncts[from + two].1);
        let (one, two) = pairs.min_by_key(cost).unwrap_or((0, 0));
        (from + one, from + two)
    }

    /// Which of the old disjuncts each of the next ones belongs to: one of the same key that contains it, or the closest.
    fn homes(&self, next: &Self) -> Vec<Option<(usize, bool)>> {
        let home = |(key, element): &(K, D)| {
            let same: Vec<usize> =
                (0..self.disjuncts.len()).filter(|at| self.disjuncts[*at].0 == *key).collect();
            let around = same.iter().find(|at| element.is_included(&self.disjuncts[**at].1));
            match (around, &same[..]) {
                (Some(at), _) => Some((*at, true)),
                (None, [only]) => Some((*only, false)),
                (None, _) => {
                    let cost = |at: &usize| loss(&self.disjuncts[*at].1, element);
                    same.into_iter().min_by_key(cost).map(|at| (at, false))
                }
            }
        };
        next.disjuncts.iter().map(home).collect()
    }

    fn each(&mut self, operation: impl FnMut(&mut D)) {
        self.disjuncts.iter_mut().map(|(_, element)| element).for_each(operation);
    }
}

/// What is lost if two elements are joined.
fn loss<D: Domain>(a: &D, b: &D) -> Loss {
    let join = a.join(b);
    a.loss(&join).plus(&b.loss(&join))
}

impl<D: Domain, K: Ord + Clone + Default, const LIMIT: usize> Lattice for Disjunction<D, K, LIMIT> {
    fn is_bottom(&self) -> bool {
        self.disjuncts.is_empty()
    }

    fn is_included(&self, other: &Self) -> bool {
        let is_in = |(key, element): &(K, D)| {
            other.disjuncts.iter().any(|(old, around)| old == key && element.is_included(around))
        };
        self.disjuncts.iter().all(is_in)
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() || other.is_bottom() {
            return if self.is_bottom() { other.clone() } else { self.clone() };
        }
        let mut disjuncts = self.disjuncts.clone();
        disjuncts.extend_from_slice(&other.disjuncts);
        disjuncts.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut result = Self::of(self.dimensions, disjuncts);
        result.bound();
        result
    }

    fn meet(&self, other: &Self) -> Self {
        let mut disjuncts = Vec::new();
        for (key, element) in &self.disjuncts {
            let same = other.disjuncts.iter().filter(|(old, _)| old == key);
            disjuncts.extend(same.map(|(_, around)| (key.clone(), element.meet(around))));
        }
        Self::of(self.dimensions, disjuncts)
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        let mut joined = vec![None; self.disjuncts.len()];
        let mut disjuncts = self.disjuncts.clone();
        for ((key, element), home) in next.disjuncts.iter().zip(self.homes(next)) {
            match home {
                None => disjuncts.push((key.clone(), element.clone())),
                Some((_, true)) => {}
                Some((at, false)) => {
                    let sum = joined[at].as_ref().unwrap_or(&self.disjuncts[at].1).join(element);
                    joined[at] = Some(sum);
                }
            }
        }
        for ((_, element), sum) in disjuncts.iter_mut().zip(joined) {
            if let Some(sum) = sum {
                *element = element.widen(&sum, limits);
            }
        }
        disjuncts.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut result = Self::of(self.dimensions, disjuncts);
        result.bound();
        result
    }

    fn narrow(&self, next: &Self) -> Self {
        let homes = self.homes(next);
        if homes.iter().any(|home| !matches!(home, Some((_, true)))) {
            return self.clone();
        }
        let mut parts: Vec<Option<D>> = vec![None; self.disjuncts.len()];
        for ((_, element), (at, _)) in next.disjuncts.iter().zip(homes.into_iter().flatten()) {
            parts[at] = Some(parts[at].as_ref().map_or_else(|| element.clone(), |part| part.join(element)));
        }
        let narrowed = self
            .disjuncts
            .iter()
            .zip(parts)
            .filter_map(|((key, old), part)| part.map(|part| (key.clone(), old.narrow(&part))));
        Self::of(self.dimensions, narrowed.collect())
    }
}

impl<D: Domain, K: Ord + Clone + Default, const LIMIT: usize> Domain for Disjunction<D, K, LIMIT> {
    /// All points, with the key that comes by default.
    fn top(dimensions: usize) -> Self {
        Self::new(K::default(), D::top(dimensions))
    }

    fn bottom(dimensions: usize) -> Self {
        Self { dimensions, disjuncts: Vec::new() }
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn assume(&mut self, constraint: &Constraint) {
        self.each(|element| element.assume(constraint));
        self.disjuncts.retain(|(_, element)| !element.is_bottom());
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        self.each(|element| element.assign(target, value));
        self.disjuncts.retain(|(_, element)| !element.is_bottom());
    }

    fn forget(&mut self, dimension: Dimension) {
        self.each(|element| element.forget(dimension));
    }

    fn range(&self, expression: &Expression) -> Range {
        let ranges = self.disjuncts.iter().map(|(_, element)| element.range(expression));
        ranges.reduce(|a, b| a.join(&b)).unwrap_or_else(Range::empty)
    }

    /// What holds of all disjuncts together.
    fn constraints(&self) -> Vec<Constraint> {
        self.merged().constraints()
    }

    fn resize(&mut self, dimensions: usize) {
        self.dimensions = dimensions;
        self.each(|element| element.resize(dimensions));
    }

    fn refine(&self, dimension: Dimension, range: Range) -> Range {
        let ranges = self.disjuncts.iter().map(|(_, element)| element.refine(dimension, range.clone()));
        ranges.filter(|range| !range.is_empty()).reduce(|a, b| a.join(&b)).unwrap_or_else(Range::empty)
    }

    fn satisfies(&self, constraint: &Constraint) -> bool {
        self.disjuncts.iter().all(|(_, element)| element.satisfies(constraint))
    }
}

#[cfg(test)]
mod tests {
    use logic::numbers::Rational;

    use super::*;
    use crate::interval::Intervals;
    use crate::{Octagon, laws};

    fn point<K: Ord + Clone + Default>(key: K, value: i64) -> Disjunction<Intervals, K, 2> {
        let mut element = Intervals::top(1);
        element.assign(Dimension(0), &Expression::constant(value));
        Disjunction::new(key, element)
    }

    fn texts<K: Ord + Clone + Default>(element: &Disjunction<Intervals, K, 2>) -> Vec<String> {
        let text = |(_, element): &(K, Intervals)| {
            let range = element.range(&Expression::variable(Dimension(0)));
            let limit = |limit: Option<Rational>| limit.map_or("?".to_owned(), |limit| limit.to_string());
            format!("{}..{}", limit(range.least), limit(range.greatest))
        };
        element.disjuncts().iter().map(text).collect()
    }

    #[test]
    fn the_laws_hold() {
        (0..8).for_each(laws::check::<Disjunction<Intervals>>);
        (0..4).for_each(laws::check::<Disjunction<Octagon, (), 2>>);
    }

    #[test]
    fn keys_keep_traces_apart() {
        let both = point(1, 0).join(&point(2, 5)).join(&point(1, 9));
        assert_eq!(texts(&both), ["0..0", "9..9", "5..5"]);
        let more = both.join(&point(1, 10)).join(&point(1, 11));
        assert_eq!(texts(&more), ["0..0", "9..11", "5..5"]);
        let mut one = both;
        one.rekey(|_| 0);
        assert_eq!(texts(&one), ["0..0", "5..9"]);
        assert!(
            one.satisfies(&Constraint::at_most(&Expression::zero(), &Expression::variable(Dimension(0))))
        );
    }

    #[test]
    fn widening_extends_the_closest() {
        let old = point((), 0).join(&point((), 5));
        let next = old.join(&point((), 6));
        let widened = old.widen(&next, &[]);
        assert!(next.is_included(&widened));
        assert_eq!(texts(&widened), ["0..0", "5..?"]);
    }
}
