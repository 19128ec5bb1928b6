//! What functions require of their callers, and what they see to then.
//!
//! ```text
//! sample runs ─► a contract ─► runs of all callers it allows ─► one goes wrong: the contract excludes it, or it is a finding
//!                    ▲                     │ none does
//!                    │                     ▼
//!                    └── clauses fail ── proof ─► the contract is proved, or its obligations are listed
//! ```
//!
//! Functions are taken one by one. What a function calls is followed in place.

mod prove;

use base::Budget;
use certify::{ContractCertificate, ListedObligation, Verdict};
use engines::contracts::Proposed;
use evidence::{Contract, Counterexample, Place, Property, Reason};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Program};
use transform::{CallGraph, Caller, Callers};

use crate::refute::{self, Query};

pub use crate::alarms::USUAL;

/// The steps of the runs that look for a call that goes wrong.
const STEPS: u64 = 300_000;

/// How often a contract is changed because a run breaks it.
const ROUNDS: usize = 6;

/// The share of the time of a function in which runs are made, and in which the contract is proved as a whole.
const RUNNING: f64 = 0.3;
const PROVING: f64 = 0.6;

/// What was found out about a function.
#[derive(Debug)]
pub struct FunctionContract {
    /// The function.
    pub function: FunctionId,
    /// What it requires and sees to. What is ensured was proved, unless nothing was.
    pub contract: Contract,
    /// The proof.
    pub certificate: Option<ContractCertificate>,
    /// The obligations of the function and of what it calls that may fail although callers keep to the contract.
    pub open: Vec<ListedObligation>,
    /// Why nothing is known.
    pub reason: Option<Reason>,
}

/// The functions of a program whose contracts can be found, callees first.
pub fn functions(program: &Program) -> Vec<FunctionId> {
    CallGraph::of(program).bottom_up()
}

/// Finds contracts.
#[derive(Debug)]
pub struct Inference<'p> {
    callers: Callers<'p>,
    kinds: ObligationSet,
    integers: Integers,
}

impl<'p> Inference<'p> {
    /// Contracts under which obligations of some kinds hold.
    pub fn new(program: &'p Program, kinds: ObligationSet, integers: Integers) -> Self {
        Self { callers: Callers::of(program), kinds, integers }
    }

    /// The contract of a function.
    pub fn infer(&self, function: FunctionId, budget: &Budget) -> FunctionContract {
        let mut budget = budget.clone();
        let Some(mut proposed) = Proposed::of(&self.callers, function, self.integers, &budget.share(RUNNING))
        else {
            return self.unknown(function, self.cannot_be_called(function));
        };
        let mut finding = None;
        for _ in 0..ROUNDS {
            let Some(found) = self.violation(&proposed.contract, &budget.share(RUNNING)) else { break };
            let inputs = found.inputs.iter();
            let inputs = inputs.map(|input| (input.name.as_str(), input.value.parse().unwrap_or_default()));
            if !proposed.exclude(&inputs.collect::<Vec<_>>()) {
                finding = Some(found);
                break;
            }
        }
        let mut contract = proposed.contract;
        let mut certificate = None;
        if finding.is_none() {
            let mut part = budget.share(PROVING);
            certificate = prove::prove(&self.callers, &mut contract, self.kinds, self.integers, &mut part);
        }
        if let Some(certificate) = certificate {
            let contract = certificate.contract().clone();
            return FunctionContract {
                function,
                contract,
                certificate: Some(certificate),
                open: Vec::new(),
                reason: None,
            };
        }
        contract = without_claims(&contract);
        let open = prove::open(&self.callers, &contract, self.kinds, self.integers, &mut budget);
        let reason = budget.spend(0).err().map(|stop| Reason::Budget { stop });
        FunctionContract { function, contract, certificate: None, open, reason }
    }

    /// That nothing is known of a function.
    pub fn unknown(&self, function: FunctionId, reason: Reason) -> FunctionContract {
        let name = self.callers.program().functions[function].name.clone();
        let contract = Contract::ensuring(name, Vec::new());
        FunctionContract { function, contract, certificate: None, open: Vec::new(), reason: Some(reason) }
    }

    fn cannot_be_called(&self, function: FunctionId) -> Reason {
        let program = self.callers.program();
        let place = Place::of(program, program.functions[function].location);
        Reason::Unsupported { construct: String::from("a function whose calls cannot be made"), place }
    }

    /// A call that the contract allows and that goes wrong.
    fn violation(&self, contract: &Contract, budget: &Budget) -> Option<Counterexample> {
        let contract = without_claims(contract);
        let Caller { program, function, .. } = self.callers.with_caller(&contract, self.integers)?;
        let query = Query {
            property: Property::Obligations(self.kinds),
            function: program.functions[function].name.clone(),
            integers: self.integers,
        };
        match refute::refute(&program, &query, &budget.part(STEPS), &mut |_| {}) {
            Verdict::Refuted { counterexample } => Some(*counterexample),
            _ => None,
        }
    }
}

/// A contract that claims nothing of what is so after a call.
fn without_claims(contract: &Contract) -> Contract {
    let mut without = Contract { ensures: Vec::new(), ..contract.clone() };
    without.objects.iter_mut().for_each(|object| object.changed = true);
    without
}
