//! Loops of a function that stands on its own, whatever it is given.
//!
//! What does not hang on overflows is looked for first, with what costs little; the rest is said of runs without overflows.

use base::Budget;
use certify::{LoopCertificate, ModularProgram, Subject};
use evidence::{Formula, Overflow, ProofMode};
use loops::{LoopForest, LoopId};
use program::interpret::Integers;

use crate::functions::Turn;
use crate::termination::Step;
use crate::termination::loops::{
    CHEAP, EACH_LOOP, FUNCTION, LoopBlocks, LoopQuery, Missing, QUICK, arguments as search, blocks,
};

/// Analyses of a whole function get the time of no more loops than these.
const MOST_LOOPS: u32 = 4;

/// Which function is examined.
pub(super) struct Query<'a> {
    pub program: &'a ModularProgram,
    pub forest: &'a LoopForest,
    /// Only these loops are of interest.
    pub wanted: Vec<LoopId>,
    /// What may hold at the heads, for the kernel to check.
    pub candidates: Vec<Formula>,
    pub integers: Integers,
    pub turn: Turn,
    pub stage: Stage,
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// What examines one loop after the other: ranking functions, templates, a few invariants.
    Loops,
    /// Analyses of the whole function.
    Function,
}

/// An argument for each loop that is wanted, or why there is none.
pub(super) fn arguments(query: &Query<'_>, budget: &mut Budget) -> Vec<Result<LoopCertificate, Missing>> {
    let subject = Subject::modular(query.program, query.integers);
    let mut found: Vec<Result<LoopCertificate, Missing>> =
        query.wanted.iter().map(|_| Err(Missing::NoArgument)).collect();
    let rounds: &[(Overflow, &[Step])] = match (query.integers, query.stage) {
        (_, Stage::Loops) if query.program.no_overflow() => match query.turn.is_first {
            true => &[(Overflow::Excluded, CHEAP)],
            false => &[(Overflow::Excluded, EACH_LOOP)],
        },
        (Integers::Machine, Stage::Loops) if query.turn.is_first => {
            &[(Overflow::Any, CHEAP), (Overflow::Excluded, CHEAP)]
        }
        (Integers::Machine, Stage::Loops) => &[(Overflow::Any, QUICK), (Overflow::Excluded, EACH_LOOP)],
        (Integers::Mathematical, Stage::Loops) => &[(Overflow::Excluded, EACH_LOOP)],
        (_, Stage::Function) => &[(Overflow::Excluded, FUNCTION)],
    };
    for (place, &(overflow, plan)) in rounds.iter().enumerate() {
        let open: Vec<usize> = (0..found.len()).filter(|&place| found[place].is_err()).collect();
        if open.is_empty() {
            break;
        }
        let loops: Vec<LoopBlocks> = open
            .iter()
            .map(|&place| blocks(query.program.function(), query.forest, query.wanted[place]))
            .collect();
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX).min(MOST_LOOPS);
        let time = query.turn.loop_time;
        let (loop_time, mut part) = match query.stage {
            // No reading takes what is left for the others.
            Stage::Loops if query.turn.limit.is_some() => {
                (Some(time), budget.share(1.0 / (rounds.len() - place) as f64))
            }
            Stage::Loops => (Some(time), budget.clone()),
            Stage::Function => (None, budget.clone().within(time * count)),
        };
        let query = LoopQuery {
            subject: &subject,
            mode: ProofMode::modular(overflow),
            loops: &loops,
            candidates: &query.candidates,
            plan,
            loop_time,
        };
        for (place, one) in open.into_iter().zip(search(&query, &mut part)) {
            found[place] = one;
        }
    }
    found
}
