//! Whether single obligations hold, though others may fail.
//!
//! Proof rule: an obligation holds on all runs on which no earlier one fails if control comes to it on no path after
//! the end of an incomplete path ([`After`]) or after an access that may be to an object outside the program, the
//! encoding has examined it wherever control comes to it, and each of its verification conditions was shown to hold.
//! If the encoding does not come to any of its statements, it is unreachable. A verification condition is examined on
//! paths on which all earlier ones are fulfilled, since a path ends where one is violated. What was not examined, or not
//! shown, is unknown.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Location};
use program::{BlockId, FunctionId, Obligation};

use crate::answer::ObligationCertificate;

use super::after::After;
use super::{Abstraction, Effort};

/// An obligation: in which function it stands, where, and what it is.
pub type ObligationKey = (FunctionId, Location, Obligation);

impl Abstraction<'_> {
    /// What may come after the ends of incomplete paths that control may come to: nothing is proved there. The paths are given
    /// by their places in the list.
    pub fn after_ends(&mut self, effort: Effort, budget: &mut Budget) -> Vec<(usize, After)> {
        let open = self.open_ends(effort, budget);
        let ends: Vec<(usize, After)> = open
            .into_iter()
            .map(|end| (end, After::end(self.program, &self.incomplete_paths()[end])))
            .collect();
        self.unknown_after = Some(ends.iter().map(|(_, after)| after.clone()).collect());
        ends
    }

    /// Proves those of some obligations that it can. Each is given with the statements of its function in which it stands; none
    /// if it is not in the text of the program.
    pub fn obligations(
        &mut self,
        asked: &BTreeMap<ObligationKey, Vec<(BlockId, usize)>>,
        effort: Effort,
        budget: &mut Budget,
    ) -> BTreeMap<ObligationKey, ObligationCertificate> {
        let Some(mut unknown) = self.unknown_after.clone().filter(|_| !self.supposed) else {
            return BTreeMap::new();
        };
        unknown.extend(self.after_outside(effort, budget));
        let open = (0..self.vcs.len()).filter(|vc| !self.held.contains(vc));
        let open: BTreeSet<ObligationKey> = open.map(|vc| self.key(vc)).collect();
        let certified = asked
            .iter()
            .filter_map(|(&key, statements)| Some((key, self.obligation(key, statements, &unknown, &open)?)));
        certified.collect()
    }

    /// What may come after accesses that may be to objects outside the program. The encoding takes those for violations, so
    /// it has lost the runs that go on after them.
    fn after_outside(&mut self, effort: Effort, budget: &mut Budget) -> Vec<After> {
        let mut stacks = BTreeSet::new();
        for vc in 0..self.vcs.len() {
            let is_new = !self.held.contains(&vc) && !stacks.contains(&self.vcs[vc].stack);
            if is_new && self.may_be_outside(vc, effort, budget) {
                stacks.insert(self.vcs[vc].stack.clone());
            }
        }
        stacks.iter().map(|stack| After::place(self.program, stack)).collect()
    }

    fn obligation(
        &self,
        key: ObligationKey,
        statements: &[(BlockId, usize)],
        unknown: &[After],
        open: &BTreeSet<ObligationKey>,
    ) -> Option<ObligationCertificate> {
        let function = key.0;
        let hides = |after: &After| match statements.is_empty() {
            true => after.touches(function),
            false => statements.iter().any(|&(block, at)| after.contains(function, block, at)),
        };
        if unknown.iter().any(hides) {
            return None;
        }
        let is_reached = |&(block, at): &(BlockId, usize)| {
            self.encoder.reached.get(&(function, block)).is_some_and(|&count| at < count)
        };
        if !statements.is_empty() && !statements.iter().any(is_reached) {
            return Some(ObligationCertificate { unreachable: true });
        }
        let holds = self.encoder.required.contains_key(&key) && !open.contains(&key);
        holds.then_some(ObligationCertificate { unreachable: false })
    }

    /// The obligation of a verification condition.
    pub fn key(&self, vc: usize) -> ObligationKey {
        let vc = &self.vcs[vc];
        let function = vc.stack.last().map_or(self.claim.function, |&(function, _)| function);
        (function, vc.location, vc.obligation)
    }
}
