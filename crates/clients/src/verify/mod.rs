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

mod ending;
mod leap;
mod shapes;
mod unroll;

use std::borrow::Cow;
use std::time::Duration;

use base::{Budget, Stop};
use evidence::{Reason, Verdict};
use program::interpret::ObligationSet;
use program::outside::in_usual_order;
use program::{Obligation, Program};

use crate::Property;
use crate::refute::{self, Question};

pub(crate) use leap::{DECIDED, encode, encode_needing};
pub(crate) use shapes::certified;
use unroll::unroll_for_leads;

pub(crate) use unroll::unroll;

/// What must hold for a proof besides what is asked.
pub(crate) fn needed_for(property: Property, may_overflow: bool) -> ObligationSet {
    match property {
        Property::Termination => ending::needed(may_overflow),
        _ => unroll::needed(property),
    }
}

/// The program with the orders of evaluation that a property depends on.
pub(crate) fn ordered_for(program: &Program, property: Property) -> Cow<'_, Program> {
    match property {
        Property::UnreachCall => in_usual_order(program),
        _ => Cow::Borrowed(program),
    }
}

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

/// Answers a question about a program.
pub fn verify(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Verdict {
    let program = &*ordered_for(program, question.property);
    let (quick, mut leads) = refute::refute_for_leads(program, question, &budget.part(QUICK), &mut |runs| {
        progress(Progress::Runs(runs));
    });
    let (reason, also) = match quick {
        Verdict::Unknown { reason, also } => (reason, also),
        answer => return answer,
    };
    if matches!(reason, Reason::NoEntry { .. } | Reason::Budget { stop: Stop::Time | Stop::Interrupted }) {
        return Verdict::Unknown { reason, also };
    }
    // What the quick runs have seen go wrong need not be seen again.
    let mut reasons: Vec<Reason> =
        also.into_iter().filter(|reason| matches!(reason, Reason::Alarm { .. })).collect();
    for stage in STAGES {
        let share = budget.remaining_time().map_or(Duration::MAX, |time| time.mul_f64(stage.share));
        let part = budget.clone().within(share);
        let answer = match stage.method {
            Method::Leap(steps) if question.property == Property::Termination => {
                ending::endings(program, question, steps, &part, progress)
            }
            Method::Leap(steps) => leap::leap(program, question, steps, &part, progress),
            Method::Unroll => unroll_for_leads(program, question, &part, &mut leads, progress),
            Method::Recurrence if question.property == Property::Termination => {
                refute::endless_run(program, question, &mut leads, &part).ok_or_else(Vec::new)
            }
            Method::Recurrence => Err(Vec::new()),
            Method::Shapes => shapes::shapes(program, question, &part),
            Method::Wraps if reasons.iter().any(is_overflow) => {
                ending::wrapping(program, question, &part, progress)
            }
            Method::Wraps => Err(Vec::new()),
            Method::Chains => ending::chained(program, question, &part, progress),
            Method::OnlyRun => ending::only_run(program, question, &part).ok_or_else(Vec::new),
        };
        match answer {
            Ok(verdict) => return verdict,
            Err(more) => reasons.extend(more),
        }
    }
    match refute::refute(program, question, budget, &mut |runs| progress(Progress::Runs(runs))) {
        Verdict::Unknown { reason, mut also } => {
            also.splice(0..0, reasons);
            also.dedup();
            Verdict::Unknown { reason, also }
        }
        answer => answer,
    }
}

/// Whether it is an overflow of signed numbers that stands in the way.
const fn is_overflow(reason: &Reason) -> bool {
    matches!(reason, Reason::Undefined { obligation: Obligation::SignedOverflow, .. })
}

/// A way to answer, and the share of the time that is left that it may take.
struct Stage {
    method: Method,
    share: f64,
}

enum Method {
    /// Loops are leapt over, with so many passes at once.
    Leap(u64),
    /// Loops are unrolled.
    Unroll,
    /// For termination: states are looked for that a run need not leave.
    Recurrence,
    /// For termination: the shapes of linked lists and the lengths of their segments.
    Shapes,
    /// For termination: chains of calls, where there is recursion or memory.
    Chains,
    /// For termination: signed numbers may wrap.
    Wraps,
    /// For termination: a program that takes no inputs is run.
    OnlyRun,
}

/// What is tried after the quick runs. What is left of the time goes to more runs.
const STAGES: [Stage; 11] = [
    Stage { method: Method::OnlyRun, share: 0.1 },
    Stage { method: Method::Recurrence, share: 0.1 },
    Stage { method: Method::Unroll, share: 0.008 },
    Stage { method: Method::Recurrence, share: 0.15 },
    Stage { method: Method::Chains, share: 0.4 },
    Stage { method: Method::Leap(1), share: 0.45 },
    Stage { method: Method::Wraps, share: 0.4 },
    Stage { method: Method::Shapes, share: 0.5 },
    Stage { method: Method::Unroll, share: 0.5 },
    Stage { method: Method::Leap(2), share: 0.5 },
    Stage { method: Method::Leap(3), share: 0.5 },
];
