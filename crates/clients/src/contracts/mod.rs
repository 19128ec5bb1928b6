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
use certify::{ContractCertificate, ListedObligation, Status, Subject, Verdict};
use engines::contracts::Proposed;
use evidence::{Contract, Counterexample, Failure, Formula, Place, Property, Reason, Side};
use program::interpret::{Integers, ObligationSet};
use program::{FunctionId, Program, VariableId};
use transform::frames::{Frame, Frames};
use transform::{CallGraph, Caller, Callers};

use crate::refute::{self, Query};

pub use crate::alarms::USUAL;

/// The steps of the runs that look for a call that goes wrong.
const STEPS: u64 = 300_000;

/// How often a contract is changed because a run breaks it.
const ROUNDS: usize = 6;

/// How often a contract is changed because a run is found on the way to a proof.
pub(crate) const REPAIRS: usize = 4;

/// The share of the time that is left in which a contract is proved, or what may fail is listed.
const ATTEMPT: f64 = 0.5;

/// The share of the time of a function in which runs are made, and in which the contract is proved as a whole.
const RUNNING: f64 = 0.3;
const PROVING: f64 = 0.6;

/// What was found out about a function.
#[derive(Debug)]
pub struct FunctionContract {
    /// The function.
    pub function: FunctionId,
    /// What it requires and sees to.
    pub contract: Contract,
    /// What is known of it.
    pub standing: Standing,
}

/// What is known of a contract.
#[derive(Debug)]
pub enum Standing {
    /// It is proved.
    Proved(ContractCertificate),
    /// Each obligation is proved under it. Nothing is claimed of what is so after a call.
    EachProved,
    /// Some obligations may fail although callers keep to it.
    Open {
        /// They.
        obligations: Vec<ListedObligation>,
        /// Why others may.
        reasons: Vec<Reason>,
    },
}

impl FunctionContract {
    /// Whether nothing goes wrong as long as callers keep to it.
    pub const fn is_safe(&self) -> bool {
        matches!(self.standing, Standing::Proved(_) | Standing::EachProved)
    }
}

/// The functions of a program whose contracts can be found, callees first.
pub fn functions(program: &Program) -> Vec<FunctionId> {
    CallGraph::of(program).callees_first().into_iter().flatten().collect()
}

/// Finds contracts.
#[derive(Debug)]
pub struct Inference<'p> {
    callers: Callers<'p>,
    frames: Frames,
    kinds: ObligationSet,
    integers: Integers,
}

impl<'p> Inference<'p> {
    /// Contracts under which obligations of some kinds hold.
    pub fn new(program: &'p Program, kinds: ObligationSet, integers: Integers) -> Self {
        Self { callers: Callers::of(program), frames: Frames::of(program), kinds, integers }
    }

    /// A contract under which sample runs of a function go well. Nothing if calls of the function cannot be made.
    pub(crate) fn propose(&self, function: FunctionId, budget: &Budget) -> Option<Proposed> {
        Proposed::of(&self.callers, function, self.integers, &budget.share(RUNNING))
    }

    /// Changes a contract until no run breaks it that is found soon. A run that no change excludes is given.
    fn settle(&self, proposed: &mut Proposed, budget: &Budget) -> Option<Counterexample> {
        for _ in 0..ROUNDS {
            let found = self.violation(&proposed.contract, &budget.share(RUNNING))?;
            if !excludes(proposed, &found) {
                return Some(found);
            }
        }
        None
    }

    /// What a function requires, and the calls that meet it. Nothing if it requires nothing.
    pub(crate) fn required(
        &self,
        proposed: &mut Proposed,
        budget: &Budget,
    ) -> Option<(Contract, Subject<'static>)> {
        self.settle(proposed, budget);
        let contract = without_claims(&proposed.contract);
        if contract.objects.is_empty() && contract.requires.is_empty() {
            return None;
        }
        let subject = Subject::of_callers(&self.callers, &contract, self.kinds, self.integers)?;
        Some((contract, subject))
    }

