//! Whether one loop is left: local termination predicates (variance analyses, Definition 8).
//!
//! Proof rule: no run makes infinitely many iterations of a loop in one visit, as long as it does nothing undefined, if every
//! leap over the loop has an argument, or the encoding never comes to the loop, or has followed it to its end; and if no
//! path is left out on which control could come to it otherwise. What is in the loop (other loops, calls) is assumed to end.

use std::collections::BTreeSet;

use base::Budget;
use evidence::expression::constant;
use evidence::{Overflow, Ranking, Termination};
use program::interpret::Integers;
use program::{BlockId, FunctionId, Obligation};

use super::{Effort, Leaping};
use crate::subject::Runs;

/// A proof that a loop is left. Only the kernel makes one.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopCertificate {
    why: LoopArgument,
    runs: Runs,
    unless_overflow: bool,
}

/// Why a loop is left.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopArgument {
    /// Each of these leaps over it has such an argument.
    Argued(Vec<(usize, Termination)>),
    /// All its iterations were followed.
    Followed,
    /// Control never comes to it.
    NotReached,
}

impl LoopCertificate {
    /// Why.
    pub const fn why(&self) -> &LoopArgument {
        &self.why
    }

    /// Of which runs that is said.
    pub const fn runs(&self) -> Runs {
        self.runs
    }

    /// Whether it is said only of runs on which no signed number overflows.
    pub const fn unless_overflow(&self) -> bool {
        self.unless_overflow
    }
}

impl Leaping<'_> {
    /// Proves that a loop of a function is left. The loop is given by its head; if control can come into the middle of it, by
    /// all its blocks.
    pub fn stops(
        &mut self,
        function: FunctionId,
        blocks: &BTreeSet<BlockId>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Option<LoopCertificate> {
        self.follows_all =
            self.follows_all || self.loose_ends().is_empty() || self.open_ends(effort, budget).is_empty();
        if self.supposed || !self.follows_all {
            return None;
        }
        let leaps = self.leaps_over(function, blocks);
        let is_reached = |block: &BlockId| self.encoder.reached.contains_key(&(function, *block));
        let why = match (leaps.is_empty(), blocks.iter().any(is_reached)) {
            (true, true) => LoopArgument::Followed,
            (true, false) => LoopArgument::NotReached,
            (false, _) => {
                let argued = leaps.iter().map(|&leap| Some((leap, self.argument_of(leap)?)));
                LoopArgument::Argued(argued.collect::<Option<_>>()?)
            }
        };
        let unless_overflow = !self.covers_overflow(effort, budget);
        Some(LoopCertificate { why, runs: self.subject.runs(), unless_overflow })
    }

    /// The leaps over a loop.
    pub fn leaps_over(&self, function: FunctionId, blocks: &BTreeSet<BlockId>) -> Vec<usize> {
        let is_own = |place: &usize| {
            let leap = &self.leaps()[*place];
            leap.function == function && blocks.contains(&leap.head)
        };
        (0..self.leaps().len()).filter(is_own).collect()
    }

    /// Whether a leap needs no argument any more.
    pub fn is_argued(&self, leap: usize) -> bool {
        self.is_never_repeated(leap) || self.endings[leap].is_some()
    }

    fn argument_of(&self, leap: usize) -> Option<Termination> {
        match self.is_never_repeated(leap) {
            true => Some(Termination::Ranking(Ranking::Linear(constant(0)))),
            false => self.endings[leap].clone(),
        }
    }

    /// Whether what is proved of a loop holds on runs with overflows as well, or there are none.
    fn covers_overflow(&mut self, effort: Effort, budget: &mut Budget) -> bool {
        if self.claim.integers == Integers::Mathematical || self.manner.overflow == Overflow::Any {
            return true;
        }
        if self.subject.runs() == Runs::OfAnyCaller {
            return false;
        }
        if let Some(known) = self.no_overflow {
            return known;
        }
        let overflows: Vec<usize> = (0..self.demands.len())
            .filter(|&demand| self.demands[demand].obligation == Obligation::SignedOverflow)
            .collect();
        let is_excluded = self.manner.overflow == Overflow::Excluded
            && self.violated(&overflows, effort, budget).is_ok_and(|violated| violated.is_empty());
        *self.no_overflow.insert(is_excluded)
    }
}
