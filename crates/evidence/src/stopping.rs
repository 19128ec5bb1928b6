//! What comes again in a program, and why it does not come again for ever.

use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::expression::{Formula, Integer};
use crate::forms::Termination;

/// What comes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// The head of a loop.
    Loop,
    /// A call of a function while it is active.
    Recursion,
}

/// Why a loop stops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Argued {
    /// An argument that the kernel has accepted.
    Argument {
        /// The argument.
        argument: Termination,
        /// What holds whenever control is at the head, as far as it was looked for.
        invariants: Vec<Formula>,
        /// Control comes back to the head at most so often, if that is one number.
        #[serde(with = "decimal::optional", default)]
        back_edges: Option<Integer>,
        /// Its body is executed at most so often in one visit, if that is one number.
        #[serde(with = "decimal::optional", default)]
        iterations: Option<Integer>,
    },
    /// The shapes of the program's lists: every way round makes a part of a list shorter, or a number less.
    Lists,
    /// All iterations were unwound one by one.
    Followed,
    /// Control never comes to it.
    NotReached,
}
