//! The whole program with its loops abstracted: invariants of its loops are checked, and then whether anything can be
//! violated in what is left.
//!
//! ```text
//! encoding with abstract loops ─► candidates per loop ─► those that hold at entry and are preserved by an iteration ─► invariants
//!                                                                   verification conditions, each violated or not ◄─┘
//! ```
//!
//! Proof rule (LoopFrog, Theorem 1 and Algorithm 1): an abstract loop allows every iteration of a loop as long as the
//! invariants that are assumed at the head hold whenever control is there. They do if each holds at the entries and,
//! with all invariants assumed at the heads before, again after the iterations of the abstract loop; this is asked for
//! all loops of a nest together, since what holds in an outer loop helps an inner one and the other way round. If no
//! verification condition of the encoding can be violated and no incomplete path reached, no run of the program
//! violates anything. Runs need not end for that.

pub mod after;
mod array_abstraction;
mod bounds;
mod check;
mod exits;
mod explain;
mod incomplete_paths;
mod interpretation;
mod local;
pub mod obligations;
mod reach;
mod slice;
mod subset;
mod sums;
mod termination_arguments;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, Stop};
use encoding::{
    AbstractLoop, Encoder, IncompletePath, LoopAbstraction, Options, State, VerificationCondition,
};
use evidence::{Formula, Name, Overflow, ProofMode, Termination};
use logic::Term;
use program::{FunctionId, Program};

pub use self::bounds::{Bounded, Bounding, Reference, Restated};
pub use self::check::Finding;
pub use self::exits::{Count, Edge};
pub use self::explain::{AbstractAccess, AbstractObject, AbstractStep, AbstractTrace};
pub use self::interpretation::{Named, names};
pub use self::obligations::ObligationKey;
pub use self::reach::Obstacle;
pub use self::subset::{Batch, Effort};
pub use self::termination_arguments::ArgumentCheck;

use self::array_abstraction::ArrayAbstraction;
use self::interpretation::StateInterpretation;
use self::slice::Symbols;
use crate::answer::{Checked, Refusal};
use crate::subject::{Claim, Subject, needed, within_limits};
use crate::wide::{Use, formula_in};

/// A program whose loops are abstracted.
pub struct Abstraction<'p> {
    program: &'p Program,
    subject: &'p Subject<'p>,
    claim: Claim,
    mode: ProofMode,
    encoder: Encoder<'p>,
    names: BTreeMap<FunctionId, Rc<BTreeMap<Name, Named>>>,
    /// The invariants that hold at the heads of loops, by abstract loop.
    invariants: Vec<Vec<Formula>>,
    /// Why loops are left, by abstract loop, as far as it is known.
    termination_arguments: Vec<Option<Termination>>,
    vcs: Vec<VerificationCondition>,
    symbols: Symbols,
    array_abstraction: ArrayAbstraction,
    /// Whether something unchecked was supposed: nothing is proved then.
    supposed: bool,
    /// The verification conditions that were shown to hold.
    held: BTreeSet<usize>,
    /// What comes after incomplete paths that control may come to, once that was examined.
    unknown_after: Option<Vec<after::After>>,
    /// Whether it is known that control comes to no incomplete path.
    follows_all: bool,
    /// Whether no signed number overflows, once that was examined.
    no_overflow: Option<bool>,
    /// Symbols for numbers of which something is to be shown. A query asks for one candidate that fails, whichever, so
    /// that all can speak of the same numbers: indices into arrays stay few.
    any_numbers: Vec<Term>,
}

/// A candidate invariant: it may hold whenever control is at the head of a loop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// The abstract loop, by its place in the list.
    pub abstract_loop: usize,
    /// The invariant.
    pub formula: Formula,
}

