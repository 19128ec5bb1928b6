//! A violation that was not shown to happen: an abstract counterexample, with every loop abstracted to one step. And
//! the list of all obligations of a program with what was found out about each.

use program::Obligation;
use serde::{Deserialize, Serialize};

use crate::counterexample::{Counterexample, InputValue, obligation_name};
use crate::place::Place;
use crate::reason::Reason;

/// An obligation that may be violated, and an abstract counterexample: straight pieces step by step, each loop one
/// abstract step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Alarm {
    /// The obligation's kind.
    #[serde(with = "obligation_name")]
    pub obligation: Obligation,
    /// Where it stands.
    pub place: Option<Place>,
    /// The function that it stands in.
    pub function: String,
    /// The values that come from outside, in order. Those in iterations that the abstraction skips are missing.
    #[serde(default)]
    pub inputs: Vec<InputValue>,
    /// What happens before: what the obligation may depend on.
    pub steps: Vec<AlarmStep>,
    /// The access that goes wrong, if it is one.
    #[serde(default)]
    pub access: Option<Access>,
    /// The operation that overflows, with its operands: `2147483647 + 1`.
    #[serde(default)]
    pub operation: Option<String>,
    /// The loop whose invariants are too weak, if the counterexample ends in a loop or comes by one.
    pub missing: Option<MissingInvariant>,
}

/// A step of an abstract counterexample.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum AlarmStep {
    /// A variable gets a value.
    Assignment {
        /// In this function.
        function: String,
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// Where.
        place: Option<Place>,
    },
    /// Control goes through an abstract loop.
    AbstractLoop {
        /// In this function.
        function: String,
        /// Where the loop stands.
        place: Option<Place>,
        /// How many iterations, if a counter tells.
        iterations: Option<String>,
        /// The variables that change.
        changes: Vec<Change>,
    },
}

/// A variable that an abstract loop changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// Its value at the loop's entry.
    pub before: String,
    /// Its value at the loop's head before the iteration that the counterexample goes on with.
    pub after: String,
}

/// What would have to be known of a loop to rule an abstract counterexample out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MissingInvariant {
    /// Where the loop stands.
    pub place: Option<Place>,
    /// The state at its head that no run is known to avoid: `i == 11, n == 10`.
    pub state: String,
}

/// An access to memory. Numbers are strings, because numbers in JSON are not wide enough.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Access {
    /// The object that it points to, if it points to one.
    pub object: Option<String>,
    /// How many bytes behind the object's start; of a pointer to no object the address.
    pub offset: String,
    /// How many bytes are accessed.
    pub bytes: String,
    /// How many bytes the object has.
    pub size: Option<String>,
}

/// All obligations of a program, function by function, in the order of the source.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Listing {
    /// The functions that have obligations, or that could not be examined.
    pub functions: Vec<ListedFunction>,
}

/// A function and its obligations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ListedFunction {
    /// Its name.
    pub function: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// The function that runs start in for what is said here: `main`, or this function itself if control does not come
    /// here from there.
    pub entry: String,
    /// Why nothing can be said about all of it, if so.
    pub not_analysed: Option<Reason>,
    /// If runs start here: where they are not followed to their end. What may come after that is unknown.
    pub ends: Vec<Reason>,
    /// Its obligations, in the order of the source.
    pub obligations: Vec<ListedObligation>,
}

/// An obligation, and what was found out about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// Control never comes to it.
    Unreachable,
    /// It holds whenever control comes to it.
    Proved,
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
            && self.obligations().all(|one| matches!(one.status, Status::Proved | Status::Unreachable))
    }
}

impl Status {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        match self {
            Status::Unreachable => "unreachable",
            Status::Proved => "proved",
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
            Status::Unknown { reason: Reason::Alarm { .. } } => 3,
            Status::Unknown { .. } => 2,
            Status::Refuted { .. } => 4,
        }
    }
}
