//! The whole program, with its loops and calls unrolled: if no violation and no incomplete path can be reached, all
//! runs were examined and none violates.
//!
//! Proof rule (bounded model checking with unwinding assertions; LoopFrog's baseline): the encoding of a program allows
//! at least the program's runs, up to its incomplete paths. If neither a violated verification condition nor an
//! incomplete path is satisfiable, then every run of the program is one of the encoding, ends, and violates nothing. A
//! verification condition that nobody asked for but that the encoding needs (an access in bounds, a divisor that is not
//! zero) must hold as well: after such a violation a program may do anything.

use std::time::Duration;

use base::{Budget, Location};
use encoding::{Incompleteness, VerificationCondition};
use evidence::{Evidence, Overflow, ProofMode, Property, Unrolling};
use logic::{Ignorance, Term};
use program::Obligation;

use crate::abstraction::{Abstraction, Batch, Effort};
use crate::answer::Certificate;
pub use crate::explain::{SuspectInput, TraceStep};
use crate::explain::{open_end, suspect};
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
        end: Incompleteness,
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
pub fn examine(subject: &Subject<'_>, mode: ProofMode, budget: &mut Budget) -> Examination {
    let claim = subject.claim();
    let is_termination = claim.property == Property::Termination;
    if subject.runs() != Runs::OfProgram || (is_termination && mode.overflow != Overflow::Excluded) {
        return Examination::NotKnown(Ignorance::Failed(String::from("not a claim about whole runs")));
    }
    let mut abstraction = match Abstraction::new(subject, ProofMode { abstract_loops: None, ..mode }, budget)
    {
        Ok(abstraction) => abstraction,
        Err(stop) => return Examination::NotKnown(Ignorance::Stopped(stop)),
    };
    let (asked, needed): (Vec<VerificationCondition>, Vec<VerificationCondition>) =
        abstraction.verification_conditions().iter().cloned().partition(|one| one.asked);
    match abstraction.any(
        asked.iter().map(|verification_condition| verification_condition.violated),
        UNLIMITED,
        budget,
    ) {
        Ok(None) => {}
        Ok(Some(model)) => return suspect(abstraction.encoder(), &asked, &model),
        Err(why) => return Examination::NotKnown(why),
    }
    let ends: Vec<Term> = abstraction.incomplete_paths().iter().map(|end| end.reached).collect();
    let open = needed.iter().map(|verification_condition| verification_condition.violated).chain(ends);
    match abstraction.any(open, UNLIMITED, budget) {
        Ok(None) => {
            let evidence = Evidence::Unrolling(Unrolling { depth: abstraction.mode().iterations });
            Examination::Proved(Certificate::new(claim, *abstraction.mode(), evidence))
        }
        Ok(Some(model)) => open_end(abstraction.encoder(), &needed, abstraction.incomplete_paths(), &model),
        Err(why) => Examination::NotKnown(why),
    }
}

/// The queries are few, and the budget is all that limits them.
const UNLIMITED: Effort = Effort { batch: Batch::All, steps: u64::MAX, time: Duration::MAX };
