//! A test suite: what is to be reached in a program, and the runs that reach it.
//!
//! Everything that a test needs to be repeated is in it. Which targets a test reaches was seen in a run of the
//! interpreter, before anything undefined or imprecise happened.

use serde::{Deserialize, Serialize};

use crate::counterexample::InputValue;
use crate::place::Place;
use crate::reason::Reason;

/// What is to be reached, and the tests that reach it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Suite {
    /// The function that the tests start in.
    pub entry: String,
    /// What is to be reached, in the order of the source.
    pub targets: Vec<Target>,
    /// The tests.
    pub tests: Vec<Test>,
    /// The undefined functions that the tests stand in for: they return what a test says, and do nothing else.
    #[serde(default)]
    pub stubs: Vec<String>,
    /// How many runs were made to find them.
    pub runs: u64,
}

/// Something that is to be reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Target {
    /// The function that it is in.
    pub function: String,
    /// Where it stands: of a branch, the condition that decides.
    pub place: Option<Place>,
    /// What it is.
    #[serde(flatten)]
    pub goal: Goal,
    /// What is known of it.
    #[serde(flatten)]
    pub status: Reach,
}

/// What is to happen at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "goal", rename_all = "kebab-case")]
pub enum Goal {
    /// Control comes to the line.
    Line,
    /// The condition is true, or it is false.
    Condition {
        /// Which of the two.
        holds: bool,
    },
    /// A switch goes to the case of these values.
    Case {
        /// The lowest, in decimal.
        low: String,
        /// The highest, in decimal.
        high: String,
    },
    /// A switch goes to its default, or past all its cases.
    Default,
}

/// Whether a target is reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Reach {
    /// A test reaches it.
    Reached {
        /// The first test that does, from one.
        test: usize,
    },
    /// No run comes to it; the kernel has proved that.
    Unreachable,
    /// It is not known.
    Open {
        /// Why not.
        reason: Reason,
    },
}

/// A run that is worth being repeated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Test {
    /// The command line, program name first; empty if the function takes none.
    pub arguments: Vec<String>,
    /// The values that come from outside, in the order in which the run asks for them.
    pub inputs: Vec<InputValue>,
    /// What the run reads from its standard input.
    pub standard_input: Vec<u8>,
    /// How the run ends.
    #[serde(flatten)]
    pub outcome: TestOutcome,
    /// How many statements are executed.
    pub steps: u64,
    /// The targets that it reaches, by their places in the list.
    pub reaches: Vec<usize>,
}

/// How a test ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum TestOutcome {
    /// The program ends with this status.
    Exit {
        /// The status.
        status: i32,
    },
    /// The program aborts.
    Abort,
    /// Something goes wrong after the targets are reached.
    Violation {
        /// What goes wrong, and where.
        what: String,
    },
    /// An assumption does not hold after the targets are reached: the run is ended there.
    Assumption,
    /// It goes on for longer than anybody watched.
    GoesOn,
}

impl Suite {
    /// How many targets are reached, proved unreachable, and open.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |is: fn(&Reach) -> bool| self.targets.iter().filter(|target| is(&target.status)).count();
        (
            count(|status| matches!(status, Reach::Reached { .. })),
            count(|status| matches!(status, Reach::Unreachable)),
            count(|status| matches!(status, Reach::Open { .. })),
        )
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Goal::Line => f.write_str("line"),
            Goal::Condition { holds } => write!(f, "{holds}"),
            Goal::Case { low, high } if low == high => write!(f, "case {low}"),
            Goal::Case { low, high } => write!(f, "case {low} ... {high}"),
            Goal::Default => f.write_str("default"),
        }
    }
}

impl std::fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TestOutcome::Exit { status } => write!(f, "exit {status}"),
            TestOutcome::Abort => f.write_str("abort"),
            TestOutcome::Violation { what } => f.write_str(what),
            TestOutcome::Assumption => f.write_str("an assumption fails"),
            TestOutcome::GoesOn => f.write_str("goes on"),
        }
    }
}
