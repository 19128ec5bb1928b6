//! Engines: they propose invariants of loops, and the kernel says which ones hold.
//!
//! ```text
//! abstract loops of the encoding ─► views ─► proposers ─► candidates ─► kernel ─► invariants
//!                             └── what concrete runs showed (samples) throws wrong candidates out early
//! ```
//!
//! The summariser ([`summarise`]) is LoopFrog's Algorithm 1 with templates as in its section 4.1: one file for each
//! template, in [`proposers`]. Nothing in here is trusted.

pub mod automaton;
pub mod bounding;
pub mod code;
pub mod contracts;
pub mod iteration;
pub mod linear;
pub mod null_space;
pub mod paths;
pub mod proposers;
pub mod ranking;
pub mod recurrence;
pub mod samples;
pub mod shared;
pub mod summarise;
pub mod variance;
pub mod view;

pub use proposers::Proposer;
pub use samples::Samples;
pub use summarise::{Progress, equations, nothing_is_left, summarise, summarise_until};
pub use view::View;

/// Things in their order, each once.
pub(crate) fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
