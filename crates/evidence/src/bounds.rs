//! How many iterations the loops of a program make: what `loopscope bounds` says.

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::forms::Amortised;
use crate::place::Place;

/// The loops of a program with their bounds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BoundsReport {
    /// The loops, in the order of the functions and of the source; an outer loop comes before those in it.
    pub loops: Vec<LoopBound>,
}

/// A loop and how many iterations it makes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoopBound {
    /// The function.
    pub function: String,
    /// The loop's name.
    #[serde(rename = "loop")]
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// Its depth: one for a loop in no other.
    pub depth: u32,
    /// The loop around it, by its place in the list.
    pub around: Option<usize>,
    /// The bound, if there is one.
    pub bound: Option<IterationBound>,
    /// Why there is none.
    pub missing: Option<String>,
}

/// How many iterations a loop makes at most. All numbers are over ℤ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IterationBound {
    /// In one visit of the loop, over the values at its entry.
    pub visit: Count,
    /// The parts of that: how often each component is spent. One iteration more may come on top of them.
    pub parts: Vec<Expression>,
    /// In one visit, over the values when the function was entered.
    pub start: Option<Count>,
    /// In all visits in one run of the function, over the values when the function was entered.
    pub total: Option<Count>,
    /// For a loop in others: in all visits until the outermost one is left, over the values at the entry of that.
    pub nest: Option<Count>,
    /// Whether it is the range of a machine type alone that ends the loop.
    pub by_type: bool,
    /// What the kernel has checked.
    pub evidence: Amortised,
}

/// A number of iterations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Count {
    /// The number.
    pub iterations: Expression,
    /// Whether there are just as many whenever the loop is left; otherwise there may be fewer.
    pub exact: bool,
}
