//! What abstract interpretation says of a loop head: octagons, and polyhedra if there are few numbers (Cousot and Halbwachs
//! 1978; Miné 2006). The only proposer whose limits come from no run and no text of the program.

use std::collections::BTreeSet;

use evidence::Formula;

use crate::view::View;

/// So many variables are followed where the whole program is too large.
const VARIABLES: usize = 10;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut numbers: Vec<_> = view.numbers.iter().collect();
    numbers.sort_by_key(|number| (!number.changed, !number.source));
    let pointers = view.pointers.iter().filter(|pointer| pointer.changed).map(|pointer| pointer.variable);
    let variables = pointers.chain(numbers.into_iter().map(|number| number.variable));
    let variables: BTreeSet<_> = variables.take(VARIABLES).collect();
    candidates.extend(view.shared.invariants((view.function, view.head), view.stack, variables));
}
