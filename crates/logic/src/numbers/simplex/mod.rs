//! Linear programs over the rationals, solved exactly.
//!
//! The method is the simplex method with bounded variables on the tableau that the integer solver shares
//! (Dutertre and de Moura 2006 for feasibility; Schrijver, Theory of Linear and Integer Programming, chapter 11, for the
//! optimum; ties broken by Bland's rule after a while). Strict inequalities keep an infinitely small distance.
//!
//! A problem keeps its tableau: further constraints and other objectives start from the last solution.

#[cfg(test)]
mod tests;

use base::{Arena, Budget, Stop, index_type};
use rustc_hash::FxHashMap;

use super::linear::{Constraint, Linear, Relation};
use super::quantity::{Near, Quantity};
use super::rational::Rational;
use super::tableau::{Side, Tableau, Variable};

index_type!(
    /// A variable of a linear program.
    VariableId,
    "x"
);

/// The values that a variable may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Range {
    /// All rationals.
    Free,
    /// The rationals from zero up.
    NonNegative,
}

/// A value for every variable, in their order.
pub type Point = Vec<Rational>;

/// The best that an objective can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// There is no better value.
    Optimal {
        /// The greatest lower bound of the objective.
        value: Rational,
        /// A solution: with this value, or near it if strict inequalities keep the points from it.
        point: Point,
    },
    /// The objective is better the further one goes from this solution, in some direction.
    Unbounded(Point),
    /// There are no solutions.
    Infeasible,
}

/// A linear program: variables and constraints.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    tableau: Tableau<Near>,
    variables: Arena<VariableId, Variable>,
    /// Variables of the tableau that stand for sums.
    sums: FxHashMap<Linear<VariableId>, Variable>,
    /// Whether a constraint contradicts itself or another one about the same sum.
    is_contradictory: bool,
}

/// The tableau keeps a reason for every bound, and nobody here asks for it.
const NO_REASON: u32 = 0;

impl Problem {
    /// A problem without variables and constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more variable.
    pub fn new_variable(&mut self, range: Range) -> VariableId {
        let variable = self.tableau.new_variable();
        if range == Range::NonNegative {
            self.require(variable, Side::Lower, Near::zero());
        }
        let id = self.variables.push(variable);
        self.sums.insert(Linear::variable(id), variable);
        id
    }

    /// One more constraint.
    pub fn constrain(&mut self, constraint: &Constraint<VariableId>) {
        if let Some(truth) = constraint.known() {
            self.is_contradictory |= !truth;
            return;
        }
        let sum = constraint.expression.clone().without_constant();
        let factor = sum.canonical_factor();
        let limit = -(constraint.expression.constant_part() * &factor);
        let variable = self.variable_of(&sum.scaled(&factor));
        let (side, inwards) = if factor.is_negative() {
            (Side::Lower, Rational::ONE)
        } else {
            (Side::Upper, Rational::MINUS_ONE)
        };
        match constraint.relation {
            Relation::AtMost => self.require(variable, side, limit.into()),
            Relation::Less => self.require(variable, side, Near { real: limit, epsilon: inwards }),
            Relation::Equal => {
                self.require(variable, Side::Lower, limit.clone().into());
                self.require(variable, Side::Upper, limit.into());
            }
        }
    }

    /// Whether there is a solution.
    pub fn is_feasible(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        Ok(!self.is_contradictory && self.tableau.check(budget)?.is_ok())
    }

    /// The least value of an objective.
    pub fn minimize(&mut self, objective: &Linear<VariableId>, budget: &mut Budget) -> Result<Optimum, Stop> {
        if !self.is_feasible(budget)? {
            return Ok(Optimum::Infeasible);
        }
        let constant = objective.constant_part();
        let sum = objective.clone().without_constant();
        if sum.is_zero() {
            return Ok(Optimum::Optimal { value: constant.clone(), point: self.point() });
        }
        let factor = -sum.primitive_factor();
        let goal = self.new_sum(&sum.scaled(&factor));
        let is_bounded = self.tableau.maximize(goal, budget);
        let value = self.tableau.value(goal).scaled(&factor.reciprocal());
        self.tableau.remove_last_sum();
        Ok(if is_bounded? {
            Optimum::Optimal { value: value.real + constant, point: self.point() }
        } else {
            Optimum::Unbounded(self.point())
        })
    }

    /// The variable that stands for a sum with integer coefficients.
    fn variable_of(&mut self, sum: &Linear<VariableId>) -> Variable {
        if let Some(&variable) = self.sums.get(sum) {
            return variable;
        }
        let variable = self.new_sum(sum);
        self.sums.insert(sum.clone(), variable);
        variable
    }

    fn new_sum(&mut self, sum: &Linear<VariableId>) -> Variable {
        let terms = sum.terms().iter();
        let terms: Vec<_> =
            terms.map(|(id, factor)| (self.variables[*id], factor.compact_numerator())).collect();
        self.tableau.new_sum(&terms)
    }

    fn require(&mut self, variable: Variable, side: Side, limit: Near) {
        self.is_contradictory |= self.tableau.require(variable, side, limit, NO_REASON).is_err();
    }

    /// The values of the variables, with a small enough positive number for the infinitely small one.
    fn point(&self) -> Point {
        let mut epsilon = Rational::ONE;
        for variable in 0..self.tableau.len() as Variable {
            let value = self.tableau.value(variable);
            let lower = self.tableau.bound(variable, Side::Lower).map(|bound| (&bound.limit, value));
            let upper = self.tableau.bound(variable, Side::Upper).map(|bound| (value, &bound.limit));
            for (low, high) in lower.into_iter().chain(upper) {
                if low.epsilon > high.epsilon {
                    epsilon = epsilon.min((&high.real - &low.real) / (&low.epsilon - &high.epsilon));
                }
            }
        }
        let value = |variable: &Variable| {
            let value = self.tableau.value(*variable);
            &value.real + &value.epsilon * &epsilon
        };
        self.variables.values().map(value).collect()
    }
}
