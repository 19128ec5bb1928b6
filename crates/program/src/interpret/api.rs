//! What a run is asked, and what it answers.

use base::{Location, Stop};

use crate::interpret::{InputRecord, Trace};
use crate::program::FunctionId;
use crate::statement::{MarkId, Obligation};

/// What integers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Integers {
    /// Machine integers: they have the width of their type and wrap.
    #[default]
    Machine,
    /// Numbers without limits: arithmetic never wraps and overflow checks never fail. A number beyond 128 bits,
    /// or one that is stored to memory and does not fit there, ends the run as unsupported.
    Mathematical,
}

/// A set of obligation kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ObligationSet(u32);

impl ObligationSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);
    /// All kinds.
    pub const ALL: Self = Self((1 << Obligation::ALL.len()) - 1);

    /// The set and this kind.
    pub const fn with(self, obligation: Obligation) -> Self {
        Self(self.0 | 1 << obligation as u32)
    }

    /// The set without this kind.
    pub const fn without(self, obligation: Obligation) -> Self {
        Self(self.0 & !(1 << obligation as u32))
    }

    /// Whether the kind is in the set.
    pub const fn contains(self, obligation: Obligation) -> bool {
        self.0 >> obligation as u32 & 1 != 0
    }

    /// Whether no kind is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds of the set, in their order.
    pub fn iter(self) -> impl Iterator<Item = Obligation> {
        Obligation::ALL.into_iter().filter(move |&obligation| self.contains(obligation))
    }
}

impl FromIterator<Obligation> for ObligationSet {
    fn from_iter<I: IntoIterator<Item = Obligation>>(obligations: I) -> Self {
        obligations.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl std::fmt::Debug for ObligationSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// How to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// What integers are.
    pub integers: Integers,
    /// The obligations whose failure ends the run with [`Outcome::Violation`]. A failure of another kind is noted
    /// in [`Run::undefined`], and the run goes on where that makes sense.
    pub checks: ObligationSet,
    /// The obligations whose failure is neither checked nor noted: what follows is as good as what came before. For
    /// [`Obligation::Uninitialised`] it means that an uninitialised value is an input like all others.
    pub ignored: ObligationSet,
    /// How many calls may be active at once.
    pub call_depth: usize,
    /// How many bytes of memory the program may have at once.
    pub memory: u64,
    /// Whether to look for a state that comes back, which shows that the run never ends.
    pub detect_repetition: bool,
    /// Whether to keep what happened in [`Run::trace`]. It costs nothing if not.
    pub trace: bool,
}

impl Default for Options {
    /// Machine integers, every kind checked, none ignored, ten thousand calls, one gibibyte, no search for repetition,
    /// no trace.
    fn default() -> Self {
        Self {
            integers: Integers::Machine,
            checks: ObligationSet::ALL,
            ignored: ObligationSet::EMPTY,
            call_depth: 10_000,
            memory: 1 << 30,
            detect_repetition: false,
            trace: false,
        }
    }
}

/// What the function that is run gets as its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// For `main`: the words of the command line, the program's name first. The environment is empty.
    CommandLine(Vec<Vec<u8>>),
    /// Every parameter is an input.
    FromInputs,
}

/// What a run has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// How many statements and ends of blocks were executed; a library call counts for the bytes it examines, too.
    pub steps: u64,
    /// The inputs that the program asked for, in order. Bytes of standard input are not among them.
    pub inputs: Vec<InputRecord>,
    /// The marks that control came by before anything was undefined or imprecise, in order.
    pub marks: Vec<MarkId>,
    /// The first obligation that failed without being one of [`Options::checks`]: the run means little after it.
    pub undefined: Option<Violation>,
    /// The first thing that the run could only guess, and where: on a real machine it may be otherwise.
    pub imprecise: Option<(String, Location)>,
    /// Where a pointer was first moved to a place outside its object, and kept, or used after its object was gone, or where an
    /// array of variable length got no elements. C leaves undefined what comes then.
    pub stray: Option<Location>,
    /// What happened, if [`Options::trace`] asked for it. Two runs that did the same differ if only one has it.
    pub trace: Option<Box<Trace>>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The function returned (for `main`: with this status), or the program called `exit`.
    Exit(i32),
    /// The program was aborted: `abort`, a trap, or a failed assertion that is not checked.
    Aborted,
    /// An obligation failed.
    Violation(Violation),
    /// An assumption did not hold: nothing follows from this run.
    AssumptionFailed,
    /// The budget is spent.
    Stopped(Stop),
    /// The run goes on for ever: its state came back.
    Repeats(Repetition),
    /// The interpreter cannot go on.
    Unsupported {
        /// Why: `call of setjmp`.
        reason: String,
        /// Where.
        location: Location,
    },
}

/// An obligation that failed.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// Its kind.
    pub obligation: Obligation,
    /// Where it failed.
    pub location: Location,
    /// What happened, in the source's names, with values.
    pub message: String,
    /// The active calls, the outermost first: each function, and where it stood.
    pub stack: Vec<(FunctionId, Location)>,
}

/// A state that came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repetition {
    /// The loop head at which the state came back.
    pub location: Location,
    /// The function of that loop head.
    pub function: FunctionId,
    /// How many steps lie between the two equal states.
    pub period_steps: u64,
    /// The step at which the first of the two was seen.
    pub first_step: u64,
    /// How many inputs the run had asked for until then: those after it come again and again.
    pub first_inputs: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obligation_sets_hold_what_was_put_in() {
        let set: ObligationSet = [Obligation::Null, Obligation::Leak].into_iter().collect();
        assert!(set.contains(Obligation::Null) && set.contains(Obligation::Leak));
        assert!(!set.contains(Obligation::Division));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Obligation::Null, Obligation::Leak]);
        assert!(set.without(Obligation::Null).without(Obligation::Leak).is_empty());
        assert!(Obligation::ALL.into_iter().all(|obligation| ObligationSet::ALL.contains(obligation)));
    }
}
