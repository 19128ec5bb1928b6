//! The answer to a question about a program.
//!
//! A proof is only as good as the check of its evidence: whoever makes [`Verdict::Proved`] has had every part of the
//! evidence checked by the kernel, and nothing else makes one.

use serde::{Deserialize, Serialize};

use crate::counterexample::Counterexample;
use crate::forms::Evidence;
use crate::manner::Manner;
use crate::reason::Reason;

/// The answer to the question whether a program has a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// It has: here is why.
    Proved {
        /// What the kernel has checked.
        evidence: Box<Evidence>,
        /// How the program was looked at.
        #[serde(default)]
        manner: Manner,
    },
    /// It does not: here is a run that shows it.
    Refuted {
        /// The run.
        counterexample: Box<Counterexample>,
    },
    /// Nobody knows.
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
            Verdict::Proved { .. } => f.write_str("TRUE"),
            Verdict::Refuted { counterexample } => write!(f, "FALSE ({})", counterexample.failure.kind()),
            Verdict::Unknown { reason, .. } => write!(f, "UNKNOWN ({reason})"),
        }
    }
}
