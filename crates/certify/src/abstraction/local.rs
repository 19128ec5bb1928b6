//! Whether one loop is left: local termination predicates (variance analyses, Definition 8).
//!
//! Proof rule: no run makes infinitely many iterations of a loop in one visit, as long as it does nothing undefined, if
//! every abstract loop over the loop has an argument, or the encoding never comes to the loop, or has followed it to
//! its end; and if no path is left out on which control could come to it otherwise. What is in the loop (other loops,
//! calls) is assumed to end.

use std::collections::BTreeSet;

use base::Budget;
use evidence::expression::constant;
use evidence::{Argued, Integer, Moment, Overflow, Ranking, Termination};
use program::interpret::Integers;
use program::order::{Element, order};
use program::{BlockId, FunctionId, Obligation};

use super::{Abstraction, Effort};
use crate::answer::LoopCertificate;
use crate::stopping::Stops;
use crate::subject::Runs;

impl Abstraction<'_> {
    /// Proves that a loop of a function is left. The loop is given by its head; if control can come into the middle of it, by
    /// all its blocks. Of other blocks nothing is proved.
    pub fn stops(
        &mut self,
        function: FunctionId,
        blocks: &BTreeSet<BlockId>,
        effort: Effort,
        budget: &mut Budget,
    ) -> Option<LoopCertificate> {
        self.follows_all = self.follows_all || self.is_followed(effort, budget);
        // Contracts say nothing of calls that do not return.
        let by_contract = !self.subject.contracts().is_empty();
        if self.supposed || by_contract || !self.follows_all || !self.is_loop(function, blocks) {
            return None;
        }
        let abstract_loops = self.abstract_loops_over(function, blocks);
        let is_reached = |block: &BlockId| self.encoder.reached.contains_key(&(function, *block));
        let why = match (abstract_loops.is_empty(), blocks.iter().any(is_reached)) {
            (true, true) => Argued::Followed,
            (true, false) => Argued::NotReached,
            (false, _) => self.argued(&abstract_loops, effort, budget)?,
        };
        let unless_overflow = !self.covers_overflow(effort, budget);
        let entry = (self.subject.runs() == Runs::OfProgram)
            .then(|| self.program.functions[self.claim.function].name.clone());
        let condition = self.subject.condition().cloned();
        Some(LoopCertificate { stops: Stops { why, entry, unless_overflow }, condition })
    }

    /// The argument of the first abstract loop, with how often the loop goes round at most, if all have one.
    fn argued(&mut self, abstract_loops: &[usize], effort: Effort, budget: &mut Budget) -> Option<Argued> {
        let mut arguments = Vec::new();
        for &abstract_loop in abstract_loops {
            arguments.push(self.argument_of(abstract_loop)?);
        }
        let (abstract_loop, argument) = (*abstract_loops.first()?, arguments.swap_remove(0));
        let back_edges = match abstract_loops {
            [_] => self.back_edges(abstract_loop, &argument),
            _ => None,
        };
        let iterations = back_edges.as_ref().map(|back_edges| {
            let last = self.has_last(abstract_loop, &argument, effort, budget);
            back_edges + Integer::from(i64::from(last))
        });
        let invariants = self.invariants(abstract_loop).to_vec();
        Some(Argued::Argument { argument, invariants, back_edges, iterations })
    }

    /// How often control comes back to the head, if the rank at entry is a number: it is not negative before the last
    /// iteration.
    fn back_edges(&mut self, abstract_loop: usize, argument: &Termination) -> Option<Integer> {
        if self.is_never_repeated(abstract_loop) {
            return Some(Integer::ZERO);
        }
        let Termination::Ranking(Ranking::Linear(rank)) = argument else { return None };
        let at_entry = rank.with_moments(&|_| Some(Moment::Entry))?;
        let [entry] = &self.abstract_loops()[abstract_loop].entries[..] else { return None };
        let entry = entry.clone();
        let number = self.number(abstract_loop, &at_entry, &entry)?;
        let most = match self.encoder.terms.known(number)? {
            logic::Value::BitVector(bits) => Integer::from(bits.to_i128()?),
            logic::Value::Integer(number) => number.clone(),
            _ => return None,
        };
        Some(if most < Integer::ZERO { Integer::ZERO } else { most + Integer::ONE })
    }

    /// Whether an iteration may come after all that the rank counts: one that does not come back to the head.
    fn has_last(
        &mut self,
        abstract_loop: usize,
        argument: &Termination,
        effort: Effort,
        budget: &mut Budget,
    ) -> bool {
        let Termination::Ranking(Ranking::Linear(rank)) = argument else { return true };
        self.is_never_repeated(abstract_loop)
            || !self.begins_only_where(abstract_loop, &rank.clone().at_least(0), effort, budget)
    }

    /// Whether blocks are a loop, or control comes to none of them.
    fn is_loop(&self, function: FunctionId, blocks: &BTreeSet<BlockId>) -> bool {
        let Some(body) = self.program.functions[function].body() else { return false };
        let has_head = innermost(&order(body), blocks).is_some_and(|head| blocks.contains(&head));
        has_head || !body.reverse_post_order().iter().any(|block| blocks.contains(block))
    }

    /// The abstract loops for a loop.
    pub fn abstract_loops_over(&self, function: FunctionId, blocks: &BTreeSet<BlockId>) -> Vec<usize> {
        let is_own = |place: &usize| {
            let abstract_loop = &self.abstract_loops()[*place];
            abstract_loop.function == function && blocks.contains(&abstract_loop.head)
        };
        (0..self.abstract_loops().len()).filter(is_own).collect()
    }

    /// Whether an abstract loop needs no argument any more.
    pub fn is_argued(&self, abstract_loop: usize) -> bool {
        self.is_never_repeated(abstract_loop) || self.termination_arguments[abstract_loop].is_some()
    }

    fn argument_of(&self, abstract_loop: usize) -> Option<Termination> {
        match self.is_never_repeated(abstract_loop) {
            true => Some(Termination::Ranking(Ranking::Linear(constant(0)))),
            false => self.termination_arguments[abstract_loop].clone(),
        }
    }

    /// Whether what is proved of a loop holds on runs with overflows as well, or there are none.
    fn covers_overflow(&mut self, effort: Effort, budget: &mut Budget) -> bool {
        if self.claim.integers == Integers::Mathematical || self.mode.overflow == Overflow::Any {
            return true;
        }
        if self.subject.runs() == Runs::OfAnyCaller {
            return false;
        }
        if let Some(known) = self.no_overflow {
            return known;
        }
        let overflows: Vec<usize> =
            (0..self.vcs.len()).filter(|&vc| self.vcs[vc].obligation == Obligation::SignedOverflow).collect();
        let is_excluded = self.mode.overflow == Overflow::Excluded
            && self.violated(&overflows, effort, budget).is_ok_and(|violated| violated.is_empty());
        *self.no_overflow.insert(is_excluded)
    }
}

/// The head of the innermost loop around some blocks.
fn innermost(elements: &[Element], blocks: &BTreeSet<BlockId>) -> Option<BlockId> {
    elements.iter().find_map(|element| match element {
        Element::Component(one) if blocks.iter().all(|block| one.blocks.contains(block)) => {
            Some(innermost(&one.rest, blocks).unwrap_or(one.head))
        }
        _ => None,
    })
}
