//! Linear programs over the rationals, solved exactly and with proofs.
//!
//! The method is the simplex method with bounded variables on the tableau that the integer solver shares
//! (Dutertre and de Moura 2006 for feasibility; Schrijver, Theory of Linear and Integer Programming, chapter 11, for the
//! optimum; ties broken by Bland's rule after a while). Strict inequalities keep an infinitely small distance.
//!
//! Every answer can be checked without trusting the method: a point satisfies all constraints, and multipliers of the
//! constraints (Farkas) add up to a contradiction or to a bound of the objective. [`Problem::proves_infeasible`] and
//! [`Problem::proves_bound`] do that.
//!
//! A problem keeps its tableau: further constraints and other objectives start from the last solution. A constraint can
//! be disabled and enabled again, which is what asking for redundant constraints needs.

mod certificate;
#[cfg(test)]
mod tests;

use base::{Arena, Budget, Index, Stop, index_type};
use rustc_hash::FxHashMap;

use super::linear::Linear;
use super::quantity::{Near, Quantity};
use super::rational::Rational;
use super::tableau::{Maximum, Part, Side, Tableau, Variable};

index_type!(
    /// A variable of a linear program.
    VariableId,
    "x"
);

index_type!(
    /// A constraint of a linear program.
    ConstraintId,
    "c"
);

/// The values that a variable may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Range {
    /// All rationals.
    Free,
    /// The rationals from zero up.
    NonNegative,
}

/// How a sum relates to its limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// At most the limit.
    AtMost,
    /// Less than the limit.
    Less,
    /// Equal to the limit.
    Equal,
    /// At least the limit.
    AtLeast,
    /// Greater than the limit.
    Greater,
}

/// A linear constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The sum, without a constant.
    pub sum: Linear<VariableId>,
    /// How it relates to the limit.
    pub relation: Relation,
    /// The limit.
    pub limit: Rational,
}

/// A value for every variable, in their order.
pub type Point = Vec<Rational>;

/// Constraints with the numbers they are multiplied by, without zeros. A constraint that is added up as "at most"
/// has a positive one, "at least" a negative one; equations have either.
pub type Multipliers = Vec<(ConstraintId, Rational)>;

/// Whether there are solutions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// This is one.
    Feasible(Point),
    /// There is none: the constraints, multiplied by these and added up, say that zero is at most a negative number or
    /// less than zero.
    Infeasible(Multipliers),
}

/// The best that an objective can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// There is no better value.
    Optimal {
        /// The least upper or greatest lower bound of the objective.
        value: Rational,
        /// Whether some point has this value; if not, strict inequalities keep the points from it.
        is_attained: bool,
        /// A solution: with this value, or near it.
        point: Point,
        /// The constraints, multiplied by these and added up, say that no value is better.
        multipliers: Multipliers,
    },
    /// The objective is better the further one goes.
    Unbounded {
        /// A solution.
        point: Point,
        /// The direction in which to go from there.
        ray: Point,
    },
    /// There are no solutions, as in [`Feasibility::Infeasible`].
    Infeasible(Multipliers),
}

/// A linear program: variables and constraints.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    tableau: Tableau<Near>,
    variables: Arena<VariableId, (Variable, Range)>,
    constraints: Vec<Entry>,
    /// Variables of the tableau that stand for sums.
    sums: FxHashMap<Linear<VariableId>, Variable>,
}

#[derive(Clone, Debug)]
struct Entry {
    constraint: Constraint,
    /// The variable that stands for the sum times the factor; none if the sum is zero.
    variable: Option<Variable>,
    factor: Rational,
    is_enabled: bool,
    /// A proof that this constraint contradicts bounds that were there before.
    conflict: Option<Multipliers>,
}

/// The reason of bounds that belong to no constraint.
const NO_CONSTRAINT: u32 = u32::MAX;

impl Problem {
    /// A problem without variables and constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more variable.
    pub fn new_variable(&mut self, range: Range) -> VariableId {
        let variable = self.tableau.new_variable();
        if range == Range::NonNegative {
            let result = self.tableau.require(variable, Side::Lower, Near::zero(), NO_CONSTRAINT);
            debug_assert!(result.is_ok(), "a new variable has no bounds");
        }
        let id = self.variables.push((variable, range));
        self.sums.insert(Linear::variable(id), variable);
        id
    }

