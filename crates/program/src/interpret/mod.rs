//! The concrete interpreter: runs a program on given inputs, deterministically, and sees everything go wrong.
//!
//! ```text
//! Program ──compile──► Code (compact operations, one array a function)      compile, definite
//!                        │
//! Inputs ──────────────► Execution: frames, variables, memory ────► Run      machine, evaluate, checks, calls
//!                        │                                                   memory
//!                        ├── calls without a body: models of the C library   library
//!                        └── what happened, for people, if they ask          trace
//! ```
//!
//! A run ends in an [`Outcome`]. What the program could not know and the interpreter had to guess is said in
//! [`Run::imprecise`]; what C leaves undefined and was not to be checked is said in [`Run::undefined`].
//!
//! Known imprecision: a local object keeps its place from one activation of its function to the next, as on a
//! real stack, so a stale pointer to it is seen as dangling only while no later activation is in its place;
//! `long double` versions of transcendental functions are computed in `double` (and said to be imprecise).

mod access;
mod api;
mod calls;
mod checks;
mod code;
mod compile;
mod definite;
mod describe;
mod evaluate;
mod execute;
mod inputs;
mod leak;
mod library;
mod look;
mod machine;
mod memory;
mod observe;
mod output;
mod repetition;
mod start;
mod trace;
mod value;

pub use api::{Arguments, Integers, ObligationSet, Options, Outcome, Repetition, Run, Violation};
pub use inputs::{FixedInputs, InputRecord, InputValue, Inputs, Request};
pub use library::{FILE_BYTE, is_library_function, is_library_object, only_prints, spellings};
pub use look::{ObjectKind, ObjectView, Pointed};
pub use machine::{Machine, run};
pub use observe::{Head, Observer};
pub use output::{CollectedOutput, DiscardedOutput, Output, Stream};
pub use trace::{Trace, TraceEvent, TraceStep};
