//! The kernel: it checks claims about a loop on machine semantics, and is the only place that may say *proved*.
//!
//! ```text
//! Relation (one pass through the body, as terms) ─┐
//! Evidence (the claim, from an engine)            ├─► check ─► Certificate, or a Refusal with a state that shows why
//! Solver                                          ┘
//! ```
//!
//! Each check is one file with its proof rule. X is the state at the loop's head, R(X, X') one pass, A the assumptions
//! that the caller has established for every state at the head that a run reaches. The numbers of the evidence are
//! integers of ℤ: [`wide`] computes them in bits that are wide enough, so that the wrap-around of the machine is seen
//! where the program has it and nowhere else.
//!
//! The kernel shares no code with what produces evidence, and refuses what it does not understand.

pub mod answer;
mod body;
pub mod bound;
pub mod cases;
pub mod closed_form;
mod counting;
pub mod fact;
pub mod invariant;
pub mod leaps;
pub mod only_run;
mod polynomial;
mod question;
pub mod ranking;
pub mod recurrence;
pub mod recurrent_set;
pub mod relation;
pub mod shapes;
pub mod standalone;
pub mod subset;
pub mod summary;
pub mod transition_invariant;
pub mod translation;
pub mod unrolling;
pub mod well_founded;
pub mod wide;

pub use answer::{Certificate, Condition, Refusal};
pub use bound::check_bound;
pub use cases::check_cases;
pub use closed_form::check_closed_form;
pub use fact::check_fact;
pub use invariant::check_invariant;
pub use leaps::{Candidate, Leaping};
pub use ranking::check_ranking;
pub use recurrent_set::check_recurrent_set;
pub use relation::{Component, Exit, Kind, Relation};
pub use subset::inductive_subset;
pub use summary::{check_summary, check_termination};
pub use transition_invariant::check_transition_invariant;
pub use translation::{Translation, translate};
pub use well_founded::check_disjunctive;
