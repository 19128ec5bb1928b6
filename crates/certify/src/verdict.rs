//! The answer to a query about a program.
//!
//! *Proved* holds a [`Certificate`], which only the kernel makes; so no other code can say it.

use evidence::{Counterexample, Reason};
use serde::Serialize;

use crate::answer::Certificate;

/// The answer to the question whether a program has a property.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// It has: here is why.
    Proved(Certificate),
    /// It does not: here is a run that shows it.
    Refuted {
        /// The run.
        counterexample: Box<Counterexample>,
    },
    /// It is not known.
    Unknown {
        /// The main reason.
        reason: Reason,
        /// What else stood in the way.
        also: Vec<Reason>,
    },
}

impl Verdict {
    /// An unknown for one reason.
    pub fn unknown(reason: Reason) -> Self {
        Verdict::Unknown { reason, also: Vec::new() }
    }
}

/// The one line that tools read: `TRUE`, `FALSE (kind)` or `UNKNOWN (reason)`.
impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Proved(_) => f.write_str("TRUE"),
            Verdict::Refuted { counterexample } => write!(f, "FALSE ({})", counterexample.failure.kind()),
            Verdict::Unknown { reason, .. } => write!(f, "UNKNOWN ({reason})"),
        }
    }
}
