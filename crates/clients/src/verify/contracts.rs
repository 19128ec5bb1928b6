//! Proves programs with recursion: calls are what contracts say, and the contracts are proved by induction on calls.
//!
//! ```text
//! guessed clauses ─► the program under them ─► clauses that fail ─► dropped ─┐
//!                         ▲                            │ none               │
//!                         └────────────────────────────┼────────────────────┘
//!                                                      ▼ is the claim proved?
//! ```
//!
//! Clauses are dropped until the rest hold together (Houdini; Flanagan and Leino).

use std::collections::BTreeSet;

use base::Budget;
use certify::abstraction::{Abstraction, Effort, Finding};
use certify::{Claim, Subject, Verdict};
use evidence::{Contract, Overflow, ProofMode, Reason};
use program::{Obligation, Program};
use transform::contracts::contractible;

use super::Progress;
use crate::confirm::shorter;

/// The share of the time of a round in which invariants of loops are looked for.
const SUMMARISING: f64 = 0.3;

/// The share of the time that is left in which a proof is made shorter.
const SHORTENING: f64 = 0.1;

/// Proves a claim with contracts of the functions that call themselves or each other.
pub(super) fn by_contracts(
    program: &Program,
    claim: Claim,
    budget: &Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Verdict, Vec<Reason>> {
    let mut budget = budget.clone();
    let functions = contractible(program, claim.function);
    if functions.is_empty() {
        return Err(Vec::new());
    }
    let mut contracts = engines::contracts::propose(program, &functions, claim.integers, &budget);
    let effort = Effort::default();
    while budget.spend(0).is_ok()
        && let Some(subject) = Subject::of_contracts(program, claim, &contracts)
    {
        // Where values are asked for, programs rely on wrapping.
        let mode = ProofMode::abstraction(1, Overflow::Wraps);
        let mut abstraction = Abstraction::new(&subject, mode, &mut budget).map_err(|_| Vec::new())?;
        if !abstraction.abstract_loops().is_empty() {
            let mut part = budget.share(SUMMARISING);
            engines::summarise(subject.program(), &mut abstraction, effort, &mut part, &mut |now| {
                progress(Progress::Summarising(now.done, now.all));
            });
        }
        let failing = failing(&mut abstraction, effort, &mut budget);
        budget.spend(0).map_err(|_| Vec::new())?;
        if failing.is_empty() {
            let certificate = abstraction.conclude(effort, &mut budget).ok_or_else(Vec::new)?;
            // Of the guesses that hold, people want those that matter.
            let shorter = shorter(program, &certificate, &budget.share(SHORTENING));
            return Ok(Verdict::Proved(shorter.unwrap_or(certificate)));
        }
        let is_failing = |note: &str| failing.contains(note);
        let dropped = |contract: &mut Contract| contract.drop(&is_failing);
        if contracts.iter_mut().map(dropped).filter(|any| *any).count() == 0 {
            break;
        }
    }
    Err(Vec::new())
}

/// The notes of clauses that may fail.
pub(crate) fn failing(
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> BTreeSet<String> {
    let mut failing = BTreeSet::new();
    let is_clause = |vc: &usize| abstraction.vcs()[*vc].obligation == Obligation::Contract;
    let mut left: Vec<usize> = (0..abstraction.vcs().len()).filter(is_clause).collect();
    while !left.is_empty() {
        let violated = match abstraction.violated(&left, effort, budget) {
            Ok(violated) if violated.is_empty() => break,
            Ok(violated) => violated,
            // Each may be easier by itself.
            Err(_) => {
                let hard = |vc: &usize| !matches!(abstraction.examine(*vc, effort, budget), Finding::Holds);
                std::mem::take(&mut left).into_iter().filter(hard).collect()
            }
        };
        left.retain(|vc| !violated.contains(vc));
        let notes = violated.iter().filter_map(|&vc| abstraction.vcs()[vc].note.as_deref());
        failing.extend(notes.map(str::to_owned));
        // What fails fails everywhere.
        left.retain(|&vc| abstraction.vcs()[vc].note.as_deref().is_none_or(|note| !failing.contains(note)));
    }
    failing
}
