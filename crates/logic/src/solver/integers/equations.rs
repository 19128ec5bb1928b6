//! Equations between integers, solved.
//!
//! Every equation takes one variable out of the problem. If a coefficient is one, the variable is a sum of the others.
//! If not, a new variable takes the place of the one with the least coefficient, so that the others shrink to their
//! remainders by it, as in the algorithm of Euclid (Schrijver, Theory of Linear and Integer Programming, section 4.1;
//! Pugh, The Omega Test, 1991). What remains are inequalities over variables that are free to be any integers, with
//! coefficients without a common divisor and limits rounded to it, so that `3x - 3y = z`, `1 <= z <= 2` has no solution.
//! A pair of inequalities that becomes an equation in this way is solved in turn.

use std::collections::BTreeMap;

use base::{Budget, Stop};

use super::reasons::{Cause, Causes, Reasons};
use crate::Integer;
use crate::numbers::{Linear, Rational};

/// A limit and the number of the set of its causes.
pub type Limit = Option<(Integer, u32)>;

/// A system of inequalities, and how to find the variables that were taken out.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Sums and their least and greatest values. The sums have no constant and no common divisor, and the first
    /// coefficient is positive.
    pub limits: BTreeMap<Linear<u32>, [Limit; 2]>,
    /// Why the limits hold.
    pub reasons: Reasons,
    /// The sums that take the place of variables, in the order in which those were taken out.
    definitions: Vec<(u32, Linear<u32>)>,
    next_variable: u32,
}

impl Reduction {
    /// A system without constraints over variables with numbers below this one.
    pub fn new(variables: u32) -> Self {
        Self {
            limits: BTreeMap::new(),
            reasons: Reasons::default(),
            definitions: Vec::new(),
            next_variable: variables,
        }
    }

    /// Adds the limits of a sum with integer coefficients, and the tags of the constraints that they come from.
    pub fn require(&mut self, sum: Linear<u32>, limits: [Option<(Integer, u32)>; 2]) -> Result<(), Causes> {
        let limits = limits.map(|limit| {
            limit.map(|(number, tag)| {
                let reason = self.reasons.add(vec![Cause::Tag(tag)]);
                (number, reason)
            })
        });
        self.insert(sum, limits)
    }

    /// Solves all equations, or finds out why they cannot hold.
    pub fn solve(&mut self, budget: &mut Budget) -> Result<Result<(), Causes>, Stop> {
        loop {
            budget.spend(1 + self.limits.len() as u64)?;
            let is_equation = |limits: &[Limit; 2]| match limits {
                [Some((least, _)), Some((greatest, _))] => least == greatest,
                _ => false,
            };
            // Short equations first: they change the rest least.
            let equations = self.limits.iter().filter(|(_, limits)| is_equation(limits));
            let Some((sum, _)) = equations.min_by_key(|(sum, _)| sum.terms().len()) else {
                return Ok(Ok(()));
            };
            let sum = sum.clone();
            let Some([Some((number, left)), Some((_, right))]) = self.limits.remove(&sum) else { continue };
            let reason = self.reasons.join(left, right);
            if let Err(causes) = self.eliminate(&sum - &Linear::constant(number), reason) {
                return Ok(Err(causes));
            }
        }
    }

    /// Values for all variables from values for those that remain.
    pub fn complete(&self, values: &mut Vec<Integer>) {
        values.resize(self.next_variable as usize, Integer::ZERO);
        for (variable, definition) in self.definitions.iter().rev() {
            let value = definition.evaluate(|other| Rational::from(&values[other as usize]));
            values[*variable as usize] = value.to_integer().unwrap_or_default();
        }
    }

    /// How many variables there are, with those that were taken out.
    pub fn variables(&self) -> u32 {
        self.next_variable
    }

    /// Takes one variable out with an equation of a sum with zero.
    fn eliminate(&mut self, mut equation: Linear<u32>, reason: u32) -> Result<(), Causes> {
        loop {
            let smallest = equation.terms().iter().min_by_key(|(_, coefficient)| coefficient.absolute());
            let Some((variable, coefficient)) = smallest.cloned() else { return Ok(()) };
            let others = &equation - &Linear::new([(variable, coefficient.clone())], 0);
            if coefficient.absolute().is_one() {
                return self.replace(variable, &others.scaled(&-coefficient), Some(reason));
            }
            let fresh = self.next_variable;
            self.next_variable += 1;
            let rounded = others.terms().iter().map(|(other, number)| {
                let quotient = number / &coefficient;
                (*other, -Rational::from((quotient + Rational::new(1, 2)).floor()))
            });
            let definition = &Linear::new(rounded, 0) + &Linear::variable(fresh);
            equation = equation.substituted(variable, &definition);
            self.replace(variable, &definition, None)?;
        }
    }

