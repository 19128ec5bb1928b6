//! Checks refutations: a SAT solver says that clauses cannot be true together, and this replays why.
//!
//! The solver tells every clause that it learns. Each must follow from the clauses before it by *reverse unit
//! propagation* (RUP; Goldberg and Novikov 2003, Van Gelder 2008): assume that all its literals are false, propagate units,
//! and meet a conflict. The last such clause says that the assumptions clash; without assumptions it is the empty clause.
//!
//! ```text
//! axioms ───────────────┐
//!                       ▼
//! learnt clauses ─► follows? ─► known clauses ─► do the assumptions clash? ─► unsatisfiable
//!                       └─ no ───────────────────────────┴─ no ─► refused
//! ```
//!
//! Nothing is done before the solver claims that something is unsatisfiable. Then the clauses since the last claim are
//! taken in, axioms first: more of them only help. What has been checked stays checked. Clauses that the solver deletes
//! are kept, as no deletion can make a clause follow.
//!
//! **Trusted:** this file, and that the axioms say what was meant (the simplifier, the circuits, the lemmas about arrays
//! and numbers). **Not trusted:** whatever the SAT solver does with them. They share no code but the literals.

#[cfg(test)]
mod tests;

use base::{Budget, Stop};

use super::SatLiteral;

/// Checks the refutations of one SAT solver.
#[derive(Default)]
pub struct Checker {
    /// Clauses that hold by themselves, since the last claim.
    axioms: Clauses,
    /// Clauses that the solver learnt, since the last claim.
    learnt: Clauses,
    known: Known,
    /// Whether some learnt clause does not follow. Such a solver is not believed again.
    refused: bool,
}

/// Clauses in the order in which they were told.
#[derive(Default)]
struct Clauses {
    literals: Vec<SatLiteral>,
    ends: Vec<usize>,
    /// How many of the clauses, and of the literals, have been taken.
    taken: usize,
    start: usize,
}

impl Clauses {
    fn tell(&mut self, clause: impl IntoIterator<Item = SatLiteral>) {
        self.literals.extend(clause);
        self.ends.push(self.literals.len());
    }

    /// Puts the next clause that has not been taken into `clause`.
    fn take(&mut self, clause: &mut Vec<SatLiteral>) -> bool {
        clause.clear();
        let Some(&end) = self.ends.get(self.taken) else {
            *self = Self::default();
            return false;
        };
        clause.extend_from_slice(&self.literals[self.start..end]);
        (self.taken, self.start) = (self.taken + 1, end);
        true
    }
}

/// The clock is read each time that so many clauses have been visited. No steps are taken off the budget: the search for
/// the refutation was paid for, and to check it takes a part of that time.
const VISITS_AT_ONCE: u64 = 1 << 14;

impl Checker {
    /// A clause that holds by itself.
    pub fn add_axiom(&mut self, clause: &[SatLiteral]) {
        self.axioms.tell(clause.iter().copied());
    }

    /// A clause that the solver says follows from those before it.
    pub fn learn(&mut self, clause: impl IntoIterator<Item = SatLiteral>) {
        self.learnt.tell(clause);
    }

    /// Takes back the last clause that the solver learnt, if it has not been taken in.
    pub fn forget_last(&mut self) {
        if self.learnt.ends.len() > self.learnt.taken {
            self.learnt.ends.pop();
            self.learnt.literals.truncate(self.learnt.ends.last().copied().unwrap_or(0));
        }
    }

    /// Whether it was shown that these assumptions cannot be true together with the axioms. If the budget ends, what was
    /// checked so far need not be checked again.
    pub fn is_refuted(
        &mut self,
        assumptions: impl IntoIterator<Item = SatLiteral>,
        budget: &mut Budget,
    ) -> Result<bool, Stop> {
        let mut clause = Vec::new();
        while self.axioms.take(&mut clause) {
            self.known.insert(&mut clause);
        }
        self.known.settle();
        while !self.refused && self.learnt.take(&mut clause) {
            if !self.known.clash(clause.iter().map(|literal| !*literal)) {
                self.refused = true;
                break;
            }
            self.known.insert(&mut clause);
            self.known.settle();
            self.pause(budget)?;
        }
        let refuted = !self.refused && self.known.clash(assumptions);
        self.pause(budget)?;
        Ok(refuted)
    }

    /// Ends the check when the time is over.
    fn pause(&mut self, budget: &mut Budget) -> Result<(), Stop> {
        if self.known.visits < VISITS_AT_ONCE {
            return Ok(());
        }
        self.known.visits = 0;
        budget.spend(0)
    }
}

