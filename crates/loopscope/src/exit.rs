//! How the process ends: every exit code in one place.

use evidence::Verdict;

/// Done; for `verify`, proved.
pub const DONE: u8 = 0;
/// The property is refuted.
pub const REFUTED: u8 = 1;
/// Wrong usage, a file that cannot be read, or errors in the source.
pub const BAD_INPUT: u8 = 2;
/// The verdict is unknown.
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
        Verdict::Proved { .. } => DONE,
        Verdict::Refuted { .. } => REFUTED,
        Verdict::Unknown { .. } => UNKNOWN,
    }
}
