//! The gate: a program, a claim and a proof go in; a certificate or a refusal comes out.
//!
//! ```text
//! claim, mode ─► the program as terms ─► claimed invariants, checked ─► claimed arguments, checked ─► certificate
//! ```
//!
//! Nothing is searched for here: no proposer and no engine runs. So a proof is checked in a fraction of the time in
//! which it was found, by a process that knows nothing of how it was found. Whoever searches for a proof opens a
//! [`Abstraction`] and concludes from it; both ways end in the same rules.
//!
//! Known imprecision: queries have limits. A claim that is true can be refused because a query about it is too hard.

use base::Budget;
use evidence::{Claimed, Of, Proof, Property, Reason, Statement};
use program::Program;

use crate::abstraction::{ArgumentCheck, Effort};
use crate::answer::{Certificate, Checked, Refusal};
use crate::explain::reason_of;
use crate::only_run::only_run;
use crate::shapes::check_shapes;
use crate::subject::{Claim, Subject};
use crate::unrolling::{Examination, examine};
use crate::{Abstraction, Candidate};

/// How often claims that were refused are tried again after others were accepted.
const AGAIN: usize = 3;

/// Checks a proof of a claim.
///
/// # Errors
/// If it is none, with what it does not show.
pub fn check(
    program: &Program,
    claim: Claim,
    proof: &Proof,
    effort: Effort,
    budget: &Budget,
) -> Checked<Certificate> {
    check_parts(program, claim, proof, effort, budget).1
}

/// The same; also gives the statements that were refused, by their places in the list: a proof may do without them.
pub fn check_parts(
    program: &Program,
    claim: Claim,
    proof: &Proof,
    effort: Effort,
    budget: &Budget,
) -> (Vec<usize>, Checked<Certificate>) {
    let mut budget = budget.clone();
    let is_termination = claim.property == Property::Termination;
    if program.functions[claim.function].body().is_none() {
        return (Vec::new(), Err(Refusal::unsupported("a function without a body")));
    }
    if let Some(shapes) = &proof.shapes {
        let result = match is_termination {
            true => check_shapes(program, claim.function, claim.integers, shapes, &mut budget),
            false => Err(Refusal::unsupported("shapes of lists as a proof of another property")),
        };
        return (Vec::new(), result);
    }
    if proof.mode.only_run {
        let run = is_termination.then(|| only_run(program, claim.function, claim.integers, &mut budget));
        let missing = || Refusal::unsupported("that the program has only one run, and that it ends");
        return (Vec::new(), run.flatten().map(|run| run.certificate()).ok_or_else(missing));
    }
    let is_abstract = proof.mode.abstract_loops.is_some();
    let subject = match (&proof.contracts[..], proof.mode.chains) {
        ([], None) => Some(Subject::of(program, claim)),
        ([], Some(kept)) => Subject::of_chains(program, claim, kept),
        (contracts, None) if is_abstract => Subject::of_contracts(program, claim, contracts),
        _ => None,
    };
    let Some(subject) = subject else {
        return (
            Vec::new(),
            Err(Refusal::unsupported("this by chains of calls, or by contracts of functions")),
        );
    };
    if proof.mode.abstract_loops.is_none() {
        let result = match examine(&subject, proof.mode, &mut budget) {
            Examination::Proved(certificate) => Ok(certificate),
            other => Err(Refusal::no_proof(reason_of(program, other, proof.mode.iterations))),
        };
        return (Vec::new(), result);
    }
    match Abstraction::new(&subject, proof.mode, &mut budget) {
        Ok(abstraction) => ProofCheck { abstraction, claims: &proof.claims, effort, budget }.checked(),
        Err(stop) => (Vec::new(), Err(Refusal::no_proof(Reason::Budget { stop }))),
    }
}

struct ProofCheck<'p, 'a> {
    abstraction: Abstraction<'p>,
    claims: &'a [Claimed],
    effort: Effort,
    budget: Budget,
}

impl ProofCheck<'_, '_> {
    fn checked(mut self) -> (Vec<usize>, Checked<Certificate>) {
        let mut refused = vec![false; self.claims.len()];
        for nest in self.abstraction.nests() {
            self.invariants(&nest, &mut refused);
        }
        for abstract_loop in 0..self.abstraction.abstract_loops().len() {
            self.termination_argument(abstract_loop, &mut refused);
        }
        let refused: Vec<usize> = (0..refused.len()).filter(|&place| refused[place]).collect();
        let certificate = self.abstraction.conclude(self.effort, &mut self.budget);
        (refused, certificate.ok_or_else(|| Refusal::no_proof(self.missing())))
    }

    fn is_about(&self, claimed: &Claimed, abstract_loop: usize) -> bool {
        match claimed.of {
            Of::AbstractLoop(place) => place == abstract_loop,
            Of::Loop(function, head) => {
                let abstract_loop = &self.abstraction.abstract_loops()[abstract_loop];
                (abstract_loop.function, abstract_loop.head) == (function, head)
            }
        }
    }

    /// Takes the invariants that are claimed of the loops of a nest.
    fn invariants(&mut self, nest: &[usize], refused: &mut [bool]) {
        let mut left: Vec<(usize, Candidate)> = Vec::new();
        for &abstract_loop in nest {
            for (place, claimed) in self.claims.iter().enumerate() {
                if let Statement::LoopInvariant(formula) = &claimed.what
                    && self.is_about(claimed, abstract_loop)
                {
                    left.push((place, Candidate { abstract_loop, formula: formula.clone() }));
                }
            }
        }
        for _ in 0..AGAIN {
            let candidates: Vec<Candidate> = left.iter().map(|(_, candidate)| candidate.clone()).collect();
            if candidates.is_empty() {
                return;
            }
            let accepted = self.abstraction.accept(nest, &candidates, self.effort, &mut self.budget);
            let (abstraction, count) = (&self.abstraction, left.len());
            let mut accepted = accepted.into_iter();
            left.retain(|(_, candidate)| {
                !accepted.next().unwrap_or(false)
                    && !abstraction.invariants(candidate.abstract_loop).contains(&candidate.formula)
            });
            if left.len() == count {
                break;
            }
        }
        left.iter().for_each(|(place, _)| refused[*place] = true);
    }

    /// Takes the first argument that shows that a loop is left.
    fn termination_argument(&mut self, abstract_loop: usize, refused: &mut [bool]) {
        for (place, claimed) in self.claims.iter().enumerate() {
            if self.abstraction.termination_argument(abstract_loop).is_some() {
                return;
            }
            if let Statement::Left(argument) = &claimed.what
                && self.is_about(claimed, abstract_loop)
                && !matches!(
                    self.abstraction.ends(abstract_loop, argument, self.effort, &mut self.budget),
                    ArgumentCheck::Left
                )
            {
                refused[place] = true;
            }
        }
    }

    /// What the proof does not show.
    fn missing(&mut self) -> Reason {
        self.abstraction.missing(self.effort, &mut self.budget).into_iter().next().unwrap_or_else(|| {
            let what = String::from("that every run ends if numbers have no bounds, too");
            Reason::NotConfirmed { what, place: None }
        })
    }
}
