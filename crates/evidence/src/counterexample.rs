//! A run that violates a property: everything that is needed to repeat it.

use program::{Obligation, interpret};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::expression::{Expression, Formula};
use crate::forms::Held;
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
    /// With which of the inputs a run that never ends goes on, if it asks for some again and again and they come in a simple
    /// order.
    #[serde(default)]
    pub cycle: Option<InputCycle>,
    /// How many statements were executed.
    pub steps: u64,
    /// What happened on the way.
    #[serde(default)]
    pub trace: Trace,
}

/// Inputs that come again and again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InputCycle {
    /// How many inputs come before: the first one of the cycle has this place in the list of inputs, from zero.
    pub first: usize,
    /// By how much each of the inputs from there on grows from one time to the next; as many come again and again.
    pub growth: Vec<i64>,
}

impl InputCycle {
    /// The places of its inputs in the list.
    pub fn places(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.growth.len()
    }
}

/// What happened in a run, in the names of the source. It explains the run; nothing needs it to repeat the run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// The steps, in order: of a long run the first ones and the last ones. None if the run was too long to be told.
    pub steps: Vec<TraceStep>,
    /// How many steps are left out in the middle.
    pub omitted: u64,
    /// After how many of the steps they are left out.
    pub omitted_after: usize,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// The function in which it happens.
    pub function: String,
    /// How many calls are active, that of the function included.
    pub depth: usize,
    /// Where it happens. Of `enter` it is the call, of `iteration` and `leave` the loop.
    pub place: Option<Place>,
    /// What happens.
    #[serde(flatten)]
    pub event: TraceEvent,
}

/// What happens in a step. Values are written for people: `8`, `120 'x'`, `&buffer + 4`, `null`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TraceEvent {
    /// The function is entered.
    Enter {
        /// Its parameters.
        arguments: Vec<Argument>,
    },
    /// The function returns.
    Return {
        /// Its result, if it has one.
        value: Option<String>,
    },
    /// A variable gets a value.
    Assign {
        /// The variable.
        name: String,
        /// Its new value.
        value: String,
    },
    /// Memory is written.
    Store {
        /// What is written: `buffer[3]`, `*p`, `point.x`.
        name: String,
        /// The new value, or where it is copied from.
        value: String,
    },
    /// A value comes from outside: the next one of the counterexample's inputs.
    Input {
        /// Who asks.
        name: String,
        /// What comes.
        value: String,
    },
    /// A function of the library is called.
    Call {
        /// The function.
        name: String,
        /// The values that it gets.
        arguments: Vec<String>,
    },
    /// Control comes to the head of a loop.
    Iteration {
        /// What makes the loop: `for`, `while`, `do` or `goto`.
        statement: String,
        /// How often it has come there since the loop was entered, this time included.
        number: u64,
    },
    /// A loop is left.
    Leave {
        /// What makes the loop: `for`, `while`, `do` or `goto`.
        statement: String,
        /// How often control came to its head.
        iterations: u64,
    },
}

/// A parameter and its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Argument {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: String,
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
    /// The run is in a set of states that it need not leave: it can go on for ever. The run itself is only its beginning.
    Recurrence {
        /// The function of the loop.
        function: String,
        /// Where the loop is.
        place: Option<Place>,
        /// The step at which the run comes into the set.
        step: u64,
        /// How many iterations of the loop lead from a state of the set to the next one.
        iterations: u32,
        /// Whether it is calls of the function by itself and not iterations of a loop that lead there.
        #[serde(default)]
        calls: bool,
        /// The set, over the state at the loop's head.
        set: Formula,
        /// The first state, as far as iterations change it.
        state: Vec<Held>,
        /// What is chosen for the inputs of these iterations, over the state before them.
        choices: Vec<Choice>,
        /// Whether signed numbers may overflow later on: the run goes on whatever numbers that gives.
        #[serde(default)]
        any_overflow: bool,
    },
}

/// What is chosen for an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// Who asks.
    pub name: String,
    /// The type of the value.
    #[serde(rename = "type")]
    pub ty: String,
    /// The number. Of one that is too wide for the type its low bits are meant.
    pub number: Expression,
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

impl From<interpret::Integers> for Integers {
    fn from(integers: interpret::Integers) -> Self {
        match integers {
            interpret::Integers::Machine => Self::Machine,
            interpret::Integers::Mathematical => Self::Mathematical,
        }
    }
}

impl From<Integers> for interpret::Integers {
    fn from(integers: Integers) -> Self {
        match integers {
            Integers::Machine => Self::Machine,
            Integers::Mathematical => Self::Mathematical,
        }
    }
}

impl Failure {
    /// Its kind, for the verdict: an obligation's name, or `non-termination`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Failure::Violation { obligation, .. } => obligation.name(),
            Failure::Repetition { .. } | Failure::Recurrence { .. } => "non-termination",
        }
    }

    /// Where the run went wrong.
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Failure::Violation { place, .. }
            | Failure::Repetition { place, .. }
            | Failure::Recurrence { place, .. } => place.as_ref(),
        }
    }
}

/// An obligation as its name.
pub mod obligation_name {
    use super::*;

    /// An obligation as its name.
    pub fn serialize<S: Serializer>(obligation: &Obligation, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(obligation.name())
    }

    /// An obligation from its name.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Obligation, D::Error> {
        let name = String::deserialize(deserializer)?;
        Obligation::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("no obligation is named `{name}`")))
    }
}
