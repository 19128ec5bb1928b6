//! Confirms what a witness claims: asks the kernel, and searches for nothing.

mod shorten;

use std::time::Duration;

use base::Budget;
use certify::abstraction::{Batch, Effort};
use certify::gate::check_parts;
use certify::{Claim, Verdict};
use evidence::Proof;
use program::Program;

use crate::refute::{Query, entry};

pub use self::shorten::shorter;

/// What came of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Confirmation {
    /// The verdict: proved, or unknown.
    pub verdict: Verdict,
    /// The claims that the kernel did not accept, by their places in the list.
    pub refused: Vec<usize>,
}

/// How much is spent on a query: more than where claims are guesses, since a claim of a witness is worth it.
const EFFORT: Effort = Effort { batch: Batch::All, steps: 80_000, time: Duration::from_secs(8) };

/// Checks a proof.
pub fn confirm(program: &Program, query: &Query, proof: &Proof, budget: &Budget) -> Confirmation {
    let function = match entry(program, &query.function) {
        Ok(function) => function,
        Err(reason) => return Confirmation { verdict: Verdict::unknown(reason), refused: Vec::new() },
    };
    let claim = Claim { function, property: query.property, integers: query.integers };
    let (refused, result) = check_parts(program, claim, proof, EFFORT, budget);
    let verdict = match result {
        Ok(certificate) => Verdict::Proved(certificate),
        Err(refusal) => Verdict::unknown(refusal.into_reason()),
    };
    Confirmation { verdict, refused }
}
