//! Steps without the limits of machine types and addresses: a rank that rests on neither says more.

use base::Budget;
use certify::abstraction::{Abstraction, ArgumentCheck, Effort};
use evidence::{Aspect, Expression, Integer, Ranking, Termination};
use logic::numbers::linear::Constraint;
use logic::numbers::{Linear, Rational};
use logic::{Sort, Term, Terms};

use super::measured::Measured;
use super::ranking;
use super::synthesis::{Step, synthesise_unnested};

/// Constants from here on come from the limits of types.
const LARGE: i64 = 1 << 30;

/// A step without the constraints that only say that numbers are within their types, or that nothing overflows.
pub(crate) fn without(terms: &Terms, step: &Step<Term>) -> Step<Term> {
    let mut step = step.clone();
    step.constraints.retain(|constraint| !is_limit(terms, constraint));
    step
}

/// A step without the constraints that say something about the address of a pointer alone.
pub(crate) fn without_places(measured: &[Measured], step: &Step<Term>) -> Step<Term> {
    let is_pointer = |one: &Measured| matches!(&one.expression, Expression::Quantity { quantity, .. } if quantity.aspect == Aspect::Offset);
    let pointers: Vec<Term> = measured
        .iter()
        .zip(&step.before)
        .filter(|(one, _)| is_pointer(one))
        .flat_map(|(_, number)| unknowns(number))
        .collect();
    let mut step = step.clone();
    step.constraints.retain(|constraint| {
        let balance = constraint.expression.terms().iter().filter(|(unknown, _)| pointers.contains(unknown));
        balance.fold(Rational::from(0), |sum, (_, factor)| sum + factor.clone()).is_zero()
    });
    step
}

fn unknowns(number: &Linear<Term>) -> Vec<Term> {
    number.terms().iter().map(|(unknown, _)| *unknown).collect()
}

fn is_limit(terms: &Terms, constraint: &Constraint<Term>) -> bool {
    let constant = constraint.expression.constant_part();
    if *constant >= Rational::from(LARGE) || *constant <= Rational::from(-LARGE) {
        return true;
    }
    let [(unknown, _)] = constraint.expression.terms() else { return false };
    let Sort::BitVector(width @ 2..=32) = terms.sort(*unknown) else { return false };
    let limits = [(1i64 << width) - 1, (1 << (width - 1)) - 1, 1 << (width - 1)];
    limits.iter().any(|&limit| *constant == Rational::from(limit) || *constant == Rational::from(-limit))
}

/// Whether a rank has a constant that only the limit of a type explains.
pub(crate) fn is_large(rank: &Expression) -> bool {
    match rank {
        Expression::Constant(number) => *number >= Integer::from(LARGE) || *number <= Integer::from(-LARGE),
        Expression::Sum(parts) | Expression::Product(parts) => parts.iter().any(is_large),
        _ => false,
    }
}

/// Puts a rank that does without these limits in the place of the one that was accepted, if there is one.
pub(super) fn plainer(
    abstraction: &mut Abstraction<'_>,
    abstract_loop: usize,
    measured: &[Measured],
    steps: &[Step<Term>],
    effort: Effort,
    budget: &mut Budget,
) {
    let is_plain = match abstraction.termination_argument(abstract_loop) {
        Some(Termination::Ranking(Ranking::Linear(rank))) => !is_large(rank),
        Some(Termination::Ranking(Ranking::Lexicographic(ranks))) => !ranks.iter().any(is_large),
        _ => true,
    };
    if is_plain {
        return;
    }
    let placeless: Vec<Step<Term>> = steps.iter().map(|step| without_places(measured, step)).collect();
    let unlimited: Vec<Step<Term>> =
        placeless.iter().map(|step| without(&abstraction.encoder().terms, step)).collect();
    for steps in [unlimited, placeless] {
        let Some(ranks) = synthesise_unnested(&steps, &[], budget) else { continue };
        let Some(ranking) = ranking(&ranks, measured) else { continue };
        let guess = Termination::Ranking(ranking);
        if matches!(abstraction.ends(abstract_loop, &guess, effort, budget), ArgumentCheck::Left) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_types_are_told_from_other_numbers() {
        let mut terms = Terms::new();
        let byte = terms.fresh("byte", Sort::BitVector(8));
        let most = |number: i64| {
            let number = Linear::constant(Rational::from(number));
            Constraint::at_most(&Linear::variable(byte), &number)
        };
        assert!(is_limit(&terms, &most(255)));
        assert!(is_limit(&terms, &most(127)));
        assert!(!is_limit(&terms, &most(100)));
        assert!(is_limit(&terms, &most(LARGE + 5)));
    }
}
