//! Undefined functions without a model: they return anything, and change whatever they can reach.
//!
//! Such a function can reach the objects and variables of the program, what its arguments point to, what earlier calls of
//! this kind were given, and whatever pointers in all these lead to. It is taken to return, unless its declaration says that
//! it does not, and not to call functions of the program; one that is given a function to call ends the path instead. So does
//! one that is given bytes without a terminator if accesses are asked about: it may take them for a string and read on.

use std::collections::BTreeSet;

use logic::Sort;
use program::{Obligation, VariableId};

use super::{Call, Outcome, Reply, STREAM};
use crate::arguments::{COMMAND_LINE, TEXT, WORD};
use crate::encoder::Encoder;
use crate::memory::Kind;
use crate::state::State;
use crate::value::Value;

impl Encoder<'_> {
    /// Calls a function of which nothing is known.
    pub(super) fn outside(&mut self, state: &mut State, call: &Call<'_>) -> Reply {
        let mut given = BTreeSet::new();
        for &(_, value) in call.arguments {
            if let Value::Pointer(pointer) = value {
                given.extend(self.candidates(pointer.object));
            }
        }
        let is_function = |number: &u32| matches!(self.objects[*number as usize].kind, Kind::Function(_));
        if given.iter().any(is_function) {
            return None;
        }
        self.end_unterminated(state, call);
        self.escaped.extend(given);
        self.calls_outside = true;
        let reached = self.reached(state);
        // What was reached once is known outside from then on, wherever its address was found.
        self.escaped.extend(reached.iter().copied());
        // A word is what it was whenever it is read again, and nobody would see that it was changed.
        let is_word =
            |number: &u32| matches!(self.objects[*number as usize].kind, Kind::Provided(COMMAND_LINE | WORD));
        if reached.iter().any(is_word) {
            return None;
        }
        for number in reached {
            self.change_outside(state, number);
        }
        for (place, global) in self.program.globals.iter().enumerate() {
            let value = self.arbitrary(&global.variable.name, global.variable.ty);
            state.set_variable(VariableId::global(place), value);
        }
        self.disturb_error_number(state);
        self.disturb_resolver(state);
        let name = format!("return of {}", call.name);
        Some(Outcome::Returns(call.result.map(|ty| (ty, self.arbitrary(&name, ty)))))
    }

    /// Ends the paths on which a function outside the program is given bytes that are no string.
    fn end_unterminated(&mut self, state: &mut State, call: &Call<'_>) {
        let checks = self.options.checks;
        if !checks.contains(Obligation::OutOfBounds) && !checks.contains(Obligation::StringTermination) {
            return;
        }
        for &(_, value) in call.arguments {
            let Value::Pointer(pointer) = value else { continue };
            let is_bytes = |number: &u32| self.objects[*number as usize].cell == 1;
            if !self.candidates(pointer.object).iter().any(is_bytes) {
                continue;
            }
            let (null, terminated) = (pointer.is_null(&mut self.terms), self.is_terminated(state, pointer));
            let fine = self.terms.or(null, terminated);
            let what = format!("bytes without a terminator for {}, an undefined function", call.name);
            self.give_up_unless(state, fine, what);
        }
    }

    /// The objects that a function outside the program can reach.
    fn reached(&self, state: &State) -> BTreeSet<u32> {
        let known = ..self.objects.len() as u32;
        let mut stack: Vec<u32> = self.escaped.range(known).copied().collect();
        stack.extend(self.program.objects.iter().map(|(id, _)| self.global_number(id)));
        for &value in state.globals.iter() {
            if let Value::Pointer(pointer) = value {
                stack.extend(self.candidates(pointer.object));
            }
        }
        let is_text = |number: &u32| self.objects[*number as usize].kind == Kind::Provided(TEXT);
        if stack.iter().any(is_text) {
            // Two of them may be one.
            stack.extend((0..self.objects.len() as u32).filter(is_text));
        }
        let mut reached = BTreeSet::new();
        while let Some(number) = stack.pop() {
            if reached.insert(number) {
                stack.extend(self.objects[number as usize].targets.iter().copied());
            }
        }
        reached
    }

    fn change_outside(&mut self, state: &mut State, number: u32) {
        let object = &self.objects[number as usize];
        if !object.writable && object.kind != Kind::Provided(TEXT) {
            return;
        }
        let Some(contents) = state.contents_mut(number) else { return };
        if matches!(object.kind, Kind::Heap(_) | Kind::Provided(STREAM)) {
            let name = format!("{} lives", object.name);
            let lives = self.terms.fresh(name, Sort::Bool);
            contents.alive = self.terms.and(contents.alive, lives);
        }
        self.scatter(contents, number);
    }
}
