//! All that is claimed of a loop, part by part.
//!
//! Facts at the head are checked together, since one may need another, and then used for everything else.

use base::Budget;
use evidence::{Evidence, Fact, FactPlace, Formula, Invariant, Summary, Termination};
use logic::{Solver, Terms};

use crate::answer::{Certificate, Refusal};
use crate::bound::check_bound;
use crate::cases::check_cases;
use crate::fact::check_fact;
use crate::invariant::check_invariant;
use crate::ranking::check_ranking;
use crate::relation::Relation;
use crate::well_founded::check_disjunctive;

/// Checks an argument for termination.
///
/// # Errors
/// If it does not hold, or the solver does not know.
pub fn check_termination(
    terms: &mut Terms,
    relation: &Relation,
    termination: &Termination,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    match termination {
        Termination::Ranking(ranking) => check_ranking(terms, relation, ranking, solver, budget),
        Termination::Disjunctive { invariant, arguments } => {
            check_disjunctive(terms, relation, invariant, arguments, solver, budget)
        }
    }
}

/// Checks all parts of a summary.
///
/// # Errors
/// If a part is not so, or not known.
pub fn check_summary(
    terms: &mut Terms,
    relation: &Relation,
    summary: &Summary,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<Certificate, Refusal> {
    if summary.name != relation.name() {
        return Err(Refusal::unsupported(format!("a summary of {} for {}", summary.name, relation.name())));
    }
    let mut relation = relation.clone();
    let at = |place: FactPlace| summary.facts.iter().filter(move |fact: &&Fact| fact.at == place);
    let head: Vec<Formula> = at(FactPlace::Head).map(|fact| fact.formula.clone()).collect();
    if !head.is_empty() {
        let invariant = Invariant { formula: Formula::All(head), established: true };
        let certificate = check_invariant(terms, &relation, &invariant, solver, budget)?;
        relation.assume_certified(terms, &certificate)?;
    }
    for fact in at(FactPlace::Exit) {
        check_fact(terms, &relation, fact, solver, budget)?;
    }
    if !summary.cases.is_empty() {
        check_cases(terms, &relation, &summary.cases, solver, budget)?;
    }
    if let Some(termination) = &summary.termination {
        check_termination(terms, &relation, termination, solver, budget)?;
    }
    if let Some(bound) = &summary.bound {
        check_bound(terms, &relation, bound, solver, budget)?;
    }
    Ok(Certificate::new(relation.name(), Evidence::Loops(vec![summary.clone()])))
}
