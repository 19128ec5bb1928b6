//! Proposes contracts of functions.
//!
//! ```text
//! pointers     which parameters are followed, and which pointers behind them
//! sampling     runs with objects that are made for them: how far each was followed, and what went wrong
//! sizes        how large the objects must be: numbers and strings that explain how far they were followed
//! separating   conditions of the runs on which nothing goes wrong
//! numbers      what is known of results
//! concise      what does not follow from the rest
//! ```
//!
//! All are guesses: the kernel proves a contract, or refuses it.

mod concise;
mod memory;
mod numbers;
mod pointers;
mod sampling;
mod separating;
mod sizes;

pub use self::concise::concise;
pub use self::memory::Proposed;
pub use self::numbers::{propose, results};
