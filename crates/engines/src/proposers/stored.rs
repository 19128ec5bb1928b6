//! Pointers that stand in memory, because somebody has taken their address: `*(*out)++ = c`. They are spoken of by the
//! object that holds nothing but the pointer, or by a pointer to it.
//!
//! Such a pointer stays in its object, moves in one direction, and keeps step with counters and with pointers in variables:
//! as far as they have come, or not farther.

use evidence::{Aspect, Comparison, Expression, Formula, Moment, Name, Quantity, STORED};

use crate::view::{BufferView, View};

/// So many stored pointers are examined.
const MOST: usize = 4;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let width = view.program.data_model.pointer_bytes();
    let holds_pointer =
        |buffer: &&BufferView| buffer.changed && buffer.size == Some(width) && buffer.cell == width;
    for buffer in view.buffers.iter().filter(holds_pointer).take(MOST) {
        let name = Name::from(format!("{}{STORED}", buffer.name).as_str());
        let object = Quantity { variable: name.clone(), aspect: Aspect::Object };
        candidates.push(object.at(Moment::Now).equals(object.at(Moment::Entry)));
        candidates.push(object.at(Moment::Now).compare(Comparison::Differ, 0));
        let offset = Quantity::offset(name);
        let now = || offset.at(Moment::Now);
        candidates.push(now().at_least(0));
        candidates.push(now().at_least(offset.at(Moment::Entry)));
        candidates.push(now().at_most(offset.at(Moment::Entry)));
        for other in walking(view) {
            let way = || now() - offset.at(Moment::Entry);
            candidates.push(way().equals(other.clone()));
            candidates.push(way().at_most(other.clone()));
            candidates.push(way().at_least(other));
        }
    }
}

/// How far counters and pointers have come since entry.
fn walking(view: &View<'_>) -> Vec<Expression> {
    let come = |quantity: Quantity| quantity.at(Moment::Now) - quantity.at(Moment::Entry);
    let numbers = view.numbers.iter().filter(|number| number.changed && number.source);
    let pointers = view.pointers.iter().filter(|pointer| pointer.changed && pointer.source);
    let numbers = numbers.map(|number| come(Quantity::value(number.name.clone())));
    numbers.chain(pointers.map(|pointer| come(Quantity::offset(pointer.name.clone())))).collect()
}
