//! Programs as terms: what loop-free code computes, over its state before and after.
//!
//! ```text
//! program ─► order (loops as components) ─► states, merged where paths meet ─► demands, inputs, loose ends
//! ```
//!
//! Method: static single assignment on the fly. A state maps every variable to a term and every object to its cells;
//! a branch splits it, a join merges it with `if-then-else` terms over what differs, so that the size of the terms grows
//! with the program and not with its paths. Loops are encoded pass by pass up to a limit, calls in place. What
//! is not followed is a loose end with the condition under which it is reached: if no loose end can be reached, the
//! encoding is the whole program.
//!
//! An obligation becomes a demand: the condition under which it is violated, path condition included. The encoding
//! allows at least the runs that the interpreter allows; where it allows more, [`expression`] and [`memory`] say so.

pub mod encoder;
pub mod floats;
pub mod guard;
pub mod knowledge;
pub mod lane;
pub mod leap;
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

pub use encoder::{Demand, Encoder, Event, Findings, Input, Loose, LooseEnd, Options};
pub use guard::Guard;
pub use knowledge::{Knowledge, Universal};
pub use leap::{Changed, Leap, Leaps, Start};
pub use library::STANDARD_INPUT;
pub use run::Pass;
pub use state::State;
pub use strings::Ghost;
pub use value::{Pointer, Value};
