//! A loop as the kernel sees it: the state at the head, and one iteration of the body as terms over it.
//!
//! ```text
//! entry ──► head X ── continues ──► X' = after(X, inputs), at the head again
//! ```

use std::collections::BTreeMap;

use evidence::{Integer, Quantity};
use logic::{Sort, Term, Terms};
use program::Type;
use program::interpret::Integers;

use crate::answer::{Checked, Refusal};

/// What values a part of the state has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A machine integer.
    Machine {
        /// How many bits.
        width: u32,
        /// Whether in two's complement.
        signed: bool,
    },
    /// A number without limits.
    Mathematical,
    /// True or false; as a number it is one or zero.
    Boolean,
}

impl Kind {
    /// What numbers a variable of a type has; nothing if its values are none.
    pub fn of(ty: Type, integers: Integers) -> Option<Self> {
        match ty {
            Type::Bool => Some(Kind::Boolean),
            Type::Integer(_) if integers == Integers::Mathematical => Some(Kind::Mathematical),
            Type::Integer(ty) => Some(Kind::Machine { width: ty.width.into(), signed: ty.signed }),
            Type::Float(_) | Type::Pointer => None,
        }
    }

    /// The sort of terms for it.
    pub const fn sort(self) -> Sort {
        match self {
            Kind::Machine { width, .. } => Sort::BitVector(width),
            Kind::Mathematical => Sort::Integer,
            Kind::Boolean => Sort::Bool,
        }
    }

    /// The least and the greatest number, if there are such.
    pub fn range(self) -> Option<(Integer, Integer)> {
        let power = |bits: u32| Integer::ONE << bits as usize;
        match self {
            Kind::Machine { width, signed: false } => Some((Integer::ZERO, power(width) - 1)),
            Kind::Machine { width, signed: true } => Some((-power(width - 1), power(width - 1) - 1)),
            Kind::Boolean => Some((Integer::ZERO, Integer::ONE)),
            Kind::Mathematical => None,
        }
    }
}

/// A part of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// What evidence calls it.
    pub quantity: Quantity,
    /// What values it has.
    pub kind: Kind,
}

/// A loop: its state and one iteration.
///
/// Whoever makes a relation vouches for it: every iteration of the program is one of the relation.
#[derive(Clone, Debug)]
pub struct Relation {
    state: Vec<Component>,
    index: BTreeMap<Quantity, usize>,
    before: Vec<Term>,
    after: Vec<Term>,
    continues: Term,
}

impl Relation {
    /// A loop with this state, whose iterations change nothing and never end. The symbols for the state are made here.
    ///
    /// # Errors
    /// If two components have one name.
    pub fn new(terms: &mut Terms, state: Vec<Component>) -> Checked<Self> {
        let mut index = BTreeMap::new();
        for (at, Component { quantity, .. }) in state.iter().enumerate() {
            if index.insert(quantity.clone(), at).is_some() {
                return Err(Refusal::unsupported(format!("two parts of the state are named {quantity}")));
            }
        }
        let symbol = |part: &Component| terms.fresh(part.quantity.to_string(), part.kind.sort());
        let before: Vec<Term> = state.iter().map(symbol).collect();
        let (after, continues) = (before.clone(), terms.bool(true));
        Ok(Self { state, index, before, after, continues })
    }

    /// When an iteration is made and the state after it, over the state before and inputs.
    ///
    /// # Errors
    /// If a term is of the wrong sort.
    pub fn set_iteration(&mut self, terms: &Terms, continues: Term, after: Vec<Term>) -> Checked<()> {
        let sorts = self.state.iter().map(|component| component.kind.sort());
        if !sorts.eq(after.iter().map(|term| terms.sort(*term))) {
            return Err(Refusal::unsupported("a state of other sorts than those of its components"));
        }
        if terms.sort(continues) != Sort::Bool {
            return Err(Refusal::unsupported("a condition that is not true or false"));
        }
        (self.continues, self.after) = (continues, after);
        Ok(())
    }

    /// The parts of the state.
    pub fn state(&self) -> &[Component] {
        &self.state
    }

    /// Which part of the state a quantity is.
    pub fn position(&self, quantity: &Quantity) -> Option<usize> {
        self.index.get(quantity).copied()
    }

    /// The symbols of the state at the head.
    pub fn before(&self) -> &[Term] {
        &self.before
    }

    /// The state after an iteration.
    pub fn after(&self) -> &[Term] {
        &self.after
    }

    /// When an iteration is made.
    pub const fn continues(&self) -> Term {
        self.continues
    }
}
