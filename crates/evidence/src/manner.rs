//! How the kernel looked at a whole program when it proved something: what another process needs to look at it again.

use serde::{Deserialize, Serialize};

/// How far loops and calls were followed, and whether loops were leapt over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Manner {
    /// Passes through a loop that are followed one by one, each time that control comes to it.
    pub passes: u64,
    /// Calls of one function that may be active at once.
    pub recursion: usize,
    /// Calls that may be active at once.
    pub calls: usize,
    /// How loops are leapt over; if this is missing, they are only followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaps: Option<Leapt>,
    /// Whether the program takes no inputs and its only run was made: then nothing else was looked at.
    #[serde(default, skip_serializing_if = "is_not")]
    pub only_run: bool,
    /// Whether chains of calls were looked at instead of calls, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chains: Option<Chains>,
}

/// How chains of calls are looked at: each call is made while the one before is active, and none of them returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chains {
    /// In the memory of the program. What is done after a call has returned cannot go on for ever.
    WithMemory,
    /// Without memory. Calls may also return, and then give any value.
    WithoutMemory,
}

fn is_not(flag: &bool) -> bool {
    !flag
}

/// How loops are leapt over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Leapt {
    /// How many passes a leap takes.
    pub passes: u64,
    /// Loops that are decided pass by pass are followed so, up to this many passes.
    pub decided: u64,
    /// Whether a signed operation that overflows gives any number; otherwise it wraps, or is shown not to overflow.
    pub any_overflow: bool,
    /// For termination: whether it may wrap. Then the same claims must be a proof for integers without bounds as well.
    #[serde(default, skip_serializing_if = "is_not")]
    pub wraps: bool,
}
