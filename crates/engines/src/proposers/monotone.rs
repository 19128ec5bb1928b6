//! Change against the value at entry: a number only grows, only shrinks, or changes as much as another one or less
//! (design, section 2: invariants that compare the state with the one at entry).

use evidence::Formula;

use super::numbers::{changed, related, seen_range};
use crate::linear::Condition;
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changed = changed(view);
    for (place, one) in changed.iter().enumerate() {
        candidates.push(Condition::at_most(&one.entry, &one.now).formula());
        candidates.push(Condition::at_most(&one.now, &one.entry).formula());
        let change = &one.now - &one.entry;
        for other in changed[place + 1..].iter().filter(|other| related(view, one, other)) {
            let also = &other.now - &other.entry;
            candidates.push(Condition::equal(&change, &also).formula());
            if seen_range(view, &(&change - &also)) == Some((0, 0)) {
                // They are always equal: less is not worth asking.
                continue;
            }
            candidates.push(Condition::at_most(&change, &also).formula());
            candidates.push(Condition::at_most(&also, &change).formula());
        }
    }
}
