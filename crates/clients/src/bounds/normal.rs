//! Numbers as sums of products, so that a bound reads like one.

use std::collections::BTreeMap;

use evidence::expression::constant;
use evidence::{Comparison, Expression, Formula, Integer};

/// A sum of products of what is neither, with coefficients.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Polynomial(BTreeMap<Vec<Expression>, Integer>);

/// More products than this are left as they are.
const MOST: usize = 64;

/// The same number, written as a sum of products.
pub fn normal(number: &Expression) -> Expression {
    let polynomial = Polynomial::of(number);
    // A constant next to a choice belongs into its sides.
    if polynomial.0.len() == 2
        && let Some(more) = polynomial.0.get(&Vec::new())
        && let Some(([Expression::Select { condition, then, otherwise }], factor)) = polynomial
            .0
            .iter()
            .map(|(factors, factor)| (&factors[..], factor))
            .find(|(factors, _)| !factors.is_empty())
        && *factor == Integer::ONE
    {
        let side = |side: &Expression| side.clone() + Expression::Constant(more.clone());
        return select(condition, &side(then), &side(otherwise)).expression();
    }
    polynomial.expression()
}

impl Polynomial {
    fn constant(number: Integer) -> Self {
        let mut parts = BTreeMap::new();
        if number != Integer::ZERO {
            parts.insert(Vec::new(), number);
        }
        Self(parts)
    }

    fn atom(number: Expression) -> Self {
        Self(BTreeMap::from([(vec![number], Integer::ONE)]))
    }

    fn of(number: &Expression) -> Self {
        match number {
            Expression::Constant(known) => Self::constant(known.clone()),
            Expression::Sum(parts) => {
                parts.iter().fold(Self::default(), |sum, part| sum.plus(&Self::of(part)))
            }
            Expression::Product(parts) => {
                let product =
                    parts.iter().map(Self::of).try_fold(Self::constant(Integer::ONE), |a, b| a.times(&b));
                product.unwrap_or_else(|| Self::atom(number.clone()))
            }
            Expression::Maximum(parts) => extreme(parts, true),
            Expression::Minimum(parts) => extreme(parts, false),
            Expression::Quotient { dividend, divisor } => quotient(&Self::of(dividend), divisor),
            Expression::Select { condition, then, otherwise } => select(condition, then, otherwise),
            Expression::Remainder { dividend, divisor } => {
                Self::atom(normal(dividend).remainder(divisor.clone()))
            }
            other => Self::atom(other.clone()),
        }
    }

