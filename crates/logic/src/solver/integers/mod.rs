//! Whether linear constraints over unknown integers can hold together.
//!
//! ```text
//! assert ──► bounds on rows of a tableau ──► rational values? ──no──► infeasible: the bounds of one row
//!                                               │ yes
//!                                               ├─ all integers ──────► feasible
//!                                               ▼
//!            equations solved over the integers, inequalities rounded ──► branch and bound with cuts
//! ```
//!
//! The first line is incremental: asserting is a comparison, undoing is free, rows stay. The method is that of Dutertre
//! and de Moura (A Fast Linear-Arithmetic Solver for DPLL(T), 2006). The second line starts anew for every query, with
//! the constraints that matter now ([`equations`], [`branch`]).
//!
//! Linear integer arithmetic is decidable, but this is no decision procedure: where the constraints do not bound the
//! unknowns and have rational but no integer solutions, the search may go on until the budget ends.

mod branch;
mod equations;
mod reasons;
#[cfg(test)]
mod tests;

use base::{Budget, Index, Stop, index_type};
use rustc_hash::FxHashMap;

use crate::Integer;
use crate::numbers::tableau::{Conflict, Side, Tableau, Variable};
use crate::numbers::{Compact, Linear, Rational};
use equations::Reduction;

index_type!(
    /// An unknown integer of one linear solver.
    UnknownId,
    "x"
);

/// What the linear solver answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The constraints can hold together; [`LinearSolver::value`] has integers for the unknowns.
    Feasible,
    /// They cannot: the tags of some that cannot hold together, in order, without repetition.
    Infeasible(Vec<u32>),
    /// The budget ended.
    Unknown(Stop),
}

/// A constraint in the form that is asserted: bounds on one row of the tableau. Making it costs more than asserting
/// it, so keep it for a constraint that is asserted often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared(Form);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    /// True or false whatever the unknowns are.
    Known(bool),
    /// The variable is at least, or at most, an integer.
    Bound(Variable, Side, Integer),
}

/// Decides linear constraints over unknown integers, one more or one fewer at a time.
#[derive(Clone, Debug, Default)]
pub struct LinearSolver {
    tableau: Tableau<Rational>,
    /// The variables that are unknowns, in order.
    unknowns: Vec<Variable>,
    /// The variables of the tableau as sums of unknowns.
    sums: Vec<Linear<UnknownId>>,
    variables: FxHashMap<Linear<UnknownId>, Variable>,
    /// The tags of constraints that cannot hold together, found when one was asserted.
    conflict: Option<Vec<u32>>,
    /// For every `push`, whether there was such a conflict.
    levels: Vec<bool>,
    values: Vec<Integer>,
}

impl LinearSolver {
    /// A solver without unknowns and constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more unknown. It outlives [`LinearSolver::pop`].
    pub fn new_unknown(&mut self) -> UnknownId {
        let unknown = UnknownId::new(self.unknowns.len());
        let variable = self.tableau.new_variable();
        let sum = Linear::variable(unknown);
        self.unknowns.push(variable);
        self.variables.insert(sum.clone(), variable);
        self.sums.push(sum);
        unknown
    }

    /// How many unknowns there are.
    pub fn unknowns(&self) -> usize {
        self.unknowns.len()
    }

    /// The form in which it is asserted that a sum is zero or less. It outlives [`LinearSolver::pop`].
    pub fn prepare(&mut self, sum: &Linear<UnknownId>) -> Prepared {
        if let Some(constant) = sum.as_constant() {
            return Prepared(Form::Known(!constant.is_positive()));
        }
        let factor = sum.canonical_factor();
        let limit = -(sum.constant_part() * &factor);
        let variable = self.variable_of(sum.clone().without_constant().scaled(&factor));
        Prepared(if factor.is_negative() {
            Form::Bound(variable, Side::Lower, limit.ceil())
        } else {
            Form::Bound(variable, Side::Upper, limit.floor())
        })
    }

    /// Requires that a sum is zero or less. The tag names this in explanations; several constraints may have one tag.
    pub fn assert(&mut self, sum: &Linear<UnknownId>, tag: u32) {
        let prepared = self.prepare(sum);
        self.assert_prepared(&prepared, tag);
    }

    /// Requires a constraint that was prepared by this solver. Cheap.
    pub fn assert_prepared(&mut self, prepared: &Prepared, tag: u32) {
        let result = match &prepared.0 {
            Form::Known(true) => Ok(()),
            Form::Known(false) => Err(vec![tag]),
            Form::Bound(variable, side, limit) => self.require(*variable, *side, limit, tag),
        };
        if let Err(tags) = result
            && self.conflict.is_none()
        {
            self.conflict = Some(tags);
        }
    }

    /// Remembers what is asserted now.
    pub fn push(&mut self) {
        self.tableau.push();
        self.levels.push(self.conflict.is_some());
    }

    /// Forgets what was asserted since the last `push` that has not been undone.
    pub fn pop(&mut self) {
        self.tableau.pop();
        if self.levels.pop() != Some(true) {
            self.conflict = None;
        }
    }

