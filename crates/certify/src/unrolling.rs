//! The whole program, with its loops and calls unrolled: if no violation and no incomplete path can be reached, all
//! runs were examined and none violates.
//!
//! Proof rule (bounded model checking with unwinding assertions; LoopFrog's baseline): the encoding of a program allows
//! at least the program's runs, up to its incomplete paths. If neither a violated verification condition nor an
//! incomplete path is satisfiable, then every run of the program is one of the encoding, ends, and violates nothing. A
//! verification condition that was not asked for and that the encoding needs (an access in bounds, a divisor that is not
//! zero) must hold as well: after such a violation a program may do anything.

use std::time::Duration;

use base::Budget;
use encoding::VerificationCondition;
use evidence::{Evidence, Overflow, ProofMode, Property, Unrolling};
use logic::{Ignorance, Term};

use crate::abstraction::{Abstraction, Batch, Effort};
use crate::answer::Certificate;
pub use crate::answer::Examination;
pub use crate::explain::{Suspect, SuspectInput, TraceStep};
use crate::explain::{open_end, suspect};
use crate::subject::{Runs, Subject};

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
        abstraction.vcs().iter().cloned().partition(|one| one.asked);
    match abstraction.any(asked.iter().map(|vc| vc.violated), UNLIMITED, budget) {
        Ok(None) => {}
        Ok(Some(model)) => return suspect(abstraction.encoder(), &asked, &model),
        Err(why) => return Examination::NotKnown(why),
    }
    let ends: Vec<Term> = abstraction.incomplete_paths().iter().map(|end| end.reached).collect();
    let open = needed.iter().map(|vc| vc.violated).chain(ends);
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
