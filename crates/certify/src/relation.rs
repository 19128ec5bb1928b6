//! A loop as the kernel sees it: the state at the head, and one pass through the body as terms over it.
//!
//! ```text
//! entry ──► head X ── continues ──► X' = after(X, inputs), at the head again
//!              └───── exit ───────► Z = the exit's state(X, inputs)
//! ```

use std::collections::BTreeMap;

use evidence::{Integer, Moment, Quantity};
use logic::substitute::Substitution;
use logic::{Sort, SymbolId, Term, Terms};

use crate::answer::Refusal;
use crate::wide::{self, Scope};

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

/// A way out of the loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// When it is taken.
    pub condition: Term,
    /// The state outside, in the order of the components.
    pub state: Vec<Term>,
}

/// A loop: its state and one pass.
///
/// Runs make passes and leave as `continues` and the exits' conditions say; where none of them is true a run ends in
/// another way (an assumption fails, the program exits). Whoever makes a relation vouches for it: every pass of the
/// program is one of the relation. [`Relation::exact`] vouches for the converse.
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
    exits: Vec<Exit>,
    assumptions: Vec<Term>,
    initially: Term,
    exact: bool,
}

/// Making a relation, part by part.
impl Relation {
    /// A loop with this state, whose passes change nothing and never end. The symbols for the state are made here.
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
            exits: Vec::new(),
            assumptions: Vec::new(),
            initially: yes,
            exact: true,
        })
    }

    /// A new input of the pass: any value of this sort.
    pub fn input(&mut self, terms: &mut Terms, name: &str, sort: Sort) -> Term {
        let symbol = terms.fresh(name, sort);
        self.inputs.push(symbol);
        symbol
    }

    /// Names a symbol that is used in the pass as one of its inputs.
    pub fn add_input(&mut self, symbol: Term) {
        self.inputs.push(symbol);
    }

    /// When a pass is made and the state after it, over the state before and the inputs.
    ///
    /// # Errors
    /// If a term is of the wrong sort or uses a symbol that is none of those.
    pub fn set_pass(&mut self, terms: &Terms, continues: Term, after: Vec<Term>) -> Result<(), Refusal> {
        self.demand(terms, &after, &[continues], true)?;
        (self.continues, self.after) = (continues, after);
        Ok(())
    }

    /// One more way out.
    ///
    /// # Errors
    /// If a term is of the wrong sort or uses a symbol that is none of the state before and the inputs.
    pub fn add_exit(&mut self, terms: &Terms, condition: Term, state: Vec<Term>) -> Result<(), Refusal> {
        self.demand(terms, &state, &[condition], true)?;
        self.exits.push(Exit { condition, state });
        Ok(())
    }

    /// What holds of the state before at loop entry.
    ///
    /// # Errors
    /// If it is not a condition on the state before.
    pub fn set_initially(&mut self, terms: &Terms, initially: Term) -> Result<(), Refusal> {
        self.demand(terms, &self.before.clone(), &[initially], false)?;
        self.initially = initially;
        Ok(())
    }

    /// Something that the caller has established for every state at the head that a run reaches (over the states before
    /// and at entry), or for the inputs of every pass.
    ///
    /// # Errors
    /// If it is not a condition on those.
    pub fn assume(&mut self, terms: &Terms, fact: Term) -> Result<(), Refusal> {
        if terms.sort(fact) != Sort::Bool {
            return Err(Refusal::unsupported("an assumption that is no condition"));
        }
        let mut known = self.symbols(terms, true);
        known.extend(self.entry.iter().filter_map(|term| terms.as_symbol(*term)));
        known.sort_unstable();
        self.only(terms, &[fact], &known)?;
        self.assumptions.push(fact);
        Ok(())
    }

    /// The same for an invariant that was certified for this loop.
    ///
    /// # Errors
    /// If the certificate is not about an established invariant of this loop, or its formula counts passes.
    pub fn assume_certified(
        &mut self,
        terms: &mut Terms,
        certificate: &crate::Certificate,
    ) -> Result<(), Refusal> {
        match certificate.evidence() {
            evidence::Evidence::Invariant(invariant)
                if invariant.established && certificate.subject() == self.name =>
            {
                let fact = wide::formula(terms, &Scope::head(self), &invariant.formula)?;
                self.assume(terms, fact)
            }
            other => Err(Refusal::unsupported(format!("a certificate of {} as an assumption", other.form()))),
        }
    }

    /// Says that the relation has passes and exits that the program may not have: what shows that a run exists is then
    /// refused.
    pub const fn set_approximate(&mut self) {
        self.exact = false;
    }

    fn symbols(&self, terms: &Terms, inputs: bool) -> Vec<SymbolId> {
        let inputs = self.inputs.iter().filter(|_| inputs);
        let mut symbols: Vec<SymbolId> =
            self.before.iter().chain(inputs).filter_map(|term| terms.as_symbol(*term)).collect();
        symbols.sort_unstable();
        symbols
    }

    fn demand(
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
                Err(Refusal::unsupported(format!("{name} is neither of the state nor an input of a pass")))
            }
            None => Ok(()),
        }
    }
}

