//! Elements that no iteration has come to are what they were at entry.

use evidence::expression::constant;
use evidence::{Formula, Moment, Quantity};

use super::stretch::Visit;
use super::{is_kept, unused_name};
use crate::view::View;

pub(super) fn propose(view: &View<'_>, visits: &[Visit<'_>], candidates: &mut Vec<Formula>) {
    let name = unused_name(view);
    for visit in visits.iter().filter(|visit| visit.written) {
        let index = Quantity::value(name.clone()).at(Moment::Now);
        let kept = || is_kept(&visit.element_at(index.clone()));
        let (from, to) = visit.indices();
        let (start, end) = (constant(0), visit.count(view));
        if from != start {
            candidates.push(Formula::every(name.as_str(), start, from, kept()));
        }
        if to != end {
            candidates.push(Formula::every(name.as_str(), to, end, kept()));
        }
    }
}
