//! What people and tools see of what Loopscope found: messages, abstract counterexamples, JSON, pictures and witnesses.
//!
//! How the answer of one command is printed stands in the folder of the command; here is what several of them share.
//! Nothing in here finds anything out, and nothing opens a file or a terminal: a report is a string.

pub mod alarms;
pub mod annotations;
pub mod contract;
mod cursor;
pub mod digest;
pub mod explanation;
pub mod graph;
pub mod inputs;
pub mod json;
pub mod layout;
pub mod message;
pub mod not_analysed;
pub mod replay;
pub mod svg;
pub mod trace;
pub mod witness;

pub mod phrasing;
