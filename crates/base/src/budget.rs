//! How much work may be done: steps before seconds, and an interrupt that a user or a caller can raise.
//!
//! Steps make an answer the same on every machine; the deadline is there for people. Whoever does long work
//! calls [`Budget::spend`] now and then and hands back what was found so far when it answers with a [`Stop`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// All steps are spent.
    Steps,
    /// The deadline has passed.
    Time,
    /// Somebody asked for it.
    Interrupted,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Steps => "step limit",
            Stop::Time => "time limit",
            Stop::Interrupted => "interrupted",
        })
    }
}

/// A flag that asks all work that shares it to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks for the end of the work.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What may still be spent.
#[derive(Clone, Debug)]
pub struct Budget {
    steps: u64,
    deadline: Option<Instant>,
    interrupt: Interrupt,
}

impl Budget {
    /// So many steps and no deadline.
    pub fn steps(steps: u64) -> Self {
        Self { steps, deadline: None, interrupt: Interrupt::default() }
    }

    /// No limit but the interrupt.
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// The same budget, ending no later than after this time.
    pub fn within(mut self, time: Duration) -> Self {
        let deadline = Instant::now().checked_add(time);
        self.deadline = match (self.deadline, deadline) {
            (Some(old), Some(new)) => Some(old.min(new)),
            (old, new) => old.or(new),
        };
        self
    }

    /// The same budget, ending when the interrupt is raised.
    pub fn interrupted_by(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// A part of this budget: at most so many steps, the same deadline and interrupt.
    pub fn part(&self, steps: u64) -> Self {
        Self { steps: steps.min(self.steps), ..self.clone() }
    }

    /// The same budget, ending after this share of the time that is left.
    pub fn share(&self, share: f64) -> Self {
        match self.remaining_time() {
            Some(time) => self.clone().within(time.mul_f64(share)),
            None => self.clone(),
        }
    }

    /// Time that is left, if there is a deadline.
    pub fn remaining_time(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Steps that are left.
    pub fn remaining_steps(&self) -> u64 {
        self.steps
    }

    /// Takes steps off the budget, or says why the work must end.
    ///
    /// The clock is read on every call: spend thousands of steps at once where a step is short.
    pub fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        if self.interrupt.is_raised() {
            return Err(Stop::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::Time);
        }
        match self.steps.checked_sub(steps) {
            Some(rest) => {
                self.steps = rest;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(Stop::Steps)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_out() {
        let mut budget = Budget::steps(3);
        assert_eq!(budget.spend(2), Ok(()));
        assert_eq!(budget.spend(2), Err(Stop::Steps));
        assert_eq!(budget.spend(1), Err(Stop::Steps));
    }

    #[test]
    fn an_interrupt_reaches_every_part() {
        let interrupt = Interrupt::default();
        let mut part = Budget::unlimited().interrupted_by(interrupt.clone()).part(10);
        assert_eq!(part.spend(1), Ok(()));
        interrupt.raise();
        assert_eq!(part.spend(1), Err(Stop::Interrupted));
    }

    #[test]
    fn the_deadline_passes() {
        let mut budget = Budget::unlimited().within(Duration::ZERO);
        assert_eq!(budget.spend(1), Err(Stop::Time));
    }
}
