//! What is said about a loop by its path dependency automaton: the automaton, and the cases of its summary.

use serde::{Deserialize, Serialize};

use crate::expression::{Expression, Formula};
use crate::forms::{Case, Update};
use crate::place::Place;
use crate::variance::Strength;

/// The loops of some functions, summarised.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SummaryReport {
    /// The loops, function by function.
    pub loops: Vec<LoopReport>,
    /// Functions of which nothing can be said, each with the reason.
    pub skipped: Vec<SkippedFunction>,
}

/// A function of which nothing can be said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SkippedFunction {
    /// Its name.
    pub function: String,
    /// Why.
    pub reason: String,
}

/// A loop, summarised.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoopReport {
    /// The function.
    pub function: String,
    /// The loop's name.
    #[serde(rename = "loop")]
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// Its type in Table 1 of the paper, from one to four; none if it has too many paths.
    #[serde(rename = "type")]
    pub kind: Option<u8>,
    /// Its automaton, unless it has too many paths.
    pub automaton: Option<AutomatonReport>,
    /// What it does, by cases. Which states at entry have no case is not known if it is not `complete`.
    pub cases: Vec<CaseReport>,
    /// Whether the cases are all there are, as the kernel confirmed.
    pub covered: Strength,
    /// Where there are no cases: what variables hold after `k1` iterations along the path `q1`, `k2` along `q2` and so
    /// on, in whatever order.
    pub counted: Vec<Update>,
    /// Invariants at its head that the kernel confirmed, where there are no cases, and that do not hold where it is
    /// left.
    pub invariants: Vec<Formula>,
    /// What the kernel confirmed of the state where the loop is left, where there are no cases.
    pub left: Vec<Formula>,
    /// Why nothing more is said, if so.
    pub why: Option<String>,
    /// What it may change besides: of this the cases say nothing.
    #[serde(default)]
    pub others: Vec<String>,
}

/// A case of a summary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CaseReport {
    /// The case.
    pub case: Case,
    /// The traces that it stands for.
    pub traces: Vec<String>,
    /// Whether the loop is never left.
    pub never: bool,
    /// Whether the kernel confirmed what is said of the state at the end.
    pub strength: Strength,
    /// Whether the kernel confirmed the number of iterations.
    pub counted: Strength,
}

/// A path dependency automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AutomatonReport {
    /// Its states, which are the paths.
    pub states: Vec<StateReport>,
    /// Which can follow which.
    pub transitions: Vec<TransitionReport>,
}

/// A state of an automaton: a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateReport {
    /// Its name: `q1`.
    pub name: String,
    /// Whether it starts at the head of the loop itself, and not at one of a loop in it.
    pub first: bool,
    /// Whether it can be taken again and again.
    pub iterative: bool,
    /// Whether it leaves the loop.
    pub accepting: bool,
    /// When it is taken, over the state at its start.
    pub conditions: Vec<Formula>,
    /// Whether other conditions were left out.
    pub partial: bool,
    /// What it does, over the state at its start.
    pub updates: Vec<Update>,
}

/// A transition of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransitionReport {
    /// The state that it leaves, by its place.
    pub from: usize,
    /// The state that it comes to, by its place.
    pub to: usize,
    /// How often the first one is taken before, over the state at its start.
    pub counter: Option<Expression>,
    /// When that is so.
    pub guard: Vec<Formula>,
}
