//! C text to programs: preprocessing, parsing, type checking and lowering.
//!
//! This is the only crate that sees the C front end's types; none of them leaves it.

#![allow(clippy::result_large_err, reason = "a diagnostic is plain data, and seldom an answer")]

mod annotations;
mod compile_commands;
mod damage;
mod diagnostic;
mod expansion;
mod flags;
mod frontend;
mod gaps;
mod guard;
mod limits;
mod lower;
mod options;
mod preprocess;
mod reporter;
mod source;
mod system;
mod translation;

pub use compile_commands::compile_commands;
pub use diagnostic::{Diagnostic, Place, Severity};
pub use options::{Input, Macro, Options};
pub use translation::{Translation, translate};
