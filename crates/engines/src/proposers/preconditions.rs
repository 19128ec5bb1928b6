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
    let mut path_obligations: Vec<&PathObligation> = view.code.path_obligations.iter().collect();
    path_obligations
        .sort_by_key(|path_obligation| (path_obligation.overflow, path_obligation.conditions.len()));
    for path_obligation in path_obligations.into_iter().take(MOST) {
        if path_obligation.must != Condition::FALSE {
            candidates.push(path_obligation.must.formula());
            if let Condition::All(parts) = &path_obligation.must {
                candidates.extend(parts.iter().map(Condition::formula));
            }
        }
        if path_obligation.conditions.len() > CONDITIONS {
            continue;
        }
        let mut cases: Vec<Condition> = path_obligation.conditions.iter().map(Condition::negated).collect();
        if let Some(last) = cases.last().cloned() {
            // Often the last test before the check is all that matters.
            candidates.push(Condition::any(vec![last, path_obligation.must.clone()]).formula());
        }
        cases.push(path_obligation.must.clone());
        candidates.push(Condition::any(cases).formula());
    }
    exits(view, candidates);
}

/// What is asserted behind the loop holds when the loop is left.
fn exits(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for exit in view.code.exits.iter().take(4) {
        let stays: Vec<Condition> = exit.iter().map(Condition::negated).collect();
        for path_obligation in view
            .code
            .path_obligations
            .iter()
            .filter(|path_obligation| path_obligation.outside && !path_obligation.overflow)
            .take(8)
        {
            for atom in path_obligation.must.atoms() {
                let mut cases = stays.clone();
                cases.push(atom.clone());
                candidates.push(Condition::any(cases).formula());
            }
        }
    }
}
