//! The loops of a function: where they are, how they nest, what they are called, and which of their statements matter.
//!
//! ```text
//! Body ─► Graph ─┬─► LoopForest ─┬─► LoopName       what people call a loop
//!                │               └─► LoopFeatures   what a loop changes and calls
//!                └─► PostDominators ─► Slice        the statements of a loop that some variables depend on
//! ```
//!
//! The crate knows programs and graphs, and nothing of domains or of how loops are summarised.

pub mod dominators;
pub mod features;
pub mod forest;
pub mod graph;
pub mod name;
pub mod slice;

pub use dominators::PostDominators;
pub use features::{CallTarget, LoopFeatures};
pub use forest::{Loop, LoopForest, LoopId};
pub use graph::{Edge, Graph};
pub use name::{LoopName, LoopNames};
pub use slice::{Criterion, Slice};

#[cfg(test)]
#[path = "../tests/support/graphs.rs"]
mod graphs;
