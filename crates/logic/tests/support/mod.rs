//! What tests and examples share: random terms, and SMT-LIB 2 and Z3 for cross-checks.

pub mod random;
pub mod smtlib;
pub mod z3;
