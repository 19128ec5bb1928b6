//! What an edge of a numeric program does to the numbers of a state.
//!
//! Commands are linear but for two that examine the element: a number that leaves the range of its type wraps, or is
//! known not to. So a domain that shows that nothing wraps loses nothing, and one that does not goes to what the type
//! allows.

use domains::lattice::Range;
use domains::{Constraint, Dimension, Domain, Expression};
use logic::numbers::Rational;

/// A step of a numeric program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A number becomes the value of an expression.
    Assign(Dimension, Expression),
    /// A number becomes anything.
    Forget(Dimension),
    /// Only states that satisfy this go on.
    Assume(Constraint),
    /// Only states go on in which an expression is within limits: that of a signed operation, which must not overflow.
    Fit(Expression, Limits),
    /// A number is taken modulo the size of its type, which has these limits.
    Wrap(Dimension, Limits),
    /// One of several sequences of steps is taken.
    Either(Vec<Vec<Command>>),
}

/// The least and the greatest value of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The least value.
    pub least: Rational,
    /// The greatest value.
    pub greatest: Rational,
}

impl Limits {
    /// That an expression is within them.
    pub fn constraints(&self, expression: &Expression) -> [Constraint; 2] {
        let constant = |value: &Rational| Expression::constant(value.clone());
        [
            Constraint::at_most(&constant(&self.least), expression),
            Constraint::at_most(expression, &constant(&self.greatest)),
        ]
    }

    /// How many values there are.
    fn size(&self) -> Rational {
        &(&self.greatest - &self.least) + &Rational::ONE
    }

    fn contain(&self, range: &Range) -> bool {
        range.least.as_ref().is_some_and(|least| *least >= self.least)
            && range.greatest.as_ref().is_some_and(|greatest| *greatest <= self.greatest)
    }
}

/// What commands make of an element.
pub fn apply<D: Domain>(commands: &[Command], element: &mut D) {
    for command in commands {
        if element.is_bottom() {
            return;
        }
        match command {
            Command::Assign(target, value) => element.assign(*target, value),
            Command::Forget(target) => element.forget(*target),
            Command::Assume(constraint) => element.assume(constraint),
            Command::Fit(expression, limits) => {
                if !limits.contain(&element.range(expression)) {
                    limits.constraints(expression).iter().for_each(|limit| element.assume(limit));
                }
            }
            Command::Wrap(target, limits) => wrap(*target, limits, element),
            Command::Either(ways) => {
                let mut sum = D::bottom(element.dimensions());
                for way in ways {
                    let mut part = element.clone();
                    apply(way, &mut part);
                    sum = sum.join(&part);
                }
                *element = sum;
            }
        }
    }
}

/// Takes a number modulo the size of its type: exactly if it leaves the type at most once, above or below.
fn wrap<D: Domain>(target: Dimension, limits: &Limits, element: &mut D) {
    let value = Expression::variable(target);
    let range = element.range(&value);
    if limits.contain(&range) {
        return;
    }
    let size = limits.size();
    let once = Limits { least: &limits.least - &size, greatest: &limits.greatest + &size };
    if !once.contain(&range) {
        element.forget(target);
        limits.constraints(&value).iter().for_each(|limit| element.assume(limit));
        return;
    }
    let mut inside = element.clone();
    limits.constraints(&value).iter().for_each(|limit| inside.assume(limit));
    let mut sum = inside;
    for (beyond, shift) in [
        (Constraint::less(&value, &Expression::constant(limits.least.clone())), size.clone()),
        (Constraint::less(&Expression::constant(limits.greatest.clone()), &value), -size),
    ] {
        let mut part = element.clone();
        part.assume(&beyond);
        if !part.is_bottom() {
            part.assign(target, &(&value + &Expression::constant(shift)));
            sum = sum.join(&part);
        }
    }
    *element = sum;
}

#[cfg(test)]
mod tests {
    use domains::{Disjunction, Lattice, Octagon};

    use super::*;

    const X: Dimension = Dimension(0);

    fn between(least: i64, greatest: i64) -> Octagon {
        let mut element = Octagon::top(1);
        let limits = Limits { least: least.into(), greatest: greatest.into() };
        limits.constraints(&Expression::variable(X)).iter().for_each(|limit| element.assume(limit));
        element
    }

    fn byte() -> Limits {
        Limits { least: Rational::ZERO, greatest: Rational::from(255) }
    }

    #[test]
    fn a_number_that_stays_in_its_type_does_not_wrap() {
        let mut element = between(3, 200);
        apply(&[Command::Wrap(X, byte())], &mut element);
        assert!(element.is_included(&between(3, 200)));
    }

    #[test]
    fn a_number_that_leaves_its_type_comes_back_at_the_other_end() {
        let mut element = Disjunction::<Octagon>::new((), between(250, 257));
        apply(&[Command::Wrap(X, byte())], &mut element);
        let parts: Vec<Octagon> = element.disjuncts().iter().map(|(_, part)| part.clone()).collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].is_included(&between(250, 255)) && parts[1].is_included(&between(0, 1)));
        let mut element = between(0, 1000);
        apply(&[Command::Wrap(X, byte())], &mut element);
        assert!(element.is_included(&between(0, 255)));
    }

    #[test]
    fn one_of_several_ways_is_taken() {
        let constant = |value: i64| Expression::constant(value);
        let ways = vec![vec![Command::Assign(X, constant(1))], vec![Command::Assign(X, constant(5))]];
        let mut element = Octagon::top(1);
        apply(&[Command::Either(ways)], &mut element);
        assert!(element.is_included(&between(1, 5)) && between(1, 5).is_included(&element));
    }
}
