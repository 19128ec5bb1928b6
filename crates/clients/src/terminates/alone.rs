//! Arguments why the loops of a function are left, whatever the function is given: cheap ones first, for all loops.
//!
//! ```text
//! a rank ─► a template ─► a rank with a few facts ─► a variance analysis ─► facts from all proposers, round by round
//! ```

use std::time::Duration;

use base::Budget;
use certify::leaps::{Batch, Effort, Leaping};
use certify::unrolling::{Claim, Depth};
use encoding::{Leaps, LooseEnd};
use engines::{bounding, ranking, summarise_until};
use evidence::{Argued, Evidence, Integer, Moment, Ranking, Termination};
use loops::{LoopForest, LoopId};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

use crate::variance::{self, Domain};

/// What a question may cost: there are many of them, and each is small.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 1_000, time: Duration::from_secs(1) };

/// Which function is looked at, in the program in which it stands on its own.
pub(super) struct Question<'a> {
    pub program: &'a Program,
    pub function: FunctionId,
    pub forest: &'a LoopForest,
    pub integers: Integers,
    pub loop_time: Duration,
}

/// Why there is no argument.
pub(super) enum Missing {
    /// None was found.
    NoArgument,
    /// For this reason.
    Reason(String),
}

/// An argument for each loop, or why there is none.
pub(super) fn arguments(question: &Question<'_>, budget: &mut Budget) -> Vec<Result<Argued, Missing>> {
    let claim = Claim {
        function: question.function,
        integers: question.integers,
        checks: ObligationSet::EMPTY,
        needed: ObligationSet::EMPTY.with(Obligation::SignedOverflow),
    };
    let depth = Depth { passes: 0, recursion: 1, calls: 1 };
    let leaps = Leaps { steps: 1, decided: 0, any_overflow: false };
    let loops = question.forest.len();
    match Leaping::new(question.program, &claim, depth, leaps, budget) {
        Ok(leaping) => Work { question, leaping }.all(budget),
        Err(stop) => (0..loops).map(|_| Err(Missing::Reason(format!("{stop} reached")))).collect(),
    }
}

/// The leaps that stand for a loop: those over its head, and where control can come into the middle of it all that begin
/// in it.
pub(super) fn leaps_of(
    leaping: &Leaping<'_>,
    function: FunctionId,
    forest: &LoopForest,
    id: LoopId,
) -> Vec<usize> {
    let item = &forest[id];
    let is_own = |leap: &encoding::Leap| {
        leap.function == function
            && (leap.head == item.head || (item.entries.len() > 1 && forest.contains(id, leap.head)))
    };
    let leaps = leaping.leaps().iter().enumerate();
    leaps.filter(|(_, leap)| is_own(leap)).map(|(place, _)| place).collect()
}

/// Why a loop is left, once all leaps over it have arguments.
pub(super) fn argued(
    leaping: &mut Leaping<'_>,
    leaps: &[usize],
    effort: Effort,
    budget: &mut Budget,
) -> Option<Argued> {
    let mut found = None;
    for &leap in leaps {
        let certificate = leaping.prove_left(leap, effort, budget)?;
        let Evidence::Termination(argument) = certificate.into_evidence() else { return None };
        if found.is_none() {
            let passes = if leaps.len() == 1 { passes(leaping, leap, &argument) } else { None };
            let facts = leaping.facts(leap).to_vec();
            found = Some(Argued::Argument { argument, facts, passes });
        }
    }
    found
}

