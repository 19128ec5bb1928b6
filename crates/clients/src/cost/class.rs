//! How costs grow: their complexity classes.
//!
//! A formula grows like the sum of its parts, and a product like the product. Constants and constant factors are left
//! out. What a remainder gives is limited. Known imprecision: there are no logarithms, because bounds have none.

use std::collections::{BTreeMap, BTreeSet};

use evidence::{Complexity, Expression, Integer, Moment, Quantity};

/// A product of powers.
type Term = BTreeMap<String, u32>;

/// More products than this say nothing to anybody.
const MOST: usize = 64;

/// The class of a formula. Nothing if it is too large.
pub(super) fn class(formula: &Expression) -> Option<Complexity> {
    let all = terms(formula)?;
    let is_less = |one: &Term, other: &Term| {
        one != other && one.iter().all(|(factor, power)| other.get(factor).is_some_and(|more| more >= power))
    };
    let mut kept: Vec<Term> =
        all.iter().filter(|one| !all.iter().any(|other| is_less(one, other))).cloned().collect();
    kept.sort_by_key(|term| (std::cmp::Reverse(term.values().sum::<u32>()), term.clone()));
    Some(Complexity { terms: kept })
}

fn terms(formula: &Expression) -> Option<BTreeSet<Term>> {
    let one = || BTreeSet::from([Term::new()]);
    let factor = |text: String| BTreeSet::from([Term::from([(text, 1)])]);
    let union = |parts: &[Expression]| {
        parts.iter().try_fold(one(), |all, part| Some(all.into_iter().chain(terms(part)?).collect()))
    };
    let found: BTreeSet<Term> = match formula {
        Expression::Constant(_) | Expression::Remainder { .. } => one(),
        Expression::Sum(parts) if parts.iter().any(is_taken_away) => {
            factor(format!("({})", without_constants(parts)))
        }
        Expression::Sum(parts) | Expression::Maximum(parts) => union(parts)?,
        Expression::Minimum(parts) => terms(parts.first()?)?,
        Expression::Product(parts) => {
            let mut product = one();
            for part in parts {
                let part = terms(part)?;
                product =
                    product.iter().flat_map(|left| part.iter().map(|right| times(left, right))).collect();
                if product.len() > MOST {
                    return None;
                }
            }
            product
        }
        Expression::Quotient { dividend, .. } => terms(dividend)?,
        Expression::Select { then, otherwise, .. } => {
            terms(then)?.into_iter().chain(terms(otherwise)?).collect()
        }
        Expression::Power { base, exponent } => {
            let exponent = without_constants(std::slice::from_ref(exponent));
            let is_one = !exponent.contains(' ');
            factor(if is_one { format!("{base}^{exponent}") } else { format!("{base}^({exponent})") })
        }
        Expression::Quantity { quantity, .. } => factor(quantity.variable.to_string()),
        Expression::Counter | Expression::Element(_) => return None,
    };
    (found.len() <= MOST).then_some(found)
}

fn times(left: &Term, right: &Term) -> Term {
    let mut product = left.clone();
    for (factor, power) in right {
        *product.entry(factor.clone()).or_default() += power;
    }
    product
}

/// Whether a part of a sum is taken away.
fn is_taken_away(part: &Expression) -> bool {
    matches!(part, Expression::Product(parts) if matches!(&parts[..], [Expression::Constant(factor), ..] if *factor < Integer::ZERO))
}

/// The text of a sum without its constant, at values when the function was entered.
fn without_constants(parts: &[Expression]) -> String {
    let parts = match parts {
        [Expression::Sum(parts)] => parts,
        other => other,
    };
    let kept: Vec<Expression> =
        parts.iter().filter(|part| !matches!(part, Expression::Constant(_))).cloned().collect();
    let sum = if let [one] = &kept[..] { one.clone() } else { Expression::Sum(kept) };
    plain(&sum).to_string().replace("-1 * ", "-")
}

/// A number as people write it: the names of what it is made of.
fn plain(number: &Expression) -> Expression {
    match number {
        Expression::Quantity { quantity, .. } => Quantity::value(quantity.variable.clone()).at(Moment::Now),
        Expression::Sum(parts) => Expression::Sum(parts.iter().map(plain).collect()),
        Expression::Product(parts) => Expression::Product(parts.iter().map(plain).collect()),
        Expression::Maximum(parts) => match &parts[..] {
            [only, Expression::Constant(zero)] if *zero == Integer::ZERO => plain(only),
            _ => Expression::Maximum(parts.iter().map(plain).collect()),
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use evidence::expression::{constant, now};

    use super::*;

    fn of(formula: &Expression) -> String {
        class(formula).expect("it is small").to_string()
    }

    #[test]
    fn lesser_terms_are_left_out() {
        assert_eq!(of(&constant(17)), "O(1)");
        let (n, m) = (now("n"), now("m"));
        let square = Expression::Product(vec![constant(3), n.clone(), n.clone()]);
        let formula = Expression::Sum(vec![square, n.clone() * m.clone(), m.clone(), constant(4)]);
        assert_eq!(of(&formula), "O(m*n + n^2)");
        assert_eq!(of(&Expression::Maximum(vec![n.clone() + 3, constant(0)])), "O(n)");
        assert_eq!(of(&(n.clone() + 3).quotient(2)), "O(n)");
        assert_eq!(of(&n.remainder(2)), "O(1)");
    }

    #[test]
    fn differences_and_powers_are_factors() {
        let distance = Expression::Maximum(vec![now("e") + -now("b") + 1, constant(0)]);
        assert_eq!(of(&(distance * now("n"))), "O((e - b)*n)");
        assert_eq!(of(&(-now("n") + 3)), "O((-n))");
        assert_eq!(of(&(now("n") + 1).power_of(2)), "O(2^n)");
    }
}
