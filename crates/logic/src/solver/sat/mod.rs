//! What the embedded solver asks of a SAT solver, so that another one can be put under it.
//!
//! `Batsat` answers *unsatisfiable* only if `checker.rs` accepts its refutation.

mod batsat;
mod checker;

use base::{Budget, Stop};

pub use batsat::Batsat;

/// A variable of a SAT solver or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatLiteral(u32);

impl SatLiteral {
    /// A variable, by its number from zero, as it is or negated.
    pub const fn new(variable: u32, negated: bool) -> Self {
        Self(variable << 1 | negated as u32)
    }

    /// The number of the variable.
    pub const fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is negated.
    pub const fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }
}

impl std::ops::Not for SatLiteral {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What a SAT solver answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatAnswer {
    /// The clauses and the assumptions can be true together.
    Satisfiable,
    /// They cannot.
    Unsatisfiable,
    /// The solver says that they cannot, and its reasons do not hold.
    Unfounded,
    /// The budget ended.
    Stopped(Stop),
}

/// Decides whether clauses can be true together.
///
/// The same calls with the same budget in steps give the same answers. A step is a conflict, or as much work.
pub trait Sat: Default {
    /// One more variable; the first is zero, the next one, and so on.
    fn new_variable(&mut self) -> u32;

    /// Requires that one of these literals is true.
    fn add_clause(&mut self, clause: &[SatLiteral]);

    /// Whether the clauses can be true together with the assumptions.
    fn solve(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> SatAnswer;

    /// After [`SatAnswer::Satisfiable`]: the value of a variable.
    fn value(&self, variable: u32) -> bool;

    /// After [`SatAnswer::Unsatisfiable`]: whether an assumption was needed for it.
    fn in_core(&self, assumption: SatLiteral) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes<S: Sat>(pigeons: u32, holes: u32) -> S {
        let mut sat = S::default();
        for _ in 0..pigeons * holes {
            sat.new_variable();
        }
        let at = |pigeon: u32, hole: u32| SatLiteral::new(pigeon * holes + hole, false);
        for pigeon in 0..pigeons {
            sat.add_clause(&(0..holes).map(|hole| at(pigeon, hole)).collect::<Vec<_>>());
            for other in 0..pigeon {
                for hole in 0..holes {
                    sat.add_clause(&[!at(pigeon, hole), !at(other, hole)]);
                }
            }
        }
        sat
    }

    #[test]
    fn pigeons_fit_or_do_not() {
        let mut budget = Budget::unlimited();
        assert_eq!(holes::<Batsat>(5, 5).solve(&[], &mut budget), SatAnswer::Satisfiable);
        assert_eq!(holes::<Batsat>(6, 5).solve(&[], &mut budget), SatAnswer::Unsatisfiable);
    }

    #[test]
    fn the_budget_ends_the_search() {
        let mut budget = Budget::steps(50);
        let mut sat = holes::<Batsat>(10, 9);
        assert_eq!(sat.solve(&[], &mut budget), SatAnswer::Stopped(Stop::Steps));
        assert_eq!(budget.remaining_steps(), 0);
    }

    #[test]
    fn the_core_has_the_assumptions_that_clash() {
        let mut sat = Batsat::default();
        let [a, b, c] = [(); 3].map(|()| SatLiteral::new(sat.new_variable(), false));
        sat.add_clause(&[!a, !b]);
        assert_eq!(sat.solve(&[c, a, b], &mut Budget::unlimited()), SatAnswer::Unsatisfiable);
        assert_eq!([a, b, c].map(|literal| sat.in_core(literal)), [true, true, false]);
        assert_eq!(sat.solve(&[c, !a], &mut Budget::unlimited()), SatAnswer::Satisfiable);
        assert!(sat.value(c.variable()) && !sat.value(a.variable()));
    }
}
