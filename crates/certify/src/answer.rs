//! What the kernel answers: a certificate, or a refusal.

use std::fmt::{self, Display, Formatter};

use base::Location;
use encoding::Incompleteness;
use evidence::{Argued, Contract, Evidence, Formula, ProofMode, Reason, RecurrentSet};
use logic::Ignorance;
use program::interpret::ObligationSet;
use program::{MarkId, Obligation};
use serde::Serialize;

use crate::explain::{Suspect, SuspectInput};
use crate::recurrence::IterationMode;
use crate::stopping::{Precondition, Stops};
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

/// A proof that a loop is left. Only the kernel makes one.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopCertificate {
    pub(crate) stops: Stops,
    /// The condition on the values at function entry that was assumed.
    pub(crate) condition: Option<Formula>,
}

impl LoopCertificate {
    /// Why.
    pub const fn why(&self) -> &Argued {
        &self.stops.why
    }

    /// That the loop stops, if nothing was assumed.
    pub fn stops(&self) -> Option<Stops> {
        self.condition.is_none().then(|| self.stops.clone())
    }

    /// When the loop stops, if something was assumed.
    pub fn precondition(&self) -> Option<Precondition> {
        let Stops { why, unless_overflow, .. } = self.stops.clone();
        Some(Precondition { condition: self.condition.clone()?, why, unless_overflow })
    }
}

/// A proof that an obligation holds. Only the kernel makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObligationCertificate {
    pub(crate) unreachable: bool,
    /// Whether it speaks only of calls that meet the contract of their function.
    pub(crate) under_contract: bool,
}

impl ObligationCertificate {
    /// What a proof for the whole program says of each obligation of a kind, if it speaks of that kind.
    pub fn by_program(certificate: &Certificate, kind: Obligation) -> Option<Self> {
        let speaks_of_it = certificate.claim.property.obligations().contains(kind);
        speaks_of_it.then_some(Self { unreachable: false, under_contract: false })
    }

    /// Whether it holds because control never comes to it.
    pub const fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    /// Whether it speaks only of calls that meet the contract of the function in which runs start.
    pub const fn is_under_contract(&self) -> bool {
        self.under_contract
    }
}

/// A proof of a contract: calls that meet it violate no obligation of these kinds, and what it ensures holds when they return.
/// Only the kernel makes one.
#[derive(Clone, PartialEq, Debug)]
pub struct ContractCertificate {
    pub(crate) contract: Contract,
    pub(crate) kinds: ObligationSet,
}

impl ContractCertificate {
    /// The contract.
    pub const fn contract(&self) -> &Contract {
        &self.contract
    }

    /// The kinds of obligations that hold in its function and in what that calls.
    pub const fn kinds(&self) -> ObligationSet {
        self.kinds
    }
}

/// A proof that no run comes by some marks. Only the kernel makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreachedMarks {
    pub(crate) marks: Vec<MarkId>,
}

impl UnreachedMarks {
    /// The marks.
    pub fn marks(&self) -> &[MarkId] {
        &self.marks
    }
}

/// A proof that a run which has reached a state can go on for ever. Only the kernel makes one.
#[derive(Clone, PartialEq, Debug)]
pub struct RecurrenceCertificate {
    pub(crate) set: RecurrentSet,
    pub(crate) mode: IterationMode,
}

impl RecurrenceCertificate {
    /// The set that the run need not leave.
    pub const fn set(&self) -> &RecurrentSet {
        &self.set
    }

    /// How iterations were examined.
    pub const fn mode(&self) -> &IterationMode {
        &self.mode
    }
}

/// What an examination has found.
#[derive(Clone, Debug)]
pub enum Examination {
    /// The claim holds.
    Proved(Certificate),
    /// The encoding violates an obligation: the inputs are worth a run.
    Suspect(Box<Suspect>),
    /// Some runs go on where the unrolling ends.
    Unfinished {
        /// Why it ends.
        end: Incompleteness,
        /// Where.
        location: Location,
        /// Whether unrolling further can help.
        further: bool,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
    },
    /// Some runs may have undefined behaviour of a kind that was not asked about.
    Undefined {
        /// Its kind.
        obligation: Obligation,
        /// Where.
        location: Location,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
        /// Whether runs also go on where the unrolling ends.
        further: bool,
    },
    /// The solver or the encoder did not finish.
    NotKnown(Ignorance),
}

/// What was checked, or why it is not certified.
pub type Checked<T> = Result<T, Refusal>;

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
