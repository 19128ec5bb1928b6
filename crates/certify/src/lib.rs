//! The kernel: it checks claims about a loop on machine semantics, and is the only place that may say *proved*.
//!
//! ```text
//! Program ──► encoding with abstract loops ─┐
//! Evidence (from an engine)        ├─► a rule ─► Certificate, or a Refusal
//! Solver                           ┘
//! ```
//!
//! Each proof rule exists once, and its module states it as mathematics. X is the state at the loop's head, X0 that at
//! entry, R(X, X') one iteration. The numbers of the evidence are integers of ℤ: [`wide`] computes them in bits that
//! are wide enough, so that the wrap-around of the machine is seen where the program has it and nowhere else.
//!
//! The kernel shares no code with what produces evidence, and refuses what it does not understand.

pub mod abstraction;
pub mod answer;
mod deciding;
pub mod explain;
pub mod gate;
pub mod listing;
pub mod only_run;
mod query;
pub mod recurrence;
pub mod relation;
pub mod results;
pub mod shapes;
pub mod stopping;
pub mod subject;
pub mod unrolling;
mod verdict;
pub mod wide;

pub use abstraction::{Abstraction, Candidate};
pub use answer::{
    Certificate, Condition, ContractCertificate, LoopCertificate, ObligationCertificate,
    RecurrenceCertificate, Refusal, UnreachedMarks,
};
pub use gate::check;
pub use listing::{ListedFunction, ListedObligation, Listing, Status};
pub use relation::{Component, Kind, Relation};
pub use stopping::{CycleReport, Precondition, Stopping, Stops, TerminationReport};
pub use subject::{Claim, ModularFunctions, ModularProgram, Runs, Subject};
pub use verdict::Verdict;