    /// Puts a sum in the place of a variable; if that is not just a change of variables, there is a reason for it.
    fn replace(&mut self, variable: u32, by: &Linear<u32>, reason: Option<u32>) -> Result<(), Causes> {
        self.definitions.push((variable, by.clone()));
        let affected = self.limits.keys().filter(|sum| !sum.coefficient(variable).is_zero());
        let affected: Vec<Linear<u32>> = affected.cloned().collect();
        for sum in affected {
            let Some(limits) = self.limits.remove(&sum) else { continue };
            let limits = limits.map(|limit| {
                limit.map(|(number, why)| {
                    (number, reason.map_or(why, |reason| self.reasons.join(why, reason)))
                })
            });
            self.insert(sum.substituted(variable, by), limits)?;
        }
        Ok(())
    }

    /// Adds limits of a sum in any form.
    fn insert(&mut self, sum: Linear<u32>, limits: [Limit; 2]) -> Result<(), Causes> {
        let constant = sum.constant_part().clone();
        let sum = sum.without_constant();
        let [least, greatest] = limits;
        let moved = |(number, reason): (Integer, u32)| (Rational::from(number) - &constant, reason);
        let (least, greatest) = (least.map(moved), greatest.map(moved));
        if sum.is_zero() {
            return match (least, greatest) {
                (Some((number, reason)), _) if number.is_positive() => Err(self.reasons.get(reason).clone()),
                (_, Some((number, reason))) if number.is_negative() => Err(self.reasons.get(reason).clone()),
                _ => Ok(()),
            };
        }
        let factor = sum.canonical_factor();
        let (least, greatest) = if factor.is_negative() { (greatest, least) } else { (least, greatest) };
        let least = least.map(|(number, reason)| ((number * &factor).ceil(), reason));
        let greatest = greatest.map(|(number, reason)| ((number * &factor).floor(), reason));
        let known = self.limits.entry(sum.scaled(&factor)).or_default();
        if let Some((number, _)) = &least
            && known[0].as_ref().is_none_or(|(known, _)| known < number)
        {
            known[0] = least;
        }
        if let Some((number, _)) = &greatest
            && known[1].as_ref().is_none_or(|(known, _)| known > number)
        {
            known[1] = greatest;
        }
        match &*known {
            [Some((least, left)), Some((greatest, right))] if least > greatest => {
                Err(self.reasons.union([*left, *right]))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(u32, i64)]) -> Linear<u32> {
        Linear::new(terms.iter().map(|(variable, factor)| (*variable, Rational::from(*factor))), 0)
    }

    fn equals(number: i64, tag: u32) -> [Option<(Integer, u32)>; 2] {
        [Some((number.into(), tag)), Some((number.into(), tag))]
    }

    fn solve(system: &mut Reduction) -> Result<(), Causes> {
        system.solve(&mut Budget::unlimited()).expect("the budget has no end")
    }

    #[test]
    fn parity_is_seen_across_equations() {
        let mut system = Reduction::new(4);
        let vcs = [
            system.require(sum(&[(0, 1), (1, 1), (2, -2)]), equals(0, 1)),
            system.require(sum(&[(0, 1), (1, -1), (3, -2)]), equals(1, 2)),
        ];
        assert_eq!(vcs, [Ok(()), Ok(())]);
        assert_eq!(solve(&mut system), Err(vec![Cause::Tag(1), Cause::Tag(2)]));
    }

    #[test]
    fn solutions_come_back() {
        let mut system = Reduction::new(3);
        let first = sum(&[(0, 6), (1, 10), (2, 15)]);
        let second = sum(&[(0, 4), (1, -7), (2, 3)]);
        assert_eq!(system.require(first.clone(), equals(31, 1)), Ok(()));
        assert_eq!(system.require(second.clone(), equals(0, 2)), Ok(()));
        assert_eq!(solve(&mut system), Ok(()));
        for free in -3..4 {
            let mut values: Vec<Integer> = (0..system.variables()).map(|_| Integer::from(free)).collect();
            system.complete(&mut values);
            let value = |variable: u32| Rational::from(&values[variable as usize]);
            assert_eq!((first.evaluate(value), second.evaluate(value)), (31.into(), 0.into()));
        }
    }

    #[test]
    fn limits_round_after_elimination() {
        let mut system = Reduction::new(3);
        let _ = system.require(sum(&[(0, 3), (1, -3), (2, -1)]), equals(0, 1));
        let _ = system.require(sum(&[(2, 1)]), [Some((1.into(), 2)), Some((2.into(), 3))]);
        assert_eq!(solve(&mut system), Err(vec![Cause::Tag(1), Cause::Tag(2), Cause::Tag(3)]));
    }
}