    /// The contract of a function.
    pub fn infer(&self, function: FunctionId, budget: &Budget) -> FunctionContract {
        let Some(mut proposed) = self.propose(function, budget) else {
            return self.unknown(function, self.cannot_be_called(function));
        };
        let mut rounds = REPAIRS;
        loop {
            let found = self.attempt(function, &mut proposed, &mut budget.share(ATTEMPT));
            rounds -= 1;
            let Standing::Open { obligations, .. } = &found.standing else { return found };
            let runs = obligations.iter().filter_map(|one| match &one.status {
                Status::Refuted { counterexample } => Some(counterexample),
                _ => None,
            });
            let excluded = runs.filter(|run| excludes(&mut proposed, run)).count();
            if rounds == 0 || excluded == 0 || budget.clone().spend(0).is_err() {
                return found;
            }
        }
    }

    /// Proves a contract, or lists what may fail under it.
    fn attempt(
        &self,
        function: FunctionId,
        proposed: &mut Proposed,
        budget: &mut Budget,
    ) -> FunctionContract {
        let finding = self.settle(proposed, budget);
        let mut contract = proposed.contract.clone();
        if finding.is_none() {
            let mut part = budget.share(PROVING);
            let proof = prove::prove(&self.callers, &mut contract, self.kinds, self.integers, &mut part);
            if let Some(certificate) = proof {
                let contract = certificate.contract().clone();
                return FunctionContract { function, contract, standing: Standing::Proved(certificate) };
            }
        }
        contract = without_claims(&contract);
        let Some((mut open, reasons)) =
            prove::open(&self.callers, &contract, self.kinds, self.integers, budget)
        else {
            return self.unknown(function, self.cannot_be_called(function));
        };
        if let Some(found) = finding {
            add_finding(&mut open, found);
        }
        let standing = if open.is_empty() && reasons.is_empty() {
            Standing::EachProved
        } else {
            Standing::Open { obligations: open, reasons }
        };
        FunctionContract { function, contract, standing }
    }

    /// Whether a function meets a contract that somebody stated for it. What it may assign besides what pointers lead to is
    /// named, or not.
    pub fn check(
        &self,
        function: FunctionId,
        contract: &Contract,
        assigned: Option<&[String]>,
        budget: &Budget,
    ) -> FunctionContract {
        let mut budget = budget.clone();
        let (contract, unchecked) = self.checkable(contract);
        let finding = self.breach(&contract, &budget.share(RUNNING));
        let mut reasons: Vec<Reason> =
            self.unnamed(function, assigned).into_iter().chain(unchecked).collect();
        if finding.is_none() && reasons.is_empty() {
            let mut part = budget.share(PROVING);
            match prove::prove_as_stated(&self.callers, &contract, self.kinds, self.integers, &mut part) {
                Ok(certificate) => {
                    return FunctionContract { function, contract, standing: Standing::Proved(certificate) };
                }
                Err(more) => reasons.extend(more),
            }
        }
        let without = without_claims(&contract);
        let Some((mut obligations, more)) =
            prove::open(&self.callers, &without, self.kinds, self.integers, &mut budget)
        else {
            return self.unknown(function, self.cannot_be_called(function));
        };
        reasons.extend(more);
        if let Some(found) = finding {
            add_finding(&mut obligations, found);
        }
        FunctionContract { function, contract, standing: Standing::Open { obligations, reasons } }
    }

    /// The contract without what it ensures and cannot be examined, and that.
    fn checkable(&self, contract: &Contract) -> (Contract, Vec<Reason>) {
        let only = |ensures: Vec<Formula>| Contract { ensures, ..contract.clone() };
        let is_written =
            |clause: &Formula| self.callers.with_caller(&only(vec![clause.clone()]), self.integers).is_some();
        if self.callers.with_caller(contract, self.integers).is_some() {
            return (contract.clone(), Vec::new());
        }
        let (written, others): (Vec<usize>, Vec<usize>) =
            (0..contract.ensures.len()).partition(|&place| is_written(&contract.ensures[place]));
        let unchecked = others.into_iter().map(|place| Reason::NotConfirmed {
            what: format!("ensures {}: this cannot be examined", contract.spelled(Side::Ensures, place)),
            place: None,
        });
        let unchecked = unchecked.collect();
        (only(written.into_iter().map(|place| contract.ensures[place].clone()).collect()), unchecked)
    }

