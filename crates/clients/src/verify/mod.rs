//! Has a program a property? All that can answer, one after the other.
//!
//! ```text
//! a few quick runs ─► a little unrolling ─► loops leapt over ─► unrolling, deeper and deeper ─► leaps of several passes ─► many runs
//! ```
//!
//! Runs on guessed inputs find shallow violations in no time. Leaping over loops proves what facts about them show, however
//! often they run. Unrolling proves programs whose loops end soon, and finds
//! violations that hang on exact values. What is left of the time goes to more runs. The first answer counts; if there
//! is none, the reasons of all are given.

mod leap;
mod shapes;
mod unroll;

use std::time::Duration;

use base::{Budget, Stop};
use certify::{Claim, Verdict};
use evidence::{Property, Reason};
use program::outside::in_usual_order;
use program::{Obligation, Program};

use crate::refute::{self, Leads, Question};
use crate::termination::whole;

pub(crate) use shapes::certified;
use unroll::unroll_for_leads;

pub(crate) use unroll::unroll;

/// The steps of the quick runs at the start.
const QUICK: u64 = 1_500_000;

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// So many runs were tried.
    Runs(u64),
    /// Loops are unrolled to this many passes.
    Unrolling(u64),
    /// Facts were found for so many of so many nests of loops.
    Summarising(usize, usize),
}

/// Answers a query about a program.
pub fn verify(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Verdict {
    let usual = (question.property == Property::UnreachCall).then(|| in_usual_order(program));
    let program = usual.as_deref().unwrap_or(program);
    let (quick, leads) = refute::refute_for_leads(program, question, &budget.part(QUICK), &mut |runs| {
        progress(Progress::Runs(runs));
    });
    let (reason, also) = match quick {
        Verdict::Unknown { reason, also } => (reason, also),
        answer => return answer,
    };
    let is_over = matches!(reason, Reason::Budget { stop: Stop::Time | Stop::Interrupted });
    let function = match refute::entry(program, &question.function) {
        Ok(function) if !is_over => function,
        _ => return Verdict::Unknown { reason, also },
    };
    let claim = Claim { function, property: question.property, integers: question.integers };
    // What the quick runs have seen go wrong need not be seen again.
    let reasons = also.into_iter().filter(|reason| matches!(reason, Reason::Alarm { .. })).collect();
    let mut work = Work { program, question, claim, leads, reasons, progress };
    for stage in STAGES {
        if !(stage.applies)(&work) {
            continue;
        }
        let share = budget.remaining_time().map_or(Duration::MAX, |time| time.mul_f64(stage.share));
        match work.apply(stage.method, &budget.clone().within(share)) {
            Ok(verdict) => return verdict,
            Err(more) => work.reasons.extend(more),
        }
    }
    let Work { reasons, progress, .. } = work;
    match refute::refute(program, question, budget, &mut |runs| progress(Progress::Runs(runs))) {
        Verdict::Unknown { reason, mut also } => {
            also.splice(0..0, reasons);
            also.dedup();
            Verdict::Unknown { reason, also }
        }
        answer => answer,
    }
}

/// A query at work.
struct Work<'a> {
    program: &'a Program,
    question: &'a Question,
    claim: Claim,
    /// Inputs with which loops go round many times.
    leads: Leads,
    /// Why there is no answer yet.
    reasons: Vec<Reason>,
    progress: &'a mut dyn FnMut(Progress),
}

impl Work<'_> {
    fn apply(&mut self, method: Method, budget: &Budget) -> Result<Verdict, Vec<Reason>> {
        let Self { program, question, claim, progress, .. } = self;
        match method {
            Method::Leap(steps) => match claim.property {
                Property::Termination => whole::plain(program, *claim, steps, budget, progress),
                _ => leap::leap(program, question, *claim, steps, budget, progress),
            },
            Method::Unroll => unroll_for_leads(program, question, budget, &mut self.leads, progress),
            Method::Recurrence => {
                refute::endless_run(program, question, &mut self.leads, budget).ok_or_else(Vec::new)
            }
            Method::Shapes => shapes::shapes(program, *claim, budget),
            Method::Wraps => whole::wrapping(program, *claim, budget, progress),
            Method::Chains => whole::chained(program, *claim, budget, progress),
            Method::OnlyRun => {
                let run =
                    certify::only_run::only_run(program, claim.function, claim.integers, &mut budget.clone());
                run.map(|run| Verdict::Proved(run.certificate)).ok_or_else(Vec::new)
            }
        }
    }
}

/// A row of the strategy: a way to answer, the share that it may take of the time that is left, and when it applies.
struct Stage {
    method: Method,
    share: f64,
    applies: fn(&Work<'_>) -> bool,
}

#[derive(Clone, Copy)]
enum Method {
    /// Loops are leapt over, with so many passes at once.
    Leap(u64),
    /// Loops are unrolled.
    Unroll,
    /// States are looked for that a run need not leave.
    Recurrence,
    /// The shapes of linked lists and the lengths of their segments.
    Shapes,
    /// Chains of calls, where there is recursion or memory.
    Chains,
    /// Signed numbers may wrap.
    Wraps,
    /// A program that takes no inputs is run.
    OnlyRun,
}

fn always(_: &Work<'_>) -> bool {
    true
}

fn termination(work: &Work<'_>) -> bool {
    work.claim.property == Property::Termination
}

/// For termination, where it is an overflow of signed numbers that stands in the way.
fn overflow_in_the_way(work: &Work<'_>) -> bool {
    let is_overflow =
        |reason: &Reason| matches!(reason, Reason::Undefined { obligation: Obligation::SignedOverflow, .. });
    termination(work) && work.reasons.iter().any(is_overflow)
}

/// What is tried after the quick runs. What is left of the time goes to more runs.
const STAGES: [Stage; 11] = [
    Stage { method: Method::OnlyRun, share: 0.1, applies: termination },
    Stage { method: Method::Recurrence, share: 0.1, applies: termination },
    Stage { method: Method::Unroll, share: 0.008, applies: always },
    Stage { method: Method::Recurrence, share: 0.15, applies: termination },
    Stage { method: Method::Chains, share: 0.4, applies: termination },
    Stage { method: Method::Leap(1), share: 0.45, applies: always },
    Stage { method: Method::Wraps, share: 0.4, applies: overflow_in_the_way },
    Stage { method: Method::Shapes, share: 0.5, applies: termination },
    Stage { method: Method::Unroll, share: 0.5, applies: always },
    Stage { method: Method::Leap(2), share: 0.5, applies: always },
    Stage { method: Method::Leap(3), share: 0.5, applies: always },
];
