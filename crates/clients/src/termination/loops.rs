//! Asks of each of some loops whether it is left: cheap techniques first, for all loops.

use std::collections::BTreeSet;
use std::time::Duration;

use base::Budget;
use certify::abstraction::{Abstraction, Effort};
use certify::{Candidate, LoopArgument, LoopCertificate, Runs, Subject};
use encoding::Incompleteness;
use evidence::{Argued, Formula, Integer, Moment, ProofMode, Ranking, Stopping, Termination};
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

/// Why there is no argument.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// None was found.
    NoArgument,
    /// For this reason.
    Reason(String),
}

/// Why a loop is left, as the kernel has certified it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Found {
    certificate: LoopCertificate,
    why: Argued,
}

impl Found {
    /// Why.
    pub const fn why(&self) -> &Argued {
        &self.why
    }

    /// Whether that is said only of runs on which no signed number overflows.
    pub const fn unless_overflow(&self) -> bool {
        self.certificate.unless_overflow()
    }

    /// The answer for a loop, from the name of the function in which runs start.
    pub fn stops(self, entry: &str) -> Stopping {
        let entry = (self.certificate.runs() == Runs::OfProgram).then(|| entry.to_owned());
        Stopping::Stops { why: self.why, entry, unless_overflow: self.certificate.unless_overflow() }
    }
}

/// An argument for each loop, or why there is none.
pub(crate) fn arguments(query: &LoopQuery<'_>, budget: &mut Budget) -> Vec<Result<Found, Missing>> {
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
    prover.run(query.plan, &abstract_loops, budget);
    let abstraction = &mut prover.abstraction;
    let found = query.loops.iter().map(|(function, blocks)| {
        let certificate = abstraction.stops(*function, blocks, effort, budget).ok_or(Missing::NoArgument)?;
        let why = argued(abstraction, &certificate, effort, budget);
        Ok(Found { certificate, why })
    });
    found.collect()
}

fn all(query: &LoopQuery<'_>, why: &Missing) -> Vec<Result<Found, Missing>> {
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

/// What a certificate says, for reports: the argument of the first abstract loop, with how often the loop goes round at
/// most.
fn argued(
    abstraction: &mut Abstraction<'_>,
    certificate: &LoopCertificate,
    effort: Effort,
    budget: &mut Budget,
) -> Argued {
    let abstract_loops = match certificate.why() {
        LoopArgument::Followed => return Argued::Followed,
        LoopArgument::NotReached => return Argued::NotReached,
        LoopArgument::Argued(abstract_loops) => abstract_loops,
    };
    let Some((abstract_loop, argument)) = abstract_loops.first().cloned() else { return Argued::NotReached };
    let back_edges =
        if abstract_loops.len() == 1 { back_edges(abstraction, abstract_loop, &argument) } else { None };
    let iterations = back_edges.as_ref().map(|back_edges| {
        let last = has_last(abstraction, abstract_loop, &argument, effort, budget);
        back_edges + Integer::from(i64::from(last))
    });
    Argued::Argument {
        argument,
        invariants: abstraction.invariants(abstract_loop).to_vec(),
        back_edges,
        iterations,
    }
}

/// How often control comes back to the head, if the rank at entry is a number.
fn back_edges(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    argument: &Termination,
) -> Option<Integer> {
    if abstraction.is_never_repeated(abstract_loop) {
        return Some(Integer::ZERO);
    }
    let Termination::Ranking(Ranking::Linear(rank)) = argument else { return None };
    let at_entry = rank.with_moments(&|_| Some(Moment::Entry))?;
    let [entry] = &abstraction.abstract_loops()[abstract_loop].entries[..] else { return None };
    let entry = entry.clone();
    let number = abstraction.number(abstract_loop, &at_entry, &entry)?;
    let most = match abstraction.encoder().terms.known(number)? {
        logic::Value::BitVector(bits) => Integer::from(bits.to_i128()?),
        logic::Value::Integer(number) => number.clone(),
        _ => return None,
    };
    // It is not negative before the last iteration.
    Some(if most < Integer::ZERO { Integer::ZERO } else { most + Integer::ONE })
}

/// Whether an iteration may come after all that the rank counts: one that does not come back to the head.
fn has_last(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    argument: &Termination,
    effort: Effort,
    budget: &mut Budget,
) -> bool {
    let Termination::Ranking(Ranking::Linear(rank)) = argument else { return true };
    abstraction.is_never_repeated(abstract_loop)
        || !abstraction.begins_only_where(abstract_loop, &rank.clone().at_least(0), effort, budget)
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
