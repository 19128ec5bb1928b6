//! Asks of each of some loops whether it is left: cheap techniques first, for all loops.

use std::collections::BTreeSet;
use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Effort};
use certify::{Candidate, LoopCertificate, Runs, Subject};
use encoding::Incompleteness;
use evidence::{Formula, ProofMode};
use loops::{LoopForest, LoopId};
use program::{BlockId, FunctionId, Program};

use super::{HARDER, Prover, SMALL, Step, Technique};
use crate::variance::Domain;

/// For a modular function, whatever an overflow gives: what examines one loop after the other and costs little.
pub(crate) const QUICK: &[Step] =
    &[(Technique::Rank, 0.5), (Technique::Template, 0.5), (Technique::Floats, 0.5)];

/// For a modular function, on runs without overflow.
pub(crate) const EACH_LOOP: &[Step] =
    &[(Technique::Rank, 0.5), (Technique::Template, 0.5), (Technique::Support, 0.5)];

/// For a modular function in either reading, where there is not enough time for all: what costs least.
pub(crate) const CHEAP: &[Step] = &[(Technique::Rank, 1.0)];

/// Analyses of a whole function.
pub(crate) const FUNCTION: &[Step] =
    &[(Technique::Variance(&[Domain::Octagon]), 1.0 / 3.0), (Technique::Invariants, 1.0)];

/// For runs of the whole program.
pub(crate) const RUNS: &[Step] = &[
    (Technique::Rank, 1.0),
    (Technique::Template, 1.0),
    (Technique::Floats, 1.0),
    (Technique::Support, 1.0),
    (Technique::Template, 1.0),
    (Technique::Variance(&[Domain::Octagon]), 0.3),
    (Technique::Invariants, 0.8),
    (Technique::Template, 1.0),
    (Technique::Floats, 1.0),
];

/// A loop: its function and its head; if control can come into the middle of it, all its blocks.
pub(crate) type LoopBlocks = (FunctionId, BTreeSet<BlockId>);

/// The blocks that stand for a loop: its head, and all of it where control can come into the middle.
pub(crate) fn blocks(function: FunctionId, forest: &LoopForest, id: LoopId) -> LoopBlocks {
    let item = &forest[id];
    let blocks = match item.entries.len() > 1 {
        true => forest.blocks(id).iter().copied().collect(),
        false => BTreeSet::from([item.head]),
    };
    (function, blocks)
}

/// Which loops are asked about, and how.
pub(crate) struct LoopQuery<'a> {
    pub subject: &'a Subject<'a>,
    pub mode: ProofMode,
    pub loops: &'a [LoopBlocks],
    /// What may hold at the heads, for the kernel to check.
    pub candidates: &'a [Formula],
    pub plan: &'a [Step],
    /// The time of a loop, if it goes loop by loop.
    pub loop_time: Option<Duration>,
}

/// The share of the time in which arguments are looked for.
const SEARCH: f64 = 0.9;

/// Why there is no argument.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// None was found.
    NoArgument,
    /// For this reason.
    Reason(String),
}

/// An argument for each loop, or why there is none.
pub(crate) fn arguments(query: &LoopQuery<'_>, budget: &mut Budget) -> Vec<Result<LoopCertificate, Missing>> {
    let program = query.subject.program();
    let abstraction = match Abstraction::new(query.subject, query.mode, budget) {
        Ok(abstraction) => abstraction,
        Err(stop) => return all(query, &Missing::Reason(format!("{stop} reached"))),
    };
    let is_modular = query.subject.runs() == Runs::OfAnyCaller;
    let effort = if is_modular { SMALL } else { Effort::default() };
    let mut prover = Prover {
        program,
        function: query.subject.claim().function,
        abstraction,
        plain: true,
        effort,
        template_effort: if is_modular { HARDER } else { effort },
        loop_time: query.loop_time,
        progress: &mut |_| {},
    };
    if let Some(why) = obstacle(program, &mut prover.abstraction, effort, budget) {
        return all(query, &Missing::Reason(why));
    }
    let own: Vec<Vec<usize>> = query
        .loops
        .iter()
        .map(|(function, blocks)| prover.abstraction.abstract_loops_over(*function, blocks))
        .collect();
    let abstract_loops: Vec<usize> = own.iter().flatten().copied().collect();
    offer(query.candidates, &mut prover.abstraction, &abstract_loops, effort, budget);
    // What was found must still be put together.
    prover.run(query.plan, &abstract_loops, &mut budget.share(SEARCH));
    let abstraction = &mut prover.abstraction;
    let found = query.loops.iter().map(|(function, blocks)| {
        abstraction.stops(*function, blocks, effort, budget).ok_or(Missing::NoArgument)
    });
    found.collect()
}

fn all(query: &LoopQuery<'_>, why: &Missing) -> Vec<Result<LoopCertificate, Missing>> {
    query.loops.iter().map(|_| Err(why.clone())).collect()
}

/// Gives what may hold at the heads of loops to the kernel.
fn offer(
    formulas: &[Formula],
    abstraction: &mut Abstraction<'_>,
    open: &[usize],
    effort: Effort,
    budget: &mut Budget,
) {
    for nest in abstraction.nests().into_iter().filter(|_| !formulas.is_empty()) {
        let abstract_loops = open.iter().copied().filter(|abstract_loop| nest.contains(abstract_loop));
        let of_abstract_loop =
            |abstract_loop| formulas.iter().cloned().map(move |formula| Candidate { abstract_loop, formula });
        let candidates: Vec<Candidate> = abstract_loops.flat_map(of_abstract_loop).collect();
        abstraction.accept(&nest, &candidates, effort, budget);
    }
}

/// What stands in the way of any proof in an encoding.
fn obstacle(
    program: &Program,
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Option<String> {
    if abstraction.incomplete_paths().is_empty() {
        return None;
    }
    let end = *abstraction.open_ends(effort, budget).first()?;
    let place = program.describe(abstraction.incomplete_paths()[end].location);
    Some(match &abstraction.incomplete_paths()[end].reason {
        Incompleteness::Unsupported(what) => format!("not followed: {what} at {place}"),
        Incompleteness::Loop => format!("not followed: a loop at {place}"),
        Incompleteness::Recursion => format!("not followed: nested calls at {place}"),
    })
}
