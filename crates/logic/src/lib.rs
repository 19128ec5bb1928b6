//! Terms over booleans, bit-vectors, unbounded integers and arrays, and the procedures that decide them.
//!
//! ```text
//! terms ── simplify ── print (C-like) ── evaluate (under a model) ── substitute
//!   └──► solver: bit-blasting on a SAT solver, lazily added array lemmas, linear integer arithmetic
//! numbers: exact rationals, linear expressions, polynomials, simplex
//! ```
//!
//! Start reading at [`node::Node`], which lists what a term can be, then [`terms::Terms`], which makes terms.
//! Nothing in here knows what a program is.

pub mod bit_vector;
pub mod evaluate;
pub mod model;
pub mod node;
pub mod normal;
pub mod numbers;
pub mod print;
pub mod relax;
pub mod simplify;
pub mod solver;
pub mod sort;
pub mod substitute;
pub mod terms;
pub mod value;

pub use bit_vector::BitVector;
pub use model::Model;
pub use node::{Binary, Node, Unary};
pub use solver::{Answer, Ignorance, Solver};
pub use sort::{Scalar, Sort};
pub use terms::{SymbolId, Term, Terms};
pub use value::Value;

/// An exact integer without limits.
pub type Integer = dashu_int::IBig;
/// An exact natural number without limits.
pub type Natural = dashu_int::UBig;

// The random terms of tests and examples name this crate as those do.
#[cfg(test)]
extern crate self as loopscope_logic;
#[cfg(test)]
#[path = "../tests/support/random.rs"]
pub mod random;
