//! The SAT solver `batsat`: MiniSat in Rust.

use std::cell::RefCell;

use base::{Budget, Stop};
use batsat::{Callbacks, Lit, SolverInterface, Var, lbool};

use super::{Sat, SatAnswer, SatLiteral};

/// The SAT solver that is always there.
pub struct Batsat {
    solver: batsat::Solver<Meter>,
    clause: Vec<Lit>,
    /// Whether a clause without literals was added.
    empty: bool,
}

/// So many decisions cost as much as a conflict.
const DECISIONS_PER_STEP: u32 = 256;
/// So many steps are taken off the budget at once: the clock is read each time.
const STEPS_AT_ONCE: u64 = 8;

/// Counts the work and ends it when the budget does.
#[derive(Default)]
struct Meter {
    state: RefCell<Option<Metered>>,
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
    fn on_new_clause(&mut self, _: &[Lit], _: batsat::ClauseKind) {
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
        Self { solver: batsat::Solver::new(options, Meter::default()), clause: Vec::new(), empty: false }
    }
}

fn literal(literal: SatLiteral) -> Lit {
    Lit::new(Var::unsafe_from_idx(literal.variable()), !literal.is_negated())
}

impl Sat for Batsat {
    fn new_variable(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }

    fn add_clause(&mut self, clause: &[SatLiteral]) {
        self.empty |= clause.is_empty();
        self.clause.clear();
        self.clause.extend(clause.iter().copied().map(literal));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve(&mut self, assumptions: &[SatLiteral], budget: &mut Budget) -> SatAnswer {
        if self.empty {
            return SatAnswer::Unsatisfiable;
        }
        if let Err(stop) = budget.spend(1) {
            return SatAnswer::Stopped(stop);
        }
        let assumptions: Vec<Lit> = assumptions.iter().copied().map(literal).collect();
        let metered = Metered { budget: budget.clone(), decisions: 0, steps: 0, stop: None };
        *self.solver.cb_mut().state.get_mut() = Some(metered);
        let answer = self.solver.solve_limited(&assumptions);
        if let Some(mut metered) = self.solver.cb_mut().state.get_mut().take() {
            let stop = metered.stop;
            metered.settle();
            *budget = metered.budget;
            if answer == lbool::UNDEF {
                return SatAnswer::Stopped(stop.unwrap_or(Stop::Steps));
            }
        }
        if answer == lbool::TRUE { SatAnswer::Satisfiable } else { SatAnswer::Unsatisfiable }
    }

    fn value(&self, variable: u32) -> bool {
        self.solver.value_var(Var::unsafe_from_idx(variable)) == lbool::TRUE
    }

    fn in_core(&self, assumption: SatLiteral) -> bool {
        self.solver.unsat_core_contains_lit(!literal(assumption))
    }
}
