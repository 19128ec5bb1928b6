//! What numeric templates have in common: the variables that they speak of, and what runs have shown of sums of these.

use std::collections::BTreeSet;

use evidence::{Expression, Formula, Moment, Quantity};
use logic::numbers::Rational;

use crate::linear::{Condition, InEvidence, Linear};
use crate::view::{NumberView, View};

/// How many changed and how many unchanged variables templates speak of.
const CHANGED: usize = 12;
const FIXED: usize = 8;

/// A variable that a template speaks of.
pub(super) struct Variable<'a> {
    /// What the view says of it.
    pub number: &'a NumberView,
    /// Its value at the head.
    pub now: Linear,
    /// Its value at entry: a constant if it is known.
    pub entry: Linear,
}

impl<'a> Variable<'a> {
    fn of(number: &'a NumberView) -> Self {
        let quantity = Quantity::value(number.name.clone());
        let now = Linear::variable(quantity.at(Moment::Now));
        let entry = match (&number.entry, &number.twin) {
            (Some(known), _) => Linear::constant(known),
            (None, Some(twin)) => Linear::variable(Quantity::value(twin.clone()).at(Moment::Now)),
            (None, None) if !number.changed => now.clone(),
            (None, None) => Linear::variable(quantity.at(Moment::Entry)),
        };
        Self { number, now, entry }
    }

    /// The value at the head as an expression.
    pub fn expression(&self) -> Expression {
        self.now.expression()
    }
}

/// The variables that a loop changes.
pub(super) fn changed<'a>(view: &'a View<'_>) -> Vec<Variable<'a>> {
    let own = view.numbers.iter().filter(|number| number.changed && number.source);
    own.take(CHANGED).map(Variable::of).collect()
}

/// The variables that a loop does not change, but that it or a test after it mentions.
pub(super) fn fixed<'a>(view: &'a View<'_>) -> Vec<Variable<'a>> {
    let own = view.numbers.iter().filter(|number| {
        !number.changed
            && number.source
            && number.entry.is_none()
            && view.code.mentioned.contains(&number.name)
    });
    own.take(FIXED).map(Variable::of).collect()
}

/// Whether two variables are worth comparing: they meet in an expression, or there are few.
pub(super) fn related(view: &View<'_>, one: &Variable<'_>, other: &Variable<'_>) -> bool {
    let few = view.numbers.iter().filter(|number| number.source).count() <= 6;
    few || view.code.are_related(&one.number.name, &other.number.name)
}

/// The numbers that the code compares with, and their neighbours.
pub(super) fn constants(view: &View<'_>) -> BTreeSet<i128> {
    let mut constants = BTreeSet::from([-1, 0, 1]);
    for number in view.code.tested() {
        if number.terms().len() == 1
            && let Some(constant) = number.constant_part().to_i128()
        {
            constants.extend([-constant - 1, -constant, -constant + 1]);
            constants.extend([constant - 1, constant, constant + 1]);
        }
    }
    constants
}

/// A number in all states that were seen. Nothing if it is not known in all of them.
pub(super) fn seen(view: &View<'_>, number: &Linear) -> Option<Vec<i128>> {
    let seen = view.seen.as_deref()?;
    // Each part is a product of numbers that stand in a state: the one at entry, or the one now.
    let mut parts: Vec<(Vec<(bool, usize)>, i128)> = Vec::new();
    for (part, factor) in number.terms() {
        let factors = match part {
            Expression::Product(factors) => factors.as_slice(),
            other => std::slice::from_ref(other),
        };
        let place = |factor: &Expression| {
            let Expression::Quantity { quantity, moment } = factor else { return None };
            let variable = view.numbers.iter().find(|number| number.name == quantity.variable)?.variable;
            Some((*moment == Moment::Entry, seen.slot(variable)?))
        };
        parts.push((factors.iter().map(place).collect::<Option<_>>()?, factor.to_i128()?));
    }
    let offset = number.constant_part().to_i128()?;
    let value = |entry: usize, now: &[Option<i128>]| {
        parts.iter().try_fold(offset, |sum, (factors, factor)| {
            let product = factors.iter().try_fold(*factor, |product, &(at_entry, slot)| {
                let state = if at_entry { &seen.entries[entry] } else { now };
                product.checked_mul(state[slot]?)
            });
            sum.checked_add(product?)
        })
    };
    seen.states.iter().map(|(entry, now)| value(*entry, now)).collect()
}

/// Several numbers in all states that were seen, state by state.
pub(super) fn states(view: &View<'_>, numbers: &[Linear]) -> Option<Vec<Vec<i128>>> {
    let values: Vec<Vec<i128>> = numbers.iter().map(|number| seen(view, number)).collect::<Option<_>>()?;
    let count = values.first().map_or(0, Vec::len);
    Some((0..count).map(|state| values.iter().map(|column| column[state]).collect()).collect())
}

/// The sum of numbers, each times its factor.
pub(super) fn combination(numbers: &[Linear], factors: &[i128]) -> Linear {
    let parts = numbers.iter().zip(factors);
    parts.fold(Linear::zero(), |sum, (number, factor)| sum.plus_scaled(&Rational::from(*factor), number))
}

/// Limits for sums: for each sum those that runs allow, the closest ones.
#[derive(Default)]
pub(super) struct Limits {
    directions: Vec<(Linear, BTreeSet<Rational>)>,
}

impl Limits {
    /// So many limits of one sum are tried.
    const CLOSEST: usize = 3;

    /// Adds the guess that a number is at most another one.
    pub fn add(&mut self, number: &Linear, limit: i128) {
        let direction = number.clone().without_constant();
        let limit = Rational::from(limit) - number.constant_part();
        match self.directions.iter_mut().find(|(known, _)| *known == direction) {
            Some((_, limits)) => _ = limits.insert(limit),
            None => self.directions.push((direction, BTreeSet::from([limit]))),
        }
    }

    /// The guesses as candidates.
    pub fn propose(self, view: &View<'_>, candidates: &mut Vec<Formula>) {
        for (direction, limits) in self.directions {
            let greatest =
                seen(view, &direction).and_then(|values| values.into_iter().max()).map(Rational::from);
            let is_allowed = |limit: &Rational| greatest.as_ref().is_none_or(|greatest| greatest <= limit);
            let allowed: Vec<Rational> = limits.into_iter().filter(is_allowed).collect();
            let closest = allowed.iter().take(Self::CLOSEST);
            // The one that is farthest away may be the only one that is true.
            for limit in closest.chain(allowed.iter().skip(Self::CLOSEST).last()) {
                candidates.push(Condition::AtMostZero(direction.shifted(-limit)).formula());
            }
        }
    }
}

/// The least and the greatest value of a number in the states that were seen, if these are a few.
pub(super) fn seen_range(view: &View<'_>, number: &Linear) -> Option<(i128, i128)> {
    let values = seen(view, number)?;
    if values.len() < 4 {
        return None;
    }
    Some((*values.iter().min()?, *values.iter().max()?))
}
