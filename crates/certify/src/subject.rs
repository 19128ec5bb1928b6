//! What a proof speaks of: a claim, and the program as the kernel reads it for that claim.
//!
//! Whatever is done to a program before it is encoded is done here, so that no client can prove something of another
//! program: the orders of evaluation that a property depends on, call chains in place of recursion, modular programs, and
//! assumptions at function entry.

use std::borrow::Cow;
use std::sync::Arc;

use base::Index;
use evidence::{AbstractionMode, Chains, Contract, Formula, Overflow, ProofMode, Property};
use program::interpret::{Integers, ObligationSet};
use program::outside::in_usual_order;
use program::{BlockId, Body, FunctionId, Obligation, Program};
use transform::contracts::{Contracts, by_contracts};
use transform::{Caller, Callers, ChainMemory, Probe, RecursionLoop, assuming, call_chains, with_probes};

use crate::results::{Guess, Known};

/// What is claimed: all runs that start in a function have a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Where runs start.
    pub function: FunctionId,
    /// The property.
    pub property: Property,
    /// What integers are.
    pub integers: Integers,
}

/// The functions of a program, each to be taken by itself.
#[derive(Debug)]
pub struct ModularFunctions<'p> {
    functions: transform::ModularFunctions<'p>,
    /// What was proved of the results of functions.
    results: Known,
}

impl<'p> ModularFunctions<'p> {
    /// Finds out once what all functions need to know of the program.
    pub fn of(program: &'p Program) -> Self {
        Self { functions: transform::ModularFunctions::of(program), results: Known::default() }
    }

    /// What was proved of the results of functions.
    pub const fn results(&self) -> &Known {
        &self.results
    }

    /// One function. Nothing if it has no body.
    pub fn function(&self, function: FunctionId) -> Option<ModularProgram> {
        Some(ModularProgram::new(self.functions.function(function)?))
    }

    /// The same for runs on which no signed number overflows: what was proved of the results of other functions is assumed
    /// after calls.
    pub fn with_results(&self, function: FunctionId) -> Option<ModularProgram> {
        self.informed(function, None)
    }

    /// A function that checks what is guessed of its results. Nothing if that cannot be written.
    pub fn guess(&self, function: FunctionId, clauses: &[Formula]) -> Option<ModularProgram> {
        self.informed(function, Some(self.results.guess(self.functions.program(), function, clauses)))
    }

    fn informed(&self, function: FunctionId, guess: Option<Guess>) -> Option<ModularProgram> {
        let whole = self.functions.program();
        let mut body = whole.functions[function].body()?.clone();
        self.results.assume(whole, &mut body, guess.as_ref());
        if let Some(guess) = &guess {
            guess.check(whole, &mut body)?;
        }
        let (program, guess) = (self.functions.function_of(function, body)?, guess.map(Arc::new));
        Some(ModularProgram { no_overflow: true, guess, ..ModularProgram::new(program) })
    }

    /// A function with probes, and the heads of their loops: the iterations of these count nothing but what they ask.
    pub fn with_probes(
        &self,
        function: FunctionId,
        probes: &[Probe],
    ) -> Option<(ModularProgram, Vec<BlockId>)> {
        let (body, heads) = self.probed(function, probes)?;
        Some((ModularProgram::new(self.functions.function_of(function, body)?), heads))
    }

    /// The same of a function that calls itself, as a loop whose iterations are nested calls; the head of that comes first.
    pub fn recursion_with_probes(
        &self,
        function: FunctionId,
        probes: &[Probe],
    ) -> Option<(ModularProgram, Vec<BlockId>)> {
        let (body, mut heads) = self.probed(function, probes)?;
        let RecursionLoop { program, head } = self.functions.self_recursion_of(function, body)?;
        heads.insert(0, head);
        Some((ModularProgram::new(program), heads))
    }

    fn probed(&self, function: FunctionId, probes: &[Probe]) -> Option<(Body, Vec<BlockId>)> {
        let whole = self.functions.program();
        let mut body = whole.functions[function].body()?.clone();
        let heads = with_probes(whole, &mut body, probes)?;
        Some((body, heads))
    }

