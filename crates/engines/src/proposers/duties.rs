//! Weakest preconditions: what must hold at the head for a check on a path from there to hold (design, section 2;
//! LoopFrog leaves this to its refinement). A duty is that one of the path's conditions fails, or what is checked holds.

use evidence::Formula;

use super::Proposer;
use crate::code::Duty;
use crate::linear::Condition;
use crate::view::View;

pub(super) const PROPOSER: Proposer = Proposer { name: "duties", propose };

/// So many duties are looked at, with so many conditions each.
const MOST: usize = 40;
const CONDITIONS: usize = 5;

fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let mut duties: Vec<&Duty> = view.code.duties.iter().collect();
    duties.sort_by_key(|duty| (duty.overflow, duty.conditions.len()));
    for duty in duties.into_iter().take(MOST) {
        if duty.must != Condition::FALSE {
            candidates.push(duty.must.formula());
            if let Condition::All(parts) = &duty.must {
                candidates.extend(parts.iter().map(Condition::formula));
            }
        }
        if duty.conditions.len() > CONDITIONS {
            continue;
        }
        let mut cases: Vec<Condition> = duty.conditions.iter().map(Condition::negated).collect();
        if let Some(last) = cases.last().cloned() {
            // Often the last test before the check is all that matters.
            candidates.push(Condition::any(vec![last, duty.must.clone()]).formula());
        }
        cases.push(duty.must.clone());
        candidates.push(Condition::any(cases).formula());
    }
    exits(view, candidates);
}

/// What is asserted behind the loop holds when the loop is left.
fn exits(view: &View<'_>, candidates: &mut Vec<Formula>) {
    for exit in view.code.exits.iter().take(4) {
        let stays: Vec<Condition> = exit.iter().map(Condition::negated).collect();
        for duty in view.code.duties.iter().filter(|duty| duty.outside && !duty.overflow).take(8) {
            for atom in duty.must.atoms() {
                let mut cases = stays.clone();
                cases.push(atom.clone());
                candidates.push(Condition::any(cases).formula());
            }
        }
    }
}
