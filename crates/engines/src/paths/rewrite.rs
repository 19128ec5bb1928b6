//! Expressions with other numbers in place of some, and what expressions speak of.

use std::collections::BTreeMap;

use evidence::{Element, Expression, Formula, Moment, Part};

use crate::linear::{InEvidence, Linear};

/// Numbers to put in the place of others.
pub type Places = BTreeMap<Expression, Linear>;

/// Larger expressions are not examined.
const LARGEST: usize = 60;

/// An expression with other numbers in place of some.
pub fn rewrite(expression: &Expression, places: &Places) -> Linear {
    if let Some(value) = places.get(expression) {
        return value.clone();
    }
    let inside = |part: &Expression| rewrite(part, places).expression();
    let all = |parts: &[Expression]| parts.iter().map(inside).collect::<Vec<_>>();
    Linear::variable(match expression {
        Expression::Constant(number) => return Linear::constant(number),
        Expression::Sum(parts) => {
            return parts.iter().fold(Linear::zero(), |sum, part| &sum + &rewrite(part, places));
        }
        Expression::Product(parts) => return product(parts, places),
        Expression::Quantity { .. } | Expression::Counter => expression.clone(),
        Expression::Quotient { dividend, divisor } => {
            let dividend = rewrite(dividend, places);
            match dividend.over(divisor) {
                Some(whole) => return whole,
                None => dividend.expression().quotient(divisor.clone()),
            }
        }
        Expression::Remainder { dividend, divisor } => inside(dividend).remainder(divisor.clone()),
        Expression::Minimum(parts) => Expression::Minimum(all(parts)),
        Expression::Maximum(parts) => Expression::Maximum(all(parts)),
        Expression::Power { base, exponent } => inside(exponent).power_of(base.clone()),
        Expression::Select { condition, then, otherwise } => {
            Expression::select(rewrite_formula(condition, places), inside(then), inside(otherwise))
        }
        Expression::Element(element) => {
            let index = Box::new(inside(&element.index));
            Expression::Element(Element { index, ..element.clone() })
        }
    })
}

fn product(parts: &[Expression], places: &Places) -> Linear {
    let mut result = Linear::constant(1);
    for part in parts {
        let part = rewrite(part, places);
        result = match (result.as_constant(), part.as_constant()) {
            (Some(known), _) => part.scaled(known),
            (_, Some(known)) => result.scaled(known),
            _ => Linear::variable(result.expression() * part.expression()),
        };
    }
    result
}

/// A formula with other numbers in place of some.
pub fn rewrite_formula(formula: &Formula, places: &Places) -> Formula {
    let inside = |formula: &Formula| rewrite_formula(formula, places);
    match formula {
        Formula::True | Formula::False | Formula::Every { .. } => formula.clone(),
        Formula::Compare { left, comparison, right } => Formula::Compare {
            left: rewrite(left, places).expression(),
            comparison: *comparison,
            right: rewrite(right, places).expression(),
        },
        Formula::Not(inner) => Formula::Not(Box::new(inside(inner))),
        Formula::All(parts) => Formula::All(parts.iter().map(inside).collect()),
        Formula::Any(parts) => Formula::Any(parts.iter().map(inside).collect()),
    }
}

/// The quantities and elements that an expression speaks of, also those in indices.
pub fn spoken(expression: &Expression) -> Vec<&Expression> {
    spoken_of(Part::Number(expression))
}

/// The quantities and elements that a formula speaks of, also those in indices.
pub fn spoken_in(formula: &Formula) -> Vec<&Expression> {
    spoken_of(Part::Formula(formula))
}

fn spoken_of(whole: Part<'_>) -> Vec<&Expression> {
    let mut found = Vec::new();
    whole.walk(&mut |part| {
        if let Part::Number(number @ (Expression::Quantity { .. } | Expression::Element(_))) = part {
            found.push(number);
        }
    });
    found
}

/// Whether a formula speaks of the state at entry.
pub fn speaks_of_entry(formula: &Formula) -> bool {
    spoken_in(formula).into_iter().any(|spoken| match spoken {
        Expression::Quantity { moment, .. } => *moment == Moment::Entry,
        Expression::Element(element) => element.moment == Moment::Entry,
        _ => false,
    })
}

/// Whether an expression is small enough to be worth an invariant.
pub fn is_small(expression: &Expression) -> bool {
    let mut size = 0;
    Part::Number(expression).walk(&mut |_| size += 1);
    size <= LARGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::expression::now;

    #[test]
    fn numbers_are_put_in_the_place_of_others_also_in_indices() {
        let formula: Formula = "a.s4[i + 1] == 2 * i + n".parse().expect("it is a formula");
        let places = Places::from([(now("i"), Linear::variable(now("k")).shifted(-1))]);
        assert_eq!(rewrite_formula(&formula, &places).to_string(), "a.s4[k] == 2 * k + n - 2");
        assert_eq!(spoken_in(&formula).len(), 4);
        assert!(!speaks_of_entry(&formula));
    }
}