    /// Some functions that call each other, as a loop of the first one whose iterations are nested calls; and its head.
    pub fn recursion(&self, circle: &[FunctionId]) -> Option<(ModularProgram, BlockId)> {
        let RecursionLoop { program, head } = self.functions.recursion(circle)?;
        Some((ModularProgram::new(program), head))
    }
}

/// A program of one function that stands on its own: it has any caller, and its callees may do anything.
#[derive(Clone, Debug)]
pub struct ModularProgram {
    program: Program,
    /// The condition under which the function is entered, if not always.
    condition: Option<Formula>,
    /// Whether it has only runs without overflow of signed machine integers.
    no_overflow: bool,
    /// What it checks of its results.
    guess: Option<Arc<Guess>>,
}

impl ModularProgram {
    const fn new(program: Program) -> Self {
        Self { program, condition: None, no_overflow: false, guess: None }
    }

    /// The same, where the function is entered only with values that fulfil a condition.
    pub fn assuming(&self, condition: &Formula) -> Option<Self> {
        let program = assuming(&self.program, self.function(), condition)?;
        let condition = match self.condition.clone() {
            Some(before) => before.and(condition.clone()),
            None => condition.clone(),
        };
        Some(Self { program, condition: Some(condition), no_overflow: self.no_overflow, guess: None })
    }

    /// The program. The function is the only one in it, and has a number of its own.
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The number of the function in this program.
    pub fn function(&self) -> FunctionId {
        Index::new(0)
    }

    /// Whether it speaks only of runs without overflow of signed numbers.
    pub const fn no_overflow(&self) -> bool {
        self.no_overflow
    }

    /// The body of the function.
    pub fn body(&self) -> Option<&Body> {
        self.program.functions[self.function()].body()
    }
}

/// Of which runs a proof speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// Those of the program that start in the function of the claim.
    OfProgram,
    /// Those of the function, whoever calls it and in whatever memory.
    OfAnyCaller,
    /// Those of the function whose calls meet its contract. They start in a function that makes all these calls.
    OfCallers,
}

/// A claim, and the program that it speaks of.
#[derive(Clone, Debug)]
pub struct Subject<'p> {
    program: Cow<'p, Program>,
    claim: Claim,
    runs: Runs,
    chains: Option<Chains>,
    condition: Option<Formula>,
    contracts: Vec<Contract>,
    /// Whether it speaks only of runs without overflow of signed numbers.
    pub(crate) no_overflow: bool,
    /// What the program checks of the results of its function.
    pub(crate) guess: Option<Arc<Guess>>,
}

impl<'p> Subject<'p> {
    /// All runs of a program that start in a function.
    pub fn of(program: &'p Program, claim: Claim) -> Self {
        let program = match claim.property {
            Property::UnreachCall => in_usual_order(program),
            _ => Cow::Borrowed(program),
        };
        Self::new(program, claim, Runs::OfProgram)
    }

    fn new(program: Cow<'p, Program>, claim: Claim, runs: Runs) -> Self {
        let (chains, condition, contracts) = (None, None, Vec::new());
        Self { program, claim, runs, chains, condition, contracts, no_overflow: false, guess: None }
    }

    /// The chains of calls of a program, for termination. Nothing if they do not tell whether every run ends.
    pub fn of_chains(program: &Program, claim: Claim, kept: Chains) -> Option<Self> {
        if claim.property != Property::Termination {
            return None;
        }
        let memory = match kept {
            Chains::WithMemory => ChainMemory::Kept,
            Chains::WithoutMemory => ChainMemory::Dropped,
        };
        let program = Cow::Owned(call_chains(program, claim.function, memory)?);
        Some(Self { chains: Some(kept), ..Self::new(program, claim, Runs::OfProgram) })
    }

