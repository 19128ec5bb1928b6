//! How the kernel examined a whole program when it proved something: what another process needs to examine it again.

use serde::{Deserialize, Serialize};

/// How far loops and calls were unwound, and whether loops were abstracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProofMode {
    /// Iterations of a loop that are unwound one by one, each time that control comes to it.
    pub iterations: u64,
    /// Calls of one function that may be active at once.
    pub recursion: usize,
    /// Calls that may be active at once.
    pub calls: usize,
    /// How overflow is read.
    #[serde(default)]
    pub overflow: Overflow,
    /// How loops are abstracted; if this is missing, they are only followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_loops: Option<AbstractionMode>,
    /// Whether the program takes no inputs and its only run was made: then nothing else was examined.
    #[serde(default, skip_serializing_if = "is_not")]
    pub only_run: bool,
    /// Whether chains of calls were examined instead of calls, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chains: Option<Chains>,
}

impl ProofMode {
    /// Whole runs, with abstract loops of so many iterations; short loops that are decided iteration by iteration are
    /// unwound so.
    pub const fn abstraction(iterations: u64, overflow: Overflow) -> Self {
        let abstract_loops = Some(AbstractionMode { iterations, decided: DECIDED });
        Self {
            iterations: iterations - 1,
            recursion: 2,
            calls: CALLS,
            abstract_loops,
            ..Self::once(overflow)
        }
    }

    /// The same, but loops that are decided iteration by iteration are followed up to this many iterations.
    pub const fn deciding(self, decided: u64) -> Self {
        match self.abstract_loops {
            Some(abstraction_mode) => {
                Self { abstract_loops: Some(AbstractionMode { decided, ..abstraction_mode }), ..self }
            }
            None => self,
        }
    }

    /// One modular function, with every loop abstracted.
    pub const fn modular(overflow: Overflow) -> Self {
        let abstract_loops = Some(AbstractionMode { iterations: 1, decided: 0 });
        Self { abstract_loops, ..Self::once(overflow) }
    }

    /// Whole runs, with loops and recursion followed for so many iterations.
    pub const fn unrolled(iterations: u64, overflow: Overflow) -> Self {
        let recursion = if iterations < CALLS as u64 { iterations as usize } else { CALLS };
        Self { iterations, recursion, calls: CALLS, ..Self::once(overflow) }
    }

    /// No second iteration, and one active call.
    const fn once(overflow: Overflow) -> Self {
        let (abstract_loops, only_run, chains) = (None, false, None);
        Self { iterations: 0, recursion: 1, calls: 1, overflow, abstract_loops, only_run, chains }
    }
}

/// Loops that are decided iteration by iteration are encoded so, up to this many iterations.
const DECIDED: u64 = 130;

/// How many calls may be active at once.
const CALLS: usize = 200;

/// How chains of calls are examined: each call is made while the one before is active, and none of them returns.
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

/// How loops are abstracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AbstractionMode {
    /// How many iterations an abstract loop takes.
    pub iterations: u64,
    /// Loops that are decided iteration by iteration are unwound so, up to this many iterations.
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
