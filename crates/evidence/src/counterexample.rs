//! A run that violates a property: everything that is needed to repeat it.

use program::Obligation;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::place::Place;

/// A run that violates a property.
///
/// Running the entry function with these arguments, inputs and standard input, and with these integers, ends in the
/// failure. Inputs that the run does not ask for are not listed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    /// The property that is violated.
    pub property: String,
    /// The function that the run starts in.
    pub entry: String,
    /// The command line, program name first; empty if the entry function takes none.
    pub arguments: Vec<String>,
    /// How integers behave in this run.
    pub integers: Integers,
    /// The values that came from outside, in the order in which the run asked for them.
    pub inputs: Vec<InputValue>,
    /// What the run read from its standard input.
    pub standard_input: Vec<u8>,
    /// How the run went wrong.
    pub failure: Failure,
    /// How many statements were executed.
    pub steps: u64,
}

/// One value that came from outside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InputValue {
    /// Who asked, as the source names it: `__VERIFIER_nondet_int`, or a parameter's name.
    pub name: String,
    /// The type of the value: `i32`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value in decimal; a string, because numbers in JSON are not wide enough for all types.
    pub value: String,
    /// Where it was asked for.
    pub place: Option<Place>,
}

/// How a run went wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "kebab-case")]
pub enum Failure {
    /// An obligation did not hold.
    Violation {
        /// Which kind.
        #[serde(with = "obligation_name")]
        obligation: Obligation,
        /// What happened, in words.
        message: String,
        /// Where.
        place: Option<Place>,
        /// The functions that were active, the innermost first, and where each of them was.
        stack: Vec<(String, Option<Place>)>,
    },
    /// A state came back: the run goes on for ever.
    Repetition {
        /// The function in which the state came back.
        function: String,
        /// Where.
        place: Option<Place>,
        /// The step at which the state was there first.
        first_step: u64,
        /// How many steps lie between the state and its return.
        period: u64,
    },
}

/// How integers behave in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integers {
    /// As on the machine: with a width.
    #[default]
    Machine,
    /// Without bounds.
    Mathematical,
}

impl Failure {
    /// Its kind, for the verdict: an obligation's name, or `non-termination`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Failure::Violation { obligation, .. } => obligation.name(),
            Failure::Repetition { .. } => "non-termination",
        }
    }

    /// Where the run went wrong.
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Failure::Violation { place, .. } | Failure::Repetition { place, .. } => place.as_ref(),
        }
    }
}

/// An obligation as its name.
pub(crate) mod obligation_name {
    use super::*;

    pub fn serialize<S: Serializer>(obligation: &Obligation, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(obligation.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Obligation, D::Error> {
        let name = String::deserialize(deserializer)?;
        Obligation::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("no obligation is named `{name}`")))
    }
}
