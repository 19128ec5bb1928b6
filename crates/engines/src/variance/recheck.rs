//! The kernel's word on what a variance analysis found.
//!
//! Invariance assertions are offered as invariants, nest by nest; then, for each loop, its variance assertion with the
//! ranks as an argument why it is left: as one ranking function if that is enough, else as a disjunctive transition
//! invariant. The kernel checks both on the program itself, bit by bit, so that nothing here has to be right.

use std::collections::BTreeMap;

use base::Budget;
use certify::Candidate;
use certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use program::Program;

use super::analysis::Variance;
use super::numeric::Numeric;
use super::vocabulary::Names;

/// Offers what holds at the heads of loops to the kernel as invariants. Gives how many it accepted.
pub fn offer_invariants(
    program: &Program,
    numeric: &Numeric,
    variances: &[Variance],
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> usize {
    let mut candidates: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for variance in variances.iter().filter(|variance| variance.cutpoint.is_head) {
        let names = Names::of(program, numeric, variance.cutpoint.frame);
        let invariants = names.invariants(variance);
        for abstract_loop in abstract_loops_of(numeric, variance, abstraction) {
            let new = invariants.iter().map(|formula| Candidate { abstract_loop, formula: formula.clone() });
            candidates.entry(abstract_loop).or_default().extend(new);
        }
    }
    let mut accepted = 0;
    for nest in abstraction.nests() {
        let all: Vec<Candidate> =
            nest.iter().filter_map(|abstract_loop| candidates.remove(abstract_loop)).flatten().collect();
        if !all.is_empty() {
            let answers = abstraction.accept(&nest, &all, effort, budget);
            accepted += answers.into_iter().filter(|answer| *answer).count();
        }
    }
    accepted
}

/// Offers the variance assertions of loop heads to the kernel as arguments that the loops are left.
pub fn offer_arguments(
    program: &Program,
    numeric: &Numeric,
    variances: &[Variance],
    abstraction: &mut Abstraction<'_>,
    effort: Effort,
    budget: &mut Budget,
) {
    for variance in variances.iter().filter(|variance| variance.cutpoint.is_head && variance.holds) {
        let names = Names::of(program, numeric, variance.cutpoint.frame);
        let arguments = names.arguments(variance);
        for abstract_loop in abstract_loops_of(numeric, variance, abstraction) {
            for argument in &arguments {
                if abstraction.is_argued(abstract_loop)
                    || matches!(
                        abstraction.ends(abstract_loop, argument, effort, budget),
                        ArgumentCheck::Left
                    )
                {
                    break;
                }
            }
        }
    }
}

/// The abstract loops for the loop of a cutpoint: more than one if a loop around it is unwound iteration by iteration.
fn abstract_loops_of(numeric: &Numeric, variance: &Variance, abstraction: &Abstraction<'_>) -> Vec<usize> {
    let frame = &numeric.frames[variance.cutpoint.frame];
    let abstract_loops = abstraction.abstract_loops().iter().enumerate();
    abstract_loops
        .filter(|(_, abstract_loop)| {
            abstract_loop.head == variance.cutpoint.head
                && frame.is_call(abstract_loop.function, &abstract_loop.stack)
        })
        .map(|(place, _)| place)
        .collect()
}
