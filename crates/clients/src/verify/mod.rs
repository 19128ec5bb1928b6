//! Has a program a property? All that can answer, one after the other.
//!
//! ```text
//! a few quick runs ─► unrolling, deeper and deeper ─► many runs
//! ```
//!
//! Runs on guessed inputs find shallow violations in no time. Unrolling proves programs whose loops end soon, and finds
//! violations that hang on exact values. What is left of the time goes to more runs. The first answer counts; if there
//! is none, the reasons of all are given.

mod unroll;

use std::time::Duration;

use base::{Budget, Stop};
use evidence::{Reason, Verdict};
use program::Program;

use crate::refute::{self, Question};

/// The steps of the quick runs at the start.
const QUICK: u64 = 10_000_000;

/// What is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// So many runs were tried.
    Runs(u64),
    /// Loops are unrolled to this many passes.
    Unrolling(u64),
}

/// Answers a question about a program.
pub fn verify(
    program: &Program,
    question: &Question,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Verdict {
    let quick = refute::refute(program, question, &budget.part(QUICK), &mut |runs| {
        progress(Progress::Runs(runs));
    });
    let (reason, also) = match quick {
        Verdict::Unknown { reason, also } => (reason, also),
        answer => return answer,
    };
    if matches!(reason, Reason::NoEntry { .. } | Reason::Budget { stop: Stop::Time | Stop::Interrupted }) {
        return Verdict::Unknown { reason, also };
    }
    // Somewhat more than half of the time that is left is for proofs, the rest for runs.
    let share = budget.remaining_time().map_or(Duration::MAX, |time| time.mul_f64(0.6));
    let part = budget.clone().within(share);
    let unrolled = unroll::unroll(program, question, &part, progress);
    let reasons = match unrolled {
        Ok(verdict) => return verdict,
        Err(reasons) => reasons,
    };
    match refute::refute(program, question, budget, &mut |runs| progress(Progress::Runs(runs))) {
        Verdict::Unknown { reason, mut also } => {
            also.splice(0..0, reasons);
            also.dedup();
            Verdict::Unknown { reason, also }
        }
        answer => answer,
    }
}
