//! A loop as the kernel sees it: the state at the head, and one iteration of the body as terms over it.
//!
//! ```text
//! entry ──► head X ── continues ──► X' = after(X, inputs), at the head again
//! ```

use std::collections::BTreeMap;

use evidence::{Integer, Moment, Quantity};
use logic::{Sort, SymbolId, Term, Terms};

use crate::answer::Refusal;

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
    /// Anything else, like memory. Evidence cannot speak about it.
    Opaque(Sort),
}

impl Kind {
    /// The sort of terms for it.
    pub const fn sort(self) -> Sort {
        match self {
            Kind::Machine { width, .. } => Sort::BitVector(width),
            Kind::Mathematical => Sort::Integer,
            Kind::Boolean => Sort::Bool,
            Kind::Opaque(sort) => sort,
        }
    }

    /// The least and the greatest number, if there are such.
    pub fn range(self) -> Option<(Integer, Integer)> {
        let power = |bits: u32| Integer::ONE << bits as usize;
        match self {
            Kind::Machine { width, signed: false } => Some((Integer::ZERO, power(width) - 1)),
            Kind::Machine { width, signed: true } => Some((-power(width - 1), power(width - 1) - 1)),
            Kind::Boolean => Some((Integer::ZERO, Integer::ONE)),
            Kind::Mathematical | Kind::Opaque(_) => None,
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
    name: String,
    state: Vec<Component>,
    index: BTreeMap<Quantity, usize>,
    entry: Vec<Term>,
    before: Vec<Term>,
    after: Vec<Term>,
    inputs: Vec<Term>,
    continues: Term,
}

/// Making a relation, part by part.
impl Relation {
    /// A loop with this state, whose iterations change nothing and never end. The symbols for the state are made here.
    ///
    /// # Errors
    /// If two components have one name.
    pub fn new(terms: &mut Terms, name: &str, state: Vec<Component>) -> Result<Self, Refusal> {
        let mut index = BTreeMap::new();
        for (at, component) in state.iter().enumerate() {
            if index.insert(component.quantity.clone(), at).is_some() {
                return Err(Refusal::unsupported(format!(
                    "two parts of the state are named {}",
                    component.quantity
                )));
            }
        }
        let mut symbols = |moment: Moment| -> Vec<Term> {
            let symbol =
                |part: &Component| terms.fresh(part.quantity.at(moment).to_string(), part.kind.sort());
            state.iter().map(symbol).collect()
        };
        let (entry, before) = (symbols(Moment::Entry), symbols(Moment::Now));
        let after = before.clone();
        let yes = terms.bool(true);
        Ok(Self {
            name: name.to_owned(),
            state,
            index,
            entry,
            before,
            after,
            inputs: Vec::new(),
            continues: yes,
        })
    }

    /// Names a symbol that is used in the iteration as one of its inputs.
    pub fn add_input(&mut self, symbol: Term) {
        self.inputs.push(symbol);
    }

    /// When an iteration is made and the state after it, over the state before and the inputs.
    ///
    /// # Errors
    /// If a term is of the wrong sort or uses a symbol that is none of those.
    pub fn set_iteration(&mut self, terms: &Terms, continues: Term, after: Vec<Term>) -> Result<(), Refusal> {
        self.require(terms, &after, &[continues], true)?;
        (self.continues, self.after) = (continues, after);
        Ok(())
    }

    fn symbols(&self, terms: &Terms, inputs: bool) -> Vec<SymbolId> {
        let inputs = self.inputs.iter().filter(|_| inputs);
        let mut symbols: Vec<SymbolId> =
            self.before.iter().chain(inputs).filter_map(|term| terms.as_symbol(*term)).collect();
        symbols.sort_unstable();
        symbols
    }

    fn require(
        &self,
        terms: &Terms,
        state: &[Term],
        conditions: &[Term],
        inputs: bool,
    ) -> Result<(), Refusal> {
        let sorts = self.state.iter().map(|component| component.kind.sort());
        if !sorts.eq(state.iter().map(|term| terms.sort(*term))) {
            return Err(Refusal::unsupported("a state of other sorts than those of its components"));
        }
        if conditions.iter().any(|term| terms.sort(*term) != Sort::Bool) {
            return Err(Refusal::unsupported("a condition that is not true or false"));
        }
        let known = self.symbols(terms, inputs);
        self.only(terms, state, &known)?;
        self.only(terms, conditions, &known)
    }

    fn only(&self, terms: &Terms, roots: &[Term], known: &[SymbolId]) -> Result<(), Refusal> {
        match terms.free_symbols(roots).into_iter().find(|symbol| known.binary_search(symbol).is_err()) {
            Some(symbol) => {
                let name = &terms.symbol(symbol).name;
                Err(Refusal::unsupported(format!(
                    "{name} is neither of the state nor an input of an iteration"
                )))
            }
            None => Ok(()),
        }
    }
}

/// Examining a relation.
impl Relation {
    /// The loop's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parts of the state.
    pub fn state(&self) -> &[Component] {
        &self.state
    }

    /// Which part of the state a quantity is.
    pub fn position(&self, quantity: &Quantity) -> Option<usize> {
        self.index.get(quantity).copied()
    }

    /// The symbols of the state at loop entry.
    pub fn entry(&self) -> &[Term] {
        &self.entry
    }

    /// The symbols of the state at the head.
    pub fn before(&self) -> &[Term] {
        &self.before
    }

    /// The state after an iteration.
    pub fn after(&self) -> &[Term] {
        &self.after
    }

    /// The symbols of the inputs.
    pub fn inputs(&self) -> &[Term] {
        &self.inputs
    }

    /// When an iteration is made.
    pub const fn continues(&self) -> Term {
        self.continues
    }
}
