//! The vocabulary that every other crate shares: typed indices, source locations, budgets and guards.
//!
//! Nothing in here knows what a program is.

pub mod budget;
pub mod guard;
pub mod index;
pub mod location;

pub use budget::{Budget, Interrupt, Stop};
pub use guard::guarded;
pub use index::{Arena, Index};
pub use location::{FileId, Location};
