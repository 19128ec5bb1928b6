//! Variance analyses from invariance analyses (Berdine, Chawdhary, Cook, Distefano and O'Hearn, POPL 2007).
//!
//! A variance assertion of a place holds between every state there and every later one. If each of its disjuncts is
//! well-founded, no run comes to the place infinitely often without leaving the loop around it.
//!
//! ```text
//! program ─► numeric (graph of linear commands) ─► analysis (Fig. 1, over any domain) ─► assertions, ranks
//!            translate, relevant                    isolate (ISOLATE, SEED)               │
//!            cutpoints (loop heads, lines)          instances (octagon, polyhedra, …)     ▼
//!                                                             evidence: invariants, arguments ─► recheck by the kernel
//! ```
//!
//! Lists have an analysis of their own on the same graph (`heap`): its numbers are also the lengths of lists. The kernel
//! cannot check those yet.

mod analysis;
mod command;
mod cutpoints;
mod heap;
mod instances;
mod invariants;
mod isolate;
mod numeric;
mod recheck;
mod relevant;
mod translate;
mod vocabulary;

pub use self::analysis::{Assertion, Stopped, Variance, analyse};
pub use self::cutpoints::{Cutpoint, Forests, at_line, forests, heads};
pub use self::heap::{HeapAssertion, HeapProgram, HeapVariance};
pub use self::instances::{DomainName, analyse_with};
pub use self::invariants::Invariants;
pub use self::isolate::{Related, Spoken};
pub use self::numeric::{Code, End, Frame, Gap, Meaning, Numeric, Scope, Spot};
pub use self::recheck::{offer_arguments, offer_invariants};
pub use self::vocabulary::{Names, is_of_source};
