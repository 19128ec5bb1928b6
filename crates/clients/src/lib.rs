//! The queries that Loopscope answers about a program, and who answers them.
//!
//! A client takes a verified program and a property and gives a verdict. It knows nothing of how programs are read
//! or how verdicts are shown.

pub mod alarms;
mod assumptions;
pub mod bounds;
pub mod confirm;
pub mod contracts;
pub mod cost;
pub mod functions;
pub mod overview;
pub mod points;
pub mod refute;
mod results;
pub mod summarize;
pub mod terminates;
mod termination;
pub mod tests;
pub mod variance;
pub mod verify;

pub use assumptions::{assumptions, assumptions_in};
pub use certify::{
    CycleReport, ListedFunction, ListedObligation, Listing, Status, Stopping, TerminationReport, Verdict,
};
pub use evidence::{Claimed, Of, Proof, Property, PropertyError, Statement};
pub use verify::{Progress, verify};
