//! Strings (LoopFrog, section 4.1, the four templates): they have an end, it lies in the buffer, indices stay before it,
//! and the place where it was keeps its zero.
//!
//! As in the paper, an index and a buffer are brought together only if they meet in an access; besides, the index into
//! one buffer is compared with the length of others that the same loop looks into, since loops copy.

use evidence::expression::constant;
use evidence::{Aspect, Comparison, Element, Expression, Formula, Moment, Name, Quantity};

use super::indices::{is_in_memory, size};
use crate::linear::InEvidence;
use crate::paths::{Base, GuardedPath, Position, spoken_in};
use crate::view::{BufferView, View};

/// No more buffers are examined.
const MOST: usize = 6;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let indices = indices(view);
    let buffers = view
        .buffers
        .iter()
        .filter(|buffer| indices.iter().any(|position| position.base == Base::Buffer(buffer.name.clone())));
    let buffers: Vec<&BufferView> = buffers.take(MOST).collect();
    for buffer in &buffers {
        ends(view, buffer, candidates);
        searched(view, buffer, candidates);
    }
    for position in &indices {
        let own = |buffer: &&&BufferView| position.base == Base::Buffer(buffer.name.clone());
        for buffer in buffers.iter().filter(own) {
            before(position, &buffer.name, candidates);
        }
        for buffer in buffers.iter().filter(|buffer| !own(buffer)) {
            let length = length(&buffer.name).at(Moment::Now);
            candidates.push(position.offset.expression().at_most(length));
        }
        for other in indices.iter().filter(|other| other.base != position.base) {
            candidates.push(position.offset.expression().at_most(other.offset.expression()));
        }
    }
}

fn length(buffer: &Name) -> Quantity {
    Quantity { variable: buffer.clone(), aspect: Aspect::Length }
}

/// Where bytes are read and written, as far as these places change.
fn indices(view: &View<'_>) -> Vec<Position> {
    let mut found: Vec<Position> = Vec::new();
    for access in view.iteration.accesses().into_iter().filter(|access| access.bytes == 1) {
        let position = &access.position;
        if !is_in_memory(&position.offset) && !found.contains(position) {
            found.push(position.clone());
        }
    }
    found
}

/// A buffer holds a string, which ends where it did, or earlier, or whose old end is still zero.
fn ends(view: &View<'_>, buffer: &BufferView, candidates: &mut Vec<Formula>) {
    if !buffer.changed {
        return;
    }
    let name = &buffer.name;
    let terminated = Quantity { variable: name.clone(), aspect: Aspect::Terminated };
    candidates.push(terminated.at(Moment::Now).equals(1));
    candidates.push(terminated.at(Moment::Entry).equals(0).or(terminated.at(Moment::Now).equals(1)));
    candidates.push(length(name).at(Moment::Now).at_most(length(name).at(Moment::Entry)));
    candidates.push(length(name).at(Moment::Now).at_least(length(name).at(Moment::Entry)));
    let zero = |index: Expression| {
        let (index, buffer) = (Box::new(index), name.clone());
        let element = Element { buffer, index, bytes: 1, signed: false, moment: Moment::Now };
        Expression::Element(element).equals(0)
    };
    candidates.push(zero(length(name).at(Moment::Entry)));
    match size(view, &Base::Buffer(name.clone())) {
        Some(Expression::Constant(size)) => candidates.push(zero(constant(size - 1))),
        Some(size) => candidates.push(zero(size - 1)),
        None => {}
    }
}

/// An index is before the end of a string, or before the place where that was at entry.
fn before(position: &Position, name: &Name, candidates: &mut Vec<Formula>) {
    let offset = || position.offset.expression();
    for moment in [Moment::Now, Moment::Entry] {
        candidates.push(offset().at_most(length(name).at(moment)));
        candidates.push(offset().below(length(name).at(moment)));
    }
    // As in a summary of the loop alone: if it was so at entry, it still is.
    let entry = |quantity: &Quantity| quantity.at(Moment::Entry);
    if let [(Expression::Quantity { quantity, moment: Moment::Now }, _)] = position.offset.terms() {
        let outside = entry(quantity).compare(Comparison::Greater, entry(&length(name)));
        candidates.push(outside.or(offset().at_most(entry(&length(name)))));
    }
}

/// A byte that is searched for is nowhere, as it was at entry.
fn searched(view: &View<'_>, buffer: &BufferView, candidates: &mut Vec<Formula>) {
    let Some(size) = size(view, &Base::Buffer(buffer.name.clone())) else { return };
    let mut bytes: Vec<Formula> = Vec::new();
    for condition in view.iteration.ways.iter().flat_map(GuardedPath::formulas) {
        if let Formula::Compare {
            left: Expression::Element(element), right: Expression::Constant(byte), ..
        } = &condition
            && element.buffer == buffer.name
            && buffer.changed
            && element.bytes == 1
            && spoken_in(&condition).len() > 1
        {
            let index = Box::new(Quantity::value("k#all").at(Moment::Now));
            let element = Expression::Element(Element { index, ..element.clone() });
            let differs = element.compare(Comparison::Differ, constant(byte.clone()));
            if !bytes.contains(&differs) {
                bytes.push(differs);
            }
        }
    }
    let all = bytes.into_iter().map(|body| Formula::every("k#all", constant(0), size.clone(), body));
    candidates.extend(all);
}
