//! Abstract domains, and the fixpoint engine that runs over them.
//!
//! ```text
//! lattice: Lattice ◄── Domain (assign, assume, forget, query)
//!    interval · congruence · octagon · polyhedra        numbers
//!    product · disjunction                              built from others
//!    shape                                              lists with lengths, over any domain of numbers
//! order (weak topological) ──► fixpoint                 widening, narrowing, recheck
//! ```
//!
//! The numbers are integers without limits: whoever translates a program knows where its values wrap. What comes out of
//! here is a guess for the kernel to check. The crate knows neither programs nor solvers.

pub mod congruence;
pub mod disjunction;
pub mod fixpoint;
pub mod interval;
pub mod lattice;
#[cfg(test)]
#[path = "../tests/support/laws.rs"]
mod laws;
pub mod octagon;
pub mod order;
pub mod polyhedra;
pub mod product;
pub mod shape;

pub use congruence::Congruences;
pub use disjunction::Disjunction;
pub use interval::Intervals;
pub use lattice::{Dimension, Domain, Lattice, Range};
pub use octagon::Octagon;
pub use polyhedra::Polyhedra;
pub use product::Product;
pub use shape::Shapes;

/// A sum of dimensions with coefficients, and a constant.
pub type Expression = logic::numbers::Linear<Dimension>;
/// A linear expression that is at most, less than or equal to zero.
pub type Constraint = logic::numbers::linear::Constraint<Dimension>;
