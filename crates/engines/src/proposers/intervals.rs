//! Intervals: a number stays between constants that the code compares with, or that runs suggest (LoopFrog, section 4.1).

use std::collections::BTreeSet;

use evidence::Formula;

use super::numbers::{Limits, changed, constants, seen_range};
use crate::linear::{InEvidence, Linear};
use crate::view::View;

/// Numbers up to this are plausible limits if runs show them.
const SMALL: u128 = 64;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let constants = constants(view);
    let mut limits = Limits::default();
    for variable in changed(view) {
        let negative = -&variable.now;
        for limit in own_constants(view, &variable.now).into_iter().chain(variable.entry.known()) {
            limits.add(&variable.now, limit);
            limits.add(&negative, limit.saturating_neg());
        }
        if let Some((low, high)) = seen_range(view, &variable.now) {
            let plausible = |number: i128| number.unsigned_abs() <= SMALL || constants.contains(&number);
            if plausible(low) {
                limits.add(&negative, low.saturating_neg());
            }
            if plausible(high) {
                limits.add(&variable.now, high);
            }
        }
    }
    limits.propose(view, candidates);
}

/// The constants with which a variable is compared, and their neighbours.
fn own_constants(view: &View<'_>, variable: &Linear) -> BTreeSet<i128> {
    let mut limits = BTreeSet::new();
    for number in view.code.tested() {
        for number in [number, &-number] {
            if let Some(limit) = (number - variable).known() {
                limits.extend([-limit - 1, -limit, -limit + 1]);
            }
        }
    }
    limits
}
