//! That no run comes by some marks.
//!
//! Proof rule: the encoding allows every run of the program up to where it ends a path. If control comes by none of the
//! marks in the encoding, comes to no incomplete path, and violates nothing after which a program may do anything, then
//! no run comes by them.

use base::Budget;
use program::MarkId;

use crate::answer::UnreachedMarks;

use super::{Abstraction, Effort};

/// What stands in the way of a proof that marks are not passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Control may come by one of the marks, as far as is known.
    Passed,
    /// This verification condition may be violated, as far as is known.
    VerificationCondition(usize),
    /// Control may come to an end of the encoding, as far as is known.
    OpenEnd,
}

impl Abstraction<'_> {
    /// The verification conditions that say when control comes by a mark.
    pub fn iterations(&self, mark: MarkId) -> Vec<usize> {
        (0..self.vcs.len()).filter(|&vc| self.vcs[vc].mark == Some(mark)).collect()
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
        let iterations: Vec<usize> = marks.iter().flat_map(|&mark| self.iterations(mark)).collect();
        if !self.violated(&iterations, effort, budget).is_ok_and(|violated| violated.is_empty()) {
            return Err(Obstacle::Passed);
        }
        let is_mark = |vc: &usize| self.vcs[*vc].mark.is_some();
        let left = (0..self.vcs.len()).filter(|vc| !is_mark(vc)).collect();
        self.none_is_violated(left, effort, budget)?;
        Ok(UnreachedMarks { marks: marks.to_vec() })
    }
}
