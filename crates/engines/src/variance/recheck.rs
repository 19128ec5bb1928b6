//! The kernel's word on what a variance analysis found.
//!
//! Invariance assertions are offered as facts, nest by nest; then, for each loop, its variance assertion with the ranks as
//! an argument why it is left: as one ranking function if that is enough, else as a disjunctive transition invariant. The
//! kernel checks both on the program itself, bit by bit, so that nothing here has to be right.

use std::collections::BTreeMap;

use base::Budget;
use certify::Candidate;
use certify::leaps::{Effort, Ending, Leaping};
use program::Program;

use super::analysis::Variance;
use super::numeric::Numeric;
use super::words::Names;

/// What the kernel says of a local termination predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// It holds.
    Confirmed,
    /// The kernel has followed all passes of the loop one by one, or knows that there is none.
    Followed,
    /// It was not confirmed.
    NotConfirmed,
}

/// Offers what holds at the heads of loops to the kernel as facts. Gives how many it accepted.
pub fn offer_facts(
    program: &Program,
    numeric: &Numeric,
    variances: &[Variance],
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> usize {
    let mut candidates: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for variance in variances.iter().filter(|variance| variance.cutpoint.is_head) {
        let names = Names::of(program, numeric, variance.cutpoint.frame);
        let facts = names.facts(variance);
        for leap in leaps_of(numeric, variance, leaping) {
            let new = facts.iter().map(|formula| Candidate { leap, formula: formula.clone() });
            candidates.entry(leap).or_default().extend(new);
        }
    }
    let mut accepted = 0;
    for nest in leaping.nests() {
        let all: Vec<Candidate> = nest.iter().filter_map(|leap| candidates.remove(leap)).flatten().collect();
        if !all.is_empty() {
            let answers = leaping.accept(&nest, &all, effort, budget);
            accepted += answers.into_iter().filter(|answer| *answer).count();
        }
    }
    accepted
}

/// Offers the variance assertions of loop heads to the kernel as arguments that the loops are left. Gives what it says of
/// each place: one in a body comes up once in a pass, so that its loop speaks for it.
pub fn offer_arguments(
    program: &Program,
    numeric: &Numeric,
    variances: &[Variance],
    leaping: &mut Leaping<'_>,
    effort: Effort,
    budget: &mut Budget,
) -> Vec<Confirmation> {
    for variance in variances.iter().filter(|variance| variance.cutpoint.is_head && variance.holds) {
        let names = Names::of(program, numeric, variance.cutpoint.frame);
        let arguments = names.arguments(variance);
        for leap in leaps_of(numeric, variance, leaping) {
            for argument in &arguments {
                if leaping.is_never_repeated(leap)
                    || leaping.ending(leap).is_some()
                    || matches!(leaping.ends(leap, argument, effort, budget), Ending::Left)
                {
                    break;
                }
            }
        }
    }
    variances.iter().map(|variance| confirmation(numeric, variance, leaping)).collect()
}

fn confirmation(numeric: &Numeric, variance: &Variance, leaping: &Leaping<'_>) -> Confirmation {
    let leaps = leaps_of(numeric, variance, leaping);
    let is_left = |leap: &usize| leaping.is_never_repeated(*leap) || leaping.ending(*leap).is_some();
    match (leaps.is_empty(), leaps.iter().all(is_left)) {
        (true, _) if leaping.loose_ends().is_empty() => Confirmation::Followed,
        (false, true) => Confirmation::Confirmed,
        _ => Confirmation::NotConfirmed,
    }
}

/// The leaps over the loop of a cutpoint: more than one if a loop around it is followed pass by pass.
fn leaps_of(numeric: &Numeric, variance: &Variance, leaping: &Leaping<'_>) -> Vec<usize> {
    let frame = &numeric.frames[variance.cutpoint.frame];
    let leaps = leaping.leaps().iter().enumerate();
    leaps
        .filter(|(_, leap)| leap.head == variance.cutpoint.head && frame.is_call(leap.function, &leap.stack))
        .map(|(place, _)| place)
        .collect()
}
