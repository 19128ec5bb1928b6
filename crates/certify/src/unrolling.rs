//! The whole program, with its loops and calls unrolled: if no violation and no loose end can be reached, all runs were
//! looked at and none violates.
//!
//! Proof rule (bounded model checking with unwinding assertions; LoopFrog's baseline): the encoding of a program allows
//! at least the program's runs, up to its loose ends. If neither a violated demand nor a loose end is satisfiable, then
//! every run of the program is one of the encoding, ends, and violates nothing. A demand that nobody asked for but
//! that the encoding needs (an access in bounds, a divisor that is not zero) must hold as well: after such a
//! violation a program may do anything.

use std::time::Duration;

use base::{Budget, Location};
use encoding::{Demand, LooseEnd};
use evidence::{Evidence, Manner, Overflow, Property, Unrolling};
use logic::{Ignorance, Term};
use program::Obligation;

use crate::answer::Certificate;
pub use crate::explain::{SuspectInput, TraceStep};
use crate::explain::{open_end, suspect};
use crate::leaps::{Batch, Effort, Leaping};
use crate::subject::{Runs, Subject};

/// What an examination has found.
#[derive(Clone, Debug)]
pub enum Examination {
    /// The claim holds.
    Proved(Certificate),
    /// The encoding violates an obligation: the inputs are worth a run.
    Suspect(Box<Suspect>),
    /// Some runs go on where the unrolling ends.
    Unfinished {
        /// Why it ends.
        end: LooseEnd,
        /// Where.
        location: Location,
        /// Whether unrolling further can help.
        further: bool,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
    },
    /// Some runs may have undefined behaviour that nobody asked about.
    Undefined {
        /// Its kind.
        obligation: Obligation,
        /// Where.
        location: Location,
        /// Inputs that lead there.
        inputs: Vec<SuspectInput>,
        /// Whether runs also go on where the unrolling ends.
        further: bool,
    },
    /// The solver or the encoder did not finish.
    NotKnown(Ignorance),
}

/// Inputs with which the encoding violates an obligation.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// Its kind.
    pub obligation: Obligation,
    /// Where it stands.
    pub location: Location,
    /// The inputs, in the order in which a run asks for them.
    pub inputs: Vec<SuspectInput>,
    /// The assignments on the way, in order.
    pub trace: Vec<TraceStep>,
}

/// Examines all runs of a program up to a depth. Reading overflow as wrapping shows nothing of termination.
pub fn examine(subject: &Subject<'_>, manner: Manner, budget: &mut Budget) -> Examination {
    let claim = subject.claim();
    let is_termination = claim.property == Property::Termination;
    if subject.runs() != Runs::OfProgram || (is_termination && manner.overflow != Overflow::Excluded) {
        return Examination::NotKnown(Ignorance::Failed(String::from("not a claim about whole runs")));
    }
    let mut leaping = match Leaping::new(subject, Manner { leaps: None, ..manner }, budget) {
        Ok(leaping) => leaping,
        Err(stop) => return Examination::NotKnown(Ignorance::Stopped(stop)),
    };
    let (asked, needed): (Vec<Demand>, Vec<Demand>) =
        leaping.demands().iter().cloned().partition(|one| one.asked);
    match leaping.any(asked.iter().map(|demand| demand.violated), UNLIMITED, budget) {
        Ok(None) => {}
        Ok(Some(model)) => return suspect(leaping.encoder(), &asked, &model),
        Err(why) => return Examination::NotKnown(why),
    }
    let ends: Vec<Term> = leaping.loose_ends().iter().map(|end| end.reached).collect();
    let open = needed.iter().map(|demand| demand.violated).chain(ends);
    match leaping.any(open, UNLIMITED, budget) {
        Ok(None) => {
            let evidence = Evidence::Unrolling(Unrolling { depth: leaping.manner().passes });
            Examination::Proved(Certificate::new(claim, *leaping.manner(), evidence))
        }
        Ok(Some(model)) => open_end(leaping.encoder(), &needed, leaping.loose_ends(), &model),
        Err(why) => Examination::NotKnown(why),
    }
}

/// The queries are few, and the budget is all that limits them.
const UNLIMITED: Effort = Effort { batch: Batch::All, steps: u64::MAX, time: Duration::MAX };
