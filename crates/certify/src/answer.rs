//! What the kernel answers: a certificate, or a refusal.

use std::fmt::{self, Display, Formatter};

use evidence::Evidence;
use logic::Ignorance;

/// Says that a claim about a loop was checked. Only the checks of this crate make one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    subject: String,
    evidence: Evidence,
}

impl Certificate {
    pub(crate) fn new(subject: &str, evidence: Evidence) -> Self {
        Self { subject: subject.to_owned(), evidence }
    }

    /// The loop that the claim is about, as the relation names it.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// What was proved.
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What was proved, for a verdict.
    pub fn into_evidence(self) -> Evidence {
        self.evidence
    }
}

/// Why a claim is not certified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A condition does not hold, as this state shows. The claim may still be true: then its reason is too weak.
    Fails {
        /// The condition.
        condition: Condition,
        /// Names and values, in the order in which a reader wants them.
        state: Vec<(String, String)>,
    },
    /// The solver does not know whether a condition holds.
    NotKnown {
        /// The condition.
        condition: Condition,
        /// Why.
        why: Ignorance,
    },
    /// The claim or the loop is not one that the kernel can check.
    Unsupported {
        /// What stands in the way.
        what: String,
    },
}

impl Refusal {
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Refusal::Unsupported { what: what.into() }
    }
}

/// The conditions that the checks ask for. A number counts the parts of the evidence from one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Condition {
    /// An invariant holds at loop entry.
    Established,
    /// A pass preserves an invariant.
    Preserved,
    /// The invariant limits the number of passes that it counts.
    Counted,
    /// A pass is in the relation.
    Included,
    /// The relation and then a pass is in the relation.
    Composed,
    /// The relation is transitive.
    Transitive,
    /// The relation (this disjunct of it) relates no state with itself.
    Irreflexive(usize),
    /// The order (this disjunct) is transitive.
    Ordered(usize),
    /// The rank of this disjunct is not negative and gets less.
    Ranked(usize),
    /// A pass decreases the ranking function, and it is not negative before.
    Decreases,
    /// A pass decreases this component.
    ComponentDecreases(usize),
    /// The last component is not negative before a pass.
    Bounded,
    /// The closed form of this quantity begins with its value.
    Begins(usize),
    /// One pass leads from the closed form of this quantity to its next value.
    Steps(usize),
    /// Every state at entry has a case.
    Covered,
    /// The invariant of this case holds at entry.
    CaseEstablished(usize),
    /// A pass preserves the invariant of this case.
    CasePreserved(usize),
    /// The invariant of this case gives the effect when the loop is left.
    CaseEffect(usize),
    /// The invariant of this case gives the number of passes when the loop is left.
    CaseIterations(usize),
    /// In this case a pass is made only while the number of passes is not reached.
    CaseEnds(usize),
    /// In this case every state at the head makes a pass or leaves the loop.
    CaseGoesOn(usize),
    /// At entry the bound is not negative and at least the rank.
    BoundAtEntry,
    /// A pass takes at least one off the rank, and leaves it not negative.
    RankSpent,
    /// The state that a run has reached is in the set.
    StateInSet,
    /// In the set, the chosen inputs make a pass, and it leads back into the set.
    Recurs,
    /// The fact holds when the loop is left.
    HoldsAtExit,
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Established => f.write_str("the invariant holds at loop entry"),
            Condition::Preserved => f.write_str("a pass preserves the invariant"),
            Condition::Counted => f.write_str("the invariant limits the number of passes"),
            Condition::Included => f.write_str("a pass is in the relation"),
            Condition::Composed => f.write_str("the relation followed by a pass is in the relation"),
            Condition::Transitive => f.write_str("the relation is transitive"),
            Condition::Irreflexive(at) => write!(f, "disjunct {at} relates no state with itself"),
            Condition::Ordered(at) => write!(f, "disjunct {at} is transitive"),
            Condition::Ranked(at) => write!(f, "in disjunct {at} the rank is not negative and gets less"),
            Condition::Decreases => f.write_str("the rank is not negative before a pass and less after it"),
            Condition::ComponentDecreases(at) => write!(f, "a pass decreases component {at} as it must"),
            Condition::Bounded => f.write_str("the last component is not negative before a pass"),
            Condition::Begins(at) => write!(f, "closed form {at} begins with the value at the start"),
            Condition::Steps(at) => write!(f, "a pass leads from closed form {at} to its next value"),
            Condition::Covered => f.write_str("every state at loop entry has a case"),
            Condition::CaseEstablished(at) => write!(f, "the invariant of case {at} holds at loop entry"),
            Condition::CasePreserved(at) => write!(f, "a pass preserves the invariant of case {at}"),
            Condition::CaseEffect(at) => write!(f, "case {at} has its effect when the loop is left"),
            Condition::CaseIterations(at) => write!(f, "case {at} has made its passes when the loop is left"),
            Condition::CaseEnds(at) => write!(f, "case {at} makes no more passes than it says"),
            Condition::CaseGoesOn(at) => write!(f, "in case {at} a pass is made or the loop is left"),
            Condition::BoundAtEntry => f.write_str("at loop entry the bound is at least the rank and zero"),
            Condition::RankSpent => f.write_str("a pass takes one off the rank and leaves it not negative"),
            Condition::StateInSet => f.write_str("the reached state is in the set"),
            Condition::Recurs => f.write_str("from the set a pass leads back into it"),
            Condition::HoldsAtExit => f.write_str("the fact holds when the loop is left"),
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Fails { condition, state } => {
                write!(f, "not so: {condition}")?;
                for (index, (name, value)) in state.iter().enumerate() {
                    write!(f, "{}{name} = {value}", if index == 0 { "; with " } else { ", " })?;
                }
                Ok(())
            }
            Refusal::NotKnown { condition, why } => write!(f, "not known: {condition} ({why})"),
            Refusal::Unsupported { what } => write!(f, "cannot be checked: {what}"),
        }
    }
}