/// How often control comes back to the head, if the rank at entry is a number.
fn passes(leaping: &mut Leaping<'_>, leap: usize, argument: &Termination) -> Option<Integer> {
    if leaping.is_never_repeated(leap) {
        return Some(Integer::ZERO);
    }
    let Termination::Ranking(Ranking::Linear(rank)) = argument else { return None };
    let at_entry = rank.with_moments(&|_| Some(Moment::Entry))?;
    let [entry] = &leaping.leaps()[leap].entries[..] else { return None };
    let entry = entry.clone();
    let number = leaping.number(leap, &at_entry, &entry)?;
    let most = match leaping.encoder().terms.known(number)? {
        logic::Value::BitVector(bits) => Integer::from(bits.to_i128()?),
        logic::Value::Integer(number) => number.clone(),
        _ => return None,
    };
    // It is not negative before the last pass.
    Some(if most < Integer::ZERO { Integer::ZERO } else { most + Integer::ONE })
}

/// What stands in the way of any proof in an encoding.
pub(super) fn obstacle(
    program: &Program,
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Option<String> {
    let end = *leaping.open_ends(effort, budget).first()?;
    let place = program.describe(leaping.loose_ends()[end].location);
    Some(match &leaping.loose_ends()[end].reason {
        LooseEnd::Unsupported(what) => format!("not followed: {what} at {place}"),
        LooseEnd::Loop => format!("not followed: a loop at {place}"),
        LooseEnd::Recursion => format!("not followed: nested calls at {place}"),
    })
}

struct Work<'a> {
    question: &'a Question<'a>,
    leaping: Leaping<'a>,
}

impl Work<'_> {
    fn all(mut self, budget: &mut Budget) -> Vec<Result<Argued, Missing>> {
        let Question { program, function, forest, loop_time, .. } = *self.question;
        if !self.leaping.loose_ends().is_empty()
            && let Some(why) = obstacle(program, &mut self.leaping, EFFORT, budget)
        {
            return (0..forest.len()).map(|_| Err(Missing::Reason(why.clone()))).collect();
        }
        let open = |leaping: &Leaping<'_>| -> Vec<usize> {
            (0..leaping.leaps().len())
                .filter(|&leap| !leaping.is_never_repeated(leap) && leaping.ending(leap).is_none())
                .collect()
        };
        for stage in [Self::rank, Self::with_facts] {
            for leap in open(&self.leaping) {
                stage(&mut self, leap, &mut budget.clone().within(loop_time / 2));
            }
        }
        let left = open(&self.leaping).len();
        if left > 0 {
            let time = loop_time * u32::try_from(left).unwrap_or(u32::MAX).min(8);
            self.with_analyses(&mut budget.clone().within(time));
        }
        let leaping = &mut self.leaping;
        let answer = |(id, _)| {
            let leaps = leaps_of(leaping, function, forest, id);
            match argued(leaping, &leaps, EFFORT, budget) {
                Some(why) => Ok(why),
                None if leaps.is_empty() => Ok(Argued::NotReached),
                None => Err(Missing::NoArgument),
            }
        };
        forest.iter().map(answer).collect()
    }

    fn rank(&mut self, leap: usize, budget: &mut Budget) {
        ranking::rank(self.question.program, &mut self.leaping, leap, EFFORT, budget);
    }

    /// A few facts are often enough.
    fn with_facts(&mut self, leap: usize, budget: &mut Budget) {
        if bounding::support(self.question.program, &mut self.leaping, leap, EFFORT, budget) {
            self.rank(leap, budget);
        }
    }

    fn with_analyses(&mut self, budget: &mut Budget) {
        let Question { program, function, .. } = *self.question;
        let third = budget.remaining_time().map_or(Duration::MAX, |time| time / 3);
        let mut part = budget.clone().within(third);
        variance::argue(program, function, &mut self.leaping, &[Domain::Octagon], EFFORT, &mut part);
        let mut rank_all = |leaping: &mut Leaping<'_>, budget: &mut Budget| {
            let all = 0..leaping.leaps().len();
            // All are tried, whichever fails.
            all.filter(|&leap| !ranking::rank(program, leaping, leap, EFFORT, budget)).count() == 0
        };
        summarise_until(program, &mut self.leaping, EFFORT, budget, &mut |_| {}, &mut rank_all);
        rank_all(&mut self.leaping, budget);
    }
}
