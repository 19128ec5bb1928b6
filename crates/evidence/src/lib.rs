//! What Loopscope says about a program: verdicts, the reasons for not knowing, and runs that go wrong.
//!
//! Data only: nothing in here finds, checks or prints anything. Everything is serialisable, and the JSON form is
//! part of what users build on: a field is added, never renamed.

mod counterexample;
mod place;
mod reason;
mod verdict;

pub use counterexample::{Counterexample, Failure, InputValue, Integers};
pub use place::Place;
pub use reason::Reason;
pub use verdict::Verdict;
