//! Equations of degree two between few variables, read off the states that runs have shown: `2 * s == i * (i - 1)`
//! (design, section 2; closed forms of sums).

use evidence::Formula;

use super::equations::from_states;
use super::numbers::{changed, fixed};
use crate::linear::{InEvidence, Linear};
use crate::view::View;

/// More variables make too many products.
const FEW: usize = 4;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let (changed, fixed) = (changed(view), fixed(view));
    if changed.len() > FEW || changed.len() < 2 {
        return;
    }
    let mut columns: Vec<Linear> = changed.iter().map(|variable| variable.now.clone()).collect();
    let others = fixed.iter().take(FEW - changed.len()).map(|variable| variable.now.clone());
    columns.extend(others);
    let variables = columns.clone();
    for (place, one) in variables.iter().enumerate() {
        columns.extend(variables[place..].iter().filter_map(|other| one.product(other)));
    }
    columns.push(Linear::constant(1));
    from_states(view, &columns, changed.len(), candidates);
}
