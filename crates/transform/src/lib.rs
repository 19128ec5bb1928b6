//! Programs made from programs, so that every later stage sees one kind of program only.
//!
//! ```text
//! modular        each function modularly: no memory, no calls, any caller
//! recursion/     calls of functions by themselves and by each other as loops
//! assumption     a function that is entered only where a condition holds
//! call_graph     who calls whom by name
//! frames         what a call may change
//! contracts      calls of functions replaced by what their contracts say
//! caller         a function that calls another one in every way that its contract allows
//! slice          what runs from a function can come to
//! probe          loops that make as many iterations as a number says
//! clauses        formulas of evidence as conditions of a body
//! ```
//!
//! Proofs are about the programs that are made here, so this crate is trusted. Each transformation states its theorem:
//! which runs of the old program the new one has, and what is lost.

pub mod assumption;
pub mod call_graph;
pub mod caller;
mod clauses;
pub mod contracts;
pub mod frames;
pub mod modular;
mod pieces;
mod probe;
pub mod recursion;
mod slice;

pub use assumption::assuming;
pub use call_graph::{CallGraph, callees};
pub use caller::{Caller, Callers};
pub use modular::{ModularFunctions, modular};
pub use probe::{Probe, Read, with_probes};
pub use recursion::{ChainMemory, RecursionLoop, call_chains, mutual_calls_as_loop, self_calls_as_loop};
