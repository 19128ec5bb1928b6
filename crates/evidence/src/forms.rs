//! The forms of evidence about a loop: what an engine hands to the kernel, and what a proof consists of.
//!
//! X is the state at the loop's head, R(X, X') one iteration of the body, X0 the state at loop entry. What a form
//! claims is written at the form; how the claim is checked is written at the check in the crate `certify`.

use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::decimal;
use crate::expression::{Expression, Formula, Integer, Quantity};
use crate::place::Place;
use crate::shapes::Shapes;

/// Why a property holds, or what holds of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "form", content = "content", rename_all = "kebab-case")]
pub enum Evidence {
    /// All runs of the whole program were examined.
    Unrolling(Unrolling),
    /// Summaries of all loops, from which the property follows.
    Loops(Vec<Summary>),
    /// Contracts of functions, and summaries of all loops under them.
    Contracts {
        /// The contracts.
        contracts: Vec<Contract>,
        /// The loops.
        loops: Vec<Summary>,
    },
    /// The shapes of a program's lists, with ranks: every run ends.
    Shapes(Shapes),
}

impl Evidence {
    /// The summaries of loops.
    pub fn loops(&self) -> &[Summary] {
        match self {
            Evidence::Loops(loops) | Evidence::Contracts { loops, .. } => loops,
            Evidence::Unrolling(_) | Evidence::Shapes(_) => &[],
        }
    }

    /// The contracts of functions.
    pub fn contracts(&self) -> &[Contract] {
        match self {
            Evidence::Contracts { contracts, .. } => contracts,
            _ => &[],
        }
    }
}

/// The program without its loops, unrolled so often that no run is left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unrolling {
    /// The iterations that the longest of all loops was unrolled to.
    pub depth: u64,
}

/// A relation between X (now) and X' (next) that is the union of its disjuncts: it relates every state at the head with
/// every later one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransitionInvariant {
    /// The disjuncts.
    pub disjuncts: Vec<Formula>,
}

/// Why a relation has no infinite chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WellFounded {
    /// This number of X is not negative, and that of X' is less.
    Ranking(Expression),
    /// The relation is a strict order, and speaks only about what has finitely many values.
    FiniteOrder,
}

/// Why no run makes infinitely many iterations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// A ranking function.
    Ranking(Ranking),
    /// A transition invariant, and for each of its disjuncts why that has no infinite chain.
    Disjunctive {
        /// The relation.
        invariant: TransitionInvariant,
        /// One argument for each disjunct, in their order.
        arguments: Vec<WellFounded>,
    },
}

/// Numbers of X that show that the iterations end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Not negative before an iteration, and less after it.
    Linear(Expression),
    /// Every iteration makes one of these less that was not negative, and none before it greater.
    Lexicographic(Vec<Expression>),
    /// Every iteration makes one of these less that was not negative, and all before it less as well.
    Multiphase(Vec<Expression>),
    /// The last is not negative before an iteration, and an iteration makes each one less by more than its predecessor
    /// is negative: a special form of phases that needs no case distinction.
    Nested(Vec<Expression>),
}

/// What a quantity is afterwards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Update {
    /// The quantity.
    pub quantity: Quantity,
    /// Its number.
    pub value: Expression,
}

/// One way to go through a loop as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Case {
    /// On which states at entry (over X0) the case applies.
    pub guard: Formula,
    /// What links X0, X and the counter at the head: the reason for the effect.
    pub invariant: Formula,
    /// Quantities that are known (over X0) when the loop is left; nothing is said about others.
    pub effect: Vec<Update>,
    /// What else links X0 and the state (as "now") when the loop is left.
    pub relation: Formula,
    /// How many iterations are made (executions of the loop's body), over X0, if known.
    pub iterations: Option<Expression>,
    /// Whether every run from such a state does leave the loop, and in just this way; otherwise the claim is only about
    /// runs that do leave it.
    pub exact: bool,
}

/// How many iterations there are at most.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// The number, over X0.
    pub bound: Expression,
    /// How many iterations of them are left, over X and X0.
    pub rank: Expression,
}

/// How many iterations there are at most, counted in parts that pay for each other.
///
/// A component's potential is its rank, or zero if that is negative. Every iteration takes at least a stride off the
/// rank of one component that is positive (it *spends* it), raises none before it, and raises those after it by no more
/// than it says. Then a component is spent no more often than its potential at entry and all its raises allow, and
/// every iteration is counted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Amortised {
    /// The components, in order.
    pub components: Vec<Spent>,
}

