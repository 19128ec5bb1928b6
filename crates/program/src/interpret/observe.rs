//! Looking on: what a run's numbers are whenever control is at the head of a loop.
//!
//! Only a machine that was made for it ([`super::Machine::observed`]) stops at heads, so that other runs pay nothing.

use base::{Index, Location};

use super::machine::Execution;
use super::value::{IntegerForm, Slot};
use crate::expression::VariableId;
use crate::function::BlockId;
use crate::program::FunctionId;
use crate::types::Type;

/// Somebody who looks on.
pub trait Observer {
    /// Control is at the head of a loop.
    fn at_head(&mut self, head: &Head<'_, '_>);
}

/// A run at the head of a loop.
pub struct Head<'a, 'm> {
    pub(super) execution: &'a Execution<'m>,
}

impl Execution<'_> {
    /// Shows the head of a loop to whoever looks on.
    pub fn show_head(&mut self) {
        let Some(observer) = self.observer.take() else { return };
        observer.at_head(&Head { execution: self });
        self.observer = Some(observer);
    }
}

impl<'m> Head<'_, 'm> {
    /// The function.
    pub fn function(&self) -> FunctionId {
        self.frame().code.function
    }

    /// The block that is the loop's head.
    pub fn block(&self) -> BlockId {
        Index::new(self.frame().code.origins[self.execution.pc].block as usize)
    }

    /// Which call of the run the function's is: each call has its own number.
    pub fn activation(&self) -> u64 {
        self.frame().activation
    }

    /// The calls that wait for the function, the outermost first, and where each stands.
    pub fn callers(&self) -> Vec<(FunctionId, Location)> {
        let callers = self.execution.frames.len().saturating_sub(1);
        let frames = &self.execution.frames[..callers];
        frames
            .iter()
            .map(|frame| (frame.code.function, self.execution.location_in(frame, frame.pc)))
            .collect()
    }

    /// The number that a variable of the function or of the program holds: of a pointer to an object, its offset.
    pub fn number(&self, variable: VariableId, ty: Type) -> Option<i128> {
        let slot = self.slot(variable)?;
        let form: IntegerForm = self.execution.form;
        match ty {
            Type::Bool | Type::Integer(_) => Some(form.number(ty, slot)),
            Type::Pointer if !slot.handle().is_none() => Some(i128::from(slot.offset())),
            Type::Pointer | Type::Float(_) => None,
        }
    }

    /// Whether a variable holds what somebody gave it, or what nobody will examine.
    pub fn is_assigned(&self, variable: VariableId) -> bool {
        if variable.is_global() {
            return self.slot(variable).is_some();
        }
        let frame = self.frame();
        let flag = frame.code.flags.get(variable.index()).copied().flatten();
        flag.is_none_or(|flag| {
            self.execution.stack.get(frame.base + flag as usize).is_some_and(|slot| slot.low != 0)
        })
    }

    /// How many inputs the run has asked for so far.
    pub fn inputs(&self) -> usize {
        self.execution.records().len()
    }

    /// How many steps the run has made so far.
    pub fn steps(&self) -> u64 {
        self.execution.steps()
    }

    /// What a variable of the function or of the program holds.
    pub(super) fn slot(&self, variable: VariableId) -> Option<Slot> {
        if variable.is_global() {
            let known = *self.execution.global_known.get(variable.index())?;
            return known.then(|| self.execution.globals.get(variable.index()).copied()).flatten();
        }
        let frame = self.frame();
        let register = frame.base + frame.code.first_variable as usize + variable.index();
        self.execution.stack.get(register).copied()
    }

    pub(super) fn frame(&self) -> &super::machine::Frame<'m> {
        &self.execution.frames[self.execution.frames.len() - 1]
    }
}
