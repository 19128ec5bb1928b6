//! Exact numbers, linear expressions, polynomials and linear programs.
//!
//! ```text
//! compact ── rational ──┬── linear ── polynomial (from and to terms)
//! (words, big if        │
//!  they overflow)       └── tableau ──┬── simplex: linear programs over the rationals, with proofs
//!                                     └── solver::integers: linear constraints over the integers
//! ```

pub mod compact;
pub mod linear;
pub mod polynomial;
mod quantity;
pub mod rational;
pub mod simplex;
pub(crate) mod tableau;

pub use compact::Compact;
pub use linear::Linear;
pub use polynomial::{Monomial, Polynomial};
pub use rational::Rational;
