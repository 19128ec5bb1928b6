//! Why bounds hold: sets of tags of constraints, and of the assumptions of a search.

/// What a bound can follow from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A constraint that was asserted under this tag.
    Tag(u32),
    /// The assumption that the search made at this depth.
    Branch(u32),
    /// The assumption that all solutions are near.
    Near,
}

/// A set of causes, sorted.
pub type Causes = Vec<Cause>;

/// Sets of causes by number.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    sets: Vec<Causes>,
}

impl Reasons {
    /// The number of a set.
    pub fn add(&mut self, mut causes: Causes) -> u32 {
        causes.sort_unstable();
        causes.dedup();
        self.sets.push(causes);
        (self.sets.len() - 1) as u32
    }

    /// The set with a number.
    pub fn get(&self, reason: u32) -> &Causes {
        &self.sets[reason as usize]
    }

    /// All causes of some sets.
    pub fn union(&self, reasons: impl IntoIterator<Item = u32>) -> Causes {
        let mut all: Causes =
            reasons.into_iter().flat_map(|reason| self.sets[reason as usize].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The number of the set of all causes of two sets.
    pub fn join(&mut self, left: u32, right: u32) -> u32 {
        if left == right {
            return left;
        }
        let union = self.union([left, right]);
        self.add(union)
    }

    /// Forgets all sets but the first so many.
    pub fn truncate(&mut self, length: usize) {
        self.sets.truncate(length);
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }
}

/// The tags of a set.
pub fn tags(causes: &[Cause]) -> Vec<u32> {
    let tags = causes.iter().filter_map(|cause| match cause {
        Cause::Tag(tag) => Some(*tag),
        Cause::Branch(_) | Cause::Near => None,
    });
    tags.collect()
}