    /// One more constraint. A constant in the sum goes to the other side.
    pub fn constrain(
        &mut self,
        sum: &Linear<VariableId>,
        relation: Relation,
        limit: impl Into<Rational>,
    ) -> ConstraintId {
        let limit = limit.into() - sum.constant_part();
        let sum = sum.clone().without_constant();
        let id = ConstraintId::new(self.constraints.len());
        let size = sum.primitive_factor();
        let factor =
            if sum.terms().first().is_some_and(|(_, first)| first.is_negative()) { -size } else { size };
        let variable = (!sum.is_zero()).then(|| self.variable_of(&sum.scaled(&factor)));
        let constraint = Constraint { sum, relation, limit };
        self.constraints.push(Entry { constraint, variable, factor, is_enabled: false, conflict: None });
        self.enable(id);
        id
    }

    /// A constraint.
    pub fn constraint(&self, id: ConstraintId) -> &Constraint {
        &self.constraints[id.index()].constraint
    }

    /// All constraints, with those that are disabled.
    pub fn constraints(&self) -> impl Iterator<Item = (ConstraintId, &Constraint)> {
        self.constraints.iter().enumerate().map(|(at, entry)| (ConstraintId::new(at), &entry.constraint))
    }

    /// All variables with their ranges.
    pub fn variables(&self) -> impl Iterator<Item = (VariableId, Range)> {
        self.variables.iter().map(|(id, (_, range))| (id, *range))
    }

    /// Lets a constraint not count until it is enabled again.
    pub fn disable(&mut self, id: ConstraintId) {
        let entry = &mut self.constraints[id.index()];
        entry.is_enabled = false;
        entry.conflict = None;
        let Some(variable) = entry.variable else { return };
        for side in [Side::Lower, Side::Upper] {
            if self.tableau.bound(variable, side).is_some_and(|bound| bound.reason == id.index() as u32) {
                self.tableau.relax(variable, side);
                let is_range =
                    self.variables.iter().any(|(_, known)| *known == (variable, Range::NonNegative));
                if is_range && side == Side::Lower {
                    let _ = self.tableau.require(variable, Side::Lower, Near::zero(), NO_CONSTRAINT);
                }
            }
        }
        for at in 0..self.constraints.len() {
            let entry = &self.constraints[at];
            if entry.is_enabled && (entry.variable == Some(variable) || entry.conflict.is_some()) {
                self.require(ConstraintId::new(at));
            }
        }
    }

    /// Lets a constraint count again.
    pub fn enable(&mut self, id: ConstraintId) {
        self.constraints[id.index()].is_enabled = true;
        self.require(id);
    }

    /// Whether there is a solution.
    pub fn feasible(&mut self, budget: &mut Budget) -> Result<Feasibility, Stop> {
        Ok(match self.solve(budget)? {
            None => Feasibility::Feasible(self.point()),
            Some(multipliers) => Feasibility::Infeasible(multipliers),
        })
    }

    /// The greatest value of an objective.
    pub fn maximize(&mut self, objective: &Linear<VariableId>, budget: &mut Budget) -> Result<Optimum, Stop> {
        if let Some(multipliers) = self.solve(budget)? {
            return Ok(Optimum::Infeasible(multipliers));
        }
        let constant = objective.constant_part();
        let sum = objective.clone().without_constant();
        if sum.is_zero() {
            let (value, point) = (constant.clone(), self.point());
            return Ok(Optimum::Optimal { value, is_attained: true, point, multipliers: Vec::new() });
        }
        let factor = sum.primitive_factor();
        let goal = self.new_sum(&sum.scaled(&factor));
        let result = self.tableau.maximize(goal, budget);
        let value = self.tableau.value(goal).scaled(&factor.reciprocal());
        self.tableau.remove_last_sum();
        Ok(match result? {
            Maximum::Bounded(parts) => Optimum::Optimal {
                value: value.real + constant,
                is_attained: value.epsilon.is_zero(),
                point: self.point(),
                multipliers: self.multipliers(&parts, &factor.reciprocal()),
            },
            Maximum::Unbounded(changes) => {
                let mut ray = vec![Rational::ZERO; self.variables.len()];
                for (id, (variable, _)) in self.variables.iter() {
                    if let Ok(at) = changes.binary_search_by_key(variable, |(changed, _)| *changed) {
                        ray[id.index()] = changes[at].1.clone();
                    }
                }
                Optimum::Unbounded { point: self.point(), ray }
            }
        })
    }

