//! That no run comes by some marks.
//!
//! Proof rule: the encoding allows every run of the program up to where it ends a path. If control comes by none of the marks in
//! the encoding, comes to no loose end, and violates nothing after which a program may do anything, then no run comes by
//! them.

use base::Budget;
use program::MarkId;

use super::{Effort, Leaping};

/// A proof that no run comes by some marks. Only the kernel makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreachedMarks {
    marks: Vec<MarkId>,
}

impl UnreachedMarks {
    /// The marks.
    pub fn marks(&self) -> &[MarkId] {
        &self.marks
    }
}

/// What stands in the way of a proof that marks are not passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Control may come by one of the marks, as far as is known.
    Passed,
    /// This demand may be violated, as far as is known.
    Demand(usize),
    /// Control may come to an end of the encoding, as far as is known.
    OpenEnd,
}

impl Leaping<'_> {
    /// The demands that say when control comes by a mark.
    pub fn passes(&self, mark: MarkId) -> Vec<usize> {
        (0..self.demands.len()).filter(|&demand| self.demands[demand].mark == Some(mark)).collect()
    }

    /// Proves that no run comes by some marks.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn prove_never_passed(
        &mut self,
        marks: &[MarkId],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<UnreachedMarks, Obstacle> {
        if self.supposed {
            return Err(Obstacle::Passed);
        }
        let passes: Vec<usize> = marks.iter().flat_map(|&mark| self.passes(mark)).collect();
        if !self.violated(&passes, effort, budget).is_ok_and(|violated| violated.is_empty()) {
            return Err(Obstacle::Passed);
        }
        let is_mark = |demand: &usize| self.demands[*demand].mark.is_some();
        let left = (0..self.demands.len()).filter(|demand| !is_mark(demand)).collect();
        self.none_is_violated(left, effort, budget)?;
        Ok(UnreachedMarks { marks: marks.to_vec() })
    }
}
