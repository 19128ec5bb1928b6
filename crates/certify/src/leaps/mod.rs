//! The whole program with its loops leapt over: facts about its loops are checked, and then whether anything can be
//! violated in what is left.
//!
//! ```text
//! encoding with leaps ─► candidates per loop ─► those that hold at entry and are kept by a pass ─► facts
//!                                                                   demands, each violated or not ◄─┘
//! ```
//!
//! Proof rule (LoopFrog, Theorem 1 and Algorithm 1): a leap allows every pass of a loop as long as the facts that are
//! assumed at the head hold whenever control is there. They do if each holds at the entries and, with all facts assumed at
//! the heads before, again after the passes of the leap; this is asked for all loops of a nest together, since what holds
//! in an outer loop helps an inner one and the other way round. If no demand of the encoding can be violated and no loose
//! end reached, no run of the program violates anything. Runs need not end for that.

pub mod after;
mod blind;
mod bounds;
mod check;
mod endings;
mod ends;
mod exits;
mod explain;
mod local;
mod obligations;
mod reach;
mod slice;
mod subset;
mod sums;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, Stop};
use encoding::{Demand, Encoder, Leap, Leaps, Loose, Options, State};
use evidence::{Formula, Manner, Name, Overflow, Termination};
use logic::Term;
use program::{FunctionId, Program};

pub use self::bounds::{Bounded, Bounding, Reference, Restated};
pub use self::check::Finding;
pub use self::endings::Ending;
pub use self::exits::{Count, Edge};
pub use self::explain::{Story, StoryAccess, StoryObject, StoryStep};
pub use self::local::{LoopArgument, LoopCertificate};
pub use self::obligations::{ObligationCertificate, ObligationKey};
pub use self::reach::{Obstacle, UnreachedMarks};
pub use self::subset::{Batch, Effort};
pub use self::words::{Named, names};

use self::blind::Blindness;
use self::slice::Symbols;
use self::words::StateWords;
use crate::answer::Refusal;
use crate::subject::{Claim, Subject, needed, within_limits};
use crate::wide::{Use, formula_in};

/// A program whose loops are leapt over.
pub struct Leaping<'p> {
    program: &'p Program,
    subject: &'p Subject<'p>,
    claim: Claim,
    manner: Manner,
    encoder: Encoder<'p>,
    names: BTreeMap<FunctionId, Rc<BTreeMap<Name, Named>>>,
    /// The facts that hold at the heads of loops, by leap.
    facts: Vec<Vec<Formula>>,
    /// Why loops are left, by leap, as far as it is known.
    endings: Vec<Option<Termination>>,
    demands: Vec<Demand>,
    symbols: Symbols,
    blindness: Blindness,
    /// Whether something was supposed that nobody has checked: nothing is proved then.
    supposed: bool,
    /// The demands that were shown to hold.
    held: BTreeSet<usize>,
    /// What comes after loose ends that control may come to, once that was examined.
    unknown_after: Option<Vec<after::After>>,
    /// Whether it is known that control comes to no loose end.
    follows_all: bool,
    /// Whether no signed number overflows, once that was examined.
    no_overflow: Option<bool>,
    /// Symbols for numbers of which something is to be shown. A question asks for one candidate that fails, whichever, so
    /// that all can speak of the same numbers: indices into arrays stay few.
    any_numbers: Vec<Term>,
}

/// A fact that somebody thinks holds whenever control is at the head of a loop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// The leap, by its place in the list.
    pub leap: usize,
    /// The fact.
    pub formula: Formula,
}

impl<'p> Leaping<'p> {
    /// Encodes the program of a subject as a mode says: with its loops leapt over, or followed as deep as is said. What goes
    /// on after that is a loose end.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(subject: &'p Subject<'_>, manner: Manner, budget: &mut Budget) -> Result<Self, Stop> {
        let (program, claim) = (subject.program(), subject.claim());
        let manner = Manner { chains: subject.chains(), ..within_limits(manner) };
        let any_overflow = manner.overflow == Overflow::Any;
        let leaps =
            manner.leaps.map(|leapt| Leaps { steps: leapt.passes, decided: leapt.decided, any_overflow });
        let options = Options {
            integers: claim.integers,
            checks: claim.property.obligations(),
            needed: needed(&manner),
            passes: manner.passes.max(leaps.map_or(0, |leaps| leaps.steps - 1)),
            leaps,
            call_depth: manner.calls,
            recursion: manner.recursion,
            any_overflow: false,
            outside_returns: true,
            kept_pointers: false,
            trace: true,
        };
        let mut encoder = Encoder::new(program, options, budget.clone());
        let encoded = encoder.run(claim.function);
        *budget = encoder.budget.clone();
        encoded?;
        let facts = vec![Vec::new(); encoder.findings.leaps.len()];
        let endings = vec![None; facts.len()];
        let demands = std::mem::take(&mut encoder.findings.demands);
        Ok(Self {
            program,
            subject,
            claim,
            manner,
            encoder,
            names: BTreeMap::new(),
            facts,
            endings,
            demands,
            symbols: Symbols::default(),
            blindness: Blindness::default(),
            supposed: false,
            held: BTreeSet::new(),
            unknown_after: None,
            follows_all: false,
            no_overflow: None,
            any_numbers: Vec::new(),
        })
    }

    /// The leaps, an outer one before those in it.
    pub fn leaps(&self) -> &[Leap] {
        &self.encoder.findings.leaps
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
    pub const fn manner(&self) -> &Manner {
        &self.manner
    }

    /// The encoding, to look at.
    pub fn encoder(&self) -> &Encoder<'p> {
        &self.encoder
    }

    /// What may be violated.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// The paths that are not followed to their end.
    pub fn loose_ends(&self) -> &[Loose] {
        &self.encoder.findings.loose
    }

    /// The facts that were accepted for a leap.
    pub fn facts(&self, leap: usize) -> &[Formula] {
        &self.facts[leap]
    }

    /// The leaps by nests: each outermost one with those in it. The order is that of execution.
    pub fn nests(&self) -> Vec<Vec<usize>> {
        let mut nests: Vec<Vec<usize>> = Vec::new();
        for (place, leap) in self.leaps().iter().enumerate() {
            match (leap.outer, nests.last_mut()) {
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

    /// A formula about a leap as a term, with a state of it as the one now.
    fn translate(&mut self, leap: usize, formula: &Formula, used: Use, now: &State) -> Option<Term> {
        self.in_words(leap, now, None, |words| formula_in(words, used, formula)).ok()
    }

    /// Reads evidence about a leap with a state of it as the one now, and perhaps one as the next.
    fn in_words<T>(
        &mut self,
        leap: usize,
        now: &State,
        next: Option<&State>,
        read: impl FnOnce(&mut StateWords<'_, 'p>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let missing = || Refusal::unsupported("a loop without a state");
        let function = self.leaps()[leap].function;
        let names = self.names(function);
        let body = self.program.functions[function].body().ok_or_else(missing)?;
        let entry = self.leaps()[leap].entries.first().ok_or_else(missing)?.clone();
        let start = match &self.encoder.start {
            Some((first, state)) if *first == function && self.leaps()[leap].stack.len() == 1 => {
                Some(state.clone())
            }
            _ => None,
        };
        let any_numbers = &mut self.any_numbers;
        read(&mut StateWords {
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
