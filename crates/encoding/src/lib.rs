//! Programs as terms: what loop-free code computes, over its state before and after.
//!
//! ```text
//! program ─► order (loops as components) ─► states, merged where paths meet ─► verification conditions, inputs, incomplete paths
//! ```
//!
//! Method: static single assignment on the fly. A state maps every variable to a term and every object to its cells; a
//! branch splits it, a join merges it with `if-then-else` terms over what differs, so that the size of the terms grows
//! with the program and not with its paths. Loops are encoded iteration by iteration up to a limit, calls in place.
//! What is not followed is an incomplete path with the condition under which it is reached: if no incomplete path can
//! be reached, the encoding is the whole program.
//!
//! An obligation becomes a verification condition: the condition under which it is violated, path condition included.
//! The encoding allows at least the runs that the interpreter allows; where it allows more, [`expression`] and
//! [`memory`] say so.

pub mod abstract_loop;
pub mod axioms;
pub mod cell_array;
pub mod encoder;
pub mod floats;
pub mod guard;
pub mod memory;
pub mod run;
pub mod state;
pub mod strings;
pub mod value;

mod access;
mod arguments;
mod arithmetic;
mod conversion;
mod expression;
mod library;
mod pattern;
mod pointers;
mod ranges;
mod statement;

pub use abstract_loop::{AbstractLoop, Changed, LoopAbstraction, Start};
pub use axioms::{Axioms, Universal};
pub use encoder::{
    Encoder, Event, Findings, IncompletePath, Incompleteness, Input, Options, VerificationCondition,
};
pub use guard::Guard;
pub use library::STANDARD_INPUT;
pub use run::Iteration;
pub use state::State;
pub use statement::is_lost_bits;
pub use strings::Ghost;
pub use value::{Pointer, Value};
