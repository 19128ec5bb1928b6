//! Everything that people and tools see of what Loopscope found: tables, messages, stories, JSON and pictures.
//!
//! Nothing in here finds anything out, and nothing opens a file or a terminal: a report is a string.

pub mod alarms;
pub mod bounds;
pub mod cases;
pub mod flow;
pub mod graph;
pub mod inputs;
pub mod layout;
pub mod message;
pub mod not_analysed;
pub mod overview;
pub mod replay;
pub mod story;
pub mod suite;
pub mod summary;
pub mod svg;
pub mod table;
pub mod terminates;
pub mod trace;
pub mod variance;
pub mod witness;

pub mod words;
