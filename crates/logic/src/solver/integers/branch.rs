//! Integers within linear limits, by branch and bound with cuts.
//!
//! If the simplex method finds a value that is no integer, say 2.5, either the variable is at most 2 or at least 3. A
//! branch that cannot be has causes; if its own assumption is not among them, neither can its parent (backjumping).
//! Before the search goes deep, cuts of Gomory (1958; the mixed-integer form of 1960) remove values that are no
//! integers from the whole problem. Since branching may go on forever where the limits do not bound a variable,
//! attempts with a limited number of branches alternate with attempts near the rational solution, both growing.

use base::{Budget, Stop};

use super::equations::Reduction;
use super::reasons::{Cause, Causes, Reasons};
use crate::Integer;
use crate::numbers::tableau::{Conflict, Side, Tableau, Variable};
use crate::numbers::{Compact, Linear, Rational};

/// Integers for all variables of a system without equations, or the causes why there are none.
pub fn search(reduction: &Reduction, budget: &mut Budget) -> Result<Result<Vec<Integer>, Causes>, Stop> {
    let mut search = Search::new(reduction.variables(), reduction.reasons.clone());
    match search.run(reduction, budget) {
        Ok(values) => Ok(Ok(values)),
        Err(End::Impossible(causes)) => Ok(Err(causes)),
        Err(End::Stopped(stop)) => Err(stop),
    }
}

/// Why there are no values.
enum End {
    Impossible(Causes),
    Stopped(Stop),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stopped(stop)
    }
}

/// A variable on the one or the other side of a value.
struct Branch {
    variable: Variable,
    /// The greatest integer on the lower side.
    floor: Integer,
    /// The side that is assumed now.
    side: Side,
    /// Why the other side cannot be, if it has been tried.
    other: Option<Causes>,
}

struct Search {
    tableau: Tableau<Rational>,
    reasons: Reasons,
    /// The variables of the problem come first in the tableau.
    variables: Variable,
    branches: Vec<Branch>,
}

/// How many branches there may be before there are cuts.
const FIRST_BRANCHES: usize = 24;
/// How many rounds of cuts there are, and how many cuts in one.
const CUT_ROUNDS: usize = 12;
const CUTS: usize = 6;

impl Search {
    fn new(variables: Variable, reasons: Reasons) -> Self {
        let mut tableau = Tableau::default();
        for _ in 0..variables {
            tableau.new_variable();
        }
        Self { tableau, reasons, variables, branches: Vec::new() }
    }

    fn run(&mut self, reduction: &Reduction, budget: &mut Budget) -> Result<Vec<Integer>, End> {
        for (sum, [least, greatest]) in &reduction.limits {
            let variable = self.variable_of(sum);
            for (limit, side) in [(least, Side::Lower), (greatest, Side::Upper)] {
                if let Some((number, reason)) = limit {
                    self.require(variable, side, number, *reason)?;
                }
            }
        }
        if let Some(values) = self.attempt(FIRST_BRANCHES, budget)? {
            return Ok(values);
        }
        for _ in 0..CUT_ROUNDS {
            if !self.cut(budget)? {
                break;
            }
        }
        let is_bounded = (0..self.variables).all(|variable| {
            [Side::Lower, Side::Upper].iter().all(|side| self.tableau.bound(variable, *side).is_some())
        });
        if is_bounded && let Some(values) = self.attempt(usize::MAX, budget)? {
            return Ok(values);
        }
        for round in 0.. {
            let branches = 64usize << round.min(40);
            if let Some(values) = self.attempt_near(8u64 << (3 * round).min(60), branches, budget)? {
                return Ok(values);
            }
            if let Some(values) = self.attempt(branches, budget)? {
                return Ok(values);
            }
        }
        Err(End::Stopped(Stop::Steps))
    }

    /// The variable that stands for a sum.
    fn variable_of(&mut self, sum: &Linear<u32>) -> Variable {
        match sum.terms() {
            [(variable, coefficient)] if coefficient.is_one() => *variable,
            terms => {
                let terms: Vec<(Variable, Compact)> =
                    terms.iter().map(|(variable, factor)| (*variable, factor.compact_numerator())).collect();
                self.tableau.new_sum(&terms)
            }
        }
    }