/// A component of such a count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spent {
    /// What can still be spent, over X and X0.
    pub rank: Expression,
    /// How much of it is spent at once, at least: a positive number.
    #[serde(with = "decimal", default = "one")]
    pub stride: Integer,
    /// What raises it: nothing else does.
    #[serde(default)]
    pub raised: Vec<Raise>,
}

fn one() -> Integer {
    Integer::ONE
}

/// An iteration that spends one component raises a later one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Raise {
    /// The component that is spent, by its place in the list, counted from zero.
    pub by: usize,
    /// By how much at most, over X0; a negative number stands for zero.
    pub most: Expression,
    /// Whether it is set to at most that number rather than raised by it, and to nothing when the other one is spent up,
    /// at entry too: then each time that the other is spent pays for one such number.
    #[serde(default)]
    pub afresh: bool,
}

/// Such a count over values that were there earlier: what replaces its ranks at entry and its raises, and is not less.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Restatement {
    /// One for each component.
    pub potentials: Vec<Expression>,
    /// For each component one for each of its raises.
    pub raises: Vec<Vec<Expression>>,
}

/// States from which some choice of inputs leads back into the set, for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecurrentSet {
    /// The set, over X.
    pub set: Formula,
    /// For each input of the body, in their order, the number that is chosen, over X. Of a number that is too wide for
    /// the input its low bits are meant.
    pub choices: Vec<Expression>,
    /// A state of the set that a run has reached.
    pub state: Vec<Held>,
}

/// What a quantity holds in one state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    /// The quantity.
    pub quantity: Quantity,
    /// Its number.
    #[serde(with = "decimal")]
    pub number: Integer,
}

/// What is known at one place of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LoopInvariant {
    /// What is known, over the state there (as "now") and X0.
    pub formula: Formula,
    /// The place.
    pub at: InvariantPlace,
}

/// The places of a loop that invariants are known at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InvariantPlace {
    /// Whenever the head is reached.
    Head,
    /// Whenever the loop is left.
    Exit,
}

/// All that is known of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The loop's name.
    #[serde(rename = "loop")]
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// What is known at its places.
    pub invariants: Vec<LoopInvariant>,
    /// What it does as a whole; together the cases cover every run that leaves it. None: nothing is known.
    pub cases: Vec<Case>,
    /// Why it is left, if known.
    pub termination: Option<Termination>,
    /// How many iterations it makes at most, if known.
    pub bound: Option<Bound>,
}

impl std::fmt::Display for Update {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.quantity, self.value)
    }
}

impl Evidence {
    /// The name of its form.
    pub const fn form(&self) -> &'static str {
        match self {
            Evidence::Unrolling(_) => "unrolling",
            Evidence::Loops(_) => "loops",
            Evidence::Contracts { .. } => "contracts",
            Evidence::Shapes(_) => "shapes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{constant, entry, now};

    #[test]
    fn the_json_form_is_stable_and_can_be_read_back() {
        let evidence = Evidence::Unrolling(Unrolling { depth: 3 });
        let json = serde_json::to_string(&evidence).unwrap();
        assert_eq!(json, r#"{"form":"unrolling","content":{"depth":3}}"#);
        assert_eq!(serde_json::from_str::<Evidence>(&json).unwrap(), evidence);
        let formula = now("i").at_most(entry("n"));
        let invariant = LoopInvariant { formula, at: InvariantPlace::Head };
        let json = serde_json::to_string(&invariant).unwrap();
        assert_eq!(
            json,
            concat!(
                r#"{"formula":{"compare":{"left":{"quantity":{"quantity":{"variable":"i","#,
                r#""aspect":"value"},"moment":"now"}},"comparison":"less-equal","right":{"quantity":{"quantity":"#,
                r#"{"variable":"n","aspect":"value"},"moment":"entry"}}}},"at":"head"}"#
            )
        );
        assert_eq!(serde_json::from_str::<LoopInvariant>(&json).unwrap(), invariant);
        let wide = constant("1267650600228229401496703205376".parse::<Integer>().unwrap());
        assert_eq!(
            serde_json::to_string(&wide).unwrap(),
            r#"{"constant":"1267650600228229401496703205376"}"#
        );
    }
}
