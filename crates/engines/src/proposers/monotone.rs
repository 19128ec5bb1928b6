//! Change against the value at entry: a number only grows, only shrinks, or changes as much as another one or less
//! (design, section 2: facts that compare the state with the one at entry).

use evidence::Formula;

use super::Proposer;
use super::numbers::{changed, related, seen_range};
use crate::linear::Condition;
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "monotone", propose };

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changed = changed(view);
    for (place, one) in changed.iter().enumerate() {
        candidates.extend(Condition::at_most(&one.entry, &one.now).map(|grows| grows.formula()));
        candidates.extend(Condition::at_most(&one.now, &one.entry).map(|shrinks| shrinks.formula()));
        let Some(change) = one.now.minus(&one.entry) else { continue };
        for other in changed[place + 1..].iter().filter(|other| related(view, one, other)) {
            let Some(also) = other.now.minus(&other.entry) else { continue };
            candidates.extend(Condition::equal(&change, &also).map(|same| same.formula()));
            let difference = change.minus(&also).and_then(|difference| seen_range(view, &difference));
            if difference == Some((0, 0)) {
                // They are always equal: less is not worth asking.
                continue;
            }
            candidates.extend(Condition::at_most(&change, &also).map(|less| less.formula()));
            candidates.extend(Condition::at_most(&also, &change).map(|less| less.formula()));
        }
    }
}
