//! Checks that fail, and the statements that ask for inputs.

use base::Index;

use super::api::Outcome;
use super::code::Register;
use super::machine::{Execution, Step};
use super::memory::Kind;
use super::value::Slot;
use crate::expression::{ExprId, ExprKind, UnaryOp};
use crate::function::Body;
use crate::statement::{Check, Obligation, StatementKind};
use crate::types::Type;

impl<'m> Execution<'m> {
    /// The body of the current function.
    pub fn body(&self) -> Option<&'m Body> {
        self.program.functions[self.frames.last()?.code.function].body()
    }

    /// The current statement; none at the end of a block.
    pub fn current_statement(&self) -> Option<&'m StatementKind> {
        let origin = self.frames.last()?.code.origins[self.pc];
        let block = &self.body()?.blocks[Index::new(origin.block as usize)];
        Some(&block.statements.get(origin.statement as usize)?.kind)
    }

    /// The condition of the current check does not hold.
    #[cold]
    pub fn check_failed(&mut self) -> Step<()> {
        let (Some(body), Some(StatementKind::Check(Check::Holds { obligation, condition, note }))) =
            (self.body(), self.current_statement())
        else {
            return Ok(());
        };
        let message = self.condition_message(body, *obligation, *condition, note.as_deref());
        match obligation {
            // Whatever such a check guards has no result to go on with.
            Obligation::Division => self.fail_hard(*obligation, message),
            _ => self.fail(*obligation, message),
        }
    }

    fn condition_message(
        &self,
        body: &Body,
        kind: Obligation,
        condition: ExprId,
        note: Option<&str>,
    ) -> String {
        let (text, values) = match body.expressions[condition].kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.expression_with_values(body, inner),
            _ => self.expression_with_values(body, condition),
        };
        let values = if values.is_empty() { values } else { format!(" ({values})") };
        match (kind, note) {
            (Obligation::Assertion, Some(note)) => format!("the assertion `{note}` fails{values}"),
            (Obligation::Assertion, None) => format!("the assertion `{text}` fails{values}"),
            (Obligation::ReachError, _) => String::from("an error function is called"),
            (Obligation::SignedOverflow, _) => format!("`{text}` overflows{values}"),
            (Obligation::Division, _) => format!("division by zero{values}"),
            (Obligation::Shift, _) => format!("the shift is undefined{values}"),
            (Obligation::Sequence, note) => {
                let what = note.as_ref().map_or("an object", AsRef::as_ref);
                format!("{what} is changed and used in no order")
            }
            (_, Some(note)) => format!("`{note}` does not hold{values}"),
            (_, None) => format!("`{text}` does not hold{values}"),
        }
    }

    /// A variable is used that was never assigned.
    #[cold]
    pub fn not_defined(&mut self, variable: usize) -> Step<()> {
        let name = self.variable_name(variable);
        self.fail(Obligation::Uninitialised, format!("`{name}` is used but was never given a value"))
    }

    fn variable_name(&self, variable: usize) -> String {
        self.body().map_or_else(String::new, |body| body.variables[Index::new(variable)].name.clone())
    }

    /// A variable that was never assigned becomes an input.
    #[cold]
    pub fn ask_unassigned(&mut self, variable: usize, flag: Register) -> Step<()> {
        let (Some(body), Some(frame)) = (self.body(), self.frames.last()) else { return Ok(()) };
        let register = frame.code.first_variable + variable as Register;
        let description = &body.variables[Index::new(variable)];
        let value = self.ask(&format!("uninitialised {}", description.name), description.ty);
        self.set_register(register, value);
        self.set_register(flag, Slot::truth(true));
        Ok(())
    }

    /// A global variable that is defined elsewhere.
    pub fn unknown_global(&mut self, global: usize) -> Step<Slot> {
        if !self.global_known[global] {
            let variable = &self.program.globals[global].variable;
            self.globals[global] = self.ask(&format!("initial {}", variable.name), variable.ty);
            self.global_known[global] = true;
        }
        Ok(self.globals[global])
    }

    /// A value from outside.
    pub fn input(&mut self, to: Register, ty: Type) -> Step<()> {
        if let Some(StatementKind::Input { name, .. }) = self.current_statement() {
            let value = self.ask(name, ty);
            self.set_register(to, value);
        }
        Ok(())
    }

    /// Something that is not understood.
    #[cold]
    pub fn unknown_statement(&mut self, to: Option<Register>) -> Step<()> {
        if let (Some(StatementKind::Unknown { what, target }), Some(body)) =
            (self.current_statement(), self.body())
        {
            self.guess(|| format!("{what} may change any memory"));
            if let (Some(target), Some(to)) = (target, to) {
                let ty = self.program.variable(body, *target).ty;
                let value = self.ask(&format!("result of {what}"), ty);
                self.set_register(to, value);
            }
        }
        Ok(())
    }

    /// Only runs on which the condition holds matter.
    pub fn assume(&self, holds: bool) -> Step<()> {
        if holds { Ok(()) } else { Err(Box::new(Outcome::AssumptionFailed)) }
    }

    /// Control came where the program said it cannot.
    #[cold]
    pub fn reached_unreachable(&mut self) -> Step<()> {
        self.fail_hard(Obligation::Unreachable, String::from("control reaches a place that it cannot reach"))
    }

    /// The pointer must point to a string.
    pub fn check_terminated(&mut self, pointer: Slot) -> Step<()> {
        let Ok((index, offset)) = self.memory.locate(pointer, 1) else {
            let name = self.value_text(Type::Pointer, pointer);
            return self.fail_termination(format!("{name} does not point to a string"));
        };
        let object = &self.memory.objects[index];
        self.fuel -= (object.bytes.len() - offset) as i64 / 64;
        if object.bytes[offset..].contains(&0) || !object.is_written(offset, object.bytes.len() - offset) {
            // Uninitialised bytes may be anything, a terminator included: their use is another matter.
            return Ok(());
        }
        let name = self.object_name(object.kind);
        self.fail_termination(format!(
            "no terminator follows index {offset} in {name} ({} bytes)",
            object.size
        ))
    }

    /// A string has no end: an access outside it follows, if nobody asks for termination itself.
    #[cold]
    pub fn fail_termination(&mut self, message: String) -> Step<()> {
        let checks = self.machine.options.checks;
        if checks.contains(Obligation::StringTermination) || !checks.contains(Obligation::OutOfBounds) {
            self.fail(Obligation::StringTermination, message)
        } else {
            self.fail(Obligation::OutOfBounds, message)
        }
    }

    /// The pointer must be null or the start of a live heap object.
    pub fn check_freeable(&mut self, pointer: Slot) -> Step<()> {
        if pointer.is_null() {
            return Ok(());
        }
        let text = self.value_text(Type::Pointer, pointer);
        let problem = match self.memory.object(pointer.handle()) {
            Some(object) if !matches!(object.kind, Kind::Heap(_)) => "which is no heap memory",
            Some(object) if !object.is_alive() => "which was freed before",
            Some(_) if pointer.offset() != 0 => "which is not the start of it",
            Some(_) => return Ok(()),
            None => "which is no live heap memory",
        };
        self.fail(Obligation::InvalidFree, format!("free of {text}, {problem}"))
    }
}
