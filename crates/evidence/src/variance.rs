//! What a variance analysis says about a program: at each cutpoint what holds, how states there change from visit to visit,
//! and whether control can come there for ever.

use serde::{Deserialize, Serialize};

use crate::counterexample::Integers;
use crate::forms::Ranking;
use crate::place::Place;

/// A variance analysis of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VarianceReport {
    /// The function that runs start in.
    pub function: String,
    /// The domain that the analysis was made from.
    pub domain: String,
    /// What integers are.
    pub integers: Integers,
    /// The cutpoints, those of outer loops first.
    pub cutpoints: Vec<CutpointReport>,
    /// Whether every run ends; nothing is said if only some cutpoints were asked for.
    pub terminates: Option<Strength>,
    /// What the analysis does not follow.
    pub gaps: Vec<GapReport>,
}

/// How well something is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It was not shown.
    NotShown,
    /// The analysis shows it; the kernel has not confirmed it.
    Shown,
    /// The kernel has confirmed it on the program itself.
    Confirmed,
}

/// What is known at a cutpoint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CutpointReport {
    /// The function.
    pub function: String,
    /// The calls that lead to it, if it is not the function that runs start in: the callers, the outermost first.
    pub callers: Vec<String>,
    /// The place.
    pub place: Option<Place>,
    /// The loop that control stays in.
    #[serde(rename = "loop")]
    pub around: Option<Place>,
    /// The line on which that loop's body starts.
    pub body_line: u32,
    /// Whether the place is the loop's head; otherwise it is in the body.
    pub head: bool,
    /// The invariance assertion: one of these conjunctions holds. None if no run comes here.
    pub invariants: Vec<Vec<String>>,
    /// The variance assertion: one of these holds between a visit and every later one. None if there is no later one.
    pub variances: Vec<VarianceAssertion>,
    /// Whether control comes here infinitely often only if it leaves the loop infinitely often.
    pub local_termination: Strength,
}

/// A disjunct of a variance assertion.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VarianceAssertion {
    /// What holds: `x` is the number now, `x@before` the one at the earlier visit.
    pub holds: Vec<String>,
    /// Numbers that show that it is well-founded, if it is known to be.
    pub ranking: Option<Ranking>,
}

/// Something that the analysis does not follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GapReport {
    /// What it is.
    pub what: String,
    /// Where it stands.
    pub place: Option<Place>,
}
