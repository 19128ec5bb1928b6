//! Deciding whether terms can be true together.

pub mod embedded;
pub mod integers;
pub mod sat;

use base::{Budget, Stop};

pub use embedded::Embedded;

use crate::model::Model;
use crate::terms::{Term, Terms};

/// Decides whether boolean terms can be true together.
///
/// All terms of one solver come from one store, which only grows. The same calls with the same budget in steps give the
/// same answers.
pub trait Solver {
    /// Remembers what is asserted now.
    fn push(&mut self);

    /// Forgets what was asserted since the last `push` that has not been undone.
    fn pop(&mut self);

    /// Requires that a boolean term is true.
    fn assert(&mut self, terms: &mut Terms, term: Term);

    /// Whether all that is asserted, and these assumptions, can be true together. The assumptions hold for this query
    /// alone. Work is taken off the budget.
    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &mut Budget) -> Answer;

    /// After [`Answer::Satisfiable`]: values under which all that was asked is true.
    fn model(&mut self, terms: &Terms) -> Model;

    /// After [`Answer::Unsatisfiable`]: assumptions that cannot be true together, given what is asserted.
    fn core(&self) -> Vec<Term>;
}

/// What a solver answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// It does not know.
    Unknown(Ignorance),
}

/// Why a solver does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ignorance {
    /// The budget ended.
    Stopped(Stop),
    /// It has no procedure for something in the query.
    Unsupported(String),
    /// The back end failed: a process that is not there, or that answered nonsense.
    Failed(String),
}

impl std::fmt::Display for Ignorance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ignorance::Stopped(stop) => stop.fmt(f),
            Ignorance::Unsupported(what) => write!(f, "no decision procedure for {what}"),
            Ignorance::Failed(message) => write!(f, "the solver failed: {message}"),
        }
    }
}
