//! Contracts, printed.
