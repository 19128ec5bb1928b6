//! Whether the loops and recursions of a program stop: what `loopscope terminates` says.

use serde::{Deserialize, Serialize};

use crate::counterexample::Counterexample;
use crate::decimal;
use crate::expression::{Formula, Integer};
use crate::forms::Termination;
use crate::place::Place;

/// The loops and recursions of a program.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TerminationReport {
    /// The loops in the order of the functions and of the source, an outer one before those in it; after the loops of a
    /// function its recursion.
    pub cycles: Vec<CycleReport>,
}

/// A loop or a recursion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CycleReport {
    /// The function; of several that call each other the first.
    pub function: String,
    /// What people call it.
    #[serde(rename = "loop")]
    pub name: String,
    /// Whether it is a loop or a recursion.
    pub kind: CycleKind,
    /// Where it stands.
    pub place: Option<Place>,
    /// Its depth: one for a loop in no other.
    pub depth: u32,
    /// The loop around it, by its place in the list.
    pub around: Option<usize>,
    /// Whether it stops.
    #[serde(flatten)]
    pub answer: Stopping,
    /// When it surely does, if it does not always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops_if: Option<Precondition>,
}

/// A condition under which a loop or a recursion stops: no run of its function that begins with such values, and does
/// nothing undefined, goes on for ever in it. Nothing is said of other values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Precondition {
    /// The condition, over the values with which the function is entered.
    pub condition: Formula,
    /// Why it stops then.
    pub why: Argued,
    /// Whether that is said only of runs on which no signed number overflows.
    #[serde(default)]
    pub unless_overflow: bool,
}

/// What comes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleKind {
    /// The head of a loop.
    Loop,
    /// A call of a function while it is active.
    Recursion,
}

/// Whether a loop or a recursion stops.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Stopping {
    /// No run that does nothing undefined makes infinitely many complete iterations in one visit.
    Stops {
        /// Why.
        why: Argued,
        /// Of which runs that is said: those that start in this function, or if there is none all runs of the function
        /// that holds the loop, whoever calls it and in whatever memory.
        entry: Option<String>,
        /// Whether that is said only of runs on which no signed number overflows. Otherwise it holds whatever number an
        /// overflow gives.
        #[serde(default)]
        unless_overflow: bool,
    },
    /// There is a run that goes on for ever in it.
    MayRunForEver {
        /// The run up to there, and why it goes on.
        counterexample: Box<Counterexample>,
    },
    /// Neither was shown.
    Unknown {
        /// Why.
        reason: String,
        /// Where that is. The loop has a place of its own.
        #[serde(rename = "at")]
        place: Option<Place>,
    },
}

/// Why a loop stops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Argued {
    /// An argument that the kernel has accepted.
    Argument {
        /// The argument.
        argument: Termination,
        /// What holds whenever control is at the head, as far as it was looked for.
        invariants: Vec<Formula>,
        /// Control comes back to the head at most so often, if that is one number.
        #[serde(with = "decimal::optional", default)]
        back_edges: Option<Integer>,
        /// Its body is executed at most so often in one visit, if that is one number.
        #[serde(with = "decimal::optional", default)]
        iterations: Option<Integer>,
    },
    /// The shapes of the program's lists: every way round makes a part of a list shorter, or a number less.
    Lists,
    /// All iterations were unwound one by one.
    Followed,
    /// Control never comes to it.
    NotReached,
}

impl TerminationReport {
    /// How many stop, may run for ever, and are unknown.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count =
            |wanted: fn(&Stopping) -> bool| self.cycles.iter().filter(|cycle| wanted(&cycle.answer)).count();
        (
            count(Stopping::stops),
            count(|answer| matches!(answer, Stopping::MayRunForEver { .. })),
            count(|answer| matches!(answer, Stopping::Unknown { .. })),
        )
    }
}

impl Stopping {
    /// Whether it was shown to stop.
    pub const fn stops(&self) -> bool {
        matches!(self, Stopping::Stops { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_a_field_of_the_loop() {
        let cycle = CycleReport {
            function: String::from("f"),
            name: String::from("a.c:1 while"),
            kind: CycleKind::Loop,
            place: None,
            depth: 1,
            around: None,
            answer: Stopping::Stops {
                why: Argued::Followed,
                entry: Some(String::from("main")),
                unless_overflow: false,
            },
            stops_if: None,
        };
        let json = serde_json::to_string(&cycle).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"{"function":"f","loop":"a.c:1 while","kind":"loop","place":null,"depth":1,"around":null,"#,
                r#""answer":"stops","why":{"why":"followed"},"entry":"main","unless_overflow":false}"#
            )
        );
        assert_eq!(serde_json::from_str::<CycleReport>(&json).unwrap(), cycle);
    }
}