impl<'p> Abstraction<'p> {
    /// Encodes the program of a subject as a mode says: with its loops abstracted, or followed as deep as is said. What
    /// goes on after that is an incomplete path.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(subject: &'p Subject<'_>, mode: ProofMode, budget: &mut Budget) -> Result<Self, Stop> {
        let (program, claim) = (subject.program(), subject.claim());
        let overflow = if subject.no_overflow { Overflow::Excluded } else { mode.overflow };
        let mode = ProofMode { chains: subject.chains(), overflow, ..within_limits(mode) };
        let abstract_loops = mode.abstract_loops.map(|abstraction_mode| LoopAbstraction {
            steps: abstraction_mode.iterations,
            decided: abstraction_mode.decided,
        });
        let options = Options {
            integers: claim.integers,
            checks: claim.property.obligations(),
            needed: needed(&mode),
            iterations: mode
                .iterations
                .max(abstract_loops.map_or(0, |abstract_loops| abstract_loops.steps - 1)),
            abstract_loops,
            call_depth: mode.calls,
            recursion: mode.recursion,
            any_overflow: abstract_loops.is_some() && mode.overflow == Overflow::Any,
            outside_returns: true,
            kept_pointers: false,
            trace: true,
        };
        let mut encoder = Encoder::new(program, options, budget.clone());
        let encoded = encoder.run(claim.function);
        *budget = encoder.budget.clone();
        encoded?;
        let invariants = vec![Vec::new(); encoder.findings.abstract_loops.len()];
        let termination_arguments = vec![None; invariants.len()];
        let vcs = std::mem::take(&mut encoder.findings.vcs);
        Ok(Self {
            program,
            subject,
            claim,
            mode,
            encoder,
            names: BTreeMap::new(),
            invariants,
            termination_arguments,
            vcs,
            symbols: Symbols::default(),
            array_abstraction: ArrayAbstraction::default(),
            supposed: false,
            held: BTreeSet::new(),
            unknown_after: None,
            follows_all: false,
            no_overflow: None,
            any_numbers: Vec::new(),
        })
    }

    /// The abstract loops, an outer one before those in it.
    pub fn abstract_loops(&self) -> &[AbstractLoop] {
        &self.encoder.findings.abstract_loops
    }

    /// Of what it speaks.
    pub const fn subject(&self) -> &'p Subject<'p> {
        self.subject
    }

    /// What is claimed.
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// How the program is examined.
    pub const fn mode(&self) -> &ProofMode {
        &self.mode
    }

    /// The encoding, to examine.
    pub fn encoder(&self) -> &Encoder<'p> {
        &self.encoder
    }

    /// What may be violated.
    pub fn vcs(&self) -> &[VerificationCondition] {
        &self.vcs
    }

    /// The paths that are not followed to their end.
    pub fn incomplete_paths(&self) -> &[IncompletePath] {
        &self.encoder.findings.incomplete
    }

    /// The program whose loops are abstracted.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// The invariants that were accepted for an abstract loop.
    pub fn invariants(&self, abstract_loop: usize) -> &[Formula] {
        &self.invariants[abstract_loop]
    }

    /// The abstract loops by nests: each outermost one with those in it. The order is that of execution.
    pub fn nests(&self) -> Vec<Vec<usize>> {
        let mut nests: Vec<Vec<usize>> = Vec::new();
        for (place, abstract_loop) in self.abstract_loops().iter().enumerate() {
            match (abstract_loop.outer, nests.last_mut()) {
                (Some(_), Some(nest)) => nest.push(place),
                _ => nests.push(vec![place]),
            }
        }
        nests
    }

    /// The names that evidence about a function's loops can use.
    pub fn names(&mut self, function: FunctionId) -> Rc<BTreeMap<Name, Named>> {
        let program = self.program;
        let make = || {
            Rc::new(program.functions[function].body().map(|body| names(program, body)).unwrap_or_default())
        };
        self.names.entry(function).or_insert_with(make).clone()
    }

    /// A formula about an abstract loop as a term, with a state of it as the one now.
    fn translate(&mut self, abstract_loop: usize, formula: &Formula, used: Use, now: &State) -> Option<Term> {
        self.with_interpretation(abstract_loop, now, None, |interpretation| {
            formula_in(interpretation, used, formula)
        })
        .ok()
    }

    /// Reads evidence about an abstract loop with a state of it as the one now, and perhaps one as the next.
    fn with_interpretation<T>(
        &mut self,
        abstract_loop: usize,
        now: &State,
        next: Option<&State>,
        read: impl FnOnce(&mut StateInterpretation<'_, 'p>) -> Checked<T>,
    ) -> Checked<T> {
        let missing = || Refusal::unsupported("a loop without a state");
        let function = self.abstract_loops()[abstract_loop].function;
        let names = self.names(function);
        let body = self.program.functions[function].body().ok_or_else(missing)?;
        let entry = self.abstract_loops()[abstract_loop].entries.first().ok_or_else(missing)?.clone();
        let start = match &self.encoder.start {
            Some((first, state))
                if *first == function && self.abstract_loops()[abstract_loop].stack.len() == 1 =>
            {
                Some(state.clone())
            }
            _ => None,
        };
        let any_numbers = &mut self.any_numbers;
        read(&mut StateInterpretation {
            encoder: &mut self.encoder,
            body,
            names: &names,
            any_numbers,
            start: start.as_ref(),
            entry: &entry,
            now,
            next,
        })
    }
}
