//! The comparisons of numbers that matter to one query, and whether they agree.

use std::collections::BTreeMap;

use base::Budget;
use rustc_hash::FxHashMap;

use super::gates::Literal;
use super::numbers::{Atom, Numbers, Sum, Unknown};
use crate::Integer;
use crate::numbers::{Linear, Rational};
use crate::solver::integers::{LinearSolver, Outcome, Prepared, UnknownId};

/// Unknowns and comparisons of one query.
#[derive(Default)]
pub(crate) struct LinearQuery {
    solver: LinearSolver,
    ids: FxHashMap<Unknown, UnknownId>,
    comparisons: Vec<Decided>,
    /// Literals by row and limit.
    order: BTreeMap<(u32, Integer), Literal>,
    values: FxHashMap<Unknown, Integer>,
}

/// A comparison that a literal decides.
struct Decided {
    literal: Literal,
    holds: Prepared,
    fails: Prepared,
}

/// Names what always holds in explanations.
const ALWAYS: u32 = u32::MAX;

impl LinearQuery {
    /// Whether there is nothing to check.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn id(&mut self, unknown: Unknown) -> UnknownId {
        *self.ids.entry(unknown).or_insert_with(|| self.solver.new_unknown())
    }

    /// Brings in an unknown.
    pub(crate) fn add_unknown(&mut self, unknown: Unknown) {
        self.id(unknown);
    }

    /// Brings in an unknown that is one if the literal is true, else zero.
    pub(crate) fn add_bit(&mut self, unknown: Unknown, literal: Literal) {
        let id = self.id(unknown);
        let sum = |coefficient: Rational, constant: i64| Linear::new([(id, coefficient)], constant);
        self.solver.assert(&sum(Rational::MINUS_ONE, 0), ALWAYS);
        self.solver.assert(&sum(Rational::ONE, -1), ALWAYS);
        self.decide(!literal, &sum(Rational::ONE, 0));
    }

    /// Brings in a comparison, and gives clauses that hold because of others of the same row.
    pub(crate) fn add_atom(&mut self, numbers: &Numbers, atom: Atom) -> Vec<[Literal; 2]> {
        let comparison = numbers.comparison(atom);
        let key = (comparison.row, comparison.limit.clone());
        if self.order.contains_key(&key) {
            return Vec::new();
        }
        let literal = comparison.literal;
        let mut clauses = Vec::new();
        if let Some(((row, _), &below)) = self.order.range(..&key).next_back()
            && *row == comparison.row
        {
            clauses.push([!below, literal]);
        }
        if let Some(((row, _), &above)) = self.order.range(&key..).next()
            && *row == comparison.row
        {
            clauses.push([!literal, above]);
        }
        self.order.insert(key, literal);
        let row = numbers.row(comparison.row).renamed(|unknown| self.id(unknown));
        self.decide(literal, &row.shifted(-&comparison.limit));
        clauses
    }

    /// Lets a literal decide whether a sum is zero or less.
    fn decide(&mut self, literal: Literal, sum: &Linear<UnknownId>) {
        let holds = self.solver.prepare(sum);
        let fails = holds.negated();
        self.comparisons.push(Decided { literal, holds, fails });
    }

    /// Whether numbers exist for which the comparisons are as the literals say.
    pub(crate) fn check(&mut self, mut truth: impl FnMut(Literal) -> bool, budget: &mut Budget) -> Agreement {
        self.solver.push();
        for (index, decided) in self.comparisons.iter().enumerate() {
            let prepared = if truth(decided.literal) { &decided.holds } else { &decided.fails };
            self.solver.assert_prepared(prepared, index as u32);
        }
        let outcome = self.solver.check(budget);
        let agreement = match outcome {
            Outcome::Feasible => {
                self.values =
                    self.ids.iter().map(|(unknown, id)| (*unknown, self.solver.value(*id))).collect();
                Agreement::Agree
            }
            Outcome::Infeasible(tags) => {
                let literals = tags.into_iter().filter(|tag| *tag != ALWAYS);
                let literals = literals.map(|tag| self.comparisons[tag as usize].literal);
                Agreement::Clash(literals.map(|literal| literal.negate_if(truth(literal))).collect())
            }
            Outcome::Unknown(stop) => Agreement::Stopped(stop),
        };
        self.solver.pop();
        agreement
    }

    /// After [`Agreement::Agree`]: the value of an unknown.
    pub(crate) fn value(&self, unknown: Unknown) -> Integer {
        self.values.get(&unknown).cloned().unwrap_or_default()
    }

    /// After [`Agreement::Agree`]: the value of a sum.
    pub(crate) fn sum(&self, sum: &Sum) -> Integer {
        let value = sum.evaluate(|unknown| self.value(unknown).into());
        value.to_integer().unwrap_or_default()
    }
}

/// Whether comparisons agree.
pub(crate) enum Agreement {
    /// There are such numbers.
    Agree,
    /// There are none: one of these literals must be true.
    Clash(Vec<Literal>),
    /// The budget ended.
    Stopped(base::Stop),
}
