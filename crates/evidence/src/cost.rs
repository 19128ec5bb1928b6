//! What a call of a function costs: how many iterations it makes at most, its own and those of all that it calls.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::place::Place;

/// A function and what a call of it costs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FunctionCost {
    /// The function.
    pub function: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// The cost, if there is a bound.
    pub cost: Option<CallCost>,
    /// Why there is none.
    pub missing: Option<MissingCost>,
}

/// A bound on what a call costs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallCost {
    /// How many iterations of loops a call makes at most, and how many calls of the function by itself, over the values
    /// when the function was entered. A number over ℤ.
    pub iterations: Expression,
    /// How that grows. Nothing if it is the range of a machine type alone that ends a loop.
    pub class: Option<Complexity>,
}

/// Why a cost is not known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MissingCost {
    /// The reason.
    pub reason: String,
    /// Where it stands.
    pub place: Option<Place>,
}

/// How a number grows with what it depends on: a sum of products of powers, up to a factor. `O(1)` has one empty product.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Complexity {
    /// The products: the power of each factor. A factor is a variable, a difference `(e - b)` or a power `2^n`.
    pub terms: Vec<BTreeMap<String, u32>>,
}

impl fmt::Display for Complexity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = |(factor, power): (&String, &u32)| match power {
            1 => factor.clone(),
            more => format!("{factor}^{more}"),
        };
        let product = |factors: &BTreeMap<String, u32>| match factors.is_empty() {
            true => String::from("1"),
            false => factors.iter().map(power).collect::<Vec<_>>().join("*"),
        };
        let terms: Vec<String> = self.terms.iter().map(product).collect();
        write!(f, "O({})", if terms.is_empty() { String::from("1") } else { terms.join(" + ") })
    }
}
