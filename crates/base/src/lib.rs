//! The vocabulary that every other crate shares: typed indices, source locations and budgets.
//!
//! Nothing in here knows what a program is.

pub mod budget;
pub mod index;
pub mod location;

pub use budget::{Budget, Interrupt, Stop};
pub use index::{Arena, Index};
pub use location::{FileId, Location};
