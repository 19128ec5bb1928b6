//! Recursion as iteration: calls that are made while others are active become iterations of a loop.
//!
//! So every argument why a loop is left is one why a recursion ends.

mod call_chains;
mod mutual;
mod self_call;
mod stations;

pub use self::call_chains::{ChainMemory, call_chains};
pub use self::mutual::mutual_calls_as_loop;
pub use self::self_call::{RecursionLoop, self_calls_as_loop};
