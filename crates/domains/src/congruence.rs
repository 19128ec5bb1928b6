//! Congruences: a coordinate leaves a known remainder when it is divided by a known number.
//!
//! Granger, Static analysis of arithmetical congruences, 1989. The modulus zero stands for a single value, the modulus one for
//! all integers. Chains that grow are finite: a modulus can only be replaced by a divisor. Linear constraints cannot say
//! what this domain knows, but for single values; [`Domain::refine`] rounds limits to values with the right remainder.

use logic::Integer;
use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

/// The points whose coordinates are in residue classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Congruences {
    classes: Vec<Class>,
    is_empty: bool,
}

/// The integers with a certain remainder; the remainder is less than the modulus unless that is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    modulus: Integer,
    remainder: Integer,
}

/// The remainder that is not negative; the number itself for the modulus zero.
fn remainder(number: &Integer, modulus: &Integer) -> Integer {
    if *modulus == Integer::ZERO {
        return number.clone();
    }
    let rest = number % modulus;
    if rest < Integer::ZERO { rest + modulus } else { rest }
}

/// The greatest common divisor `d` of `a` and `b`, and an `x` with `a*x = d` modulo `b`. Both numbers are not negative.
fn divisor(a: &Integer, b: &Integer) -> (Integer, Integer) {
    let (mut old, mut new) = ((a.clone(), Integer::ONE), (b.clone(), Integer::ZERO));
    while new.0 != Integer::ZERO {
        let quotient = &old.0 / &new.0;
        let next = (&old.0 - &quotient * &new.0, &old.1 - &quotient * &new.1);
        old = std::mem::replace(&mut new, next);
    }
    old
}

fn absolute(number: &Integer) -> Integer {
    if *number < Integer::ZERO { -number } else { number.clone() }
}

impl Class {
    fn new(modulus: Integer, number: &Integer) -> Self {
        let remainder = remainder(number, &modulus);
        Self { modulus, remainder }
    }

    fn all() -> Self {
        Self { modulus: Integer::ONE, remainder: Integer::ZERO }
    }

    fn contains(&self, number: &Integer) -> bool {
        remainder(number, &self.modulus) == self.remainder
    }

    fn is_included(&self, other: &Self) -> bool {
        other.contains(&self.remainder) && remainder(&self.modulus, &other.modulus) == Integer::ZERO
    }

    fn join(&self, other: &Self) -> Self {
        let distance = absolute(&(&self.remainder - &other.remainder));
        let modulus = divisor(&divisor(&self.modulus, &other.modulus).0, &distance).0;
        Self::new(modulus, &self.remainder)
    }

    /// What is in both, if anything is.
    fn meet(&self, other: &Self) -> Option<Self> {
        if self.modulus == Integer::ZERO || other.modulus == Integer::ZERO {
            let (single, rest) = if self.modulus == Integer::ZERO { (self, other) } else { (other, self) };
            return rest.contains(&single.remainder).then(|| single.clone());
        }
        let (common, factor) = divisor(&self.modulus, &other.modulus);
        let distance = &other.remainder - &self.remainder;
        if remainder(&distance, &common) != Integer::ZERO {
            return None;
        }
        let number = &self.remainder + &self.modulus * factor * (distance / &common);
        Some(Self::new(&self.modulus / common * &other.modulus, &number))
    }

    fn plus(&self, other: &Self) -> Self {
        let modulus = divisor(&self.modulus, &other.modulus).0;
        Self::new(modulus, &(&self.remainder + &other.remainder))
    }

    fn times(&self, factor: &Integer) -> Self {
        Self::new(absolute(&(&self.modulus * factor)), &(&self.remainder * factor))
    }

    /// The integers which, multiplied by a factor that is not zero, are in the class, if there are any.
    fn divided(&self, factor: &Integer) -> Option<Self> {
        let class = if *factor < Integer::ZERO { self.times(&-Integer::ONE) } else { self.clone() };
        let factor = absolute(factor);
        let (common, inverse) = divisor(&factor, &class.modulus);
        if remainder(&class.remainder, &common) != Integer::ZERO {
            return None;
        }
        let quotient = &class.remainder / &common;
        let is_single = class.modulus == Integer::ZERO;
        let number = if is_single { quotient } else { quotient * inverse };
        Some(Self::new(&class.modulus / common, &number))
    }
}