    /// The least value of an objective. The multipliers prove that it is at least that.
    pub fn minimize(&mut self, objective: &Linear<VariableId>, budget: &mut Budget) -> Result<Optimum, Stop> {
        Ok(match self.maximize(&-objective, budget)? {
            Optimum::Optimal { value, is_attained, point, mut multipliers } => {
                multipliers.iter_mut().for_each(|(_, multiplier)| *multiplier = -&*multiplier);
                Optimum::Optimal { value: -value, is_attained, point, multipliers }
            }
            other => other,
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
            terms.map(|(id, factor)| (self.variables[*id].0, factor.compact_numerator())).collect();
        self.tableau.new_sum(&terms)
    }

    /// Puts the bounds of a constraint on the tableau, or takes note that they contradict others.
    fn require(&mut self, id: ConstraintId) {
        let entry = &self.constraints[id.index()];
        let conflict = match entry.variable {
            None => entry.constraint.contradiction().map(|multiplier| vec![(id, multiplier)]),
            Some(variable) => entry.limits().find_map(|(side, limit)| {
                let parts = self.tableau.require(variable, side, limit, id.index() as u32).err()?;
                Some(self.multipliers(&parts, &Rational::ONE))
            }),
        };
        self.constraints[id.index()].conflict = conflict;
    }

    /// Moves to a solution, or says why there is none.
    fn solve(&mut self, budget: &mut Budget) -> Result<Option<Multipliers>, Stop> {
        if let Some(multipliers) = self.constraints.iter().find_map(|entry| entry.conflict.as_ref()) {
            return Ok(Some(multipliers.clone()));
        }
        Ok(match self.tableau.check(budget)? {
            Ok(()) => None,
            Err(parts) => Some(self.multipliers(&parts, &Rational::ONE)),
        })
    }

    /// The multipliers of constraints for a sum of bounds of the tableau, all times a factor.
    fn multipliers(&self, parts: &[Part], factor: &Rational) -> Multipliers {
        let mut multipliers: Multipliers = Vec::with_capacity(parts.len());
        for part in parts.iter().filter(|part| part.reason != NO_CONSTRAINT) {
            let entry = &self.constraints[part.reason as usize];
            let size = &part.factor * &entry.factor * factor;
            let multiplier = if part.side == Side::Upper { size } else { -size };
            multipliers.push((ConstraintId::new(part.reason as usize), multiplier));
        }
        multipliers.sort_unstable_by_key(|(id, _)| *id);
        multipliers.dedup_by(|(next, more), (id, multiplier)| {
            let is_same = next == id;
            if is_same {
                *multiplier += &*more;
            }
            is_same
        });
        multipliers.retain(|(_, multiplier)| !multiplier.is_zero());
        multipliers
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
        self.variables.values().map(|(variable, _)| value(variable)).collect()
    }
}

impl Entry {
    /// The bounds that the constraint puts on its variable.
    fn limits(&self) -> impl Iterator<Item = (Side, Near)> + use<> {
        let (upper, lower, is_strict) = match self.constraint.relation {
            Relation::AtMost => (true, false, false),
            Relation::Less => (true, false, true),
            Relation::Equal => (true, true, false),
            Relation::AtLeast => (false, true, false),
            Relation::Greater => (false, true, true),
        };
        let (upper, lower) = if self.factor.is_negative() { (lower, upper) } else { (upper, lower) };
        let real = &self.constraint.limit * &self.factor;
        let limit = move |side| {
            let epsilon = match side {
                _ if !is_strict => Rational::ZERO,
                Side::Lower => Rational::ONE,
                Side::Upper => Rational::MINUS_ONE,
            };
            (side, Near { real: real.clone(), epsilon })
        };
        [lower.then_some(Side::Lower), upper.then_some(Side::Upper)].into_iter().flatten().map(limit)
    }
}
