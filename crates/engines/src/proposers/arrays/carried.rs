//! How the elements that were visited compare with a number that is carried along: the greatest or the least so far, or
//! one that is searched for.

use std::collections::BTreeSet;

use evidence::{Comparison, Expression, Formula, Moment, Name, Quantity};

use super::stretch::Visit;
use crate::linear::InEvidence;
use crate::paths::{Value, spoken, spoken_in};
use crate::view::View;

/// What may be true of all elements that were visited.
pub(super) fn bodies(view: &View<'_>, visit: &Visit<'_>, name: &Name) -> Vec<Formula> {
    use Comparison::{Differ, Equal, GreaterEqual, LessEqual};
    let element = Expression::Element(visit.element(name));
    let companions = companions(view, &Expression::Element(visit.here()));
    let compared = companions.into_iter().flat_map(|number| {
        let element = &element;
        [LessEqual, GreaterEqual, Differ, Equal]
            .map(|comparison| element.clone().compare(comparison, number.clone()))
    });
    compared.collect()
}

/// The numbers that an element is compared with, or that become it.
fn companions(view: &View<'_>, element: &Expression) -> BTreeSet<Expression> {
    let mut found = BTreeSet::new();
    let is_number = |part: &&Expression| matches!(part, Expression::Quantity { .. });
    for way in view.iteration.back() {
        for condition in way.formulas() {
            let parts = spoken_in(&condition);
            if let Formula::Compare { .. } = condition
                && parts.contains(&element)
            {
                found.extend(parts.into_iter().filter(is_number).cloned());
            }
        }
        for number in view.numbers.iter().filter(|number| number.changed) {
            if let Some(Value::Number(value)) = way.updates.get(&number.variable)
                && spoken(&value.expression()).contains(&element)
            {
                found.insert(Quantity::value(number.name.clone()).at(Moment::Now));
            }
        }
    }
    // Numbers that only say which element it is are no companions, nor are those between two expressions.
    let indices: Vec<Expression> = spoken(element).into_iter().filter(is_number).cloned().collect();
    let of_source = |number: &Expression| {
        let Expression::Quantity { quantity, .. } = number else { return false };
        view.numbers.iter().any(|other| other.source && other.name == quantity.variable)
    };
    found.retain(|number| !indices.contains(number) && of_source(number));
    found
}
