//! What a formula says of a state that was seen.

use std::collections::BTreeMap;

use evidence::{Aspect, Comparison, Expression, Formula, Moment, Name};
use program::VariableId;

use super::{Numbers, Seen};

/// A formula that speaks of places in states.
pub(super) enum Compiled {
    Compare(Comparison, Number, Number),
    Not(Box<Compiled>),
    All(Vec<Compiled>),
    Any(Vec<Compiled>),
    Known(bool),
}

pub(super) enum Number {
    Constant(i128),
    Entry(usize),
    Now(usize),
    Sum(Vec<Number>),
    Product(Vec<Number>),
    Quotient(Box<Number>, i128),
    Remainder(Box<Number>, i128),
    Minimum(Vec<Number>),
    Maximum(Vec<Number>),
    Select(Box<Compiled>, Box<Number>, Box<Number>),
}

struct Compiler<'a> {
    seen: &'a Seen,
    variables: &'a BTreeMap<Name, VariableId>,
}

impl Compiled {
    /// Nothing if it speaks of more than numbers of variables.
    pub fn new(seen: &Seen, variables: &BTreeMap<Name, VariableId>, formula: &Formula) -> Option<Self> {
        Compiler { seen, variables }.formula(formula)
    }

    /// Whether it holds, if that can be told.
    pub fn holds(&self, entry: &Numbers, now: &Numbers) -> Option<bool> {
        match self {
            Compiled::Known(truth) => Some(*truth),
            Compiled::Compare(comparison, left, right) => {
                Some(comparison.holds(&left.value(entry, now)?, &right.value(entry, now)?))
            }
            Compiled::Not(inner) => inner.holds(entry, now).map(|truth| !truth),
            Compiled::All(parts) => decide(parts.iter().map(|part| part.holds(entry, now)), false),
            Compiled::Any(parts) => decide(parts.iter().map(|part| part.holds(entry, now)), true),
        }
    }
}

/// The answer if one part decides, its opposite if all parts say so.
fn decide(parts: impl Iterator<Item = Option<bool>>, decides: bool) -> Option<bool> {
    let mut unknown = false;
    for part in parts {
        match part {
            Some(truth) if truth == decides => return Some(decides),
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown { None } else { Some(!decides) }
}

impl Number {
    fn value(&self, entry: &Numbers, now: &Numbers) -> Option<i128> {
        let values = |parts: &[Number]| -> Option<Vec<i128>> {
            parts.iter().map(|part| part.value(entry, now)).collect()
        };
        match self {
            Number::Constant(number) => Some(*number),
            Number::Entry(slot) => entry[*slot],
            Number::Now(slot) => now[*slot],
            Number::Sum(parts) => {
                parts.iter().try_fold(0i128, |sum, part| sum.checked_add(part.value(entry, now)?))
            }
            Number::Product(parts) => {
                parts.iter().try_fold(1i128, |product, part| product.checked_mul(part.value(entry, now)?))
            }
            Number::Quotient(part, by) => part.value(entry, now)?.checked_div_euclid(*by),
            Number::Remainder(part, by) => part.value(entry, now)?.checked_rem_euclid(*by),
            Number::Minimum(parts) => values(parts)?.into_iter().min(),
            Number::Maximum(parts) => values(parts)?.into_iter().max(),
            Number::Select(condition, then, otherwise) => {
                if condition.holds(entry, now)? { then } else { otherwise }.value(entry, now)
            }
        }
    }
}

impl Compiler<'_> {
    fn formula(&self, formula: &Formula) -> Option<Compiled> {
        let all = |parts: &[Formula]| parts.iter().map(|part| self.formula(part)).collect::<Option<Vec<_>>>();
        Some(match formula {
            Formula::True => Compiled::Known(true),
            Formula::False => Compiled::Known(false),
            Formula::Compare { left, comparison, right } => {
                Compiled::Compare(*comparison, self.number(left)?, self.number(right)?)
            }
            Formula::Not(inner) => Compiled::Not(Box::new(self.formula(inner)?)),
            Formula::All(parts) => Compiled::All(all(parts)?),
            Formula::Any(parts) => Compiled::Any(all(parts)?),
            Formula::Every { .. } => return None,
        })
    }

    fn number(&self, expression: &Expression) -> Option<Number> {
        let all =
            |parts: &[Expression]| parts.iter().map(|part| self.number(part)).collect::<Option<Vec<_>>>();
        Some(match expression {
            Expression::Constant(number) => Number::Constant(i128::try_from(number).ok()?),
            Expression::Quantity { quantity, moment } => {
                if !matches!(quantity.aspect, Aspect::Value | Aspect::Offset) {
                    return None;
                }
                let slot = self.seen.slot(*self.variables.get(&quantity.variable)?)?;
                match moment {
                    Moment::Entry => Number::Entry(slot),
                    Moment::Now => Number::Now(slot),
                    Moment::Next | Moment::Start => return None,
                }
            }
            Expression::Sum(parts) => Number::Sum(all(parts)?),
            Expression::Product(parts) => Number::Product(all(parts)?),
            Expression::Quotient { dividend, divisor } => {
                Number::Quotient(Box::new(self.number(dividend)?), i128::try_from(divisor).ok()?)
            }
            Expression::Remainder { dividend, divisor } => {
                Number::Remainder(Box::new(self.number(dividend)?), i128::try_from(divisor).ok()?)
            }
            Expression::Minimum(parts) => Number::Minimum(all(parts)?),
            Expression::Maximum(parts) => Number::Maximum(all(parts)?),
            Expression::Select { condition, then, otherwise } => Number::Select(
                Box::new(self.formula(condition)?),
                Box::new(self.number(then)?),
                Box::new(self.number(otherwise)?),
            ),
            _ => return None,
        })
    }
}
