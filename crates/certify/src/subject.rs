//! What a proof speaks of: a claim, and the program as the kernel reads it for that claim.
//!
//! Whatever is done to a program before it is encoded is done here, so that no client can prove something of another
//! program: the orders of evaluation that a property depends on, call chains in place of recursion, modular programs, and
//! assumptions at function entry.

use std::borrow::Cow;

use evidence::{AbstractionMode, Chains, Contract, Formula, Overflow, ProofMode, Property};
use program::interpret::{Integers, ObligationSet};
use program::outside::in_usual_order;
use program::{BlockId, Definition, FunctionId, Obligation, Program};
use transform::{RecursionLoop, modular, mutual_calls_as_loop, self_calls_as_loop};

use crate::claimed::{assuming, chains, contracted};

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

/// A program in which every function stands on its own: it has any caller, and its callees may do anything.
#[derive(Clone, Debug)]
pub struct ModularProgram {
    program: Program,
    /// The condition under which a function is entered, if not always.
    condition: Option<Formula>,
}

impl ModularProgram {
    /// The modular program of a program.
    pub fn of(program: &Program) -> Self {
        Self::entered_anyhow(modular(program))
    }

    /// Some functions that call each other, as a loop of the first one whose iterations are nested calls; and its head.
    pub fn of_recursion(program: &Program, circle: &[FunctionId]) -> Option<(Self, BlockId)> {
        let RecursionLoop { program, head } = match *circle {
            [function] => {
                let nested = self_calls_as_loop(program, function)?;
                RecursionLoop { program: modular(&nested.program), head: nested.head }
            }
            _ => mutual_calls_as_loop(program, circle)?,
        };
        Some((Self::entered_anyhow(program), head))
    }

    /// The same, where a function is entered only with values that fulfil a condition.
    pub fn assuming(&self, function: FunctionId, condition: &Formula) -> Option<Self> {
        let program = assuming(&self.program, function, condition)?;
        let condition = match self.condition.clone() {
            Some(before) => before.and(condition.clone()),
            None => condition.clone(),
        };
        Some(Self { program, condition: Some(condition) })
    }

    /// The same without the bodies of all other functions: one that stands on its own needs no other.
    pub fn only(&self, function: FunctionId) -> Self {
        let mut program = self.program.clone();
        for (other, description) in program.functions.iter_mut() {
            if other != function && description.body().is_some() {
                description.definition = Definition::External;
            }
        }
        Self { program, condition: self.condition.clone() }
    }

    /// The program.
    pub const fn program(&self) -> &Program {
        &self.program
    }

    const fn entered_anyhow(program: Program) -> Self {
        Self { program, condition: None }
    }
}

/// Of which runs a proof speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// Those of the program that start in the function of the claim.
    OfProgram,
    /// Those of the function, whoever calls it and in whatever memory.
    OfAnyCaller,
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
}

impl<'p> Subject<'p> {
    /// All runs of a program that start in a function.
    pub fn of(program: &'p Program, claim: Claim) -> Self {
        let program = match claim.property {
            Property::UnreachCall => in_usual_order(program),
            _ => Cow::Borrowed(program),
        };
        Self { program, claim, runs: Runs::OfProgram, chains: None, condition: None, contracts: Vec::new() }
    }

    /// The chains of calls of a program, for termination. Nothing if they do not tell whether every run ends.
    pub fn of_chains(program: &Program, claim: Claim, kept: Chains) -> Option<Self> {
        if claim.property != Property::Termination {
            return None;
        }
        let program = Cow::Owned(chains(program, claim.function, kept)?);
        Some(Self {
            program,
            claim,
            runs: Runs::OfProgram,
            chains: Some(kept),
            condition: None,
            contracts: Vec::new(),
        })
    }

    /// All runs of a program that start in a function, where calls of some functions are what their contracts say. Nothing if
    /// these contracts cannot be followed, or the property is about how runs end.
    pub fn of_contracts(program: &Program, claim: Claim, contracts: &[Contract]) -> Option<Self> {
        let about_ends = claim.property.obligations().contains(Obligation::Leak);
        if claim.property == Property::Termination || about_ends {
            return None;
        }
        let subject = Subject::of(program, claim);
        let program = Cow::Owned(contracted(&subject.program, claim.function, claim.integers, contracts)?);
        let contracts = contracts.to_vec();
        Some(Self { program, claim, runs: Runs::OfProgram, chains: None, condition: None, contracts })
    }

    /// The loops of one function, whoever calls it.
    pub fn modular(program: &'p ModularProgram, function: FunctionId, integers: Integers) -> Self {
        let claim = Claim { function, property: Property::Termination, integers };
        let (condition, program) = (program.condition.clone(), Cow::Borrowed(&program.program));
        Self { program, claim, runs: Runs::OfAnyCaller, chains: None, condition, contracts: Vec::new() }
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
