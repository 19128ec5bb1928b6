//! Arguments why the loops of a function are left, whatever the function is given: cheap ones first, for all loops.
//!
//! ```text
//! a rank ─► a template ─► a rank with a few facts ─► a variance analysis ─► facts from all proposers, round by round
//! ```

use std::time::Duration;

use base::Budget;
use certify::Candidate;
use certify::leaps::{Batch, Effort, Leaping};
use certify::unrolling::{Claim, Depth};
use encoding::{Leaps, LooseEnd};
use engines::{bounding, ranking, summarise_until};
use evidence::{Argued, Evidence, Formula, Integer, Moment, Ranking, Termination};
use loops::{LoopForest, LoopId};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Obligation, Program};

use crate::variance::{self, Domain};

/// What a question may cost: there are many of them, and each is small.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 1_000, time: Duration::from_secs(1) };

/// What a question about a template may cost: there are few of them, and they are about what no rank explains.
const HARDER: Effort = Effort { batch: Batch::All, steps: 20_000, time: Duration::from_secs(1) };

/// Analyses of a whole function get the time of no more loops than these.
const MOST_LOOPS: u32 = 4;

/// Which function is looked at, in the program in which it stands on its own.
pub(super) struct Question<'a> {
    pub program: &'a Program,
    pub function: FunctionId,
    pub forest: &'a LoopForest,
    /// Only these loops are of interest.
    pub wanted: Vec<LoopId>,
    /// What may hold at the heads, for the kernel to see.
    pub facts: Vec<Formula>,
    pub integers: Integers,
    pub loop_time: Duration,
    pub stage: Stage,
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// What looks at one loop after the other: ranks, templates, a few facts.
    Loops,
    /// Analyses of the whole function.
    Function,
}

/// Why there is no argument.
pub(super) enum Missing {
    /// None was found.
    NoArgument,
    /// For this reason.
    Reason(String),
}

/// An argument, and whether it speaks only of runs on which no signed number overflows.
pub(super) type Found = (Argued, bool);

/// What an overflow is taken to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overflow {
    /// It gives any number.
    Any,
    /// It ends the run.
    Ends,
}

/// An argument for each loop that is wanted, or why there is none.
///
/// What does not hang on overflows is looked for first, with what costs little; the rest is taken to hold on runs without
/// overflows, as everything else that is said of a function on its own.
pub(super) fn arguments(question: &Question<'_>, budget: &mut Budget) -> Vec<Result<Found, Missing>> {
    let mut found: Vec<Result<Found, Missing>> =
        question.wanted.iter().map(|_| Err(Missing::NoArgument)).collect();
    let overflows: &[Overflow] = match (question.integers, question.stage) {
        (Integers::Machine, Stage::Loops) => &[Overflow::Any, Overflow::Ends],
        _ => &[Overflow::Ends],
    };
    for &overflow in overflows {
        if found.iter().all(Result::is_ok) {
            break;
        }
        let claim = Claim {
            function: question.function,
            integers: question.integers,
            checks: ObligationSet::EMPTY,
            needed: match overflow {
                Overflow::Any => ObligationSet::EMPTY,
                Overflow::Ends => ObligationSet::EMPTY.with(Obligation::SignedOverflow),
            },
        };
        let depth = Depth { passes: 0, recursion: 1, calls: 1 };
        let leaps = Leaps { steps: 1, decided: 0, any_overflow: overflow == Overflow::Any };
        match Leaping::new(question.program, &claim, depth, leaps, budget) {
            Ok(leaping) => Work { question, leaping, overflow }.all(&mut found, budget),
            Err(stop) => fail(&mut found, &format!("{stop} reached")),
        }
    }
    found
}

