//! Intervals: a least and a greatest value for each coordinate, without limits on their size.
//!
//! Cousot and Cousot, Static determination of dynamic properties of programs, 1976. A constraint on several coordinates
//! limits each of them by what the others can be, a few times over. Known imprecision: no relations between coordinates.

use logic::numbers::Rational;
use logic::numbers::linear::Relation;

use crate::{Constraint, Dimension, Domain, Expression, Lattice, Range};

/// The points whose coordinates are within ranges with integer limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervals {
    ranges: Vec<Range>,
    is_empty: bool,
}

/// A constraint is propagated at most so often: limits that creep towards each other would take for ever.
const ROUNDS: usize = 3;

type Limit = Option<Rational>;

impl Intervals {
    fn limit(&mut self, dimension: Dimension, range: &Range) -> bool {
        let old = &mut self.ranges[dimension.index()];
        let new = old.meet(range);
        let is_changed = new != *old;
        self.is_empty |= new.is_empty();
        *old = new;
        is_changed
    }

    /// The least value of a term.
    fn least(&self, (dimension, coefficient): &(Dimension, Rational)) -> Limit {
        let range = &self.ranges[dimension.index()];
        let end = if coefficient.is_negative() { &range.greatest } else { &range.least };
        end.as_ref().map(|end| end * coefficient)
    }

    /// Limits every coordinate so that the expression can be at most zero. Says whether anything changed.
    fn at_most_zero(&mut self, expression: &Expression) -> bool {
        let lows: Vec<Limit> = expression.terms().iter().map(|term| self.least(term)).collect();
        let unlimited = lows.iter().filter(|low| low.is_none()).count();
        let total = lows.iter().flatten().fold(expression.constant_part().clone(), |sum, low| &sum + low);
        let mut is_changed = false;
        for ((dimension, coefficient), low) in expression.terms().iter().zip(&lows) {
            let rest = match low {
                Some(low) if unlimited == 0 => &total - low,
                None if unlimited == 1 => total.clone(),
                _ => continue,
            };
            let most = &-rest / coefficient;
            let range = if coefficient.is_negative() {
                Range { least: Some(most.ceil().into()), greatest: None }
            } else {
                Range { least: None, greatest: Some(most.floor().into()) }
            };
            is_changed |= self.limit(*dimension, &range);
        }
        is_changed && !self.is_empty
    }

    fn zipped(&self, other: &Self, range: impl Fn(&Range, &Range) -> Range) -> Self {
        let ranges = self.ranges.iter().zip(&other.ranges).map(|(a, b)| range(a, b)).collect();
        Self { ranges, is_empty: false }
    }
}

/// What is left of a limit that may have moved outwards: itself, the first of the candidates beyond, or nothing.
fn widened(old: &Limit, new: &Limit, candidates: &[Rational], is_upper: bool) -> Limit {
    let (old, new) = (old.as_ref()?, new.as_ref()?);
    let is_within = |a: &Rational, b: &Rational| if is_upper { a <= b } else { b <= a };
    if is_within(new, old) {
        return Some(old.clone());
    }
    let beyond = candidates.iter().filter(|candidate| is_within(new, candidate));
    if is_upper { beyond.min() } else { beyond.max() }.cloned()
}

/// The limits that constraints give to single coordinates: upper ones and lower ones.
fn candidates(limits: &[Constraint], dimensions: usize) -> Vec<[Vec<Rational>; 2]> {
    let mut found = vec![[Vec::new(), Vec::new()]; dimensions];
    for limit in limits.iter().map(Constraint::tightened) {
        if let [(dimension, coefficient)] = limit.expression.terms() {
            let value = &-limit.expression.constant_part() / coefficient;
            let is_equation = limit.relation == Relation::Equal;
            if is_equation || coefficient.is_positive() {
                found[dimension.index()][0].push(value.clone());
            }
            if is_equation || coefficient.is_negative() {
                found[dimension.index()][1].push(value);
            }
        }
    }
    found
}

impl Lattice for Intervals {
    fn is_bottom(&self) -> bool {
        self.is_empty
    }

    fn is_included(&self, other: &Self) -> bool {
        if self.is_empty || other.is_empty {
            return self.is_empty;
        }
        self.ranges.iter().zip(&other.ranges).all(|(a, b)| a.meet(b) == *a)
    }