    /// Whether rational numbers satisfy all that is asserted. Cheaper than [`LinearSolver::check`], and as sound for
    /// `Infeasible`; `Feasible` says nothing about integers, and has no values.
    pub fn check_rational(&mut self, budget: &mut Budget) -> Outcome {
        if let Some(tags) = &self.conflict {
            return Outcome::Infeasible(tags.clone());
        }
        match self.tableau.check(budget) {
            Ok(Ok(())) => Outcome::Feasible,
            Ok(Err(conflict)) => Outcome::Infeasible(tags_of(&conflict)),
            Err(stop) => Outcome::Unknown(stop),
        }
    }

    /// Whether integers satisfy all that is asserted.
    pub fn check(&mut self, budget: &mut Budget) -> Outcome {
        match self.check_rational(budget) {
            Outcome::Feasible => {}
            other => return other,
        }
        let values = self.unknowns.iter().map(|variable| self.tableau.value(*variable).to_integer());
        if let Some(values) = values.collect() {
            self.values = values;
            return Outcome::Feasible;
        }
        if self.is_satisfied() {
            return Outcome::Feasible;
        }
        match self.search(budget) {
            Ok(Ok(values)) => {
                self.values = values;
                Outcome::Feasible
            }
            Ok(Err(causes)) => Outcome::Infeasible(reasons::tags(&causes)),
            Err(stop) => Outcome::Unknown(stop),
        }
    }

    /// After [`Outcome::Feasible`] of [`LinearSolver::check`], until the next call of it: the value of an unknown.
    pub fn value(&self, unknown: UnknownId) -> Integer {
        self.values.get(unknown.index()).cloned().unwrap_or_default()
    }

    /// The variable that stands for a sum without a constant and without a common divisor.
    fn variable_of(&mut self, sum: Linear<UnknownId>) -> Variable {
        if let Some(&variable) = self.variables.get(&sum) {
            return variable;
        }
        let terms = sum.terms().iter();
        let terms: Vec<(Variable, Compact)> = terms
            .map(|(unknown, factor)| (self.unknowns[unknown.index()], factor.compact_numerator()))
            .collect();
        let variable = self.tableau.new_sum(&terms);
        self.variables.insert(sum.clone(), variable);
        self.sums.push(sum);
        variable
    }

    fn require(&mut self, variable: Variable, side: Side, limit: &Integer, tag: u32) -> Result<(), Vec<u32>> {
        let result = self.tableau.require(variable, side, Rational::from(limit), tag);
        result.map_err(|conflict| tags_of(&conflict))
    }

    /// Whether the last integers that were found satisfy what is asserted now. It is often so, and cheap to see.
    fn is_satisfied(&self) -> bool {
        let is_within = |(variable, sum): (Variable, &Linear<UnknownId>)| {
            let [least, greatest] = [Side::Lower, Side::Upper].map(|side| self.tableau.bound(variable, side));
            if least.is_none() && greatest.is_none() {
                return true;
            }
            let value = sum.evaluate(|unknown| Rational::from(&self.values[unknown.index()]));
            least.is_none_or(|bound| bound.limit <= value)
                && greatest.is_none_or(|bound| value <= bound.limit)
        };
        self.values.len() == self.unknowns.len() && (0..).zip(&self.sums).all(is_within)
    }

    /// Solves the equations and searches for integers.
    fn search(&self, budget: &mut Budget) -> Result<Result<Vec<Integer>, reasons::Causes>, Stop> {
        let mut reduction = Reduction::new(self.unknowns.len() as u32);
        for (variable, sum) in (0..).zip(&self.sums) {
            let limit = |side| {
                let bound = self.tableau.bound(variable, side)?;
                Some((bound.limit.floor(), bound.reason))
            };
            let limits = [limit(Side::Lower), limit(Side::Upper)];
            if limits.iter().any(Option::is_some)
                && let Err(causes) = reduction.require(sum.renamed(|unknown| unknown.index() as u32), limits)
            {
                return Ok(Err(causes));
            }
        }
        if let Err(causes) = reduction.solve(budget)? {
            return Ok(Err(causes));
        }
        Ok(branch::search(&reduction, budget)?.map(|mut values| {
            reduction.complete(&mut values);
            values.truncate(self.unknowns.len());
            values
        }))
    }
}

impl Prepared {
    /// The opposite.
    #[must_use]
    pub fn negated(&self) -> Self {
        Prepared(match &self.0 {
            Form::Known(truth) => Form::Known(!truth),
            Form::Bound(variable, Side::Upper, limit) => {
                Form::Bound(*variable, Side::Lower, limit + Integer::ONE)
            }
            Form::Bound(variable, Side::Lower, limit) => {
                Form::Bound(*variable, Side::Upper, limit - Integer::ONE)
            }
        })
    }
}

fn tags_of(conflict: &Conflict) -> Vec<u32> {
    let mut tags = conflict.clone();
    tags.sort_unstable();
    tags.dedup();
    tags
}
