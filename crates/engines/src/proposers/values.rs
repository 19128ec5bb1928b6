//! Constants: a variable keeps the value that it had at entry, or takes one of a few known values (LoopFrog,
//! section 4.1: equalities with constants).

use std::collections::BTreeSet;

use evidence::Formula;

use super::numbers::{Variable, changed, seen};
use crate::linear::{Condition, InEvidence, Linear};
use crate::view::View;

/// So many values are few.
const FEW: usize = 5;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for variable in changed(view) {
        let equal = |to: &Linear| Condition::equal(&variable.now, to);
        candidates.push(equal(&variable.entry).formula());
        if let Some(values) = assigned(view, &variable) {
            let mut cases: Vec<Condition> =
                values.iter().map(|value| equal(&Linear::constant(*value))).collect();
            match variable.entry.known() {
                Some(entry) if values.contains(&entry) => {}
                _ => cases.push(equal(&variable.entry)),
            }
            candidates.push(Condition::any(cases).formula());
        }
        let values: BTreeSet<i128> = seen(view, &variable.now).into_iter().flatten().collect();
        if (1..=3).contains(&values.len()) {
            let cases = values.iter().map(|value| equal(&Linear::constant(*value))).collect();
            candidates.push(Condition::any(cases).formula());
        }
    }
}

/// The values that the loop gives a variable, if these are few known ones.
fn assigned(view: &View<'_>, variable: &Variable<'_>) -> Option<BTreeSet<i128>> {
    let mut values = BTreeSet::new();
    for iteration in &view.code.iterations {
        if let Some(after) = iteration.updates.get(&variable.number.variable) {
            let after = after.number()?;
            if after != variable.now {
                values.insert(after.known()?);
            }
        }
    }
    (view.code.complete && (1..=FEW).contains(&values.len())).then_some(values)
}
