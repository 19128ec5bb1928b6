//! Weakest preconditions: what must hold at the head for a check on a path from there to hold (design, section 2;
//! LoopFrog leaves this to its refinement). A path obligation is that one of the path's conditions fails, or what is
//! checked holds.

use evidence::Formula;

use crate::code::PathObligation;
use crate::linear::Condition;
use crate::view::View;

/// So many path obligations are examined, with so many conditions each.
const MOST: usize = 40;
const CONDITIONS: usize = 5;

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut obligations: Vec<&PathObligation> = view.code.path_obligations.iter().collect();
    obligations.sort_by_key(|one| (one.overflow, one.conditions.len()));
    for PathObligation { conditions, must, .. } in obligations.into_iter().take(MOST) {
        if *must != Condition::FALSE {
            candidates.push(must.formula());
            if let Condition::All(parts) = must {
                candidates.extend(parts.iter().map(Condition::formula));
            }
        }
        if conditions.len() > CONDITIONS {
            continue;
        }
        let mut cases: Vec<Condition> = conditions.iter().map(Condition::negated).collect();
        if let Some(last) = cases.last().cloned() {
            // Often the last test before the check is all that matters.
            candidates.push(Condition::any(vec![last, must.clone()]).formula());
        }
        cases.push(must.clone());
        candidates.push(Condition::any(cases).formula());
    }
    exits(view, candidates);
}

/// What is asserted behind the loop holds when the loop is left.
fn exits(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for exit in view.code.exits.iter().take(4) {
        let stays: Vec<Condition> = exit.iter().map(Condition::negated).collect();
        let outside = view.code.path_obligations.iter().filter(|one| one.outside && !one.overflow);
        for atom in outside.take(8).flat_map(|one| one.must.atoms()) {
            let mut cases = stays.clone();
            cases.push(atom.clone());
            candidates.push(Condition::any(cases).formula());
        }
    }
}