    fn known(&self) -> Option<Integer> {
        match self.0.len() {
            0 => Some(Integer::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn plus(mut self, other: &Self) -> Self {
        for (part, factor) in &other.0 {
            let own = self.0.entry(part.clone()).or_insert(Integer::ZERO);
            *own += factor;
            if *own == Integer::ZERO {
                self.0.remove(part);
            }
        }
        self
    }

    fn times(&self, other: &Self) -> Option<Self> {
        if self.0.len() * other.0.len() > MOST {
            return None;
        }
        let mut product = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut factors = [left.clone(), right.clone()].concat();
                factors.sort();
                product = product.plus(&Self(BTreeMap::from([(factors, a * b)])));
            }
        }
        Some(product)
    }

    fn expression(&self) -> Expression {
        // The products with most factors come first, the constant last, and what is subtracted after what is added.
        let mut parts: Vec<(&Vec<Expression>, &Integer)> = self.0.iter().collect();
        parts.sort_by_key(|(factors, factor)| {
            (factors.is_empty(), **factor < Integer::ZERO, std::cmp::Reverse(factors.len()))
        });
        let product = |(factors, factor): (&Vec<Expression>, &Integer)| match (
            factors.len(),
            *factor == Integer::ONE,
        ) {
            (0, _) => Expression::Constant(factor.clone()),
            (1, true) => factors[0].clone(),
            (_, true) => Expression::Product(factors.clone()),
            _ => Expression::Product([vec![Expression::Constant(factor.clone())], factors.clone()].concat()),
        };
        let mut sum: Vec<Expression> = parts.into_iter().map(product).collect();
        match sum.len() {
            0 => constant(0),
            1 => sum.swap_remove(0),
            _ => Expression::Sum(sum),
        }
    }
}

fn extreme(parts: &[Expression], greatest: bool) -> Polynomial {
    let mut parts: Vec<Polynomial> = parts.iter().map(Polynomial::of).collect();
    let common = parts.iter().flat_map(|part| part.0.values()).fold(Integer::ZERO, greatest_divisor);
    if common > Integer::ONE {
        parts.iter_mut().flat_map(|part| part.0.values_mut()).for_each(|factor| *factor /= &common);
        let mut extreme = extreme_of(&parts, greatest);
        extreme.0.values_mut().for_each(|factor| *factor *= &common);
        return extreme;
    }
    extreme_of(&parts, greatest)
}

/// The greatest number that divides both, which is not negative.
fn greatest_divisor(one: Integer, other: &Integer) -> Integer {
    let (mut one, mut other) = (one, other.clone());
    while other != Integer::ZERO {
        (one, other) = (other.clone(), one % other);
    }
    if one < Integer::ZERO { -one } else { one }
}

fn extreme_of(parts: &[Polynomial], greatest: bool) -> Polynomial {
    let mut known: Option<Integer> = None;
    let mut others: Vec<Expression> = Vec::new();
    for part in parts {
        match (part.known(), &known) {
            (Some(number), Some(best)) => {
                known = Some(if greatest { number.max(best.clone()) } else { number.min(best.clone()) });
            }
            (Some(number), None) => known = Some(number),
            (None, _) => others.push(part.expression()),
        }
    }
    if let ([Expression::Select { condition, then, otherwise }], true, Some(low)) =
        (&others[..], greatest, &known)
    {
        return choice(condition, then, otherwise, low);
    }
    others.sort();
    others.dedup();
    if others.is_empty() {
        return Polynomial::constant(known.unwrap_or_default());
    }
    if known.is_none() && others.len() == 1 {
        return Polynomial::of(&others[0]);
    }
    others.extend(known.map(Expression::Constant));
    Polynomial::atom(if greatest { Expression::Maximum(others) } else { Expression::Minimum(others) })
}

/// The greater of a choice and a number: of each of its sides and the number.
fn choice(condition: &Formula, then: &Expression, otherwise: &Expression, low: &Integer) -> Polynomial {
    let either =
        |side: &Expression| Expression::Maximum(vec![side.clone(), Expression::Constant(low.clone())]);
    let then = if is_at_least(condition, then, low) { then.clone() } else { either(then) };
    select(condition, &then, &either(otherwise))
}

/// Whether a condition says that a number is at least another one.
pub(crate) fn is_at_least(condition: &Formula, number: &Expression, low: &Integer) -> bool {
    match condition {
        Formula::Compare { left, comparison: Comparison::GreaterEqual, right } => {
            let minus = Polynomial::constant(-Integer::ONE);
            let least = minus.times(&Polynomial::of(left)).map(|left| Polynomial::of(number).plus(&left));
            let more = least.map(|least| least.plus(&Polynomial::of(right))).and_then(|more| more.known());
            more.is_some_and(|more| more >= *low)
        }
        Formula::All(parts) => parts.iter().any(|part| is_at_least(part, number, low)),
        _ => false,
    }
}

fn quotient(dividend: &Polynomial, divisor: &Integer) -> Polynomial {
    let divide = |number: &Integer| {
        let (quotient, rest) = (number / divisor, number % divisor);
        if rest < Integer::ZERO { quotient - Integer::ONE } else { quotient }
    };
    let mut whole = Polynomial::default();
    let mut rest = Polynomial::default();
    for (factors, factor) in &dividend.0 {
        if factors.is_empty() {
            let outside = divide(factor);
            rest = rest.plus(&Polynomial::constant(factor - &outside * divisor));
            whole = whole.plus(&Polynomial::constant(outside));
        } else if factor % divisor == Integer::ZERO {
            whole = whole.plus(&Polynomial(BTreeMap::from([(factors.clone(), factor / divisor)])));
        } else {
            rest = rest.plus(&Polynomial(BTreeMap::from([(factors.clone(), factor.clone())])));
        }
    }
    match rest.known() {
        Some(_) => whole,
        // A quotient reads better with its whole constant inside.
        None => {
            let constant = whole.0.remove(&Vec::new()).unwrap_or_default();
            let inside = rest.plus(&Polynomial::constant(constant * divisor));
            whole.plus(&Polynomial::atom(inside.expression().quotient(divisor.clone())))
        }
    }
}

fn normal_formula(formula: &Formula) -> Formula {
    match formula {
        Formula::Compare { left, comparison, right } => {
            let (left, right) = (Polynomial::of(left), normal(right));
            // A known number stands on the right.
            let known = left.0.get(&Vec::new()).cloned();
            if let (Some(known), Expression::Constant(right)) = (known, &right) {
                let rest = left.plus(&Polynomial::constant(-known.clone())).expression();
                return rest.compare(*comparison, Expression::Constant(right - known));
            }
            left.expression().compare(*comparison, right)
        }
        Formula::All(parts) => Formula::All(parts.iter().map(normal_formula).collect()),
        other => other.clone(),
    }
}

fn select(condition: &Formula, then: &Expression, otherwise: &Expression) -> Polynomial {
    let (then, otherwise) = (normal(then), normal(otherwise));
    if then == otherwise {
        return Polynomial::of(&then);
    }
    Polynomial::atom(Expression::Select {
        condition: Box::new(normal_formula(condition)),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    })
}
