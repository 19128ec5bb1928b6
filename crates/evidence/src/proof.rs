//! A proof as data: what is claimed of the loops of a program, for the kernel to check.

use program::{BlockId, FunctionId};

use crate::contract::Contract;
use crate::expression::Formula;
use crate::forms::{Evidence, Summary, Termination};
use crate::proof_mode::ProofMode;
use crate::shapes::Shapes;

/// Evidence for a claim: from a witness, or from whoever searched.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Proof {
    /// How the program is examined.
    pub mode: ProofMode,
    /// What is claimed of loops.
    pub claims: Vec<Claimed>,
    /// Contracts of functions whose calls are examined by them.
    pub contracts: Vec<Contract>,
    /// In place of all that: the shapes of lists, with ranking functions.
    pub shapes: Option<Shapes>,
}

impl Proof {
    /// The proof that evidence about loops is, if it is about loops.
    pub fn of(evidence: &Evidence, mode: ProofMode) -> Option<Self> {
        match evidence {
            Evidence::Loops(loops) => Some(Self::of_loops(loops, mode)),
            Evidence::Contracts { contracts, loops } => {
                Some(Self { contracts: contracts.clone(), ..Self::of_loops(loops, mode) })
            }
            Evidence::Unrolling(_) | Evidence::Shapes(_) => None,
        }
    }

    fn of_loops(summaries: &[Summary], mode: ProofMode) -> Self {
        let mut claims = Vec::new();
        for (abstract_loop, summary) in summaries.iter().enumerate() {
            let of = Of::AbstractLoop(abstract_loop);
            let invariants = summary
                .invariants
                .iter()
                .map(|invariant| Statement::LoopInvariant(invariant.formula.clone()));
            let argument = summary.termination.iter().map(|argument| Statement::Left(argument.clone()));
            claims.extend(invariants.chain(argument).map(|what| Claimed { of, what }));
        }
        Self { mode, claims, ..Self::default() }
    }
}

/// What is claimed of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    /// Of which one.
    pub of: Of,
    /// What is claimed.
    pub what: Statement,
}

/// The loop of which something is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// The loop with this head, wherever it is called from.
    Loop(FunctionId, BlockId),
    /// One abstract loop for it, by its place in the list of abstract loops.
    AbstractLoop(usize),
}

/// What is claimed.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// It holds whenever control is at the head.
    LoopInvariant(Formula),
    /// Why it is left.
    Left(Termination),
}
