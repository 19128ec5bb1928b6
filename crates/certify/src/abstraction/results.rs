//! Proves what a function gives, whoever calls it ([`crate::results`]).

use base::Budget;
use program::Obligation;

use super::{Abstraction, Effort};
use crate::results::Results;

impl Abstraction<'_> {
    /// Proves what its program checks of the results of its function: every check must hold, and control must not come to
    /// the end of an incomplete path. Nothing if it checks nothing, or something is not shown.
    pub fn results(&mut self, effort: Effort, budget: &mut Budget) -> Option<Results> {
        let guess = self.subject.guess()?.clone();
        let is_check = |vc: &usize| self.vcs[*vc].obligation == Obligation::Contract;
        let checks: Vec<usize> = (0..self.vcs.len()).filter(is_check).collect();
        self.none_is_violated(checks, effort, budget).ok()?;
        Some(Results(guess))
    }
}