    /// The variables of the program that a function assigns at most, besides what pointers lead to. Nothing if it may write
    /// objects of the program.
    pub fn assigned(&self, function: FunctionId) -> Option<Vec<String>> {
        let (program, frame) = (self.callers.program(), self.frames.of_function(function));
        if matches!(frame, Frame::Everything)
            || frame.writes_memory() && self.callers.writable_objects(function)
        {
            return None;
        }
        let is_assigned = |place: &usize| frame.assigns(program, VariableId::global(*place));
        let globals = (0..program.globals.len()).filter(is_assigned);
        Some(globals.map(|place| program.globals[place].variable.name.clone()).collect())
    }

    /// Why a function may assign more than is named.
    fn unnamed(&self, function: FunctionId, named: Option<&[String]>) -> Option<Reason> {
        let named = named?;
        let what = match self.assigned(function) {
            None => String::from("which variables and objects it leaves as they are"),
            Some(all) => {
                let more: Vec<&str> =
                    all.iter().filter(|name| !named.contains(name)).map(String::as_str).collect();
                if more.is_empty() {
                    return None;
                }
                format!("that it does not assign {}", more.join(", "))
            }
        };
        let program = self.callers.program();
        Some(Reason::NotConfirmed { what, place: Place::of(program, program.functions[function].location) })
    }

    /// That nothing is known of a function.
    pub fn unknown(&self, function: FunctionId, reason: Reason) -> FunctionContract {
        let name = self.callers.program().functions[function].name.clone();
        let contract = Contract::ensuring(name, Vec::new());
        let standing = Standing::Open { obligations: Vec::new(), reasons: vec![reason] };
        FunctionContract { function, contract, standing }
    }

    fn cannot_be_called(&self, function: FunctionId) -> Reason {
        let program = self.callers.program();
        let place = Place::of(program, program.functions[function].location);
        Reason::Unsupported { construct: String::from("a function whose calls cannot be made"), place }
    }

    /// A call that the contract allows and that goes wrong.
    fn violation(&self, contract: &Contract, budget: &Budget) -> Option<Counterexample> {
        self.breach(&without_claims(contract), budget)
    }

    /// A call that the contract allows and that goes wrong, or breaks what it ensures.
    fn breach(&self, contract: &Contract, budget: &Budget) -> Option<Counterexample> {
        let Caller { program, function, .. } = self.callers.with_caller(contract, self.integers)?;
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

/// Adds what a run shows to the obligations that may fail.
fn add_finding(open: &mut Vec<ListedObligation>, found: Counterexample) {
    let Failure::Violation { obligation, place, .. } = &found.failure else { return };
    let (obligation, place) = (*obligation, place.clone());
    open.retain(|one| one.obligation != obligation || one.place != place);
    let status = Status::Refuted { counterexample: Box::new(found) };
    open.push(ListedObligation { obligation, place, asked: true, status });
    open.sort_by(|a, b| a.place.cmp(&b.place));
}

/// Takes a run into account that goes wrong although the call meets a contract. Whether the contract excludes it now.
pub(crate) fn excludes(proposed: &mut Proposed, run: &Counterexample) -> bool {
    let inputs = run.inputs.iter();
    let inputs = inputs.map(|input| (input.name.as_str(), input.value.parse().unwrap_or_default()));
    proposed.exclude(&inputs.collect::<Vec<_>>())
}

/// A contract that claims nothing of what is so after a call.
fn without_claims(contract: &Contract) -> Contract {
    let mut without = Contract { ensures: Vec::new(), ..contract.clone() };
    without.objects.iter_mut().for_each(|object| object.changed = true);
    without
}
