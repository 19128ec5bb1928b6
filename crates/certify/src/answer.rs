//! What the kernel answers: a certificate, or a refusal.

use std::fmt::{self, Display, Formatter};

use evidence::{Evidence, ProofMode, Reason};
use logic::Ignorance;
use serde::Serialize;

use crate::subject::Claim;

/// A proof that a program has a property, checked by the kernel. Nothing outside this crate makes one, and nothing turns
/// evidence into a verdict but this.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Certificate {
    #[serde(skip)]
    claim: Claim,
    evidence: Box<Evidence>,
    mode: ProofMode,
}

impl Certificate {
    pub(crate) fn new(claim: Claim, mode: ProofMode, evidence: Evidence) -> Self {
        Self { claim, evidence: Box::new(evidence), mode }
    }

    /// What was proved.
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Why it holds.
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// How the kernel examined the program.
    pub const fn mode(&self) -> &ProofMode {
        &self.mode
    }
}

/// Why a claim is not certified.
#[derive(Clone, PartialEq, Debug)]
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
    /// The evidence is no proof of the property.
    NoProof {
        /// What it does not show.
        reason: Box<Reason>,
    },
}

impl Refusal {
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Refusal::Unsupported { what: what.into() }
    }

    pub(crate) fn no_proof(reason: Reason) -> Self {
        Refusal::NoProof { reason: Box::new(reason) }
    }

    /// The refusal as a reason for not knowing.
    pub fn into_reason(self) -> Reason {
        match self {
            Refusal::NoProof { reason } => *reason,
            other => Reason::NotConfirmed { what: other.to_string(), place: None },
        }
    }
}

/// The conditions that the checks of recurrent sets ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// The state that a run has reached is in the set.
    StateInSet,
    /// In the set, the chosen inputs make an iteration, and it leads back into the set.
    Recurs,
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::StateInSet => "the reached state is in the set",
            Condition::Recurs => "from the set an iteration leads back into it",
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
            Refusal::NoProof { reason } => reason.fmt(f),
        }
    }
}
