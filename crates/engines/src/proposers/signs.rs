//! Signs: a number is not negative, not positive, or not zero (LoopFrog, section 4.1).

use evidence::Formula;

use super::numbers::{Limits, changed, seen_range};
use crate::linear::{Condition, Linear};
use crate::view::View;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut limits = Limits::default();
    for variable in changed(view) {
        let zero = Linear::constant(0);
        limits.add(&variable.now, 0);
        limits.add(&-&variable.now, 0);
        limits.add(&-&variable.now, -1);
        // Something else than a limit says it already.
        let both = seen_range(view, &variable.now).is_none_or(|(low, high)| low < 0 && high > 0);
        if both {
            candidates.push(Condition::equal(&zero, &variable.now).negated().formula());
        }
    }
    limits.propose(view, candidates);
}