/// Clauses that hold, and the literals that follow from them by unit propagation.
///
/// Of every stored clause, the first two literals are watched: it is visited when one of them becomes false.
#[derive(Default)]
struct Known {
    literals: Vec<SatLiteral>,
    /// Where each clause ends, and the next one begins.
    ends: Vec<usize>,
    /// For each literal, the clauses to visit when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// For each literal, whether it is true.
    truths: Vec<bool>,
    /// The literals that are true, in the order in which they became so.
    trail: Vec<SatLiteral>,
    /// How many of those have been propagated.
    propagated: usize,
    /// Whether the clauses clash without any assumption.
    contradiction: bool,
    visits: u64,
}

/// A clause, and some other literal of it: while that is true, the clause need not be visited.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    other: SatLiteral,
}

impl Known {
    fn is_true(&self, literal: SatLiteral) -> bool {
        self.truths[literal.0 as usize]
    }

    fn is_false(&self, literal: SatLiteral) -> bool {
        self.is_true(!literal)
    }

    fn assign(&mut self, literal: SatLiteral) {
        self.truths[literal.0 as usize] = true;
        self.trail.push(literal);
    }

    fn make_room(&mut self, literal: SatLiteral) {
        let size = (literal.variable() as usize + 1) * 2;
        if self.truths.len() < size {
            self.truths.resize(size, false);
            self.watches.resize_with(size, Vec::new);
        }
    }

    /// Takes in a clause that holds. Nothing is assumed meanwhile.
    fn insert(&mut self, clause: &mut Vec<SatLiteral>) {
        clause.sort_unstable();
        clause.dedup();
        clause.iter().for_each(|literal| self.make_room(*literal));
        let trivial = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        if trivial || clause.iter().any(|literal| self.is_true(*literal)) {
            return;
        }
        clause.retain(|literal| !self.is_false(*literal));
        match **clause {
            [] => self.contradiction = true,
            [literal] => self.assign(literal),
            [first, second, ..] => {
                // To know less is never wrong.
                let Ok(name) = u32::try_from(self.ends.len()) else { return };
                self.literals.extend_from_slice(clause);
                self.ends.push(self.literals.len());
                self.watches[first.0 as usize].push(Watch { clause: name, other: second });
                self.watches[second.0 as usize].push(Watch { clause: name, other: first });
            }
        }
    }

    /// Propagates what holds without assumptions.
    fn settle(&mut self) {
        self.contradiction |= !self.propagate();
    }

    /// Whether unit propagation shows that these literals cannot all be true. Nothing stays assumed.
    fn clash(&mut self, assumptions: impl IntoIterator<Item = SatLiteral>) -> bool {
        if self.contradiction {
            return true;
        }
        let settled = self.trail.len();
        let mut clash = false;
        for literal in assumptions {
            self.make_room(literal);
            clash |= self.is_false(literal);
            if clash {
                break;
            }
            if !self.is_true(literal) {
                self.assign(literal);
            }
        }
        clash = clash || !self.propagate();
        for literal in self.trail.drain(settled..) {
            self.truths[literal.0 as usize] = false;
        }
        self.propagated = settled;
        clash
    }

    /// Makes true what follows; whether there was no conflict.
    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let mut watches = std::mem::take(&mut self.watches[(!literal).0 as usize]);
            self.visits += watches.len() as u64;
            let mut agree = true;
            watches.retain_mut(|watch| !agree || self.visit(watch, !literal, &mut agree));
            self.watches[(!literal).0 as usize] = watches;
            if !agree {
                return false;
            }
        }
        true
    }

    /// Visits a clause one of whose watched literals has become false; whether that is still watched.
    fn visit(&mut self, watch: &mut Watch, falsified: SatLiteral, agree: &mut bool) -> bool {
        if self.is_true(watch.other) {
            return true;
        }
        let name = watch.clause as usize;
        let start = name.checked_sub(1).map_or(0, |before| self.ends[before]);
        let clause = &mut self.literals[start..self.ends[name]];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let first = clause[0];
        watch.other = first;
        if self.truths[first.0 as usize] {
            return true;
        }
        let truths = &self.truths;
        if let Some(place) = clause[2..].iter().position(|literal| !truths[(!*literal).0 as usize]) {
            clause.swap(1, place + 2);
            let watched = clause[1];
            self.watches[watched.0 as usize].push(*watch);
            return false;
        }
        if self.is_false(first) {
            *agree = false;
        } else {
            self.assign(first);
        }
        true
    }
}