impl Congruences {
    /// The class of a sum with integer coefficients, one term left out.
    fn sum(&self, expression: &Expression, except: Option<Dimension>) -> Class {
        let start = Class::new(Integer::ZERO, &expression.constant_part().numerator());
        let terms = expression.terms().iter().filter(|(dimension, _)| Some(*dimension) != except);
        terms.fold(start, |sum, (dimension, coefficient)| {
            sum.plus(&self.classes[dimension.index()].times(&coefficient.numerator()))
        })
    }

    /// The class of an expression times a number that makes all its numbers integers, and that number.
    fn scaled(&self, expression: &Expression) -> (Class, Integer) {
        let numbers = expression.terms().iter().map(|(_, coefficient)| coefficient);
        let mut factor = Integer::ONE;
        for number in numbers.chain([expression.constant_part()]) {
            let denominator = number.denominator();
            factor = &factor / divisor(&factor, &denominator).0 * denominator;
        }
        let scaled = if factor == Integer::ONE {
            expression.clone()
        } else {
            expression.scaled(&Rational::from(&factor))
        };
        (self.sum(&scaled, None), factor)
    }

    fn replace(&mut self, dimension: Dimension, class: Option<Class>) {
        match class {
            Some(class) => self.classes[dimension.index()] = class,
            None => self.is_empty = true,
        }
    }
}

impl Lattice for Congruences {
    fn is_bottom(&self) -> bool {
        self.is_empty
    }

    fn is_included(&self, other: &Self) -> bool {
        if self.is_empty || other.is_empty {
            return self.is_empty;
        }
        self.classes.iter().zip(&other.classes).all(|(a, b)| a.is_included(b))
    }

    fn join(&self, other: &Self) -> Self {
        match (self.is_empty, other.is_empty) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => {
                let classes = self.classes.iter().zip(&other.classes).map(|(a, b)| a.join(b)).collect();
                Self { classes, is_empty: false }
            }
        }
    }

    fn meet(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.is_empty |= other.is_empty;
        for (at, class) in other.classes.iter().enumerate() {
            result.replace(Dimension(at as u32), self.classes[at].meet(class));
        }
        result
    }

    fn widen(&self, next: &Self, _: &[Constraint]) -> Self {
        self.join(next)
    }

    fn narrow(&self, next: &Self) -> Self {
        if self.is_empty || next.is_empty {
            return Self::bottom(self.dimensions());
        }
        let improve =
            |(old, new): (&Class, &Class)| if *old == Class::all() { new.clone() } else { old.clone() };
        Self { classes: self.classes.iter().zip(&next.classes).map(improve).collect(), is_empty: false }
    }
}

impl Domain for Congruences {
    fn top(dimensions: usize) -> Self {
        Self { classes: vec![Class::all(); dimensions], is_empty: false }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { is_empty: true, ..Self::top(dimensions) }
    }

    fn dimensions(&self) -> usize {
        self.classes.len()
    }

    fn assume(&mut self, constraint: &Constraint) {
        let tight = constraint.tightened();
        let range = self.range(&tight.expression);
        let is_false = range.value().is_some_and(|value| !tight.relation.holds(value));
        if self.is_empty || is_false || tight.relation != Relation::Equal {
            self.is_empty |= is_false;
            return;
        }
        for (dimension, coefficient) in tight.expression.terms() {
            let others = self.sum(&tight.expression, Some(*dimension));
            let solved = others.times(&-Integer::ONE).divided(&coefficient.numerator());
            let class = solved.and_then(|class| self.classes[dimension.index()].meet(&class));
            self.replace(*dimension, class);
        }
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        let (class, factor) = self.scaled(value);
        self.replace(target, class.divided(&factor));
    }

    fn forget(&mut self, dimension: Dimension) {
        self.classes[dimension.index()] = Class::all();
    }

