//! What the kernel answers: a certificate, or a refusal.

use std::fmt::{self, Display, Formatter};

use evidence::Evidence;
use logic::Ignorance;

/// Says that a claim about a loop was checked. Only the checks of this crate make one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    subject: String,
    evidence: Evidence,
}

impl Certificate {
    pub(crate) fn new(subject: &str, evidence: Evidence) -> Self {
        Self { subject: subject.to_owned(), evidence }
    }

    /// The loop that the claim is about, as the relation names it.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// What was proved.
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What was proved, for a verdict.
    pub fn into_evidence(self) -> Evidence {
        self.evidence
    }
}

/// Why a claim is not certified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A condition does not hold, as this state shows. The claim may still be true: then its reason is too weak.
    Fails {
        /// The condition.
        condition: Condition,
        /// Names and values, in the order in which a reader wants them.
        state: Vec<(String, String)>,
    },
    /// The solver does not know whether a condition holds.
    NotKnown {
        /// The condition.
        condition: Condition,
        /// Why.
        why: Ignorance,
    },
    /// The claim or the loop is not one that the kernel can check.
    Unsupported {
        /// What stands in the way.
        what: String,
    },
}

impl Refusal {
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Refusal::Unsupported { what: what.into() }
    }
}

/// The conditions that the checks of recurrent sets ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// The state that a run has reached is in the set.
    StateInSet,
    /// In the set, the chosen inputs make a pass, and it leads back into the set.
    Recurs,
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::StateInSet => "the reached state is in the set",
            Condition::Recurs => "from the set a pass leads back into it",
        })
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Fails { condition, state } => {
                write!(f, "not so: {condition}")?;
                for (index, (name, value)) in state.iter().enumerate() {
                    write!(f, "{}{name} = {value}", if index == 0 { "; with " } else { ", " })?;
                }
                Ok(())
            }
            Refusal::NotKnown { condition, why } => write!(f, "not known: {condition} ({why})"),
            Refusal::Unsupported { what } => write!(f, "cannot be checked: {what}"),
        }
    }
}
