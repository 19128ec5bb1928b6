//! Proves a contract as a whole, dropping what it ensures until the rest holds; or lists what may fail under it.

use std::collections::BTreeSet;

use base::Budget;
use certify::abstraction::{Abstraction, Effort};
use certify::{ContractCertificate, ListedObligation, Subject};
use engines::contracts::concise;
use evidence::{Contract, Overflow, Place, ProofMode, Property, Reason};
use program::interpret::{Integers, ObligationSet};
use transform::Callers;

use crate::alarms::examine_subject;
use crate::refute::Query;
use crate::verify::failing;

/// The share of the time in which invariants of loops are looked for.
const SUMMARISING: f64 = 0.4;

/// Proves a contract. Clauses that it ensures and that fail are dropped, and those that follow from others.
pub(super) fn prove(
    callers: &Callers<'_>,
    contract: &mut Contract,
    kinds: ObligationSet,
    integers: Integers,
    budget: &mut Budget,
) -> Option<ContractCertificate> {
    loop {
        let subject = Subject::of_callers(callers, contract, kinds, integers)?;
        match attempt(&subject, budget)? {
            Attempt::Failing(failing) => {
                if !contract.drop(&|note: &str| failing.contains(note)) {
                    return None;
                }
            }
            Attempt::Proved(certificate) => {
                let shorter = concise(&contract.ensures, budget);
                if shorter.len() == contract.ensures.len() {
                    return Some(certificate);
                }
                contract.ensures = shorter;
            }
        }
    }
}

/// Proves a contract as it is, or says which clauses may fail.
pub(super) fn prove_as_stated(
    callers: &Callers<'_>,
    contract: &Contract,
    kinds: ObligationSet,
    integers: Integers,
    budget: &mut Budget,
) -> Result<ContractCertificate, Vec<Reason>> {
    let subject = Subject::of_callers(callers, contract, kinds, integers).ok_or_else(Vec::new)?;
    match attempt(&subject, budget).ok_or_else(Vec::new)? {
        Attempt::Proved(certificate) => Ok(certificate),
        Attempt::Failing(failing) => {
            Err(failing.into_iter().map(|what| Reason::NotConfirmed { what, place: None }).collect())
        }
    }
}

/// What an attempt to prove a contract has shown.
enum Attempt {
    Proved(ContractCertificate),
    /// The notes of clauses that may fail.
    Failing(BTreeSet<String>),
}

fn attempt(subject: &Subject<'_>, budget: &mut Budget) -> Option<Attempt> {
    let effort = Effort::default();
    let mode = ProofMode::abstraction(1, Overflow::Wraps);
    let mut abstraction = Abstraction::new(subject, mode, budget).ok()?;
    if !abstraction.abstract_loops().is_empty() {
        let mut part = budget.share(SUMMARISING);
        engines::summarise(subject.program(), &mut abstraction, effort, &mut part, &mut |_| {});
    }
    let failing = failing(&mut abstraction, effort, budget);
    budget.spend(0).ok()?;
    match failing.is_empty() {
        true => abstraction.contract(effort, budget).map(Attempt::Proved),
        false => Some(Attempt::Failing(failing)),
    }
}

/// What may fail although callers keep to a contract, and why more than that may.
pub(super) fn open(
    callers: &Callers<'_>,
    contract: &Contract,
    kinds: ObligationSet,
    integers: Integers,
    budget: &mut Budget,
) -> Option<(Vec<ListedObligation>, Vec<Reason>)> {
    let subject = Subject::of_callers(callers, contract, kinds, integers)?;
    let program = subject.program();
    let caller = subject.claim().function;
    let query = Query {
        property: Property::Obligations(kinds),
        function: program.functions[caller].name.clone(),
        integers,
    };
    let (found, mut reasons) = examine_subject(&subject, &query, budget, &mut |_| {});
    let listed = found.into_iter().filter(|((function, ..), _)| *function != caller);
    let mut open: Vec<ListedObligation> = listed
        .filter(|(_, (status, _))| !status.holds())
        .map(|((_, location, obligation), (status, asked))| ListedObligation {
            obligation,
            place: Place::of(program, location),
            asked,
            status,
        })
        .collect();
    open.sort_by(|a, b| a.place.cmp(&b.place));
    reasons.dedup();
    Some((open, reasons))
}
