//! Flags: a number that some iteration sets to a constant, or else all elements that were visited satisfy what was
//! asked in the iterations that do not set it.

use evidence::expression::constant;
use evidence::{Expression, Formula, Integer, Moment, Quantity};
use logic::numbers::Rational;

use super::stretch::Visit;
use super::{unused_name, written};
use crate::paths::Value;
use crate::view::View;

/// No more flags are examined.
const MOST: usize = 3;

pub(super) fn propose(view: &View<'_>, visits: &[Visit<'_>], candidates: &mut Vec<Formula>) {
    let name = unused_name(view);
    for (flag, set) in flags(view).into_iter().take(MOST) {
        for visit in visits {
            for body in written::bodies(view, visit, &name) {
                candidates.push(flag.clone().equals(constant(set.clone())).or(visit.every(&name, body)));
            }
        }
    }
}

/// Numbers that some ways set to a constant and others leave as they are.
fn flags(view: &View<'_>) -> Vec<(Expression, Integer)> {
    let mut flags = Vec::new();
    for number in view.numbers.iter().filter(|number| number.changed) {
        let mut values: Vec<Option<Integer>> = Vec::new();
        for way in view.iteration.back() {
            match way.updates.get(&number.variable) {
                Some(Value::Number(value)) => values.push(value.as_constant().and_then(Rational::to_integer)),
                Some(_) => values.push(None),
                None => {}
            }
        }
        values.sort();
        values.dedup();
        if let [Some(value)] = &values[..]
            && view.iteration.back().any(|way| !way.updates.contains_key(&number.variable))
        {
            flags.push((Quantity::value(number.name.clone()).at(Moment::Now), value.clone()));
        }
    }
    flags
}
