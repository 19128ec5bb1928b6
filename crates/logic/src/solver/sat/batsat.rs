//! The SAT solver `batsat`: MiniSat in Rust. Its refutations are checked (`checker.rs`).
//!
//! It reports each clause that it learns, minimised and without literals that are false at level 0, units included. Under
//! assumptions it reports the negated core last. It does not report a conflict at level 0, which is the empty clause.

use std::cell::RefCell;

use base::{Budget, Stop};
use batsat::{Callbacks, Lit, SolverInterface, Var, lbool};

use super::checker::Checker;
use super::{Sat, SatAnswer, SatLiteral};

/// The SAT solver that is always there.
pub struct Batsat {
    solver: batsat::Solver<Meter>,
    clause: Vec<Lit>,
}

/// So many decisions cost as much as a conflict.
const DECISIONS_PER_STEP: u32 = 256;
/// So many steps are taken off the budget at once: the clock is read each time.
const STEPS_AT_ONCE: u64 = 8;

/// Counts the work and ends it when the budget does; tells the checker what is learnt.
#[derive(Default)]
struct Meter {
    state: RefCell<Option<Metered>>,
    checker: Checker,
}

struct Metered {
    budget: Budget,
    decisions: u32,
    steps: u64,
    stop: Option<Stop>,
}

impl Metered {
    fn settle(&mut self) {
        if let Err(stop) = self.budget.spend(std::mem::take(&mut self.steps)) {
            self.stop = Some(stop);
        }
    }
}

impl Callbacks for Meter {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::ClauseKind) {
        self.checker
            .learn(clause.iter().map(|literal| SatLiteral::new(literal.var().idx(), !literal.sign())));
        if let Some(state) = self.state.get_mut() {
            state.steps += 1;
        }
    }

    fn stop(&self) -> bool {
        let mut state = self.state.borrow_mut();
        let Some(state) = state.as_mut() else { return false };
        state.decisions += 1;
        if state.decisions == DECISIONS_PER_STEP {
            state.decisions = 0;
            state.steps += 1;
        }
        if state.steps >= STEPS_AT_ONCE && state.stop.is_none() {
            state.settle();
        }
        state.stop.is_some()
    }
}

impl Default for Batsat {
    fn default() -> Self {
        let options = batsat::SolverOpts::default();
        Self { solver: batsat::Solver::new(options, Meter::default()), clause: Vec::new() }
    }
}

fn literal(literal: SatLiteral) -> Lit {
    Lit::new(Var::unsafe_from_idx(literal.variable()), !literal.is_negated())
}

impl Batsat {
    /// Has the refutation that was just found checked.
    fn check(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> SatAnswer {
        let core: Vec<SatLiteral> =
            assumptions.iter().copied().filter(|literal| self.in_core(*literal)).collect();
        let checker = &mut self.solver.cb_mut().checker;
        if !core.is_empty() {
            // What was learnt last is that the core clashes: the claim itself.
            checker.forget_last();
        }
        match checker.is_refuted(core, budget) {
            Ok(true) => SatAnswer::Unsatisfiable,
            Ok(false) => SatAnswer::Unfounded,
            Err(stop) => SatAnswer::Stopped(stop),
        }
    }
}

impl Sat for Batsat {
    fn new_variable(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }

    fn add_clause(&mut self, clause: &[SatLiteral]) {
        self.solver.cb_mut().checker.add_axiom(clause);
        self.clause.clear();
        self.clause.extend(clause.iter().copied().map(literal));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> SatAnswer {
        if let Err(stop) = budget.spend(1) {
            return SatAnswer::Stopped(stop);
        }
        let assumed: Vec<Lit> = assumptions.iter().copied().map(literal).collect();
        let metered = Metered { budget: budget.clone(), decisions: 0, steps: 0, stop: None };
        *self.solver.cb_mut().state.get_mut() = Some(metered);
        let answer = self.solver.solve_limited(&assumed);
        if let Some(mut metered) = self.solver.cb_mut().state.get_mut().take() {
            let stop = metered.stop;
            metered.settle();
            *budget = metered.budget;
            if answer == lbool::UNDEF {
                return SatAnswer::Stopped(stop.unwrap_or(Stop::Steps));
            }
        }
        if answer == lbool::TRUE { SatAnswer::Satisfiable } else { self.check(assumptions, budget) }
    }

    fn value(&self, variable: u32) -> bool {
        self.solver.value_var(Var::unsafe_from_idx(variable)) == lbool::TRUE
    }

    fn in_core(&self, assumption: SatLiteral) -> bool {
        self.solver.unsat_core_contains_lit(!literal(assumption))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refutation_is_not_believed_after_a_clause_that_does_not_follow() {
        let mut sat = Batsat::default();
        let [a, b] = [(); 2].map(|()| SatLiteral::new(sat.new_variable(), false));
        sat.add_clause(&[a, b]);
        assert_eq!(sat.solve(&[!a, !b], &mut Budget::unlimited()), SatAnswer::Unsatisfiable);
        sat.solver.cb_mut().on_new_clause(&[literal(a)], batsat::ClauseKind::Learnt);
        assert_eq!(sat.solve(&[!a], &mut Budget::unlimited()), SatAnswer::Satisfiable);
        assert_eq!(sat.solve(&[!a, !b], &mut Budget::unlimited()), SatAnswer::Unfounded);
    }

    #[test]
    fn a_refutation_is_not_believed_if_the_checker_misses_a_clause() {
        let mut sat = Batsat::default();
        let a = SatLiteral::new(sat.new_variable(), false);
        sat.add_clause(&[a]);
        sat.solver.cb_mut().checker = Checker::default();
        assert_eq!(sat.solve(&[!a], &mut Budget::unlimited()), SatAnswer::Unfounded);
    }
}
