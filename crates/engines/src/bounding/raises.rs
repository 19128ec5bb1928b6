//! By how much an iteration that spends one component raises a later one, read off the iterations that were seen.
//!
//! On an iteration a rank changes by a sum of unknowns. If that is a number that the loop does not change, it is the
//! raise; else, if the rank after the iteration is one, it is set to that.

use base::Budget;
use certify::abstraction::Bounded;
use evidence::{Amortised, Expression, Moment, Raise, Spent};
use logic::Term;
use logic::numbers::{Linear as Number, Rational};

use super::{Seen, accepted, spent};
use crate::linear::{InEvidence, Linear, written};
use crate::ranking::Target;
use crate::ranking::measured::Measured;
use crate::ranking::synthesis::{Rank, Step, Sum};

/// Components with what seems to raise them. Nothing if that is not seen.
pub(super) fn guess(ranks: &[Rank], seen: &Seen) -> Option<Amortised> {
    let sums: Vec<&Sum> = ranks.iter().map(plain).collect::<Option<_>>()?;
    let mut components = Vec::new();
    for (place, rank) in ranks.iter().enumerate() {
        let mut raised: Vec<Raise> = Vec::new();
        for step in &seen.steps {
            let Some(by) = spends(&sums, step) else { continue };
            if by >= place {
                continue;
            }
            let Some(most) = raise(sums[place], step, &seen.measured)? else { continue };
            match raised.iter_mut().find(|raise| raise.by == by) {
                Some(raise) if raise.most != most => {
                    raise.most = Expression::Maximum(vec![raise.most.clone(), most]);
                }
                Some(_) => {}
                None => raised.push(Raise { by, most, afresh: false }),
            }
        }
        raised.sort_by_key(|raise| raise.by);
        components.push(Spent { raised, ..spent(rank, seen)? });
    }
    Some(Amortised { components })
}

/// A bound of two components in which the second is set afresh whenever the first is spent, if it is so: that counts one
/// stretch less.
pub(super) fn afresh(target: &mut Target<'_, '_>, bounded: Bounded, budget: &mut Budget) -> Bounded {
    let [first, second] = &bounded.evidence().components[..] else { return bounded };
    let [raise] = &second.raised[..] else { return bounded };
    let Some(most) = Linear::parse(&raise.most) else { return bounded };
    for shift in [1, 0] {
        let most = most.shifted(-shift).expression();
        let rank = Expression::select(first.rank.clone().at_least(1), second.rank.clone(), 0.into());
        let raised = vec![Raise { by: 0, most, afresh: true }];
        let components = vec![first.clone(), Spent { rank, raised, ..second.clone() }];
        if let Some(better) = accepted(target, components, budget) {
            return better;
        }
    }
    bounded
}

fn plain(rank: &Rank) -> Option<&Sum> {
    match rank {
        Rank::Plain(sum) => Some(sum),
        Rank::Split { .. } => None,
    }
}

/// The first component that an iteration surely makes less.
fn spends(sums: &[&Sum], step: &Step<Term>) -> Option<usize> {
    sums.iter()
        .position(|sum| change(sum, step).as_constant().is_some_and(|change| *change < Rational::from(0)))
}

fn change(sum: &Sum, step: &Step<Term>) -> Number<Term> {
    &sum.mapped(|at| step.after[at].clone()) - &sum.mapped(|at| step.before[at].clone())
}

/// By how much an iteration raises a rank: nothing within if it does not, nothing at all if it is not known.
fn raise(sum: &Sum, step: &Step<Term>, measured: &[Measured]) -> Option<Option<Expression>> {
    let change = change(sum, step);
    if let Some(known) = change.as_constant() {
        return Some(known.to_integer().filter(|_| known.is_positive()).map(Expression::Constant));
    }
    if let Some(most) = at_entry(&change, step, measured) {
        return Some(Some(most));
    }
    // The component's potential is one more than the rank.
    let set = sum
        .mapped(|at| step.after[at].clone())
        .plus_scaled(&Rational::from(1), &Number::constant(Rational::from(1)));
    at_entry(&set, step, measured).map(Some)
}

/// A number of an iteration as one of the state at entry, if the loop does not change what it is made of.
fn at_entry(number: &Number<Term>, step: &Step<Term>, measured: &[Measured]) -> Option<Expression> {
    let mut terms = Vec::new();
    for (unknown, coefficient) in number.terms() {
        let alone = Number::variable(*unknown);
        let fixed = |at: &usize| step.before[*at] == alone && measured[*at].before == measured[*at].after;
        let at = (0..measured.len()).find(fixed)?;
        let part = measured[at].expression.with_moments(&|_| Some(Moment::Entry))?;
        terms.push((part, Rational::from(coefficient.to_integer()?)));
    }
    let constant = number.constant_part().to_integer()?;
    Some(written(terms, &Rational::from(constant)))
}
