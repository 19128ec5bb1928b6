//! What the views of all loops of a program share: what is found once and serves every loop.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Location};
use certify::Abstraction;
use certify::abstraction::Named;
use evidence::{Formula, Name};
use program::interpret::{Integers, ObligationSet};
use program::{BlockId, Body, FunctionId, Obligation, Program, VariableId};

use crate::code::Vocabulary;
use crate::samples::Samples;
use crate::variance::{Invariants, Scope};

/// So many loops have an abstract interpretation of their own.
const LOOPS: usize = 12;

/// What the loops of a program share.
pub struct Shared<'p> {
    /// The program.
    pub program: &'p Program,
    /// What runs have shown.
    pub samples: Samples,
    integers: Integers,
    checks: ObligationSet,
    vocabulary: BTreeMap<FunctionId, Vocabulary<'p>>,
    invariants: OnceCell<Option<Invariants>>,
    loops: Cell<usize>,
}

impl<'p> Shared<'p> {
    /// What the loops of a program share. Runs of it are made now; the rest comes when it is asked for.
    pub fn of(program: &'p Program, abstraction: &Abstraction<'_>, budget: &Budget) -> Self {
        let options = &abstraction.encoder().options;
        let checks = Obligation::ALL
            .into_iter()
            .filter(|kind| options.checks.contains(*kind) || options.needed.contains(*kind))
            .fold(ObligationSet::EMPTY, ObligationSet::with);
        let first = abstraction
            .abstract_loops()
            .first()
            .and_then(|abstract_loop| abstract_loop.stack.first().copied());
        let integers = options.integers;
        let samples = first.map(|(function, _)| Samples::of(program, function, integers, budget));
        Self {
            program,
            samples: samples.unwrap_or_default(),
            integers,
            checks,
            vocabulary: BTreeMap::new(),
            invariants: OnceCell::new(),
            loops: Cell::new(0),
        }
    }

    /// Makes the words of a function, once.
    pub fn prepare(&mut self, function: FunctionId, body: &'p Body, names: &BTreeMap<Name, Named>) {
        let overflow = self.checks.contains(Obligation::SignedOverflow) && self.integers == Integers::Machine;
        self.vocabulary
            .entry(function)
            .or_insert_with(|| Vocabulary::new(self.program, body, names, overflow));
    }

    /// The words of a function, if they were made.
    pub fn vocabulary(&self, function: FunctionId) -> Option<&Vocabulary<'p>> {
        self.vocabulary.get(&function)
    }

    /// What abstract interpretation of the whole program says of a loop head; or, if that is too large, of its function
    /// alone with some of its variables.
    pub fn invariants(
        &self,
        (function, head): (FunctionId, BlockId),
        stack: &[(FunctionId, Location)],
        variables: BTreeSet<VariableId>,
    ) -> Vec<Formula> {
        let Some(&(root, start)) = stack.first() else { return Vec::new() };
        let whole = self.invariants.get_or_init(|| {
            let scope = Scope { checks: self.checks, ..Scope::default() };
            Invariants::of(self.program, root, self.integers, &scope)
        });
        if let Some(whole) = whole {
            return whole.at(self.program, (function, head), stack);
        }
        if self.loops.replace(self.loops.get() + 1) >= LOOPS {
            return Vec::new();
        }
        let scope = Scope { only: Some(variables), ..Scope::default() };
        let alone = Invariants::of(self.program, function, self.integers, &scope);
        alone.map(|alone| alone.at(self.program, (function, head), &[(function, start)])).unwrap_or_default()
    }
}
