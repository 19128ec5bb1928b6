//! Indices stay in their arrays (LoopFrog, section 4.1: an index and a buffer that meet in an access `p[i]`): from zero up,
//! at most the size, or far enough below it for one more access.

use evidence::expression::constant;
use evidence::{Expression, Formula, Integer, Moment, Quantity};

use crate::linear::{InEvidence, Linear};
use crate::paths::{Base, spoken};
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for access in view.iteration.accesses() {
        let offset = &access.position.offset;
        if offset.known().is_some() || is_in_memory(offset) {
            continue;
        }
        let unit = Integer::from(access.bytes);
        let index = || offset.quotient(&unit);
        candidates.push(index().at_least(0));
        let Some(size) = size(view, &access.position.base) else { continue };
        let count = match &size {
            Expression::Constant(known) => constant(known / &unit),
            size => size.clone().quotient(unit.clone()),
        };
        candidates.push(index().below(count.clone()));
        candidates.push(index().at_most(count));
        if offset.over(&unit).is_none() {
            candidates.push((offset.expression() + i64::from(access.bytes)).at_most(size));
            candidates.push(offset.expression().remainder(unit).equals(0));
        }
    }
}

/// Whether a number depends on what memory holds.
pub(super) fn is_in_memory(number: &Linear) -> bool {
    let mut spoken = number.terms().iter().flat_map(|(part, _)| spoken(part));
    spoken.any(|part| matches!(part, Expression::Element(_)))
}

/// The size of an object, if there is a word for it.
pub(super) fn size(view: &View<'_>, base: &Base) -> Option<Expression> {
    match base {
        Base::Buffer(name) => {
            let known =
                view.buffers.iter().find(|buffer| buffer.name == *name).and_then(|buffer| buffer.size);
            Some(known.map_or_else(|| Quantity::size(name.clone()).at(Moment::Now), constant))
        }
        Base::Target(_) => None,
    }
}