    /// All runs of a program that start in a function, where calls of some functions are what their contracts say. Nothing if
    /// these contracts cannot be followed, or the property is about how runs end.
    pub fn of_contracts(program: &Program, claim: Claim, contracts: &[Contract]) -> Option<Self> {
        let about_ends = claim.property.obligations().contains(Obligation::Leak);
        if claim.property == Property::Termination || about_ends {
            return None;
        }
        let subject = Subject::of(program, claim);
        let known = Contracts::named(&subject.program, claim.integers, contracts)?;
        let program = Cow::Owned(by_contracts(&subject.program, claim.function, &known)?);
        Some(Self { contracts: contracts.to_vec(), ..Self::new(program, claim, Runs::OfProgram) })
    }

    /// All calls of a function that meet its contract, and what obligations of some kinds ask for there. Nothing if the
    /// contract cannot be followed.
    pub fn of_callers(
        callers: &Callers<'_>,
        contract: &Contract,
        kinds: ObligationSet,
        integers: Integers,
    ) -> Option<Subject<'static>> {
        let Caller { program, function, .. } = callers.with_caller(contract, integers)?;
        // What a caller hands over was written by it, or not: that is not known.
        let kinds = kinds.without(Obligation::Leak).without(Obligation::Uninitialised);
        let property = Property::Obligations(kinds.with(Obligation::Contract));
        let claim = Claim { function, property, integers };
        let contracts = vec![contract.clone()];
        Some(Subject { contracts, ..Subject::new(Cow::Owned(program), claim, Runs::OfCallers) })
    }

    /// The loops of one function, whoever calls it.
    pub fn modular(program: &'p ModularProgram, integers: Integers) -> Self {
        let ModularProgram { condition, no_overflow, guess, .. } = program.clone();
        // What is assumed of results was proved of machine integers.
        let integers = if no_overflow { Integers::Machine } else { integers };
        let claim = Claim { function: program.function(), property: Property::Termination, integers };
        let subject = Self::new(Cow::Borrowed(&program.program), claim, Runs::OfAnyCaller);
        Self { condition, no_overflow, guess, ..subject }
    }

    /// The same for integers without bounds.
    pub(crate) fn unbounded(&self) -> Self {
        let claim = Claim { integers: Integers::Mathematical, ..self.claim };
        Self { claim, ..self.clone() }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The claim.
    pub const fn claim(&self) -> Claim {
        self.claim
    }

    /// Of which runs a proof speaks.
    pub const fn runs(&self) -> Runs {
        self.runs
    }

    /// The condition under which the function is entered, if not always.
    pub const fn condition(&self) -> Option<&Formula> {
        self.condition.as_ref()
    }

    /// The contracts that calls are examined by.
    pub fn contracts(&self) -> &[Contract] {
        &self.contracts
    }

    /// How chains of calls are followed, if they are.
    pub const fn chains(&self) -> Option<Chains> {
        self.chains
    }
}

/// What must hold besides what is claimed: after something undefined a program may do anything. What no encoding can do
/// without (accesses in bounds, divisors that are not zero) is not listed here.
pub(crate) fn needed(mode: &ProofMode) -> ObligationSet {
    match mode.overflow {
        Overflow::Excluded => ObligationSet::EMPTY.with(Obligation::SignedOverflow),
        Overflow::Any | Overflow::Wraps => ObligationSet::EMPTY,
    }
}

/// A mode that asks for more than this is cut down to it: whoever wrote it has lost all measure.
const MOST_ITERATIONS: u64 = 1 << 20;
const MOST_ABSTRACTED: u64 = 64;
const MOST_DECIDED: u64 = 1 << 16;
const MOST_CALLS: usize = 200;

/// The mode, as far as the kernel follows it.
pub(crate) fn within_limits(mode: ProofMode) -> ProofMode {
    let limited = |abstraction_mode: AbstractionMode| AbstractionMode {
        iterations: abstraction_mode.iterations.clamp(1, MOST_ABSTRACTED),
        decided: abstraction_mode.decided.min(MOST_DECIDED),
    };
    ProofMode {
        iterations: mode.iterations.min(MOST_ITERATIONS),
        recursion: mode.recursion.min(MOST_CALLS),
        calls: mode.calls.min(MOST_CALLS),
        abstract_loops: mode.abstract_loops.map(limited),
        ..mode
    }
}
