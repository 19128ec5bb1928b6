//! How the process ends: every exit code in one place.

use clients::Verdict;

/// Done: what was asked for is found, and all of it is good. The help of each command says what that means.
pub const DONE: u8 = 0;
/// Something that was asked for is refuted.
pub const REFUTED: u8 = 1;
/// Wrong usage, a file that cannot be read, or errors in the source.
pub const BAD_INPUT: u8 = 2;
/// Something that was asked for is unknown, or a function or file could not be analysed.
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

/// A code, if so many parts of the input were not analysed: nothing good can be said of all of it then.
pub const fn with_parts_left_out(code: u8, left_out: usize) -> u8 {
    match (code, left_out) {
        (DONE, 1..) => UNKNOWN,
        _ => code,
    }
}
