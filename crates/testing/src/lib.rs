//! What the tests of the whole program share: a generator of C programs, comparison with the system compiler and its
//! sanitizers, the annotated corpus, broken programs, and measurements. Nothing that users run depends on this crate.

pub mod abstraction;
pub mod agree;
pub mod bounds;
pub mod callers;
pub mod contracts;
pub mod corpus;
pub mod cost;
pub mod differential;
pub mod encoded;
pub mod generator;
pub mod inputs;
pub mod interpretation;
mod iterations;
pub mod library;
pub mod mutation;
pub mod open;
pub mod random;
pub mod real_code;
pub mod recurrence;
pub mod sanitizers;
pub mod suites;
pub mod summaries;
pub mod system;
pub mod termination;
pub mod throughput;
pub mod transform;
pub mod variance;