    fn require(&mut self, variable: Variable, side: Side, limit: &Integer, reason: u32) -> Result<(), End> {
        let result = self.tableau.require(variable, side, Rational::from(limit), reason);
        result.map_err(|conflict| End::Impossible(self.causes(&conflict)))
    }

    fn causes(&self, conflict: &Conflict) -> Causes {
        self.reasons.union(conflict.iter().copied())
    }

    /// The variables whose values are no integers.
    fn fractional(&self) -> impl Iterator<Item = Variable> {
        (0..self.variables).filter(|variable| !self.tableau.value(*variable).is_integer())
    }

    /// Of the variables whose values are no integers, the one with the fewest values within its bounds.
    fn narrowest(&self) -> Option<Variable> {
        self.fractional().min_by_key(|variable| {
            match [Side::Lower, Side::Upper].map(|side| self.tableau.bound(*variable, side)) {
                [Some(lower), Some(upper)] => (0, &upper.limit - &lower.limit),
                [None, None] => (2, Rational::ZERO),
                _ => (1, Rational::ZERO),
            }
        })
    }

    /// Searches with at most so many branches; nothing is known if those do not suffice.
    fn attempt(&mut self, branches: usize, budget: &mut Budget) -> Result<Option<Vec<Integer>>, End> {
        let reasons = self.reasons.len();
        let result = self.explore(branches, budget);
        for _ in self.branches.drain(..) {
            self.tableau.pop();
        }
        self.reasons.truncate(reasons);
        result
    }

