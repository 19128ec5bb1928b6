//! The list of all obligations of a program with what was found out about each: what `loopscope alarms` says.
//!
//! *Proved* and *unreachable* are made from an [`ObligationCertificate`], and from nothing else.

use evidence::counterexample::obligation_name;
use evidence::{Contract, Counterexample, Place, Reason};
use program::Obligation;
use serde::Serialize;

use crate::answer::ObligationCertificate;

/// All obligations of a program, function by function, in the order of the source.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Listing {
    /// The functions that have obligations, or that could not be examined.
    pub functions: Vec<ListedFunction>,
}

/// A function and its obligations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ListedFunction {
    /// Its name.
    pub function: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// The function that runs start in for what is said here: `main`, or this function itself if control does not come
    /// here from there.
    pub entry: String,
    /// What it requires of its callers, if runs start in it and it requires anything: what is said here is said of calls
    /// that keep to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// Why nothing can be said about all of it, if so.
    pub not_analysed: Option<Reason>,
    /// If runs start here: where they are not followed to their end. What may come after that is unknown.
    pub ends: Vec<Reason>,
    /// Its obligations, in the order of the source.
    pub obligations: Vec<ListedObligation>,
}

/// An obligation, and what was found out about it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ListedObligation {
    /// Its kind.
    #[serde(with = "obligation_name")]
    pub obligation: Obligation,
    /// Where it stands.
    pub place: Option<Place>,
    /// Whether it is one of those that were asked for. The others are listed if they may fail: nothing that is said of
    /// what comes after them counts then.
    pub asked: bool,
    /// What was found out.
    #[serde(flatten)]
    pub status: Status,
}

/// What was found out about an obligation. `proved` and `unreachable` are said of runs on which no earlier obligation fails.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// Control never comes to it.
    #[non_exhaustive]
    Unreachable,
    /// It holds whenever control comes to it.
    #[non_exhaustive]
    Proved,
    /// It holds whenever control comes to it from calls that meet the contract of the function in which runs start.
    #[non_exhaustive]
    ProvedUnderContract,
    /// It is not known: an alarm with an abstract counterexample, or another reason.
    Unknown {
        /// Why.
        reason: Reason,
    },
    /// It fails in a run that was replayed.
    Refuted {
        /// The run.
        counterexample: Box<Counterexample>,
    },
}

impl Listing {
    /// All obligations.
    pub fn obligations(&self) -> impl Iterator<Item = &ListedObligation> {
        self.functions.iter().flat_map(|function| &function.obligations)
    }

    /// Whether an obligation is refuted.
    pub fn is_refuted(&self) -> bool {
        self.obligations().any(|one| matches!(one.status, Status::Refuted { .. }))
    }

    /// Whether all that could be asked is proved or unreachable.
    pub fn is_proved(&self) -> bool {
        self.functions.iter().all(|function| function.not_analysed.is_none() && function.ends.is_empty())
            && self.obligations().all(|one| one.status.holds())
    }
}

impl From<ObligationCertificate> for Status {
    fn from(certificate: ObligationCertificate) -> Self {
        match (certificate.is_under_contract(), certificate.is_unreachable()) {
            (true, _) => Status::ProvedUnderContract,
            (false, true) => Status::Unreachable,
            (false, false) => Status::Proved,
        }
    }
}

impl Status {
    /// Whether it is proved, perhaps under a contract, or unreachable.
    pub const fn holds(&self) -> bool {
        matches!(self, Status::Proved | Status::Unreachable | Status::ProvedUnderContract)
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Status::Unreachable => "unreachable",
            Status::Proved => "proved",
            Status::ProvedUnderContract => "proved under contract",
            Status::Unknown { .. } => "unknown",
            Status::Refuted { .. } => "refuted",
        }
    }

    /// The worse of two findings about one obligation: what a run shows, then what may happen, then what is not known.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.badness() > self.badness() { other } else { self }
    }

    const fn badness(&self) -> u8 {
        match self {
            Status::Unreachable => 0,
            Status::Proved => 1,
            Status::ProvedUnderContract => 2,
            Status::Unknown { reason: Reason::Alarm { .. } } => 4,
            Status::Unknown { .. } => 3,
            Status::Refuted { .. } => 5,
        }
    }
}
