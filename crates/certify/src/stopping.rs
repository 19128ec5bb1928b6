//! Whether the loops and recursions of a program stop: what `loopscope terminates` says.
//!
//! That one stops is said with [`Stops`], and that it stops under a condition with [`Precondition`]. Only the kernel makes
//! them: from a certificate for the loop, from one for the whole program, or from its only run.

use evidence::{Argued, Counterexample, CycleKind, Evidence, Formula, Place, Property};
use program::Program;
use serde::Serialize;

use crate::answer::Certificate;

/// The loops and recursions of a program.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TerminationReport {
    /// The loops in the order of the functions and of the source, an outer one before those in it; after the loops of a
    /// function its recursion.
    pub cycles: Vec<CycleReport>,
}

/// A loop or a recursion.
#[derive(Clone, PartialEq, Debug, Serialize)]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Precondition {
    pub(crate) condition: Formula,
    pub(crate) why: Argued,
    pub(crate) unless_overflow: bool,
}

impl Precondition {
    /// The condition, over the values with which the function is entered.
    pub const fn condition(&self) -> &Formula {
        &self.condition
    }

    /// Why it stops then.
    pub const fn why(&self) -> &Argued {
        &self.why
    }

    /// Whether that is said only of runs on which no signed number overflows.
    pub const fn unless_overflow(&self) -> bool {
        self.unless_overflow
    }
}

/// That a loop or a recursion stops: no run that does nothing undefined makes infinitely many complete iterations in one
/// visit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stops {
    pub(crate) why: Argued,
    pub(crate) entry: Option<String>,
    pub(crate) unless_overflow: bool,
}

impl Stops {
    /// What follows for each loop from the termination of all runs, shown by the shapes of lists.
    pub fn by_lists(program: &Program, certificate: &Certificate) -> Option<Self> {
        let claim = certificate.claim();
        let is_by_lists = matches!(certificate.evidence(), Evidence::Shapes(_));
        let entry = program.functions[claim.function].name.clone();
        (claim.property == Property::Termination && is_by_lists).then(|| Self {
            why: Argued::Lists,
            entry: Some(entry),
            unless_overflow: false,
        })
    }

    /// Why.
    pub const fn why(&self) -> &Argued {
        &self.why
    }

    /// Of which runs that is said: those that start in this function, or if there is none all runs of the function that
    /// holds the loop, whoever calls it and in whatever memory.
    pub fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// Whether that is said only of runs on which no signed number overflows. Otherwise it holds whatever number an
    /// overflow gives.
    pub const fn unless_overflow(&self) -> bool {
        self.unless_overflow
    }
}

/// Whether a loop or a recursion stops.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Stopping {
    /// It does.
    Stops(Stops),
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
        matches!(self, Stopping::Stops(_))
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
            answer: Stopping::Stops(Stops {
                why: Argued::Followed,
                entry: Some(String::from("main")),
                unless_overflow: false,
            }),
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
    }
}
