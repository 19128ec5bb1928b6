//! A violation that was not shown to happen: the story of how it might, with every loop as one leap.

use program::Obligation;
use serde::{Deserialize, Serialize};

use crate::counterexample::obligation_name;
use crate::place::Place;

/// An obligation that may be violated, and a leaping counterexample: straight pieces step by step, each loop one leap.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Alarm {
    /// The obligation's kind.
    #[serde(with = "obligation_name")]
    pub obligation: Obligation,
    /// Where it stands.
    pub place: Option<Place>,
    /// The function that it stands in.
    pub function: String,
    /// What happens before.
    pub steps: Vec<AlarmStep>,
    /// The loop whose facts are too weak, if the story ends in a loop or comes by one.
    pub missing: Option<MissingFact>,
}

/// A step of a leaping counterexample.
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
    /// Control leaps over passes of a loop.
    Leap {
        /// In this function.
        function: String,
        /// Where the loop stands.
        place: Option<Place>,
        /// How many passes, if a counter tells.
        passes: Option<String>,
        /// The variables that change.
        changes: Vec<Change>,
    },
}

/// A variable that a leap changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// Its value at the loop's entry.
    pub before: String,
    /// Its value at the loop's head before the pass that the story goes on with.
    pub after: String,
}

/// What would have to be known of a loop to rule a story out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MissingFact {
    /// Where the loop stands.
    pub place: Option<Place>,
    /// The state at its head that no run is known to avoid: `i == 11, n == 10`.
    pub state: String,
}