    fn range(&self, expression: &Expression) -> Range {
        if self.is_empty {
            return Range::empty();
        }
        let (class, factor) = self.scaled(expression);
        if class.modulus == Integer::ZERO {
            Range::single(Rational::new(class.remainder, factor))
        } else {
            Range::default()
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_empty {
            return vec![Constraint::at_most(&Expression::constant(1), &Expression::zero())];
        }
        let singles = self.classes.iter().enumerate().filter(|(_, class)| class.modulus == Integer::ZERO);
        let equation = |(at, class): (usize, &Class)| {
            let value = Expression::constant(class.remainder.clone());
            Constraint::equal(&Expression::variable(Dimension(at as u32)), &value)
        };
        singles.map(equation).collect()
    }

    fn resize(&mut self, dimensions: usize) {
        self.classes.resize(dimensions, Class::all());
    }

    fn refine(&self, dimension: Dimension, range: Range) -> Range {
        if self.is_empty {
            return Range::empty();
        }
        let class = &self.classes[dimension.index()];
        if class.modulus == Integer::ZERO {
            return range.meet(&Range::single(class.remainder.clone().into()));
        }
        let up = |least: Rational| {
            let least = least.ceil();
            let distance = remainder(&(&class.remainder - &least), &class.modulus);
            Rational::from(least + distance)
        };
        let down = |greatest: Rational| {
            let greatest = greatest.floor();
            let distance = remainder(&(&greatest - &class.remainder), &class.modulus);
            Rational::from(greatest - distance)
        };
        Range { least: range.least.map(up), greatest: range.greatest.map(down) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;

    fn class(modulus: i64, number: i64) -> Class {
        Class::new(Integer::from(modulus), &Integer::from(number))
    }

    fn members(class: &Class) -> Vec<i64> {
        (-60..=60).filter(|number| class.contains(&Integer::from(*number))).collect()
    }

    #[test]
    fn the_laws_hold() {
        (0..10).for_each(laws::check::<Congruences>);
    }

    #[test]
    fn classes_are_what_their_members_are() {
        let all: Vec<Class> =
            (0..7).flat_map(|modulus| (0..7).map(move |number| class(modulus, number))).collect();
        for a in &all {
            for b in &all {
                let both: Vec<i64> =
                    members(a).into_iter().filter(|number| members(b).contains(number)).collect();
                assert_eq!(a.meet(b).map_or(Vec::new(), |meet| members(&meet)), both, "{a:?} and {b:?}");
                assert!(a.is_included(&a.join(b)) && b.is_included(&a.join(b)));
                assert_eq!(a.is_included(b), members(a) == both, "{a:?} in {b:?}");
            }
            for factor in [-4, -1, 2, 3, 6] {
                let expected: Vec<i64> =
                    (-60..=60).filter(|number| a.contains(&Integer::from(number * factor))).collect();
                let divided = a.divided(&Integer::from(factor));
                assert_eq!(
                    divided.map_or(Vec::new(), |class| members(&class)),
                    expected,
                    "{a:?} by {factor}"
                );
            }
        }
    }

    #[test]
    fn equations_and_strides_are_found() {
        let (x, y) = (Expression::variable(Dimension(0)), Expression::variable(Dimension(1)));
        let mut element = Congruences::top(2);
        // 4x = 2y + 6 says that y is odd.
        let right = &y.scaled(&Rational::from(2)) + &Expression::constant(6);
        element.assume(&Constraint::equal(&x.scaled(&Rational::from(4)), &right));
        assert_eq!(element.classes[1], class(2, 1));
        let range = Range { least: Some(2.into()), greatest: Some(8.into()) };
        let odd = Range { least: Some(3.into()), greatest: Some(7.into()) };
        assert_eq!(element.refine(Dimension(1), range), odd);
        element.assign(Dimension(0), &Expression::zero());
        let mut next = element.clone();
        next.assign(Dimension(0), &(&x + &Expression::constant(4)));
        assert_eq!(element.widen(&next, &[]).classes[0], class(4, 0));
    }
}
