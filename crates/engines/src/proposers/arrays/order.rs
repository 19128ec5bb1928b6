//! How neighbours compare: all elements that were visited are in order.

use evidence::{Comparison, Expression, Formula, Moment, Quantity};

use super::stretch::Visit;
use super::unused_name;
use crate::view::View;

pub(super) fn propose(view: &View<'_>, visits: &[Visit<'_>], candidates: &mut Vec<Formula>) {
    let name = unused_name(view);
    for visit in visits {
        let next = visit.offset.shifted(i64::from(visit.bytes));
        let neighbour = |other: &Visit<'_>| {
            other.buffer == visit.buffer && other.bytes == visit.bytes && other.offset == next
        };
        if !visits.iter().any(neighbour) {
            continue;
        }
        let (from, to) = visit.indices();
        let index = || Quantity::value(name.clone()).at(Moment::Now);
        let (one, two) = (visit.element_at(index()), visit.element_at(index() + 1));
        for comparison in
            [Comparison::LessEqual, Comparison::GreaterEqual, Comparison::Less, Comparison::Greater]
        {
            let body = Expression::Element(one.clone()).compare(comparison, Expression::Element(two.clone()));
            candidates.push(Formula::every(name.as_str(), from.clone(), to.clone(), body));
        }
    }
}
