//! How the process ends: every exit code in one place.

use clients::Verdict;
use evidence::{BoundsReport, Listing, Strength, Suite, TerminationReport, VarianceReport};

/// Done; for `verify` and `certify`, proved; for `alarms`, every obligation is proved or unreachable; for `variance`, every local
/// termination predicate that was asked for holds and the kernel has confirmed it; for `tests`, every target is reached or
/// unreachable; for `bounds`, every loop has a bound; for `terminates`, every loop
/// and recursion stops; for `summarize`, every loop has cases, and all are confirmed.
pub const DONE: u8 = 0;
/// The property, or for `alarms` an obligation, is refuted; for `terminates`, a loop may run for ever, or has no argument
/// though one was required.
pub const REFUTED: u8 = 1;
/// Wrong usage, a file that cannot be read, or errors in the source.
pub const BAD_INPUT: u8 = 2;
/// The verdict is unknown; for `alarms`, nothing is refuted and something is unknown; for `variance`, something is not
/// confirmed; for `tests`, a target is not reached; for `bounds`, a loop has no bound; for `terminates`, a
/// loop is unknown; for `summarize`, a loop has no
/// confirmed cases; for all of these and the tables of loops, a function or file could not be analysed.
pub const UNKNOWN: u8 = 3;

/// `run`: an obligation failed.
pub const VIOLATION: u8 = 121;
/// `run`: stopped by a limit or by the user.
pub const STOPPED: u8 = 122;
/// `run`: the interpreter cannot go on.
pub const CANNOT_GO_ON: u8 = 123;
/// `run`: an assumption does not hold.
pub const ASSUMPTION: u8 = 124;
/// `run`: the program aborted; what a shell shows for the signal.
pub const ABORTED: u8 = 134;

/// The code for a verdict.
pub const fn of_verdict(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Proved(_) => DONE,
        Verdict::Refuted { .. } => REFUTED,
        Verdict::Unknown { .. } => UNKNOWN,
    }
}

/// The code for a list of obligations.
pub fn of_listing(listing: &Listing) -> u8 {
    match (listing.is_refuted(), listing.is_proved()) {
        (true, _) => REFUTED,
        (false, true) => DONE,
        (false, false) => UNKNOWN,
    }
}

/// The code for a test suite.
pub fn of_suite(suite: &Suite) -> u8 {
    if suite.counts().2 == 0 { DONE } else { UNKNOWN }
}

/// The code for a variance analysis.
pub fn of_variance(report: &VarianceReport) -> u8 {
    let is_confirmed = |strength: Strength| strength == Strength::Confirmed;
    let places = report.cutpoints.iter().all(|cutpoint| is_confirmed(cutpoint.local_termination));
    if places && report.terminates.is_none_or(is_confirmed) { DONE } else { UNKNOWN }
}

/// The code for summaries of loops.
pub fn of_summaries(report: &evidence::SummaryReport) -> u8 {
    let is_confirmed = |case: &evidence::CaseReport| {
        case.strength == Strength::Confirmed && (case.never || case.counted == Strength::Confirmed)
    };
    let is_known = |one: &evidence::LoopReport| {
        !one.cases.is_empty() && one.covered == Strength::Confirmed && one.cases.iter().all(is_confirmed)
    };
    if report.skipped.is_empty() && report.loops.iter().all(is_known) { DONE } else { UNKNOWN }
}

/// The code for the bounds of loops.
pub fn of_bounds(report: &BoundsReport) -> u8 {
    if report.loops.iter().all(|one| one.bound.is_some()) { DONE } else { UNKNOWN }
}

/// A code, if so many parts of the input were not analysed: nothing good can be said of all of it then.
pub const fn with_parts_left_out(code: u8, left_out: usize) -> u8 {
    match (code, left_out) {
        (DONE, 1..) => UNKNOWN,
        _ => code,
    }
}

/// The code for whether loops stop; every one may have to. Of some parts of the input nothing may be known.
pub fn of_termination(report: &TerminationReport, left_out: usize, required: bool) -> u8 {
    let (stop, run, unknown) = report.counts();
    match (stop, run, unknown + left_out) {
        (_, 0, 0) => DONE,
        (_, 0, _) if !required => UNKNOWN,
        _ => REFUTED,
    }
}
