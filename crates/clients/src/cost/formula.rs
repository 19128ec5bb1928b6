//! Costs as formulas: sums of multiples in them, and upper bounds of formulas from upper bounds of those.

use evidence::expression::constant;
use evidence::{Expression, Integer, Moment, Quantity};

use crate::bounds::normal::is_at_least;

/// A sum of multiples of what a function was given, and a constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Sum {
    /// The multiples, each quantity once.
    pub terms: Vec<(Quantity, i64)>,
    /// The constant.
    pub constant: i64,
}

impl Sum {
    /// The sum that an expression is, if it is one.
    fn of(expression: &Expression) -> Option<Self> {
        let small = |number: &Integer| i64::try_from(number).ok();
        match expression {
            Expression::Constant(number) => Some(Self { terms: Vec::new(), constant: small(number)? }),
            Expression::Quantity { quantity, moment: Moment::Start } => {
                Some(Self { terms: vec![(quantity.clone(), 1)], constant: 0 })
            }
            Expression::Sum(parts) => {
                parts.iter().try_fold(Self::default(), |sum, part| sum.plus(Self::of(part)?))
            }
            Expression::Product(parts) => match &parts[..] {
                [Expression::Constant(factor), other] | [other, Expression::Constant(factor)] => {
                    Self::of(other)?.times(small(factor)?)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn plus(mut self, other: Self) -> Option<Self> {
        for (quantity, factor) in other.terms {
            match self.terms.iter_mut().find(|(own, _)| *own == quantity) {
                Some((_, own)) => *own = own.checked_add(factor)?,
                None => self.terms.push((quantity, factor)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        self.constant = self.constant.checked_add(other.constant)?;
        Some(self)
    }

    fn times(mut self, by: i64) -> Option<Self> {
        for (_, factor) in &mut self.terms {
            *factor = factor.checked_mul(by)?;
        }
        self.constant = self.constant.checked_mul(by)?;
        Some(self)
    }
}

/// What bounds a sum: a number that is at least the sum and at least zero.
pub(super) type Bounds<'a> = &'a mut dyn FnMut(&Sum) -> Option<Expression>;

/// A number that is at least a formula, and at least zero, where sums in it are bounded so. It only uses that sums,
/// products of natural numbers, quotients, powers and extremes grow with their parts. Nothing if a part has no bound, or
/// it is not known whether factors are negative.
pub(super) fn upper(formula: &Expression, bounds: Bounds<'_>) -> Option<Expression> {
    if let Expression::Constant(number) = formula {
        return Some(Expression::Constant(number.clone().max(Integer::ZERO)));
    }
    if let Some(sum) = Sum::of(formula) {
        return bounds(&sum);
    }
    Some(match formula {
        Expression::Sum(parts) => sum(parts, bounds)?,
        Expression::Product(parts) => product(parts, bounds)?,
        Expression::Maximum(parts) => {
            greatest(parts.iter().map(|part| upper(part, bounds)).collect::<Option<_>>()?)
        }
        Expression::Minimum(parts) => {
            let known: Vec<Expression> = parts.iter().filter_map(|part| upper(part, bounds)).collect();
            (!known.is_empty()).then_some(Expression::Minimum(known))?
        }
        Expression::Quotient { dividend, divisor } if *divisor >= Integer::ONE => {
            upper(dividend, bounds)?.quotient(divisor.clone())
        }
        Expression::Remainder { divisor, .. } if *divisor >= Integer::ONE => {
            Expression::Constant(divisor - Integer::ONE)
        }
        Expression::Power { base, exponent } if *base >= Integer::ONE => {
            upper(exponent, bounds)?.power_of(base.clone())
        }
        Expression::Select { then, otherwise, .. } => {
            greatest(vec![upper(then, bounds)?, upper(otherwise, bounds)?])
        }
        _ => return None,
    })
}

/// The greatest of natural numbers.
pub(super) fn greatest(mut parts: Vec<Expression>) -> Expression {
    parts.retain(|part| *part != constant(0));
    parts.sort();
    parts.dedup();
    match parts.len() {
        0 => constant(0),
        1 => parts.remove(0),
        _ => Expression::Maximum(parts),
    }
}

fn sum(parts: &[Expression], bounds: Bounds<'_>) -> Option<Expression> {
    let (mut linear, mut uppers) = (Sum::default(), Vec::new());
    for part in parts {
        match Sum::of(part) {
            Some(part) => linear = linear.plus(part)?,
            None => uppers.push(upper(part, bounds)?),
        }
    }
    if linear.terms.is_empty() {
        uppers.push(constant(linear.constant.max(0)));
    } else {
        uppers.push(bounds(&linear)?);
    }
    Some(Expression::Sum(uppers))
}

fn product(parts: &[Expression], bounds: Bounds<'_>) -> Option<Expression> {
    let is_negative =
        |part: &Expression| matches!(part, Expression::Constant(number) if *number < Integer::ZERO);
    let (negative, others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| is_negative(part));
    let may_be_negative = others.iter().filter(|part| !is_natural(part)).count();
    match (negative.len(), may_be_negative) {
        (1, 0) => Some(constant(0)),
        // A negative one makes the product negative: then it is at most zero.
        (0, 0 | 1) => Some(Expression::Product(
            others.into_iter().map(|part| upper(part, bounds)).collect::<Option<_>>()?,
        )),
        _ => None,
    }
}

/// Whether a number is surely not negative.
fn is_natural(number: &Expression) -> bool {
    is_natural_where(number, &|_| false)
}

/// The same where some quantities never are.
fn is_natural_where(number: &Expression, unsigned: &dyn Fn(&Quantity) -> bool) -> bool {
    let is_natural = |part: &Expression| is_natural_where(part, unsigned);
    match number {
        Expression::Constant(number) => *number >= Integer::ZERO,
        Expression::Quantity { quantity, moment: Moment::Start } => unsigned(quantity),
        Expression::Sum(parts) | Expression::Product(parts) | Expression::Minimum(parts) => {
            parts.iter().all(is_natural)
        }
        Expression::Maximum(parts) => parts.iter().any(is_natural),
        Expression::Quotient { dividend, divisor } => *divisor >= Integer::ONE && is_natural(dividend),
        Expression::Remainder { divisor, .. } => *divisor >= Integer::ONE,
        Expression::Power { base, .. } => *base >= Integer::ONE,
        Expression::Select { condition, then, otherwise } => {
            (is_natural(then) || is_at_least(condition, then, &Integer::ZERO)) && is_natural(otherwise)
        }
        _ => false,
    }
}

/// The same number without a maximum of zero and what is never negative, where some quantities never are.
pub(super) fn readable(number: &Expression, unsigned: &dyn Fn(&Quantity) -> bool) -> Expression {
    let all = |parts: &[Expression]| parts.iter().map(|part| readable(part, unsigned)).collect::<Vec<_>>();
    match number {
        Expression::Sum(parts) => Expression::Sum(all(parts)),
        Expression::Product(parts) => Expression::Product(all(parts)),
        Expression::Minimum(parts) => Expression::Minimum(all(parts)),
        Expression::Maximum(parts) => {
            let mut parts = all(parts);
            let is_other = |part: &Expression| *part != constant(0) && is_natural_where(part, unsigned);
            if parts.iter().any(is_other) {
                parts.retain(|part| *part != constant(0));
            }
            if parts.len() == 1 { parts.remove(0) } else { Expression::Maximum(parts) }
        }
        Expression::Quotient { dividend, divisor } => readable(dividend, unsigned).quotient(divisor.clone()),
        Expression::Power { base, exponent } => readable(exponent, unsigned).power_of(base.clone()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use evidence::Expression;

    use super::*;

    fn start(name: &str) -> Expression {
        Quantity::value(name).at(Moment::Start)
    }

    fn natural(number: Expression) -> Expression {
        Expression::Maximum(vec![number, constant(0)])
    }

    /// The upper bound where each sum `s` is bounded by a variable with its number, and the sums.
    fn bounded(formula: &Expression) -> (Option<String>, Vec<Sum>) {
        let mut seen = Vec::new();
        let found = upper(formula, &mut |sum| {
            seen.push(sum.clone());
            Some(start(&format!("E{}", seen.len())))
        });
        (found.map(|found| found.to_string()), seen)
    }

    #[test]
    fn sums_are_bounded_as_a_whole() {
        let (found, sums) = bounded(&natural(start("n") + start("m") * -1 + 3));
        assert_eq!(found.as_deref(), Some("start(E1)"));
        assert_eq!((sums.len(), sums[0].terms.len(), sums[0].constant), (1, 2, 3));
    }

    #[test]
    fn products_need_natural_factors() {
        let (one, other) = (natural(start("n")), natural(start("m")));
        let product = |parts: &[&Expression]| Expression::Product(parts.iter().copied().cloned().collect());
        assert!(bounded(&product(&[&one, &other])).0.is_some());
        assert!(bounded(&product(&[&one, &start("m")])).0.is_some());
        assert!(bounded(&product(&[&start("n"), &start("m")])).0.is_none());
        assert!(bounded(&product(&[&constant(-2), &start("n"), &other])).0.is_none());
        assert_eq!(bounded(&product(&[&constant(-2), &one, &other])).0.as_deref(), Some("0"));
    }

    #[test]
    fn what_falls_where_a_sum_rises_has_no_bound_from_it() {
        assert_eq!(bounded(&start("n").remainder(7)).0.as_deref(), Some("6"));
        assert!(bounded(&Expression::Counter).0.is_none());
    }
}