/// Looking at a relation.
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

    /// The state after a pass.
    pub fn after(&self) -> &[Term] {
        &self.after
    }

    /// The symbols of the inputs.
    pub fn inputs(&self) -> &[Term] {
        &self.inputs
    }

    /// When a pass is made.
    pub const fn continues(&self) -> Term {
        self.continues
    }

    /// The ways out.
    pub fn exits(&self) -> &[Exit] {
        &self.exits
    }

    /// What the caller has established for every state at the head.
    pub fn assumptions(&self) -> &[Term] {
        &self.assumptions
    }

    /// What holds of the state before at loop entry.
    pub const fn initially(&self) -> Term {
        self.initially
    }

    /// Whether every pass and every exit is one of the program.
    pub const fn is_exact(&self) -> bool {
        self.exact
    }

    /// A part of the state at the head, by its name: for those who write a loop by hand.
    ///
    /// # Panics
    /// If there is no variable of that name.
    pub fn variable(&self, name: &str) -> Term {
        let position = self.position(&Quantity::value(name));
        self.before[position.unwrap_or_else(|| panic!("{name} is not in the state"))]
    }

    /// The greatest width of a machine integer of the state.
    pub(crate) fn widest(&self) -> u32 {
        let width = |component: &Component| component.kind.sort().width().unwrap_or(1);
        self.state.iter().map(width).max().unwrap_or(1)
    }

    /// Whether a number of the state has no limits.
    pub(crate) fn is_mathematical(&self) -> bool {
        self.state.iter().any(|component| component.kind == Kind::Mathematical)
    }

    /// Symbols for one more state.
    pub(crate) fn another_state(&self, terms: &mut Terms, mark: &str) -> Vec<Term> {
        let symbol = |part: &Component| terms.fresh(format!("{mark}({})", part.quantity), part.kind.sort());
        self.state.iter().map(symbol).collect()
    }

    /// The exchange of the state before for another one.
    pub(crate) fn moved_to(&self, state: &[Term]) -> Substitution {
        Substitution::new(self.before.iter().copied().zip(state.iter().copied()))
    }

    /// Whether a term speaks about the inputs of the pass.
    pub(crate) fn speaks_of_inputs(&self, terms: &Terms, term: Term) -> bool {
        let symbols = terms.free_symbols(&[term]);
        let mut inputs = self.inputs.iter().filter_map(|input| terms.as_symbol(*input));
        inputs.any(|input| symbols.binary_search(&input).is_ok())
    }

    /// What holds of the state at entry, over the symbols for it.
    pub(crate) fn entry_condition(&self, terms: &mut Terms) -> Term {
        self.moved_to(&self.entry).apply(terms, self.initially)
    }

    /// What holds before a pass that is made.
    pub(crate) fn pass(&self) -> Vec<Term> {
        let mut conditions = self.assumptions.clone();
        conditions.push(self.continues);
        conditions
    }
}
