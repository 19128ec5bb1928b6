//! Loops of a function that stands on its own, whatever it is given.
//!
//! What does not hang on overflows is looked for first, with what costs little; the rest is said of runs without overflows.

use std::time::Duration;

use base::Budget;
use certify::{LoopCertificate, ModularProgram, Subject};
use evidence::{Formula, Overflow, ProofMode};
use loops::{LoopForest, LoopId};
use program::FunctionId;
use program::interpret::Integers;

use crate::termination::Step;
use crate::termination::loops::{
    EACH_LOOP, FUNCTION, LoopBlocks, LoopQuery, Missing, QUICK, arguments as search, blocks,
};

/// Analyses of a whole function get the time of no more loops than these.
const MOST_LOOPS: u32 = 4;

/// Which function is examined, in a modular program.
pub(super) struct Query<'a> {
    pub program: &'a ModularProgram,
    pub function: FunctionId,
    pub forest: &'a LoopForest,
    /// Only these loops are of interest.
    pub wanted: Vec<LoopId>,
    /// What may hold at the heads, for the kernel to check.
    pub candidates: Vec<Formula>,
    pub integers: Integers,
    pub loop_time: Duration,
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
    let subject = Subject::modular(query.program, query.function, query.integers);
    let mut found: Vec<Result<LoopCertificate, Missing>> =
        query.wanted.iter().map(|_| Err(Missing::NoArgument)).collect();
    let rounds: &[(Overflow, &[Step])] = match (query.integers, query.stage) {
        (Integers::Machine, Stage::Loops) => &[(Overflow::Any, QUICK), (Overflow::Excluded, EACH_LOOP)],
        (Integers::Mathematical, Stage::Loops) => &[(Overflow::Excluded, EACH_LOOP)],
        (_, Stage::Function) => &[(Overflow::Excluded, FUNCTION)],
    };
    for &(overflow, plan) in rounds {
        let open: Vec<usize> = (0..found.len()).filter(|&place| found[place].is_err()).collect();
        if open.is_empty() {
            break;
        }
        let loops: Vec<LoopBlocks> =
            open.iter().map(|&place| blocks(query.function, query.forest, query.wanted[place])).collect();
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX).min(MOST_LOOPS);
        let (loop_time, mut part) = match query.stage {
            Stage::Loops => (Some(query.loop_time), budget.clone()),
            Stage::Function => (None, budget.clone().within(query.loop_time * count)),
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
