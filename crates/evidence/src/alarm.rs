//! A violation that was not shown to happen: an abstract counterexample, with every loop abstracted to one step.

use program::Obligation;
use serde::{Deserialize, Serialize};

use crate::counterexample::{InputValue, obligation_name};
use crate::place::Place;

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