/// What is open is so for this reason.
fn fail(found: &mut [Result<Found, Missing>], why: &str) {
    for one in found.iter_mut().filter(|one| one.is_err()) {
        *one = Err(Missing::Reason(why.to_owned()));
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
            let iterations = passes.as_ref().map(|passes| {
                let last = has_last(leaping, leap, &argument, effort, budget);
                passes + Integer::from(i64::from(last))
            });
            let facts = leaping.facts(leap).to_vec();
            found = Some(Argued::Argument { argument, facts, passes, iterations });
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

/// Whether an iteration may come after all that the rank counts: one that does not come back to the head.
fn has_last(
    leaping: &mut Leaping<'_>,
    leap: usize,
    argument: &Termination,
    effort: Effort,
    budget: &mut Budget,
) -> bool {
    let Termination::Ranking(Ranking::Linear(rank)) = argument else { return true };
    leaping.is_never_repeated(leap)
        || !leaping.begins_only_where(leap, &rank.clone().at_least(0), effort, budget)
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
    overflow: Overflow,
}

/// A way to find an argument for one loop.
type Way<'a> = fn(&mut Work<'a>, usize, &mut Budget);

impl<'a> Work<'a> {
    fn all(mut self, found: &mut [Result<Found, Missing>], budget: &mut Budget) {
        let Question { program, function, forest, loop_time, stage, ref wanted, .. } = *self.question;
        if !self.leaping.loose_ends().is_empty()
            && let Some(why) = obstacle(program, &mut self.leaping, EFFORT, budget)
        {
            return fail(found, &why);
        }
        let own: Vec<Vec<usize>> =
            wanted.iter().map(|&id| leaps_of(&self.leaping, function, forest, id)).collect();
        let open: Vec<usize> = own
            .iter()
            .zip(&*found)
            .filter(|(_, one)| one.is_err())
            .flat_map(|(leaps, _)| leaps)
            .copied()
            .collect();
        self.offer(&open, budget);
        let ways: &[Way<'a>] = match (stage, self.overflow) {
            (Stage::Loops, Overflow::Any) => &[Self::rank, Self::fit, Self::fit_floats],
            (Stage::Loops, Overflow::Ends) => &[Self::rank, Self::fit, Self::with_facts],
            (Stage::Function, _) => &[],
        };
        for way in ways {
            for &leap in open.iter() {
                if !self.is_done(leap) {
                    way(&mut self, leap, &mut budget.clone().within(loop_time / 2));
                }
            }
        }
        let left: Vec<usize> = open.into_iter().filter(|&leap| !self.is_done(leap)).collect();
        if stage == Stage::Function && !left.is_empty() {
            let time = loop_time * u32::try_from(left.len()).unwrap_or(u32::MAX).min(MOST_LOOPS);
            self.with_analyses(&left, &mut budget.clone().within(time));
        }
        let is_machine = self.question.integers == Integers::Machine;
        let unless_overflow = is_machine && self.overflow == Overflow::Ends;
        for (one, leaps) in found.iter_mut().zip(own).filter(|(one, _)| one.is_err()) {
            *one = match argued(&mut self.leaping, &leaps, EFFORT, budget) {
                Some(why) => Ok((why, unless_overflow)),
                None if leaps.is_empty() => Ok((Argued::NotReached, unless_overflow)),
                None => Err(Missing::NoArgument),
            };
        }
    }

    /// Gives what may hold at the heads of loops to the kernel.
    fn offer(&mut self, open: &[usize], budget: &mut Budget) {
        let formulas = &self.question.facts;
        for nest in self.leaping.nests().into_iter().filter(|_| !formulas.is_empty()) {
            let leaps = open.iter().copied().filter(|leap| nest.contains(leap));
            let of_leap = |leap| formulas.iter().cloned().map(move |formula| Candidate { leap, formula });
            let candidates: Vec<Candidate> = leaps.flat_map(of_leap).collect();
            self.leaping.accept(&nest, &candidates, EFFORT, budget);
        }
    }

    fn is_done(&self, leap: usize) -> bool {
        self.leaping.is_never_repeated(leap) || self.leaping.ending(leap).is_some()
    }

    fn rank(&mut self, leap: usize, budget: &mut Budget) {
        ranking::rank_plainly(self.question.program, &mut self.leaping, leap, EFFORT, budget);
    }

    fn fit(&mut self, leap: usize, budget: &mut Budget) {
        ranking::templates::fit(self.question.program, &mut self.leaping, leap, HARDER, budget);
    }

    fn fit_floats(&mut self, leap: usize, budget: &mut Budget) {
        ranking::floats::fit(self.question.program, &mut self.leaping, leap, HARDER, budget);
    }

    /// A few facts are often enough.
    fn with_facts(&mut self, leap: usize, budget: &mut Budget) {
        if bounding::support(self.question.program, &mut self.leaping, leap, EFFORT, budget) {
            self.rank(leap, budget);
        }
    }

    fn with_analyses(&mut self, open: &[usize], budget: &mut Budget) {
        let Question { program, function, .. } = *self.question;
        let third = budget.remaining_time().map_or(Duration::MAX, |time| time / 3);
        let mut part = budget.clone().within(third);
        variance::argue(program, function, &mut self.leaping, &[Domain::Octagon], EFFORT, &mut part);
        let mut rank_open = |leaping: &mut Leaping<'_>, budget: &mut Budget| {
            let failed = |leap: &&usize| !ranking::rank_plainly(program, leaping, **leap, EFFORT, budget);
            // All are tried, whichever fails.
            open.iter().filter(failed).count() == 0
        };
        summarise_until(program, &mut self.leaping, EFFORT, budget, &mut |_| {}, &mut rank_open);
        rank_open(&mut self.leaping, budget);
    }
}
