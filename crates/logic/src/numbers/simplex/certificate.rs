//! Checking the answers of the simplex method from the constraints alone, and making explanations short.

use base::{Budget, Index, Stop};

use super::{Constraint, ConstraintId, Feasibility, Multipliers, Problem, Range, Relation, VariableId};
use crate::numbers::{Linear, Rational};

impl Problem {
    /// Whether a point satisfies all constraints that are enabled, and is in the range of every variable.
    pub fn is_solution(&self, point: &[Rational]) -> bool {
        let in_range = |(id, range): (VariableId, Range)| match range {
            Range::Free => true,
            Range::NonNegative => !point[id.index()].is_negative(),
        };
        self.variables().all(in_range)
            && self.constraints.iter().all(|entry| !entry.is_enabled || entry.constraint.holds(point))
    }

    /// Whether the constraints, multiplied by these numbers and added up, contradict themselves.
    pub fn proves_infeasible(&self, multipliers: &Multipliers) -> bool {
        self.combination(multipliers).is_some_and(|(sum, limit, is_strict)| {
            // The sum is at most the limit, but it cannot be negative.
            self.is_never_negative(&sum) && (limit.is_negative() || (is_strict && limit.is_zero()))
        })
    }

    /// Whether the constraints, multiplied by these numbers and added up, say that an expression is at most a number.
    pub fn proves_bound(
        &self,
        expression: &Linear<VariableId>,
        most: &Rational,
        multipliers: &Multipliers,
    ) -> bool {
        self.combination(multipliers).is_some_and(|(sum, limit, _)| {
            let rest = &sum - expression;
            self.is_never_negative(&rest.clone().without_constant()) && limit - rest.constant_part() <= *most
        })
    }

    /// Constraints that have no solution together, but have one if any of them is left out.
    ///
    /// The multipliers must prove that the problem is infeasible. If there are no variables that are `NonNegative`,
    /// their constraints are such a set already, since they are those of one row of a tableau (Gleeson and Ryan,
    /// Identifying Minimally Infeasible Subsystems of Inequalities, 1990).
    pub fn irreducible(
        &self,
        multipliers: &Multipliers,
        budget: &mut Budget,
    ) -> Result<Vec<ConstraintId>, Stop> {
        let mut kept: Vec<ConstraintId> = multipliers.iter().map(|(id, _)| *id).collect();
        let mut part = Problem::new();
        self.variables().for_each(|(_, range)| {
            part.new_variable(range);
        });
        let mut candidates: Vec<(ConstraintId, ConstraintId)> = Vec::new();
        for id in &kept {
            let Constraint { sum, relation, limit } = self.constraint(*id);
            candidates.push((*id, part.constrain(sum, *relation, limit.clone())));
        }
        for (id, own) in &candidates {
            if !kept.contains(id) {
                continue;
            }
            part.disable(*own);
            match part.feasible(budget)? {
                Feasibility::Feasible(_) => part.enable(*own),
                Feasibility::Infeasible(fewer) => {
                    let is_used = |own: ConstraintId| fewer.iter().any(|(used, _)| *used == own);
                    for (other, own) in &candidates {
                        if kept.contains(other) && !is_used(*own) {
                            kept.retain(|id| id != other);
                            part.disable(*own);
                        }
                    }
                }
            }
        }
        Ok(kept)
    }

    /// The sum of constraints times numbers, as "sum at most limit", and whether it is less. None if a number has the
    /// wrong sign for its constraint.
    fn combination(&self, multipliers: &Multipliers) -> Option<(Linear<VariableId>, Rational, bool)> {
        let (mut sum, mut limit, mut is_strict) = (Linear::zero(), Rational::ZERO, false);
        for (id, multiplier) in multipliers {
            let entry = self.constraints.get(id.index()).filter(|entry| entry.is_enabled)?;
            let fits = match entry.constraint.relation {
                Relation::AtMost | Relation::Less => multiplier.is_positive(),
                Relation::AtLeast | Relation::Greater => multiplier.is_negative(),
                Relation::Equal => !multiplier.is_zero(),
            };
            if !fits {
                return None;
            }
            sum = sum.plus_scaled(multiplier, &entry.constraint.sum);
            limit.add_product(multiplier, &entry.constraint.limit);
            is_strict |= matches!(entry.constraint.relation, Relation::Less | Relation::Greater);
        }
        Some((sum, limit, is_strict))
    }

    /// Whether a sum is zero or more by the ranges of its variables.
    fn is_never_negative(&self, sum: &Linear<VariableId>) -> bool {
        sum.terms()
            .iter()
            .all(|(id, factor)| factor.is_positive() && self.variables[*id].1 == Range::NonNegative)
    }
}

impl Constraint {
    /// Whether a point satisfies it.
    pub fn holds(&self, point: &[Rational]) -> bool {
        let sum = self.sum.evaluate(|id| point[id.index()].clone());
        match self.relation {
            Relation::AtMost => sum <= self.limit,
            Relation::Less => sum < self.limit,
            Relation::Equal => sum == self.limit,
            Relation::AtLeast => sum >= self.limit,
            Relation::Greater => sum > self.limit,
        }
    }

    /// For a constraint without variables that is false: the number to multiply it by to see that.
    pub(super) fn contradiction(&self) -> Option<Rational> {
        if !self.sum.is_zero() || self.holds(&[]) {
            return None;
        }
        Some(match self.relation {
            Relation::AtMost | Relation::Less => Rational::ONE,
            Relation::AtLeast | Relation::Greater => Rational::MINUS_ONE,
            Relation::Equal if self.limit.is_negative() => Rational::ONE,
            Relation::Equal => Rational::MINUS_ONE,
        })
    }
}