    /// Searches among values that are not further from the rational solution than this.
    fn attempt_near(
        &mut self,
        distance: u64,
        branches: usize,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Integer>>, End> {
        if let Err(conflict) = self.tableau.check(budget)? {
            return Err(End::Impossible(self.causes(&conflict)));
        }
        let near = self.reasons.add(vec![Cause::Near]);
        let centers: Vec<Integer> = (0..self.variables).map(|v| self.tableau.value(v).floor()).collect();
        self.tableau.push();
        let mut result = Ok(());
        for (variable, center) in (0..).zip(centers) {
            for (side, limit) in [
                (Side::Lower, &center - Integer::from(distance)),
                (Side::Upper, &center + Integer::from(distance)),
            ] {
                result = result.and_then(|()| self.require(variable, side, &limit, near));
            }
        }
        let result = match result {
            Ok(()) => self.attempt(branches, budget),
            Err(end) => Err(end),
        };
        self.tableau.pop();
        match result {
            Err(End::Impossible(causes)) if causes.contains(&Cause::Near) => Ok(None),
            other => other,
        }
    }

    fn explore(&mut self, branches: usize, budget: &mut Budget) -> Result<Option<Vec<Integer>>, End> {
        let mut made = 0;
        loop {
            if let Err(conflict) = self.tableau.check(budget)? {
                self.backtrack(self.causes(&conflict))?;
                continue;
            }
            let Some(variable) = self.narrowest() else {
                let values = (0..self.variables).map(|variable| self.tableau.value(variable).floor());
                return Ok(Some(values.collect()));
            };
            if made >= branches {
                return Ok(None);
            }
            made += 1;
            budget.spend(1)?;
            let value = self.tableau.value(variable);
            let is_high = value.fractional_part() > Rational::new(1, 2);
            let side = if is_high { Side::Lower } else { Side::Upper };
            self.branches.push(Branch { variable, floor: value.floor(), side, other: None });
            if let Err(End::Impossible(causes)) = self.assume() {
                self.backtrack(causes)?;
            }
        }
    }

    /// Assumes what the last branch says.
    fn assume(&mut self) -> Result<(), End> {
        self.tableau.push();
        let Some(branch) = self.branches.last() else { return Ok(()) };
        let limit = match branch.side {
            Side::Upper => branch.floor.clone(),
            Side::Lower => &branch.floor + Integer::ONE,
        };
        let (variable, side) = (branch.variable, branch.side);
        let reason = self.reasons.add(vec![Cause::Branch(self.branches.len() as u32)]);
        self.require(variable, side, &limit, reason)
    }

    /// Goes back to a branch whose other side is still to be tried, knowing why the present one cannot be.
    fn backtrack(&mut self, mut causes: Causes) -> Result<(), End> {
        loop {
            let assumption = Cause::Branch(self.branches.len() as u32);
            let Some(branch) = self.branches.last_mut() else { return Err(End::Impossible(causes)) };
            self.tableau.pop();
            let Ok(at) = causes.binary_search(&assumption) else {
                self.branches.pop();
                continue;
            };
            causes.remove(at);
            if let Some(other) = branch.other.take() {
                causes.extend(other);
                causes.sort_unstable();
                causes.dedup();
                self.branches.pop();
                continue;
            }
            branch.side = branch.side.opposite();
            branch.other = Some(causes);
            match self.assume() {
                Err(End::Impossible(next)) => causes = next,
                other => return other,
            }
        }
    }

    /// Adds cuts for some of the variables whose values are no integers. Whether there was one.
    fn cut(&mut self, budget: &mut Budget) -> Result<bool, End> {
        if let Err(conflict) = self.tableau.check(budget)? {
            return Err(End::Impossible(self.causes(&conflict)));
        }
        let cuts: Vec<Cut> =
            self.fractional().filter_map(|variable| self.cut_of(variable)).take(CUTS).collect();
        let any = !cuts.is_empty();
        for cut in cuts {
            let factor = cut.sum.primitive_factor();
            let (sum, limit) = (cut.sum.scaled(&factor), (cut.least * factor).ceil());
            let variable = self.variable_of(&sum);
            let reason = self.reasons.add(cut.causes);
            self.require(variable, Side::Lower, &limit, reason)?;
        }
        Ok(any)
    }

    /// The mixed-integer cut of the row of a basic variable, unless its numbers are large.
    ///
    /// With `y` as the distances of the other variables from the bounds that they are at, the row says
    /// `x + sum of a*y = b`; then the sum of `weight(a)*y` is at least one, where `weight` depends on the fractional
    /// parts of `a` and `b` alone.
    fn cut_of(&self, variable: Variable) -> Option<Cut> {
        let (divisor, others) = self.tableau.equation(variable)?;
        let rest = self.tableau.value(variable).fractional_part();
        let mut terms = Vec::new();
        let mut least = Rational::ONE;
        let mut reasons = Vec::new();
        for (other, coefficient) in others {
            let coefficient = Rational::quotient(coefficient, divisor);
            if coefficient.is_integer() {
                continue;
            }
            let value = self.tableau.value(*other);
            let at = |side| self.tableau.bound(*other, side).filter(|bound| bound.limit == *value);
            let (bound, is_lower) = match (at(Side::Lower), at(Side::Upper)) {
                (Some(bound), _) => (bound, true),
                (None, Some(bound)) => (bound, false),
                (None, None) => return None,
            };
            let part = if is_lower { coefficient } else { -coefficient }.fractional_part();
            let weight =
                if part <= rest { part / &rest } else { (Rational::ONE - part) / (Rational::ONE - &rest) };
            let weight = if is_lower { weight } else { -weight };
            least.add_product(&weight, value);
            terms.push((*other, weight));
            reasons.push(bound.reason);
        }
        let sum = Linear::new(terms, 0);
        let factor = sum.primitive_factor();
        let is_small = sum.terms().iter().all(|(_, weight)| (weight * &factor).absolute() < LARGE.into());
        let causes = self.reasons.union(reasons);
        (is_small && !sum.terms().is_empty()).then_some(Cut { sum, least, causes })
    }
}

/// Cuts with coefficients beyond this cost more than they bring.
const LARGE: i64 = 1 << 24;

/// A sum that is at least a number.
struct Cut {
    sum: Linear<u32>,
    least: Rational,
    causes: Causes,
}