    fn join(&self, other: &Self) -> Self {
        match (self.is_empty, other.is_empty) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.zipped(other, Range::join),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        let mut result = self.zipped(other, Range::meet);
        result.is_empty = self.is_empty || other.is_empty || result.ranges.iter().any(Range::is_empty);
        result
    }

    fn widen(&self, next: &Self, limits: &[Constraint]) -> Self {
        if self.is_empty || next.is_empty {
            return self.join(next);
        }
        let candidates = candidates(limits, self.dimensions());
        let mut result = self.clone();
        for (at, [upper, lower]) in candidates.iter().enumerate() {
            let (old, new) = (&self.ranges[at], &next.ranges[at]);
            result.ranges[at] = Range {
                least: widened(&old.least, &new.least, lower, false),
                greatest: widened(&old.greatest, &new.greatest, upper, true),
            };
        }
        result
    }

    fn narrow(&self, next: &Self) -> Self {
        if self.is_empty || next.is_empty {
            return Self::bottom(self.dimensions());
        }
        self.zipped(next, |old, new| Range {
            least: old.least.as_ref().or(new.least.as_ref()).cloned(),
            greatest: old.greatest.as_ref().or(new.greatest.as_ref()).cloned(),
        })
    }
}

impl Domain for Intervals {
    fn top(dimensions: usize) -> Self {
        Self { ranges: vec![Range::default(); dimensions], is_empty: false }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { ranges: vec![Range::default(); dimensions], is_empty: true }
    }

    fn dimensions(&self) -> usize {
        self.ranges.len()
    }

    fn assume(&mut self, constraint: &Constraint) {
        let tight = constraint.tightened();
        if tight.known() == Some(false) {
            self.is_empty = true;
        }
        for _ in 0..ROUNDS {
            let mut is_changed = !self.is_empty && self.at_most_zero(&tight.expression);
            if tight.relation == Relation::Equal {
                is_changed |= !self.is_empty && self.at_most_zero(&-&tight.expression);
            }
            if !is_changed {
                break;
            }
        }
    }

    fn assign(&mut self, target: Dimension, value: &Expression) {
        if !self.is_empty {
            let range = self.range(value);
            let least = range.least.map(|least| least.ceil().into());
            let range = Range { least, greatest: range.greatest.map(|greatest| greatest.floor().into()) };
            self.is_empty = range.is_empty();
            self.ranges[target.index()] = range;
        }
    }

    fn forget(&mut self, dimension: Dimension) {
        self.ranges[dimension.index()] = Range::default();
    }

    fn range(&self, expression: &Expression) -> Range {
        if self.is_empty {
            return Range::empty();
        }
        let least = |expression: &Expression| {
            let mut terms = expression.terms().iter();
            terms.try_fold(expression.constant_part().clone(), |sum, term| Some(&sum + &self.least(term)?))
        };
        Range { least: least(expression), greatest: least(&-expression).map(|least| -least) }
    }

    fn constraints(&self) -> Vec<Constraint> {
        if self.is_empty {
            return vec![Constraint::at_most(&Expression::constant(1), &Expression::zero())];
        }
        let ranges = self.ranges.iter().enumerate();
        ranges
            .flat_map(|(at, range)| range.constraints(&Expression::variable(Dimension(at as u32))))
            .collect()
    }

    fn resize(&mut self, dimensions: usize) {
        self.ranges.resize(dimensions, Range::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;

    #[test]
    fn the_laws_hold() {
        (0..10).for_each(laws::check::<Intervals>);
        (0..10).for_each(laws::check_exact::<Intervals>);
    }

    #[test]
    fn a_constraint_limits_all_its_coordinates() {
        // 2x + 3y <= 12 with x, y >= 0.
        let (x, y) = (Expression::variable(Dimension(0)), Expression::variable(Dimension(1)));
        let mut intervals = Intervals::top(2);
        for variable in [&x, &y] {
            intervals.assume(&Constraint::at_most(&Expression::zero(), variable));
        }
        let sum = x.scaled(&Rational::from(2)).plus_scaled(&Rational::from(3), &y);
        intervals.assume(&Constraint::at_most(&sum, &Expression::constant(13)));
        assert_eq!(intervals.range(&x), Range { least: Some(0.into()), greatest: Some(6.into()) });
        assert_eq!(intervals.range(&y), Range { least: Some(0.into()), greatest: Some(4.into()) });
        intervals.assume(&Constraint::less(&sum, &Expression::zero()));
        assert!(intervals.is_bottom());
    }
}
