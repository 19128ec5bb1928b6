//! Contracts of functions: what a caller must see to, and what the function sees to then.
//!
//! Formulas speak of parameters and of variables of the program. In `requires` all are as they are at the call, `start(n)`;
//! in `ensures` also as they are at the return, and [`RESULT`] is what the function gives back. Numbers in memory are elements
//! of what parameters point to.

use serde::{Deserialize, Serialize};

use crate::expression::{Aspect, Expression, Formula, Moment, Quantity, constant};
use crate::name::Name;

/// What the result of a function is called.
pub const RESULT: &str = "$result";

/// What is claimed of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contract {
    /// The function.
    pub function: String,
    /// What pointers must point to at a call: an object of its own each, which nothing else leads to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Pointee>,
    /// What else must hold at a call.
    pub requires: Vec<Formula>,
    /// What holds when a call returns, if that held.
    pub ensures: Vec<Formula>,
}

/// What a pointer points to.
///
/// There are so many bytes from the pointer on in its object, and no other pointee of the contract, and no object that the
/// program itself names, is in that object. So `\separated` follows, and so do different base addresses. If it need not have any
/// byte, the pointer may be anything, or anything but null.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pointee {
    /// The parameter that is the pointer, or that leads to it.
    pub parameter: Name,
    /// The pointer stands so many bytes behind where the parameter points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<u64>,
    /// How many bytes there are from the pointer on; none if the number is negative.
    pub bytes: Expression,
    /// Whether a zero byte is among them.
    #[serde(default)]
    pub terminated: bool,
    /// Whether the function may change them.
    #[serde(default)]
    pub changed: bool,
    /// Whether the pointer is not null even if it need not have any byte.
    #[serde(default)]
    pub not_null: bool,
}

impl Pointee {
    /// How many bytes a string has that a parameter points to, its end included.
    pub fn string_bytes(parameter: &Name) -> Expression {
        let length = Quantity { variable: parameter.clone(), aspect: Aspect::Length };
        Expression::Sum(vec![length.at(Moment::Start), constant(1)])
    }

    /// Whether nothing is asked but that there is a string.
    pub fn is_string(&self) -> bool {
        self.terminated && self.field.is_none() && self.bytes == Self::string_bytes(&self.parameter)
    }

    /// How it is called: `p`, or `p+8` for what the pointer points to that stands there.
    pub fn place(&self) -> String {
        match self.field {
            None => self.parameter.as_str().to_owned(),
            Some(field) => format!("{}+{field}", self.parameter),
        }
    }
}

/// On which side a clause of a contract stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The caller sees to it.
    Requires,
    /// The function sees to it.
    Ensures,
}

impl Side {
    /// Its word in ACSL.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Requires => "requires",
            Side::Ensures => "ensures",
        }
    }
}

impl Contract {
    /// A contract that asks nothing of callers.
    pub const fn ensuring(function: String, ensures: Vec<Formula>) -> Self {
        Self { function, objects: Vec::new(), requires: Vec::new(), ensures }
    }

    /// The clauses of one side.
    pub fn clauses(&self, side: Side) -> &[Formula] {
        match side {
            Side::Requires => &self.requires,
            Side::Ensures => &self.ensures,
        }
    }

    /// What a check of a clause is called.
    pub fn note(&self, side: Side, place: usize) -> String {
        format!("{} of {}: {}", side.word(), self.function, self.clauses(side)[place])
    }

    /// What a check is called that what a pointer points to is as it was.
    pub fn kept_note(&self, object: &Pointee) -> String {
        format!("assigns of {}: {}", self.function, object.place())
    }

    /// A clause with the words of ACSL.
    pub fn spelled(&self, side: Side, place: usize) -> String {
        let clause = &self.clauses(side)[place];
        let text = match side {
            Side::Requires => {
                let plain = clause.with_moments(&|_| Some(Moment::Now));
                plain.as_ref().unwrap_or(clause).to_string()
            }
            Side::Ensures => clause.to_string().replace("start(", "\\old("),
        };
        text.replace(RESULT, "\\result")
    }

    /// Leaves out the clauses whose checks have these notes. Whether there were any.
    pub fn drop(&mut self, notes: &dyn Fn(&str) -> bool) -> bool {
        let mut any = false;
        for place in 0..self.objects.len() {
            if !self.objects[place].changed && notes(&self.kept_note(&self.objects[place])) {
                self.objects[place].changed = true;
                any = true;
            }
        }
        let before = self.requires.len() + self.ensures.len();
        for side in [Side::Requires, Side::Ensures] {
            let kept = (0..self.clauses(side).len())
                .filter(|&place| !notes(&self.note(side, place)))
                .map(|place| self.clauses(side)[place].clone())
                .collect();
            match side {
                Side::Requires => self.requires = kept,
                Side::Ensures => self.ensures = kept,
            }
        }
        any || self.requires.len() + self.ensures.len() < before
    }
}
