//! Limits: a number stays above or below the value that it had at entry, zero, or another number that the loop does not
//! change.

use evidence::{Expression, Formula, Moment, Quantity};

use super::Proposer;
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "limits", propose };

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let fixed: Vec<Expression> = view
        .numbers
        .iter()
        .filter(|number| number.source && !number.changed)
        .map(|number| Quantity::value(number.name.clone()).at(Moment::Now))
        .collect();
    for number in view.numbers.iter().filter(|number| number.changed && number.source) {
        let quantity = Quantity::value(number.name.clone());
        let now = || quantity.at(Moment::Now);
        candidates.push(now().at_least(0));
        candidates.push(now().at_least(quantity.at(Moment::Entry)));
        candidates.push(now().at_most(quantity.at(Moment::Entry)));
        for limit in &fixed {
            candidates.push(now().at_most(limit.clone()));
            candidates.push(now().at_most(limit.clone() + 1));
            candidates.push(now().at_least(limit.clone()));
        }
    }
}
