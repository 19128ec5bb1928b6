//! Has a program a property? All that can answer, one after the other.
//!
//! ```text
//! a few quick runs ─► a little unrolling ─► loops abstracted ─► unrolling, deeper and deeper ─► abstraction of several iterations ─► many runs
//! ```
//!
//! Runs on guessed inputs find shallow violations in no time. Havoc abstraction proves what invariants of loops show,
//! however often they run. Unrolling proves programs whose loops end soon, and finds
//! violations that hang on exact values. What is left of the time goes to more runs. The first answer counts; if there
//! is none, the reasons of all are given.

mod abstraction;
mod contracts;
mod shapes;
mod unroll;

use base::{Budget, Stop};
use certify::{Claim, Verdict};
use evidence::{Property, Reason};
use program::outside::in_usual_order;
use program::{Obligation, Program};

use crate::refute::{self, Leads, Query};
use crate::termination::whole;

pub(crate) use contracts::failing;
pub(crate) use shapes::certified;
pub(crate) use unroll::unroll;

/// The steps of the quick runs at the start.
const QUICK: u64 = 1_500_000;

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// So many runs were tried.
    Runs(u64),
    /// Loops are unrolled to this many iterations.
    Unrolling(u64),
    /// Invariants were found for so many of so many nests of loops.
    Summarising(usize, usize),
}

/// Answers a query about a program.
pub fn verify(
    program: &Program,
    query: &Query,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Verdict {
    let usual = (query.property == Property::UnreachCall).then(|| in_usual_order(program));
    let program = usual.as_deref().unwrap_or(program);
    let (quick, leads) = refute::refute_for_leads(program, query, &budget.part(QUICK), &mut |runs| {
        progress(Progress::Runs(runs));
    });
    let (reason, also) = match quick {
        Verdict::Unknown { reason, also } => (reason, also),
        answer => return answer,
    };
    let is_over = matches!(reason, Reason::Budget { stop: Stop::Time | Stop::Interrupted });
    let function = match refute::entry(program, &query.function) {
        Ok(function) if !is_over => function,
        _ => return Verdict::Unknown { reason, also },
    };
    let claim = Claim { function, property: query.property, integers: query.integers };
    // What the quick runs have seen go wrong need not be seen again.
    let reasons = also.into_iter().filter(|reason| matches!(reason, Reason::Alarm { .. })).collect();
    let mut work = Verifier { program, query, claim, leads, reasons, progress };
    for stage in STAGES {
        if !(stage.applies)(&work) {
            continue;
        }
        match work.apply(stage.method, &budget.share(stage.share)) {
            Ok(verdict) => return verdict,
            Err(more) => work.reasons.extend(more),
        }
    }
    let Verifier { reasons, progress, .. } = work;
    match refute::refute(program, query, budget, &mut |runs| progress(Progress::Runs(runs))) {
        Verdict::Unknown { reason, mut also } => {
            also.splice(0..0, reasons);
            also.dedup();
            Verdict::Unknown { reason, also }
        }
        answer => answer,
    }
}

/// A query at work.
struct Verifier<'a> {
    program: &'a Program,
    query: &'a Query,
    claim: Claim,
    /// Inputs with which loops go round many times.
    leads: Leads,
    /// Why there is no answer yet.
    reasons: Vec<Reason>,
    progress: &'a mut dyn FnMut(Progress),
}

impl Verifier<'_> {
    fn apply(&mut self, method: Method, budget: &Budget) -> Result<Verdict, Vec<Reason>> {
        let Self { program, query, claim, progress, .. } = self;
        match method {
            Method::AbstractLoop(steps) => match claim.property {
                Property::Termination => whole::plain(program, *claim, steps, budget, progress),
                _ => abstraction::prove_by_abstraction(program, query, *claim, steps, budget, progress),
            },
            Method::Unroll => unroll(program, query, budget, &mut self.leads, progress),
            Method::Recurrence => {
                refute::infinite_run(program, query, &mut self.leads, budget).ok_or_else(Vec::new)
            }
            Method::Shapes => shapes::shapes(program, *claim, budget),
            Method::Contracts => contracts::by_contracts(program, *claim, budget, progress),
            Method::Wraps => whole::wrapping(program, *claim, budget, progress),
            Method::Chains => whole::chained(program, *claim, budget, progress),
            Method::OnlyRun => {
                let run =
                    certify::only_run::only_run(program, claim.function, claim.integers, &mut budget.clone());
                run.map(|run| Verdict::Proved(run.certificate())).ok_or_else(Vec::new)
            }
        }
    }
}

/// A row of the strategy: a way to answer, the share that it may take of the time that is left, and when it applies.
struct Stage {
    method: Method,
    share: f64,
    applies: fn(&Verifier<'_>) -> bool,
}

#[derive(Clone, Copy)]
enum Method {
    /// Loops are abstracted, with so many iterations at once.
    AbstractLoop(u64),
    /// Loops are unrolled.
    Unroll,
    /// States are looked for that a run need not leave.
    Recurrence,
    /// The shapes of linked lists and the lengths of their segments.
    Shapes,
    /// Chains of calls, where there is recursion or memory.
    Chains,
    /// Contracts of functions that call themselves or each other.
    Contracts,
    /// Signed numbers may wrap.
    Wraps,
    /// A program that takes no inputs is run.
    OnlyRun,
}

fn always(_: &Verifier<'_>) -> bool {
    true
}

fn termination(work: &Verifier<'_>) -> bool {
    work.claim.property == Property::Termination
}

/// For what may go wrong, not for how runs end.
fn safety(work: &Verifier<'_>) -> bool {
    !termination(work)
}

/// For termination, where it is an overflow of signed numbers that stands in the way.
fn overflow_in_the_way(work: &Verifier<'_>) -> bool {
    let is_overflow =
        |reason: &Reason| matches!(reason, Reason::Undefined { obligation: Obligation::SignedOverflow, .. });
    termination(work) && work.reasons.iter().any(is_overflow)
}

/// What is tried after the quick runs. What is left of the time goes to more runs.
const STAGES: [Stage; 12] = [
    Stage { method: Method::OnlyRun, share: 0.1, applies: termination },
    Stage { method: Method::Recurrence, share: 0.1, applies: termination },
    Stage { method: Method::Unroll, share: 0.008, applies: always },
    Stage { method: Method::Recurrence, share: 0.15, applies: termination },
    Stage { method: Method::Chains, share: 0.4, applies: termination },
    Stage { method: Method::Contracts, share: 0.3, applies: safety },
    Stage { method: Method::AbstractLoop(1), share: 0.45, applies: always },
    Stage { method: Method::Wraps, share: 0.4, applies: overflow_in_the_way },
    Stage { method: Method::Shapes, share: 0.5, applies: termination },
    Stage { method: Method::Unroll, share: 0.5, applies: always },
    Stage { method: Method::AbstractLoop(2), share: 0.5, applies: always },
    Stage { method: Method::AbstractLoop(3), share: 0.5, applies: always },
];
