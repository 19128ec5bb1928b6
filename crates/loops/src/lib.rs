//! The loops of a function: where they are, how they nest, what they are called, where to cut them, and which of
//! their statements matter.
//!
//! ```text
//! Body ─► Graph ─┬─► LoopForest ─┬─► LoopName       what people call a loop
//!                │               ├─► Cutpoints      a block on every cycle
//!                │               ├─► Isolation      the part of a function in which control stays in a loop
//!                │               └─► LoopFacts      what a loop changes, reads and calls
//!                └─► Dominators ───► Slice          the statements of a loop that some variables depend on
//! ```
//!
//! The crate knows programs and graphs, and nothing of domains or of how loops are summarised.

pub mod cutpoints;
pub mod dominators;
pub mod features;
pub mod forest;
pub mod graph;
pub mod isolation;
pub mod name;
pub mod slice;

pub use cutpoints::Cutpoints;
pub use dominators::{Dominators, PostDominators};
pub use features::{CallTarget, LoopFeatures};
pub use forest::{Loop, LoopForest, LoopId};
pub use graph::{Edge, Graph};
pub use isolation::Isolation;
pub use name::{LoopName, LoopNames};
pub use slice::{Criterion, Slice};

#[cfg(test)]
#[path = "../tests/support/graphs.rs"]
mod graphs;
