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
    /// How overflow is read.
    #[serde(default)]
    pub overflow: Overflow,
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

impl Manner {
    /// Whole runs, with leaps of so many passes; short loops that are decided pass by pass are followed so.
    pub const fn leaping(passes: u64, overflow: Overflow) -> Self {
        let leaps = Some(Leapt { passes, decided: DECIDED });
        Self {
            passes: passes - 1,
            recursion: 2,
            calls: CALLS,
            overflow,
            leaps,
            only_run: false,
            chains: None,
        }
    }

    /// The same, but loops that are decided pass by pass are followed up to this many passes.
    pub const fn deciding(self, decided: u64) -> Self {
        match self.leaps {
            Some(leapt) => Self { leaps: Some(Leapt { decided, ..leapt }), ..self },
            None => self,
        }
    }

    /// One function on its own, with every loop leapt over.
    pub const fn modular(overflow: Overflow) -> Self {
        let leaps = Some(Leapt { passes: 1, decided: 0 });
        Self { passes: 0, recursion: 1, calls: 1, overflow, leaps, only_run: false, chains: None }
    }

    /// Whole runs, with loops and recursion followed for so many passes.
    pub const fn unrolled(passes: u64, overflow: Overflow) -> Self {
        let recursion = if passes < CALLS as u64 { passes as usize } else { CALLS };
        Self { passes, recursion, calls: CALLS, overflow, leaps: None, only_run: false, chains: None }
    }
}

/// Loops that are decided pass by pass are encoded so, up to this many passes.
const DECIDED: u64 = 130;

/// How many calls may be active at once.
const CALLS: usize = 200;

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
}

/// How the overflow of signed arithmetic is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// It is proved that there is none.
    #[default]
    Excluded,
    /// It gives any number.
    Any,
    /// It wraps. For termination, the same evidence must then be a proof for integers without bounds as well: a loop
    /// that ends only because a number wraps need not end.
    Wraps,
}
